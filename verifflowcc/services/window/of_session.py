"""The window of a client's session, as its history has it: what hooks recorded, and what was added by hand beside.

A client keeps its own context and shows it to nobody, so that the window follows from the events alone. What was pruned
from it once does not come back.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from verifflowcc.adapters.files.window_files import changing_window, load_window, save_window
from verifflowcc.domain.episodes import SnapshotReason
from verifflowcc.domain.events import Json
from verifflowcc.domain.window import Window, WindowItem
from verifflowcc.episodes.failures import open_failures
from verifflowcc.episodes.session_brief import brief_of
from verifflowcc.episodes.session_window import sound_events, window_of
from verifflowcc.records import replace
from verifflowcc.services.history.reading import session_events
from verifflowcc.services.window.keeping import keep, windows_folder
from verifflowcc.services.workspace import Workspace

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
