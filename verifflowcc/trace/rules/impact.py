"""The impact of a change of an item: items below it, code, tests, and needs above.

It reads nothing but links, marks and results: what is below counts whether it is reviewed, planned or a draft.
"""

from collections import defaultdict

from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.records import dataclass
from verifflowcc.trace.rules.answers import CodePlace, ItemTest, ReachedItem, above, below, implementers, tests_of
from verifflowcc.trace.rules.trace_view import TraceView


@dataclass(frozen=True, slots=True)
class TouchedCode:
    """A place in code, and the items that it is touched through, by id."""

    place: CodePlace
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TouchedTest:
    """A test, and the items that it is touched through, by id."""

    __test__ = False

    test: ItemTest
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SideLink:
    """An item linked by a relation that leads neither up nor down.

    `outward` is whether the item asked about holds the link.
    """

    id: str
    type: str
    title: str
    path: str
    relation: str
    outward: bool


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change of an item would touch.

    `below` and `above` are nearest first, with the way to each. `code` and `tests` belong to the item itself or to what
    is below it, by path and by name. `beside` are the ends of other relations, one link away.
    """

    id: str
    type: str
    title: str
    path: str
    below: tuple[ReachedItem, ...]
    """Items that depend on it."""
    above: tuple[ReachedItem, ...]
    """Items that it depends on."""
    beside: tuple[SideLink, ...]
    """Ends of other relations."""
    code: tuple[TouchedCode, ...]
    tests: tuple[TouchedTest, ...]


def impact(view: TraceView, item_id: str) -> Impact:
    """Return the impact of a change of an item.

    Raises KeyError where there is no such item.
    """
    item = view.by_id[item_id]
    under = below(view, item)
    touched = [item, *(view.by_id[each.id] for each in under)]
    return Impact(
        item.id, item.type, item.title, item.path, under, above(view, item), _beside(view, item),
        _code(view, touched), _tests(view, touched),
    )  # fmt: skip


def _code(view: TraceView, items: list[TraceItem]) -> tuple[TouchedCode, ...]:
    found: dict[CodePlace, set[str]] = defaultdict(set)
    for item in items:
        for place in implementers(view, item):
            found[place].add(item.id)
    return tuple(TouchedCode(place, tuple(sorted(found[place]))) for place in sorted(found))


def _tests(view: TraceView, items: list[TraceItem]) -> tuple[TouchedTest, ...]:
    found: dict[str, list[ItemTest]] = defaultdict(list)
    through: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for test in tests_of(view, item):
            found[test.test].append(test)
            through[test.test].add(item.id)
    return tuple(
        TouchedTest(min(found[name], key=lambda each: (each.path, each.line)), tuple(sorted(through[name])))
        for name in sorted(found)
    )


def _beside(view: TraceView, item: TraceItem) -> tuple[SideLink, ...]:
    there = [(view.by_id.get(link.to), link.relation, True) for link in item.links]
    here = [(other, link.relation, False) for other, link in view.below.get(item.id, ())]
    found = {
        SideLink(other.id, other.type, other.title, other.path, relation, outward)
        for other, relation, outward in (*there, *here)
        if other is not None and relation not in view.upward and other.status is not Status.ARCHIVED
    }
    return tuple(sorted(found, key=lambda each: (each.id, each.relation, each.outward)))
