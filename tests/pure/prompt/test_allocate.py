"""Splitting a budget by largest remainder."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.layers import PRIORITY, Layer
from verifflowcc.prompt.rules.pack import allocate

WEIGHTS = st.dictionaries(st.text(max_size=3), st.integers(0, 1_000_000), max_size=6)


@pytest.mark.vfcc("REQ-ALLOCATION")
def test_shares_of_the_default_allocation_are_exact() -> None:
    shares = {Layer.AGENT: 400_000, Layer.STAGE: 300_000, Layer.SPRINT: 200_000, Layer.PROJECT: 100_000}
    assert list(allocate(50_000, shares).values()) == [20_000, 15_000, 10_000, 5_000]


def test_what_rounding_leaves_goes_to_the_largest_remainder() -> None:
    assert allocate(100, {"agent": 5, "stage": 3, "project": 1}) == {"agent": 56, "stage": 33, "project": 11}
    assert allocate(10, {"a": 1, "b": 17}) == {"a": 1, "b": 9}


def test_equal_remainders_are_served_in_the_order_of_the_mapping() -> None:
    assert allocate(7, dict.fromkeys(PRIORITY, 1)) == dict(zip(PRIORITY, (2, 2, 1, 1, 1), strict=True))


def test_no_weight_means_no_part() -> None:
    assert allocate(10, {}) == {}
    assert allocate(10, {"a": 0, "b": 0}) == {"a": 0, "b": 0}
    assert allocate(10, {"a": -5, "b": 1}) == {"a": 0, "b": 10}
    assert allocate(-10, {"a": 1}) == {"a": 0}


@pytest.mark.vfcc("REQ-ALLOCATION")
@settings(deadline=None)
@given(st.integers(0, 10**9), WEIGHTS)
def test_the_parts_add_up_to_the_budget_and_each_is_its_share_rounded(budget: int, weights: dict[str, int]) -> None:
    parts = allocate(budget, weights)
    total = sum(weights.values())

    assert list(parts) == list(weights)
    assert sum(parts.values()) == (budget if total else 0)
    for key, part in parts.items():
        exact = budget * weights[key] // total if total else 0
        assert exact <= part <= exact + 1
        assert part == 0 or weights[key] > 0
