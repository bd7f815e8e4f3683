"""What a purge takes away, what it leaves, and what it tells."""

from pathlib import Path

import pytest

from tests.ingested_world import AGENT, in_force, kept, learn, talk, texts, turn, unlearn
from tests.life_world import cache, keep_up, project, put
from tests.remembered_world import add, find, world
from verifflowcc.base.errors import NotAllowed, UsageError
from verifflowcc.base.model.item_values import Relation
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.editing import link_items

FIRST = "From now on, always start function names with 'a_'."
SECOND = "Please start function names with 'b_' instead."
THIRD = "Actually, start function names with 'c_' from now on."


@pytest.fixture(params=["files", "sqlite"])
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workspace:
    monkeypatch.setenv("VFCC_PROJECT", "one")
    return world(tmp_path, request.param, monkeypatch, request).project("one")


@pytest.mark.vfcc("REQ-PURGE")
def test_what_replaced_what_is_gone_replaces_what_that_had_replaced(here: Workspace) -> None:
    for number, said in enumerate((FIRST, SECOND, THIRD), 1):
        learn(here, talk(turn(number, said, session=f"s{number}"), origin=f"{number}.md@{number}"))

    done = unlearn(here, "2.md")

    assert in_force(here) == {THIRD}
    assert {each.body.strip() for each in kept(here)} == {FIRST, THIRD}
    assert (len(done.removed), done.in_force_again, done.linked_by) == (1, (), ())
    unlearn(here, "s3")
    assert in_force(here) == {FIRST}


@pytest.mark.vfcc("REQ-PURGE")
def test_what_stands_again_is_told_and_a_dry_run_changes_nothing(here: Workspace) -> None:
    learn(here, talk(FIRST))
    before = texts(here)
    learn(here, talk(SECOND, session="later"))
    learned = texts(here)

    told = unlearn(here, "later", dry_run=True, actor=AGENT)
    assert texts(here) == learned
    done = unlearn(here, "later")

    assert texts(here) == before
    assert [each.id for each in told.in_force_again] == [each.id for each in done.in_force_again] == list(before)


@pytest.mark.vfcc("REQ-PURGE")
def test_who_said_the_same_is_told_to_be_read_again(here: Workspace) -> None:
    learn(here, talk(FIRST))
    other = talk(FIRST, session="other")
    learn(here, other)

    done = unlearn(here, "s")

    assert (done.other_sessions, in_force(here)) == (("other",), set())
    learn(here, other)
    assert in_force(here) == {FIRST}


@pytest.mark.vfcc("REQ-PURGE")
def test_a_turn_that_repeated_what_is_gone_is_read_again_though_an_item_of_it_stays(here: Workspace) -> None:
    learn(here, talk(FIRST))
    both = talk(f"{FIRST} The client is Acme Corp.", session="both")
    learn(here, both)
    stays = {name: text for name, text in texts(here).items() if "Acme" in text}
    assert len(stays) == 1

    assert unlearn(here, "s").other_sessions == ("both",)
    assert texts(here) == stays
    done = learn(here, both)

    assert [(each.outcome, each.type) for each in done.learned] == [("added", "convention"), ("same", "fact")]
    assert in_force(here) == {FIRST, "The client is Acme Corp."}
    assert learn(here, both).learned == ()


def test_items_of_the_person_and_the_project_go_at_once_and_what_is_read_again_is_there_again(here: Workspace) -> None:
    said = talk(FIRST, "I prefer bullet points over prose.", "Thanks!")
    learn(here, said)
    done = unlearn(here, "talk.md")

    assert {each.scope for each in done.removed} == {"user", "project"}
    assert kept(here) == []
    assert learn(here, said).counts["added"] == 2


def test_what_others_wrote_stays_and_its_links_are_told(here: Workspace) -> None:
    mine = add(here, "fact", "The build is slow").item.id
    learn(here, talk(FIRST))
    (gone,) = (each.item.id for each in kept(here) if each.item.id != mine)

    link_items(here, find(here, mine), Relation.DEPENDS_ON, find(here, gone), actor="human:You")

    assert unlearn(here, "s").linked_by == (mine,)
    assert [each.item.id for each in kept(here)] == [mine]


@pytest.mark.vfcc("REQ-PURGE")
def test_a_summary_of_what_goes_is_taken_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    here = project(tmp_path)
    sourced = [each.replace("actor: agent:coder", f"actor: agent:coder, session: s{place % 2}, origin: x@{place % 2}")
               for place, each in enumerate(cache())]  # fmt: skip
    put(here, *sourced)
    before = {name: text for name, text in texts(here).items() if "session: s1" in text}
    keep_up(here)
    assert len(texts(here)) == len(sourced) + 1, "a summary tells them"

    done = unlearn(here, "s0")

    assert texts(here) == before
    assert {each.id for each in done.restored} == before.keys()
    assert [each.type for each in done.removed].count("summary") == 1


def test_a_purge_takes_a_person_and_a_source_that_there_is(here: Workspace) -> None:
    learn(here, talk(FIRST))
    with pytest.raises(NotAllowed, match="purging a source needs a person at a terminal"):
        unlearn(here, "s", actor=AGENT)
    with pytest.raises(UsageError, match="nothing here came from nowhere"):
        unlearn(here, "nowhere")
    assert len(kept(here)) == 1


def test_a_source_that_gave_nothing_is_forgotten_as_read(here: Workspace) -> None:
    said = talk("Thanks!", session="thanks")
    learn(here, said)
    assert (unlearn(here, "thanks").turns, learn(here, said).known) == (2, 0)
