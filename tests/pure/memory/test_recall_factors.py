"""What besides the words speaks for an item: each share within its bounds, and in the order that it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.model.item_values import Item, Recency, Uses
from verifflowcc.memory.rules.recall_ranking import (
    CONFIDENCE,
    IMPORTANCE,
    NOT_IN_FORCE,
    RECENCY,
    USES,
    parts_of,
    recency,
)

pytestmark = pytest.mark.vfcc("REQ-SEARCH")

UNKNOWN = Recency()


def item(importance: int = 500, confidence: int = 800, uses: int = 0, said: Recency = UNKNOWN) -> Item:
    return Item("a", "fact", "A", "a.md", "project", importance, confidence, uses=Uses(uses), recency=said)


recencies = st.one_of(
    st.just(Recency()),
    st.integers(0, 5).map(lambda number: Recency("number", number)),
    st.integers(1, 9).map(lambda day: Recency("date", f"2026-01-0{day}")),
)
items = st.builds(item, st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 10**6), recencies)
asked = st.lists(st.tuples(items, st.integers(1, 10**6), st.booleans()), max_size=8)


@given(asked)
def test_each_share_stays_within_its_bounds(given_: list[tuple[Item, int, bool]]) -> None:
    for (one, words, stands), part in zip(given_, parts_of(given_), strict=True):
        assert part.words == words
        assert abs(part.importance) <= IMPORTANCE
        assert abs(part.confidence) <= CONFIDENCE
        assert abs(part.recency) <= RECENCY
        assert 0 <= part.uses <= USES
        assert part.validity == (0 if stands else NOT_IN_FORCE)
        assert all(type(each) is int for each in (part.total, part.importance, part.confidence, part.recency)), one


@given(asked, st.randoms())
def test_the_order_in_which_items_are_given_says_nothing(given_: list[tuple[Item, int, bool]], chance: object) -> None:
    order = list(range(len(given_)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    parts = parts_of(given_)

    assert parts_of([given_[place] for place in order]) == [parts[place] for place in order]


@given(items, items, st.integers(1, 10**6))
def test_more_of_each_never_counts_less(one: Item, other: Item, words: int) -> None:
    first, second = parts_of([(one, words, True), (other, words, True)])
    for name in ("importance", "confidence"):
        if getattr(one, name) <= getattr(other, name):
            assert getattr(first, name) <= getattr(second, name)
    if one.uses.count <= other.uses.count:
        assert first.uses <= second.uses
    if one.recency.kind and one.recency.kind == other.recency.kind and one.recency.value <= other.recency.value:  # type: ignore[operator]
        assert first.recency <= second.recency


def test_an_item_of_which_nothing_is_known_has_the_score_of_its_words() -> None:
    (part,) = parts_of([(item(), 1000, True)])

    assert (part.total, part.importance, part.confidence, part.recency, part.uses) == (1000, 0, 0, 0, 0)


def test_what_does_not_stand_counts_half() -> None:
    stands, gone = parts_of([(item(), 1000, True), (item(), 1000, False)])

    assert (stands.total, gone.total) == (1000, 500)


def test_nothing_of_it_all_outweighs_a_word_that_matches_twice_as_well() -> None:
    best = item(1000, 1000, 10**6, Recency("date", "2026-01-09"))
    worst = item(0, 0, 0, Recency("date", "2026-01-01"))
    favoured, matching = parts_of([(best, 1000, True), (worst, 2000, True)])

    assert favoured.total < matching.total


def test_times_of_one_kind_are_compared_and_equal_ones_are_equal() -> None:
    days = [("date", f"2026-01-0{day}") for day in (1, 2, 3)]

    assert recency([*days, days[2]]) == [0, 500, 1000, 1000]
    assert recency([("number", 7)]) == [500]
    assert recency([]) == []
    assert recency([None, ("date", "2026-01-01"), ("date", "2026-01-02")]) == [500, 0, 1000]
