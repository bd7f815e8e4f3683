"""Dense groups found by way of rare words are those that comparing each text with each would find."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.memory.rules.consolidate import DENSE, MOST, NEAR, Profile, dense_groups, nearness

WORDS = [f"w{number}" for number in range(9)]
PROFILES = st.lists(
    st.builds(
        Profile,
        st.frozensets(st.sampled_from(WORDS), max_size=7),
        st.sampled_from(["", "", "names", "cache"]),
        st.frozensets(st.sampled_from(["a.py", "b.py"]), max_size=1),
    ),
    max_size=45,
)
ALIKE = st.builds(
    lambda number, some: [Profile(frozenset(WORDS[:4]) | one) for one in some] * number,
    st.integers(1, 9),
    st.lists(st.frozensets(st.sampled_from(WORDS), max_size=2), min_size=1, max_size=6),
)


def compared_with_each(profiles: list[Profile]) -> list[tuple[int, ...]]:
    """The groups, found by comparing each text with each and looking at all that are left for every group."""
    near = {
        one: {
            other: value
            for other in range(len(profiles))
            if other != one and (value := nearness(profiles[one], profiles[other])) >= NEAR
        }
        for one in range(len(profiles))
    }
    free: set[int] = set(range(len(profiles)))
    found: list[tuple[int, ...]] = []
    while True:
        best: tuple[int, ...] = ()
        for seed in sorted(free):
            chosen = [seed]
            for place in sorted(free & near[seed].keys(), key=lambda each: (-near[seed][each], each)):
                if len(chosen) < MOST and 2 * sum(each in near[place] for each in chosen) >= len(chosen):
                    chosen.append(place)
            best = tuple(chosen) if len(chosen) > len(best) else best
        if len(best) < DENSE:
            return found
        found.append(best)
        free -= set(best)


@pytest.mark.vfcc("REQ-CONSOLIDATE")
@given(profiles=st.one_of(PROFILES, ALIKE))
@settings(deadline=None, max_examples=400)
def test_they_are_the_groups_that_comparing_each_with_each_finds(profiles: list[Profile]) -> None:
    assert dense_groups(profiles) == compared_with_each(profiles)


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        (Profile(frozenset("abcd")), Profile(frozenset("abce")), 600),
        (Profile(frozenset("abcd"), "x"), Profile(frozenset("defg"), "x"), 442),
        (Profile(frozenset("abcd"), "x", frozenset({"f"})), Profile(frozenset("defg"), "x", frozenset({"f"})), 642),
        (Profile(frozenset("abcd"), "x", frozenset({"f"})), Profile(frozenset("efg"), "x", frozenset({"f"})), 0),
        (Profile(frozenset("ab"), ""), Profile(frozenset("bc"), ""), 333),
        (Profile(frozenset()), Profile(frozenset()), 0),
    ],
)
def test_how_near_two_are(one: Profile, other: Profile, near: int) -> None:
    assert nearness(one, other) == nearness(other, one) == near
