"""Fields of an event's payload, read as what they must be."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.events import Json
from verifflowcc.errors import LedgerError

Payload = Mapping[str, Json]


def text(payload: Payload, field: str) -> str:
    """Return a field that is text. Raises LedgerError where it is not."""
    value = payload.get(field)
    if not isinstance(value, str):
        raise LedgerError(f"{field} must be text")
    return value


def optional_text(payload: Payload, field: str) -> str | None:
    """Return a field that is text or null."""
    return None if payload.get(field) is None else text(payload, field)


def texts(payload: Payload, field: str) -> tuple[str, ...]:
    """Return a field that is a list of texts."""
    return tuple(str(each) for each in _list(payload, field))


def number(payload: Payload, field: str) -> int:
    """Return a field that is a whole number."""
    value = payload.get(field)
    if not isinstance(value, int):
        raise LedgerError(f"{field} must be a whole number")
    return value


def records(payload: Payload, field: str) -> tuple[Payload, ...]:
    """Return a field that is a list of objects."""
    return tuple(record(each) for each in _list(payload, field))


def record(value: Json) -> Payload:
    """Return a value that is an object. Raises LedgerError where it is not."""
    if not isinstance(value, Mapping):
        raise LedgerError("an object is expected")
    return value


def _list(payload: Payload, field: str) -> Sequence[Json]:
    value = payload.get(field)
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise LedgerError(f"{field} must be a list")
    return value
