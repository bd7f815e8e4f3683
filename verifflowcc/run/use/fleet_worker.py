"""A worker of a fleet: take an attempt, make it in a clone of its own, and push what came of it.

It writes nothing to the ledger, and what it pushes counts only while its number is the highest that was given out.
Without the database's renewal of its lease it ends its agent by its own clock.
"""

import hashlib
import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from json import dumps, loads
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import UUID, uuid4, uuid5

from verifflowcc.base.errors import ConflictError, NotAllowed, VfccError, WorkspaceError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.identifiers import slug
from verifflowcc.base.text.record_codec import record_to_json
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.run.rules.agent_port import AgentEnding, AgentOutcome
from verifflowcc.run.rules.client_choice import client_and_model, of_checkout
from verifflowcc.run.rules.fleet_work import FleetBranch, FleetJob, branches_of, is_newer, job_of
from verifflowcc.run.rules.run_fold import RunAttempt, RunState
from verifflowcc.run.store.fleet_engine import FleetEngine
from verifflowcc.run.store.fleet_leases import FleetAway, FleetLeases, fleet_database
from verifflowcc.run.store.fleet_remote import (
    fetch,
    file_in,
    make_clone,
    make_commit,
    parents_of,
    push_new,
    remote_refs,
    snapshot,
)
from verifflowcc.run.store.run_tree import (
    INTEGRATION,
    RunPlace,
    branch_of,
    ensure_tree,
    place_of,
    refs_with,
    runs_folder,
)
from verifflowcc.run.use.attempt_end import git_files_changed
from verifflowcc.run.use.attempt_files import ENDING, FAULTS, PROMPT, AttemptFiles, GitFaults
from verifflowcc.run.use.attempt_start import ready_attempt
from verifflowcc.run.use.driving import terminable
from verifflowcc.run.use.fleet_coordinator import FIRST, TASK, FleetPlace, fleet_place
from verifflowcc.run.use.run_machinery import RunDriver, RunMachinery

_CHECK_S = 2.0
_BEATS = 5
"""So many renewals in the time of a lease."""
_SESSIONS = UUID("7f3a4ba0-52a5-4d3c-9a27-2a0b6d9c0e11")


@dataclass(frozen=True, slots=True)
class WorkerOrder:
    """The clients that a worker may start, and its name; empty: one of the machine and the folder."""

    clients: tuple[str, ...]
    name: str = ""


def work_for_fleet(workspace: Workspace, order: WorkerOrder, tools: RunMachinery) -> None:
    """Make attempts of the project's fleet until a signal comes.

    Raises ConflictError where a worker of that name works here, WorkspaceError where jobs need a newer vfcc, and as
    `fleet_place` and `fleet_database` do.
    """
    database, version = fleet_database(), tools.jobs
    place = fleet_place(workspace)
    digest = hashlib.sha256(os.fsencode(workspace.root)).hexdigest()[:6]
    name = order.name or f"{slug(socket.gethostname(), 'worker')}-{digest}"
    leases = FleetLeases(database, place.name)
    with locked(runs_folder(workspace.root) / f"worker-{name}.lock", 0):
        leases.prepare()
        _require_version(leases, place, version)
        leases.release_all(f"{name}#")  # of a process of this name, which cannot be alive
        worker = FleetWorker(workspace, place, database, leases, order.clients, name, tools)
        worker.end_leftovers()
        engine = FleetEngine(database, place.name, name, version, place.limits, worker.work)
        try:
            engine.launch()
            tools.say(f"{name}: waits for attempts of {place.name}")
            with terminable():
                _attend(engine, leases, worker, version)
        finally:
            worker.stop()
            engine.close()
            leases.close()


def _require_version(leases: FleetLeases, place: FleetPlace, version: str) -> None:
    newer = [each for each in leases.waiting(version) if is_newer(each, version)]
    if newer:
        raise WorkspaceError(
            f"{place.name} has jobs of {newer[-1]}, and this vfcc takes those of {version}",
            hint="pip install --upgrade 'verifflowcc[fleet]'",
        )


def _attend(engine: FleetEngine, leases: FleetLeases, worker: "FleetWorker", version: str) -> None:
    """Keep the queue open, and report what stops it, once each time."""
    problem = ""
    while True:
        worker.tools.wait(_CHECK_S)
        now = ""
        try:
            engine.check()
            others = leases.waiting(version)
            if others:
                now = f"jobs of {', '.join(others)} wait, which this worker ({version}) does not take"
        except FleetAway as error:
            now = error.message
        if now and now != problem:
            worker.tools.say(f"{worker.name}: {now}")
        problem = now


class _HeldLease:
    """A lease of this worker, renewed by a thread of its own over a connection of its own."""

    def __init__(self, leases: FleetLeases, job: FleetJob, holder: str, seconds: int) -> None:
        self._leases, self._job, self._holder, self._seconds = leases, job, holder, seconds
        self._ended = threading.Event()
        self._lost = False
        self._until = 0.0

    @property
    def lost(self) -> bool:
        """Whether another worker may have the attempt: by the database's word, or since it gave none for too long."""
        return self._lost or monotonic() > self._until

    def take(self) -> bool:
        """Take the lease; whether it was offered."""
        asked = monotonic()
        taken = self._leases.take(self._job, self._holder, self._seconds)
        self._until = asked + self._seconds
        return taken

    def renew(self) -> bool:
        """Renew the lease; False where it is lost, or the database gives no answer."""
        asked = monotonic()
        try:
            if self._leases.renew(self._job, self._holder, self._seconds):
                self._until = asked + self._seconds
                return not self._lost
            self._lost = True
        except FleetAway:
            pass
        return False

    def finish(self) -> None:
        """Note that the result was pushed."""
        with suppress(FleetAway):
            self._leases.finish(self._job, self._holder)

    def give_back(self) -> None:
        """Let another worker have the attempt at once."""
        with suppress(FleetAway):
            self._leases.release(self._job, self._holder)

    @contextmanager
    def renewed(self) -> Iterator[None]:
        """Renew it in the background while the block runs."""
        thread = threading.Thread(target=self._beat, daemon=True, name=f"lease of {self._job.key}")
        thread.start()
        try:
            yield
        finally:
            self._ended.set()

    def _beat(self) -> None:
        while not self._ended.wait(self._seconds / _BEATS) and not self._lost:
            self.renew()


@dataclass(slots=True)
class FleetWorker:
    """Makes attempts, each in a clone of its own below a folder beside the repository."""

    workspace: Workspace
    fleet: FleetPlace
    database: str
    leases: FleetLeases
    clients: tuple[str, ...]
    name: str
    tools: RunMachinery
    stopping: threading.Event = field(default_factory=threading.Event)
    places: threading.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.places = threading.Semaphore(self.fleet.settings.per_worker)

    @property
    def folder(self) -> Path:
        """The folder of its clones."""
        return place_of(self.workspace.root, "worker").trees / self.name

    def stop(self) -> None:
        """End the agents that work, and wait until their attempts are given back."""
        self.stopping.set()
        for _ in range(self.fleet.settings.per_worker):
            self.places.acquire(timeout=30)

    def end_leftovers(self) -> None:
        """End what agents of an earlier process of this name left running; their folders stay."""
        for each in sorted(self.folder.glob("*")):
            self.tools.sweep(self._place(each, each.name.rpartition(".")[0]).marker)

    def work(self, value: object) -> dict[str, Any]:
        """Do a job of the queue; return in a word what came of it."""
        job = job_of(value)
        holder = f"{self.name}#{uuid4()}"
        leases = FleetLeases(self.database, self.fleet.name)
        lease = _HeldLease(leases, job, holder, self.fleet.settings.lease_s)
        try:
            with self.places:
                if self.stopping.is_set() or not lease.take():
                    return {"did": "nothing"}
                self.tools.say(f"{self.name}: {job.key} taken")
                with lease.renewed():
                    did = self._made(job, lease)
                self.tools.say(f"{self.name}: {job.key} {did}")
                return {"did": did}
        finally:
            leases.close()

    def _made(self, job: FleetJob, lease: _HeldLease) -> str:
        folder = self.folder / f"{job.run}.{job.attempt}-{job.fence}"
        try:
            did = self._attempt(job, lease, folder)
        except KeyboardInterrupt:  # its agent was ended
            did = "lost: its lease is gone" if lease.lost else "given back"
        except VfccError as error:
            did = f"given back: {error.message}"
        if did == "pushed":
            lease.finish()
            shutil.rmtree(folder, ignore_errors=True)
        elif not lease.lost:
            lease.give_back()
        return did if did == "pushed" or not folder.exists() else f"{did} (its files: {folder})"

    def _attempt(self, job: FleetJob, lease: _HeldLease, folder: Path) -> str:
        """Make an attempt and push its result."""
        shutil.rmtree(folder, ignore_errors=True)
        clone = folder / "clone"
        make_clone(self.workspace.root, clone)
        branches = branches_of(remote_refs(clone, self.fleet.url, job.run), job.run, job.attempt)
        if branches.fence != job.fence or branches.result is not None:
            return "left: it was given out again"
        start = branches.starts[job.fence]
        fetch(clone, self.fleet.url, job.branch(FleetBranch.START), start)
        ledger, tree = parents_of(clone, start)
        place = self._place(folder, job.run)
        ensure_tree(place, INTEGRATION, ledger)
        sprint = str(loads(file_in(clone, start, TASK))["sprint"])
        driver = RunDriver(place, sprint, self.workspace.clock, self.tools, checkout=self.workspace.root)
        run, _ = driver.state()
        attempt = run.attempt(job.attempt)
        if attempt is None:
            raise WorkspaceError(f"the ledger of {job.run} has no {job.attempt}", hint="vfcc run status")
        ensure_tree(place, attempt.tree, tree)
        attempt = _prepared(driver, run, attempt, job, (file_in(clone, start, FIRST), file_in(clone, start, PROMPT)))
        ending = self._ending(driver, run, attempt, lambda: lease.lost or self.stopping.is_set())
        result = _result_commit(place, attempt, replace(ending, log=""), start, tree)
        self.tools.reached(f"push {job.attempt}")
        return self._pushed(clone, job, lease, result)

    def _place(self, folder: Path, run: str) -> RunPlace:
        below = place_of(self.workspace.root, run).below
        clone = folder / "clone"
        return RunPlace(clone, run, clone / ".git" / "vfcc" / "runs" / run, folder / "trees", below)

    def _ending(self, driver: RunDriver, run: RunState, attempt: RunAttempt, stop: Callable[[], bool]) -> AgentEnding:
        """Return how the client ended; what this machine lacks is no attempt of an agent's."""
        try:
            self._require_client(attempt)
            return ready_attempt(driver, run, attempt)(stop)
        except FleetAway:
            raise
        except VfccError as error:
            return AgentEnding(AgentOutcome.API_AUTH, message=f"worker {self.name}: {error.message}")

    def _require_client(self, attempt: RunAttempt) -> None:
        """Raise where this worker may not start a client, or cannot: the person here names what runs here."""
        client = client_and_model(attempt.client)[0]
        if client not in {client_and_model(each)[0] for each in self.clients}:
            raise NotAllowed(f"it may not start {client}", hint="vfcc run worker --agent CLIENT")
        program = of_checkout(self.tools.client(attempt.client).program, str(self.workspace.root))
        if shutil.which(program) is None:
            raise WorkspaceError(f"{program} is not installed here", hint="vfcc run worker --agent CLIENT")

    def _pushed(self, clone: Path, job: FleetJob, lease: _HeldLease, result: str) -> str:
        """Push a result while the lease lasts."""
        branch = job.branch(FleetBranch.RESULT)
        while True:
            if not lease.renew() and lease.lost:
                return "lost: its lease is gone"
            self.tools.reached(f"renewed {job.attempt}")
            try:
                push_new(clone, self.fleet.url, branch, result, run=job.run)
            except ConflictError:  # pushed by an earlier try, whose answer was lost
                refs = remote_refs(clone, self.fleet.url, job.run)
                return "pushed" if (f"refs/heads/{branch}", result) in refs else "lost: another result is there"
            except FleetAway:
                self.tools.wait(1)
            else:
                return "pushed"


def _prepared(
    driver: RunDriver, run: RunState, attempt: RunAttempt, job: FleetJob, texts: tuple[str, str]
) -> RunAttempt:
    """Lay out the texts of an attempt; one that was given out before gets a session that no other worker writes to."""
    first, own = texts
    if job.fence > 1:
        own = first if attempt.fresh else f"{first}\n{own}"
        first = own
        attempt = replace(attempt, fresh=True, session=str(uuid5(_SESSIONS, f"{attempt.session}/{job.fence}")))
    began = next(each for each in run.attempts if each.tree == attempt.tree)
    AttemptFiles(driver.place, began.id).write_prompt(first)
    AttemptFiles(driver.place, attempt.id).write_prompt(own)
    return attempt


def _result_commit(place: RunPlace, attempt: RunAttempt, ending: AgentEnding, start: str, tree: str) -> str:
    """Return the commit that carries a result: the files as the agent left them, how it ended, what it did to git."""
    files, message = git_files_changed(place, attempt), f"{place.run}: files of {attempt.id}"
    refs: tuple[str, ...] = ()
    if files:  # git is not asked in a worktree whose settings an agent wrote
        left = make_commit(place.root, {}, [tree], message)
    else:
        top = place.tree(attempt.tree)
        refs = refs_with(top, attempt.base, branch_of(place.run, attempt.tree))
        left = snapshot(top, message)
    if not ending.session:
        ending = replace(ending, session=attempt.session)
    texts = {ENDING: dumps(record_to_json(ending)), FAULTS: dumps(record_to_json(GitFaults(files, refs)))}
    return make_commit(place.root, texts, [start, left], f"{place.run}: result of {attempt.id}")
