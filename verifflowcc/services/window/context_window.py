"""`ContextWindow`: the working window of those who run the loop of an agent themselves."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from verifflowcc.adapters.files.window_files import (
    Seen,
    changing_window,
    load_snapshot,
    load_window,
    save_window,
    seen,
    snapshot_ids,
)
from verifflowcc.domain.episodes import SnapshotReason
from verifflowcc.domain.window import ItemType, KeptWindow, Window, WindowItem
from verifflowcc.episodes.window import Pruned, is_over, prune_to
from verifflowcc.episodes.window_prepare import prepared, room_for
from verifflowcc.errors import UsageError
from verifflowcc.records import replace
from verifflowcc.services.window.found import Similar, code_found, past_found, similar_in
from verifflowcc.services.window.items import Given, Said, item_of
from verifflowcc.services.window.keeping import checked_session, keep, windows_folder, without
from verifflowcc.services.workspace import open_workspace
from verifflowcc.text.article import nearest
from verifflowcc.text.secrets import withhold
from verifflowcc.text.slug import ambiguous, fitting_ids, short_id

if TYPE_CHECKING:
    from verifflowcc.domain.ports import Clock, TokenCounter

ROLES = {ItemType.SYSTEM_PROMPT: "system", ItemType.ASSISTANT_RESPONSE: "assistant"}
"""Who says an item, for a model; whatever else there is comes from the user's side."""
_LIST = "vfcc window snapshots"


class Message(TypedDict):
    """An item as a model's API takes it."""

    role: str
    content: str


class ContextWindow:
    """The working window of one session: what a model is shown, kept within a limit and on disk.

    Each change is written before the method returns, and any number of processes may change one window. Texts are kept
    without secrets: a word that says the kind stands in the place of each, here as in `messages`.

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
            from verifflowcc.services.configuration import effective_config

            self._limit = effective_config(self._workspace).config.memory.window.limit_tokens
        return self._limit

    def add(
        self,
        content: str,
        type: str = ItemType.USER_MESSAGE.value,
        **said: Unpack[Said],
    ) -> WindowItem:
        """Add an item to the end, and return it as it is kept, with its id and tokens; nothing is pruned.

        What may be said of it is in `Said`. Raises UsageError for what does not fit together.
        """
        return self.add_given(Given(content, type, **said))

    def add_given(self, given: Given, *, switch: bool = False) -> WindowItem:
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

    def maybe_prune(self, now: datetime | None = None) -> Pruned | None:
        """Prune where the window holds more than 80 % of its limit; None where it does not."""
        return self._prune(now, always=False)

    def prune(self, now: datetime | None = None) -> Pruned:
        """Remove the least relevant items until 30 % of the tokens are gone, or only sticky ones are left.

        An episode is recorded for each and the window is kept as it was before; only then are they removed. Where that
        leaves the window above its limit, more go.
        """
        done = self._prune(now, always=True)
        return done or Pruned(self.items, (), self.tokens, 0)

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
        match fitting_ids(name, ids):
            case [found]:
                kept = load_snapshot(folder, self._session, found)
                if kept:
                    return kept
            case [_, *_] as several:
                raise UsageError(ambiguous(name, [short_id(one, ids) for one in several], "snapshots"), hint=_LIST)
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
        message = item_of(Given(user_message), self.task, now, counter.count)
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

    def _prune(self, now: datetime | None, *, always: bool) -> Pruned | None:
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
            from verifflowcc.adapters.tokens.counter import open_counter
            from verifflowcc.services.configuration import effective_config

            self._opened = open_counter(effective_config(self._workspace).config.tokens)
        return self._opened


def _messages(window: Window) -> list[Message]:
    return [{"role": ROLES.get(item.type, "user"), "content": item.content} for item in window.items]
