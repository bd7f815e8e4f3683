"""Plan how vfcc's entries and doors are added to a client's file, or removed from it.

All other content keeps its place and its bytes. The record of an install has places in the text, so that an uninstall
restores the earlier text exactly.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum

from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text import json_edit
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.base.text.json_edit import Json, Part, Record, Span
from verifflowcc.history.rules.client import client_of
from verifflowcc.history.rules.client_doors import BEGIN, END, Door, DoorKind, Member
from verifflowcc.history.rules.client_entries import EVENTS, VERSION, Target, entries, is_ours

THE_FILE = "."
"""Among what vfcc made: the file itself, and not just keys in it."""


class FileOutcome(StrEnum):
    """What is done with a file; an `edited` one is left as it is."""

    WRITTEN = "written"
    REMOVED = "removed"
    NOTHING = "nothing"
    EDITED = "edited"


@dataclass(frozen=True, slots=True)
class ClientFilePlan:
    """What is to be done with a file: the text that it gets, None for no file, and what is remembered of it.

    `events` are those whose entry is written or removed, or was edited by somebody.
    """

    outcome: FileOutcome
    text: str | None
    record: Record | None
    events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HookEntries:
    """vfcc's entries in a file, by event: as it writes them, and as somebody edited them."""

    sound: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    value: Mapping[str, object] = field(default_factory=dict)


def found_in(text: str, target: Target) -> HookEntries:
    """Return which of vfcc's entries are in a file. Raises ValueError where it is not what the client would read."""
    value = json_edit.checked(text)
    if not isinstance(value, dict):
        raise ValueError("it holds no JSON object")  # noqa: TRY004 - it is what was read that is wrong
    hooks = value.get("hooks", {})
    if not isinstance(hooks, dict):
        raise ValueError('"hooks" is no object')  # noqa: TRY004
    if client_of(target.client).versioned and value.get("version", VERSION) != VERSION:
        raise ValueError(f'"version" is {json.dumps(value["version"])[:40]}, and vfcc knows version {VERSION}')
    wanted = entries(target.client)
    sound, edited = [], []
    for event, listed in hooks.items():
        if not isinstance(listed, list):
            if event in wanted:
                raise ValueError(f'"{event}" is no list')
            continue
        ours = [each for each in listed if is_ours(target.client, each)]
        if ours and ours == [wanted.get(event)]:
            sound.append(event)
        elif ours:
            edited.append(event)
    return HookEntries(tuple(sound), tuple(edited), value)


def installed(text: str | None, target: Target, record: Record | None, *, force: bool = False) -> ClientFilePlan:
    """Plan how a file gets vfcc's entries. Raises ValueError as `found_in` does.

    `text` is what is in the file, None where there is none. With `force`, entries that somebody edited are replaced.
    """
    if text is None:
        return _new(target)
    if record and (before := text_before(text, record)) is not None:
        again = _added(before, target) if before else _new(target)
        return ClientFilePlan(FileOutcome.NOTHING, text, record) if again.text == text else again
    found = found_in(text, target)
    if found.edited and not force:
        return ClientFilePlan(FileOutcome.EDITED, text, record, found.edited)
    versioned = not client_of(target.client).versioned or "version" in found.value
    if versioned and not found.edited and set(found.sound) == set(EVENTS[target.client]):
        return ClientFilePlan(FileOutcome.NOTHING, text, record)
    if not (found.sound or found.edited) and (record is None or record.before == digest_of(text)):
        return _added(text, target)
    rest = _without(text, target, found.edited, ())
    plan = _added(rest, target)
    made = tuple(sorted({*(record.made if record else ()), *(plan.record.made if plan.record else ())}))
    kept = Record(target.client, digest_of(plan.text or ""), made=made, folders=record.folders if record else ())
    return ClientFilePlan(FileOutcome.WRITTEN, plan.text, kept, plan.events)


def uninstalled(text: str | None, target: Target, record: Record | None, *, force: bool = False) -> ClientFilePlan:
    """Plan how a file loses vfcc's entries. Raises ValueError as `found_in` does.

    Where nobody edited it since, it gets the bytes that it had before; else it loses vfcc's entries alone.
    """
    if text is None or (record and record.before == digest_of(text)):
        return ClientFilePlan(FileOutcome.NOTHING, text, None)
    if record and (before := text_before(text, record)) is not None:
        return ClientFilePlan(FileOutcome.REMOVED, before or None, None, tuple(EVENTS[target.client]))
    found = found_in(text, target)
    if found.edited and not force:
        return ClientFilePlan(FileOutcome.EDITED, text, record, found.edited)
    ours = (*found.sound, *found.edited)
    if not ours:
        return ClientFilePlan(FileOutcome.NOTHING, text, None)
    made = record.made if record else ("hooks", *ours)
    left = _without(text, target, ours, made)
    gone = THE_FILE in made and json_edit.checked(left) == {}
    return ClientFilePlan(FileOutcome.REMOVED, None if gone else left, None, ours)


def _new(target: Target) -> ClientFilePlan:
    wanted = entries(target.client)
    value: dict[str, Json] = {"version": VERSION} if client_of(target.client).versioned else {}
    text = json_edit.fresh({**value, "hooks": {event: [each] for event, each in wanted.items()}})
    record = Record(target.client, digest_of(text), "", (), tuple(sorted((THE_FILE, "hooks", *value, *wanted))))
    return ClientFilePlan(FileOutcome.WRITTEN, text, record, tuple(wanted))


def text_before(text: str, record: Record) -> str | None:
    """Return what was in a file before, empty where there was none; None where somebody edited it since."""
    if record.written != digest_of(text) or record.before is None:
        return None
    before = json_edit.cut(text, record.spans) if record.before else ""
    return before if not record.before or digest_of(before) == record.before else None


def _added(text: str, target: Target) -> ClientFilePlan:
    """Return a file with the entries that it does not hold yet."""
    found = found_in(text, target)
    lists: dict[str, Json] = {e: [each] for e, each in entries(target.client).items() if e not in found.sound}
    top = json_edit.whole(text)
    outer: list[tuple[str, Json]] = []
    if client_of(target.client).versioned and "version" not in found.value:
        outer.append(("version", VERSION))
    new: list[tuple[int, str]] = []
    fresh = lists
    hooks = json_edit.member(text, top, "hooks")
    if hooks is None:
        outer.append(("hooks", lists))
    else:
        there = {part.key: part for part in json_edit.parts(text, hooks)}
        wanted = entries(target.client)
        new += [json_edit.added(text, there[event], [("", wanted[event])], 2) for event in lists if event in there]
        fresh = {event: each for event, each in lists.items() if event not in there}
        new += [json_edit.added(text, hooks, list(fresh.items()), 1)] if fresh else []
    new += [json_edit.added(text, top, outer, 0)] if outer else []
    after, spans = json_edit.inserted(text, new)
    made = tuple(sorted((*fresh, *(key for key, _ in outer))))
    record = Record(target.client, digest_of(after), digest_of(text), tuple(spans), made)
    return ClientFilePlan(FileOutcome.WRITTEN, after, record, tuple(lists))


def _without(text: str, target: Target, events: Collection[str], made: Collection[str]) -> str:
    """Return a file without vfcc's entries for some events, and without those keys of `made` that held nothing else."""
    for event in events:
        text = _without_entry(text, target.client, event)
        text = _without_key(text, ("hooks",), event, made, (b"[]",))
    text = _without_key(text, (), "hooks", made, (b"{}",))
    hooks = _inside(text, ("hooks",))
    if hooks and json_edit.parts(text, hooks):
        return text  # others' hooks need the version, too
    return _without_key(text, (), "version", made, (str(VERSION).encode(),))


def _without_entry(text: str, client: str, event: str) -> str:
    listed = _inside(text, ("hooks", event))
    if listed is None:
        return text
    spans: list[Span] = []
    unwanted: list[Part] = []
    for entry in json_edit.parts(text, listed):
        value = json.loads(text[entry.start : entry.end])
        if not is_ours(client, value):
            continue
        inner = json_edit.member(text, entry, "hooks") if client_of(client).grouped else None
        hooks = json_edit.parts(text, inner) if inner and isinstance(value["hooks"], list) else []
        ours = [each for each in hooks if is_ours(client, json.loads(text[each.start : each.end]))]
        if inner and len(ours) < len(hooks):
            spans += json_edit.removed(text, inner, ours)
        else:
            unwanted.append(entry)
    return json_edit.cut(text, [*spans, *json_edit.removed(text, listed, unwanted)])


def _without_key(text: str, place: tuple[str, ...], key: str, made: Collection[str], empty: tuple[bytes, ...]) -> str:
    """Return a text without a key that vfcc made, where nothing is left under it."""
    holder = _inside(text, place)
    part = json_edit.member(text, holder, key) if holder else None
    if holder is None or part is None or key not in made:
        return text
    left = "".join(text[part.start : part.end].split()).encode()
    return json_edit.cut(text, json_edit.removed(text, holder, [part])) if left in empty else text


def _inside(text: str, place: tuple[str, ...]) -> Part | None:
    part: Part | None = json_edit.whole(text)
    for key in place:
        part = json_edit.member(text, part, key) if part else None
    return part


def digest_of(text: str) -> str:
    return digest_bytes(text.encode("utf-8"))


# How a door goes into a file and out of it again; everything else in the file keeps its bytes.


@dataclass(frozen=True, slots=True)
class DoorPlan:
    """What is to be done with a file: the text that it gets, None for no file, and what is remembered of it."""

    outcome: FileOutcome
    text: str | None
    record: Record | None


def door_installed(text: str | None, door: Door, record: Record | None, clients: str, *, force: bool) -> DoorPlan:
    """Plan a file with a door in it. Raises ValueError for a file that should be JSON and is not.

    `text` is what is in the file, or where the link leads; `clients` are those that the door is for.
    """
    if text is None:
        if door.beside:
            return DoorPlan(FileOutcome.NOTHING, None, None)
        new = _fresh(door)
        return DoorPlan(FileOutcome.WRITTEN, new, Record(clients, digest_of(new), "", (), (THE_FILE,)))
    before = text_before(text, record) if record else None
    if before is not None and record:
        again = door_installed(before or None, door, None, clients, force=force)
        if again.text != text and again.outcome is FileOutcome.WRITTEN:
            return again
        return DoorPlan(FileOutcome.NOTHING, text, _for(record, clients))
    state = _state(text, door)
    if state is True:
        return DoorPlan(FileOutcome.NOTHING, text, _for(record, clients) or Record(clients, digest_of(text)))
    if state is False and not force:
        return DoorPlan(FileOutcome.EDITED, text, record)
    base = _without_door(text, door) if state is False else text
    after, spans = _with(base, door)
    known = digest_of(base) if base == text else None
    return DoorPlan(FileOutcome.WRITTEN, after, Record(clients, digest_of(after), known, spans if known else ()))


def door_removed(text: str | None, door: Door, record: Record | None, *, force: bool) -> DoorPlan:
    """Plan a file without its door. Raises ValueError for a file that should be JSON and is not."""
    if text is None:
        return DoorPlan(FileOutcome.NOTHING, None, None)
    before = text_before(text, record) if record else None
    if before is not None:
        return DoorPlan(FileOutcome.REMOVED, before or None, None)
    state = _state(text, door)
    if state is None:
        return DoorPlan(FileOutcome.NOTHING, text, None)
    if state is False and not force:
        return DoorPlan(FileOutcome.EDITED, text, record)
    left = _without_door(text, door)
    made = record is not None and THE_FILE in record.made
    empty = left.strip() in ("", "{}")
    whole = door.kind in (DoorKind.FILE, DoorKind.LINK)
    return DoorPlan(FileOutcome.REMOVED, None if whole or (made and empty) else left, None)


def _for(record: Record | None, clients: str) -> Record | None:
    if record is None or record.client == clients:
        return record
    return Record(clients, record.written, record.before, record.spans, record.made, record.folders)


def _fresh(door: Door) -> str:
    if door.kind is DoorKind.BLOCK:
        return _block(door)
    if door.kind is DoorKind.MEMBERS:
        value: dict[str, object] = {}
        for each in door.members:
            _put(value, each)
        return json_edit.fresh(value)  # type: ignore[arg-type]
    return door.text


def _put(value: dict[str, object], member: Member) -> None:
    place = member.place if member.key else member.place[:-1]
    here: dict[str, object] = value
    for key in place:
        inner = here.setdefault(key, {})
        if isinstance(inner, dict):
            here = inner
    if member.key:
        here[member.key] = member.value
    else:
        here.setdefault(member.place[-1], [member.value])


def _state(text: str, door: Door) -> bool | None:
    """Return whether the door is there as it is written; None where nothing of it is there."""
    if door.kind in (DoorKind.FILE, DoorKind.LINK):
        return text == door.text
    if door.kind is DoorKind.BLOCK:
        if door.beside and door.text.strip() in text.splitlines():
            return True
        place = _block_place(text, door)
        return None if place is None else text[place[0] : place[1]] == _block(door)
    found = [_found(text, each) for each in door.members]
    wanted = [each for each, member in zip(found, door.members, strict=True) if not (member.optional and each is False)]
    if False in wanted:
        return False
    return True if wanted and all(wanted) else None


def _found(text: str, member: Member) -> bool | None:
    """Return whether a member is there with its value; False with another one, None where it is not there."""
    value: object = json_edit.checked(text)
    for key in member.place:
        if not isinstance(value, Mapping):
            raise ValueError(f'"{key}" is in no object')  # noqa: TRY004 - it is what was read that is wrong
        if key not in value:
            return None
        value = value[key]
    if not member.key:
        if not isinstance(value, list):
            raise ValueError(f'"{member.place[-1]}" is no list')
        return True if member.value in value else None
    if not isinstance(value, Mapping):
        raise ValueError(f'"{member.place[-1] if member.place else member.key}" is no object')  # noqa: TRY004
    return value[member.key] == member.value if member.key in value else None


def _with(text: str, door: Door) -> tuple[str, tuple[Span, ...]]:
    """Return a text with the door in it, and what was inserted."""
    if door.kind is DoorKind.BLOCK:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        added = f"{gap}{_block(door)}"
        return text + added, ((len(text), len(text) + len(added)),)
    if door.kind is not DoorKind.MEMBERS:
        return door.text, ()
    spans: list[Span] = []
    for member in door.members:
        if _found(text, member) is None:
            place, more = _insertion(text, member)
            text = text[:place] + more + text[place:]
            spans = _shifted(spans, place, len(more))
    return text, tuple(spans)


def _insertion(text: str, member: Member) -> tuple[int, str]:
    """Return where to insert what, so that a text has a member; the holders that are missing are made."""
    here, depth = json_edit.whole(text), 0
    path = [*member.place, *([member.key] if member.key else [])]
    for key in path:
        inner = json_edit.member(text, here, key)
        if inner is None:
            break
        here, depth = inner, depth + 1
    missing = path[depth:]
    if not missing:
        return json_edit.added(text, here, [("", member.value)], depth)
    value: Json = member.value if member.key else [member.value]
    for key in reversed(missing[1:]):
        value = {key: value}
    return json_edit.added(text, here, [(missing[0], value)], depth)


def _shifted(spans: Sequence[Span], place: int, length: int) -> list[Span]:
    """Return spans in a text that grew at a place; one that lies around the place grows with it."""
    moved: list[Span] = []
    inside = False
    for start, end in spans:
        if start < place < end or place == end:
            moved.append((start, end + length))
            inside = True
        else:
            moved.append((start + length, end + length) if start >= place else (start, end))
    return moved if inside else [*moved, (place, place + length)]


def _without_door(text: str, door: Door) -> str:
    if door.kind is DoorKind.BLOCK:
        place = _block_place(text, door)
        if place is None:
            return text
        start, end = place
        return text[: start - 1] + text[end:] if text[:start].endswith("\n\n") else text[:start] + text[end:]
    if door.kind is not DoorKind.MEMBERS:
        return ""
    for member in door.members:
        found = _found(text, member)
        if found is None or (found is False and member.optional):
            continue
        text = _without_member(text, member)
    return text


def _without_member(text: str, member: Member) -> str:
    holders: list[Part] = [json_edit.whole(text)]
    for key in member.place:
        inner = json_edit.member(text, holders[-1], key)
        if inner is None:
            return text
        holders.append(inner)
    unwanted = [
        each
        for each in json_edit.parts(text, holders[-1])
        if (each.key == member.key if member.key else json.loads(text[each.start : each.end]) == member.value)
    ]
    text = json_edit.cut(text, json_edit.removed(text, holders[-1], unwanted))
    for depth in range(len(member.place), 0, -1):
        text = _without_empty(text, member.place[:depth])
    return text


def _without_empty(text: str, place: tuple[str, ...]) -> str:
    """Return a text without a holder that holds nothing any more."""
    here = json_edit.whole(text)
    for key in place[:-1]:
        inner = json_edit.member(text, here, key)
        if inner is None:
            return text
        here = inner
    part = json_edit.member(text, here, place[-1])
    if part is None or "".join(text[part.start : part.end].split()) not in ("{}", "[]"):
        return text
    return json_edit.cut(text, json_edit.removed(text, here, [part]))


def _block(door: Door) -> str:
    return f"{door.comment.format(BEGIN)}\n{door.text}{door.comment.format(END)}\n"


def _block_place(text: str, door: Door) -> Span | None:
    begin, end = door.comment.format(BEGIN), door.comment.format(END)
    start = text.find(begin)
    stop = text.find(end, start + 1) if start >= 0 else -1
    if stop < 0:
        return None
    stop += len(end)
    return start, stop + 1 if text[stop : stop + 1] == "\n" else stop
