"""Which rows of a table of items have links, and which are meant by them: few, so that the others need not be read."""

from collections.abc import Iterable, Iterator

from verifflowcc.domain.items import Item

LINKING = "(instr(facts, '\"links\":') > 0 OR instr(facts, '\"decision\":') > 0)"
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
    """Yield conditions with their values: together they are those of all rows with one of these ids, paths or keys."""
    wanted = sorted(names)
    for begin in range(0, len(wanted), _MOST_VALUES):
        part = wanted[begin : begin + _MOST_VALUES]
        marks = ",".join("?" * len(part))
        yield f'(id IN ({marks}) OR path IN ({marks}) OR "key" IN ({marks}))', part * 3
