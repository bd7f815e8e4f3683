"""What a second run of recorded commands finds: evidence that was made up, typed in, or does not come out again."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evidence_project import (
    ADD,
    PYTHON,
    SPRINT,
    SUB_FAILED,
    TEST,
    YOU,
    allow,
    config,
    project,
    run,
)
from tests.rerun_world import GREEN, PLAN, advanced, forge, found, latest, like, plant, reds, verdict
from tests.trees import write_tree
from verifflowcc.base.errors import CommandsNotAllowed, ConflictError, LedgerError, WorkspaceError
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use import evidence_running
from verifflowcc.gates.use.evidence_making import add_evidence
from verifflowcc.gates.use.rerun import RerunResult, reproduce
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.rules import stage_moves as payloads
from verifflowcc.sprint.rules.evidence_files import encode_evidence
from verifflowcc.sprint.use.sprint_reading import current_or_last, show_sprint

pytestmark = pytest.mark.vfcc("REQ-RERUN")


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    return project(tmp_path / "project")


# What comes out again


def test_what_vfcc_ran_comes_out_again(here: Workspace) -> None:
    run(here, every=True)

    done = reproduce(here, SPRINT)

    assert done.sound
    assert found(done) == {
        "build/built": (RerunResult.REPRODUCED, "exit 0"),
        "check/frozen": (RerunResult.REPRODUCED, "1 file"),
        "check/skips": (RerunResult.REPRODUCED, "exit 0, passed 1, tests 1"),
        "check/tests": (RerunResult.REPRODUCED, "exit 0, passed 1, tests 1"),
    }


def test_an_honest_failure_comes_out_again_and_is_not_red(here: Workspace) -> None:
    write_tree(here.root, {"tests/cases.xml": ADD + SUB_FAILED, "tests/exit": "1"})
    run(here, "tests")

    assert found(reproduce(here, SPRINT)) == {
        "check/tests": (RerunResult.REPRODUCED, "exit 1, failed 1, passed 1, tests 2")
    }


def test_each_command_runs_once_for_all_that_it_shows(tmp_path: Path) -> None:
    counting = "import pathlib; p = pathlib.Path('.memory/local/count'); p.write_text(p.read_text() + 'x')\n"
    here = project(tmp_path / "project", {".memory/local/count": ""})
    suite = here.root / "tests/suite.py"
    suite.write_text(counting + suite.read_text(encoding="utf-8"), encoding="utf-8")
    run(here, "test")

    reproduce(here, SPRINT)

    assert (here.root / ".memory/local/count").read_text(encoding="utf-8") == "xx"


def test_nothing_goes_on_record(here: Workspace) -> None:
    run(here, every=True)
    before = tree(here.root)

    reproduce(here, SPRINT)

    assert tree(here.root) == before


def tree(root: Path) -> dict[str, bytes]:
    """All files but those of this machine alone."""
    paths = (path for path in sorted(root.rglob("*")) if path.is_file() and ".memory/local/" not in path.as_posix())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


# Made up


def test_evidence_made_up_whole_convinces_the_gate_and_not_a_second_run(here: Workspace) -> None:
    write_tree(here.root, {"tests/cases.xml": ADD + SUB_FAILED, "tests/exit": "1"})
    run(here, "tests")
    honest = latest(here, "tests")
    assert honest.run
    forge(here, honest, measures=GREEN, run=replace(honest.run, exit_code=0), examples=())

    assert verdict(here, "check", "tests") is Verdict.PASS, "it is well made"
    assert found(reproduce(here, SPRINT))["check/tests"] == (
        RerunResult.DIFFERS,
        "recorded exit 0, passed 9, tests 9; now exit 1, failed 1, passed 1, tests 2",
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"measures": GREEN},
        {"outcome": "sha256:" + "0" * 64},
        {"measures": {**GREEN, "tests": 1, "passed": 1, "skipped": 1}},
    ],
    ids=["numbers", "outcome", "one more skip"],
)
def test_a_single_field_made_up_is_red(here: Workspace, changes: dict[str, object]) -> None:
    run(here, "tests")
    forge(here, latest(here, "tests"), **changes)

    assert reds(reproduce(here, SPRINT)) == {"check/tests"}


def test_evidence_that_says_vfcc_ran_it_and_not_what_stops_all(here: Workspace) -> None:
    run(here, "tests")
    forge(here, latest(here, "tests"), run=None, measures=GREEN)

    with pytest.raises(LedgerError, match="it says that vfcc ran it, and not what: made by hand"):
        reproduce(here, SPRINT)


def test_an_exit_code_made_up_is_red(here: Workspace) -> None:
    write_tree(here.root, {"tests/exit": "1"})
    run(here, "tests")
    honest = latest(here, "tests")
    assert honest.run
    forge(here, honest, run=replace(honest.run, exit_code=0))

    assert not reproduce(here, SPRINT).sound


def test_evidence_of_a_command_that_never_left_a_report_is_red(here: Workspace, tmp_path: Path) -> None:
    run(here, "tests")
    argv = (*PYTHON, "-c", "import sys; print(sys.argv)", "{junit}")
    write_tree(here.root, {".memory/config.yaml": config({"test": {"run": list(argv)}, "build": {"run": ["true"]}})})
    allow(here)
    honest = latest(here, "tests")
    assert honest.run
    forge(here, honest, run=replace(honest.run, argv=argv))

    assert verdict(here, "check", "tests") is Verdict.PASS
    assert found(reproduce(here, SPRINT))["check/tests"][0] is RerunResult.DIFFERS


def test_a_frozen_state_made_up_is_red(here: Workspace) -> None:
    run(here, "frozen")
    forge(here, latest(here, "frozen"), outcome="sha256:" + "0" * 64)

    assert found(reproduce(here, SPRINT)) == {"check/frozen": (RerunResult.DIFFERS, "recorded 1 file; now 1 file")}


def test_evidence_that_no_event_names_stops_all(here: Workspace) -> None:
    run(here, "tests")
    stray = like(here, latest(here, "tests"), measures=GREEN)
    path = f".memory/stage/{SPRINT}/check/evidence/{stray.id}.json"
    write_tree(here.root, {path: encode_evidence(stray)})

    with pytest.raises(LedgerError, match=stray.id):
        reproduce(here, SPRINT)


def test_a_pass_made_up_is_red_with_no_evidence_at_all(here: Workspace) -> None:
    write_tree(here.root, {PLAN: "Add two numbers.\n"})
    advance_stage(here, SPRINT, actor=YOU)
    plant(here, EventType.STAGE_PASSED, payloads.passed("build", "check", [], "sha256:" + "0" * 64))

    done = reproduce(here, SPRINT)

    assert show_sprint(here, SPRINT).current == "check", "it is well made"
    assert found(done)["build/built"] == (RerunResult.NOT_MET, "build passed, but there is no evidence yet")
    assert reds(done) == {"build/built", "build/changes"}


# Typed in


def test_a_report_typed_by_hand_is_nothing_that_can_be_run(here: Workspace, tmp_path: Path) -> None:
    report = tmp_path / "typed.xml"
    report.write_text(f'<testsuite name="suite">{ADD}</testsuite>', encoding="utf-8")
    add_evidence(here, SPRINT, "tests", report, actor=YOU)

    done = reproduce(here, SPRINT)

    assert verdict(here, "check", "tests") is Verdict.FAIL
    assert found(done) == {"check/tests": (RerunResult.NOT_REPRODUCIBLE, f"asserted by {YOU}: there is no command")}


def test_a_number_that_the_workflow_takes_on_trust_is_told_and_not_red(here: Workspace) -> None:
    add_evidence(here, SPRINT, "speed", value="12.5", actor=YOU)

    done = reproduce(here, SPRINT)

    assert done.sound
    assert found(done) == {"check/speed": (RerunResult.ON_TRUST, f"asserted by {YOU}: there is no command")}


# Old


def test_old_evidence_is_red_where_a_stage_passed_on_it(here: Workspace) -> None:
    advanced(here)
    run(here, "tests")
    write_tree(here.root, {"src/calc.py": "def add(a, b): return a - b\n"})

    done = reproduce(here, SPRINT)

    why = "it is of other content: src/calc.py changed"
    assert found(done)["build/built"] == (RerunResult.STALE, why)
    assert found(done)["check/tests"] == (RerunResult.WAITING, why)
    assert reds(done) == {"build/built"}


def test_evidence_of_other_words_than_the_command_has_now_is_old(here: Workspace) -> None:
    advanced(here)
    write_tree(here.root, {".memory/config.yaml": config({"test": TEST, "build": {"run": ["true"]}})})
    allow(here)

    assert found(reproduce(here, SPRINT))["build/built"] == (
        RerunResult.STALE,
        "it is of other content: the command build changed",
    )


# Other each time


def test_a_result_that_is_another_each_time_is_red(tmp_path: Path) -> None:
    here = project(tmp_path / "project")
    lucky = "import uuid, pathlib, sys\npathlib.Path(sys.argv[1]).write_text('<testsuite name=\"s\"><testcase '\n"
    lucky += '  f\'classname="tests.suite" name="test_add[{uuid.uuid4()}]"/></testsuite>\')\ndef test_add(): ...\n'
    write_tree(here.root, {"tests/suite.py": lucky})
    run(here, "tests")

    assert found(reproduce(here, SPRINT))["check/tests"][0] is RerunResult.DIFFERS


def test_a_command_that_changes_its_inputs_now_is_red(tmp_path: Path) -> None:
    here = project(tmp_path / "project", {".memory/local/turn": ""})
    once = "import pathlib; p = pathlib.Path('.memory/local/turn')\n"
    once += "if p.read_text(): pathlib.Path('src/calc.py').write_text('changed')\np.write_text('x')\n"
    suite = here.root / "tests/suite.py"
    suite.write_text(once + suite.read_text(encoding="utf-8"), encoding="utf-8")
    run(here, "tests")

    said, why = found(reproduce(here, SPRINT))["check/tests"]

    assert said is RerunResult.NOT_REPRODUCIBLE
    assert why.startswith("while test ran, its inputs changed (src/calc.py changed)")


# Nothing to run


def test_nothing_to_reproduce_is_an_error(here: Workspace) -> None:
    with pytest.raises(WorkspaceError, match="log-in has no evidence to reproduce"):
        reproduce(here, SPRINT)


def test_commands_that_are_not_allowed_run_nothing(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    run(here, "tests")
    report = here.root / ".memory/local/reports/test.junit.xml"
    before = report.stat().st_mtime_ns
    monkeypatch.setenv("XDG_DATA_HOME", os.environ["XDG_DATA_HOME"] + "-another")

    with pytest.raises(CommandsNotAllowed, match="not allowed on this machine"):
        reproduce(here, SPRINT)
    assert report.stat().st_mtime_ns == before


def test_two_that_run_commands_here_wait_for_each_other(here: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    from verifflowcc.base.files.lock import locked

    run(here, "tests")
    monkeypatch.setattr(evidence_running, "WAIT_S", 0.01)
    with locked(here.local / "running", 0.01), pytest.raises(ConflictError):
        reproduce(here, SPRINT)


# Which sprint


def test_a_sprint_does_not_escape_by_being_closed(here: Workspace) -> None:
    run(here, "tests")
    close_sprint(here, SPRINT, actor=YOU, unfinished_reason="enough")
    assert current_or_last(here) == SPRINT
    assert reproduce(here, SPRINT).sound

    start_sprint(here, "Another", workflow="own", actor=YOU)
    assert current_or_last(here) == "another"
    close_sprint(here, "another", actor=YOU, unfinished_reason="enough")
    assert current_or_last(here) == "another", "the one that was closed last"
    assert current_or_last(here, SPRINT) == SPRINT


def test_what_is_red_is_told_once(here: Workspace) -> None:
    advanced(here)
    write_tree(here.root, {"src/calc.py": "def add(a, b): return a - b\n"})

    assert [row.criterion for row in reproduce(here, SPRINT).rows if row.result is not RerunResult.WAITING] == ["built"]
