"""Recall@k and reciprocal ranks: exact, means over questions, and what stands first in a list of the worst."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.memory.rules.recall_evaluation import (
    basis_points,
    mean_reciprocal_rank,
    recall_at,
    recall_of,
    reciprocal_rank,
    worst_first,
)

pytestmark = pytest.mark.vfcc("REQ-INDICATOR-RECALL")
RANKS = st.lists(st.none() | st.integers(1, 12), min_size=1, max_size=5)
QUESTIONS = st.lists(RANKS, min_size=1, max_size=8)


def test_recall_is_the_mean_over_questions_of_the_share_of_their_answers() -> None:
    questions: list[list[int | None]] = [[1, 4, None], [3], [None]]

    assert recall_at(1, questions) == Fraction(1, 9)
    assert recall_at(3, questions) == Fraction(4, 9)
    assert recall_at(4, questions) == Fraction(5, 9)


def test_only_the_first_answer_counts_for_the_reciprocal_rank() -> None:
    assert mean_reciprocal_rank([[4, 2, None], [1], [None]]) == Fraction(1, 2)
    assert reciprocal_rank([None]) == 0


def test_a_share_is_cut_so_that_what_is_below_a_threshold_never_looks_as_if_it_reached_it() -> None:
    assert [basis_points(Fraction(*each)) for each in ((1, 1), (0, 1), (2, 3), (89_999, 100_000))] == [
        10_000,
        0,
        6_666,
        8_999,
    ]


@settings(deadline=None)
@given(QUESTIONS, st.integers(1, 12))
def test_recall_is_a_share_that_grows_with_k_up_to_what_was_found_at_all(
    questions: list[list[int | None]], k: int
) -> None:
    found = sum((Fraction(sum(rank is not None for rank in ranks), len(ranks)) for ranks in questions), Fraction(0))

    assert 0 <= recall_at(k, questions) <= recall_at(k + 1, questions) <= 1
    assert recall_at(12, questions) == found / len(questions)
    assert 0 <= mean_reciprocal_rank(questions) <= 1


@settings(deadline=None)
@given(QUESTIONS, st.integers(1, 12))
def test_the_worst_stand_first_each_question_once(questions: list[list[int | None]], k: int) -> None:
    order = worst_first(k, questions)
    shares = [(recall_of(questions[at], k), reciprocal_rank(questions[at])) for at in order]

    assert sorted(order) == list(range(len(questions)))
    assert shares == sorted(shares)
