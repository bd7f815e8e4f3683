"""A window and its snapshots as commands show them, and what commands change in one."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.events import Json
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.agent_history import SnapshotReason, WindowPart
from verifflowcc.history.rules.failures import open_failures
from verifflowcc.history.rules.session_brief import brief_of, sound_events, window_of
from verifflowcc.history.rules.window_prepare import PRUNE_ABOVE_PERCENT, age_minutes, is_over, scored
from verifflowcc.history.rules.window_values import KeptWindow, Window, WindowItem
from verifflowcc.history.store.window_files import (
    changing_window,
    load_window,
    newest_session,
    save_window,
    snapshot_ids,
)
from verifflowcc.history.use.context_window import ContextWindow, NewWindowItem, keep, session_meant, windows_folder
from verifflowcc.history.use.history_offers import sessions
from verifflowcc.history.use.history_reading import session_events
from verifflowcc.history.use.prompt_record import project_counter
from verifflowcc.sprint.use.configuration import effective_config

# The window of a client's session, as its history has it: what hooks recorded, and what was added by hand beside.
#
# A client keeps its own context and shows it to nobody, so that the window follows from the events alone. What was
# pruned from it once does not come back.

Count = Callable[[str], int]


def refreshed_window(workspace: Workspace, session: str, count: Count) -> Window | None:
    """Return the window of a session, brought up to its history and kept so; None where nothing is known of it.

    Raises WorkspaceError, FormatError and ConflictError as the window's file does.
    """
    folder = windows_folder(workspace)
    events = session_events(workspace, session)
    made = window_of(events, workspace.clock.now(), count)
    if not made:
        return load_window(folder, session)
    with changing_window(folder, workspace.memory, session):
        kept = load_window(folder, session) or Window(session)
        window = replace(kept, items=_together(kept.items, made, events), task=_task(made) or kept.task)
        if window != kept:
            save_window(folder, workspace.memory, window)
    return window


def keep_before_compaction(workspace: Workspace, session: str, count: Count) -> None:
    """Keep the window of a session as it is before its client compacts it. Raises as `refreshed_window`."""
    window = refreshed_window(workspace, session, count)
    if window is not None:
        keep(workspace, window, SnapshotReason.PRUNING, workspace.clock.now())


def brief_after_compaction(workspace: Workspace, session: str, budget_tokens: int, count: Count) -> list[str]:
    """Return lines with what matters most of a session's window. Raises as `refreshed_window`."""
    window = refreshed_window(workspace, session, count)
    if window is None:
        return []
    failures = open_failures(sound_events(session_events(workspace, session)))
    text = brief_of(window.items, budget_tokens, workspace.clock.now(), count, failures)
    return text.split("\n") if text else []


def _together(
    kept: Sequence[WindowItem], made: Sequence[WindowItem], events: Sequence[Mapping[str, Json]]
) -> tuple[WindowItem, ...]:
    """Return what the history makes, without what was pruned, and what was added by hand, in order of time."""
    own = {str(event.get("id")) for event in events}
    pruned = set(_pruned(events))
    by_hand = [item for item in kept if item.id.removesuffix(".state") not in own]
    from_history = [item for item in made if item.id not in pruned]
    return tuple(sorted([*by_hand, *from_history], key=lambda item: item.time))


def _pruned(events: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    for event in events:
        gone = event.get("pruned") if event.get("kind") == "window_snapshot" else None
        if isinstance(gone, list):
            yield from (str(each["id"]) for each in gone if isinstance(each, dict) and "id" in each)


def _task(made: Sequence[WindowItem]) -> str | None:
    return next((item.task for item in reversed(made) if item.task), None)


@dataclass(frozen=True, slots=True)
class WindowRow:
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
    items: tuple[WindowRow, ...]


@dataclass(frozen=True, slots=True)
class WindowAddition:
    """An item as it is kept, and what the window holds with it."""

    session: str
    item: WindowItem
    tokens: int
    limit_tokens: int


@dataclass(frozen=True, slots=True)
class PruningReport:
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
class WindowRestore:
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
        WindowRow(each.item, each.part.relevance, age_minutes(each.item.time, now))
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


def add_to_window(workspace: Workspace, session: str | None, given: NewWindowItem) -> WindowAddition:
    """Add an item to a window; a task that is named becomes the window's current one. Raises as `ContextWindow.add`."""
    window = _open(workspace, session)
    item = window.add_given(given, switch=given.task is not None)
    return WindowAddition(window.session, item, window.tokens, window.limit_tokens)


def prune_window(workspace: Workspace, session: str | None, *, force: bool) -> PruningReport:
    """Prune a window that is nearly full, or with `force` any. Raises UsageError where there is none."""
    window = _open(workspace, _window(workspace, session).session)
    before = window.tokens
    done = window.prune() if force else window.maybe_prune()
    removed = tuple(each.part for each in done.removed) if done else ()
    return PruningReport(
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


def restore_window(workspace: Workspace, session: str | None, name: str) -> WindowRestore:
    """Make a window what it was in a snapshot. Raises UsageError where there is no such snapshot."""
    window = _open(workspace, session)
    wanted = window.find_snapshot(name)
    before = window.restore(wanted)
    return WindowRestore(window.session, wanted.id, len(wanted.window.items), wanted.window.tokens, before.id)


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
    """Return the session that hooks recorded last, where there is no window yet at all."""
    if newest_session(windows_folder(workspace)) is not None:
        return None
    found = sessions(workspace, 1)
    return found[0].session if found else None


def _line(kept: KeptWindow) -> SnapshotLine:
    window = kept.window
    return SnapshotLine(
        kept.id, kept.time, kept.reason, window.task, len(window.items), window.tokens, len(kept.pruned)
    )
