"""Parts put together, so that a question has few to look into; texts that nothing has any more are left out in time."""

from collections.abc import Collection, Sequence

from verifflowcc.adapters.index.code_graph_coded import packed
from verifflowcc.adapters.index.code_graph_parts import LISTS, WORDS, Lists, UnitRow, bucketed
from verifflowcc.adapters.index.code_graph_tables import Tables, number_of

MOST_PARTS = 16
LARGE_PARTS = 4
"""So many of the largest parts are left as they are when there are too many."""
MOST_DEAD = 200
"""So many texts that no file has are kept anyway: a branch that is left may be come back to."""


def merge(tables: Tables, live: Collection[int]) -> dict[int, int]:
    """Put parts together where there are too many, or where most texts are in use no more (`live` are, by number).

    Works inside of a transaction. Returns what became of the numbers of texts: old → new.
    """
    parts = {part: tables.units(part) for part in tables.parts()}
    total = sum(map(len, parts.values()))
    in_use = {number for number in live if number >= 0}
    dead = total - len(in_use)
    if dead > max(MOST_DEAD, len(in_use)):
        return _merged(tables, parts, [part for part in parts if _has_dead(part, len(parts[part]), in_use)], in_use)
    if len(parts) > MOST_PARTS:
        by_size = sorted(parts, key=lambda part: (len(parts[part]), part))
        return _merged(tables, parts, sorted(by_size[: len(by_size) - LARGE_PARTS]), None)
    return {}


def _has_dead(part: int, count: int, live: Collection[int]) -> bool:
    return any(number_of(part, place) not in live for place in range(count))


def _merged(
    tables: Tables, parts: dict[int, list[UnitRow]], chosen: Sequence[int], live: Collection[int] | None
) -> dict[int, int]:
    """Put some parts into one, with their texts, or those that are live."""
    taken = [
        (part, place)
        for part in chosen
        for place in range(len(parts[part]))
        if live is None or number_of(part, place) in live
    ]
    places = {old: new for new, old in enumerate(taken)}
    rows = {part: tables.imports(part) for part in chosen}
    numbers = [number_of(*old) for old in taken]
    heads, references = tables.facts("head", numbers), tables.facts("refs", numbers)
    made = tables.add(
        (
            [parts[part][place] for part, place in taken],
            [(heads[number], references[number]) for number in numbers],
            packed([rows[part][place] for part, place in taken]),
            [bucketed(_lists(tables, kind, chosen, places)) for kind in range(len(LISTS))],
        )
    )
    for part in chosen:
        tables.remove(part)
    return {number_of(*old): number_of(made, new) for old, new in places.items()}


def _lists(tables: Tables, kind: int, chosen: Sequence[int], places: dict[tuple[int, int], int]) -> Lists:
    """Return one of `LISTS` of some parts as that of the new one."""
    width = 3 if LISTS[kind] == WORDS else 1
    lists: Lists = {}
    for part in chosen:
        for name, numbers in tables.lists(kind, part).items():
            for at in range(0, len(numbers), width):
                place = places.get((part, numbers[at]))
                if place is not None:
                    lists.setdefault(name, []).extend((place, *numbers[at + 1 : at + width]))
    return lists
