"""Questions to a store: filters as typed conditions, whether an item meets them, and the order of answers.

What a field says is compared as one kind of value: texts by code point, decimals from 0 to 1 in thousandths, trust by
its rank (a person highest), dates as moments in microseconds. A day is its first moment, and a date-time without an
offset is in UTC. Stores that answer from columns keep `value_of` in them, so that all stores answer alike; the
conditions of SQL on such columns are here as well.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from operator import attrgetter
from typing import TypeVar

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.item_values import MEMORY_KEYS, Item, SourceKind, Status, Trust, ValueKind
from verifflowcc.base.model.memory_protocol import DEFAULT_ORDER, Filters, ItemKind, ItemPage, Plain
from verifflowcc.base.records import dataclass

Value = str | int
TAGS = "tags"
DETAILS = "details."
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST = 18
_T = TypeVar("_T")


class Operator(StrEnum):
    """How a field is compared with a condition's values.

    `ANY` is equality, also with any of several.
    """

    ANY = "$eq"
    NOT = "$ne"
    ABOVE = "$gt"
    FROM = "$gte"
    BELOW = "$lt"
    UP_TO = "$lte"


ORDERING: Mapping[Operator, Callable[[Value, Value], bool]] = {
    Operator.ABOVE: lambda value, bound: value > bound,  # type: ignore[operator]
    Operator.FROM: lambda value, bound: value >= bound,  # type: ignore[operator]
    Operator.BELOW: lambda value, bound: value < bound,  # type: ignore[operator]
    Operator.UP_TO: lambda value, bound: value <= bound,  # type: ignore[operator]
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A field that must stand to any of `values` as `operator` says; None among them is a missing value."""

    field: str
    operator: Operator
    values: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True)
class _QueryField:
    kind: ValueKind
    read: Callable[[Item], Value | None]
    words: Mapping[str, Value] | None = None


_TRUST = {str(trust): rank for rank, trust in enumerate(reversed(Trust))}
_STATUS = {str(each): str(each) for each in Status}
_SOURCE = {str(each): str(each) for each in SourceKind}
_UNCOMPARED = {ValueKind.TEXTS, ValueKind.TRUTH}
_RANKED: Mapping[str, _QueryField] = {
    "status": _QueryField(ValueKind.WORD, lambda item: str(item.status), _STATUS),
    "trust": _QueryField(ValueKind.WORD, lambda item: _TRUST[item.trust], _TRUST),
}
_PARTS: Mapping[str, _QueryField] = {
    "path": _QueryField(ValueKind.TEXT, lambda item: item.path),
    "scope": _QueryField(ValueKind.TEXT, lambda item: item.scope),
    "uses": _QueryField(ValueKind.WHOLE, lambda item: item.uses.count),
    "last_used": _QueryField(ValueKind.MOMENT, lambda item: moment(item.uses.last)),
    "source": _QueryField(ValueKind.WORD, lambda item: str(item.source.kind), _SOURCE),
    "actor": _QueryField(ValueKind.TEXT, lambda item: item.source.actor),
    "project": _QueryField(ValueKind.TEXT, lambda item: item.source.project),
    "session": _QueryField(ValueKind.TEXT, lambda item: item.source.session),
}
"""What is compared and is no key of the front matter by itself."""


def _field(name: str, kind: ValueKind) -> _QueryField:
    read = attrgetter(name)
    return _RANKED.get(name) or _QueryField(
        kind, read if kind is not ValueKind.MOMENT else lambda item: moment(read(item))
    )


_FIELDS: Mapping[str, _QueryField] = {
    **_PARTS,
    **{row.name: _field(row.name, row.kind) for row in MEMORY_KEYS if row.kind and row.kind not in _UNCOMPARED},
}
STORED = (
    *("id", "type", "title", "key", "path", "scope", "status", "importance", "confidence", "trust"),
    *("created", "updated", "expires", "deadline", "uses", "last_used", "source", "actor", "project", "session"),
    *("verification", "tokens"),
)
"""The fields that databases hold in columns, in their order, which is fixed: a field added since is compared here."""
SCALARS = (*STORED, *(name for name in _FIELDS if name not in STORED))
"""The fields with one value each; beside them there are `tags` and `details.<name>`."""


def conditions(filters: Filters) -> tuple[Condition, ...]:
    """Return filters as conditions, all of which must hold.

    Raises UsageError for a field or an operator that there is not, and for a value that does not fit its field.

    >>> conditions({"importance": {"$gte": 0.7}})
    (Condition(field='importance', operator=<Operator.FROM: '$gte'>, values=(700,)),)
    """
    return tuple(condition for name, asked in filters.items() for condition in _of_field(name, asked))


def page_of(
    items: Sequence[Item], all_of: Iterable[Filters], shown: Callable[[ItemKind], bool], order_by: str, limit: int
) -> ItemPage:
    """Return the page of a list as `MemoryBackend.page` gives it, from all items."""
    wanted = [condition for each in all_of for condition in conditions(each)]
    fitting = [item for item in items if matches(item, wanted)]
    kinds = [kind_of_item(item) for item in fitting]
    kept = [item for item, kind in zip(fitting, kinds, strict=True) if shown(kind)]
    return ItemPage(ordered(kept, order_by)[: limit + len(items)], Counter(kinds), items)


def kind_of_item(item: Item) -> ItemKind:
    """Return the kind that an item has in a list."""
    return ItemKind(str(item.status), item.type, f"{item.id}.md" == item.path)


def matches(item: Item, conditions: Iterable[Condition]) -> bool:
    """Say whether all conditions hold for an item. `$ne` holds for a missing value, an ordering never does."""
    return all(_holds(item, condition) for condition in conditions)


def ordered(items: Iterable[Item], order_by: str = DEFAULT_ORDER) -> list[Item]:
    """Return items with the highest (newest) value of a field first, with a leading `-` the lowest.

    What lacks the field comes last either way, ties by id. Raises UsageError where there is no such scalar field.
    """
    return ordered_by(items, order_by, lambda item: item)


def ordered_by(items: Iterable[_T], order_by: str, item_of: Callable[[_T], Item]) -> list[_T]:
    """Return whatever holds items in the order of `ordered`. Raises UsageError as it does."""
    field, ascending = order_of(order_by)
    rows = [(value_of(item_of(each), field), item_of(each).id, each) for each in items]
    rows.sort(key=lambda row: row[1])
    present = [row for row in rows if row[0] is not None]
    present.sort(key=lambda row: row[0], reverse=not ascending)  # type: ignore[arg-type, return-value]
    return [row[2] for row in present] + [row[2] for row in rows if row[0] is None]


def order_of(order_by: str) -> tuple[str, bool]:
    """Return the field to order by, and whether the order ascends.

    Raises UsageError as `ordered` does.
    """
    field = order_by.removeprefix("-")
    if field == TAGS:
        raise UsageError("answers cannot be ordered by tags, of which an item has several")
    _checked_field(field)
    return field, order_by.startswith("-")


def checked_limit(limit: int) -> int:
    """Return a limit. Raises UsageError where it is no whole number from 0."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise UsageError(f"a limit is a whole number from 0, not {limit}")
    return limit


def value_of(item: Item, field: str) -> Value | None:
    """Return what a scalar field of an item is compared as; None where it has none."""
    if field.startswith(DETAILS):
        return dict(item.details).get(field.removeprefix(DETAILS))
    return _FIELDS[field].read(item)


def moment(text: str | None) -> int | None:
    """Return an ISO date or date-time in microseconds since 1970 in UTC; None where it is neither.

    >>> moment("1970-01-02") == moment("1970-01-02T02:00:00+02:00") == 86_400_000_000
    True
    """
    return _moment_of(text or "")


@lru_cache(maxsize=4096)  # most items of a project share a few days
def _moment_of(text: str) -> int | None:
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return None
    return ((read if read.tzinfo else read.replace(tzinfo=UTC)) - _EPOCH) // timedelta(microseconds=1)


def _of_field(name: str, asked: Plain | Sequence[Plain] | Mapping[str, Plain]) -> list[Condition]:
    kind = _checked_field(name)
    if isinstance(asked, Mapping):
        return [_compared(name, kind, *pair) for pair in asked.items()]
    values = asked if isinstance(asked, Sequence) and not isinstance(asked, str) else (asked,)
    return [Condition(name, Operator.ANY, tuple(_value(name, kind, value) for value in values))]


def _compared(name: str, kind: ValueKind, word: str, asked: Plain) -> Condition:
    if word not in set(Operator):
        raise UsageError(f"{word} is no operator of a filter; {_choice(word, Operator)}")
    operator = Operator(word)
    if operator in ORDERING and (kind is ValueKind.TEXTS or asked is None):
        what = "missing values have" if asked is None else "tags have"
        raise UsageError(f"{name} cannot be compared by {word}: {what} no order", hint="$eq or $ne")
    return Condition(name, operator, (_value(name, kind, asked),))


def _checked_field(name: str) -> ValueKind:
    if name in _FIELDS:
        return _FIELDS[name].kind
    if name == TAGS:
        return ValueKind.TEXTS
    if name.startswith(DETAILS) and name != DETAILS:
        return ValueKind.TEXT
    raise UsageError(f"{name or 'nothing'} is no field of an item; {_choice(name, (*SCALARS, TAGS, 'details.<name>'))}")


def _value(name: str, kind: ValueKind, asked: Plain) -> Value | None:
    """Return a filter's value as the field is compared."""
    if asked is None:
        return None
    if isinstance(asked, bool) or not isinstance(asked, str | int | float):
        raise UsageError(f"{name} is {kind}, not {_shown(asked)}")
    value = _READERS[kind](asked)
    if kind is ValueKind.WORD:
        words = _FIELDS[name].words or {}
        if value not in words:
            raise UsageError(f"{name} is never {_shown(asked)}; {_choice(str(asked), words)}")
        return words[str(value)]
    if value is None:
        raise UsageError(f"{name} is {kind}, not {_shown(asked)}")
    return value


def _text(asked: Value | float) -> Value | None:
    """Half of a surrogate pair is in no text of a file, and no database takes it."""
    return asked if isinstance(asked, str) and not any("\ud800" <= each <= "\udfff" for each in asked) else None


def _decimal(asked: Value | float) -> Value | None:
    from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

    try:
        number = Decimal(str(asked).strip())
        inside = 0 <= number <= 1
    except InvalidOperation:
        return None
    return int((number * 1000).quantize(Decimal(1), ROUND_HALF_UP)) if inside else None


def _whole(asked: Value | float) -> Value | None:
    text = str(asked)
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST else None


def _moment(asked: Value | float) -> Value | None:
    return moment(asked.strip()) if isinstance(asked, str) else None


_READERS: Mapping[ValueKind, Callable[[Value | float], Value | None]] = {
    ValueKind.TEXT: _text,
    ValueKind.TEXTS: _text,
    ValueKind.WORD: _text,
    ValueKind.DECIMAL: _decimal,
    ValueKind.WHOLE: _whole,
    ValueKind.MOMENT: _moment,
}


def _holds(item: Item, condition: Condition) -> bool:
    if condition.field == TAGS:
        held = any(value in item.tags if value is not None else not item.tags for value in condition.values)
        return held is (condition.operator is Operator.ANY)
    value = value_of(item, condition.field)
    if condition.operator is Operator.ANY:
        return value in condition.values
    if condition.operator is Operator.NOT:
        return value not in condition.values
    (bound,) = condition.values
    return value is not None and bound is not None and ORDERING[condition.operator](value, bound)


def _shown(asked: object) -> str:
    text = str(asked).encode("utf-8", "backslashreplace").decode("utf-8")
    return f'"{text}"' if len(text) <= 60 else f'"{text[:59]}…"'


def _choice(name: str, known: Iterable[str]) -> str:
    import difflib

    words = [str(each) for each in known]
    near = difflib.get_close_matches(name, sorted(words), n=1, cutoff=0.6)
    meant = f" (did you mean {near[0]}?)" if near else ""
    return f"there are {', '.join(words)}{meant}"


# Items as columns of a table in SQLite, and questions to items as conditions on these columns.
#
# The columns hold what this module compares, so that a table answers as it does. What SQL cannot say alike (the
# order of details) is left to it.

OWN_COLUMNS = ("id", "path")
"""Scalar fields for which a table has columns of its own."""

COLUMNS = (*(name for name in STORED if name not in OWN_COLUMNS), TAGS, "details")
_MOST_VALUES = 500
_SQL = {Operator.ABOVE: ">", Operator.FROM: ">=", Operator.BELOW: "<", Operator.UP_TO: "<="}


@dataclass(frozen=True, slots=True)
class SqlCondition:
    """What of a question SQL answers: a condition with its values; `rest` must hold besides."""

    where: str
    values: tuple[Value, ...]
    rest: tuple[Condition, ...]


def column_definitions() -> str:
    """Return the columns as they are in CREATE TABLE; without a type nothing is converted."""
    return ", ".join(f'"{name}"' for name in COLUMNS)


def column_values(item: Item) -> tuple[Value | None, ...]:
    """Return the values of an item's columns, in their order."""
    scalars = (value_of(item, name) for name in COLUMNS[:-2])
    details = (_pair(name, value) for name, value in item.details)
    return (*scalars, _lines(map(json.dumps, item.tags)), _lines(details))


def asked_in_sql(conditions: Iterable[Condition]) -> SqlCondition:
    """Return conditions as SQL, and those that are left."""
    parts, values, rest = ["1"], list[Value](), list[Condition]()
    for condition in conditions:
        if len(condition.values) > _MOST_VALUES or not _can_be_asked(condition):
            rest.append(condition)
            continue
        part, needed = _part(condition)
        parts.append(part)
        values += needed
    return SqlCondition(" AND ".join(parts), tuple(values), tuple(rest))


def order_in_sql(order_by: str) -> str | None:
    """Return what follows ORDER BY; None where SQL cannot say it. Raises UsageError as `order_of` does."""
    field, ascending = order_of(order_by)
    if field not in COLUMNS and field not in OWN_COLUMNS:
        return None
    return f'"{field}" IS NULL, "{field}" {"ASC" if ascending else "DESC"}, id'


def _can_be_asked(condition: Condition) -> bool:
    if condition.field.startswith(DETAILS):
        return condition.operator not in ORDERING
    return condition.field in COLUMNS or condition.field in OWN_COLUMNS


def _part(condition: Condition) -> tuple[str, list[Value]]:
    if condition.operator in ORDERING:
        (bound,) = condition.values
        return f'"{condition.field}" {_SQL[condition.operator]} ?', [] if bound is None else [bound]
    part, values = _any(condition)
    return (part if condition.operator is Operator.ANY else f"NOT ({part})"), values


def _any(condition: Condition) -> tuple[str, list[Value]]:
    """The condition that is true or false for each row, and never null."""
    field, given = condition.field, [value for value in condition.values if value is not None]
    missing = len(given) < len(condition.values)
    if field == TAGS:
        texts = [_lines([json.dumps(value)]) for value in given]
        return _held(TAGS, texts, [f"\"{TAGS}\" = ''"] if missing else [])
    if field.startswith(DETAILS):
        name = field.removeprefix(DETAILS)
        absent = [f'instr("details", {_quoted(_lines([_pair(name, "")])[:-3])}) = 0'] if missing else []
        return _held("details", [_lines([_pair(name, str(value))]) for value in given], absent)
    marks = ",".join("?" * len(given))
    parts = [f'"{field}" IS NOT NULL AND "{field}" IN ({marks})'] if given else []
    parts += [f'"{field}" IS NULL'] if missing else []
    return _either(parts), given


def _held(column: str, texts: list[str], more: list[str]) -> tuple[str, list[Value]]:
    return _either([f'instr("{column}", ?) > 0' for _ in texts] + more), list(texts)


def _either(parts: list[str]) -> str:
    return "(" + (" OR ".join(f"({part})" for part in parts) or "0") + ")"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _pair(name: str, value: str) -> str:
    return f"{json.dumps(name)}:{json.dumps(value)}"


def _lines(texts: Iterable[str]) -> str:
    """Lines of ASCII, each between two line feeds: a whole line is found by the text of it."""
    joined = "\n".join(texts)
    return f"\n{joined}\n" if joined else ""
