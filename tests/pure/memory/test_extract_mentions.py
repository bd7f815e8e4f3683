"""What a candidate carries beside its words: all fields that an item has, the files that it names, and a few tags."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.item_values import TYPES, Ref
from verifflowcc.memory.rules.candidates import StatementCandidate
from verifflowcc.memory.rules.tool_kinds import refs_of
from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Speaker, Turn

SAYS = st.sampled_from(
    [
        "Always write migrations in plain SQL.", "Never touch src/app.py in this repo.", "I prefer tabs to spaces.",
        "My manager is Dana.", "The client is Acme Corp.", "We decided to use Zig for the parser.",
        "Assuming we have 3 weeks", "Who is the final approver?", "Always start function names with 'a_'.",
        "I'm trying to learn Rust this year.", "The import stopped with a KeyError. It was fixed by stripping it.",
    ]
)  # fmt: skip


def one(text: str) -> StatementCandidate:
    (found,) = extract(Turn("t1", Speaker.PERSON, text, "s1")).candidates
    return found


@pytest.mark.vfcc("REQ-EXTRACT-FIELDS")
@given(st.lists(SAYS, max_size=5))
@settings(max_examples=40, deadline=None)
def test_each_candidate_has_every_field_with_a_value_that_it_may_have(said: list[str]) -> None:
    for each in extract(Turn("t1", Speaker.PERSON, " ".join(said), "s1")).candidates:
        assert each.layer == ("user" if TYPES[each.type].scope == "user" else "project")
        assert all((each.key, each.title, each.content, each.subject))
        assert all(0 <= number <= 1000 for number in (each.importance, each.confidence, each.certainty))
        assert each.turn == "t1"


@pytest.mark.parametrize(
    ("text", "refs"),
    [
        ("Never edit src/app.py by hand.", (Ref("src/app.py"),)),
        ("Always call `load` in src/app.py first.", (Ref("src/app.py", "load"),)),
        ("Never call src/app.py:load twice.", (Ref("src/app.py", "load"),)),
        ("Never edit schema.sql or db/seed.sql.", (Ref("schema.sql"), Ref("db/seed.sql"))),
        ("Never read /etc/hosts.py or ../other.py.", ()),
        ("Never fetch https://example.org/app.py.", ()),
        ("Never use Node.js here.", ()),
        ("Never deploy on a Friday.", ()),
    ],
)
def test_the_files_that_a_statement_names_are_its_refs(text: str, refs: tuple[Ref, ...]) -> None:
    assert refs_of(text) == refs


def test_a_symbol_without_its_file_is_kept_as_a_detail() -> None:
    found = one("Never call `orders.total` in a loop.")

    assert (found.refs, found.details) == ((), (("symbol", "orders.total"),))


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Always write migrations in plain SQL.", ("database", "sql")),
        ("Never edit src/app.py in this repo.", ("python",)),
        ("Never force-push to a shared branch.", ("git",)),
        ("The client is Acme Corp.", ()),
    ],
)
def test_tags_are_the_languages_and_areas_that_are_surely_meant(text: str, tags: tuple[str, ...]) -> None:
    assert one(text).tags == tags
