"""What a summary tells holds: it is not written again, what is newer replaces it, and the summary is made anew."""

from pathlib import Path

import pytest

from tests.ingested_world import learn, state, talk
from tests.life_world import Days, bring_back, cache, found, items, keep_up, put, texts
from tests.remembered_world import add, world
from verifflowcc.base.model.item_values import Relation, Status, Trust
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.memory_checking import check_memory
from verifflowcc.memory.rules.consolidate import is_consolidation
from verifflowcc.memory.rules.superseded import excluded_items
from verifflowcc.memory.use.adding import AddOutcome
from verifflowcc.memory.use.consolidating import StepKind
from verifflowcc.memory.use.forgetting import forget_item
from verifflowcc.memory.use.item_search import find_item
from verifflowcc.memory.use.memory_listing import ListQuery, list_items

CLIENT = (
    "The client is Acme Corp.",
    "The client Acme Corp is in Paris.",
    "The client Acme Corp is big.",
    "The client Acme Corp is old.",
    "The client Acme Corp is loud.",
)
"""The first is what a turn says, as it is extracted; the others are like it."""


@pytest.fixture(params=["files", "sqlite"])
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Workspace:
    monkeypatch.setenv("VFCC_PROJECT", "one")
    made = world(tmp_path, request.param, monkeypatch, request).project("one")
    return Workspace(made.root, Days("2026-12-01"))


def summed_up(here: Workspace) -> tuple[str, str]:
    """Learn who the client is, sum it up with four like it, and return the ids of that item and of the summary."""
    learn(here, talk(CLIENT[0], at="2026-11-02"))
    (said,) = items(here).values()
    assert said.body.strip() == CLIENT[0], said.text
    for place, text in enumerate(CLIENT[1:]):
        put(here, found(f"a{place}", text.rstrip("."), said.item.type))
    (step,) = keep_up(here)
    assert step.kind is StepKind.CONSOLIDATED, step
    return said.item.id, step.item


def summaries(here: Workspace) -> list[str]:
    return [item_id for item_id, each in items(here).items() if is_consolidation(each.item)]


def told(here: Workspace) -> list[str]:
    """What list and check say of summaries that are not true any more."""
    codes = [each.code for each in check_memory(here).report.findings]
    notices = list(list_items(here, ("project",), ListQuery()).notices)
    assert len(notices) == codes.count("stale-summary")
    return notices


def left_out(here: Workspace) -> set[str]:
    every = [each.item for each in items(here).values()]
    found = excluded_items(every)
    return {item.id for item in every if item.path in found.left_out}


@pytest.mark.vfcc("REQ-CONSOLIDATE", "REQ-WRITE-UPSERT")
def test_what_a_summary_tells_is_not_written_again(here: Workspace) -> None:
    summed_up(here)
    before = texts(here)

    done = learn(here, talk("The client is Acme Corp!", session="later", at="2026-11-30"))

    assert [(str(each.outcome), each.others) for each in done.learned] == [("same", done.learned[0].others)]
    assert done.learned[0].others
    assert texts(here) == before
    assert told(here) == []


@pytest.mark.vfcc("REQ-CONSOLIDATE", "REQ-WRITE-CONTRADICTION")
def test_what_says_something_else_takes_its_place_and_the_summary_is_made_anew(here: Workspace) -> None:
    said, summary = summed_up(here)

    done = learn(here, talk("The client is Beta Ltd now.", session="later", at="2026-11-30"))

    (new,) = done.learned
    assert new.supersedes == (said,)
    assert told(here) == [f"{summary} summarises {said}, which {new.id} replaced; rebuild it: vfcc memory maintain"]
    assert "Acme Corp." in texts(here)[summary]

    would = keep_up(here, dry=True)
    steps = keep_up(here)

    assert steps == would
    assert [step.kind for step in steps] == [StepKind.RESTORED, StepKind.CONSOLIDATED]
    assert steps[0].why == f"{said}, which it summarises, was replaced by {new.id}"
    (again,) = summaries(here)
    body = items(here)[again].body
    assert again != summary
    assert (CLIENT[0].rstrip(".") + "\n" not in body and CLIENT[0] not in body, "in Paris" in body) == (True, True)
    assert items(here)[said].item.status is Status.ACTIVE
    assert said in left_out(here)
    assert told(here) == []
    assert keep_up(here) == ()


@pytest.mark.vfcc("REQ-WRITE-CONTRADICTION")
def test_a_proposal_leaves_a_summary_as_it_is(here: Workspace) -> None:
    said, summary = summed_up(here)
    done = learn(here, talk("The client is Beta Ltd now.", session="later", at="2026-11-30"), actor="agent:coder")

    assert [(str(each.outcome), each.supersedes) for each in done.learned] == [("proposed", (said,))]
    assert told(here) == []
    assert keep_up(here) == ()
    assert summaries(here) == [summary]


def keyed(here: Workspace) -> str:
    put(here, *(each.replace("type: fact", f"type: fact\nkey: cache.{place}") for place, each in enumerate(cache())))
    (step,) = keep_up(here)
    return step.item


@pytest.mark.parametrize("actor", ["human:You", "agent:coder"])
def test_adding_what_a_summary_tells_changes_nothing(here: Workspace, actor: str) -> None:
    summary = keyed(here)
    before = texts(here)

    for dry_run in (True, False):
        done = add(here, "fact", "the parser cache is cold at start", key="cache.0", actor=actor, dry_run=dry_run)
        assert (done.outcome, done.item.id, done.notes) == (
            AddOutcome.UNCHANGED,
            "c1",
            (f"{summary} already contains it",),
        )

    assert texts(here) == before


def test_adding_something_else_under_the_key_of_what_is_told_takes_its_place(here: Workspace) -> None:
    summary = keyed(here)

    proposed = add(here, "fact", "The parser cache is never cold.", key="cache.0", actor="agent:coder")
    assert [(link.to, link.relation) for link in proposed.item.links] == [("c1", Relation.SUPERSEDES)]
    assert told(here) == []
    done = add(here, "fact", "The parser cache is warm.", key="cache.0")

    assert (done.outcome, done.item.trust) == (AddOutcome.ADDED, Trust.HUMAN)
    assert [(link.to, link.relation) for link in done.item.links] == [("c1", Relation.SUPERSEDES)]
    assert told(here) == [f"{summary} summarises c1, which {done.item.id} replaced; rebuild it: vfcc memory maintain"]
    again = add(here, "fact", "The parser cache is hot.", key="cache.0")
    assert (again.outcome, again.item.id) == (AddOutcome.UPDATED, done.item.id)
    assert [step.kind for step in keep_up(here)] == [StepKind.RESTORED]
    assert told(here) == []
    assert "c1" in left_out(here)


def test_what_no_summary_tells_any_more_is_written_anew(here: Workspace) -> None:
    summary = keyed(here)
    forget_item(here, find_item(here, summary, ("project",)), actor="human:You")

    done = add(here, "fact", "The parser cache is cold at start.", key="cache.0")

    assert (done.outcome, done.item.links) == (AddOutcome.ADDED, ())


def test_what_contradicts_something_that_a_summary_tells_undoes_it(here: Workspace) -> None:
    put(here, *cache())
    before = texts(here)
    (step,) = keep_up(here)
    put(here, found("no", "Nothing of that", more="links: [{to: c2, relation: contradicts}]\n"))

    (undone,) = keep_up(here)

    assert (undone.item, undone.why) == (step.item, "c2, which it summarises, is contradicted by no")
    assert {name: text for name, text in texts(here).items() if name != "no"} == before


@pytest.mark.vfcc("REQ-SETTING-CONSOLIDATION")
def test_where_consolidation_is_off_a_summary_that_is_not_true_is_undone_and_none_made(here: Workspace) -> None:
    put(here, *cache(), found("c5", "The parser cache is cold at start, always"))
    keep_up(here)
    put(here, found("new", "Nothing of that", more="links: [{to: c2, relation: supersedes}]\n"))
    settings = here.root / ".memory/config.yaml"
    said = settings.read_text().replace("memory: {", "memory: {consolidation: {enabled: false}, ")
    settings.write_text(said)

    assert [step.kind for step in keep_up(here)] == [StepKind.RESTORED]
    assert summaries(here) == []


def test_the_state_after_an_update_is_the_same_with_a_summary_between_and_without(here: Workspace) -> None:
    first, update = talk(CLIENT[0], at="2026-11-02"), talk("The client is Beta Ltd now.", session="l", at="2026-11-30")
    _, summary = summed_up(here)
    learn(here, update)
    keep_up(here)
    for name in summaries(here):
        bring_back(here, name)
    with_summary = state(here)
    for item_id in [name for name in items(here) if not name.startswith("a")]:
        forget_item(here, find_item(here, item_id, ("project",)), actor="human:You")
    assert summary not in items(here)

    learn(here, first, update, again=True)

    assert state(here) == with_summary
