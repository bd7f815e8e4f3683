"""Records as JSON objects by the names of their fields, and back with every value checked.

For files that hold what nothing can make again, so that an error names the fault.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from verifflowcc.domain.events import Json
from verifflowcc.errors import FormatError
from verifflowcc.records import field_names

_T = TypeVar("_T")
_Check = Callable[[Json, str], Any]
_AS_IS = frozenset({str, int, bool, NoneType})


def record_to_json(value: object) -> Any:
    """Return a record as an object with all of its fields, and so the records in it; tuples are lists."""
    if isinstance(value, tuple):
        return [record_to_json(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    kind: Any = type(value)
    found: dict[str, Any] = {}
    for name in _names(kind):
        each = getattr(value, name)
        found[name] = each if type(each) in _AS_IS else record_to_json(each)
    return found if found else value


@lru_cache(maxsize=64)
def _names(kind: Any) -> tuple[str, ...]:
    return field_names(kind) if hasattr(kind, "__record_fields__") else ()


def record_from_json(kind: Callable[..., _T], value: Json, what: str) -> _T:
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
