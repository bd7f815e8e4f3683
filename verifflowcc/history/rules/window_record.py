"""A window and a snapshot of one as the JSON that is kept of them, and back, byte for byte."""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.event_bytes import moment, stamp
from verifflowcc.base.text.identifiers import is_ulid
from verifflowcc.base.text.record_codec import record_from_json, record_to_json
from verifflowcc.history.rules.window_values import FULL, KeptWindow, Window

FORMAT = 1


def window_bytes(window: Window) -> bytes:
    """Return a window as one line of JSON in ASCII; whatever a text holds, it is read back as it is."""
    return _line(window)


def snapshot_bytes(kept: KeptWindow) -> bytes:
    """Return a snapshot as one line of JSON in ASCII."""
    return _line(kept)


def read_window(data: bytes) -> Window:
    """Return the window that `data` says. Raises FormatError where it says none."""
    return _checked(record_from_json(Window, _object(data), "it"))


def read_snapshot(data: bytes) -> KeptWindow:
    """Return the snapshot that `data` says. Raises FormatError where it says none."""
    kept = record_from_json(KeptWindow, _object(data), "it")
    if not is_ulid(kept.id):
        raise FormatError(f"id {kept.id!r} is no ULID")
    _check_time(kept.time)
    _checked(kept.window)
    return kept


def _line(record: object) -> bytes:
    value = {"format": FORMAT, **record_to_json(record)}
    return json.dumps(value, separators=(",", ":"), sort_keys=True, allow_nan=False).encode("ascii") + b"\n"


def _object(data: bytes) -> Any:
    try:
        value = json.loads(data.decode("ascii"), parse_float=_refuse, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FormatError("is not JSON") from error
    if not isinstance(value, Mapping):
        raise FormatError("it is no object")
    form = value.get("format")
    if form != FORMAT:
        newer = isinstance(form, int) and form > FORMAT
        raise FormatError(f"format {form!r} is {'newer than this vfcc' if newer else 'unknown'}")
    return value


def _checked(window: Window) -> Window:
    if len({item.id for item in window.items}) != len(window.items):
        raise FormatError("two items have the same id")
    for item in window.items:
        _check_time(item.time)
        if item.relevance > FULL:
            raise FormatError(f"relevance {item.relevance} is above {FULL}")
    return window


def _check_time(time: str) -> None:
    at = moment(time)
    if at.tzinfo is None or stamp(at) != time:
        raise FormatError(f"the time {time!r} is not written as 2026-11-21T03:31:00.123Z")


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no whole number")
