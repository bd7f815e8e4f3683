"""The worked example's ledger: what was done when. `python -m tests.example_history` writes it into `.memory.example/`.

The events of the example are what the program writes for these moves at these moments, byte for byte; a test holds
that. Summaries and metrics are derived, and not part of it.
"""

import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.store.workflow_load import example_folder

WORKFLOW = "tidewater"
ACTOR = "human:maintainer"
TITLES = {"sprint-01": "Print a day's tide table", "sprint-02": "Tides in a calendar"}
REOPENED = "a low water is missing at river-bar on 2026-09-17; see decision 0007"
MOVES = (
    ("2026-09-14T08:30", "start", "sprint-01"),
    ("2026-09-16T15:10", "advance", "sprint-01"),
    ("2026-09-18T11:45", "advance", "sprint-01"),
    ("2026-09-24T16:20", "advance", "sprint-01"),
    ("2026-09-28T15:00", "reopen", "sprint-01"),
    ("2026-10-02T16:20", "advance", "sprint-01"),
    ("2026-10-05T14:00", "advance", "sprint-01"),
    ("2026-10-07T11:15", "advance", "sprint-01"),
    ("2026-10-08T12:00", "close", "sprint-01"),
    ("2026-11-09T09:00", "start", "sprint-02"),
    ("2026-11-11T10:30", "advance", "sprint-02"),
    ("2026-11-13T16:05", "advance", "sprint-02"),
)
GOALS = {
    "sprint-01": (
        "Print each high and low water of a day for north-quay and river-bar",
        "Within 10 minutes and 0.10 m of the office's tables",
        "Work with the network off",
        "A day holds what belongs to it, also when the clocks change",
    ),
    "sprint-02": (
        "Export a range of days as an iCalendar file",
        "Made again, the file doubles no event",
        "A year in under 10 seconds and under 1 MB",
    ),
}
WRITTEN = ("sprint/*/events/*.json*",)


def write_history(root: Path) -> None:
    """Make the example's moves in the project at `root`, whose `.memory/` has the example's files and no ledger."""
    for moment, move, name in MOVES:
        there = Workspace(root, FixedClock(datetime.fromisoformat(moment).replace(tzinfo=UTC)))
        if move == "start":
            title, goals = TITLES[name], GOALS[name]
            start_sprint(there, title, goals=goals, workflow=WORKFLOW, actor=ACTOR, sprint_id=name)
        elif move == "reopen":
            reopen_stage(there, name, "coding", REOPENED, actor=ACTOR)
        elif move == "close":
            close_sprint(there, name, actor=ACTOR)
        else:
            advance_stage(there, name, actor=ACTOR)


def made_again(root: Path) -> dict[str, bytes]:
    """Make the example without its ledger in `root`, write the history, and return what the program wrote.

    It is made as `vfcc init --worked-example` makes it in an empty folder: a start records the protected files.
    """
    memory = root / ".memory"
    initialise(root, example=True)
    for path in _written(memory):
        path.unlink()
    write_history(root)
    return {path.relative_to(memory).as_posix(): path.read_bytes() for path in _written(memory)}


def committed() -> dict[str, bytes]:
    """Return what the committed example has in the same places."""
    folder = example_folder()
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in _written(folder)}


def _written(memory: Path) -> list[Path]:
    return sorted(path for pattern in WRITTEN for path in memory.glob(pattern))


if __name__ == "__main__":
    for path in _written(example_folder()):
        path.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        files = made_again(Path(scratch))
    for name, content in files.items():
        target = example_folder() / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    sys.stdout.write(f"{len(files)} files written\n")
