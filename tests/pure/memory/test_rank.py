"""The order of a layer's candidates: total, in integers, the same whatever order they come in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.model.recall_values import Unit, extent_of
from verifflowcc.base.text.stems import terms
from verifflowcc.memory.rules.recall_ranking import RankingInput, rank
from verifflowcc.memory.rules.recall_scoring import question_of

TASK = question_of("cache the queue, retry the service of karpenter")


def candidate(key: str, **facts: object) -> RankingInput:
    values = {"importance": 500, "confidence": 800, "recency": None} | facts
    return RankingInput(key=key, **values)  # type: ignore[arg-type]


def text(words: str, *, length: int = 20) -> dict[str, object]:
    """What a candidate says: these words, among so many."""
    body = f"{words} {'other ' * (length - len(words.split()))}".strip()
    units = (Unit(("", "", "", body, "", "")),)
    return {"units": units, "extent": extent_of(units)}


def keys(candidates: list[RankingInput], *, with_task: bool = False) -> list[str]:
    return [candidates[score.index].key for score in rank(candidates, TASK if with_task else None)]


CANDIDATES = st.lists(
    st.builds(
        RankingInput,
        key=st.text("abc/", min_size=1, max_size=6),
        importance=st.integers(0, 1000),
        confidence=st.integers(0, 1000),
        recency=st.none()
        | st.tuples(st.just("date"), st.dates().map(str))
        | st.tuples(st.just("number"), st.integers(0, 99)),
        extent=st.just(extent_of((Unit(("", "", "", "queue retri queue", "", "")),))),
        units=st.lists(
            st.lists(st.sampled_from(["queue", "retri", "cach", "other"]), max_size=9).map(
                lambda words: Unit(("", "", "", " ".join(words), "", ""))
            ),
            max_size=1,
        ).map(tuple),
        in_play=st.booleans(),
    ),
    max_size=12,
    unique_by=lambda one: one.key,
)


@pytest.mark.vfcc("REQ-RECENT-DECISIONS")
def test_the_newest_comes_first_among_equals() -> None:
    old, new = candidate("1.md", recency=("date", "2024-01-31")), candidate("2.md", recency=("date", "2026-02-01"))

    assert keys([old, new]) == ["2.md", "1.md"]


@pytest.mark.vfcc("REQ-RANK-BY-WORTH")
def test_the_relevant_comes_before_the_new() -> None:
    relevant = candidate("cache.md", **text("cach cach cach"), recency=("number", 1))
    new = candidate("logo.md", recency=("number", 9))

    assert keys([new, relevant], with_task=True) == ["cache.md", "logo.md"]


def test_without_a_task_matches_count_for_nothing() -> None:
    assert keys([candidate("a.md"), candidate("b.md", **text("cach cach"))]) == ["a.md", "b.md"]


def test_a_rare_term_weighs_more_than_a_common_one() -> None:
    common = [candidate(f"{number}.md", **text("servic servic")) for number in range(9)]
    rare = candidate("rare.md", **text("karpent"))

    assert keys([*common, rare], with_task=True)[0] == "rare.md"


def test_a_short_text_beats_a_long_one_with_as_many_matches() -> None:
    short = candidate("short.md", **text("cach cach", length=50))
    long = candidate("long.md", **text("cach cach", length=500))

    assert keys([long, short], with_task=True) == ["short.md", "long.md"]


@pytest.mark.vfcc("REQ-CITED-FILES")
def test_an_entry_that_cites_a_file_of_the_task_is_lifted() -> None:
    assert keys([candidate("a.md"), candidate("b.md", in_play=True)])[0] == "b.md"


@pytest.mark.vfcc("REQ-RANK-BY-WORTH")
def test_the_important_and_the_certain_come_first_among_equals() -> None:
    assert keys([candidate("a.md"), candidate("b.md", importance=600)]) == ["b.md", "a.md"]
    assert keys([candidate("a.md"), candidate("b.md", confidence=900)]) == ["b.md", "a.md"]


def test_dates_and_numbers_are_not_compared_with_each_other() -> None:
    dated = candidate("dated.md", recency=("date", "1999-01-01"))
    numbered = candidate("numbered.md", recency=("number", 50))

    assert keys([dated, numbered]) == ["dated.md", "numbered.md"]


@pytest.mark.vfcc("REQ-RANK-BY-WORTH")
@given(candidates=CANDIDATES, with_task=st.booleans(), data=st.data())
def test_the_order_they_come_in_does_not_matter(
    candidates: list[RankingInput], with_task: bool, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(candidates))

    assert keys(candidates, with_task=with_task) == keys(list(shuffled), with_task=with_task)


@given(candidates=CANDIDATES, with_task=st.booleans())
def test_everything_is_ranked_once_best_first(candidates: list[RankingInput], with_task: bool) -> None:
    scores = rank(candidates, TASK if with_task else None)

    assert sorted(score.index for score in scores) == list(range(len(candidates)))
    assert [score.total for score in scores] == sorted((score.total for score in scores), reverse=True)


def test_identifiers_are_taken_apart_and_common_words_left_out() -> None:
    assert terms("The HTTPServer retries rate_limits in src/rateLimit.py") == [
        *("http", "server", "retry", "rate", "limit", "src", "rate", "limit", "py")
    ]


def test_words_of_other_scripts_are_kept_whole() -> None:
    assert terms("Änderungen für データベース") == ["änderungen", "für", "データベース"]
