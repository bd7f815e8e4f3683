"""What all that people say in a sprint has in common: who may say it, until when it holds, how it is recorded."""

import os
import re
import shlex
from collections.abc import Callable, Mapping
from datetime import date

from verifflowcc.base.errors import ConflictError, LedgerError, NotAllowed, UsageError, VfccError
from verifflowcc.base.files.layout import is_projection
from verifflowcc.base.files.ledger import LedgerWriter
from verifflowcc.base.formats.event_bytes import encode_event, make_event
from verifflowcc.base.git.git_commit import commit_paths
from verifflowcc.base.git.git_place import in_repository
from verifflowcc.base.model.events import LARGEST_EVENT_BYTES, Event, EventType, Json, LedgerRead
from verifflowcc.base.model.gate_values import BASELINES, CriterionKind, Mode
from verifflowcc.base.model.people import NAMELESS, needs_person
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.sprint_fold import fold
from verifflowcc.sprint.rules.sprint_people import Learning, progress_document
from verifflowcc.sprint.store.allowed import allows_code
from verifflowcc.sprint.use.sprint_reading import ledger_of, load_movable, parse_results, results_path

# What every move of a sprint has in common: read, make the event, write it under the lock, tell what happened.

Prepare = Callable[[LedgerWriter], tuple[str, ...]]
"""Writes the files that go with an event, before it; returns their paths relative to `.memory/`."""


@dataclass(frozen=True, slots=True)
class Transition:
    """A move that has happened.

    `state` is the sprint after it; `before` and `after` are the stages in work. `written` are paths relative to the
    project's root. `committed` is the id of the git commit, if one was made; else `git_command` is what would make it,
    or None outside of git. `notes` (what went on record, what became stale) and `warnings` are sentences. `learnings`
    are what the end of a sprint offers to keep. Where `changed` is false, an earlier command made this move: nothing
    was written, and `state` is the sprint as it is now.
    """

    state: SprintState
    """The sprint after the move."""
    event: Event
    before: str | None
    """The active stage before, or null."""
    after: str | None
    """The active stage after, or null."""
    written: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """What was recorded or became stale."""
    warnings: tuple[str, ...] = ()
    committed: str | None = None
    """The git commit, or null."""
    git_command: str | None = None
    """The command that would commit the move."""
    learnings: tuple[Learning, ...] = ()
    """At the close: what could be kept, with the command."""
    changed: bool = True
    """False if an earlier command made this move; then nothing was written."""


def record(
    workspace: Workspace,
    seen: LedgerRead,
    state: SprintState,
    move: tuple[EventType, Mapping[str, Json]],
    *,
    actor: str,
    prepare: Prepare | None = None,
    held: bool = False,
) -> Transition:
    """Write one event on top of `state`, and what belongs to it; `held` says that the caller holds the ledger's lock.

    Raises ConflictError, with nothing written, where somebody else moved first, SecretError where the event would hold
    a secret, which nothing could take out of a ledger again, and UsageError where it would be larger than any that is
    read.
    """
    from verifflowcc.base.use.guarding import refuse_secrets, strings_of

    refuse_secrets(*strings_of(move[1]))
    event = make_event(*move, parents=state.heads, actor=actor, at=workspace.clock.now())
    after = fold(seen.sprint, (*seen.events, event))
    if after.problems or after.fork:
        raise LedgerError(f"this move does not follow on the ledger: {after.problems or after.fork}")
    size = len(encode_event(event))
    if size > LARGEST_EVENT_BYTES:
        raise UsageError(f"this move does not fit on the ledger: {size:,} bytes, of {LARGEST_EVENT_BYTES:,} at most")
    with ledger_of(workspace).moving(seen.sprint, seen, held=held) as writer:
        files = prepare(writer) if prepare else ()
        doubts = [writer.append(event)]
        if event.type is EventType.SPRINT_CLOSED:
            doubts.append(writer.pack((*seen.events, event), event))
        doubts.append(refresh_progress(writer, after) or _welcome(writer, after))
        added = writer.place_of(event)
    warnings = tuple(filter(None, doubts))
    written = (*files, added)
    return Transition(
        state=after,
        event=event,
        before=state.current,
        after=after.current,
        written=tuple(f".memory/{path}" for path in written),
        warnings=warnings,
    )


def _welcome(writer: LedgerWriter, after: SprintState) -> str | None:
    """Make the folders for the artifacts asked for next; return a warning where that cannot be done.

    They are those of the stage just entered, and of the one after it where that asks for an artifact at its entry.
    """
    if after.current is None or after.workflow is None:
        return None
    following = after.workflow.after(after.current)
    asks = following is not None and any(each.kind is CriterionKind.ARTIFACT for each in following.enter)
    names = [after.current, *([following.id] if following and asks else [])]
    try:
        for name in names:
            writer.make_folder(f"stage/{after.id}/{name}/artifacts")
    except VfccError as error:
        return str(error)
    return None


def settle(workspace: Workspace, done: Transition, message: str, *, commit: bool) -> Transition:
    """Commit the sprint's files to git, or name the command that would; a commit that fails is a warning.

    A sprint with soft gates gets one such command, when it is closed: nothing of it has to be committed before.
    """
    paths = sprint_paths(workspace, done.state.id)
    if commit:
        root = workspace.root
        outcome = commit_paths(root, paths, message, lambda code: allows_code(root, code, os.environ))
        if outcome.sha:
            return replace(done, committed=outcome.sha)
        done = replace(done, warnings=(*done.warnings, outcome.warning or "not committed"))
    if not in_repository(workspace.root) or (not commit and _waits_for_close(done)):
        return done
    listed = " ".join(map(shlex.quote, paths))
    return replace(done, git_command=f"git add {listed} && git commit -m {_quoted(message)} -- {listed}")


def _waits_for_close(done: Transition) -> bool:
    workflow = done.state.workflow
    soft = workflow is not None and workflow.gates is Mode.SOFT
    return soft and done.state.status is not SprintStatus.CLOSED


def sprint_paths(workspace: Workspace, sprint_id: str) -> tuple[str, ...]:
    """Return the folders that belong to a sprint, relative to the project's root, as far as they hold a file to commit.

    The baselines are among them, since events of the sprint name them.

    Git knows no empty folder, nor one with ignored files alone, and refuses to commit such a one by name.
    """
    folders = (f".memory/sprint/{sprint_id}", f".memory/stage/{sprint_id}", BASELINES)
    return tuple(folder for folder in folders if _has_file_to_commit(workspace, folder))


def _has_file_to_commit(workspace: Workspace, folder: str) -> bool:
    files = (path for path in (workspace.root / folder).rglob("*") if path.is_file())
    return any(not is_projection(path.relative_to(workspace.memory).as_posix()) for path in files)


def refresh_progress(writer: LedgerWriter, state: SprintState) -> str | None:
    """Write `progress.json` again; return a warning where that fails."""
    try:
        return writer.project(progress_document(state, results_of(writer)))
    except VfccError as error:
        return f"progress.json is not up to date ({error})"


def results_of(writer: LedgerWriter) -> Mapping[str, object]:
    """Return what `results.json` holds. Raises LedgerError where it is not a JSON object."""
    return parse_results(writer.text(results_path(writer.sprint_id)), results_path(writer.sprint_id))


def _quoted(message: str) -> str:
    """Return the message as a shell's word; ids need no escape, so that double quotes, which read better, will do."""
    return f'"{message}"' if re.fullmatch(r"[\w :-]+", message) else shlex.quote(message)


WAIT_S = 60.0
"""A note moves nothing, so it waits for many writers rather than be refused."""


def require_person(actor: str, what: str, *, hint: str) -> None:
    """Raise NotAllowed unless `actor` is a person with a name; `what` is what they do (`approving`)."""
    if not actor.startswith("human:"):
        raise NotAllowed(needs_person(what, actor), hint=hint)
    if actor == NAMELESS:
        raise NotAllowed(
            f"{what} needs a person whom git has a name for", hint='git config --global user.name "Your Name"'
        )


def address(email: str) -> dict[str, Json]:
    """Return the part of a payload that holds the e-mail address of who acts, where git has one."""
    return {"email": email} if email else {}


def last_day(given: str | None, today: str) -> str | None:
    """Return the day until which something holds, as it was given.

    Raises UsageError where it is no day as in `2026-12-31`, or over already.
    """
    if given is None:
        return None
    try:
        day = date.fromisoformat(given).isoformat()
    except ValueError:
        day = ""
    if day != given:
        raise UsageError(f"the last day {given!r} is no day", hint=f"--expires {today}")
    if day < today:
        raise UsageError(f"the last day {given} is over: today is {today} (UTC)", hint=f"--expires {today}")
    return day


def require_open(state: SprintState) -> None:
    """Raise UsageError where the sprint is closed, as no gate reads later opinions."""
    if state.status is SprintStatus.CLOSED:
        raise UsageError(f"{state.id} is closed", hint='vfcc sprint start "Title"')


def add_note(
    workspace: Workspace,
    sprint_id: str,
    kind: EventType,
    payload_on: Callable[[SprintState], Mapping[str, Json]],
    *,
    actor: str,
    prepare: Prepare | None = None,
    closed: bool = False,
) -> Transition:
    """Add an event that moves nothing; where somebody else writes at the same time, it is added after theirs.

    The first attempt reads without the lock, as all moves do; the second holds it, so that nobody can come first again.
    `payload_on` makes its payload from the sprint as it is then; `prepare` is that of `record`. Raises as `record`
    does, and UsageError where the sprint is closed, unless `closed` allows that.
    """

    def add(*, held: bool) -> Transition:
        seen, state = load_movable(workspace, sprint_id)
        if not closed:
            require_open(state)
        move = (kind, payload_on(state))
        return record(workspace, seen, state, move, actor=actor, prepare=prepare, held=held)

    try:
        return add(held=False)
    except ConflictError:
        with ledger_of(workspace).held(WAIT_S):
            return add(held=True)
