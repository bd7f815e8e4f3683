"""Questions that lead to each other have one answer each, whatever was asked before."""

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.code.rules.bound_things import DEEPEST, EXTERNAL, Circles, Thing, ThingKind, TypeLines

_NUMBERS = st.integers(0, 6)
_GRAPHS = st.dictionaries(_NUMBERS, st.lists(_NUMBERS, max_size=4))


class _Asking:
    """Asks each number for the numbers that it leads to, and counts how often an answer is looked for."""

    def __init__(self, graph: Mapping[int, Sequence[int]]) -> None:
        self.graph, self.circles, self.looked = graph, Circles(), 0

    def ask(self, number: int) -> tuple[Thing, ...]:
        return self.circles.ask(number, lambda: self._answer(number))

    def _answer(self, number: int) -> tuple[Thing, ...]:
        self.looked += 1
        found = [Thing(ThingKind.DEFINITION, str(number))]
        for each in self.graph.get(number, ()):
            found += self.ask(each)
        return tuple(found)


@given(_GRAPHS, st.lists(_NUMBERS))
def test_an_answer_does_not_depend_on_what_was_asked_before(
    graph: Mapping[int, Sequence[int]], earlier: Sequence[int]
) -> None:
    busy = _Asking(graph)
    for each in earlier:
        busy.ask(each)

    assert [busy.ask(each) for each in range(7)] == [_Asking(graph).ask(each) for each in range(7)]


@given(st.integers(1, 2 * DEEPEST), st.lists(st.integers(0, 2 * DEEPEST), max_size=5))
def test_what_leads_too_far_has_no_answer_whatever_is_known(length: int, earlier: Sequence[int]) -> None:
    graph = {number: [number + 1] for number in range(length)}
    busy = _Asking(graph)
    for each in earlier:
        busy.ask(each)

    assert busy.ask(0) == _Asking(graph).ask(0)
    assert bool(busy.ask(0)) == (length < DEEPEST)


def test_an_answer_is_looked_for_once() -> None:
    asking = _Asking({number: [number + 1, number + 1] for number in range(20)})

    asking.ask(0)
    asking.ask(0)

    assert asking.looked == 21


def test_a_circle_in_which_all_lead_to_all_ends_soon() -> None:
    asking = _Asking({number: [each for each in range(7) if each != number] for number in range(7)})

    asking.ask(0)

    assert asking.looked < 2_000


class _Types:
    """Types by number, each with the numbers of its bases; one below 0 is from outside."""

    def __init__(self, graph: Mapping[int, Sequence[int]]) -> None:
        self.graph = graph
        self._circles = Circles()
        self.lines = TypeLines(self._bases, self._circles)

    def _bases(self, path: str, place: int) -> tuple[Thing, ...]:
        def found() -> tuple[Thing, ...]:
            bases = self.graph.get(place, ())
            return tuple(Thing(ThingKind.DEFINITION, path, each) if each >= 0 else EXTERNAL[0] for each in bases)

        return self._circles.ask(("bases", path, place), found)


def _walked(graph: Mapping[int, Sequence[int]], start: int) -> list[int]:
    """Return a type and what it inherits from, each at the last of its places in a walk that enters no circle twice."""
    order: list[int] = []

    def walk(each: int, above: tuple[int, ...]) -> None:
        if each not in above:
            order.append(each)
            for base in graph.get(each, ()):
                if base >= 0:
                    walk(base, (*above, each))

    walk(start, ())
    return [each for number, each in enumerate(order) if each not in order[number + 1 :]]


@given(st.dictionaries(st.integers(0, 4), st.lists(st.integers(-1, 4), max_size=3)), st.lists(st.integers(0, 4)))
def test_the_line_of_a_type_is_the_walk_through_its_bases_whatever_was_asked_before(
    graph: Mapping[int, Sequence[int]], earlier: Sequence[int]
) -> None:
    types = _Types(graph)
    for each in earlier:
        types.lines.of("a.py", each)

    for each in range(5):
        line = types.lines.of("a.py", each)
        expected = _walked(graph, each)
        assert [place for _, place in line.types] == expected
        assert line.outside == any(base < 0 for one in expected for base in graph.get(one, ()))
