"""Items as columns of a table in SQLite, and questions to items as conditions on these columns.

The columns hold what `domain.query` compares, so that a table answers as it does. What SQL cannot say alike (the order
of details) is left to it.
"""

import json
from collections.abc import Iterable

from verifflowcc.domain.items import Item
from verifflowcc.domain.query import (
    DETAILS,
    ORDERING,
    STORED,
    TAGS,
    Condition,
    Operator,
    Value,
    order_of,
    value_of,
)
from verifflowcc.records import dataclass

OWN = ("id", "path")
"""Scalar fields for which a table has columns of its own."""

COLUMNS = (*(name for name in STORED if name not in OWN), TAGS, "details")
_MOST_VALUES = 500
_SQL = {Operator.ABOVE: ">", Operator.FROM: ">=", Operator.BELOW: "<", Operator.UP_TO: "<="}


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a question SQL answers: a condition with its values; `rest` must hold besides."""

    where: str
    values: tuple[Value, ...]
    rest: tuple[Condition, ...]


def definitions() -> str:
    """Return the columns as they stand in CREATE TABLE; without a type nothing is converted."""
    return ", ".join(f'"{name}"' for name in COLUMNS)


def column_values(item: Item) -> tuple[Value | None, ...]:
    """Return the values of an item's columns, in their order."""
    scalars = (value_of(item, name) for name in COLUMNS[:-2])
    details = (_pair(name, value) for name, value in item.details)
    return (*scalars, _lines(map(json.dumps, item.tags)), _lines(details))


def asked_in_sql(conditions: Iterable[Condition]) -> Asked:
    """Return conditions as SQL, and those that are left."""
    parts, values, rest = ["1"], list[Value](), list[Condition]()
    for condition in conditions:
        if len(condition.values) > _MOST_VALUES or not _can_be_asked(condition):
            rest.append(condition)
            continue
        part, needed = _part(condition)
        parts.append(part)
        values += needed
    return Asked(" AND ".join(parts), tuple(values), tuple(rest))


def order_in_sql(order_by: str) -> str | None:
    """Return what follows ORDER BY; None where SQL cannot say it. Raises UsageError as `order_of` does."""
    field, ascending = order_of(order_by)
    if field not in COLUMNS and field not in OWN:
        return None
    return f'"{field}" IS NULL, "{field}" {"ASC" if ascending else "DESC"}, id'


def _can_be_asked(condition: Condition) -> bool:
    if condition.field.startswith(DETAILS):
        return condition.operator not in ORDERING
    return condition.field in COLUMNS or condition.field in OWN


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
