"""A value of vfcc as the data of a document: keys, scales and what is left out, by the rules of its class.

A lean form has the keys of a full one, in the same places, and fewer of them: those that a rule names, without what is
empty (null, "", [], {}). Numbers and truth values are never empty, and a list right in the data stays, so that a
program can go through it.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import Any

from verifflowcc.records import field_names, is_record
from verifflowcc.services.documents.rules import ADDED, KEYS, LEAN, UNITS, WHOLE, Units

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
Selection = Mapping[str, "Selection | None"]
"""The keys that are kept, each with those of what it holds; None: as the rule of the class there says."""


def form(value: object, *, full: bool) -> Json:
    """Return a value as JSON holds it: whole, or lean."""
    return _record(value, None, full=full, top=True) if is_record(value) else _form(value, None, full=full)


def class_name(record: type) -> str:
    """Return the name of a class as rules spell it: its module below the package, and its own."""
    return f"{record.__module__}.{record.__qualname__}"


@cache
def key_sources(record: type) -> Mapping[str, tuple[str, Units | None]]:
    """Return the keys of a class in order, each with the attribute that it shows and the unit of that."""
    name = class_name(record)
    keys, units = KEYS.get(name, {}), UNITS.get(name, {})
    fields = {keys.get(each, each): (each, units.get(each)) for each in field_names(record)}
    return {**fields, **{key: (each, units.get(each)) for key, each in ADDED.get(name, {}).items()}}


@cache
def lean_keys(record: type) -> Selection | None:
    """Return what the lean form of a class keeps; None where that is every key."""
    rule = LEAN.get(class_name(record))
    return None if rule is None else selection(rule)


@cache
def held_keys(record: type) -> Selection:
    """Return what either form of a class shows of what it holds, by key, where that is not all of it."""
    return selection(WHOLE.get(class_name(record), ""))


def selection(rule: str) -> Selection:
    """Read a rule: keys with a blank between, each with the keys of what it holds in brackets.

    >>> selection("event(id) before")
    {'event': {'id': None}, 'before': None}
    """
    words = iter(rule.replace("(", " ( ").replace(")", " ) ").split())
    return _selected(words)


def _selected(words: Iterator[str]) -> Selection:
    found: dict[str, Selection | None] = {}
    last = ""
    for word in words:
        if word == ")":
            break
        if word == "(":
            found[last] = _selected(words)
        else:
            found[last := word] = None
    return found


def _form(value: object, chosen: Selection | None, *, full: bool) -> Json:
    if isinstance(value, Enum):
        return _form(value.value, None, full=full)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, PurePath):
        return value.as_posix()
    if is_record(value):
        return _record(value, chosen, full=full)
    if isinstance(value, Mapping):
        pairs = ((str(_form(key, None, full=full)), one) for key, one in value.items())
        return {key: _form(one, chosen, full=full) for key, one in sorted(pairs, key=lambda pair: pair[0])}
    if isinstance(value, Sequence | set | frozenset):
        listed = sorted(value) if isinstance(value, set | frozenset) else value
        return [_form(one, chosen, full=full) for one in listed]
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _record(value: object, chosen: Selection | None, *, full: bool, top: bool = False) -> Json:
    kind: Any = type(value)
    kept = chosen if full else chosen or lean_keys(kind)
    held = held_keys(kind)
    found: dict[str, Json] = {}
    for key, (attribute, unit) in key_sources(kind).items():
        if kept is not None and key not in kept:
            continue
        shown = _form(getattr(value, attribute), (kept[key] if kept else None) or held.get(key), full=full)
        shown = scaled(shown, unit) if unit else shown
        if full or not is_empty(shown) or (top and isinstance(shown, list)):
            found[key] = shown
    return found


def is_empty(value: Json) -> bool:
    """Whether a lean form leaves a value out: it is null, or a text, a list or an object with nothing in it."""
    return value is None or value in ("", [], {})


def scaled(value: Json, unit: Units) -> Json:
    """Return whole numbers of a unit as plain numbers; those in a list or an object, each of them.

    >>> scaled(800, Units.THOUSANDTHS), scaled({"recall_bp": 9_050}, Units.BASIS_POINTS_BY_NAME)
    (0.8, {'recall': 0.905})
    """
    if isinstance(value, list):
        return [scaled(each, unit) for each in value]
    if isinstance(value, dict) and unit is Units.BASIS_POINTS_BY_NAME:
        return dict(_named(name, each) for name, each in value.items())
    if isinstance(value, dict):
        return {name: scaled(each, unit) for name, each in value.items()}
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    whole, rest = divmod(value, unit.value)
    return whole if rest == 0 else value / unit.value


def _named(name: str, value: Json) -> tuple[str, Json]:
    if not name.endswith("_bp"):
        return name, value
    return name.removesuffix("_bp"), scaled(value, Units.BASIS_POINTS)
