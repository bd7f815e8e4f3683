"""A window and its snapshots as commands show them, and what commands change in one."""

from verifflowcc.adapters.files.window_files import newest_session, snapshot_ids
from verifflowcc.domain.episodes import SnapshotReason, WindowPart
from verifflowcc.domain.window import KeptWindow, Window, WindowItem
from verifflowcc.episodes.window import PRUNE_ABOVE_PERCENT, age_minutes, is_over, scored
from verifflowcc.errors import UsageError
from verifflowcc.records import dataclass
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.history.showing import sessions
from verifflowcc.services.token_counter import project_counter
from verifflowcc.services.window.context_window import ContextWindow
from verifflowcc.services.window.items import Given
from verifflowcc.services.window.keeping import session_meant, windows_folder
from verifflowcc.services.window.of_session import refreshed_window
from verifflowcc.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ItemNow:
    """An item, how relevant it is now, in thousandths of 1, and its age in whole minutes."""

    item: WindowItem
    relevance: int
    """0 to 100."""
    age_minutes: int


@dataclass(frozen=True, slots=True)
class WindowPage:
    """A window: what is in use of its limit (`share` in thousandths), and from where on it is pruned."""

    session: str
    task: str | None
    tokens: int
    limit_tokens: int
    prune_above_tokens: int
    """Above this it is pruned."""
    share: int
    """The used part of the limit."""
    prunings: int
    items: tuple[ItemNow, ...]


@dataclass(frozen=True, slots=True)
class ItemAdded:
    """An item as it is kept, and what the window holds with it."""

    session: str
    item: WindowItem
    tokens: int
    limit_tokens: int


@dataclass(frozen=True, slots=True)
class PruningDone:
    """What was removed, the least relevant first, and where the window as it was before is kept; None: nothing was.

    `due` says whether it was to be pruned: it held more than 80 % of its limit, or somebody wanted it all the same.
    """

    session: str
    due: bool
    """Whether it was necessary."""
    removed: tuple[WindowPart, ...]
    """Least relevant first."""
    tokens_before: int
    tokens: int
    limit_tokens: int
    snapshot: str | None
    """The window before, or null if nothing was removed."""


@dataclass(frozen=True, slots=True)
class SnapshotLine:
    """A snapshot: when and why it was kept, what it holds, and what was pruned then."""

    id: str
    time: str
    reason: SnapshotReason
    """`pruning`, `task_switch` or `manual`."""
    task: str | None
    items: int
    tokens: int
    pruned: int


@dataclass(frozen=True, slots=True)
class Restoring:
    """A window as a snapshot had it, and the snapshot that keeps what was there before."""

    session: str
    snapshot: str
    items: int
    tokens: int
    before: str
    """The snapshot of the window before."""


def show_window(workspace: Workspace, session: str | None) -> WindowPage:
    """Return the window of a session, of the newest one if none is named. Raises UsageError where there is none."""
    window = _window(workspace, session)
    limit = effective_config(workspace).config.memory.window.limit_tokens
    now = workspace.clock.now()
    items = tuple(
        ItemNow(each.item, each.part.relevance, age_minutes(each.item.time, now))
        for each in scored(window.items, now, window.task)
    )
    return WindowPage(
        session=window.session,
        task=window.task,
        tokens=window.tokens,
        limit_tokens=limit,
        prune_above_tokens=limit * PRUNE_ABOVE_PERCENT // 100,
        share=window.tokens * 1000 // limit,
        prunings=window.prunings,
        items=items,
    )


def add_to_window(workspace: Workspace, session: str | None, given: Given) -> ItemAdded:
    """Add an item to a window; a task that is named becomes the window's current one. Raises as `ContextWindow.add`."""
    window = _open(workspace, session)
    item = window.add_given(given, switch=given.task is not None)
    return ItemAdded(window.session, item, window.tokens, window.limit_tokens)


def prune_window(workspace: Workspace, session: str | None, *, force: bool) -> PruningDone:
    """Prune a window that is nearly full, or with `force` any. Raises UsageError where there is none."""
    window = _open(workspace, _window(workspace, session).session)
    before = window.tokens
    done = window.prune() if force else window.maybe_prune()
    removed = tuple(each.part for each in done.removed) if done else ()
    return PruningDone(
        session=window.session,
        due=force or is_over(before, window.limit_tokens),
        removed=removed,
        tokens_before=done.tokens_before if done else before,
        tokens=window.tokens,
        limit_tokens=window.limit_tokens,
        snapshot=snapshot_ids(windows_folder(workspace), window.session)[0] if removed else None,
    )


def list_snapshots(workspace: Workspace, session: str | None) -> tuple[SnapshotLine, ...]:
    """Return the snapshots of a window, the newest first. Raises UsageError where there is no window."""
    return tuple(_line(kept) for kept in _open(workspace, session_meant(workspace, session)).snapshots())


def restore_window(workspace: Workspace, session: str | None, name: str) -> Restoring:
    """Make a window what it was in a snapshot. Raises UsageError where there is no such snapshot."""
    window = _open(workspace, session)
    wanted = window.find_snapshot(name)
    before = window.restore(wanted)
    return Restoring(window.session, wanted.id, len(wanted.window.items), wanted.window.tokens, before.id)


def _open(workspace: Workspace, session: str | None) -> ContextWindow:
    return ContextWindow(workspace.root, session_meant(workspace, session), clock=workspace.clock)


def _window(workspace: Workspace, session: str | None) -> Window:
    name = session_meant(workspace, session or _newest_without_window(workspace))
    with project_counter(workspace) as counter:
        found = refreshed_window(workspace, name, counter.count)
    if found is None:
        raise UsageError(f"there is no window of a session {name}", hint="vfcc window show")
    return found


def _newest_without_window(workspace: Workspace) -> str | None:
    """Return the session that hooks told of last, where there is no window yet at all."""
    if newest_session(windows_folder(workspace)) is not None:
        return None
    found = sessions(workspace, 1)
    return found[0].session if found else None


def _line(kept: KeptWindow) -> SnapshotLine:
    window = kept.window
    return SnapshotLine(
        kept.id, kept.time, kept.reason, window.task, len(window.items), window.tokens, len(kept.pruned)
    )
