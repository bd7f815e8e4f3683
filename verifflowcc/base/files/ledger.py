"""The ledger on disk: `sprint/<id>/events/<ULID>.json`, one immutable file per event; one `.jsonl` once it is closed.

Reading checks each file and hides none. Writing happens inside `moving`, which holds the local lock and has checked
that nobody wrote since the reading; the rename of the event's file is the commit point.
"""

import errno
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path

from verifflowcc.base.errors import ConflictError, FileErrors, LedgerError, UsageError, WorkspaceError
from verifflowcc.base.files.layout import check_inside, settled, stamp_of
from verifflowcc.base.files.write import DerivedFile, is_temporary, sweep, sync_folder, write_atomic
from verifflowcc.base.formats.event_bytes import (
    PackRead,
    encode_event,
    encode_pack,
    event_in_pack,
    ids_in_pack,
    parse_event,
    parse_pack,
)
from verifflowcc.base.model.events import LARGEST_EVENT_BYTES, Event, EventType, LedgerProblem, LedgerRead
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.identifiers import is_slug
from verifflowcc.base.text.record_codec import RecordCodec

# The event files of one sprint, as they were listed: one event a file, and packs that hold many.
#
# Reading checks each file. An event that lies both in a file of its own and in a pack is one event.

ONE, PACK = ".json", ".jsonl"
PACKED, PACKED_BYTES = "packed.json", b'{"v":2}\n'
"""A file beside a pack, the same in each sprint, for version 0.1.

That version looks for no packs and would take a closed sprint for an open one. It reads this file as an event of a
newer format, and asks for an upgrade.
"""
LARGEST_PACK_BYTES = 64 << 20
_HEAD_BYTES = 4096
"""Enough for the first id of a pack: the name of an actor comes before it, of 200 characters at most."""
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


@lru_cache(maxsize=4096)
def _event_in(data: bytes, name: str) -> Event:
    """Return the event in a file's bytes; a driver reads files again that are too new to be known by their stamps."""
    return parse_event(data, name)


def is_event_file(name: str) -> bool:
    """Say whether a file of that name holds events; temporary and hidden files do not."""
    return name.endswith((ONE, PACK)) and not name.startswith(".") and name != PACKED


def is_foreign(name: str, *, folder: bool) -> bool:
    """Say whether an entry of `events/` is nothing that vfcc put there; what it leaves where it is killed is not."""
    return folder or not (is_event_file(name) or name == PACKED or is_temporary(name))


@dataclass(frozen=True, slots=True)
class FileRead:
    """What one event file holds, line by line; None for a line that is no sound event."""

    lines: tuple[Event | None, ...]
    problems: tuple[LedgerProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class EventFiles:
    """The event files of a sprint; `names` are sorted. A pack is read once, when it is first needed."""

    memory: Path
    sprint_id: str
    names: tuple[str, ...]
    packs: dict[str, bytes] = field(default_factory=dict, compare=False, repr=False)

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return self.memory / "sprint" / self.sprint_id / "events"

    def first_id(self) -> str:
        """Return the smallest id, with little more than a listing; empty where there is no event."""
        own = next((name.removesuffix(ONE) for name in self.names if name.endswith(ONE)), "")
        packed = [self._first_of_pack(name) for name in self._packs()]
        return min(filter(None, (own, *packed)), default="")

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all events, sorted, as the files' names and the packs' lines say them.

        Nothing is parsed. Raises LedgerError where a pack cannot be read.
        """
        found = {name.removesuffix(ONE) for name in self.names if name.endswith(ONE)}
        for name in self._packs():
            found.update(ids_in_pack(self._pack(name)))
        return tuple(sorted(found))

    def event(self, event_id: str) -> Event:
        """Return one event. Raises LedgerError with the reason where it is not there or not sound."""
        if f"{event_id}{ONE}" in self.names:
            return self._own(f"{event_id}{ONE}")
        for name in self._packs():
            event = event_in_pack(self._pack(name), event_id)
            if event is not None:
                return self._placed(event)
        return self._own(f"{event_id}{ONE}")

    def read(self, name: str) -> FileRead:
        """Return what a file holds, with its problems."""
        try:
            if name.endswith(ONE):
                return FileRead((self._own(name),))
            found = parse_pack(self._pack(name), name.removesuffix(PACK))
        except LedgerError as error:
            return FileRead((), (LedgerProblem(self.path(name), str(error)),))
        return self._checked(name, found)

    def path(self, name: str) -> str:
        """Return a file's path, relative to the project's root."""
        return f".memory/sprint/{self.sprint_id}/events/{name}"

    def _checked(self, name: str, found: PackRead) -> FileRead:
        lines: list[Event | None] = []
        problems = [LedgerProblem(self.path(name), reason, number) for number, reason in found.problems]
        for number, event in enumerate(found.lines, start=1):
            try:
                lines.append(event and self._placed(event))
            except LedgerError as error:
                lines.append(None)
                problems.append(LedgerProblem(self.path(name), str(error), number))
        return FileRead(tuple(lines), tuple(problems))

    def _packs(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name.endswith(PACK))

    def _pack(self, name: str) -> bytes:
        if name not in self.packs:
            self.packs[name] = self._bytes(name, LARGEST_PACK_BYTES, "pack")
        return self.packs[name]

    def _own(self, name: str) -> Event:
        return self._placed(_event_in(self._bytes(name, LARGEST_EVENT_BYTES, "event"), name.removesuffix(ONE)))

    def _placed(self, event: Event) -> Event:
        if event.type is EventType.SPRINT_STARTED and event.payload["sprint"] != self.sprint_id:
            raise LedgerError(f"it starts the sprint {event.payload['sprint']}, and lies in that of {self.sprint_id}")
        return event

    def _first_of_pack(self, name: str) -> str:
        try:
            head = self.packs.get(name) or self._bytes(name, LARGEST_PACK_BYTES, "pack", _HEAD_BYTES)
        except LedgerError:
            head = b""
        return next(iter(ids_in_pack(head)), name.removesuffix(PACK))

    def _bytes(self, name: str, largest: int, what: str, most: int | None = None) -> bytes:
        handle = self._open(f"{self.folder}/{name}")
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise LedgerError("no ordinary file")
            if status.st_size > largest:
                raise LedgerError(f"larger than any {what} ({largest} bytes)")
            return os.read(handle, status.st_size if most is None else most)
        finally:
            os.close(handle)

    def _open(self, path: str) -> int:
        try:
            return os.open(path, _READ | os.O_NOFOLLOW)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise LedgerError(f"cannot be read: {error.strerror or error}") from error
        try:
            check_inside(Path(path), self.memory)
            return os.open(path, _READ)
        except WorkspaceError as error:
            raise LedgerError("a link that leaves .memory/") from error
        except OSError as error:
            raise LedgerError(f"cannot be read: {error.strerror or error}") from error


# What was read from a sprint's event files, remembered in `local/ledger/<sprint>.json`, so that each is parsed once.
#
# Derived and deletable. It is keyed by each file's stamp, which a clone or an archive cannot bring along; what does
# not fit, or is damaged, counts as absent. Only sound events are remembered, and only those whose stamp has settled.

_FILE = DerivedFile("ledger/*.json", 3, keyed_by="stamps of the event files", largest_bytes=256 << 20)
_FEWEST = 64
"""So few unknown events are parsed sooner than a cache is written."""
_SHARE = 32
"""A cache is written again once more than one event in so many is not in it."""
_EVENTS: RecordCodec[Mapping[str, tuple[Event, ...]]] = RecordCodec(Mapping[str, tuple[Event, ...]])


@dataclass(frozen=True, slots=True)
class EventStamps:
    """The stamps of event files that are ordinary files, by name; `fresh` are the names that may still change."""

    by_name: Mapping[str, str]
    fresh: frozenset[str]


NO_STAMPS = EventStamps({}, frozenset())


@dataclass(slots=True)
class LedgerCache:
    """The events that are known of one sprint; `memory` is the folder `.memory/`.

    `stamps` and `events` are what this process knows, by file name (a pack holds several events), `kept` the stamps of
    what the file holds (None: not read yet). `last` is what was returned last, to be returned again while nothing has
    changed.
    """

    memory: Path
    sprint_id: str
    stamps: Mapping[str, str] = field(default_factory=dict)
    events: Mapping[str, tuple[Event, ...]] = field(default_factory=dict)
    kept: Mapping[str, str] | None = None
    last: LedgerRead | None = None

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return self.memory / "local" / "ledger" / f"{self.sprint_id}.json"

    def recall(self, now: EventStamps) -> dict[str, tuple[Event, ...]]:
        """Return the known events in each file that still has the stamp that it had, by its name."""
        if self.kept is None:
            self.stamps, self.events = _read(self.path)
            self.kept = self.stamps
        if self.stamps == now.by_name:
            return dict(self.events)
        return {name: events for name, events in self.events.items() if now.by_name.get(name) == self.stamps[name]}

    def remember(self, now: EventStamps, sound: Mapping[str, tuple[Event, ...]], read: LedgerRead) -> LedgerRead:
        """Keep what the `sound` files hold, also on disk if enough of it is new.

        Returns what was read from all files, as the value that it was if it is equal. A tree that cannot be written
        stays without a cache.
        """
        if self.last == read and self.stamps == now.by_name:
            return self.last
        lasting = now.by_name.keys() - now.fresh
        self.events = {name: events for name, events in sound.items() if name in lasting}
        self.stamps = {name: now.by_name[name] for name in self.events}
        self.last = self.last if self.last == read else read
        self._write()
        return self.last

    def _write(self) -> None:
        kept = self.kept or {}
        changed = sum(len(self.events[name]) for name, stamp in self.stamps.items() if kept.get(name) != stamp)
        changed = max(changed, len(kept.keys() - self.stamps.keys()))
        if changed <= max(_FEWEST, sum(map(len, self.events.values())) // _SHARE):
            return
        if _FILE.write(self.path, [self.stamps, _EVENTS.plain(self.events)]):
            self.kept = self.stamps


def stamps_in(folder: Path, names: Sequence[str]) -> EventStamps:
    """Return the stamps of the event files `names`; a file that cannot be asked, or is not ordinary, has none."""
    by_name, fresh = {}, []
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return NO_STAMPS
    try:
        for name in names:
            try:
                found = os.stat(name, dir_fd=handle, follow_symlinks=False)
            except OSError:
                continue
            if stat.S_ISREG(found.st_mode):
                by_name[name] = stamp_of(found)
                if not settled(max(found.st_mtime_ns, found.st_ctime_ns)):
                    fresh.append(name)
    finally:
        os.close(handle)
    return EventStamps(by_name, frozenset(fresh))


def _read(path: Path) -> tuple[Mapping[str, str], Mapping[str, tuple[Event, ...]]]:
    try:
        stamps, events = _FILE.read(path) or ({}, {})
        return stamps, _EVENTS.made(events)
    except (ValueError, LookupError, TypeError, AttributeError):
        return {}, {}


WAIT_S = 5.0


@dataclass(frozen=True, slots=True)
class Ledger:
    """The events of all sprints of one memory tree; `memory` is the folder `.memory/`.

    Where it is not `cached`, every file is read again and nothing is remembered. `known` is what this process has read.
    """

    memory: Path
    wait_s: float = WAIT_S
    cached: bool = True
    known: dict[str, LedgerCache] = field(default_factory=dict, compare=False, repr=False)

    def sprint_ids(self) -> tuple[str, ...]:
        """Return the ids of all sprints that have an event file, sorted."""
        return tuple(name for name in self.folders() if self._has_events(name))

    def has(self, sprint_id: str) -> bool:
        """Return whether a name is among `sprint_ids`; the other sprints are not looked into."""
        return sprint_id in self.folders() and self._has_events(sprint_id)

    def without_events(self) -> tuple[str, ...]:
        """Return the ids of the sprints that have a `goals.md` and not one event, sorted: cut short, or lost."""
        return tuple(
            name
            for name in self.folders()
            if (self.memory / "sprint" / name / "goals.md").is_file() and not self._has_events(name)
        )

    def folders(self) -> tuple[str, ...]:
        """Return the names of all folders that may be a sprint's, sorted."""
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
        with FileErrors("read", folder), os.scandir(folder) as entries:
            return tuple(sorted(each.name for each in entries if is_foreign(each.name, folder=each.is_dir())))

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
        from verifflowcc.base.files.lock import locked  # only who writes

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
        folder = Path(f"{self.memory}/sprint/{sprint_id}/events")  # asked of each sprint, where `/` takes longest
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
        with FileErrors("make", target):
            target.mkdir(parents=True, exist_ok=True)

    def project(self, progress: str) -> str | None:
        """Refresh `progress.json`; return a warning where that fails.

        The file is derived, so that the move itself is valid without it.
        """
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
