"""Which rows of a table of items have links, and which are meant by them: few, so that the others need not be read."""

from collections.abc import Iterable, Iterator

from verifflowcc.domain.items import Item

_DECIDED = "instr(facts, '\"decision\":') > 0 AND instr(facts, '\"decision\":[null,null,null,null,[],[],[],[]]') = 0"
LINKING = f"(instr(facts, '\"links\":') > 0 OR ({_DECIDED}))"
"""The condition of all rows whose item leads to another, and of some more. A quote within a fact is never bare."""

_MOST_VALUES = 200


def names_meant(items: Iterable[Item]) -> set[str]:
    """Return how items name those that they lead to: by ids, paths, keys, or otherwise."""
    found: set[str] = set()
    for item in items:
        found.update(link.to for link in item.links)
        if item.decision:
            found.update((*item.decision.supersedes, *item.decision.superseded_by))
    return found


def having(names: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield conditions with their values: together they are those of all rows with one of these ids, paths or keys.

    One column each, so that its index is used.
    """
    wanted = sorted(names)
    paths = [name for name in wanted if "/" in name]
    for column, values in (("id", wanted), ('"key"', wanted), ("path", paths)):
        for begin in range(0, len(values), _MOST_VALUES):
            part = values[begin : begin + _MOST_VALUES]
            yield f"{column} IN ({','.join('?' * len(part))})", part
