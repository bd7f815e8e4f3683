"""Named speakers, languages that are not read, corrections and triggers, from the conversation to what is kept."""

from pathlib import Path

import pytest

from tests.ingested_world import in_force, kept, learn, talk, turn, unlearn
from tests.prompt_world import ask, item, keys, person, skipped
from tests.remembered_world import world
from tests.trees import write_memory
from verifflowcc.base.model.entries import Fate as PromptFate
from verifflowcc.base.model.item_values import Relation, Status, Trust
from verifflowcc.base.model.layers import Layer
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.inbox import open_inbox
from verifflowcc.memory.use.remembering import StatementOutcome

CI_RUNS, CI_MOVED = "Our CI runs on Jenkins.", "We moved from Jenkins to GitHub Actions."


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workspace:
    monkeypatch.setenv("VFCC_PROJECT", "one")
    return world(tmp_path, "files", monkeypatch, request).project("one")


def test_a_named_speaker_teaches_as_much_as_the_user_and_waits_until_named(here: Workspace) -> None:
    said = ("Sessions are kept in Redis.", "Log in JSON.", "Never commit directly to main.")

    done = learn(here, talk(*said, name="Anna", session="anna"))

    assert [each.outcome for each in done.learned] == [StatementOutcome.PROPOSED] * 3
    assert {each.why for each in done.learned} == {"memory.speakers does not name Anna"}
    assert [each.outcome for each in learn(here, talk(*said, session="own")).learned] == [StatementOutcome.ADDED] * 3


def test_a_named_speaker_has_the_trust_that_a_person_gave_them(here: Workspace) -> None:
    write_memory(
        here.root, {"config.yaml": "format: 1\nmemory: {speakers: {Anna: human, Ben: agent, Page: external}}\n"}
    )

    learn(here, talk(turn(1, "Log in JSON.", name="anna"), session="s"))
    learn(here, talk(turn(2, "Sessions are kept in Redis.", name="Ben", session="t")))
    learn(here, talk(turn(3, "The client is Contoso.", name="Page", session="u")))

    found = {each.body.strip(): (each.item.status, each.item.trust, each.item.source.speaker) for each in kept(here)}
    assert found == {
        "Log in JSON.": (Status.ACTIVE, Trust.HUMAN, "person:anna"),
        "Sessions are kept in Redis.": (Status.ACTIVE, Trust.AGENT, "person:Ben"),
        "The client is Contoso.": (Status.PENDING, Trust.EXTERNAL, "person:Page"),
    }


def test_turns_in_a_language_that_is_not_read_are_counted(here: Workspace) -> None:
    done = learn(here, talk("Wir verwenden Postgres als Datenbank.", "Usa sempre gli spazi.", "Log in JSON."))

    assert len(done.learned) == 1
    assert done.notes == ("2 turns are in a language that vfcc does not read (German 1, Italian 1)",)


def test_a_move_replaces_what_it_ends_and_purging_it_brings_that_back(here: Workspace) -> None:
    learn(here, talk(CI_RUNS, session="before"))

    (done,) = learn(here, talk(CI_MOVED, session="after", origin="after.md@0")).learned

    assert done.outcome is StatementOutcome.ADDED
    assert len(done.supersedes) == 1
    assert in_force(here) == {CI_MOVED}
    unlearn(here, "after.md")
    assert in_force(here) == {CI_RUNS}


def test_a_bare_correction_is_proposed_with_what_it_corrects(here: Workspace) -> None:
    done = learn(here, talk("The retry limit is three.", "Actually, it is five."))

    assert [each.outcome for each in done.learned] == [StatementOutcome.ADDED, StatementOutcome.PROPOSED]
    (waiting,) = open_inbox(here, ("project",)).waiting
    assert [(each.relation, each.title) for each in waiting.replaces] == [("supersedes", "The retry limit is three")]
    assert learn(here, talk("Actually, it is seven.", session="other")).learned[0].outcome is StatementOutcome.SAME


def test_two_statements_that_fit_are_not_replaced_unasked(here: Workspace) -> None:
    learn(here, talk("We use Redis for caching.", "Sessions are kept in Redis."))

    (done,) = learn(here, talk("We dropped Redis.", session="later")).learned

    assert done.outcome is StatementOutcome.PROPOSED
    assert len(done.supersedes) == 2
    assert len(in_force(here)) == 2


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The client is Northwind Traders.", "The client's codename is Lighthouse."),
        ("Use tabs for indentation in the frontend.", "Use spaces for indentation in the backend."),
        ("The deadline for the beta is 1 March.", "The deadline for the audit is 4 March."),
        ("Use tabs in Makefiles.", "Never use tabs in YAML."),
    ],
)
def test_what_is_only_near_is_not_replaced(here: Workspace, before: str, now: str) -> None:
    learn(here, talk(before, session="before"))

    learn(here, talk(now, session="now"))

    links = [link.relation for each in kept(here) for link in each.item.links]
    assert Relation.SUPERSEDES not in links
    assert before in in_force(here)


def test_an_instruction_with_a_trigger_enters_only_prompts_for_tasks_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = person(tmp_path, monkeypatch)
    item(home, "communication_style", "checklist", "Answer with a checklist.", details="{trigger: deployments}")
    root = write_memory(tmp_path / "project", {"config.yaml": "format: 1\n"})

    other, meant = ask(root, task="Rename the parser"), ask(root, task="Describe the deployment to staging")

    name = "items/communication_style/checklist.md"
    assert skipped(other)[name] == "holds only for a task on: deployments"
    assert name in keys(meant, Layer.USER, PromptFate.KEPT)
