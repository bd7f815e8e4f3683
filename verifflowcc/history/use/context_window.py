"""`ContextWindow`: the working window of those who run the loop of an agent themselves."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from verifflowcc.base.errors import UsageError
from verifflowcc.base.formats.event_bytes import stamp
from verifflowcc.base.model.ports import Count, TokenCounter
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.identifiers import (
    ENTROPY_BYTES,
    TIME_LENGTH,
    only_fitting,
    ulid,
)
from verifflowcc.base.text.identifiers import (
    ULID_ALPHABET as ALPHABET,
)
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.stage_words import one_of
from verifflowcc.base.use.workspace import Workspace, open_workspace
from verifflowcc.history.rules.agent_history import Operation, SnapshotReason, TaskEpisode
from verifflowcc.history.rules.window_prepare import (
    SNAPSHOT,
    ScoredWindowItem,
    Summary,
    WindowPruning,
    is_over,
    past_work,
    prepared,
    prune_to,
    room_for,
    snapshot_event,
    snapshot_of,
    summaries,
)
from verifflowcc.history.rules.window_values import FULL, FileTouch, KeptWindow, Window, WindowItem, WindowItemType
from verifflowcc.history.store.window_files import (
    Seen,
    changing_window,
    load_snapshot,
    load_window,
    newest_session,
    save_snapshot,
    save_window,
    seen,
    snapshot_ids,
)
from verifflowcc.history.use.history_reading import record
from verifflowcc.sprint.use.configuration import effective_config

if TYPE_CHECKING:
    from verifflowcc.base.model.ports import Clock


# Keep a window's states, and take items out of it: what goes is recorded first, so that nothing goes unrecorded.

_BEGIN = 'vfcc window add "The text" --session ID'
LONGEST_SESSION = 500


def windows_folder(workspace: Workspace) -> Path:
    """Return the folder of the working windows."""
    return workspace.local / "windows"


def session_meant(workspace: Workspace, session: str | None) -> str:
    """Return the session that is named, else that of the newest window. Raises UsageError where there is none."""
    if session is not None:
        return checked_session(session)
    found = newest_session(windows_folder(workspace))
    if found is None:
        raise UsageError("there is no window yet", hint=_BEGIN)
    return found


def checked_session(session: str) -> str:
    """Return a session's name. Raises UsageError where it is empty, too long or cannot be shown."""
    if not session.strip() or not session.isprintable() or len(session) > LONGEST_SESSION:
        raise UsageError(f"a session has a printable name of 1 to {LONGEST_SESSION} characters", hint="--session ID")
    return session


def drawn_id(now: datetime) -> str:
    """Return a new id."""
    return ulid(_milliseconds(now), os.urandom(ENTROPY_BYTES))


def keep(workspace: Workspace, window: Window, reason: SnapshotReason, now: datetime) -> KeptWindow:
    """Keep a window as it is, and record that."""
    record(workspace, SNAPSHOT, [snapshot_event(snapshot_of(window, now, reason))])
    return _saved(workspace, KeptWindow(_snapshot_id(workspace, window, now), stamp(now), reason, window))


def without(workspace: Workspace, window: Window, done: WindowPruning, now: datetime) -> tuple[Window, KeptWindow]:
    """Return a window without what was pruned, after that is on record and the window before it is kept.

    Raises WorkspaceError where one of these cannot be written; the window's own file is never touched here.
    """
    after = replace(window, items=done.kept, prunings=window.prunings + 1)
    _record(workspace, window, done.removed)
    gone = tuple(each.part for each in done.removed)
    reason = SnapshotReason.PRUNING
    record(workspace, SNAPSHOT, [snapshot_event(snapshot_of(after, now, reason, gone))])
    return after, _saved(workspace, KeptWindow(_snapshot_id(workspace, window, now), stamp(now), reason, window, gone))


def _record(workspace: Workspace, window: Window, removed: Sequence[ScoredWindowItem]) -> None:
    for kind, events in groupby(sorted(summaries(window, removed), key=_kind), _kind):
        record(workspace, kind, [each.event for each in events])


def _kind(summary: Summary) -> str:
    return summary.kind


def _saved(workspace: Workspace, kept: KeptWindow) -> KeptWindow:
    save_snapshot(windows_folder(workspace), workspace.memory, kept)
    return kept


def _snapshot_id(workspace: Workspace, window: Window, now: datetime) -> str:
    """A new id that comes after all others of the session, so that the newest is the last even if a clock goes back."""
    newest = snapshot_ids(windows_folder(workspace), window.session)[:1]
    after = max((_time_of(each) + 1 for each in newest), default=0)
    return ulid(max(_milliseconds(now), after), os.urandom(ENTROPY_BYTES))


def _time_of(name: str) -> int:
    time = 0
    for letter in name[:TIME_LENGTH]:
        time = time << 5 | ALPHABET.index(letter)
    return time


def _milliseconds(now: datetime) -> int:
    return max(int(now.timestamp() * 1000), 0)


# Items of a window out of what a caller says, without secrets, and counted.


@dataclass(frozen=True, slots=True)
class NewWindowItem:
    """What is to be in a window, as `WindowItem` has it; `type` is the name of one."""

    content: str
    type: str = WindowItemType.USER_MESSAGE.value
    task: str | None = None
    relevance: int = FULL
    dependencies: Sequence[str] = ()
    sticky: bool = False
    tool: str | None = None
    path: str | None = None
    lines: tuple[int, int] | None = None
    tool_calls: bool = False
    failed: bool = False


class WindowItemOptions(TypedDict, total=False):
    """Optional fields of a new item beside its content and type.

    `task` is the window's current one where it is left out; `relevance` is in thousandths, `dependencies` are ids of
    the items that it needs. `path` and `lines` tell where code, or a tool's result, is from, `tool` and `failed` what a
    tool's result is, `tool_calls` that a response calls tools.
    """

    task: str
    relevance: int
    dependencies: Sequence[str]
    sticky: bool
    tool: str
    path: str
    lines: tuple[int, int]
    tool_calls: bool
    failed: bool


def item_of(given: NewWindowItem, task: str | None, now: datetime, count: Count) -> WindowItem:
    """Return a new item, redacted, by default of `task`.

    Raises UsageError for what no item can be.
    """
    kind = WindowItemType(one_of(given.type, tuple(WindowItemType), "type of a window's items", "--type user_message"))
    _check(given, kind)
    content = withhold(given.content)
    return WindowItem(
        id=drawn_id(now),
        content=content,
        type=kind,
        time=stamp(now),
        tokens=count(content),
        relevance=given.relevance,
        task=_withheld(given.task) if given.task is not None else task,
        dependencies=tuple(dict.fromkeys(given.dependencies)),
        sticky=given.sticky,
        tool=_withheld(given.tool),
        files=() if given.path is None else (FileTouch(withhold(given.path), Operation.READ, given.lines),),
        tool_calls=given.tool_calls,
        failed=given.failed,
    )


def _check(given: NewWindowItem, kind: WindowItemType) -> None:
    if not given.content.strip():
        raise UsageError("the text of a window item is empty", hint='vfcc window add "The text"')
    if not 0 <= given.relevance <= FULL:
        raise UsageError("relevance is from 0 to 1", hint="--relevance 0.8")
    if kind is WindowItemType.CODE_SNIPPET and not given.path:
        raise UsageError("a code_snippet is from a file", hint="--file PATH --lines 10-20")
    if given.lines and not given.path:
        raise UsageError("lines are those of a file", hint="--file PATH --lines 10-20")
    if given.lines and not 1 <= given.lines[0] <= given.lines[1]:
        raise UsageError(f"there are no lines {given.lines[0]}-{given.lines[1]}", hint="--lines 10-20")
    wrong = _misplaced(given, kind)
    if wrong:
        raise UsageError(f"{wrong[0]} goes with {wrong[1]}, and this is {kind}", hint=f"--type {wrong[1]}")


def _misplaced(given: NewWindowItem, kind: WindowItemType) -> tuple[str, WindowItemType] | None:
    """Return a field that this type does not have, and the type that has it."""
    checks: Iterable[tuple[bool, str, tuple[WindowItemType, ...]]] = (
        (given.path is not None, "a file", (WindowItemType.CODE_SNIPPET, WindowItemType.TOOL_RESULT)),
        (given.tool is not None, "a tool", (WindowItemType.TOOL_RESULT,)),
        (given.failed, "a failure", (WindowItemType.TOOL_RESULT,)),
        (given.tool_calls, "a call of tools", (WindowItemType.ASSISTANT_RESPONSE,)),
    )
    return next(((what, kinds[0]) for given_too, what, kinds in checks if given_too and kind not in kinds), None)


def _withheld(text: str | None) -> str | None:
    return None if text is None else withhold(text)


# What bears on a message: pieces of the project's code, and what became of the most similar past tasks.

Similar = Callable[[str, int], Sequence[TaskEpisode]]
"""Returns past tasks that are like a text, at most so many, the most similar first."""

SIMILAR_TASKS = 3
_PAST, _STEP, _LOWEST = 800, 10, 500


def similar_in(workspace: Workspace) -> Similar:
    """Return what finds similar tasks in a project's history."""

    def similar(text: str, limit: int) -> Sequence[TaskEpisode]:
        from verifflowcc.history.use.history_offers import similar_tasks

        return similar_tasks(workspace, text, limit)

    return similar


def code_found(
    workspace: Workspace, text: str, task: str | None, now: datetime, counter: TokenCounter
) -> Iterator[WindowItem]:
    """Yield the code that bears on a text, best first: each piece with its lines, then the signatures around them.

    The better ones are a little more relevant. Nothing where there is no code. Raises as `code_for`.
    """
    from verifflowcc.code.rules.snippets import shown_text
    from verifflowcc.code.use.code_offers import SIGNATURES, CodeTask, code_for

    for rank, piece in enumerate(code_for(workspace, CodeTask(text), None, counter).pieces):
        relevance = max(FULL - rank * _STEP, _LOWEST)
        if piece.path == SIGNATURES and not piece.name:
            given = NewWindowItem(piece.text, WindowItemType.GRAPH_QUERY.value, relevance=relevance)
        else:
            lines = (piece.first, piece.last)
            kind = WindowItemType.CODE_SNIPPET.value
            given = NewWindowItem(shown_text(piece), kind, relevance=relevance, path=piece.path, lines=lines)
        if given.content.strip():
            yield item_of(given, task, now, counter.count)


def past_found(
    similar: Similar, text: str, task: str | None, now: datetime, counter: TokenCounter
) -> Iterator[WindowItem]:
    """Yield one item with the 3 most similar past tasks, if there are any."""
    lines = past_work(similar(text, SIMILAR_TASKS)[:SIMILAR_TASKS])
    if lines:
        item = item_of(NewWindowItem(lines, WindowItemType.ASSISTANT_RESPONSE.value), task, now, counter.count)
        yield replace(item, relevance=_PAST)


ROLES = {WindowItemType.SYSTEM_PROMPT: "system", WindowItemType.ASSISTANT_RESPONSE: "assistant"}
"""Who says an item, for a model; whatever else there is comes from the user's side."""
_LIST = "vfcc window snapshots"


class Message(TypedDict):
    """An item as a model's API takes it."""

    role: str
    content: str


class ContextWindow:
    """The working window of one session: what a model is shown, kept within a limit and on disk.

    Each change is written before the method returns, and any number of processes may change one window. Texts are kept
    without secrets: a word that says the kind takes the place of each, here as in `messages`.

    >>> window = ContextWindow(Path("."), "session-1")  # doctest: +SKIP
    >>> window.add("You fix bugs.", "system_prompt")  # doctest: +SKIP
    >>> answer = model(window.prepare_context("The login fails."))  # doctest: +SKIP
    """

    def __init__(
        self,
        project_root: Path,
        session: str,
        *,
        limit_tokens: int | None = None,
        similar: Similar | None = None,
        clock: "Clock | None" = None,
    ) -> None:
        """Open the window of a session, or begin one, in the project that `project_root` is in.

        `limit_tokens` goes before the settings. `similar` finds past tasks, in place of the project's history. Raises
        WorkspaceError where there is no project, FormatError where the window's file is none, and UsageError for a
        limit or a session that cannot be.
        """
        if limit_tokens is not None and limit_tokens < 1:
            raise UsageError(f"a window cannot hold {limit_tokens} tokens", hint="leave limit_tokens out")
        self._workspace = open_workspace(project_root, clock)
        self._session = checked_session(session)
        self._limit = limit_tokens
        self._similar = similar or similar_in(self._workspace)
        self._opened: TokenCounter | None = None
        self._seen: Seen | None = None
        self._window = Window(session)
        self._look()

    @property
    def session(self) -> str:
        """The session that the window is of."""
        return self._session

    @property
    def items(self) -> tuple[WindowItem, ...]:
        """The items in order."""
        return self._look().items

    @property
    def task(self) -> str | None:
        """The task that is worked on."""
        return self._look().task

    @property
    def tokens(self) -> int:
        """The tokens of all items."""
        return self._look().tokens

    @property
    def limit_tokens(self) -> int:
        """What the window may hold: the model's tokens less the buffer, as the project's settings have them."""
        if self._limit is None:
            self._limit = effective_config(self._workspace).config.memory.window.limit_tokens
        return self._limit

    def add(
        self,
        content: str,
        type: str = WindowItemType.USER_MESSAGE.value,
        **options: Unpack[WindowItemOptions],
    ) -> WindowItem:
        """Add an item to the end, and return it as it is kept, with its id and tokens; nothing is pruned.

        What may be said of it is in `WindowItemOptions`. Raises UsageError for what does not fit together.
        """
        return self.add_given(NewWindowItem(content, type, **options))

    def add_given(self, given: NewWindowItem, *, switch: bool = False) -> WindowItem:
        """Add an item as `add` does; with `switch`, its task becomes the current one as by `set_task`."""
        with self._changing() as window:
            now = self._now()
            item = item_of(given, window.task, now, self._counter().count)
            if switch and item.task != window.task:
                keep(self._workspace, window, SnapshotReason.TASK_SWITCH, now)
            task = item.task if switch else window.task
            self._save(replace(window, items=(*window.items, item), task=task))
        return item

    def set_task(self, task: str | None) -> KeptWindow | None:
        """Make a task the current one; the window as it was before is kept, and returned.

        Nothing happens where it is the current one already.
        """
        wanted = None if task is None else withhold(task)
        with self._changing() as window:
            if wanted == window.task:
                return None
            kept = keep(self._workspace, window, SnapshotReason.TASK_SWITCH, self._now())
            self._save(replace(window, task=wanted))
        return kept

    def maybe_prune(self, now: datetime | None = None) -> WindowPruning | None:
        """Prune where the window holds more than 80 % of its limit; None where it does not."""
        return self._prune(now, always=False)

    def prune(self, now: datetime | None = None) -> WindowPruning:
        """Remove the least relevant items until 30 % of the tokens are gone, or only sticky ones are left.

        An episode is recorded for each and the window is kept as it was before; only then are they removed. Where that
        leaves the window above its limit, more go.
        """
        done = self._prune(now, always=True)
        return done or WindowPruning(self.items, (), self.tokens, 0)

    def snapshot(self) -> KeptWindow:
        """Keep the window as it is; the newest 20 snapshots of a session stay."""
        with self._changing() as window:
            return keep(self._workspace, window, SnapshotReason.MANUAL, self._now())

    def snapshots(self) -> tuple[KeptWindow, ...]:
        """Return the snapshots that are kept, the newest first."""
        folder = windows_folder(self._workspace)
        found = (load_snapshot(folder, self._session, name) for name in snapshot_ids(folder, self._session))
        return tuple(kept for kept in found if kept)

    def find_snapshot(self, name: str) -> KeptWindow:
        """Return the snapshot of that id, or the only one whose id begins or ends with it. Raises UsageError."""
        folder = windows_folder(self._workspace)
        ids = snapshot_ids(folder, self._session)
        found = only_fitting(name, ids, "snapshots", hint=_LIST)
        kept = load_snapshot(folder, self._session, found) if found else None
        if kept:
            return kept
        near = nearest(name.upper(), ids)
        raise UsageError(
            f"{self._session} has no snapshot {name}{f'; did you mean {near}?' if near else ''}", hint=_LIST
        )

    def restore(self, snapshot: KeptWindow | str) -> KeptWindow:
        """Make the window what it was in a snapshot, or in the one of that id: every item in order, and the task.

        The window as it is now is kept first, and returned. Raises UsageError where there is no such snapshot.
        """
        with self._changing() as window:
            wanted = self.find_snapshot(snapshot) if isinstance(snapshot, str) else snapshot
            if wanted.window.session != self._session:
                raise UsageError(f"the snapshot {wanted.id} is of the session {wanted.window.session}")
            kept = keep(self._workspace, window, SnapshotReason.MANUAL, self._now())
            self._save(wanted.window)
        return kept

    def messages(self) -> list[Message]:
        """Return the items in order as messages; system prompts have the role `system`, responses `assistant`."""
        return _messages(self._look())

    def prepare_context(self, user_message: str) -> list[Message]:
        """Return the messages for the next call of the model, which end with `user_message`, within the limit.

        Before it stand the code of the project that bears on it and the 3 most similar past tasks; the window is pruned
        before and after, where need be. Raises BudgetError where the sticky items and the message do not fit; the
        window is then as it was.
        """
        now, counter = self._now(), self._counter()
        message = item_of(NewWindowItem(user_message), self.task, now, counter.count)
        room_for(self._look(), message.tokens, self.limit_tokens)
        text = message.content
        found = [
            *code_found(self._workspace, text, message.task, now, counter),
            *past_found(self._similar, text, message.task, now, counter),
        ]
        with self._changing() as window:
            ready = prepared(window, message, found, self.limit_tokens, now)
            for before, done in ready.prunings:
                without(self._workspace, before, done, now)
            self._save(ready.window)
        return _messages(ready.window)  # not as it is on disk: somebody may have added to it by now

    def _prune(self, now: datetime | None, *, always: bool) -> WindowPruning | None:
        at = now or self._now()
        with self._changing() as window:
            if not always and not is_over(window.tokens, self.limit_tokens):
                return None
            done = prune_to(window.items, at, window.task, self.limit_tokens)
            if done.removed:
                after, _ = without(self._workspace, window, done, at)
                self._save(after)
        return done

    def _look(self) -> Window:
        """The window as it is on disk, read again only where somebody wrote it."""
        folder = windows_folder(self._workspace)
        now = seen(folder, self._session)
        if now is None:
            self._window, self._seen = Window(self._session), None
        elif now != self._seen:
            self._window, self._seen = load_window(folder, self._session) or Window(self._session), now
        return self._window

    @contextmanager
    def _changing(self) -> Iterator[Window]:
        with changing_window(windows_folder(self._workspace), self._workspace.memory, self._session):
            yield self._look()

    def _save(self, window: Window) -> None:
        folder = windows_folder(self._workspace)
        save_window(folder, self._workspace.memory, window)
        self._window, self._seen = window, seen(folder, self._session)

    def _now(self) -> datetime:
        return self._workspace.clock.now()

    def _counter(self) -> "TokenCounter":
        if self._opened is None:
            from verifflowcc.base.tokens.token_counter import open_counter

            self._opened = open_counter(effective_config(self._workspace).config.tokens)
        return self._opened


def _messages(window: Window) -> list[Message]:
    return [{"role": ROLES.get(item.type, "user"), "content": item.content} for item in window.items]
