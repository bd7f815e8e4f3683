"""Memory follows the V: what ends with a stage ends, its items are consolidated, a check that turns proves its fix."""

import json
from pathlib import Path

import pytest

from tests import evidence_project
from tests.ledger_samples import ANN, advance, fill
from tests.life_world import CACHE, cache, found, items, keep_up, put, texts
from tests.trees import write_tree
from verifflowcc.base.errors import BackendError
from verifflowcc.base.model.item_values import Status
from verifflowcc.base.use.stage_words import find_stage
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.gate_exceptions import skip_stage, what_to_skip
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.memory.rules.consolidate import is_consolidation
from verifflowcc.memory.use import stage_end as stage_ending
from verifflowcc.memory.use.consolidating import StepKind
from verifflowcc.memory.use.item_search import find_item
from verifflowcc.memory.use.moving import promote_item
from verifflowcc.memory.use.task_filling import Note, note_in_task, start_task
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.use.people_acting import Transition
from verifflowcc.sprint.use.sprint_reading import show_sprint

ID, YOU = "log-in", "human:You"
STAGES = """\
name: own
title: Three stages
gates: hard
stages:
  - {id: plan, title: Plan, leg: left, pair: check, role: planner, artifacts: ["plan.*"]}
  - {id: build, title: Build, leg: apex, role: coder, artifacts: ["changes.*"]}
  - {id: check, title: Check, leg: right, pair: plan, role: tester, artifacts: ["results.*"]}
"""
BROKEN = '<testcase classname="tests.suite" name="test_sub"><failure message="2 is not 1"/></testcase>'
FIX = """\
---
id: {id}
type: fix
title: "{id}"
confidence: {sure}
{more}source: {{kind: extracted, actor: agent:coder}}
created: {created}
---

{id}.
"""


def started(folder: Path, memory: str = "") -> Workspace:
    """A project with a sprint of three stages."""
    tree = {
        ".memory/config.yaml": f"format: 1\nworkflow: own\n{memory}",
        ".memory/workflow.yaml": STAGES,
        ".memory/.gitignore": "local/\nprogress.json\n",
    }
    write_tree(folder, tree)
    here = Workspace(folder, evidence_project.Ticking())
    start_sprint(here, "Log in", workflow="own", actor=YOU)
    return here


def noted(here: Workspace, text: str, kind: str = "task_state") -> str:
    return note_in_task(here, Note(text, kind), actor=YOU).item.id


@pytest.mark.vfcc("REQ-STAGE-LIFECYCLE")
def test_leaving_a_stage_ends_what_it_was_in_the_middle_of(tmp_path: Path) -> None:
    here = started(tmp_path)
    task = start_task(here, "Write the plan", actor=YOU)
    state, thought = noted(here, "Half of it is written"), noted(here, "The clock is wrong", "reasoning")
    put(
        here,
        "---\nid: now\ntype: task_state\nsource: {kind: extracted, actor: agent:coder}\n---\nIn the plan.\n",
        "---\nid: seen\ntype: insight\nsource: {kind: extracted, actor: agent:coder}\n---\nPlans are long.\n",
        scope=f"stage/{ID}/plan",
    )

    done = advance(here, ID)

    ended = items(here, f"task/{task.id}")
    assert {name: each.item.status for name, each in ended.items()} == {
        state: Status.ARCHIVED,
        thought: Status.ARCHIVED,
    }
    there = items(here, f"stage/{ID}/plan")
    assert (there["now"].item.status, there["seen"].item.status) == (Status.ARCHIVED, Status.ACTIVE)
    first = min(state, thought)
    ids = ", ".join(sorted((state, thought)))
    assert done.after == "build"
    assert done.warnings == ()
    scope = f"stage/{ID}/plan"
    keep = f"vfcc memory promote {first} --to project --scope task/{task.id}"
    assert done.notes == (
        f"still open: task {task.id}, begun in plan (Write the plan): vfcc task finish {task.id}",
        f"ended with the stage, in task/{task.id}: {ids}; to keep one: {keep}",
        f"ended with the stage, in {scope}: now; to keep one: vfcc memory promote now --to project --scope {scope}",
    )
    assert keep_up(here) == ()

    kept = find_item(here, thought, (f"task/{task.id}",))
    promote_item(here, kept, "project", actor=YOU, today="2026-11-21", confirm=lambda _: None)
    (promoted,) = items(here).values()
    assert (promoted.item.id, promoted.item.status) == (thought, Status.ACTIVE)
    assert "archived" not in promoted.text


def test_skipping_a_stage_ends_it_too_and_going_back_ends_nothing(tmp_path: Path) -> None:
    here = started(tmp_path)
    start_task(here, "Write the plan", actor=YOU)
    before = noted(here, "Half of it is written")
    fill(here, ID)
    skip_stage(here, what_to_skip(here, ID), "no need", actor=YOU)
    (task,) = [each for each in (here.memory / "local/tasks").iterdir() if each.is_dir()]
    scope = f"task/{task.name}"
    assert items(here, scope)[before].item.status is Status.ARCHIVED

    later = noted(here, "Now it is checked")
    done = reopen_stage(here, ID, "plan", "forgot it", actor=YOU)

    assert done.notes == () or all("ended" not in note for note in done.notes)
    assert items(here, scope)[later].item.status is Status.ACTIVE


@pytest.mark.vfcc("REQ-STAGE-LIFECYCLE")
def test_a_stages_items_are_consolidated_as_it_is_left(tmp_path: Path) -> None:
    here = started(tmp_path)
    put(here, *cache("insight"), scope=f"stage/{ID}/plan")

    done = advance(here, ID)

    there = items(here, f"stage/{ID}/plan")
    (summary,) = [name for name, each in there.items() if is_consolidation(each.item)]
    assert done.notes == (f"consolidated: {summary}: 4 items on cache, cold, parser say much the same: c1, c2, c3, c4",)
    assert all(text in there[summary].text for text in CACHE[1:])

    kept = find_item(here, summary, (f"stage/{ID}/plan",))
    promote_item(here, kept, "project", actor=YOU, today="2026-11-21", confirm=lambda _: None)
    assert keep_up(here) == (), "promoted, it stands for itself"
    assert set(items(here)) == {summary}


@pytest.mark.parametrize("memory", ["memory: {enabled: false}\n", "memory: {consolidation: {enabled: false}}\n"])
def test_what_is_switched_off_is_not_done_at_a_stages_end(tmp_path: Path, memory: str) -> None:
    here = started(tmp_path, memory)
    put(here, *cache("insight"), scope=f"stage/{ID}/plan")
    before = texts(here, f"stage/{ID}/plan")

    assert advance(here, ID).notes == ()
    assert texts(here, f"stage/{ID}/plan").items() >= before.items()


def test_memory_never_holds_a_stage_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = started(tmp_path)
    put(here, *cache("insight"), scope=f"stage/{ID}/plan")

    def full(*_: object) -> None:
        raise BackendError("the disk is full")

    monkeypatch.setattr(stage_ending, "consolidate", full)

    done = advance(here, ID)

    assert (done.before, done.after) == ("plan", "build")
    assert done.warnings == (
        "the stage's items are not looked after: the disk is full; vfcc memory maintain does it later",
    )
    monkeypatch.undo()
    assert [step.kind for step in keep_up(here)] == [StepKind.CONSOLIDATED]


def test_what_an_interrupted_end_of_a_stage_left_is_ended_by_maintenance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = started(tmp_path)
    task = start_task(here, "Write the plan", actor=YOU)
    state = noted(here, "Half of it is written")
    monkeypatch.setattr("verifflowcc.memory.use.stage_end.with_memory_ended", _nothing)
    advance(here, ID)
    later = noted(here, "Now it is checked")

    (step,) = keep_up(here)

    assert (step.kind, step.scope, step.item) == (StepKind.STAGE, f"task/{task.id}", state)
    assert step.why == "a task_state ends with its stage, and plan of log-in is over"
    assert items(here, f"task/{task.id}")[later].item.status is Status.ACTIVE
    assert keep_up(here) == ()


def _nothing(_: Workspace, done: Transition) -> Transition:
    return done


def fix(name: str, *, sure: str = "0.6", more: str = "", created: str = "2026-11-21") -> str:
    return FIX.format(id=name, sure=sure, more=more, created=created)


def turned(tmp_path: Path) -> Workspace:
    """A sprint whose tests have failed and then passed."""
    cases = evidence_project.ADD + BROKEN
    here = evidence_project.project(tmp_path, {"tests/cases.xml": cases, "tests/exit": "1"})
    evidence_project.run(here, "tests", stage="check")
    (here.root / "tests/cases.xml").write_text(evidence_project.ADD)
    (here.root / "tests/exit").write_text("0")
    evidence_project.run(here, "tests", stage="check")
    verdicts = [each.evidence.measures for each in evidence_project.recorded(here) if each.evidence]
    assert len(verdicts) == 2
    return here


@pytest.mark.vfcc("REQ-STAGE-LIFECYCLE")
def test_a_check_that_turned_from_fail_to_pass_makes_the_fix_surer_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    here = turned(tmp_path / "project")
    put(
        here,
        fix("by-check", more="details: {check: tests, kind: off-by-one}\n"),
        fix("by-command", sure="0.92", more="details: {check: test}\n"),
        fix("by-file", more="refs: [{path: tests.suite, symbol: test_sub}]\n"),
        fix("by-link", more="links: [{to: tests, relation: resolved_by}]\n"),
        fix("before", more="details: {check: tests}\n", created="2026-11-20"),
        fix("other", more="details: {check: built}\n"),
        fix("waits", more="status: pending\ndetails: {check: tests}\n"),
        fix("sure", sure="0.97", more="details: {check: tests}\n"),
    )
    before = texts(here)

    would = keep_up(here, dry=True)
    steps = keep_up(here)

    assert steps == would
    passed = evidence_project.recorded(here)[-1].evidence
    assert passed is not None
    after = items(here)
    assert {step.item: step.why for step in steps if step.kind is StepKind.RAISED} == {
        "by-check": "confidence 0.6 → 0.7: tests (failed 2026-11-21, passed 2026-11-21)",
        "by-command": "confidence 0.92 → 0.95: tests (failed 2026-11-21, passed 2026-11-21)",
        "by-file": "confidence 0.6 → 0.7: tests (failed 2026-11-21, passed 2026-11-21)",
        "by-link": "confidence 0.6 → 0.7: tests (failed 2026-11-21, passed 2026-11-21)",
    }
    assert after["by-check"].text == before["by-check"].replace("confidence: 0.6", "confidence: 0.7").replace(
        "kind: off-by-one}", f"kind: off-by-one, proven_by: {passed.id}}}"
    )
    assert {name for name in before if after[name].text == before[name]} == {"before", "other", "waits", "sure"}
    assert keep_up(here) == ()


def test_a_check_that_only_passed_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    here = evidence_project.project(tmp_path / "project")
    evidence_project.run(here, "tests", stage="check")
    put(here, fix("a", more="details: {check: tests}\n"))

    assert keep_up(here) == ()


def test_a_stages_end_makes_its_fixes_surer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    here = turned(tmp_path / "project")
    put(here, fix("a", more="details: {check: tests}\n"), scope=f"sprint/{ID}")
    fill(here, ID)

    done = advance_stage(here, ID, actor=ANN)

    assert done.notes == ("proven: a: confidence 0.6 → 0.7: tests (failed 2026-11-21, passed 2026-11-21)",)
    assert find_stage(done.state, "plan").passes == 1


@pytest.mark.vfcc("REQ-STAGE-LIFECYCLE")
def test_the_end_of_a_sprint_offers_what_it_learned_and_writes_none_of_it(tmp_path: Path) -> None:
    here = started(tmp_path)
    put(here, found("s1", "It broke at noon", "failure"), found("s2", "Just a fact"), scope=f"sprint/{ID}")
    put(here, found("p1", "Noon is twelve", "insight"), scope=f"stage/{ID}/plan")
    put(
        here,
        found("old", "From before", "fix", created="2026-01-01"),
        found("new", "From now", "fix", created="2026-11-21"),
        found("ask", "May it be", "convention", created="2026-11-21", more="status: pending\n"),
    )
    for _ in range(3):
        advance(here, ID)
    before = {scope: texts(here, scope) for scope in ("project", f"sprint/{ID}", f"stage/{ID}/plan")}
    assert set(before["project"]) == {"old", "new", "ask"}

    done = close_sprint(here, ID, actor=YOU)

    assert [(each.id, each.scope, each.why, each.command) for each in done.learnings] == [
        (
            "s1",
            "sprint/log-in",
            "a failure of sprint/log-in",
            "vfcc memory promote s1 --to project --scope sprint/log-in",
        ),
        (
            *("p1", "stage/log-in/plan", "an insight of stage/log-in/plan"),
            "vfcc memory promote p1 --to project --scope stage/log-in/plan",
        ),
        ("ask", "project", "a convention that was proposed during the sprint", "vfcc memory promote ask"),
        (
            *("new", "project", "a fix made during the sprint"),
            "vfcc memory show new >> .memory/sprint/log-in/retrospective.md",
        ),
    ]
    assert {scope: texts(here, scope) for scope in before} == before
    assert not (here.memory / "sprint/log-in/retrospective.md").exists()
    assert str(show_sprint(here, ID).status) == "closed"
    assert json.dumps(done.learnings[0].title)
