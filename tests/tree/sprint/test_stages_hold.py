"""What a passed stage stood on is asked again at every later gate; and where failures lead back to."""

from pathlib import Path

import pytest

from tests import evidence_project as world
from tests.trees import write_tree
from verifflowcc.base.errors import GateClosed
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.gates_now import StageGates, ask_stage
from verifflowcc.gates.use.next_action import next_step
from verifflowcc.gates.use.owed import way_on
from verifflowcc.gates.use.sprints import close_sprint
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage

YOU, ID = world.YOU, world.SPRINT
WORKFLOW = (
    world.UP_TO_BUILD
    + """\
  - id: check
    title: Check
    leg: right
    pair: plan
    role: tester
    artifacts: ["results.*"]
    route: {after: 2, to: plan}
    exit:
      - {id: tests, kind: junit, title: the tests pass, command: test, inputs: ["tests/**"]}
"""
)
FILES = {".memory/workflow.yaml": WORKFLOW}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return world.project(tmp_path / "project", FILES)


def write(here: Workspace, stage: str, name: str, text: str = "It says something.\n") -> None:
    write_tree(here.root, {f".memory/stage/{ID}/{stage}/artifacts/{name}": text})


def to_check(here: Workspace) -> None:
    """Bring the sprint into its last stage."""
    write(here, "plan", "plan.md")
    advance_stage(here, ID, actor=YOU)
    write(here, "build", "changes.md")
    world.run(here)
    advance_stage(here, ID, actor=YOU)


def to_end(here: Workspace) -> None:
    to_check(here)
    write(here, "check", "results.md")
    world.run(here)
    advance_stage(here, ID, actor=YOU)


def upstream(here: Workspace) -> tuple[Verdict, str, str]:
    asked = ask_stage(here, ID)
    found = next(one for one in asked.exit.assessments if one.criterion.id == "upstream")
    return found.verdict, found.reason, found.step


def test_earlier_stages_hold_while_nothing_changes(here: Workspace) -> None:
    to_check(here)

    assert upstream(here)[:2] == (Verdict.PASS, "plan, build")


@pytest.mark.vfcc("REQ-GATES")
def test_an_artifact_that_changed_after_its_stage_passed_closes_the_later_gate(here: Workspace) -> None:
    to_check(here)
    write(here, "plan", "plan.md", "Another plan.\n")
    verdict, reason, step = upstream(here)

    assert verdict is Verdict.FAIL
    assert reason == f".memory/stage/{ID}/plan/artifacts/plan.md changed after plan passed"
    assert step == 'vfcc stage reopen plan --reason "changed"'


def test_an_artifact_that_is_gone_closes_it_too(here: Workspace) -> None:
    to_check(here)
    (here.memory / f"stage/{ID}/plan/artifacts/plan.md").unlink()

    assert "plan.md is gone after plan passed" in upstream(here)[1]


@pytest.mark.vfcc("REQ-GATES")
def test_code_that_changed_after_its_build_asks_for_the_build_again_and_for_nothing_else(here: Workspace) -> None:
    to_check(here)
    write_tree(here.root, {"src/calc.py": "def add(a, b): return b + a\n"})
    verdict, reason, step = upstream(here)
    assert (verdict, reason) == (Verdict.FAIL, "build/built: its evidence is stale: src/calc.py changed")
    assert step == "vfcc evidence run built --stage build"

    world.run(here, "built", stage="build")
    assert upstream(here)[0] is Verdict.PASS


@pytest.mark.vfcc("REQ-GOING-BACK")
def test_going_back_and_changing_nothing_lets_the_stages_stand(here: Workspace) -> None:
    to_check(here)
    back = reopen_stage(here, ID, "plan", "a second look", actor=YOU)
    assert any(note.startswith("stale: build") for note in back.notes)

    forth = advance_stage(here, ID, actor=YOU)
    assert forth.after == "check"
    assert "passed again: build, since what it used did not change" in forth.notes


def test_a_sprint_is_not_closed_on_stages_that_do_not_hold_any_more(here: Workspace) -> None:
    to_end(here)
    write_tree(here.root, {"tests/exit": "0\n"})
    with pytest.raises(GateClosed, match=r"log-in cannot be closed: .*check/tests: its evidence is stale: tests/exit"):
        close_sprint(here, ID, actor=YOU)

    world.run(here, every=True)
    assert close_sprint(here, ID, actor=YOU).state.status == "closed"


def test_a_sprint_that_ends_unfinished_is_closed_all_the_same(here: Workspace) -> None:
    to_check(here)
    write(here, "plan", "plan.md", "Another plan.\n")

    assert close_sprint(here, ID, actor=YOU, unfinished_reason="no need any more").state.unfinished


def failing(here: Workspace, times: int) -> StageGates:
    for number in range(times):
        write_tree(here.root, {"tests/cases.xml": world.SUB_FAILED, "tests/note.txt": str(number)})
        world.run(here, "tests", stage="check")
    return ask_stage(here, ID)


def test_a_stage_that_failed_as_often_as_its_route_says_is_sent_back(here: Workspace) -> None:
    to_check(here)
    once = failing(here, 1)
    assert (once.failures, once.route) == (1, None)

    twice = failing(here, 1)
    assert twice.failures == 2
    assert twice.route
    assert way_on(twice) == 'vfcc stage reopen plan --reason "check failed 2 times"'
    step = next_step(here, ID)
    assert (step.why, step.command) == ("check failed 2 times; its route goes back to plan", way_on(twice))


def test_a_gate_that_opened_is_not_sent_back(here: Workspace) -> None:
    to_check(here)
    failing(here, 2)
    write(here, "check", "results.md")
    write_tree(here.root, {"tests/cases.xml": world.ADD})
    world.run(here)

    asked = ask_stage(here, ID)
    assert asked.is_open
    assert way_on(asked) == "vfcc stage advance"


def test_going_back_starts_the_count_anew(here: Workspace) -> None:
    to_check(here)
    failing(here, 2)
    reopen_stage(here, ID, "plan", "as the route says", actor=YOU)
    write(here, "plan", "plan.md", "A better plan.\n")
    advance_stage(here, ID, actor=YOU)
    world.run(here)
    advance_stage(here, ID, actor=YOU)

    assert ask_stage(here, ID).failures == 0
