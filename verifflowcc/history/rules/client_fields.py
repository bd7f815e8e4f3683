"""Read fields of a hook's input, whatever their type. It runs inside hooks."""

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = Any


def text(fields: "Mapping[str, Json]", *names: str) -> str:
    """Return the first text that is not empty under one of the names; empty where there is none."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def unpacked(value: "Json") -> "Json":
    """Return what a text spells that is JSON; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip(" \t\r\n").startswith(("{", "[")):
        return value
    from verifflowcc.base.text.quick_json import read

    try:
        return read(value)
    except ValueError:
        return value


def moved(fields: "Mapping[str, Json]", names: "Mapping[str, str]") -> "dict[str, Json]":
    """Return a copy with fields under their new names; a field that has the new name already wins.

    >>> moved({"sessionId": "1", "cwd": "/p"}, {"sessionId": "session_id"})
    {'cwd': '/p', 'session_id': '1'}
    """
    plain = {name: value for name, value in fields.items() if name not in names}
    for old, new in names.items():
        if old in fields:
            plain.setdefault(new, fields[old])
    return plain


def number(value: "Json") -> int | None:
    """Return a whole number; None for what is none, such as True."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
