"""Lines of the log of uses: `{"at":…,"by":…,"ids":[…]}`, and `scope` where the log's place does not say it."""

import json
from collections.abc import Sequence

from verifflowcc.records import dataclass

_SAID_BY_PLACE = frozenset({"user", "project"})


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
    if scope not in _SAID_BY_PLACE:
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
    from verifflowcc.text.dates import read_moment  # where lines are read; a search only adds one

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
