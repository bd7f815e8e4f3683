"""Start an attempt: its worktree, its prompt, its session; then run the client, again after a crash."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event

from verifflowcc.base.config.tools_file import WITHOUT_A_FILE, read_tools
from verifflowcc.base.errors import UsageError, VfccError, WorkspaceError
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_head import note_started
from verifflowcc.base.model.entries import Question
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.model.protected_paths import CLOSED
from verifflowcc.base.model.sprint_state import SprintState, artifacts_folder
from verifflowcc.base.process.command_run import CommandResult, run_command
from verifflowcc.base.records import replace
from verifflowcc.base.text.canonical import canonical, digest_bytes, digest_text
from verifflowcc.base.text.glob import select
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.code.use.commit_updates import UNREAD
from verifflowcc.code.use.indexing import index_code
from verifflowcc.prompt.use.prompt_use import compile_prompt_only, role_of_stage
from verifflowcc.run.rules.agent_answers import READING_TOOLS, REVIEW_FORM, REVIEW_TEXT, REVIEWER
from verifflowcc.run.rules.agent_port import (
    NO_USAGE,
    AgentCommand,
    AgentEnding,
    AgentLimits,
    AgentOutcome,
    AgentStep,
    AgentTask,
    AgentUsage,
    StepKind,
)
from verifflowcc.run.rules.client_choice import client_and_model
from verifflowcc.run.rules.run_fold import RunAttempt, RunState
from verifflowcc.run.rules.run_moves import ATTEMPT_MINUTES, RunMove, SprintPlace, blockers_text
from verifflowcc.run.store.agent_process import RUN_VARIABLE, passed_variables
from verifflowcc.run.store.run_tree import bring_up_to_date, ensure_tree, guarded_state, head_of, rescue, reset_tree
from verifflowcc.run.use.attempt_files import AttemptFiles
from verifflowcc.run.use.run_machinery import RunDriver
from verifflowcc.sprint.use.allow_use import ensure_allowed
from verifflowcc.sprint.use.configuration import effective_config

ROLE_TEXT = """\
You are the {role} of the stage {stage} in a run that vfcc drives; no person can answer questions.
Work in this folder alone. Change only what your role may change, write the artifacts that the stage asks for, then end.
Do not commit, push, merge or move the sprint: vfcc commits your files, runs the checks and asks the gate.
"""
REVIEW_ROLE = """\
You are the {role} of the stage {stage} in a run that vfcc drives; no person can answer questions.
Read the work in this folder, change nothing, and answer in the form that is asked for.
"""
AHEAD_TEXT = """\
The code of this sprint is written by another role at the same time, and is not in this folder. Write the tests from the
specification, not from the code; here they may fail. Once both are merged you are asked again for what is missing.
"""
BESIDE_TEXT = """\
Another role writes the tests at the same time, from the specification: add and change no test.
"""
GO_ON = "You were interrupted, and what you did last may be half done. Check it, finish the task, then end.\n"


def start_attempt(driver: RunDriver, run: RunState, sprint: SprintState, place: SprintPlace, move: RunMove) -> None:
    """Make the worktree and the prompt of the next attempt, and write to the ledger that it starts."""
    if move.wait_s:
        _wait(driver, move.wait_s)
    if move.review:
        place = replace(place, role=REVIEWER)
    if move.ahead:
        place = replace(place, stage=place.next, role=place.next_role)
    number = 1 + sum(each.role == place.role for each in run.attempts)
    attempt_id = f"{place.role}-{number}"
    driver.save_before(attempt_id)
    base = head_of(driver.place.tree())
    assert base is not None
    resumed = move.resumes
    if resumed is not None and not _joined(driver, resumed, base):
        resumed = None
    tree = resumed.tree if resumed else attempt_id
    top = ensure_tree(driver.place, tree, base)
    if resumed is None and head_of(top) != base:  # made before a crash, and nothing was started in it
        rescue(driver.place, tree, tree)
        reset_tree(top, base)
    client, model = client_and_model(move.client)
    text = blockers_text([each for each in move.blockers if not each.person]) if move.blockers else ""
    if resumed is None:
        text = _prompt(driver, place, sprint, tree, move.review) + (f"\n{text}" if text else "")
    files = AttemptFiles(driver.place, attempt_id)
    files.clear()
    files.write_prompt(text)
    payload: dict[str, Json] = {
        "attempt": attempt_id,
        "stage": str(place.stage),
        "stay": place.stay,
        "role": place.role,
        "base": base,
        "prompt": digest_text(text),
        "client": move.client if model else client,
        "model": model,
        "session": resumed.session if resumed else _new_session(),
        "tree": tree,
        "fresh": resumed is None,
        **({"review": move.review} if move.review else {}),
        **({"ahead": True} if move.ahead else {}),
    }
    driver.note(EventType.ATTEMPT_STARTED, payload)
    driver.save(f"{attempt_id} started")


def _wait(driver: RunDriver, seconds: int) -> None:
    driver.saved = False
    driver.tools.say(f"the service of the client failed; waiting {seconds} s")
    for _ in range(seconds):
        if driver.stop_asked():
            return
        driver.tools.wait(1)


def _joined(driver: RunDriver, resumed: RunAttempt, base: str) -> bool:
    """Whether the worktree of an earlier attempt is there, with all of the integration branch in it."""
    top = ensure_tree(driver.place, resumed.tree, resumed.commit or resumed.base)
    return bring_up_to_date(top, base)


def _prompt(driver: RunDriver, place: SprintPlace, sprint: SprintState, tree: str, review: str = "") -> str:
    """Return the prompt of the stage's role, or of a review, compiled in the attempt's worktree."""
    here = Workspace(driver.place.project(tree), driver.clock)
    note_started(here.local, sprint.id)
    role = role_of_stage(here, sprint.id, place.stage)
    question = Question(role, sprint.id, place.stage)
    prompt = compile_prompt_only(here, question)
    if any(UNREAD in each for each in prompt.notices):  # an agent waits for the code of its new worktree
        index_code(here)
        prompt = compile_prompt_only(here, question)
    text = prompt.text if prompt.text.endswith("\n") else f"{prompt.text}\n"
    return f"{text}\n{_review_text(driver, sprint, str(place.stage), review)}" if review else text


def _review_text(driver: RunDriver, sprint: SprintState, stage: str, criterion: str) -> str:
    found = sprint.stage(stage)
    asked = (*found.stage.enter, *found.stage.exit) if found else ()
    title = next((each.title for each in asked if each.id == criterion), "") or criterion
    base = driver.state()[0].base
    return REVIEW_TEXT.format(stage=stage, criterion=criterion, title=title, base=base)


def _new_session() -> str:
    from uuid import uuid4

    return str(uuid4())


def run_attempts(driver: RunDriver, run: RunState, attempts: Sequence[RunAttempt]) -> tuple[AgentEnding, ...]:
    """Run the clients of attempts that have started, at the same time, and return how each ended.

    Each ending is kept for a resume as soon as it is there. Where one is interrupted or fails, so is the other.
    """
    works = [ready_attempt(driver, run, each) for each in attempts]
    if len(works) <= 1:
        return tuple(each(driver.stop_now) for each in works)
    from concurrent.futures import ThreadPoolExecutor

    halted = Event()

    def work(one: Callable[[Callable[[], bool]], AgentEnding]) -> AgentEnding:
        try:
            return one(lambda: halted.is_set() or driver.stop_now())
        except BaseException:
            halted.set()
            raise

    with ThreadPoolExecutor(len(works)) as pool:
        futures = [pool.submit(work, each) for each in works]
        try:
            return tuple(each.result() for each in futures)
        finally:  # also where a signal ends the wait: the pool waits for its agents to end
            halted.set()


def ready_attempt(driver: RunDriver, run: RunState, attempt: RunAttempt) -> Callable[[Callable[[], bool]], AgentEnding]:
    """Prepare the worktree of an attempt that has started, and return what runs its client.

    After a crash its processes are ended first. A session that began is resumed in the worktree as it is; where there
    is none, the files so far are rescued, and the attempt begins again with its prompt.
    """
    files = AttemptFiles(driver.place, attempt.id)
    marker = f"{driver.place.marker}/{attempt.id}"
    driver.tools.sweep(marker)
    client = driver.tools.client(attempt.client)
    top = ensure_tree(driver.place, attempt.tree, attempt.base)
    interrupted = files.was_spawned()
    session = files.session() or attempt.session
    resuming = interrupted and client.abilities.resumes and bool(files.session())
    if interrupted and not resuming:
        rescue(driver.place, attempt.tree, attempt.id)
        reset_tree(top, files.spawned_at() or attempt.base)
    task = _task(driver, run, attempt, session, _first_text(driver, run, attempt))
    text = GO_ON if resuming else "" if attempt.fresh else _text(driver, attempt)
    prepare_tree(driver.workspace, driver.place.project(attempt.tree), marker, driver.tools.say, driver.checkout)
    files.write_guarded(dict(guarded_state(top)))
    files.note_spawn(head_of(top) or attempt.base)
    driver.tools.reached(f"spawn {attempt.id}")

    def seen(step: AgentStep) -> None:
        if step.kind is StepKind.STARTED and step.session:
            files.write_session(step.session)
        driver.tools.on_step(attempt.id, step)

    def work(stop: Callable[[], bool]) -> AgentEnding:
        def call(command: AgentCommand) -> AgentEnding:
            before = _used_before(run, attempt)
            return driver.tools.run(client, command, task.limits, marker, seen, stop, before=before)

        ending = call(client.resume(task, text) if text else client.start(task))
        if text and ending.no_session:  # the client was killed before it kept the session
            ending = call(client.start(replace(task, prompt=f"{task.prompt}\n{text}")))
        if ending.outcome is AgentOutcome.INTERRUPTED and stop():
            raise KeyboardInterrupt
        files.write_ending(ending)
        driver.tools.reached(f"ended {attempt.id}")
        return ending

    return work


def attempt_texts(driver: RunDriver, run: RunState, attempt: RunAttempt) -> tuple[str, str]:
    """Return the prompt with which the session of an attempt began, and what the attempt itself is given."""
    return _first_text(driver, run, attempt), _text(driver, attempt)


def _first_text(driver: RunDriver, run: RunState, attempt: RunAttempt) -> str:
    """Return the prompt with which the session of an attempt began."""
    first = next(each for each in run.attempts if each.tree == attempt.tree)
    return _text(driver, first if first.fresh else attempt)


def _text(driver: RunDriver, attempt: RunAttempt) -> str:
    """Return what an attempt is given; compiled again where the folder of the run was deleted."""
    kept = AttemptFiles(driver.place, attempt.id).prompt()
    if kept is not None:
        return kept
    run, sprint = driver.state()
    verdict = run.verdict(attempt.stay)
    blockers = blockers_text(verdict.blockers) if verdict and verdict.blockers else ""
    if not attempt.fresh:
        return blockers or GO_ON
    place = SprintPlace(attempt.stage, attempt.stay, attempt.role)
    blockers = "" if attempt.review else blockers
    return _prompt(driver, place, sprint, attempt.tree, attempt.review) + (f"\n{blockers}" if blockers else "")


def _task(driver: RunDriver, run: RunState, attempt: RunAttempt, session: str, text: str) -> AgentTask:
    project = driver.place.project(attempt.tree)
    scratch = AttemptFiles(driver.place, attempt.id).folder
    passed = effective_config(driver.workspace).config.run.environment
    tools = role_tools(driver.workspace, attempt.role)
    if attempt.review:
        tools = {name: table for name, table in tools.items() if name in READING_TOOLS}
    return AgentTask(
        folder=str(project),
        scratch=str(scratch),
        role=attempt.role,
        prompt=text,
        role_text=_role_text(run, attempt),
        session=session,
        tools=tools,
        closed=CLOSED,
        opened=() if attempt.review else (f"{artifacts_folder(run.sprint, attempt.stage)}/**",),
        model=attempt.model,
        limits=_limits(run),
        schema=REVIEW_FORM if attempt.review else "",
        environment={**passed_variables(passed, os.environ), "VFCC_SPRINT": run.sprint},
        checkout=str(driver.home),
    )


def _role_text(run: RunState, attempt: RunAttempt) -> str:
    text = (REVIEW_ROLE if attempt.review else ROLE_TEXT).format(role=attempt.role, stage=attempt.stage)
    if attempt.ahead:
        return text + AHEAD_TEXT
    return text + BESIDE_TEXT if is_beside(run, attempt) else text


def is_beside(run: RunState, attempt: RunAttempt) -> bool:
    """Whether another role writes, or wrote, the tests beside an attempt."""
    return not attempt.ahead and not attempt.review and run.ahead_in(attempt.stay) is not None


def role_tools(workspace: Workspace, role: str) -> dict[str, Json]:
    """Return the table of a role's `tools.yaml`; a role without one only reads."""
    path = Path(workspace.root, MEMORY, "agent", role, "tools.yaml")
    try:
        found = read_tools(path, workspace.root)
    except VfccError as error:
        raise WorkspaceError(error.message, hint=error.hint or "vfcc doctor") from error
    return dict(WITHOUT_A_FILE) if found is None else found


def _limits(run: RunState) -> AgentLimits:
    """Return the ceilings of one attempt: its share of what is left of those of the run."""
    used, sharing = run.usage, max(len(run.open_attempts), 1)
    minutes, tokens, money = (run.limits.get(name) for name in ("minutes", "tokens", "micro_usd"))
    seconds = ATTEMPT_MINUTES * 60
    if minutes is not None:
        seconds = max(min(seconds, (minutes * 60 - run.seconds) // sharing), 1)
    return AgentLimits(
        seconds=seconds,
        micro_usd=None if money is None else max((money - (used.micro_usd or 0)) // sharing, 1),
        tokens=None if tokens is None else max((tokens - used.tokens) // sharing, 1),
    )


def _used_before(run: RunState, attempt: RunAttempt) -> AgentUsage:
    """Return what the attempt's session used before it."""
    total = NO_USAGE
    for each in run.attempts:
        if each.id != attempt.id and each.session == attempt.session and each.usage:
            total = total.plus(each.usage)
    return total


# A new worktree lacks what git ignores, so that the command which `run.setup` names prepares it. It runs again only
# where the files that it depends on, its `inputs`, have changed. The note of that lies in the worktree's own folder of
# git, so that it is gone when the worktree is.

SETUP_NOTE = "vfcc-setup"
_LAST_LINES = 5


def prepare_tree(
    workspace: Workspace, folder: Path, marker: str, say: Callable[[str], None], checkout: Path | None = None
) -> bool:
    """Run the set-up of the project in `folder`, a worktree; return whether it ran.

    `workspace` has the configuration that counts: not the one of the worktree, which an agent may have changed. The
    permission is that of `checkout`, where it is given.
    Raises UsageError where `run.setup` names no command, CommandsNotAllowed where this machine does not allow the
    project's commands, and WorkspaceError where the command fails.
    """
    config = effective_config(workspace).config
    if config.run.setup is None:
        return False
    command = config.gates.commands.get(config.run.setup)
    if command is None:
        known = ", ".join(config.gates.commands) or "none yet"
        raise UsageError(
            f"run.setup names {config.run.setup}, and gates.commands has {known}", hint="vfcc check config"
        )
    ensure_allowed(Workspace(checkout, workspace.clock) if checkout else workspace, config.gates.commands)
    note, key = _setup_note(folder), _setup_key(folder, command)
    if note.is_file() and note.read_text(encoding="utf-8") == key:
        return False
    say(f"setting up {folder}: {command.name}")
    env = {**os.environ, RUN_VARIABLE: marker}
    done = run_command(folder, command.argv, command.timeout_s, env=env)
    if done.exit_code != 0:
        raise WorkspaceError(f"the set-up of {folder} failed: {_why(done)}", hint=f"vfcc evidence run {command.name}")
    write_atomic(note, key)
    return True


def _setup_key(folder: Path, command: Command) -> str:
    """Return the digest of the command and of the files that it depends on; without `inputs`, of the command alone."""
    listed = ask_git(folder, "ls-files", "-z").out.decode("utf-8", "surrogateescape").split("\0")
    paths = select(listed, command.inputs) if command.inputs else ()
    files = [[path, digest_bytes((folder / path).read_bytes())] for path in paths if (folder / path).is_file()]
    return digest_bytes(canonical([list(command.argv), files]))


def _setup_note(folder: Path) -> Path:
    found = ask_git(folder, "rev-parse", "--absolute-git-dir").out.decode("utf-8", "surrogateescape").strip()
    return Path(found) / SETUP_NOTE


def _why(done: CommandResult) -> str:
    lines = done.output.decode("utf-8", "replace").strip().splitlines()[-_LAST_LINES:]
    return "; ".join([done.failure or f"exit code {done.exit_code}", *lines])
