"""Which part of the suite `make test` runs, and which `make sweep`."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import tiers


@pytest.fixture
def tenth() -> Iterator[None]:
    """A run in which laws try a tenth of their examples."""
    before = tiers.percent()
    tiers.set_percent(10)
    yield
    tiers.set_percent(before)


@given(st.integers(1, 200), st.integers(1, 20))
def test_points_are_spread_over_all_cases_with_the_first_and_the_last(length: int, points: int) -> None:
    kept = sorted(tiers.spread(length, points))

    assert len(kept) == min(length, points)
    assert kept[0] == 0
    assert kept[-1] == (length - 1 if points > 1 else 0)
    gaps = [after - before for before, after in pairwise(kept)]
    assert max(gaps, default=0) - min(gaps, default=0) <= 1


@given(st.lists(st.frozensets(st.sampled_from("abcd")), min_size=1, max_size=20), st.integers(1, 5))
def test_each_requirement_that_a_case_names_is_named_by_a_case_that_stays(
    named: list[frozenset[str]], points: int
) -> None:
    kept = tiers.chosen(named, points)

    assert tiers.spread(len(named), points) <= kept
    assert {name for place in kept for name in named[place]} == {name for each in named for name in each}


@pytest.mark.usefixtures("tenth")
def test_a_quick_run_tries_a_tenth_but_no_fewer_than_five_or_all() -> None:
    assert [tiers.count(stated) for stated in (1000, 200, 60, 10, 3)] == [100, 20, 6, 5, 3]


@pytest.mark.usefixtures("tenth")
@pytest.mark.parametrize("items", [1, 3])
def test_a_law_is_scaled_once_and_keeps_its_other_settings(items: int) -> None:
    tried = []

    @settings(max_examples=300, deadline=None, database=None)
    @given(st.integers())
    def law(number: int) -> None:
        tried.append(number)

    for _ in range(items):
        tiers.scale(law)
    law()

    assert 5 < len(tried) <= 30


@pytest.mark.points(2)
@pytest.mark.parametrize("case", "abc")
def test_a_case_that_is_no_point_is_marked_sweep(case: str, request: pytest.FixtureRequest) -> None:
    swept = request.node.get_closest_marker("sweep") is not None
    assert swept == (case == "b") or "[" in " ".join(request.config.args), "one case alone is a point"
