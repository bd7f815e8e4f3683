"""The ledger on disk: `sprint/<id>/events/<ULID>.json`, one immutable file per event.

Reading judges each file and hides none. Writing happens inside `moving`, which holds the local lock and has checked
that nobody wrote since the reading; the rename of the event's file is the commit point.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from verifflowcc.adapters.files.inside import check_inside
from verifflowcc.adapters.files.ledger_cache import LedgerCache, stamps_in
from verifflowcc.adapters.files.leftovers import sweep
from verifflowcc.adapters.files.lock import locked
from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.domain.events import Event, EventType, LedgerProblem, LedgerRead
from verifflowcc.errors import ConflictError, LedgerError, UsageError, WorkspaceError
from verifflowcc.formats.events import encode_event, parse_event
from verifflowcc.records import dataclass, field
from verifflowcc.text.slug import is_slug

LARGEST_EVENT_BYTES = 256 * 1024
WAIT_S = 5.0
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Ledger:
    """The events of all sprints of one memory tree; `memory` is the folder `.memory/`.

    Where it is not `cached`, every file is read anew and nothing is remembered. `known` is what this process has read.
    """

    memory: Path
    wait_s: float = WAIT_S
    cached: bool = True
    known: dict[str, LedgerCache] = field(default_factory=dict, compare=False, repr=False)

    def sprint_ids(self) -> tuple[str, ...]:
        """Return the ids of all sprints that have an event file, sorted."""
        return tuple(name for name in self._folders() if self._has_events(name))

    def without_events(self) -> tuple[str, ...]:
        """Return the ids of the sprints that have a `goals.md` and not one event, sorted: cut short, or lost."""
        return tuple(
            name
            for name in self._folders()
            if (self.memory / "sprint" / name / "goals.md").is_file() and not self._has_events(name)
        )

    def _folders(self) -> tuple[str, ...]:
        folder = self.memory / "sprint"
        try:
            names = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise WorkspaceError(f"cannot read {folder}: {error.strerror or error}") from error
        return tuple(name for name in names if is_slug(name))

    def names(self, sprint_id: str) -> tuple[str, ...]:
        """Return the names of the sprint's event files, sorted; temporary and other files are not event files."""
        folder = self._events(sprint_id)
        try:
            listed = os.listdir(folder)  # noqa: PTH208 - a Path for each of 10,000 names costs more than the listing
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as error:
            raise WorkspaceError(f"cannot read {folder}: {error.strerror or error}") from error
        return tuple(sorted(filter(_is_event, listed)))

    def _has_events(self, sprint_id: str) -> bool:
        folder = self._events(sprint_id)
        try:
            with os.scandir(folder) as entries:
                return any(_is_event(entry.name) for entry in entries)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise WorkspaceError(f"cannot read {folder}: {error.strerror or error}") from error

    def load(self, sprint_id: str) -> LedgerRead:
        """Return the sprint's sound events, and a problem for each event file that is not one that vfcc wrote here."""
        names, folder = self.names(sprint_id), self._events(sprint_id)
        if not self.cached or not names:
            return self._judged(sprint_id, folder, names, {})
        cache = self.known.setdefault(sprint_id, LedgerCache(self.memory, sprint_id))
        stamps = stamps_in(folder, names)
        return cache.remember(stamps, self._judged(sprint_id, folder, names, cache.recall(stamps)))

    def _judged(self, sprint_id: str, folder: Path, names: tuple[str, ...], events: dict[str, Event]) -> LedgerRead:
        """Read the files that are not among `events` yet, which it completes."""
        problems = []
        for name in names:
            if name not in events:
                try:
                    events[name] = self._read(folder, sprint_id, name)
                except LedgerError as error:
                    problems.append(LedgerProblem(f".memory/sprint/{sprint_id}/events/{name}", str(error)))
        sound = tuple(events[name] for name in names if name in events)
        return LedgerRead(sprint_id, sound, tuple(problems), names)

    def read(self, sprint_id: str, name: str) -> Event:
        """Return the event in one file. Raises LedgerError with the reason, without the file's name."""
        return self._read(self._events(sprint_id), sprint_id, name)

    def _read(self, folder: Path, sprint_id: str, name: str) -> Event:
        event = parse_event(self._bytes(f"{folder}/{name}"), name.removesuffix(".json"))
        if event.type is EventType.SPRINT_STARTED and event.payload["sprint"] != sprint_id:
            raise LedgerError(f"it starts the sprint {event.payload['sprint']}, and lies in that of {sprint_id}")
        return event

    @contextmanager
    def moving(self, sprint_id: str, seen: LedgerRead) -> Iterator["LedgerWriter"]:
        """Hold the lock, with the ledger as it was `seen`; write through the value given.

        Raises ConflictError, with nothing written, where somebody else wrote since, or holds the lock.
        """
        with locked(self.memory / "local" / "lock", self.wait_s):
            if self.names(sprint_id) != seen.names:
                raise ConflictError(f"somebody else moved {sprint_id} first; nothing was written", hint="vfcc status")
            self._sweep(sprint_id)
            yield LedgerWriter(self.memory, sprint_id)

    def _sweep(self, sprint_id: str) -> None:
        sweep([self.memory / "sprint" / sprint_id, self.memory / "stage" / sprint_id, self.memory / "local" / "ledger"])
        sweep([self.memory / "local"], deep=False)

    def _events(self, sprint_id: str) -> Path:
        if not is_slug(sprint_id):
            raise UsageError(f"{sprint_id!r} is no sprint id", hint="vfcc sprint list")
        folder = self.memory / "sprint" / sprint_id / "events"
        check_inside(folder, self.memory)
        return folder

    def _bytes(self, path: str) -> bytes:
        try:
            handle = os.open(path, _READ | os.O_NOFOLLOW)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise LedgerError(f"cannot be read: {error.strerror or error}") from error
            handle = self._open_link(path)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise LedgerError("no ordinary file")
            if status.st_size > LARGEST_EVENT_BYTES:
                raise LedgerError(f"larger than any event ({LARGEST_EVENT_BYTES} bytes)")
            return os.read(handle, status.st_size)
        finally:
            os.close(handle)

    def _open_link(self, path: str) -> int:
        try:
            check_inside(Path(path), self.memory)
            return os.open(path, _READ)
        except WorkspaceError as error:
            raise LedgerError("a link that leaves .memory/") from error
        except OSError as error:
            raise LedgerError(f"cannot be read: {error.strerror or error}") from error


@dataclass(frozen=True, slots=True)
class LedgerWriter:
    """Writes for one sprint, under the lock that `Ledger.moving` holds."""

    memory: Path
    sprint_id: str

    def put(self, path: str, text: str) -> None:
        """Write a file that goes with the event; `path` is relative to `.memory/`."""
        target = self.memory / path
        check_inside(target.parent, self.memory)
        write_atomic(target, text)

    def text(self, path: str) -> str:
        """Return the text of a file relative to `.memory/`, or nothing where there is none."""
        target = self.memory / path
        check_inside(target, self.memory)
        return read_text(target)

    def append(self, event: Event) -> str | None:
        """Put the event in its place. Once this returns, it has happened.

        Returns a warning where the disk has not confirmed it. Where it raises, nothing has happened.
        """
        target = self.memory / "sprint" / self.sprint_id / "events" / f"{event.id}.json"
        check_inside(target.parent, self.memory)
        if target.exists():
            raise ConflictError(f"the event {event.id} exists already", hint="vfcc status")
        try:
            write_atomic(target, encode_event(event))
        except WorkspaceError as error:
            if not target.exists():
                raise
            return f"the move stands, but may not outlast a power failure ({error})"
        return None

    def make_folder(self, path: str) -> None:
        """Make a folder where the person is to put files, relative to `.memory/`; one less thing to type."""
        target = self.memory / path
        check_inside(target.parent, self.memory)
        try:
            target.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorkspaceError(f"cannot make {target}: {error.strerror or error}") from error

    def project(self, progress: str) -> str | None:
        """Refresh `progress.json`; return a warning where that fails, since what it shows stands without it."""
        try:
            self.put(f"sprint/{self.sprint_id}/progress.json", progress)
        except WorkspaceError as error:
            return f"progress.json is not up to date ({error}); it is made again from the ledger"
        return None


def _is_event(name: str) -> bool:
    return name.endswith(".json") and not name.startswith(".")


def read_text(path: Path) -> str:
    """Return a UTF-8 file's text with LF, or nothing where there is no file.

    Raises WorkspaceError where it is no ordinary file, cannot be read or is not UTF-8.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise WorkspaceError(f"{path} is not an ordinary file")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise WorkspaceError(f"{path} is not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
