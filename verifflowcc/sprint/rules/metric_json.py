"""A metric file: a JSON object of numbers, nested as one likes.

Measures: one for each number, named by its keys joined with dots (`size.wheel_kb`), in millionths. Texts, lists, truth
values, null, NaN and infinities are not numbers, and are left out.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import TypeAlias

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.evidence_values import Measurement
from verifflowcc.base.text.canonical import LARGEST, digest_bytes
from verifflowcc.sprint.rules.junit_claims import check_size

# Reports in JSON, from anywhere: read into values, or refused with the reason.

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
    """Return the object. Raises FormatError for a key that is in it twice."""
    record = dict(pairs)
    if len(record) < len(pairs):  # JSON readers differ: some take the first value of a key, others the last
        doubled, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise FormatError(f"the key {doubled[:80]!r} is there twice in one object")
    return record


def _no_number(_text: str) -> None:
    """NaN and the infinities are no numbers."""


MOST_NAMES = 50
MOST_NAME_BYTES = 1500
"""All names together: evidence is at most 4 KiB."""
_EXACT = Context(prec=40, rounding=ROUND_HALF_EVEN)


def measure_metrics(data: bytes) -> Measurement:
    """Return the numbers in millionths, rounded half to even where they have more than six decimals.

    `problem` says why there are no measures: no JSON object, no number at all, more than 50 (or 1500 bytes of names),
    one name twice, a number beyond ±9,007,199,254 (all that millionths can hold), or a name that is no text.
    """
    try:
        measures: dict[str, int] = {}
        for name, number in _numbers(mapping(read_json(data), "the file")):
            _check_room(measures, name)
            measures[name] = _millionths(name, number)
    except FormatError as error:
        return Measurement({}, "", problem=str(error))
    if not measures:
        return Measurement({}, "", problem="no number in it")
    lines = (f"{name}\0{measures[name]}\n" for name in sorted(measures))
    return Measurement(measures, digest_bytes("".join(lines).encode("utf-8")))


def _numbers(top: Mapping[str, Value]) -> Iterator[tuple[str, Decimal]]:
    """Walk without recursion, in the order of the file."""
    stack: list[tuple[str, Value]] = [("", top)]
    while stack:
        name, value = stack.pop()
        if isinstance(value, Mapping):
            before = f"{name}." if name else ""
            stack.extend(((before + key)[: MOST_NAME_BYTES + 1], value[key]) for key in reversed(list(value)))
        elif isinstance(value, Decimal):
            yield name, value


def _millionths(name: str, number: Decimal) -> int:
    if number.copy_abs() > LARGEST // 10**6:
        raise FormatError(f"{name[:80]!r} is too large to be kept in millionths")
    return int(number.quantize(Decimal("0.000001"), context=_EXACT).scaleb(6, context=_EXACT))


def _check_room(measures: Mapping[str, int], name: str) -> None:
    """Raise FormatError where there is no room for one more of that name."""
    if name in measures:
        raise FormatError(f"{name[:80]!r} is there twice")
    try:
        size = sum(len(each.encode("utf-8")) for each in (*measures, name))
    except UnicodeEncodeError as error:
        raise FormatError("a name holds a lone surrogate, which is no text") from error
    if len(measures) >= MOST_NAMES:
        raise FormatError(f"more than {MOST_NAMES} numbers")
    if size > MOST_NAME_BYTES:
        raise FormatError(f"the names of its numbers are longer than {MOST_NAME_BYTES} bytes together")
