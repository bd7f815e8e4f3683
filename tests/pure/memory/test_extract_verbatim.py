"""An item has the sentence as it was written; where its meaning could have been turned round, a person decides.

"We never drop tables in production" was once kept as "Use tables in production", active, and the sentence nowhere.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.memory.rules.candidates import StatementCandidate
from verifflowcc.memory.rules.qualifiers import keeps, qualifiers
from verifflowcc.memory.rules.sentences import sentences
from verifflowcc.memory.rules.turn_statements import extract, statement_of
from verifflowcc.memory.rules.turns import Speaker, Turn

SUBJECTS = ("", "We ", "You ", "From now on, ", "Please ", "I want you to ", "Everyone should ", "Let's ")
DENIALS = (
    "", "never ", "don't ", "do not ", "no longer ", "don't always ", "not only ", "need not ", "don't have to ",
    "may ", "can ", "must not ", "should stop avoiding to ", "hardly ever ", "always ", "avoid to ",
)  # fmt: skip
VERBS = ("use", "drop", "include", "commit", "write", "import", "start function names with", "remove", "skip", "run")
OBJECTS = (
    "tables", "docstrings in methods", "'x_'", "the 'gzip' module", "print statements", "Redis as the cache",
    "type ignores", "to main", "the linter and the formatter", "global variables", "tests", "tabs for indentation",
)  # fmt: skip
LIMITS = (
    "", " in production", ", except in scripts/", " unless it is a hotfix", " if you are on Windows", " in tests",
    " until the release", ", not spaces", " only in generated code", ", even if you don't use it", ". Except in tests",
    ".\nUnless somebody asks", ",\nbut not on Fridays", " when you write migrations", " without a review",
)  # fmt: skip
BANS = "Never do this:\n- "
OPENINGS = ("", "In integration tests, ", "If it is a hotfix, ", "The blog claims that ", BANS, "- ")
PLAIN = {"": False, "always ": False} | dict.fromkeys(
    ("never ", "don't ", "do not ", "no longer ", "must not ", "avoid to "), True
)
RULES = ("convention", "guideline")
MARKS = (
    "never", "don't", "do not", "no longer", "not", "except", "unless", "if", "only", "until", "when", "without",
    "have to", "need not", "may", "can", "claims", "in production", "in tests", "in integration tests", "fridays",
)  # fmt: skip


def said(text: str, name: str = "") -> tuple[StatementCandidate, ...]:
    return extract(Turn("t1", Speaker.PERSON, text, "s1", name=name)).candidates


def folded(text: str) -> str:
    return " ".join(text.split())


def active(found: StatementCandidate) -> bool:
    return found.confidence >= 500 and found.certainty >= 600


@given(
    *(st.sampled_from(each) for each in (OPENINGS, SUBJECTS, DENIALS, VERBS, OBJECTS, LIMITS)),
    st.sampled_from(["", "Alice"]),
)
@settings(max_examples=400, deadline=None)
def test_an_item_is_a_piece_of_what_was_written_and_an_active_one_has_all_its_qualifiers(
    opening: str, subject: str, denial: str, verb: str, thing: str, limit: str, name: str
) -> None:
    sentence = f"{opening}{subject}{denial}{verb} {thing}{limit}."
    text = f"Good morning.\n\n{sentence}\n\nThanks!"

    for found in said(text, name):
        assert found.content in folded(text)
        assert found.title.rstrip("…") in found.content
        if active(found):
            kept = f" {found.content.casefold()} "
            assert [mark for mark in MARKS if mark in sentence.casefold() and mark not in kept] == []
            assert qualifiers(found.content) == qualifiers(sentence)
            if found.type in RULES and opening != BANS:
                assert denial in PLAIN, "whoever wrote this may have meant a permission, or the opposite"
                assert found.negated is PLAIN[denial]


@pytest.mark.parametrize(
    "text",
    [
        "We never drop tables in production.",
        "Use docstrings in methods, except in tests.",
        "Don't use print statements except in scripts/.",
        "No mocks and real databases in integration tests.",
        "We don't always use docstrings in methods.",
        "We should stop avoiding type annotations in functions.",
        "Please do not remove docstrings from methods.",
        "Start function names with 'x_' only in generated code.",
        "Function names should never start with 'a_'.",
        "Class names must not end with '_t'.",
        "When you write migrations, never drop columns.",
        "If you are on Windows, use PowerShell as the shell.",
        "Always use a type checker, but not on generated code.",
        "It would be a mistake to always use a debugger.",
        "In the legacy module, start function names with 'x_'.",
        "Never import the 'os' module outside of the adapters.",
        "Keep functions under 40 lines, tests excluded.",
        "Never deploy on a Friday unless it is a hotfix.",
        "Always import the 'gzip' module, even if you don't use it.",
        "We should not only run mypy but also pyright on every commit.",
        "You can always use type ignores in tests.",
    ],
)
def test_a_sentence_whose_qualifier_a_rule_would_reword_waits_for_a_person(text: str) -> None:
    found = said(text)

    assert found, "it is kept"
    assert {each.content for each in found} == {text}
    assert not any(active(each) for each in found)


@pytest.mark.parametrize(
    "text",
    [
        "The blog claims that we should never use Redis for sessions.",
        "My manager insists that we never use Docker.",
        "Sure, let's always push straight to production, what could possibly go wrong.",
        "Imagine we had to use Redis for sessions.",
        "2024-05-01 12:00:01 ERROR the pool must be closed after use",
        "I always take the stairs.",
        "Rename this function to load.",
    ],
)
def test_what_is_reported_not_meant_pasted_or_a_task_is_nobodys_rule(text: str) -> None:
    assert said(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Never commit directly to main.",
        "From now on, never log personal data.",
        "Don't use inline styles in our pages.",
        "You must not use feature toggles for experiments.",
        "I want you to avoid using a linter.",
        "You must use black, not yapf.",
        "We no longer use Redis as the cache.",
        "Use SQLite in integration tests.",
        "When naming functions, start the names with 'y_'.",
        "Don't forget to use docstrings in methods.",
        "The client is Beta Ltd now.",
    ],
)
def test_a_sentence_that_keeps_its_qualifiers_where_they_are_is_active(text: str) -> None:
    (found,) = said(text)

    assert found.content == text
    assert active(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("“Use `ruff` – always.” Thanks.", "Use `ruff` – always."),
        ("Hi.\n\n  1. **Never** use `eval` in our code.\n  2. Bye.", "**Never** use `eval` in our code."),
        ("Always use a\nlinter here, please.", "Always use a linter here, please."),
    ],
)
def test_an_item_keeps_the_characters_that_were_typed(text: str, expected: str) -> None:
    assert [each.content for each in said(text)] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use tabs. Except in Makefiles. Fine.", ["Use tabs. Except in Makefiles.", "Fine."]),
        ("Use tabs,\nexcept in Makefiles.\nUse Vim.", ["Use tabs, except in Makefiles.", "Use Vim."]),
        ("Use tabs in\nMakefiles only.", ["Use tabs in Makefiles only."]),
        ("Never do this:\n- use tabs\n\n- use foo\n\nUse Vim.", ["Never do this: use tabs use foo", "Use Vim."]),
        ("## Don't\n\nUse tabs.\n\nUse nano.\n\n## Do\n\nUse Vim.", ["Don't Use tabs. Use nano.", "Do", "Use Vim."]),
        ("Rules:\n- Use tabs\n- Use Vim", ["Rules:", "Use tabs", "Use Vim"]),
        ('The blog says: "Use Mongo. Never use SQL." Fine.', ['The blog says: "Use Mongo. Never use SQL."', "Fine."]),
        ("- Use tabs.\n+ Use spaces.\nUse Vim.", ["Use Vim."]),
        ("@@ -1 +1 @@\n-Use tabs.\n+Use spaces.\n", []),
    ],
)  # fmt: skip
def test_a_sentence_stays_with_what_changes_its_meaning(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_point_below_never_do_this_is_no_rule_of_its_own() -> None:
    found = said("Never do the following:\n- push to main\n- always use force pushes on shared branches")

    assert all(each.content.startswith("Never do the following:") for each in found)


def test_of_a_sentence_with_two_rules_each_is_read_back_by_its_key() -> None:
    text = "Start function names with 'a_' and end method names with '_b'."
    found = said(text)

    assert [each.content for each in found] == [text, text]
    for each in found:
        assert statement_of(text, each.type, each.key) == (each.subject, each.value, each.negated)


@pytest.mark.parametrize(
    ("text", "form", "kept"),
    [
        ("Use tabs.", "Use tabs.", True),
        ("I'd like you to use tabs from now on.", "Use tabs.", True),
        ("You can't use tabs.", "Never use tabs.", True),
        ("You don't have to use tabs.", "Never use tabs.", False),
        ("Use tabs unless it is a Makefile.", "Use tabs.", False),
        ("Use tabs in tests.", "Use tabs.", False),
        ("Use try-except blocks in functions.", "Use try statements in functions.", True),
    ],
)
def test_a_form_keeps_what_limits_a_sentence_or_not(text: str, form: str, kept: bool) -> None:
    assert keeps(text, form) is kept


def test_code_pasted_without_a_fence_is_no_statement() -> None:
    pasted = "We use PostgreSQL 16.\n\ntask body Worker is\nbegin\n  null;\nend Worker;\n"

    assert [one.content.rstrip(".") for one in said(pasted)] == ["We use PostgreSQL 16"]
