"""What a change of an item would touch: all below it, the code, the tests and what became of them; and what it answers.

It reads nothing but links, marks and results: what is below counts whether it is reviewed, planned or a draft.
"""

from collections import defaultdict

from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.trace_values import TraceItem
from verifflowcc.base.records import dataclass
from verifflowcc.trace.rules.answers import CodePlace, Reached, TestSeen, above, below, implementers, tests_of
from verifflowcc.trace.rules.trace_view import TraceView


@dataclass(frozen=True, slots=True)
class CodeTouched:
    """A place in code, and the items that it is touched through, by id."""

    place: CodePlace
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TestTouched:
    """A test, and the items that it is touched through, by id."""

    __test__ = False

    test: TestSeen
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """An item that is linked by a relation that leads neither up nor down; `outward` says that the asked item links."""

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
    below: tuple[Reached, ...]
    """Items that depend on it."""
    above: tuple[Reached, ...]
    """Items that it depends on."""
    beside: tuple[Beside, ...]
    """Ends of other relations."""
    code: tuple[CodeTouched, ...]
    tests: tuple[TestTouched, ...]


def impact(view: TraceView, item_id: str) -> Impact:
    """Return what a change of an item would touch. Raises KeyError where there is no such item."""
    item = view.by_id[item_id]
    under = below(view, item)
    touched = [item, *(view.by_id[each.id] for each in under)]
    return Impact(
        item.id, item.type, item.title, item.path, under, above(view, item), _beside(view, item),
        _code(view, touched), _tests(view, touched),
    )  # fmt: skip


def _code(view: TraceView, items: list[TraceItem]) -> tuple[CodeTouched, ...]:
    found: dict[CodePlace, set[str]] = defaultdict(set)
    for item in items:
        for place in implementers(view, item):
            found[place].add(item.id)
    return tuple(CodeTouched(place, tuple(sorted(found[place]))) for place in sorted(found))


def _tests(view: TraceView, items: list[TraceItem]) -> tuple[TestTouched, ...]:
    found: dict[str, list[TestSeen]] = defaultdict(list)
    through: dict[str, set[str]] = defaultdict(set)
    for item in items:
        for test in tests_of(view, item):
            found[test.test].append(test)
            through[test.test].add(item.id)
    return tuple(
        TestTouched(min(found[name], key=lambda each: (each.path, each.line)), tuple(sorted(through[name])))
        for name in sorted(found)
    )


def _beside(view: TraceView, item: TraceItem) -> tuple[Beside, ...]:
    there = [(view.by_id.get(link.to), link.relation, True) for link in item.links]
    here = [(other, link.relation, False) for other, link in view.below.get(item.id, ())]
    found = {
        Beside(other.id, other.type, other.title, other.path, relation, outward)
        for other, relation, outward in (*there, *here)
        if other is not None and relation not in view.upward and other.status is not Status.ARCHIVED
    }
    return tuple(sorted(found, key=lambda each: (each.id, each.relation, each.outward)))
