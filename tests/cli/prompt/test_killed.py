"""A command that is killed while it writes leaves the state before or the state after, and the next command works."""

import signal
import sys
from pathlib import Path

import pytest

from tests.cli.process import Ran, git, vfcc
from tests.cli.trees import half_written
from verifflowcc.base.errors import UsageError
from verifflowcc.base.files.ledger import Ledger
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.use.sprint_reading import list_sprints, show_sprint

pytestmark = pytest.mark.vfcc("REQ-WHOLE-WRITES")

STARTING = range(2, 37, 2)
"""The last is behind the last step, also where the machine is slow: then a snapshot is written too."""
ADVANCING = range(2, 45, 3)
CLOSING = range(1, 41)
STOPPER = """
import os, signal, sys
from verifflowcc.fast import main
left, how = int(sys.argv[1]), getattr(signal, sys.argv[2])
sys.argv = ["vfcc", *sys.argv[3:]]

def watch(event, arguments):
    global left
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        left -= 1
    elif event in ("os.rename", "os.mkdir", "os.chmod", "os.remove", "os.truncate"):
        left -= 1
    if left == 0:
        left = -1
        os.kill(os.getpid(), how)

sys.addaudithook(watch)
main()
"""


def _stopped(folder: Path, point: int, how: str, *arguments: str) -> Ran:
    """Run a command that gets a signal before the step of that number of all its steps that change the disk."""
    return vfcc(folder, *arguments, program=(sys.executable, "-B", "-c", STOPPER, str(point), how), person=True)


def _killed(folder: Path, point: int, *arguments: str) -> int:
    return _stopped(folder, point, "SIGKILL", *arguments).code


def _sound(state: SprintState) -> bool:
    return not state.problems and state.fork is None


@pytest.mark.points(2)
@pytest.mark.parametrize("point", ADVANCING)
def test_an_advance_happened_or_did_not(example: Path, point: int) -> None:
    (example / ".memory/stage/sprint-02/coding/artifacts/changes.md").write_text("Done.\n", encoding="utf-8")
    here = open_workspace(example)

    code = _killed(example, point, "stage", "advance")

    assert code in (0, -signal.SIGKILL)
    state = show_sprint(here, "sprint-02")
    assert _sound(state)
    assert state.current in ("coding", "testing")
    if state.current == "coding":
        assert code != 0
        state = advance_stage(here, "sprint-02", actor="ci").state
    assert (state.current, _sound(state)) == ("testing", True)
    summary = example / ".memory/stage/sprint-02/coding/summary.md"
    assert summary.read_text(encoding="utf-8").startswith("# coding: summary\n")


@pytest.mark.sweep
@pytest.mark.parametrize("point", CLOSING)
def test_a_close_happened_or_did_not_and_every_event_is_there(example: Path, point: int) -> None:
    here = open_workspace(example)
    before = Ledger(here.memory, cached=False).load("sprint-02").events

    code = _killed(example, point, "sprint", "close", "--unfinished", "enough")

    assert code in (0, -signal.SIGKILL)
    found = Ledger(here.memory, cached=False).load("sprint-02")
    assert found.problems == ()
    assert [each for each in found.events if each.type is not EventType.SPRINT_CLOSED] == list(before)
    if len(found.events) == len(before):
        assert code != 0
        close_sprint(here, "sprint-02", actor="human:You", unfinished_reason="enough")
    state = show_sprint(here, "sprint-02")
    assert (state.status, _sound(state)) == (SprintStatus.CLOSED, True)
    lines = [line for line in list_sprints(here) if line.id == "sprint-02"]
    assert [(line.status, line.problems) for line in lines] == [(SprintStatus.CLOSED, 0)]


@pytest.mark.sweep
def test_the_points_of_a_close_reach_from_the_first_step_to_the_end(example: Path) -> None:
    close = ("sprint", "close", "--unfinished", "enough")
    events = example / ".memory/sprint/sprint-02/events"
    before = sorted(path.name for path in events.iterdir())

    assert _killed(example, CLOSING[0], *close) == -signal.SIGKILL
    assert sorted(path.name for path in events.iterdir()) == before
    assert _killed(example, CLOSING[-1], *close) == 0
    assert list(events.glob("*.jsonl"))


@pytest.mark.points(2)
@pytest.mark.parametrize("point", STARTING)
def test_a_start_happened_or_did_not(young: Path, point: int) -> None:
    here = open_workspace(young)

    code = _killed(young, point, "sprint", "start", "New", "--goal", "One")

    assert code in (0, -signal.SIGKILL)
    try:
        state = show_sprint(here, "new")
    except UsageError:
        assert code != 0
        state = start_sprint(here, "New", goals=("One",), workflow="light", actor="ci").state
    assert (state.id, state.current, _sound(state)) == ("new", "planning", True)
    assert (young / ".memory/sprint/new/goals.md").read_text(encoding="utf-8") == "# New\n\n## Goals\n\n- One\n"


@pytest.mark.sweep
def test_the_points_reach_from_the_first_step_to_the_end(young: Path) -> None:
    assert _killed(young, STARTING[0], "sprint", "start", "New") == -signal.SIGKILL
    assert not (young / ".memory/sprint/new/events").exists()
    assert _killed(young, STARTING[-1], "sprint", "start", "New") == 0


@pytest.mark.points(2)
@pytest.mark.parametrize("point", [1, 2, 5, 20, 60])
def test_an_init_happened_or_did_not(tmp_path: Path, point: int) -> None:
    assert _killed(tmp_path, point, "init") in (0, -signal.SIGKILL)

    if not (tmp_path / ".memory").exists():
        assert vfcc(tmp_path, "init").code == 0
    assert vfcc(tmp_path, "check", "config").code == 0
    assert vfcc(tmp_path, "sprint", "start", "First").code == 0


@pytest.mark.points(2)
@pytest.mark.parametrize("point", [4, 16, 22])
def test_an_interrupt_is_told_in_a_word_and_leaves_nothing_half_written(young: Path, point: int) -> None:
    ran = _stopped(young, point, "SIGINT", "sprint", "start", "New", "--json")

    assert (ran.code, ran.err) == (130, "interrupted\n")
    assert ran.document["error"] == {"code": "interrupted", "message": "interrupted", "hint": None}
    assert half_written(young) == []
    status = vfcc(young, "status")
    assert status.code == 0
    assert ("new: New" in status.out) == any((young / ".memory/sprint/new/events").glob("*.json"))


def test_a_temporary_file_that_a_killed_command_left_is_not_committed(young: Path) -> None:
    git(young, "init", "-q")
    assert vfcc(young, "sprint", "start", "New").code == 0
    (young / ".memory/sprint/new/events/.vfcc-abc.tmp").write_text("half", encoding="utf-8")

    git(young, "add", ".memory")

    assert ".tmp" not in git(young, "ls-files")
    assert vfcc(young, "sprint", "show").out.startswith("new: New (open)")
