"""What an ingest keeps is what was written, and what could have been turned round waits with its sentence."""

from pathlib import Path

import pytest

from tests.ingested_world import in_force, kept, learn, talk, turn
from tests.remembered_world import add, world
from verifflowcc.base.model.item_values import Relation, Status, Trust
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.inbox import open_inbox
from verifflowcc.memory.use.remembering import StatementOutcome

DROP = "We never drop tables in production."
BOTH = "Start function names with 'a_' and end method names with '_b'."


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workspace:
    monkeypatch.setenv("VFCC_PROJECT", "one")
    return world(tmp_path, "files", monkeypatch, request).project("one")


def test_a_negated_sentence_that_a_rule_would_reword_waits_with_its_own_words(here: Workspace) -> None:
    done = learn(here, talk(turn(1, DROP, session="monday"), origin="talk.md@1f"))

    (found,) = kept(here)
    assert (found.body.strip(), found.item.title) == (DROP, DROP.rstrip("."))
    assert (found.item.status, found.item.trust) == (Status.PENDING, Trust.HUMAN)
    assert (found.item.source.speaker, found.item.source.session) == ("person:User", "monday")
    assert in_force(here) == set()
    assert [each.why for each in done.learned] == ["it has a negation, a condition: check that it is meant as it reads"]
    (waiting,) = open_inbox(here, ("project",)).waiting
    assert waiting.text == DROP
    assert waiting.origin == "talk.md@1f, turn t1, session monday"
    assert waiting.why.endswith("it has a negation, a condition: check that it is meant as it reads")


def test_a_sentence_does_not_vanish_behind_its_opposite(here: Workspace) -> None:
    learn(here, talk("Please use tables in production."))
    done = learn(here, talk(DROP, session="later"))

    assert [(each.outcome, each.title) for each in done.learned] == [(StatementOutcome.PROPOSED, DROP.rstrip("."))]
    assert in_force(here) == {"Please use tables in production."}


def test_a_sentence_of_two_rules_is_kept_for_each_and_each_is_replaced_alone(here: Workspace) -> None:
    learn(here, talk(BOTH))
    assert sorted(str(each.item.key) for each in kept(here)) == ["function-names.start", "method-names.end"]
    again = learn(here, talk(f"Again: {BOTH}", session="again"))
    assert {each.outcome for each in again.learned} == {StatementOutcome.SAME}

    learn(here, talk("From now on, end method names with '_c'.", session="later"))

    (new,) = (each.item for each in kept(here) if each.item.source.session == "later")
    (old,) = (each.item for each in kept(here) if each.item.key == new.key and each.item.id != new.id)
    assert [(link.to, link.relation) for link in new.links] == [(old.id, Relation.SUPERSEDES)]


@pytest.mark.parametrize(
    ("key", "before", "sentence"),
    [
        ("function-names.start", "Start function names with 'a_'.", "Always start function names with 'a_'."),
        ("ide", "Use Vim as the IDE.", "From now on, I'd like you to use Vim as the IDE."),
        ("docstrings-in-methods", "Do not use docstrings in methods.", "Avoid docstrings in our methods."),
    ],
)
def test_what_an_earlier_version_put_into_its_own_words_is_known_again(
    here: Workspace, key: str, before: str, sentence: str
) -> None:
    add(here, "guideline" if key == "ide" else "convention", before, key=key)

    done = learn(here, talk(sentence))

    assert [each.outcome for each in done.learned] == [StatementOutcome.SAME]


def test_a_rule_is_kept_with_the_earlier_sentence_that_names_what_it_is_of(here: Workspace) -> None:
    opens = "I want to go over our issue tracker today."
    rule = "From now on, I want you to use Lumen for all projects."
    learn(here, talk(turn(1, opens), turn(2, f"It took us a while to find the right one, as you know. {rule}")))

    (found,) = kept(here)
    assert (found.body.strip(), found.item.title) == (f"{opens} … {rule}", rule.rstrip("."))
    assert (found.item.source.turn, dict(found.item.details)) == ("t2", {"before": "t1"})

    done = learn(here, talk(rule, session="later"))
    assert [each.outcome for each in done.learned] == [StatementOutcome.SAME], "it is known again without its subject"
