"""Quarantine files in a ledger that vfcc did not write, so that one stray file no longer blocks a sprint.

A file goes where its content does not make its name, or where an event's parents are in no file of the ledger and never
were in git. A valid event stays, whatever else is missing: what was changed or removed is brought back from git.
"""

from collections.abc import Collection, Iterator, Mapping

from verifflowcc.base.errors import VfccError
from verifflowcc.base.files.ledger import ONE, EventFiles
from verifflowcc.base.files.lock import locked
from verifflowcc.base.files.quarantine import paths_ever, quarantine
from verifflowcc.base.formats.event_bytes import NamedRecord, named_record
from verifflowcc.base.git.git_log import known_versions
from verifflowcc.base.model.events import Event
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import MEMORY, Workspace
from verifflowcc.sprint.store.evidence_store import evidence_files
from verifflowcc.sprint.use.people_acting import require_person
from verifflowcc.sprint.use.sprint_reading import ledger_of

WAIT_S = 5.0
LARGEST_READ_BYTES = 1024 * 1024
_BY_HAND = "its content does not make its name: written, copied or changed by hand"


@dataclass(frozen=True, slots=True)
class StrayFile:
    """A file that can be moved: its path below the project's root, what it is, whose it says it is, and why it goes."""

    path: str
    what: str
    actor: str
    reason: str


@dataclass(frozen=True, slots=True)
class RestorableFile:
    """A file that is not as vfcc wrote it, or is gone, and the command that brings it back.

    `needed_by` are the files of events that cannot be placed without it.
    """

    path: str
    reason: str
    step: str
    """The command that restores it."""
    needed_by: tuple[str, ...] = ()
    """Event files that need it."""


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """What a repair would move, and what it leaves for git to bring back."""

    strays: tuple[StrayFile, ...] = ()
    restorable: tuple[RestorableFile, ...] = ()


@dataclass(frozen=True, slots=True)
class MovedFile:
    """A file that was moved, with its new path below the project's root."""

    stray: StrayFile
    to: str


def plan_repair(workspace: Workspace) -> RepairPlan:
    """Return what a repair of all ledgers would do; nothing is written."""
    plans = [plan_for(workspace, sprint) for sprint in ledger_of(workspace).sprint_ids()]
    return RepairPlan(
        tuple(each for plan in plans for each in plan.strays), tuple(each for plan in plans for each in plan.restorable)
    )


def plan_for(workspace: Workspace, sprint_id: str) -> RepairPlan:
    """Return what a repair of one sprint's ledger would do."""
    files = ledger_of(workspace).files(sprint_id)
    ever = paths_ever(workspace.root, f"{MEMORY}/sprint/{sprint_id}/events")
    events = _Events(workspace, files, ever)
    evidence = _Evidence(workspace, sprint_id, events.named_evidence())
    return RepairPlan((*events.strays(), *evidence.strays()), (*events.restorable(), *evidence.restorable()))


def repair(workspace: Workspace, plan: RepairPlan, *, actor: str) -> tuple[MovedFile, ...]:
    """Move what a plan names, if it still is what the plan says. Raises NotAllowed for anybody but a named person."""
    require_person(actor, "moving files out of a ledger", hint="vfcc doctor --repair  # at a terminal of your own")
    day, moved = workspace.today(), []
    with locked(workspace.local / "lock", WAIT_S):
        now = set(plan_repair(workspace).strays)
        for stray in plan.strays:
            if stray in now:
                place = quarantine(workspace.memory, stray.path.removeprefix(f"{MEMORY}/"), day)
                moved.append(MovedFile(stray, f"{MEMORY}/{place}"))
    return tuple(moved)


class _Events:
    """The event files of a sprint: sound events, and files whose content does not make their name."""

    def __init__(self, workspace: Workspace, files: EventFiles, ever: Collection[str] | None) -> None:
        self._root, self._files, self._ever = workspace.root, files, ever
        self._sound: dict[str, tuple[Event, bool]] = {}
        self._broken: dict[str, NamedRecord] = {}
        self._kept: set[str] = set()
        for name in files.names:
            found = files.read(name)
            own = name.endswith(ONE)
            self._sound |= {event.id: (event, own) for event in found.lines if event}
            if own and found.problems:
                record = _read(workspace, files.path(name))
                if record is None or record.newer or record.name == name.removesuffix(ONE):
                    self._kept.add(name.removesuffix(ONE))  # not ours to judge, or only spelled otherwise
                else:
                    self._broken[name] = record

    def named_evidence(self) -> set[str]:
        return {str(event.payload["evidence"]) for event, _ in self._sound.values() if "evidence" in event.payload}

    def strays(self) -> Iterator[StrayFile]:
        for name, record in self._broken.items():
            if not self._had_valid(name) and not self._is_misnamed(record):
                yield StrayFile(self._files.path(name), _what(record, "an event"), record.actor, _BY_HAND)
        for event in self._ungrounded():
            path = self._files.path(f"{event.id}{ONE}")
            reason = f"its parent {self._lost_parent(event)} is in no file of this ledger and never was in git"
            yield StrayFile(path, f"an event, {event.type}", event.actor, reason)

    def restorable(self) -> Iterator[RestorableFile]:
        for name, record in self._broken.items():
            path = self._files.path(name)
            if self._had_valid(name):
                yield RestorableFile(path, "it was changed by hand", f"git checkout HEAD -- {path}")
            elif self._is_misnamed(record):
                right = self._files.path(f"{record.name}{ONE}")
                yield RestorableFile(path, f"its name is not its id, {record.name}", f"mv {path} {right}")
        for parent in sorted(self._removed()):
            path = self._files.path(f"{parent}{ONE}")
            # The folder as of that commit has the event's own past too: a cherry-pick leaves out more than one parent.
            having = f"$(git log -n 1 --all --format=%H --diff-filter=AM -- {path})"
            step = f'git checkout "{having}" -- {path.rpartition("/")[0]}'
            children = [each.id for each, _ in self._sound.values() if parent in each.parents]
            needed_by = tuple(self._files.path(f"{each}{ONE}") for each in sorted(children))
            yield RestorableFile(path, "it is not on this branch, and other events need it", step, needed_by)

    def _had_valid(self, name: str) -> bool:
        """Whether git has a version of the file that makes its name."""
        path = self._files.path(name)
        if self._ever is not None and path not in self._ever:
            return False
        versions = known_versions(self._root, path)
        return any(named_record(data).name == name.removesuffix(ONE) for data in versions)

    def _is_misnamed(self, record: NamedRecord) -> bool:
        """Whether an event that others need lies under another name, and nowhere under its own."""
        return record.name not in self._sound and record.name in self._needed()

    def _needed(self) -> set[str]:
        return {parent for event, _ in self._sound.values() for parent in event.parents}

    def _unknown_parents(self, event: Event) -> list[str]:
        there = {*self._sound, *self._kept, *(record.name for record in self._broken.values())}
        return [each for each in event.parents if each not in there and not self._was_there(each)]

    def _lost_parent(self, event: Event) -> str:
        """Return the parent that never was, or the one that goes with it."""
        return next(iter(self._unknown_parents(event)), event.parents[0])

    def _was_there(self, event_id: str) -> bool:
        """Whether git had the event; so it may be where a pack was removed, or where that is not known."""
        if self._ever is None:
            return True
        packs = [path for path in self._ever if path.endswith(".jsonl")]
        gone = any(path.rpartition("/")[2] not in self._files.names for path in packs)
        return gone or self._files.path(f"{event_id}{ONE}") in self._ever

    def _ungrounded(self) -> list[Event]:
        """Return the events with a file of their own and a parent that never was, and those that build on them."""
        found: dict[str, Event] = {}
        while True:
            more = {
                event.id: event
                for event, own in self._sound.values()
                if own
                and event.id not in found
                and (self._unknown_parents(event) or any(parent in found for parent in event.parents))
            }
            if not more:
                return [found[name] for name in sorted(found)]
            found |= more

    def _removed(self) -> set[str]:
        known = self._ever or ()
        there = {*self._sound, *self._kept, *(name.removesuffix(ONE) for name in self._broken)}
        lacking = self._needed() - there
        return {each for each in lacking if self._files.path(f"{each}{ONE}") in known}


class _Evidence:
    """The evidence files of a sprint whose content does not make their name."""

    def __init__(self, workspace: Workspace, sprint_id: str, named: Collection[str]) -> None:
        self._broken: dict[str, NamedRecord] = {}
        self._named = named
        for path in evidence_files(workspace.memory, sprint_id).placed:
            record = _read(workspace, f"{MEMORY}/{path}")
            if record is not None and not record.newer and record.name != _stem(path):
                self._broken[f"{MEMORY}/{path}"] = record

    def strays(self) -> Iterator[StrayFile]:
        for path, record in self._broken.items():
            if _stem(path) not in self._named:
                yield StrayFile(path, _what(record, "evidence"), record.actor, _BY_HAND)

    def restorable(self) -> Iterator[RestorableFile]:
        for path in self._broken:
            if _stem(path) in self._named:
                yield RestorableFile(
                    path, "it was changed by hand, and an event names it", f"git checkout HEAD -- {path}"
                )


def steps_of(plan: RepairPlan) -> Mapping[str, str]:
    """Return the command that mends each file of a plan, by its path."""
    steps = {each.path: "vfcc doctor --repair" for each in plan.strays}
    return steps | {path: each.step for each in plan.restorable for path in (each.path, *each.needed_by)}


def _read(workspace: Workspace, path: str) -> NamedRecord | None:
    """Return what a file says of itself; None for what is no ordinary file of that size, which stays."""
    place = workspace.root / path
    try:
        if place.is_symlink() or not place.is_file() or place.stat().st_size > LARGEST_READ_BYTES:
            return None
        return named_record(place.read_bytes())
    except (OSError, VfccError):
        return None


def _what(record: NamedRecord, kind: str) -> str:
    return f"{kind}, {record.sort}" if record.sort else f"{kind} by its place, and no record by its content"


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(ONE)
