"""Small sprints to test with: a workflow of three stages, events, and trees on disk."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from verifflowcc.adapters.clock import FixedClock
from verifflowcc.domain.events import Event, EventType, Json
from verifflowcc.domain.ports import Clock
from verifflowcc.domain.workflows import Leg, Stage, Workflow
from verifflowcc.formats.events import make_event
from verifflowcc.services.sprints import start_sprint
from verifflowcc.services.stages import advance_stage, show_stage
from verifflowcc.services.transitions import Transition, load_movable, record
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow import payloads
from verifflowcc.workflow.exit_check import suggested

START = datetime(2026, 11, 21, 3, 31, 0, 123000, tzinfo=UTC)
DIGEST = "sha256:" + "0" * 64
ANN = "human:Ann"
THREE = Workflow(
    "three",
    "Three stages",
    (
        Stage("plan", "Plan", Leg.LEFT, "check", "planner", ("plan.*",)),
        Stage("build", "Build", Leg.APEX, None, "coder", ()),
        Stage("check", "Check", Leg.RIGHT, "plan", "tester", ("results.*",)),
    ),
    DIGEST,
)


@dataclass
class TickingClock:
    """Goes one second further each time it is asked."""

    at: datetime = START

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


def event(kind: EventType, payload: Mapping[str, Json], *parents: Event, second: int = 0, actor: str = ANN) -> Event:
    at = START + timedelta(seconds=second)
    return make_event(kind, payload, parents=[parent.id for parent in parents], actor=actor, at=at)


def root(title: str = "Log in", sprint: str = "login", second: int = 0) -> Event:
    return event(EventType.SPRINT_STARTED, payloads.started(sprint, title, ["one form"], THREE), second=second)


def passed(stage: str, entered: str | None, *parents: Event, second: int = 0, actor: str = ANN) -> Event:
    payload = payloads.passed(stage, entered, (), DIGEST)
    return event(EventType.STAGE_PASSED, payload, *parents, second=second, actor=actor)


def feedback(words: str, *parents: Event, second: int = 0) -> Event:
    return event(EventType.FEEDBACK_ADDED, {"stage": None, "text": words}, *parents, second=second)


def workspace(folder: Path, clock: Clock | None = None) -> Workspace:
    (folder / ".memory").mkdir(parents=True, exist_ok=True)
    (folder / ".memory" / ".gitignore").write_text("local/\nprogress.json\n")
    return Workspace(folder, clock or FixedClock(START))


def started(folder: Path, title: str = "Log in") -> Workspace:
    """A workspace with one sprint under the light workflow, id `log-in` unless the title says otherwise."""
    here = workspace(folder)
    start_sprint(here, title, goals=["one form"], workflow="light", actor=ANN)
    return here


def fill(here: Workspace, sprint: str) -> None:
    """Write every artifact that the stage in work declares."""
    view = show_stage(here, sprint)
    for pattern in view.stage.stage.artifacts:
        path = here.root / view.folder / suggested(pattern)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {view.stage.stage.id}\n\nDone.\n")


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
