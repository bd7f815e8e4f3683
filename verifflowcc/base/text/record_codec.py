"""The codec of derived stores: frozen records as JSON and back, driven by the fields of the record.

The outer record is an object with the fields that differ from their defaults, so that ten thousand load quickly.
A record inside of it is a list of all its fields in order; a shorter list, from before fields were added, is read too.
Enums are their values, tuples are lists. Files that people commit and public JSON have writers of their own.
"""

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache, partial
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, ForwardRef, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.events import Json
from verifflowcc.base.records import field_defaults, field_names
from verifflowcc.base.text.canonical import encode_short

# Records as JSON objects by the names of their fields, and back with every value checked.
#
# For files that hold what nothing can make again, so that an error names the fault.

_CHECKED_RECORD_T = TypeVar("_CHECKED_RECORD_T")
_Check = Callable[[Json, str], Any]
_CHECKED_RECORD_AS_IS = frozenset({str, int, bool, NoneType})


def record_to_json(value: object) -> Any:
    """Return a record as an object with all of its fields, and so the records in it; tuples are lists."""
    if isinstance(value, tuple):
        return [record_to_json(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    kind: Any = type(value)
    found: dict[str, Any] = {}
    for name in _checked_record_names(kind):
        each = getattr(value, name)
        found[name] = each if type(each) in _CHECKED_RECORD_AS_IS else record_to_json(each)
    return found if found else value


@lru_cache(maxsize=64)
def _checked_record_names(kind: Any) -> tuple[str, ...]:
    return field_names(kind) if hasattr(kind, "__record_fields__") else ()


def record_from_json(kind: Callable[..., _CHECKED_RECORD_T], value: Json, what: str) -> _CHECKED_RECORD_T:
    """Return the record that `record_to_json` wrote; `what` is what messages call it. Raises FormatError."""
    if not isinstance(value, Mapping):
        raise FormatError(f"{what} is no object")
    return kind(**{name: check(value.get(name), name) for name, check in _checks(kind).items()})


@lru_cache(maxsize=64)
def _checks(kind: Callable[..., Any]) -> dict[str, _Check]:
    return {name: _check(hint) for name, hint in get_type_hints(kind).items()}


def _check(hint: Any) -> _Check:
    """Return what reads a value of an annotation."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is UnionType:
        some = _check(next(part for part in parts if part is not NoneType))
        return lambda value, name: None if value is None else some(value, name)
    if origin is tuple:
        each = _check(parts[0])
        many = None if parts[-1] is ... else len(parts)
        return lambda value, name: _tuple(value, name, each, many)
    if origin is Mapping:
        each = _check(parts[1])
        return lambda value, name: _mapping(value, name, each)
    if issubclass(hint, Enum):
        return lambda value, name: _word(value, name, hint)
    return lambda value, name: record_from_json(hint, value, f"one of {name}")


def _text(value: Json, name: str) -> str:
    if not isinstance(value, str):
        raise FormatError(f"{name} is no text")
    return value


def _number(value: Json, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise FormatError(f"{name} is no whole number from 0 up")
    return value


def _flag(value: Json, name: str) -> bool:
    if not isinstance(value, bool):
        raise FormatError(f"{name} is neither true nor false")
    return value


def _word(value: Json, name: str, kind: Any) -> Any:
    try:
        return kind(_text(value, name))
    except ValueError as error:
        raise FormatError(f"{name} {value!r} is unknown") from error


def _mapping(value: Json, name: str, each: _Check) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise FormatError(f"{name} is no object")
    return {_text(key, name): each(one, name) for key, one in value.items()}


def _tuple(value: Json, name: str, each: _Check, many: int | None) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise FormatError(f"{name} is no list")
    if many is not None and len(value) != many:
        raise FormatError(f"{name} has {len(value)} values instead of {many}")
    return tuple([each(one, name) for one in value])


_PLAIN: Mapping[Any, _Check] = {str: _text, int: _number, bool: _flag}


_T = TypeVar("_T")
_Convert = Callable[[Any], Any]
_Kinds = Mapping[Any, Any]
_MISSING = object()
_AS_IS = frozenset({str, int, bool, float, NoneType})


class RecordCodec(Generic[_T]):
    """Writes and reads the values of one record class, or of tuples and mappings of records.

    `kinds` gives a class in the place of an annotation that is too wide to read, or for a class that has rows of its
    own what writes and what reads one; `names` are those that annotations have for checkers alone. Reading raises
    ValueError, LookupError, TypeError or AttributeError for what this did not write; callers keep a checksum beside it.
    """

    def __init__(self, kind: Any, kinds: _Kinds | None = None, names: dict[str, Any] | None = None) -> None:
        self._kind, self._kinds, self._names = kind, kinds or {}, names
        self._writers = {each: rows[0] for each, rows in self._kinds.items() if isinstance(rows, tuple)}
        self._defaults: dict[str, object] = {}
        self._values: Callable[[Any], tuple[Any, ...]] = tuple
        self._hints: Mapping[str, Any] = {}
        self._readers: dict[str, _Convert | None] = {}
        self._read: _Convert | None = None

    def text(self, value: _T) -> str:
        """Return a value as one line of JSON."""
        return encode_short(self.plain(value))

    def value(self, text: str | bytes) -> _T:
        """Return the value that `text` was made of."""
        return self.made(json.loads(text))

    def plain(self, value: _T) -> Any:
        """Return a value as JSON that a document can hold."""
        if self._read is None:
            self._prepare()
        if not self._defaults:
            return _plain(value, self._writers)
        writers = self._writers
        return {
            name: each if type(each) in _AS_IS else _plain(each, writers)
            for (name, default), each in zip(self._defaults.items(), self._values(value), strict=False)
            if each is not default and each != default
        }

    def made(self, plain: Any) -> _T:
        """Return the value that `plain` was made of, which is used up."""
        made: _T = (self._read or self._prepare())(plain)
        return made

    def _prepare(self) -> _Convert:
        if not hasattr(self._kind, "__record_fields__"):
            self._read = _reader(self._kind, self._kinds) or (lambda value: value)
            return self._read
        defaults = field_defaults(self._kind)
        self._defaults = {name: defaults.get(name, _MISSING) for name in field_names(self._kind)}
        self._values = attrgetter(*self._defaults, "__class__")  # of one name alone it returns no tuple
        self._hints = _hints_of(self._kind, self._names)
        self._read = self._record
        return self._read

    def _record(self, fields: dict[str, Any]) -> Any:
        readers = self._readers
        for name, each in fields.items():
            if name not in readers:
                readers[name] = _reader(self._hints[name], self._kinds)
            reader = readers[name]
            if reader is not None:
                fields[name] = reader(each)
        return self._kind(**fields)


def plain_text(value: object) -> str:
    """Return records, and tuples and mappings of them, as one line of JSON: for keys and checksums."""
    return encode_short(_plain(value, {}))


def _plain(value: Any, writers: Mapping[type, _Convert]) -> Any:
    kind: Any = type(value)
    if kind in _AS_IS:
        return value
    if kind in writers:
        return writers[kind](value)
    values = value if kind is tuple or kind is list else None
    if values is None and (names := _names(kind)) is not None:
        values = [getattr(value, name) for name in names]
    if values is not None:
        return [each if type(each) in _AS_IS else _plain(each, writers) for each in values]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {
            key if type(key) in _AS_IS else _plain(key, writers): each
            if type(each) in _AS_IS
            else _plain(each, writers)
            for key, each in value.items()
        }
    return sorted(value) if isinstance(value, frozenset) else value


@cache
def _names(kind: Hashable) -> tuple[str, ...] | None:
    """Return the names of the fields of a record or a named tuple; None for any other class."""
    names: tuple[str, ...] | None = getattr(kind, "_fields", None)
    return field_names(kind) if hasattr(kind, "__record_fields__") else names


def _reader(kind: Any, kinds: _Kinds) -> _Convert | None:
    """Return what makes a value of a kind out of JSON; None where JSON has it as it is."""
    kind = kinds.get(kind, kind)
    if isinstance(kind, tuple):
        read_row: _Convert = kind[1]
        return read_row
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        kept = [part for part in parts if part is not NoneType]
        read = _reader(kept[0], kinds) if len(kept) == 1 else None
        return None if read is None else partial(_unless_none, read)
    if origin is tuple and parts[-1] is not ...:
        return _filled(tuple, parts, kinds)
    if origin in (tuple, Sequence):
        read = _reader(parts[0], kinds)
        return tuple if read is None else partial(_each, read)
    if origin is frozenset:
        return frozenset
    if origin is Mapping:
        name, read = (_reader(part, kinds) or _same for part in parts)
        return None if name is read else lambda given: {name(key): read(each) for key, each in given.items()}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {each.value: each for each in kind}.__getitem__
    record: Any = kind
    if not isinstance(kind, type) or (names := _names(record)) is None:
        return None
    hints = _hints_of(kind)
    return _filled(lambda row: record(*row), [hints[name] for name in names], kinds)


def _unless_none(read: _Convert, value: Any) -> Any:
    return None if value is None else read(value)


def _each(read: _Convert, values: list[Any]) -> tuple[Any, ...]:
    return tuple([read(each) for each in values])


def _hints_of(kind: Any, names: dict[str, Any] | None = None) -> Mapping[str, Any]:
    """Return the annotations of a class; `get_type_hints` takes ten times as long where none is a text."""
    own = [getattr(base, "__annotations__", {}) for base in reversed(kind.__mro__)]
    hints = {name: each for one in own for name, each in one.items()}
    return get_type_hints(kind, localns=names) if any(map(_has_text, hints.values())) else hints


def _has_text(kind: Any) -> bool:
    return isinstance(kind, str | ForwardRef) or any(map(_has_text, get_args(kind)))


def _same(value: Any) -> Any:
    return value


def _filled(make: _Convert, parts: Sequence[Any], kinds: _Kinds) -> _Convert:
    """Return what reads the values of a list, each of its kind, and then makes one value of the list."""
    places = [(place, each) for place, part in enumerate(parts) if (each := _reader(part, kinds)) is not None]

    def read(row: list[Any]) -> Any:
        for place, each in places:
            if place < len(row):
                row[place] = each(row[place])
        return make(row)

    return read if places else make
