"""Keep a window's states, and take items out of it: what goes is recorded first, so that nothing goes unrecorded."""

import os
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path

from verifflowcc.adapters.files.window_files import newest_session, save_snapshot, snapshot_ids
from verifflowcc.domain.episodes import SnapshotReason
from verifflowcc.domain.window import KeptWindow, Window
from verifflowcc.episodes.window import Pruned, Scored, snapshot_of
from verifflowcc.episodes.window_events import SNAPSHOT, Summary, snapshot_event, summaries
from verifflowcc.errors import UsageError
from verifflowcc.formats.events import stamp
from verifflowcc.records import replace
from verifflowcc.services.history.recording import record
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.slug import ENTROPY_BYTES, TIME_LENGTH, ulid
from verifflowcc.text.slug import ULID_ALPHABET as ALPHABET

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


def without(workspace: Workspace, window: Window, done: Pruned, now: datetime) -> tuple[Window, KeptWindow]:
    """Return a window without what was pruned, after that is on record and the window before it is kept.

    Raises WorkspaceError where one of these cannot be written; the window's own file is never touched here.
    """
    after = replace(window, items=done.kept, prunings=window.prunings + 1)
    _record(workspace, window, done.removed)
    gone = tuple(each.part for each in done.removed)
    reason = SnapshotReason.PRUNING
    record(workspace, SNAPSHOT, [snapshot_event(snapshot_of(after, now, reason, gone))])
    return after, _saved(workspace, KeptWindow(_snapshot_id(workspace, window, now), stamp(now), reason, window, gone))


def _record(workspace: Workspace, window: Window, removed: Sequence[Scored]) -> None:
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
