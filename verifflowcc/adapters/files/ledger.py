"""The ledger on disk: `sprint/<id>/events/<ULID>.json`, one immutable file per event; one `.jsonl` once it is closed.

Reading checks each file and hides none. Writing happens inside `moving`, which holds the local lock and has checked
that nobody wrote since the reading; the rename of the event's file is the commit point.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from verifflowcc.adapters.files.event_files import (
    LARGEST_PACK_BYTES,
    ONE,
    PACK,
    PACKED,
    PACKED_BYTES,
    EventFiles,
    is_event_file,
    is_foreign,
)
from verifflowcc.adapters.files.inside import check_inside
from verifflowcc.adapters.files.ledger_cache import LedgerCache, stamps_in
from verifflowcc.adapters.files.leftovers import sweep
from verifflowcc.adapters.files.lock import locked
from verifflowcc.adapters.files.write import sync_folder, write_atomic
from verifflowcc.domain.events import Event, LedgerProblem, LedgerRead
from verifflowcc.errors import ConflictError, UsageError, WorkspaceError
from verifflowcc.formats.event_pack import encode_pack
from verifflowcc.formats.events import encode_event
from verifflowcc.records import dataclass, field
from verifflowcc.text.slug import is_slug

WAIT_S = 5.0


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
        return tuple(sorted(filter(is_event_file, listed)))

    def foreign(self, sprint_id: str) -> tuple[str, ...]:
        """Return the entries of the sprint's `events/` that vfcc reads no event from, sorted."""
        folder = self._events(sprint_id)
        try:
            with os.scandir(folder) as entries:
                return tuple(sorted(each.name for each in entries if is_foreign(each.name, folder=each.is_dir())))
        except OSError as error:
            raise WorkspaceError(f"cannot read {folder}: {error.strerror or error}") from error

    def _has_events(self, sprint_id: str) -> bool:
        folder = self._events(sprint_id)
        try:
            with os.scandir(folder) as entries:
                return any(is_event_file(entry.name) for entry in entries)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise WorkspaceError(f"cannot read {folder}: {error.strerror or error}") from error

    def load(self, sprint_id: str) -> LedgerRead:
        """Return the sprint's sound events, and a problem for each file or line that is not one that vfcc wrote."""
        files = self.files(sprint_id)
        if not self.cached or not files.names:
            return _judged(files, {})
        cache = self.known.setdefault(sprint_id, LedgerCache(self.memory, sprint_id))
        stamps = stamps_in(files.folder, files.names)
        contents = cache.recall(stamps)
        return cache.remember(stamps, contents, _judged(files, contents))

    def files(self, sprint_id: str) -> EventFiles:
        """Return the sprint's event files, listed and not read."""
        return EventFiles(self.memory, sprint_id, self.names(sprint_id))

    @contextmanager
    def held(self, wait_s: float) -> Iterator[None]:
        """Hold the lock while a sprint is read and then moved. Raises ConflictError where another holds it for long."""
        with locked(self.memory / "local" / "lock", wait_s):
            yield

    @contextmanager
    def moving(self, sprint_id: str, seen: LedgerRead, *, held: bool = False) -> Iterator["LedgerWriter"]:
        """Hold the lock, with the ledger as it was `seen`; write through the value given.

        Where the lock is `held` already, nothing is locked. Raises ConflictError, with nothing written, where somebody
        else wrote since, or holds the lock.
        """
        with nullcontext() if held else self.held(self.wait_s):
            if self.names(sprint_id) != seen.names:
                raise moved_first(sprint_id)
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
            return f"the move is recorded, but a power failure could lose it ({error})"
        return None

    def pack(self, events: Sequence[Event], closing: Event) -> str | None:
        """Put the events of a closed sprint into one file, then remove the files of their own.

        Returns a warning where that fails: then the events are there all the same, in more files.
        """
        folder = self.memory / "sprint" / self.sprint_id / "events"
        data = encode_pack(events)
        if len(data) > LARGEST_PACK_BYTES or any(_looks_renamed(event, data) for event in events):
            return None
        try:
            write_atomic(folder / PACKED, PACKED_BYTES)
            write_atomic(folder / f"{closing.id}{PACK}", data)
            for event in events:
                (folder / f"{event.id}{ONE}").unlink(missing_ok=True)
            sync_folder(folder)
        except (WorkspaceError, OSError) as error:
            return f"the sprint's events stay in several files ({error}); nothing is lost"
        return None

    def place_of(self, event: Event) -> str:
        """Return the path of the file that holds the event, relative to `.memory/`: its own, or its pack."""
        own = f"sprint/{self.sprint_id}/events/{event.id}{ONE}"
        return own if (self.memory / own).exists() else own.removesuffix(ONE) + PACK

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


def moved_first(sprint_id: str) -> ConflictError:
    """Return the error for a move that does not follow on what its process has read."""
    return ConflictError(f"somebody else moved {sprint_id} first; nothing was written", hint="vfcc status")


def _judged(files: EventFiles, contents: dict[str, tuple[Event, ...]]) -> LedgerRead:
    """Read the files that are not among `contents` yet, and add to it what each sound one holds."""
    problems: list[LedgerProblem] = []
    events: dict[str, Event] = {}
    packed: dict[str, tuple[str, int]] = {}
    for name in files.names:
        lines: Sequence[Event | None] | None = contents.get(name)
        if lines is None:
            found = files.read(name)
            lines = found.lines
            problems += found.problems
            if not found.problems:
                contents[name] = tuple(event for event in lines if event)
        for number, event in enumerate(lines, start=1):
            if event is None or event.id in events:
                continue
            events[event.id] = event
            if name.endswith(PACK):
                packed[event.id] = files.path(name), number
    for name in files.names if packed else ():
        packed.pop(name.removesuffix(ONE), None)
    sound = tuple(events[name] for name in sorted(events))
    return LedgerRead(files.sprint_id, sound, tuple(problems), files.names, packed)


def _looks_renamed(event: Event, pack: bytes) -> bool:
    """Say whether git would take the pack for this event's file under a new name: half of it is the same.

    Where two branches close a sprint, that would be one file with two new names, a conflict. Such a sprint has few
    events and is not packed; with that file alone beside the pack, version 0.1 would take it for an open one.
    """
    return 2 * len(encode_event(event)) >= len(pack)


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
