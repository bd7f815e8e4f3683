"""The worked example's ledger: what was done when. `python -m tests.example_history` writes it into `.memory.example/`.

The events, summaries and metrics of the example are what the program writes for these moves at these moments, byte for
byte; a test holds that.
"""

import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from verifflowcc.adapters.clock import FixedClock
from verifflowcc.adapters.shipped import example_folder
from verifflowcc.services.sprints import close_sprint, start_sprint
from verifflowcc.services.stages import advance_stage
from verifflowcc.services.workspace import Workspace

ACTOR = "human:maintainer"
HISTORY = (
    ("sprint-01", "Print a day's tide table", "2026-09-14T08:30", ("09-16T15:10", "09-18T11:45", "09-28T16:20")),
    ("sprint-02", "Tides in a calendar", "2026-11-09T09:00", ("11-11T10:30", "11-13T16:05")),
)
FIRST_SPRINT_ENDS = ("09-30T14:00", "10-02T11:15", "10-02T12:00")
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
WRITTEN = ("sprint/*/events/*.json", "stage/*/*/summary.md", "stage/*/*/metrics.json")


def write_history(root: Path) -> None:
    """Make the example's moves in the project at `root`, whose `.memory/` has the example's files and no ledger."""
    for name, title, started, passes in HISTORY:
        start_sprint(_at(root, started), title, goals=GOALS[name], workflow="light", actor=ACTOR, sprint_id=name)
        for moment in passes:
            advance_stage(_at(root, f"2026-{moment}"), name, actor=ACTOR)
        if name == "sprint-01":
            for moment in FIRST_SPRINT_ENDS[:2]:
                advance_stage(_at(root, f"2026-{moment}"), name, actor=ACTOR)
            close_sprint(_at(root, f"2026-{FIRST_SPRINT_ENDS[2]}"), name, actor=ACTOR)


def made_again(root: Path) -> dict[str, bytes]:
    """Make the example without its ledger in `root`, write the history, and return what the program wrote."""
    memory = root / ".memory"
    shutil.copytree(example_folder(), memory)
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


def _at(root: Path, moment: str) -> Workspace:
    return Workspace(root, FixedClock(datetime.fromisoformat(moment).replace(tzinfo=UTC)))


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
