"""A window and a snapshot of one as the JSON that is kept of them, and back, byte for byte."""

import json
from collections.abc import Mapping
from typing import NoReturn, TypeVar

from verifflowcc.domain.episodes import Operation, SnapshotReason, WindowPart
from verifflowcc.domain.events import Json
from verifflowcc.domain.window import FULL, ItemType, KeptWindow, Touched, Window, WindowItem
from verifflowcc.errors import FormatError
from verifflowcc.formats.events import moment, stamp
from verifflowcc.text.ulid import is_ulid

FORMAT = 1
_T = TypeVar("_T")
_Fields = Mapping[str, Json]


def window_bytes(window: Window) -> bytes:
    """Return a window as one line of JSON in ASCII; whatever a text holds, it is read back as it is."""
    return _line({"format": FORMAT, **_window(window)})


def snapshot_bytes(kept: KeptWindow) -> bytes:
    """Return a snapshot as one line of JSON in ASCII."""
    head: dict[str, Json] = {"format": FORMAT, "id": kept.id, "time": kept.time, "reason": str(kept.reason)}
    pruned: list[Json] = [
        {"id": each.id, "type": each.type, "tokens": each.tokens, "relevance": each.relevance} for each in kept.pruned
    ]
    return _line({**head, "window": _window(kept.window), "pruned": pruned})


def read_window(data: bytes) -> Window:
    """Return the window that `data` says. Raises FormatError where it says none."""
    return _read_window(_checked(data))


def read_snapshot(data: bytes) -> KeptWindow:
    """Return the snapshot that `data` says. Raises FormatError where it says none."""
    fields = _checked(data)
    if not is_ulid(name := _text(fields, "id")):
        raise FormatError(f"id {name!r} is no ULID")
    return KeptWindow(
        name,
        _time(fields),
        _word(fields, "reason", SnapshotReason),
        _read_window(_mapping(fields.get("window"), "window")),
        tuple(_part(_mapping(each, "pruned")) for each in _list(fields, "pruned")),
    )


def _line(value: _Fields) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, allow_nan=False).encode("ascii") + b"\n"


def _window(window: Window) -> dict[str, Json]:
    items: list[Json] = [_item(item) for item in window.items]
    return {"session": window.session, "task": window.task, "prunings": window.prunings, "items": items}


def _item(item: WindowItem) -> dict[str, Json]:
    files: list[Json] = [
        {"path": each.path, "operation": str(each.operation), "lines": list(each.lines) if each.lines else None}
        for each in item.files
    ]
    return {
        "id": item.id,
        "content": item.content,
        "type": str(item.type),
        "time": item.time,
        "tokens": item.tokens,
        "relevance": item.relevance,
        "task": item.task,
        "dependencies": list(item.dependencies),
        "sticky": item.sticky,
        "tool": item.tool,
        "files": files,
        "tool_calls": item.tool_calls,
        "failed": item.failed,
    }


def _checked(data: bytes) -> _Fields:
    try:
        value = json.loads(data.decode("ascii"), parse_float=_refuse, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FormatError("is not JSON") from error
    fields = _mapping(value, "it")
    form = fields.get("format")
    if form != FORMAT:
        newer = isinstance(form, int) and form > FORMAT
        raise FormatError(f"format {form!r} is {'newer than this vfcc' if newer else 'unknown'}")
    return fields


def _read_window(fields: _Fields) -> Window:
    items = tuple(_read_item(_mapping(each, "an item")) for each in _list(fields, "items"))
    if len({item.id for item in items}) != len(items):
        raise FormatError("two items have the same id")
    return Window(_text(fields, "session"), items, _optional(fields, "task"), _number(fields, "prunings"))


def _read_item(fields: _Fields) -> WindowItem:
    if (weight := _number(fields, "relevance")) > FULL:
        raise FormatError(f"relevance {weight} is above {FULL}")
    return WindowItem(
        id=_text(fields, "id"),
        content=_text(fields, "content"),
        type=_word(fields, "type", ItemType),
        time=_time(fields),
        tokens=_number(fields, "tokens"),
        relevance=weight,
        task=_optional(fields, "task"),
        dependencies=tuple(_text({"dependencies": each}, "dependencies") for each in _list(fields, "dependencies")),
        sticky=_flag(fields, "sticky"),
        tool=_optional(fields, "tool"),
        files=tuple(_touched(_mapping(each, "files")) for each in _list(fields, "files")),
        tool_calls=_flag(fields, "tool_calls"),
        failed=_flag(fields, "failed"),
    )


def _touched(fields: _Fields) -> Touched:
    lines = None
    if fields.get("lines") is not None:
        match [_number({"lines": each}, "lines") for each in _list(fields, "lines")]:
            case [first, last]:
                lines = (first, last)
            case _:
                raise FormatError("lines are not a first and a last one")
    return Touched(_text(fields, "path"), _word(fields, "operation", Operation), lines)


def _part(fields: _Fields) -> WindowPart:
    numbers = (_number(fields, "tokens"), _number(fields, "relevance"))
    return WindowPart(_text(fields, "id"), _text(fields, "type"), *numbers)


def _time(fields: _Fields) -> str:
    time = _text(fields, "time")
    at = moment(time)
    if at.tzinfo is None or stamp(at) != time:
        raise FormatError(f"the time {time!r} is not written as 2026-11-21T03:31:00.123Z")
    return time


def _word(fields: _Fields, name: str, kind: type[_T]) -> _T:
    try:
        return kind(_text(fields, name))  # type: ignore[call-arg]
    except ValueError as error:
        raise FormatError(f"{name} {fields[name]!r} is unknown") from error


def _text(fields: _Fields, name: str) -> str:
    found = fields.get(name)
    if not isinstance(found, str):
        raise FormatError(f"{name} is no text")
    return found


def _optional(fields: _Fields, name: str) -> str | None:
    return None if fields.get(name) is None else _text(fields, name)


def _number(fields: _Fields, name: str) -> int:
    found = fields.get(name)
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise FormatError(f"{name} is no whole number from 0 up")
    return found


def _flag(fields: _Fields, name: str) -> bool:
    found = fields.get(name)
    if not isinstance(found, bool):
        raise FormatError(f"{name} is neither true nor false")
    return found


def _list(fields: _Fields, name: str) -> list[Json]:
    found = fields.get(name)
    if not isinstance(found, list):
        raise FormatError(f"{name} is no list")
    return found


def _mapping(value: Json, what: str) -> _Fields:
    if not isinstance(value, Mapping):
        raise FormatError(f"{what} is no object")
    return value


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no whole number")
