"""Two processes at once, and processes that are killed: one wins, and what lies on disk is always before or after."""

import fcntl
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from tests.ledger_samples import ANN, START, add_feedback, advance, events_folder, fill, snapshot, started, workspace
from verifflowcc.base.errors import ConflictError, VfccError
from verifflowcc.base.files.ledger import Ledger
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.artifact_criteria import artifact_puts
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.artifact_drafting import put_artifact
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.use.sprint_reading import list_sprints, progress_text, show_sprint

pytestmark = pytest.mark.vfcc("REQ-WHOLE-WRITES")

ID = "log-in"
FORK = get_context("fork")


@dataclass
class MeetingClock:
    """Waits, the first time it is asked, until all the others were asked as well: between reading and writing."""

    barrier: Barrier
    asked: list[int] = field(default_factory=list)

    def now(self) -> datetime:
        if not self.asked:
            self.asked.append(1)
            self.barrier.wait(timeout=30)
        return START


def exit_code(action: Callable[[], object]) -> None:
    try:
        action()
    except VfccError as error:
        os._exit(error.exit_code)
    os._exit(0)


def at_once(actions: Sequence[Callable[[], object]]) -> list[int]:
    children = [FORK.Process(target=exit_code, args=(action,)) for action in actions]
    for child in children:
        child.start()
    for child in children:
        child.join()
    return sorted(child.exitcode or 0 for child in children)


def test_of_two_that_advance_at_once_one_wins_and_the_other_is_told(tmp_path: Path) -> None:
    here = started(tmp_path)
    fill(here, ID)
    barrier = FORK.Barrier(2)
    here_too = [Workspace(tmp_path, MeetingClock(barrier)) for _ in range(2)]
    codes = at_once([partial(advance_stage, each, ID, actor=f"human:{n}") for n, each in enumerate(here_too)])
    state = show_sprint(here, ID)

    assert codes == [0, 5]
    assert (state.current, state.fork, state.problems, state.counts["stage_passed"]) == ("design", None, (), 1)
    summary = (here.memory / "stage" / ID / "planning" / "summary.md").read_bytes()
    assert state.stages[0].summary == digest_text(summary)


def test_of_two_that_start_the_same_sprint_at_once_both_get_one(tmp_path: Path) -> None:
    workspace(tmp_path)
    barrier = FORK.Barrier(2)
    begin = partial(start_sprint, title="Log in", workflow="light", actor=ANN)
    codes = at_once(
        [partial(begin, Workspace(tmp_path, MeetingClock(barrier)), goals=[goal]) for goal in ("one", "two")]
    )
    goals = {(tmp_path / ".memory/sprint" / name / "goals.md").read_text() for name in (ID, f"{ID}-2")}

    assert codes == [0, 0]
    assert [line.id for line in list_sprints(Workspace(tmp_path))] == [ID, f"{ID}-2"]
    assert len(goals) == 2


def test_all_who_store_artifacts_at_once_store_them(tmp_path: Path) -> None:
    here = started(tmp_path)
    barrier = FORK.Barrier(3)
    texts = {f"{name}.md": f"{name} is written.\n".encode() for name in ("plan", "notes", "risks")}
    codes = at_once(
        [
            partial(put_artifact, Workspace(tmp_path, MeetingClock(barrier)), ID, name, text, actor=f"agent:{name}")
            for name, text in texts.items()
        ]
    )
    state = show_sprint(here, ID)

    assert codes == [0, 0, 0]
    assert (state.problems, state.fork) == ((), None)
    assert {(one.path, one.digest, one.actor) for one in artifact_puts(state.notes)} == {
        (name, digest_text(text.decode()), f"agent:{name}") for name, text in texts.items()
    }
    assert {name: (stage_folder(here) / name).read_bytes() for name in texts} == texts


def stage_folder(here: Workspace) -> Path:
    return here.memory / "stage" / ID / "planning" / "artifacts"


def test_one_who_writes_between_reading_and_writing_wins(tmp_path: Path) -> None:
    here = started(tmp_path)
    fill(here, ID)

    class Interrupting:
        def now(self) -> datetime:
            add_feedback(here, ID, f"wait {len(list(events_folder(here, ID).iterdir()))}")
            return START

    before = len(list(events_folder(here, ID).iterdir()))
    with pytest.raises(ConflictError, match="somebody else moved log-in first; nothing was written"):
        advance_stage(Workspace(tmp_path, Interrupting()), ID, actor=ANN)
    assert not (here.memory / "stage" / ID / "planning" / "summary.md").exists()
    assert len(list(events_folder(here, ID).iterdir())) > before
    assert advance(here, ID).after == "design"


def test_a_held_lock_is_waited_for_and_then_named(tmp_path: Path) -> None:
    here = started(tmp_path)
    ledger = Ledger(here.memory, wait_s=0.1)
    lock = here.memory / "local" / "lock"
    with lock.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        lock.write_text("4711\n")

        seen = ledger.load(ID)
        told = pytest.raises(ConflictError, match=r"local/lock is held by another vfcc \(process 4711\)")
        with told, ledger.moving(ID, seen):
            pytest.fail("the lock was held")
    with ledger.moving(ID, ledger.load(ID)):
        pass


def test_a_lock_left_by_a_dead_process_holds_nobody_up(tmp_path: Path) -> None:
    here = started(tmp_path)
    (here.memory / "local" / "lock").write_text("999999\n")

    assert advance(here, ID).after == "design"


WATCHED = {"open", "os.rename", "os.mkdir", "os.remove", "os.chmod", "os.truncate", "fcntl.flock"}


def killed_at(number: int, action: Callable[[], object]) -> int:
    """Run `action` in a process that dies right before its `number`th call to the file system; 9 if it did die."""

    def dying() -> None:
        calls = 0

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal calls
            if event in WATCHED and not str(arguments[0]).endswith((".py", ".pyc")):
                calls += 1
                if calls == number:
                    os._exit(9)

        sys.addaudithook(hook)
        exit_code(action)

    child = FORK.Process(target=dying)
    child.start()
    child.join()
    assert child.exitcode is not None
    return child.exitcode


@pytest.mark.sweep
def test_killed_at_any_moment_an_advance_has_happened_or_not_and_can_be_run_again(tmp_path: Path) -> None:
    happened, number, code = [], 0, 9
    while code == 9:
        number += 1
        folder = tmp_path / str(number)
        here = started(folder)
        fill(here, ID)
        code = killed_at(number, lambda here=here: advance_stage(here, ID, actor=ANN))  # type: ignore[misc]
        state = show_sprint(here, ID)
        happened.append(state.current == "design")
        assert not state.problems
        assert state.current in ("planning", "design")
        if state.current == "planning":
            assert advance(here, ID).after == "design"
        else:
            summary = (here.memory / "stage" / ID / "planning" / "summary.md").read_bytes()
            assert state.stages[0].summary == digest_text(summary)
        assert advance(here, ID).after == "coding"
        assert (here.memory / "sprint" / ID / "progress.json").read_text() == progress_text(here, ID)

    assert code == 0
    assert happened == sorted(happened)
    assert happened[0] is False
    assert happened[-2] is True, "no kill fell between the event and its projection"
    assert number > 20


@pytest.mark.sweep
def test_killed_at_any_moment_an_artifact_is_stored_whole_before_its_event(tmp_path: Path) -> None:
    old, new = b"The old plan.\n", b"The new plan.\n"
    happened, number, code = [], 0, 9
    while code == 9:
        number += 1
        here = started(tmp_path / str(number))
        put_artifact(here, ID, "plan.md", old, actor=ANN)
        store = partial(put_artifact, here, ID, "plan.md", new, actor="agent:planner")
        code = killed_at(number, store)
        written = (stage_folder(here) / "plan.md").read_bytes()
        state = show_sprint(here, ID)
        on_record = len(artifact_puts(state.notes)) == 2
        happened.append((written == new, on_record))

        assert not state.problems
        assert written in (old, new)
        assert store().changed is not on_record
        assert (stage_folder(here) / "plan.md").read_bytes() == new
        assert [one.actor for one in artifact_puts(show_sprint(here, ID).notes)] == [ANN, "agent:planner"]

    assert code == 0
    assert happened == sorted(happened)
    assert {(False, False), (True, False), (True, True)} == set(happened)


@pytest.mark.sweep
def test_killed_at_any_moment_a_close_learns_once(tmp_path: Path) -> None:
    number, code = 0, 9
    while code == 9:
        number += 1
        folder = tmp_path / str(number)
        here = started(folder)

        def close(here: Workspace = here) -> object:
            return close_sprint(here, ID, learnings="Ask first.", actor=ANN, unfinished_reason="no time")

        code = killed_at(number, close)
        if show_sprint(here, ID).status == "open":
            close()
        knowledge = (here.memory / "sprint" / ID / "knowledge.md").read_text()
        assert knowledge == "## Learnings — Log in\n\nAsk first.\n"
        assert show_sprint(here, ID).status == "closed"
    assert number > 15


def test_what_a_kill_leaves_is_no_event_and_no_artifact(tmp_path: Path) -> None:
    here = started(tmp_path)
    (events_folder(here, ID) / ".vfcc-x.tmp").write_bytes(b"half")
    before = snapshot(here.root)

    assert show_sprint(here, ID).problems == ()
    assert snapshot(here.root) == before
