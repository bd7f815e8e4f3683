"""Reports in JSON, from anywhere: read into values, or refused with the reason."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from verifflowcc.errors import FormatError
from verifflowcc.formats.xml_report import check_size

Value: TypeAlias = "bool | str | Decimal | Sequence[Value] | Mapping[str, Value] | None"
"""JSON as reports have it: numbers are decimal and finite; what is no finite number is None."""


def read_json(data: bytes) -> Value:
    """Return the value; a byte order mark is skipped.

    Raises FormatError with the reason where the data is larger than 64 MiB, is not UTF-8, is no JSON or
    doubles a key.
    """
    check_size(data)
    try:
        text = data.decode("utf-8-sig")
        value: Value = json.loads(
            text, parse_float=_decimal, parse_int=_decimal, parse_constant=_no_number, object_pairs_hook=_each_once
        )
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 at byte {error.start}") from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from error
    return value


def mapping(value: Value, place: str) -> Mapping[str, Value]:
    """Return the object; raises FormatError where `place` holds none."""
    if not isinstance(value, Mapping):
        raise FormatError(f"{place} is no object")
    return value


def listed(record: Mapping[str, Value], name: str, place: str) -> Sequence[Value]:
    """Return the list in a field, an empty one where the field is absent or null; raises FormatError for all else."""
    value = record.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise FormatError(f"{place}.{name} is no list")
    return value


def text_in(record: Mapping[str, Value], name: str, place: str) -> str:
    """Return the text in a field, empty where it is absent or null; raises FormatError for all else."""
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise FormatError(f"{place}.{name} is no text")
    return value


def _decimal(text: str) -> Decimal | None:
    """Return the number exactly; json's own int would refuse a long one, and its float would round."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _each_once(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    """Return the object; of a key that stands there twice, one reader sees the first and another the last."""
    record = dict(pairs)
    if len(record) < len(pairs):
        doubled, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise FormatError(f"the key {doubled[:80]!r} is there twice in one object")
    return record


def _no_number(_text: str) -> None:
    """NaN and the infinities are no numbers."""
