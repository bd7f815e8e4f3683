"""The event files of one sprint, as they were listed: one event a file, and packs that hold many.

Reading checks each file. An event that lies both in a file of its own and in a pack is one event.
"""

import errno
import os
import stat
from pathlib import Path

from verifflowcc.adapters.files.inside import check_inside
from verifflowcc.adapters.files.write import is_temporary
from verifflowcc.domain.events import LARGEST_EVENT_BYTES, Event, EventType, LedgerProblem
from verifflowcc.errors import LedgerError, WorkspaceError
from verifflowcc.formats.event_pack import PackRead, event_in_pack, ids_in_pack, parse_pack
from verifflowcc.formats.events import parse_event
from verifflowcc.records import dataclass, field

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
        return self._placed(parse_event(self._bytes(name, LARGEST_EVENT_BYTES, "event"), name.removesuffix(ONE)))

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
