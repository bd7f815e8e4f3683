"""Questions to a store in the words of PostgreSQL: conditions that columns can answer, and the order of the answers."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.items import Item
from verifflowcc.domain.query import STORED, TAGS, Condition, Operator, Value, order_of, value_of
from verifflowcc.records import dataclass

_RENAMED = {
    "scope": "item_scope",
    "source": "source_kind",
    "actor": "source_actor",
    "project": "source_project",
    "session": "source_session",
}
COLUMNS: Mapping[str, str] = {field: _RENAMED.get(field, field) for field in STORED}
"""Field of an item → column of `vfcc.items`; tags have one beside these."""
_SIGNS = {Operator.ABOVE: ">", Operator.FROM: ">=", Operator.BELOW: "<", Operator.UP_TO: "<="}

Parameter = bytes | int | None | list[bytes] | list[int]


@dataclass(frozen=True, slots=True)
class Where:
    """Conditions as SQL with their parameters, and the conditions that no column answers."""

    clauses: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    left: tuple[Condition, ...]


def where(conditions: Sequence[Condition]) -> Where:
    """Return conditions as SQL, with the same answers as `domain.query.matches`."""
    clauses: list[str] = []
    parameters: list[Parameter] = []
    left: list[Condition] = []
    for condition in conditions:
        if condition.field != TAGS and condition.field not in COLUMNS:
            left.append(condition)
            continue
        clause, values = _tags(condition) if condition.field == TAGS else _scalar(condition)
        clauses.append(clause)
        parameters += values
    return Where(tuple(clauses), tuple(parameters), tuple(left))


def order(order_by: str) -> str | None:
    """Return the order as SQL; None where no column has it. Raises UsageError as `order_of` does."""
    field, ascending = order_of(order_by)
    if field not in COLUMNS:
        return None
    return f"{COLUMNS[field]} {'ASC' if ascending else 'DESC'} NULLS LAST, id"


def column_values(item: Item) -> tuple[Parameter, ...]:
    """Return what the columns hold for an item, in the order of `COLUMNS`."""
    return tuple(as_parameter(value_of(item, field)) for field in COLUMNS)


def as_parameter(value: Value | None) -> bytes | int | None:
    """Return a value as its column holds it: bytes for a text, whatever is in it, so that their order is Python's."""
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value


def _scalar(condition: Condition) -> tuple[str, list[Parameter]]:
    column = COLUMNS[condition.field]
    if condition.operator in _SIGNS:
        (bound,) = condition.values
        return f"{column} {_SIGNS[condition.operator]} %s", [as_parameter(bound)]
    clause, values = _any(column, condition.values)
    return (clause if condition.operator is Operator.ANY else f"({clause}) IS NOT TRUE"), values


def _any(column: str, values: Sequence[Value | None]) -> tuple[str, list[Parameter]]:
    parts = [f"{column} = %s" for value in values if value is not None]
    parts += [f"{column} IS NULL"] if None in values else []
    return f"({' OR '.join(parts) or 'false'})", [as_parameter(value) for value in values if value is not None]


def _tags(condition: Condition) -> tuple[str, list[Parameter]]:
    tags = [value.encode("utf-8", "surrogatepass") for value in condition.values if isinstance(value, str)]
    clause = "tags && %s::bytea[]" + (" OR tags = '{}'" if None in condition.values else "")
    return (f"({clause})" if condition.operator is Operator.ANY else f"NOT ({clause})"), [tags]
