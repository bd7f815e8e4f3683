"""What meaning adds to words: whole numbers, alike in any order, never less than nothing, and no zero scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.model.recall_values import FIELDS, KeptUnit, Unit
from verifflowcc.memory.rules.recall_fusion import ALONE, MEANING, WHOLE, Place, SimilarUnit, fused, nearness
from verifflowcc.memory.rules.recall_scoring import QUESTION, SPEAKER, ScoredUnit

pytestmark = pytest.mark.vfcc("REQ-EMBEDDINGS")

MOST = MEANING[0] * 1000 // MEANING[1]
"""What the nearest gets, in thousandths of the best by words."""

BEST = 10_000
NO_TERMS = ("",) * len(FIELDS)


def unit(number: int, path: str = "", *, place: int | None = None, asks: bool = False, speaker: str = "") -> KeptUnit:
    terms = tuple(speaker if name == "speaker" else "" for name in FIELDS)
    return KeptUnit(
        number, path or f"{number:03}.md", 0, Unit(terms, "t" if place is not None else "", place, ends_asking=asks)
    )


def alone(*similarities: int) -> list[SimilarUnit]:
    """Units that stand beside none, numbered from 0."""
    return [SimilarUnit(("project", number), "", None, value) for number, value in enumerate(similarities)]


def said(*similarities: int) -> list[SimilarUnit]:
    """Turns of one conversation, in order."""
    return [SimilarUnit(("project", number), "t", number, value) for number, value in enumerate(similarities)]


def of(near: dict[Place, int]) -> list[int]:
    return [near["project", number] for number in range(len(near))]


@st.composite
def compared(draw: st.DrawFn) -> list[SimilarUnit]:
    placed = st.tuples(st.sampled_from(["a", "b"]), st.integers(0, 5)) | st.just(("", None))
    rows = draw(st.lists(st.tuples(placed, st.integers(-WHOLE, WHOLE)), max_size=12))
    return [
        SimilarUnit(("project", number), thread, place, value) for number, ((thread, place), value) in enumerate(rows)
    ]


@given(units=compared(), data=st.data())
def test_nearness_is_between_nothing_and_the_whole_whatever_the_order(
    units: list[SimilarUnit], data: st.DataObject
) -> None:
    near = nearness(units)

    assert near.keys() == {each.unit for each in units}
    assert all(0 <= value <= WHOLE for value in near.values())
    assert not units or min(near.values()) == 0
    assert near == nearness(data.draw(st.permutations(units)))


@given(units=compared(), by=st.integers(-1000, 1000))
def test_how_near_all_are_together_does_not_matter(units: list[SimilarUnit], by: int) -> None:
    moved = [SimilarUnit(each.unit, each.thread, each.place, each.similarity + by) for each in units]

    assert nearness(moved) == nearness(units)


def test_the_nearest_has_the_whole_and_the_farthest_nothing() -> None:
    assert of(nearness(alone(800_000, 900_000, 850_000))) == [0, WHOLE, WHOLE // 2]
    assert of(nearness(alone(800_000, 800_000))) == [0, 0]
    assert nearness([]) == {}


def test_a_turn_is_near_where_those_beside_it_are() -> None:
    by_itself = of(nearness(alone(900, 500, 500, 100)))
    beside = of(nearness(said(900, 500, 500, 100)))

    assert by_itself[1] == by_itself[2]
    assert beside[1] > beside[2]


def test_to_stand_beside_others_is_not_worth_anything_by_itself() -> None:
    near = nearness([*said(500, 500, 500), *(SimilarUnit(("user", number), "", None, 400) for number in range(2))])

    assert [near["project", number] for number in range(3)] == [WHOLE] * 3
    assert near["user", 0] == near["user", 1] == 0


def test_units_of_other_threads_and_scopes_stand_beside_none() -> None:
    apart = [SimilarUnit(("project", 0), "a", 1, 900), SimilarUnit(("project", 1), "b", 2, 500)]
    scopes = [SimilarUnit(("project", 0), "a", 1, 900), SimilarUnit(("user", 1), "a", 2, 500)]

    assert list(nearness(apart).values()) == list(nearness(scopes).values()) == [WHOLE, 0]
    three = [
        SimilarUnit((scope, 0), "a", place, value) for scope, place, value in (("project", 1, 900), ("user", 2, 500))
    ]
    assert nearness([*three, SimilarUnit(("user", 3), "a", 9, 500)])["user", 0] == 0


def test_words_and_meaning_are_summed_each_by_its_share() -> None:
    scored = [("project", ScoredUnit(unit(1), BEST, {})), ("project", ScoredUnit(unit(2), BEST // 2, {"a": ("body",)}))]
    units = [("project", unit(1)), ("project", unit(2))]
    near = {("project", 1): 0, ("project", 2): WHOLE}

    first, second = fused(scored, units, near, BEST)

    assert (first[1].kept.number, first[1].score, first[1].meaning) == (2, BEST // 2 + BEST * MOST // 1000 + 1, 8181)
    assert first[1].matched == {"a": ("body",)}
    assert (second[1].kept.number, second[1].score, second[1].meaning) == (1, BEST, 0)


@given(
    words=st.lists(st.integers(1, BEST), max_size=6),
    more=st.integers(0, 4),
    nears=st.lists(st.integers(0, WHOLE), min_size=10, max_size=10),
)
def test_every_item_has_a_score_above_zero_and_at_least_that_of_its_words(
    words: list[int], more: int, nears: list[int]
) -> None:
    scored = [("project", ScoredUnit(unit(number), score, {})) for number, score in enumerate(words)]
    units = [("project", unit(number)) for number in range(len(words) + more)]
    near = {("project", number): value for number, value in enumerate(nears)}

    found = fused(scored, units, near, max(words, default=0))

    by_number = {one.kept.number: one for _, one in found}
    assert all(by_number[number].score - by_number[number].meaning == score for number, score in enumerate(words))
    assert all(one.score > 0 and one.meaning >= 0 for one in by_number.values())
    assert [one.score for _, one in found] == sorted((one.score for _, one in found), reverse=True)
    assert sorted(found, key=str) == sorted(fused(scored[::-1], units[::-1], near, max(words, default=0)), key=str)


def test_an_item_has_the_meaning_of_its_nearest_part_and_shows_the_part_that_words_found() -> None:
    parts = [unit(1, "a.md"), unit(2, "a.md"), unit(3, "b.md"), unit(4, "b.md")]
    near = {("project", 1): 0, ("project", 2): WHOLE, ("project", 3): WHOLE // 4, ("project", 4): WHOLE // 2}

    found = fused([("project", ScoredUnit(parts[0], BEST, {}))], [("project", each) for each in parts], near, BEST)

    assert [(one.kept.number, one.meaning) for _, one in found] == [(1, 8181), (4, 4090)]


def test_items_of_one_path_in_two_scopes_are_two() -> None:
    units = [("project", unit(1, "a.md")), ("user", unit(1, "a.md"))]

    found = fused([], units, {("project", 1): WHOLE, ("user", 1): WHOLE // 2}, 0)

    assert [(scope, one.score) for scope, one in found] == [("project", ALONE * 45 // 55), ("user", ALONE * 45 // 110)]


def test_a_turn_that_asks_counts_less_and_one_of_who_is_named_more() -> None:
    near = {("project", 1): WHOLE}
    plain, asks, named = (
        fused([], [("project", each)], near, BEST, frozenset({"ann"}))[0][1].meaning
        for each in (unit(1, place=1), unit(1, place=1, asks=True), unit(1, place=1, speaker="ann"))
    )

    assert (asks, named) == (plain * QUESTION // 100, plain * SPEAKER // 100)


def test_what_meaning_alone_finds_has_a_score_even_where_it_is_the_farthest() -> None:
    assert [one.score for _, one in fused([], [("project", unit(1))], {("project", 1): 0}, 0)] == [1]
