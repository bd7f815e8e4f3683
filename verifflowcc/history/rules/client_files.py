"""Plan how vfcc's entries are added to a client's file, or removed from it.

All other content keeps its place and its bytes. The record of an install has places in the text, so that an uninstall
restores the earlier text exactly.
"""

import json
from collections.abc import Collection, Mapping
from enum import StrEnum

from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text import json_edit
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.base.text.json_edit import Json, Part, Record, Span
from verifflowcc.history.rules.client import client_of
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
