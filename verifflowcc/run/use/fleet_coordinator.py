"""Drive a run whose attempts workers on other machines make; this process alone writes, merges and asks gates."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from json import dumps
from time import monotonic

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.model.config_values import FleetSettings
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.run.rules.agent_port import AgentEnding, AgentOutcome
from verifflowcc.run.rules.fleet_work import (
    MOST_OFFERS,
    FleetBranch,
    FleetBranches,
    FleetJob,
    FleetLease,
    FleetMove,
    FleetView,
    LeaseState,
    branches_of,
    fleet_move,
)
from verifflowcc.run.rules.run_fold import RunAttempt, RunState, RunStatus
from verifflowcc.run.store.fleet_engine import FleetEngine, FleetLimits
from verifflowcc.run.store.fleet_leases import FleetAway, FleetLeases, fleet_database
from verifflowcc.run.store.fleet_remote import (
    fetch,
    file_in,
    lay_out,
    make_commit,
    parents_of,
    push_integration,
    push_new,
    remote_refs,
    remote_url,
    remove_remote,
)
from verifflowcc.run.store.run_tree import ensure_tree, head_of
from verifflowcc.run.use.attempt_files import ENDING, FAULTS, PROMPT, AttemptFiles, GitFaults, record_in
from verifflowcc.run.use.attempt_start import attempt_texts
from verifflowcc.run.use.run_machinery import RunDriver, RunMachinery
from verifflowcc.sprint.use.configuration import effective_config

POLL_S = 0.5
TASK, FIRST = "task.json", "first.md"
"""The files of a start beside the prompt; those of a result are called as where an attempt is kept."""


@dataclass(frozen=True, slots=True)
class FleetPlace:
    """What the machines of a fleet share: its name, its limits, and the address of its remote."""

    name: str
    settings: FleetSettings
    url: str

    @property
    def limits(self) -> FleetLimits:
        """How many attempts there are at once."""
        return FleetLimits(self.settings.at_once, self.settings.per_worker)


def fleet_place(workspace: Workspace) -> FleetPlace:
    """Return the fleet of a project. Raises UsageError where its settings name none, or a remote that is not there."""
    settings = effective_config(workspace).config.run.fleet
    if not settings.name or not settings.remote:
        lacks = "name" if not settings.name else "remote"
        hint = "under run in .memory/config.yaml write  fleet: {name: shop, remote: origin}"
        raise UsageError(f"the project names no fleet: run.fleet.{lacks} is empty", hint=hint)
    return FleetPlace(settings.name, settings, remote_url(workspace.root, settings.remote))


@contextmanager
def coordinating(workspace: Workspace, tools: RunMachinery) -> Iterator[RunMachinery]:
    """Give the machinery of a driver whose attempts go to a fleet.

    Raises as `fleet_place` and `fleet_database` do, and FleetAway where the database cannot be reached.
    """
    database = fleet_database()
    place = fleet_place(workspace)
    leases = FleetLeases(database, place.name)
    engine = FleetEngine(database, place.name, f"coordinator of {workspace.root}", tools.jobs, place.limits)
    try:
        leases.prepare()
        engine.launch()
        yield replace(tools, elsewhere=FleetCoordinator(place, leases, engine, tools.jobs).run_attempts)
    finally:
        engine.close()
        leases.close()


def publish_run(driver: RunDriver, run: RunState) -> None:
    """Push the ledger of a run that stops or ends, so that another machine can continue it."""
    url = fleet_place(Workspace(driver.place.root, driver.clock)).url
    try:
        push_integration(driver.place.root, url, run.id)
    except FleetAway as error:
        driver.tools.say(f"note: {error.message}")
    if run.status is RunStatus.DONE:
        driver.tools.say(f"{run.id}: its branches stay on the remote until vfcc run clean")


def withdraw_run(workspace: Workspace, run: str) -> None:
    """Remove the branches of a run from the fleet's remote. Raises FleetAway where that gives no answer."""
    remove_remote(workspace.root, fleet_place(workspace).url, run)


@dataclass(slots=True)
class _Tracked:
    """What the coordinator knows of an attempt that it gave out."""

    branches: FleetBranches | None = None
    offers: int = 0
    pending_since: float | None = None


@dataclass(slots=True)
class FleetCoordinator:
    """Gives attempts to workers and takes what they bring back."""

    place: FleetPlace
    leases: FleetLeases
    engine: FleetEngine
    version: str
    known: dict[str, _Tracked] = field(default_factory=dict)
    away: str = ""

    def run_attempts(self, driver: RunDriver, run: RunState, attempts: Sequence[RunAttempt]) -> tuple[AgentEnding, ...]:
        """Have attempts that have started made by workers, and return how each ended; a stop recalls them."""
        endings: dict[str, AgentEnding] = {}
        left = list(attempts)
        try:
            while left:
                for each in tuple(left):
                    ending = self._looked(driver, run, each)
                    if ending is not None:
                        endings[each.id] = ending
                        left.remove(each)
                _wait(driver, 0 if not left else POLL_S)
        except (KeyboardInterrupt, SystemExit):
            self._recall(run, left)
            raise
        return tuple(endings[each.id] for each in attempts)

    def _looked(self, driver: RunDriver, run: RunState, attempt: RunAttempt) -> AgentEnding | None:
        """Do what is next about an attempt; a database or a remote that is away is waited for."""
        try:
            self.leases.drive_alone(run.id)
            ending = self._step(driver, run, attempt)
        except FleetAway as error:
            if self.away != error.message:
                driver.tools.say(f"{error.message}; waiting")
            self.away = error.message
            return None
        self.away = ""
        return ending

    def _step(self, driver: RunDriver, run: RunState, attempt: RunAttempt) -> AgentEnding | None:
        tracked = self.known.setdefault(f"{run.id}/{attempt.id}", _Tracked())
        lease = self.leases.lease(run.id, attempt.id)
        if tracked.branches is not None and self._move(tracked, run, attempt, lease) is FleetMove.WAIT:
            return None
        refs = remote_refs(driver.place.root, self.place.url, run.id)
        tracked.branches = branches_of(refs, run.id, attempt.id)
        match self._move(tracked, run, attempt, lease):
            case FleetMove.TAKE:
                return self._take(driver, attempt, FleetJob(run.id, attempt.id, tracked.branches.fence), tracked)
            case FleetMove.OFFER:
                self._offer(driver, run, attempt, lease, tracked)
            case FleetMove.QUEUE:
                self.engine.queue(FleetJob(run.id, attempt.id, tracked.branches.fence))
            case FleetMove.WAIT:
                pass
        return None

    def _move(self, tracked: _Tracked, run: RunState, attempt: RunAttempt, lease: FleetLease | None) -> FleetMove:
        """Return the next move; the queue is asked only where the lease says that a worker is waited for."""
        assert tracked.branches is not None
        queued = None
        if lease is not None and lease.state is LeaseState.OFFERED and lease.fence == tracked.branches.fence:
            queued = self.engine.state_of(FleetJob(run.id, attempt.id, lease.fence))
        if queued != "PENDING":
            tracked.pending_since = None
        elif tracked.pending_since is None:
            tracked.pending_since = monotonic()
        since = tracked.pending_since
        lost = since is not None and monotonic() - since > self.place.settings.lease_s
        return fleet_move(FleetView(tracked.branches, lease, queued, lost), self.version)

    def _offer(
        self, driver: RunDriver, run: RunState, attempt: RunAttempt, lease: FleetLease | None, tracked: _Tracked
    ) -> None:
        """Give an attempt out with the next number; from then on no earlier result counts."""
        assert tracked.branches is not None
        before = max(tracked.branches.fence, lease.fence if lease else 0)
        tracked.offers += 1
        if tracked.offers > MOST_OFFERS:
            raise WorkspaceError(
                f"{attempt.id} was given to workers {MOST_OFFERS} times, and none brought it back",
                hint="look at what the workers print, then: vfcc run resume",
            )
        if before:
            with suppress(FleetAway):
                self.engine.cancel(FleetJob(run.id, attempt.id, before))
            driver.tools.say(f"{attempt.id}: its worker is gone; it is given out again")
        job = FleetJob(run.id, attempt.id, before + 1)
        head = head_of(driver.place.tree())
        start = _start_commit(driver, run, attempt)
        branch = job.branch(FleetBranch.START)
        push_new(driver.place.root, self.place.url, branch, start, run=run.id, integration=head)
        driver.tools.reached(f"offer {attempt.id}")
        self.leases.offer(job, self.version)
        self.engine.queue(job)
        tracked.branches = FleetBranches({**tracked.branches.starts, job.fence: start}, tracked.branches.results)
        tracked.pending_since = None

    def _take(self, driver: RunDriver, attempt: RunAttempt, job: FleetJob, tracked: _Tracked) -> AgentEnding:
        """Take the result that counts: its files go into the attempt's worktree, as an agent leaves them there."""
        assert tracked.branches is not None
        root, commit = driver.place.root, tracked.branches.results[job.fence]
        fetch(root, self.place.url, job.branch(FleetBranch.RESULT), commit)
        parents = parents_of(root, commit)
        files = AttemptFiles(driver.place, attempt.id)
        top = ensure_tree(driver.place, attempt.tree, attempt.base)
        ending = record_in(AgentEnding, file_in(root, commit, ENDING), ENDING)
        faults = record_in(GitFaults, file_in(root, commit, FAULTS), FAULTS)
        begun, left = parents if len(parents) == 2 else ("", "")
        if ending is not None and faults is not None and begun == tracked.branches.starts[job.fence]:
            lay_out(top, left)
        else:
            why = f"the result of {job.key} is none that vfcc wrote"
            ending, faults = AgentEnding(AgentOutcome.CRASHED, failure=why), GitFaults()
        files.write_faults(faults)
        files.write_ending(ending)
        driver.tools.reached(f"ended {attempt.id}")
        with suppress(FleetAway):
            self.engine.cancel(job)  # of a worker that died after its push: it would keep a place of the queue
        return ending

    def _recall(self, run: RunState, attempts: Sequence[RunAttempt]) -> None:
        """Take attempts back from their workers, which end their agents."""
        for each in attempts:
            with suppress(FleetAway):
                lease = self.leases.lease(run.id, each.id)
                if lease is not None:
                    self.leases.recall(run.id, each.id)
                    self.engine.cancel(FleetJob(run.id, each.id, lease.fence))


def _wait(driver: RunDriver, seconds: float) -> None:
    if driver.stop_now():
        raise KeyboardInterrupt
    if seconds:
        driver.tools.wait(seconds)


def _start_commit(driver: RunDriver, run: RunState, attempt: RunAttempt) -> str:
    """Return the commit that a worker begins with: the ledger and the attempt's worktree as parents, and its texts."""
    top = ensure_tree(driver.place, attempt.tree, attempt.base)
    ledger, tree = head_of(driver.place.tree()), head_of(top)
    assert ledger is not None
    assert tree is not None
    first, own = attempt_texts(driver, run, attempt)
    files = {TASK: dumps({"sprint": driver.sprint, "attempt": attempt.id}), PROMPT: own, FIRST: first}
    return make_commit(driver.place.root, files, [ledger, tree], f"{run.id}: start of {attempt.id}")
