"""Small sprints to test with: trees on disk, and the events of `event_samples.py`."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from tests.event_samples import ANN, DIGEST, START, THREE, event, feedback, passed, root
from tests.trees import OWN, own_workflow
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.gate_values import CriterionKind
from verifflowcc.base.model.ports import Clock
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import IGNORED
from verifflowcc.gates.rules.artifact_criteria import suggested
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.prompt.use.stages import advance_stage, show_stage
from verifflowcc.sprint.use.people_acting import Transition, record
from verifflowcc.sprint.use.sprint_reading import load_movable

__all__ = ["ANN", "DIGEST", "START", "THREE", "event", "feedback", "passed", "root"]
"""What this module passes on from `event_samples.py`."""


@dataclass
class TickingClock:
    """Goes one second further each time it is asked."""

    at: datetime = START

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


def workspace(folder: Path, clock: Clock | None = None) -> Workspace:
    (folder / ".memory").mkdir(parents=True, exist_ok=True)
    (folder / ".memory" / ".gitignore").write_text("".join(f"{line}\n" for line in IGNORED))
    return Workspace(folder, clock or FixedClock(START))


def started(folder: Path, title: str = "Log in") -> Workspace:
    """A workspace with one sprint under a workflow of its own with hard gates, id `log-in` unless the title differs."""
    here = workspace(own_workflow(folder))
    start_sprint(here, title, goals=["one form"], workflow=OWN, actor=ANN)
    return here


def fill(here: Workspace, sprint: str) -> None:
    """Write every artifact that is asked for before the stage in work is left, with the headings that it must have."""
    for gate in show_stage(here, sprint).gates:
        for criterion in (each.criterion for each in gate.assessments if each.criterion.kind is CriterionKind.ARTIFACT):
            name = suggested(criterion.files[0])
            path = here.memory / "stage" / sprint / gate.stage / "artifacts" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            parts = "".join(f"\n## {part}\n\nDone.\n" for part in criterion.requires)
            path.write_text(f"# {gate.stage}\n\nDone.\n{parts}")


def advance(here: Workspace, sprint: str, actor: str = ANN) -> Transition:
    fill(here, sprint)
    return advance_stage(here, sprint, actor=actor)


def add_feedback(here: Workspace, sprint: str, words: str, actor: str = ANN) -> Transition:
    seen, state = load_movable(here, sprint)
    return record(here, seen, state, (EventType.FEEDBACK_ADDED, {"stage": None, "text": words}), actor=actor)


def events_folder(here: Workspace, sprint: str) -> Path:
    return here.memory / "sprint" / sprint / "events"


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every committed file below `folder`: what a reader could see."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "local" not in path.parts and path.name != "progress.json"
    }
