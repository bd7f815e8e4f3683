"""Which past tasks are most like a text."""

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.history.rules.agent_history import Posting, ranked

TERMS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8)
PAST = st.lists(TERMS, min_size=1, max_size=8)


def rank(past: dict[str, list[str]], asked: list[str], limit: int = 99) -> list[tuple[str, int]]:
    postings: dict[str, list[Posting]] = {}
    for name, terms in past.items():
        for term, count in Counter(terms).items():
            if term in asked:
                postings.setdefault(term, []).append(Posting(name, count))
    lengths = {name: len(terms) for name, terms in past.items()}
    return list(ranked(postings, lengths, len(past), limit))


@settings(deadline=None, max_examples=200)
@given(PAST)
def test_the_task_with_all_the_words_and_no_others_comes_first(past: list[list[str]]) -> None:
    named = {f"t{number}": sorted(set(terms) - {"a"}) for number, terms in enumerate(past)}
    asked = ["a", "b", "c"]

    found = rank({**named, "same": asked}, asked)

    assert found[0][0] == "same"


@settings(deadline=None, max_examples=200)
@given(PAST, TERMS, st.integers(1, 5), st.randoms(use_true_random=False))
def test_the_order_of_what_is_given_does_not_matter(
    past: list[list[str]], asked: list[str], limit: int, rng: random.Random
) -> None:
    named = {f"t{number}": terms for number, terms in enumerate(past)}
    other = list(named.items())
    rng.shuffle(other)
    found = rank(named, asked)

    assert rank(dict(other), asked) == found
    assert rank(named, asked, limit) == found[:limit]
    assert found == sorted(found, key=lambda each: (-each[1], each[0]))
    assert {name for name, _ in found} == {name for name, terms in named.items() if set(terms) & set(asked)}
    assert all(score > 0 for _, score in found)


def test_a_rare_word_says_more_than_a_frequent_one() -> None:
    past = {f"t{number}": ["often", "other"] for number in range(9)} | {"unlike": ["seldom", "other"]}

    assert rank(past, ["often", "seldom"])[0][0] == "unlike"


def test_a_word_in_a_short_task_says_more_than_in_a_long_one() -> None:
    past = {"long": ["word", *"abcdefgh"], "short": ["word", "a"]}

    assert [name for name, _ in rank(past, ["word"])] == ["short", "long"]


def test_where_there_is_nothing_nothing_is_alike() -> None:
    assert rank({}, ["a"]) == rank({"t": ["b"]}, ["a"]) == []
