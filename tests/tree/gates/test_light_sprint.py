"""A sprint under `light`: start, evidence run, advance five times, close; what is missing goes on record."""

from pathlib import Path

import pytest

from tests import evidence_project as world
from tests.ledger_samples import advance
from tests.trees import git, write_memory
from verifflowcc.base.errors import GateClosed
from verifflowcc.base.formats.event_bytes import events_digest
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.model.sprint_state import SprintStatus
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.evidence_making import run_evidence
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.rules import stage_moves as payloads
from verifflowcc.sprint.use.people_acting import record
from verifflowcc.sprint.use.sprint_reading import list_sprints, load_movable

pytestmark = pytest.mark.vfcc("REQ-GATES")

YOU = world.YOU
ID = "rename-a-field"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A project in git with a suite of one test that passes, allowed here, and a light sprint just started."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    made = world.project(tmp_path / "project")
    close_sprint(made, world.SPRINT, actor=YOU, unfinished_reason="another one is what the test is about")
    git(made.root, "init", "--quiet", "--initial-branch", "main")
    git(made.root, "add", "--all")
    git(made.root, "commit", "--quiet", "--message", "a project")
    start_sprint(made, "Rename a field", workflow="light", actor=YOU)
    return made


def measure(here: Workspace) -> bool:
    return run_evidence(here, ID, (), actor=YOU, progress=lambda _: None).all_met


@pytest.mark.sweep
def test_where_all_is_well_five_advances_and_one_run_are_enough_and_nothing_is_told(here: Workspace) -> None:
    told: list[str] = []
    for stage in ("planning", "design", "coding", "testing", "validation"):
        if stage == "coding":
            write(here, "src/calc.py", "def add(one, other): return one + other\n")
        if stage == "testing":
            assert measure(here)
        done = advance(here, ID, YOU)
        told += [*done.notes, *done.warnings]
        assert done.before == stage
    closed = close_sprint(here, ID, actor=YOU)

    assert (told, closed.notes, closed.warnings) == ([], (), ())
    assert closed.state.status is SprintStatus.CLOSED
    assert closed.state.counts == {"evidence_added": 2, "sprint_closed": 1, "sprint_started": 1, "stage_passed": 5}


@pytest.mark.sweep
def test_with_nothing_written_it_goes_to_its_end_and_all_of_that_is_on_record(here: Workspace) -> None:
    told: list[str] = []
    for stage in ("planning", "design", "coding", "testing", "validation"):
        if stage == "testing":
            assert measure(here)
        done = advance_stage(here, ID, actor=YOU)
        told += done.notes
    owed = {
        "planning": ["plan"],
        "design": ["design"],
        "coding": ["changes", "changed"],
        "testing": ["results"],
        "validation": ["acceptance"],
    }

    folder = f".memory/stage/{ID}"
    assert [one for one in told if "changed:" not in one] == [
        f"on record: {names[0]}: nothing matches {folder}/{stage}/artifacts/{names[0]}.*"
        for stage, names in owed.items()
    ]
    assert [one for one in told if "changed: no file outside .memory/ changed since" in one]
    for each in done.state.stages:
        unmet = [one.criterion for one in each.outcomes if one.verdict is not Verdict.PASS]
        assert unmet == owed[each.stage.id]
        assert each.gaps == len(unmet)
    assert close_sprint(here, ID, actor=YOU).state.gaps == 6
    assert [(one.id, one.gaps) for one in list_sprints(here)] == [("log-in", 0), (ID, 6)]


@pytest.mark.sweep
def test_no_sprint_leaves_testing_without_tests_that_pass(here: Workspace) -> None:
    for _ in range(3):
        advance(here, ID, YOU)

    with pytest.raises(GateClosed, match="1 of 4 criteria is not met\n- tests: there is no evidence yet") as none:
        advance(here, ID, YOU)
    write(here, "tests/cases.xml", world.ADD + world.SUB_FAILED)
    assert not measure(here)
    with pytest.raises(GateClosed, match="tests: 1 of 2 tests failed"):
        advance(here, ID, YOU)
    write(here, "tests/cases.xml", "")
    assert not measure(here)
    with pytest.raises(GateClosed, match="tests: no test"):
        advance(here, ID, YOU)
    write(here, "tests/cases.xml", world.ADD)
    with pytest.raises(GateClosed, match=r"tests: .*changed"):
        advance(here, ID, YOU)
    assert measure(here)
    assert advance(here, ID, YOU).after == "validation"
    assert none.value.hint == "vfcc evidence run tests  # then: vfcc stage advance"


@pytest.mark.sweep
def test_code_that_changes_after_its_tests_passed_closes_every_later_gate(here: Workspace) -> None:
    for stage in ("planning", "design", "coding", "testing"):
        if stage == "testing":
            assert measure(here)
        advance(here, ID, YOU)
    write(here, "src/calc.py", "def add(a, b): return a - b\n")

    with pytest.raises(GateClosed, match=r"upstream: testing/tests: .*src/calc\.py") as closed:
        advance(here, ID, YOU)
    assert closed.value.hint == "vfcc evidence run tests --stage testing  # then: vfcc stage advance"


@pytest.mark.sweep
def test_a_sprint_whose_code_changed_after_its_last_stage_is_not_closed(here: Workspace) -> None:
    for stage in ("planning", "design", "coding", "testing", "validation"):
        if stage == "testing":
            assert measure(here)
        advance(here, ID, YOU)
    write(here, "src/calc.py", "def add(a, b): return a - b\n")

    with pytest.raises(GateClosed, match=r"cannot be closed: testing/tests: .*src/calc\.py") as closed:
        close_sprint(here, ID, actor=YOU)
    assert closed.value.hint == f"vfcc evidence run tests --stage testing  # then: vfcc sprint close {ID}"
    assert run_evidence(here, ID, ("tests",), stage="testing", actor=YOU, progress=lambda _: None).all_met
    assert close_sprint(here, ID, actor=YOU).state.status is SprintStatus.CLOSED


@pytest.mark.sweep
def test_a_project_without_a_test_command_is_told_how_to_name_one(here: Workspace) -> None:
    for _ in range(3):
        advance(here, ID, YOU)
    write_memory(here.root, {"config.yaml": "format: 1\n"})

    (blocker,) = ask_stage(here, ID).exit.blockers
    assert blocker.criterion.id == "tests"
    assert blocker.reason == "gates.commands.test is not in .memory/config.yaml"
    assert blocker.step == "vfcc allow  # says what to write there"


def write(here: Workspace, name: str, text: str) -> None:
    (here.root / name).write_text(text)


@pytest.mark.sweep
def test_a_sprint_that_was_closed_before_gaps_were_counted_shows_its_gaps(here: Workspace) -> None:
    for stage in ("planning", "design", "coding", "testing", "validation"):
        if stage == "testing":
            assert measure(here)
        advance_stage(here, ID, actor=YOU)
    seen, state = load_movable(here, ID)
    ledger: dict[str, Json] = {"events": len(seen.events), "digest": events_digest(one.id for one in seen.events)}
    payload = {key: value for key, value in payloads.closed(state, None, None, ledger).items() if key != "gaps"}
    record(here, seen, state, (EventType.SPRINT_CLOSED, payload), actor=YOU)

    assert [(one.id, one.status, one.gaps) for one in list_sprints(here)][1] == (ID, SprintStatus.CLOSED, 6)
