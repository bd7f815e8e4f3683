"""What was read from a sprint's event files, remembered in `local/ledger/<sprint>.json`, so that each is parsed once.

Derived and deletable. It is keyed by each file's stamp, which a clone or an archive cannot bring along; what does not
fit, or is damaged, counts as absent. Only sound events are remembered, and only those whose stamp has settled.
"""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from verifflowcc.adapters.files.derived_file import DerivedFile
from verifflowcc.adapters.stamps import settled, stamp_of
from verifflowcc.domain.events import Event, LedgerRead
from verifflowcc.records import dataclass, field
from verifflowcc.text.record_codec import RecordCodec

_FILE = DerivedFile("ledger/*.json", 3, keyed_by="stamps of the event files", largest_bytes=256 << 20)
_FEWEST = 64
"""So few unknown events are parsed sooner than a cache is written."""
_SHARE = 32
"""A cache is written anew once more than one event in so many is not in it."""
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
