"""Items as lines of JSON: each with its whole text, so that nothing is lost, and with fields that people can read.

One canonical JSON object a line: the keys sorted, no spaces. `text` is the item's file byte for byte; all else is there
to be read and searched, but for `scope`, `id` and `path`, which say where it belongs.
"""

import json
import re
from collections.abc import Mapping, Sequence

from verifflowcc.domain.memory import StoredItem
from verifflowcc.formats.front_matter_read import show_thousandths
from verifflowcc.records import dataclass

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
OWN_KEYS = frozenset({"scope", "id", "path", "text"})


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a file of items: where it stands (`file:line`), and its members."""

    where: str
    members: Mapping[str, Json]

    @property
    def own(self) -> bool:
        """Whether vfcc wrote it, so that its `text` is an item's file."""
        return self.members.keys() >= OWN_KEYS


def snake_case(name: str) -> str:
    """Return a name in camel case in snake case.

    >>> snake_case("supersededById"), snake_case("access_count"), snake_case("ID")
    ('superseded_by_id', 'access_count', 'id')
    """
    return _HUMP.sub("_", name).lower()


def item_line(stored: StoredItem) -> str:
    """Return an item as one line, without the newline."""
    item = stored.item
    members: dict[str, Json] = {
        "scope": item.scope,
        "id": item.id,
        "path": item.path,
        "type": item.type,
        "title": item.title,
        "key": item.key,
        "status": str(item.status),
        "importance": show_thousandths(item.importance),
        "confidence": show_thousandths(item.confidence),
        "source": str(item.source.kind),
        "trust": str(item.trust),
        "created": item.created,
        "updated": item.updated,
        "tags": list(item.tags),
        "text": stored.text,
    }
    given = {key: value for key, value in members.items() if value not in (None, [])}
    return json.dumps(given, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def read_rows(data: bytes, name: str) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """Return the rows of a file, and its problems: each a sentence that begins with `name:line:`.

    The file has one JSON object a line; a JSON array of objects does as well. Blank lines are nothing.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return (), (f"{name}:{data.count(10, 0, error.start) + 1}: not UTF-8 at byte {error.start}",)
    if text.lstrip().startswith("["):
        return _array(text, name)
    rows: list[Row] = []
    problems: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{name}:{number}"
            value = _value(line, where, problems)
            if value is not None:
                rows.append(Row(where, value))
    return tuple(rows), tuple(problems)


def _value(line: str, where: str, problems: list[str]) -> Mapping[str, Json] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        problems.append(f"{where}: this is no JSON: {error}")
        return None
    if not isinstance(value, dict):
        problems.append(f"{where}: this is no JSON object")
        return None
    return value


def _array(text: str, name: str) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        return (), (f"{name}:{getattr(error, 'lineno', 1)}: this is no JSON: {error}",)
    wrong = tuple(
        f"{name}:1: element {n} is no JSON object" for n, v in enumerate(values, 1) if not isinstance(v, dict)
    )
    return tuple(Row(f"{name}:1 (element {n})", v) for n, v in enumerate(values, 1) if isinstance(v, dict)), wrong
