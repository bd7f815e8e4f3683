"""Open a run, continue one, retry a stage, stop it, and clean up after it."""

import os
import shutil
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from verifflowcc.base.errors import ConflictError, NotAllowed, UsageError, WorkspaceError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.git.git_command import change_with_git
from verifflowcc.base.git.git_commit import read_repository_code
from verifflowcc.base.git.git_head import current_branch, note_started
from verifflowcc.base.git.git_protected import uncommitted_files
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.people import PROGRAM
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.identifiers import numbered, slug
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.stage_words import find_stage
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.use.stages import reopen_stage
from verifflowcc.run.rules.agent_answers import REVIEWER
from verifflowcc.run.rules.client_choice import of_checkout
from verifflowcc.run.rules.run_fold import RunState, RunStatus
from verifflowcc.run.rules.run_moves import MAX_ATTEMPTS, MAX_MINUTES, MAX_TOKENS
from verifflowcc.run.store.run_tree import (
    INTEGRATION,
    RunPlace,
    branch_of,
    commit_of,
    ensure_tree,
    place_of,
    remove_tree,
    rescue,
    reset_tree,
    runs_folder,
    tree_names,
)
from verifflowcc.run.use.driving import blockers_of, drive, driving, require_reviewable
from verifflowcc.run.use.run_machinery import RunDriver, RunMachinery
from verifflowcc.run.use.run_reading import (
    STOP,
    TAG,
    OpenRun,
    all_runs,
    beside_stage,
    driver_of,
    find_run,
    integration_workspace,
    merge_command,
    sprint_place,
)
from verifflowcc.sprint.store.allowed import allows_code
from verifflowcc.sprint.use.allow_use import ensure_allowed
from verifflowcc.sprint.use.configuration import effective_config
from verifflowcc.sprint.use.sprint_reading import active_sprint, load_movable

WAIT_S = 5.0
RunClients = Mapping[str, tuple[str, ...]]
"""Role, or `*`, → its clients in the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class RunOrder:
    """The settings of a run: the clients of each role (`*`: of all others), and its ceilings."""

    reviews: RunClients = field(default_factory=dict)
    """Criterion → the client that reviews it."""
    clients: RunClients = field(default_factory=lambda: {"*": ("claude",)})
    until: str | None = None
    attempts: int = MAX_ATTEMPTS
    minutes: int | None = MAX_MINUTES
    tokens: int | None = MAX_TOKENS
    micro_usd: int | None = None
    parallel: bool = False
    fleet: bool = False

    def limits(self) -> dict[str, int | None]:
        """Return the ceilings as an event holds them."""
        return {
            "attempts": self.attempts,
            "minutes": self.minutes,
            "tokens": self.tokens,
            "micro_usd": self.micro_usd,
        }


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run would do: its id, and each stage that is left with its role and clients."""

    run: str
    sprint: str
    branch: str
    trees: str
    """The folder of its worktrees."""
    stages: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Stage, role, and clients in the order in which they are tried."""
    limits: Mapping[str, int | None]
    ahead: tuple[str, ...] = ()
    """Stages whose role begins while that of the stage before still works."""


def start_run(workspace: Workspace, sprint: str | None, order: RunOrder, tools: RunMachinery) -> RunState:
    """Open a run of a sprint and drive it. Raises ConflictError where one of the sprint is open already."""
    with _attempts_by(workspace, tools, fleet=order.fleet) as machinery:
        return _started_run(workspace, sprint, order, machinery)


def _started_run(workspace: Workspace, sprint: str | None, order: RunOrder, tools: RunMachinery) -> RunState:
    with locked(runs_folder(workspace.root) / "opening", WAIT_S):
        state = _checked(workspace, sprint, order, tools)
        if not order.fleet:
            _require_installed(workspace, _all_clients(order), tools, hint="vfcc run --agent CLIENT")
        if uncommitted := uncommitted_files(workspace.root):
            tools.say(f"note: the run starts from the last commit; {len(uncommitted)} changed files are not part of it")
        driver = _opened(workspace, state, order, tools)
    with driving(driver):
        return _driven(driver)


@contextmanager
def _attempts_by(workspace: Workspace, tools: RunMachinery, *, fleet: bool) -> Iterator[RunMachinery]:
    """Give the machinery for attempts on this machine or, where they go to a fleet, on its workers."""
    if not fleet:
        yield tools
        return
    from verifflowcc.run.use.fleet_coordinator import coordinating

    with coordinating(workspace, tools) as found:
        yield found


def _driven(driver: RunDriver) -> RunState:
    """Drive a run; what a fleet's run comes to is pushed."""
    state = drive(driver)
    if state.fleet:
        from verifflowcc.run.use.fleet_coordinator import publish_run

        publish_run(driver, state)
    return state


def plan_run(workspace: Workspace, sprint: str | None, order: RunOrder, tools: RunMachinery) -> RunPlan:
    """Return what a run would do; nothing is written. Raises as `start_run` does."""
    state = _checked(workspace, sprint, order, tools, restore=False)
    for program in _missing_programs(workspace, _all_clients(order), tools):
        tools.say(f"note: {program} is not installed here")
    place = place_of(workspace.root, _free_id(workspace, state.id))
    assert state.workflow is not None
    left, stages, ahead = state.current is None, [], []
    for each in state.workflow.stages:
        left = left or each.id == state.current
        if left:
            stages.append((each.id, each.role, order.clients.get(each.role) or order.clients["*"]))
            stages += [(each.id, REVIEWER, order.reviews[one.id]) for one in each.exit if one.id in order.reviews]
        if each.id == order.until:
            break
        if left and order.parallel and (beside := beside_stage(state, each.id)):
            ahead.append(beside.id)
    branch, trees = branch_of(place.run), str(place.trees)
    return RunPlan(place.run, state.id, branch, trees, tuple(stages), order.limits(), tuple(ahead))


def _checked(
    workspace: Workspace, sprint: str | None, order: RunOrder, tools: RunMachinery, *, restore: bool = True
) -> SprintState:
    """Return the sprint that can be run; raise where it cannot. `restore` is that of `all_runs`."""
    state = active_sprint(workspace, sprint)
    state = load_movable(workspace, state.id)[1]
    if state.status is SprintStatus.CLOSED:
        raise UsageError(f"{state.id} is closed", hint='vfcc sprint start "Title"')
    if order.until:
        find_stage(state, order.until)
    require_reviewable(state, order.reviews)
    _require_roles(state, order.clients)
    for each in _named(_all_clients(order)):
        tools.client(each)
    _require_committed(workspace, state)
    _require_allowed(workspace, state)
    other = next((each for each in all_runs(workspace, restore=restore) if _is_open(each, state.id)), None)
    if other is not None:
        raise ConflictError(
            f"{state.id} has an open run already: {other.state.id} ({other.state.status})",
            hint=f"vfcc run resume {other.state.id}  # or: vfcc run clean {other.state.id} --force",
        )
    return state


def _require_roles(state: SprintState, clients: RunClients) -> None:
    """Raise UsageError where a client is given to a role that no stage of the sprint has."""
    roles = dict.fromkeys(each.stage.role for each in state.stages)
    for name in clients:
        if name != "*" and name not in roles:
            near = nearest(name, roles)
            known = f"did you mean {near}?" if near else f"there is {', '.join(roles)}"
            raise UsageError(f"no stage of {state.id} has the role {name}; {known}", hint="vfcc run --dry-run")


def _require_installed(workspace: Workspace, clients: RunClients, tools: RunMachinery, *, hint: str) -> None:
    """Raise UsageError where this machine lacks a client of a run, before an attempt is spent on that."""
    if missing := _missing_programs(workspace, clients, tools):
        raise UsageError(f"{missing[0]} is not installed here", hint=hint)


def _missing_programs(workspace: Workspace, clients: RunClients, tools: RunMachinery) -> list[str]:
    programs = [of_checkout(tools.client(each).program, str(workspace.root)) for each in _named(clients)]
    return [each for each in programs if shutil.which(each) is None]


def _all_clients(of: RunOrder | RunState) -> RunClients:
    """Return the clients of roles and of reviews; a criterion may have the name of a role."""
    return {**of.clients, **{f"review {name}": words for name, words in of.reviews.items()}}


def _named(clients: RunClients) -> tuple[str, ...]:
    """Return every client that is named, once."""
    return tuple(dict.fromkeys(word for words in clients.values() for word in words))


def _is_open(found: OpenRun, sprint_id: str) -> bool:
    return found.state.sprint == sprint_id and found.state.status is not RunStatus.DONE


def _require_committed(workspace: Workspace, state: SprintState) -> None:
    """Raise UsageError where the commit that the run branches from lacks files of the project's memory."""
    root = workspace.root
    if commit_of(root, "HEAD") is None:
        raise WorkspaceError("the repository has no commit that a run could branch from", hint="git commit")
    out = change_with_git(root, "status", "--porcelain", "--untracked-files=all", "--", ".memory").out
    listed = [line[3:] for line in out.decode("utf-8", "replace").splitlines()]
    if listed:
        more = f" and {len(listed) - 1} more" if len(listed) > 1 else ""
        raise UsageError(
            f"a run of {state.id} starts from the last commit, which lacks {listed[0]}{more}",
            hint="git add .memory && git commit -m 'vfcc: memory' -- .memory",
        )


def _require_allowed(workspace: Workspace, state: SprintState) -> None:
    """Raise NotAllowed where the project's commands, or filters of its repository, are not allowed on this machine."""
    filters = tuple(each for each in read_repository_code(workspace.root) if each.kind == "setting")
    if filters and not allows_code(workspace.root, filters, os.environ):
        names = ", ".join(each.name for each in filters)
        raise NotAllowed(f"git would run {names} in the worktrees of a run, not allowed yet", hint="vfcc allow")
    commands = effective_config(workspace).config.gates.commands
    stages = state.workflow.stages if state.workflow else ()
    if commands and any(each.command for stage in stages for each in (*stage.enter, *stage.exit)):
        ensure_allowed(workspace, commands)


def _free_id(workspace: Workspace, sprint_id: str) -> str:
    known = {each.state.id for each in all_runs(workspace)}
    number = 1
    base = slug(sprint_id, "run")
    while (name := numbered(base, number)) in known:
        number += 1
    return name


def _opened(workspace: Workspace, state: SprintState, order: RunOrder, tools: RunMachinery) -> RunDriver:
    """Make the integration worktree and write to its ledger that the run is open."""
    root, run = workspace.root, _free_id(workspace, state.id)
    base = commit_of(root, "HEAD")
    assert base is not None
    place = place_of(root, run)
    top = ensure_tree(place, INTEGRATION, base)
    if commit_of(top, "HEAD") != base:  # left by a start that was killed before it opened the run
        rescue(place, INTEGRATION, INTEGRATION)
        reset_tree(top, base)
    tools.reached("opening")
    here = integration_workspace(place, workspace.clock)
    note_started(here.local, state.id)
    driver = RunDriver(place, state.id, workspace.clock, tools)
    clients: dict[str, Json] = {role: list(words) for role, words in order.clients.items()}
    payload: dict[str, Json] = {"base": base, "until": order.until, "clients": clients, "limits": order.limits()}
    if order.reviews:
        payload["reviews"] = {name: list(words) for name, words in order.reviews.items()}
    if order.parallel:
        payload["parallel"] = True
    if order.fleet:
        payload["fleet"] = effective_config(workspace).config.run.fleet.name
    driver.note(EventType.RUN_OPENED, {**payload, "branch": current_branch(root)})
    driver.save("opened")
    return driver


def resume_run(
    workspace: Workspace, run: str | None, limits: Mapping[str, int | None], tools: RunMachinery
) -> RunState:
    """Continue a run: after a crash, a stop, a limit, or once a person has done what was asked.

    `limits` replace those of the run. Raises ConflictError where another driver works on it.
    """
    found = find_run(workspace, run, restore=True)
    if found.state.status is RunStatus.DONE:
        return found.state
    with _attempts_by(workspace, tools, fleet=bool(found.state.fleet)) as machinery:
        return _resumed(workspace, found, limits, machinery)


def _resumed(workspace: Workspace, found: OpenRun, limits: Mapping[str, int | None], tools: RunMachinery) -> RunState:
    driver = _driver(workspace, found, tools)
    with driving(driver):
        _restore(driver)
        state, sprint = driver.state()
        if state.status is RunStatus.DONE:
            return state
        if state.status is RunStatus.WAITING and _still_waits(driver, state, sprint):
            return state
        if not state.fleet:
            _require_installed(workspace, _all_clients(state), tools, hint=f"vfcc run status {state.id}")
        if state.status is not RunStatus.WORKING or limits:
            answers = state.asked.event if state.asked else None
            driver.note(EventType.RUN_ANSWERED, {"answers": answers, **({"limits": dict(limits)} if limits else {})})
            driver.save("resumed")
        return _driven(driver)


def retry_stage(workspace: Workspace, stage: str, run: str | None, tools: RunMachinery) -> RunState:
    """Give a stage its attempts again, and continue; a stage that was left is reopened first."""
    found = find_run(workspace, run, restore=True)
    with _attempts_by(workspace, tools, fleet=bool(found.state.fleet)) as machinery:
        return _retried(workspace, found, stage, machinery)


def _retried(workspace: Workspace, found: OpenRun, stage: str, tools: RunMachinery) -> RunState:
    driver = _driver(workspace, found, tools)
    with driving(driver):
        _restore(driver)
        state, sprint = driver.state()
        find_stage(sprint, stage)
        if state.status is RunStatus.DONE:
            raise UsageError(f"{state.id} is done", hint="vfcc run")
        if not state.fleet:
            _require_installed(workspace, _all_clients(state), tools, hint=f"vfcc run status {state.id}")
        if sprint.current != stage:
            reopen_stage(driver.workspace, sprint.id, stage, f"retry of the run {state.id}", actor=PROGRAM)
        driver.note(EventType.RUN_ANSWERED, {"answers": None, "retry": stage})
        driver.save(f"retry of {stage}")
        return _driven(driver)


def _driver(workspace: Workspace, found: OpenRun, tools: RunMachinery) -> RunDriver:
    return RunDriver(found.place, found.state.sprint, workspace.clock, tools)


def _restore(driver: RunDriver) -> None:
    """Make the integration worktree again where it was removed; end what an earlier driver left running."""
    branch = branch_of(driver.place.run)
    commit = commit_of(driver.place.root, f"refs/heads/{branch}")
    if commit is None:
        raise UsageError(f"the branch {branch} is gone: the run was cleaned", hint="vfcc run")
    ensure_tree(driver.place, INTEGRATION, commit)
    driver.tools.sweep(driver.place.marker)


def _still_waits(driver: RunDriver, state: RunState, sprint: SprintState) -> bool:
    """Whether what was asked of a person is not done yet."""
    place = sprint_place(sprint)
    if state.asked is None or place.stage is None or place.stay != state.asked.stay:
        return False
    verdict = state.verdict(place.stay)
    if any(f"to do: {TAG}" in each.reason for each in (verdict.blockers if verdict else ())):
        return False  # only new evidence shows whether there is one now
    now = blockers_of(driver.workspace, sprint.id, place.stage)
    return verdict is not None and now == verdict.blockers


def stop_run(workspace: Workspace, run: str | None, tools: RunMachinery, *, now: bool) -> str:
    """Ask the driver of a run to stop after its step, or at once; return what was done, as a sentence.

    Where no driver is alive, what it left running is ended, and the run is stopped on the ledger.
    """
    found = find_run(workspace, run, restore=True)
    pid = driver_of(found.place)
    if pid is None:
        return _stop_without_driver(workspace, found, tools)
    write_atomic(found.place.folder / STOP, "now\n" if now else "after this step\n")
    if now and pid.isdecimal():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(int(pid), signal.SIGTERM)
        return f"{found.state.id}: process {pid} got a signal to end its agent and stop"
    return f"{found.state.id}: process {pid} stops when its attempt has ended; at once: vfcc run stop --now"


def _stop_without_driver(workspace: Workspace, found: OpenRun, tools: RunMachinery) -> str:
    driver = _driver(workspace, found, tools)
    with driving(driver):
        _restore(driver)
        state, _ = driver.state()
        if state.status is not RunStatus.WORKING:
            return f"{state.id} does not work: {state.status}"
        driver.note(EventType.RUN_STOPPED, {"why": str(RunStatus.STOPPED), "detail": "asked for"})
        driver.save("stopped")
    return f"{found.state.id}: stopped; no driver was alive"


def take_over_run(workspace: Workspace, found: OpenRun) -> str:
    """Fast-forward the checkout's branch to what a run made, if it is clean and has not moved; return a sentence.

    It is the one command that touches the checkout, and runs only where a person asked for it.
    """
    root, branch = workspace.root, branch_of(found.place.run)
    command = merge_command(found.place)
    if current_branch(root) != found.state.branch or commit_of(root, "HEAD") != found.state.base:
        return f"not merged, since the checkout moved; to merge it: {command.replace('--ff-only ', '')}"
    if change_with_git(root, "status", "--porcelain").out.strip():
        return f"not merged, since files of the checkout changed; to merge it: {command}"
    done = change_with_git(root, "merge", "--ff-only", "--quiet", branch)
    return f"merged: {branch}" if done.code == 0 else f"not merged: {done.first_line}; to merge it: {command}"


@dataclass(frozen=True, slots=True)
class RunCleanup:
    """What a clean-up removed, and the refs that keep what was not merged."""

    run: str
    removed: tuple[str, ...]
    """Names of worktrees with their branches."""
    kept: tuple[str, ...]
    """Names of worktrees that were left, since they hold work that is not merged."""
    rescued: tuple[str, ...]


def clean_run(workspace: Workspace, run: str | None, tools: RunMachinery, *, force: bool = False) -> RunCleanup:
    """Remove the worktrees and branches of a run whose work is merged, and what it kept outside of git.

    Unmerged work gets a rescue ref, and its worktree stays unless `force` is given. The integration branch goes once
    the checkout's branch has it. Raises ConflictError while a driver works on the run.
    """
    found = find_run(workspace, run, restore=True)
    driver = _driver(workspace, found, tools)
    removed, kept, rescued = [], [], []
    with driving(driver):
        tools.sweep(found.place.marker)
        for name in tree_names(found.place):
            ref = _rescued(found.place, name)
            if ref:
                rescued.append(ref)
            if ref and not force:
                kept.append(name)
                continue
            remove_tree(found.place, name)
            removed.append(name)
        if found.state.fleet and not kept:
            from verifflowcc.run.use.fleet_coordinator import withdraw_run

            withdraw_run(workspace, found.place.run)
    return RunCleanup(found.place.run, tuple(removed), tuple(kept), tuple(rescued))


def _rescued(place: RunPlace, name: str) -> str | None:
    """Keep what a worktree has and neither the integration branch nor, for that one, the checkout has."""
    if name != INTEGRATION:
        return rescue(place, name, name)
    commit = commit_of(place.root, f"refs/heads/{branch_of(place.run)}")
    head = commit_of(place.root, "HEAD")
    if commit and head and change_with_git(place.root, "merge-base", "--is-ancestor", commit, head).code == 0:
        return None
    return rescue_commit(place, commit) if commit else None


def rescue_commit(place: RunPlace, commit: str) -> str:
    """Keep the integration branch of a run under a rescue ref."""
    ref = f"refs/vfcc/rescue/{place.run}/{INTEGRATION}"
    done = change_with_git(place.root, "update-ref", ref, commit)
    if done.code:
        raise WorkspaceError(f"git cannot keep {commit[:12]}: {done.first_line}", hint="git status")
    return ref
