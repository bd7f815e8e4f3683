"""Lines of the log of uses: `{"at":…,"by":…,"ids":[…]}`, and `scope` where the log's place does not say it."""

import json
from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.item_values import Uses
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import canonical, parse_canonical

# The plan of a merge of uses: what each item is to say, so that it can be carried out twice without counting twice.


@dataclass(frozen=True, slots=True)
class UsePlan:
    """What an item of a scope is to say of its uses, and how many of these are new."""

    scope: str
    item: str
    uses: Uses
    new: int


def plan_bytes(plan: Sequence[UsePlan]) -> bytes:
    """Return a plan as one line of canonical JSON."""
    rows: list[Json] = [[each.scope, each.item, each.uses.count, each.uses.last, each.new] for each in plan]
    return canonical({"format": 1, "uses": rows}) + b"\n"


def read_plan_bytes(data: bytes) -> tuple[UsePlan, ...]:
    """Return the plan that `data` says. Raises FormatError where it says none."""
    value = parse_canonical(data.removesuffix(b"\n"))
    rows = value.get("uses") if isinstance(value, dict) and value.get("format") == 1 else None
    if not isinstance(rows, list):
        raise FormatError("it is no plan of a merge of uses")
    return tuple(map(_planned, rows))


def _planned(row: Json) -> UsePlan:
    match row:
        case [str(scope), str(item), int(count), str() | None as last, int(new)]:
            return UsePlan(scope, item, Uses(count, last), new)
        case _:
            raise FormatError("it is no plan of a merge of uses")


# Uses of items, added up: those that an item has, and those that a log tells of.


def uses_of(noted: Iterable[tuple[str, str]]) -> Mapping[str, Uses]:
    """Return the uses of each item; `noted` has an id and an ISO day for each use.

    >>> uses_of([("a", "2026-11-21"), ("a", "2026-11-20")])
    {'a': Uses(count=2, last='2026-11-21')}
    """
    found: dict[str, Uses] = {}
    for item_id, day in noted:
        found[item_id] = merged(found.get(item_id, Uses()), Uses(1, day))
    return found


def merged(one: Uses, other: Uses) -> Uses:
    """Return both together: the sum, and the later day. It is associative and commutative, and `Uses()` adds nothing.

    >>> merged(Uses(2, "2026-11-20"), Uses(1, None))
    Uses(count=3, last='2026-11-20')
    """
    return Uses(one.count + other.count, max(filter(None, (one.last, other.last)), default=None))


def at_least(one: Uses, planned: Uses) -> Uses:
    """Merge a planned count of uses into what an item has now; never lower it.

    The plan was decided before: the item may count more uses by the time it is carried out.

    >>> at_least(Uses(5, "2026-11-21"), Uses(3, "2026-11-20")), at_least(Uses(1), Uses(3, "2026-11-20"))
    (Uses(count=5, last='2026-11-21'), Uses(count=3, last='2026-11-20'))
    """
    return Uses(max(one.count, planned.count), max(filter(None, (one.last, planned.last)), default=None))


_SCOPES_WITH_OWN_LOG = frozenset({"user", "project"})


@dataclass(frozen=True, slots=True)
class Access:
    """Items of one scope that were used at one moment; `day` is ISO."""

    day: str
    scope: str
    ids: tuple[str, ...]


def access_line(at: str, by: str, scope: str, ids: Sequence[str]) -> bytes:
    """Return one line, with its newline.

    >>> access_line("2026-11-21T14:00:00Z", "context", "project", ["a-k3f9"])
    b'{"at":"2026-11-21T14:00:00Z","by":"context","ids":["a-k3f9"]}\\n'
    """
    value: dict[str, str | list[str]] = {"at": at, "by": by, "ids": list(ids)}
    if scope not in _SCOPES_WITH_OWN_LOG:
        value["scope"] = scope
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def read_accesses(data: bytes, scope: str) -> tuple[tuple[Access, ...], int]:
    """Return what the lines of a log say, and the number of those that say nothing; `scope` is that of the log."""
    found: list[Access] = []
    bad = 0
    for line in filter(None, data.split(b"\n")):
        access = _access(line, scope)
        bad += access is None
        found += [access] if access else []
    return tuple(found), bad


def _access(line: bytes, scope: str) -> Access | None:
    from verifflowcc.base.text.dates import read_moment  # where lines are read; a search only adds one

    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    at, ids, own = value.get("at"), value.get("ids"), value.get("scope", scope)
    if not (isinstance(at, str) and isinstance(own, str) and isinstance(ids, list)):
        return None
    moment = read_moment(at)
    if moment is None or not all(isinstance(each, str) for each in ids):
        return None
    return Access(moment[:10], own, tuple(dict.fromkeys(ids)))
