"""Who vouches for what is learned, and what waits for a person."""

from pathlib import Path

import pytest

from tests.ingested_world import AGENT, CI, ME, in_force, kept, learn, talk, texts, turn
from tests.remembered_world import add, world
from verifflowcc.base.model.item_values import Status, Trust
from verifflowcc.base.text.own_text import BEGIN, END
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.candidates import Extraction
from verifflowcc.memory.rules.turn_statements import extract
from verifflowcc.memory.rules.turns import Speaker, Turn
from verifflowcc.memory.use.remembering import StatementOutcome
from verifflowcc.memory.use.stores import open_store

TABS, SPACES = "From now on, always start function names with 'a_'.", "Please start function names with 'b_' instead."
WISH = "I prefer bullet points over prose."


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workspace:
    monkeypatch.setenv("VFCC_PROJECT", "one")
    return world(tmp_path, "files", monkeypatch, request).project("one")


@pytest.mark.vfcc("REQ-TRUST-LEAST")
@pytest.mark.parametrize(
    ("actor", "speaker", "trust"),
    [
        (ME, Speaker.PERSON, Trust.HUMAN),
        (ME, Speaker.AGENT, Trust.AGENT),
        (ME, Speaker.TOOL, Trust.TOOL),
        (ME, Speaker.OUTSIDE, Trust.EXTERNAL),
        (AGENT, Speaker.PERSON, Trust.AGENT),
        (AGENT, Speaker.OUTSIDE, Trust.EXTERNAL),
        (CI, Speaker.PERSON, Trust.TOOL),
        (CI, Speaker.AGENT, Trust.AGENT),
    ],
)
def test_an_item_is_trusted_as_the_least_of_who_said_it_and_who_ingested_it(
    here: Workspace, actor: str, speaker: Speaker, trust: Trust
) -> None:
    learn(here, talk(turn(1, TABS, speaker=speaker)), actor=actor)
    assert [each.item.trust for each in kept(here)] == [trust]


@pytest.mark.vfcc("REQ-PENDING")
@pytest.mark.parametrize("actor", [AGENT, CI, "agent:unknown", "tool:hook"])
def test_what_no_person_ingests_is_proposed_in_both_scopes_whoever_said_it(here: Workspace, actor: str) -> None:
    done = learn(here, talk(TABS, WISH), actor=actor)

    assert {each.item.scope for each in kept(here)} == {"project", "user"}
    assert {each.item.status for each in kept(here)} == {Status.PENDING}
    assert in_force(here) == set()
    assert {each.why for each in done.learned} == {"no person runs this"}


@pytest.mark.vfcc("REQ-PENDING")
def test_a_text_from_elsewhere_is_never_active_whoever_ingests_it(here: Workspace) -> None:
    learn(here, talk(turn(1, TABS, speaker=Speaker.OUTSIDE, tool="WebFetch")))
    assert [each.item.status for each in kept(here)] == [Status.PENDING]


def test_a_person_may_have_everything_proposed(here: Workspace) -> None:
    done = learn(here, talk(TABS, WISH), pending=True)
    assert {each.outcome for each in done.learned} == {StatementOutcome.PROPOSED}


@pytest.mark.vfcc("REQ-UNCERTAIN-TO-INBOX")
@pytest.mark.parametrize(
    ("certainty", "confidence", "status"), [(600, 500, "active"), (599, 1000, "pending"), (1000, 499, "pending")]
)
def test_what_is_uncertain_waits_even_where_a_person_ingests_it(
    here: Workspace, certainty: int, confidence: int, status: str
) -> None:
    from dataclasses import replace

    def unsure(said: Turn) -> Extraction:
        found = extract(said)
        changed = (replace(each, certainty=certainty, confidence=confidence) for each in found.candidates)
        return replace(found, candidates=tuple(changed))

    learn(here, talk(TABS), extract=unsure)
    assert [str(each.item.status) for each in kept(here)] == [status]


def test_a_proposal_replaces_nothing_until_it_is_promoted(here: Workspace) -> None:
    learn(here, talk(TABS))
    before = texts(here)

    done = learn(here, talk(SPACES, session="agent's"), actor=AGENT)

    assert in_force(here) == {TABS}
    assert before.items() <= texts(here).items()
    assert [each.supersedes for each in done.learned] == [tuple(before)]


def test_who_counts_for_less_only_proposes_to_replace_what_a_person_said(here: Workspace) -> None:
    learn(here, talk(TABS))
    done = learn(here, talk(turn(9, SPACES, speaker=Speaker.AGENT)))

    assert in_force(here) == {TABS}
    assert [each.outcome for each in done.learned] == [StatementOutcome.PROPOSED]
    assert "which is trusted more" in done.learned[0].why


def test_what_an_agent_proposed_is_in_force_once_a_person_says_it(here: Workspace) -> None:
    learn(here, talk(TABS), actor=AGENT)
    done = learn(here, talk(TABS, session="mine"))

    assert in_force(here) == {TABS}
    assert [(each.outcome, len(each.supersedes)) for each in done.learned] == [(StatementOutcome.ADDED, 1)]
    learn(here, talk(TABS, session="mine too"))
    assert len(kept(here)) == 2


def test_what_a_person_confirms_replaces_what_held_until_then(here: Workspace) -> None:
    """The proposal says what the person then says; another rule is in force."""
    learn(here, talk(SPACES))
    learn(here, talk(TABS, session="agent's"), actor=AGENT)

    learn(here, talk(TABS, session="mine"))

    assert in_force(here) == {TABS}


def test_a_proposal_that_was_confirmed_is_replaced_once(here: Workspace) -> None:
    learn(here, talk(TABS), actor=AGENT)
    learn(here, talk(TABS, session="mine"))
    done = learn(here, talk(SPACES, session="later"))
    assert [len(each.supersedes) for each in done.learned] == [1]


def test_an_agent_that_says_what_holds_proposes_nothing(here: Workspace) -> None:
    learn(here, talk(TABS))
    done = learn(here, talk(TABS, session="agent's"), actor=AGENT)
    assert [each.outcome for each in done.learned] == [StatementOutcome.SAME]


def test_of_several_proposals_the_last_replaces_all(here: Workspace) -> None:
    learn(here, talk(TABS, SPACES, TABS), actor=AGENT)
    assert len(kept(here)) == 3
    *_, last = sorted(kept(here), key=lambda each: each.item.source.turn or "")
    assert {link.to for link in last.item.links} == {each.item.id for each in kept(here)} - {last.item.id}


def test_a_preference_is_asked_for_and_proposed_on_a_no(here: Workspace) -> None:
    asked: list[str] = []

    def no(steering: object) -> bool:
        asked.extend(each.title for each in steering)  # type: ignore[attr-defined]
        return False

    learn(here, talk(TABS, WISH), confirm=no)

    assert asked == [WISH.rstrip(".")]
    assert {each.item.type: str(each.item.status) for each in kept(here)} == {
        "convention": "active",
        "preference": "pending",
    }


def test_what_was_put_into_a_conversation_by_vfcc_is_not_learned_again(here: Workspace) -> None:
    from verifflowcc.base.model.entries import Question
    from verifflowcc.prompt.use.prompt_use import compile_context

    add(here, "convention", "Start function names with 'a_'.", title="Names of functions")
    (here.memory / "project/conventions/spaces.md").write_text(f"# Spaces\n\n{SPACES}\n", encoding="utf-8")
    prompt = compile_context(here, Question("coder")).text
    assert SPACES in prompt
    with open_store(here, "project") as store:
        store.clear()

    learn(
        here, talk(prompt, turn(7, prompt, speaker=Speaker.AGENT), turn(8, SPACES, speaker=Speaker.TOOL, tool="vfcc"))
    )

    assert kept(here) == []
    learn(here, talk(f"{BEGIN}\n{SPACES}\n{END}", session="of a hook"))
    assert kept(here) == []
