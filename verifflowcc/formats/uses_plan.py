"""The plan of a merge of uses: what each item is to say, so that it can be carried out twice without counting twice."""

from collections.abc import Sequence

from verifflowcc.domain.events import Json
from verifflowcc.domain.items import Uses
from verifflowcc.errors import FormatError
from verifflowcc.records import dataclass
from verifflowcc.text.canonical import canonical, parse_canonical


@dataclass(frozen=True, slots=True)
class Planned:
    """What an item of a scope is to say of its uses, and how many of these are new."""

    scope: str
    item: str
    uses: Uses
    new: int


def plan_bytes(plan: Sequence[Planned]) -> bytes:
    """Return a plan as one line of canonical JSON."""
    rows: list[Json] = [[each.scope, each.item, each.uses.count, each.uses.last, each.new] for each in plan]
    return canonical({"format": 1, "uses": rows}) + b"\n"


def read_plan_bytes(data: bytes) -> tuple[Planned, ...]:
    """Return the plan that `data` says. Raises FormatError where it says none."""
    value = parse_canonical(data.removesuffix(b"\n"))
    rows = value.get("uses") if isinstance(value, dict) and value.get("format") == 1 else None
    if not isinstance(rows, list):
        raise FormatError("it is no plan of a merge of uses")
    return tuple(map(_planned, rows))


def _planned(row: Json) -> Planned:
    match row:
        case [str(scope), str(item), int(count), str() | None as last, int(new)]:
            return Planned(scope, item, Uses(count, last), new)
        case _:
            raise FormatError("it is no plan of a merge of uses")
