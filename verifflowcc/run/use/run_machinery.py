"""What a driver works with, and the ledger of its run."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import sleep

from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.people import PROGRAM
from verifflowcc.base.model.ports import Clock
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import LedgerReads, Workspace
from verifflowcc.run.rules.agent_port import AgentClient, AgentEnding, AgentStep
from verifflowcc.run.rules.client_choice import agent_client
from verifflowcc.run.rules.fleet_work import JOB_VERSION
from verifflowcc.run.rules.run_fold import RunAttempt, RunState
from verifflowcc.run.store.agent_process import run_agent, sweep
from verifflowcc.run.store.run_tree import RunPlace, commit_memory
from verifflowcc.run.use.run_reading import STOP, read_run
from verifflowcc.sprint.use.people_acting import add_note

_LONGEST_TEXT = 2_000


def _nothing(_point: str) -> None:
    """Do nothing at a named point."""


@dataclass(frozen=True, slots=True)
class RunMachinery:
    """The parts of a driver that reach outside: clients, their processes, and waiting.

    `reached` is called at each named point between two steps that cannot be one, with what it is of after a space:
    `note:TYPE`, `opening`, `spawn`, `ended`, `commit`, `merge`, `evidence`, `advance`, `close`. `on_step` gets what an
    agent does while it does it, `on_state` the run before each move.
    """

    client: Callable[[str], AgentClient] = agent_client
    run: Callable[..., AgentEnding] = run_agent
    sweep: Callable[[str], tuple[int, ...]] = sweep
    wait: Callable[[float], None] = sleep
    reached: Callable[[str], None] = _nothing
    on_step: Callable[[str, AgentStep], None] = lambda _attempt, _step: None
    on_state: Callable[[RunState, SprintState], None] = lambda _run, _sprint: None
    say: Callable[[str], None] = _nothing
    elsewhere: "Callable[[RunDriver, RunState, Sequence[RunAttempt]], tuple[AgentEnding, ...]] | None" = None
    """Has the clients of attempts run on other machines; None: here."""
    jobs: str = JOB_VERSION
    """The version of the jobs that a fleet's coordinator gives out, and that a worker takes."""


@dataclass(slots=True)
class RunDriver:
    """One run that this process drives."""

    place: RunPlace
    sprint: str
    clock: Clock
    tools: RunMachinery
    checkout: Path | None = None
    """The project as the person of this machine has it, where it is not that of the place: a worker has a clone."""
    reads: dict[Path, LedgerReads] = field(default_factory=dict, compare=False, repr=False)
    """What was read of the ledger in a folder; whether it still holds is looked at each time."""
    saved: bool = field(default=False, compare=False, repr=False)
    """Whether the ledger is committed, and this process did nothing since."""

    @property
    def workspace(self) -> Workspace:
        """The project in the integration worktree, where that is now."""
        project = self.place.project()
        return Workspace(project, self.clock, self.reads.setdefault(project, LedgerReads()))

    @property
    def home(self) -> Path:
        """The project in the checkout of the person whose machine this is."""
        return self.checkout or self.place.root

    def state(self) -> tuple[RunState, SprintState]:
        """Return the run and its sprint as the ledger has them now."""
        run, sprint = read_run(self.workspace, self.sprint, self.place.run)
        assert run is not None, "a driver has a run that was opened"
        return run, sprint

    def note(self, kind: EventType, payload: Mapping[str, Json]) -> str:
        """Write an event of the run and return its id."""
        fields = {"run": self.place.run, **payload}
        self.saved = False
        done = add_note(self.workspace, self.sprint, kind, lambda _: fields, actor=PROGRAM)
        self.tools.reached(f"note:{kind} {payload.get('attempt') or payload.get('stage') or self.sprint}")
        return done.event.id

    def save(self, message: str) -> None:
        """Commit the ledger and what goes with it to the integration branch."""
        commit_memory(self.place.tree(), self.place.below, f"{self.place.run}: {message}")
        self.saved = True

    def save_before(self, message: str) -> None:
        """Commit the ledger, where a person or an earlier driver may have written to it since the last commit."""
        if not self.saved:
            self.save(f"before {message}")

    def stop_asked(self) -> bool:
        """Whether somebody asked this driver to stop."""
        return (self.place.folder / STOP).exists()

    def stop_now(self) -> bool:
        """Whether somebody asked it to stop in the middle of a step."""
        try:
            return (self.place.folder / STOP).read_text().strip() == "now"
        except OSError:
            return False


def shown(text: str, longest: int = _LONGEST_TEXT) -> str:
    """Return a text of an agent or a report as the ledger may hold it: without secrets, and cut."""
    text = withhold(text.strip())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
