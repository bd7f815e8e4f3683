"""When a model is asked to order hits anew: a small margin, an unclear question, several facts on one subject."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.model.config_values import RerankSettings
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.recall_values import Hit, Parts
from verifflowcc.memory.rules.reranking_order import CLOSE, FACTS, SHORT, why_rerank

CLEAR = "Which database keeps the orders"
SETTINGS = RerankSettings(enabled=True)
WORDS = {"database": ("title", "body"), "orders": ("body",)}


def hit(
    words: int,
    name: str = "a",
    *,
    key: str | None = None,
    title: str = "",
    tags: tuple[str, ...] = (),
    matched: dict[str, tuple[str, ...]] = WORDS,
) -> Hit:
    item = Item(name, "fact", title or name, f"{name}.md", "project", 500, 800, key=key, tags=tags)
    return Hit(item, "project", Parts(words), matched)


def hits(*words: int) -> list[Hit]:
    return [hit(each, f"item-{number}") for number, each in enumerate(words)]


@pytest.mark.vfcc("REQ-RERANK-CONDITIONS")
def test_hits_that_the_words_tell_apart_need_no_model() -> None:
    assert why_rerank(CLEAR, hits(1000, 600, 500), SETTINGS) is None


@pytest.mark.vfcc("REQ-RERANK-CONDITIONS", "REQ-SETTING-RERANK")
@pytest.mark.parametrize(
    ("second", "least", "holds"),
    [(850, 150, False), (851, 150, True), (1000, 150, True), (999, 1, False), (1000, 0, False), (1, 1000, True)],
)
def test_a_margin_is_small_where_it_is_below_the_setting(second: int, least: int, holds: bool) -> None:
    why = why_rerank(CLEAR, hits(1000, second), RerankSettings(True, trigger_min_margin=least))
    assert (why is not None) is holds
    assert why is None or why.startswith("the margin between the best two hits is ")


def test_the_margin_is_told_beside_the_setting() -> None:
    told = "the margin between the best two hits is 0.042, below memory.rerank.trigger_min_margin (0.15)"
    assert why_rerank(CLEAR, hits(1000, 958), SETTINGS) == told


def test_the_margin_is_that_of_the_whole_scores() -> None:
    item = Item("a", "fact", "a", "a.md", "project", 500, 800)
    lifted = Hit(item, "project", Parts(800, importance=250), WORDS)
    assert why_rerank(CLEAR, [hit(1000), lifted], SETTINGS) is not None
    assert why_rerank(CLEAR, [hit(1000), hit(800)], SETTINGS) is None


@pytest.mark.vfcc("REQ-RERANK-CONDITIONS")
@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Which database? And who runs it?", "2 questions are asked at once"),
        ("Postgres or MySQL for the orders", "the question names alternatives"),
        ("Do we use `tabs` or `spaces` in orders", "the question names alternatives"),
        ("Which database, or queue, has orders", "the question names alternatives"),
    ],
)
def test_a_question_about_several_things_is_unclear(question: str, told: str) -> None:
    assert why_rerank(question, hits(1000, 600), SETTINGS) == f"it is unclear what is meant: {told}"


@pytest.mark.parametrize(
    "question",
    [
        "Which database???",
        "Open https://example.com/?a=1 and ?b=2",
        "the order of ors",
        "The orders",
        "or what",
        "A or",
    ],
)
def test_a_question_about_one_thing_is_clear(question: str) -> None:
    assert why_rerank(question, hits(1000, 600), SETTINGS) is None


def test_in_a_long_text_an_or_joins_details() -> None:
    task = "Change how orders are written " + "so that " * 3 + "or"
    assert len(f"{task} it".split()) == SHORT + 1
    assert why_rerank(f"{task} it", hits(1000, 600), SETTINGS) is None
    assert why_rerank(f"{task} it".removeprefix("Change "), hits(1000, 600), SETTINGS) is not None


@pytest.mark.vfcc("REQ-RERANK-CONDITIONS")
def test_one_word_that_is_found_does_not_tell_what_is_meant() -> None:
    one = {"orders": ("body",), "database": ("beside",), "keeps": ()}
    found = [hit(1000, "a", matched=one), hit(600, "b", matched=one)]
    told = "it is unclear what is meant: one word of the question is in any hit"
    assert why_rerank(CLEAR, found, SETTINGS) == told
    assert why_rerank(CLEAR, [found[0], hit(600, "b", matched={"database": ("names",)})], SETTINGS) is None
    none = [hit(1000, "a", matched={"x": ("beside",)}), hit(600, "b", matched={})]
    assert "no word of the question" in str(why_rerank(CLEAR, none, SETTINGS))


SAME: dict[str, list[dict[str, Any]]] = {
    "key log": [{"key": "log_format"}, {"key": "log:level"}, {"key": "Log"}],
    "tag billing": [{"tags": ("billing",)}, {"tags": ("x", "Billing")}, {"tags": ("billing", "billing")}],
    "title database": [{"title": "Database is Postgres"}, {"title": "database: MySQL"}, {"title": "The databases"}],
}


@pytest.mark.vfcc("REQ-RERANK-CONDITIONS")
@pytest.mark.parametrize("subject", SAME)
def test_close_facts_about_one_subject_may_contradict_each_other(subject: str) -> None:
    facts = SAME[subject]
    near = [hit(words, f"i{words}", **each) for words, each in zip((1000, 800, CLOSE), facts, strict=True)]
    assert why_rerank(CLEAR, near, SETTINGS) == f"3 close hits speak of one subject: {subject}"

    far = [*near[:2], hit(CLOSE - 1, "far", **facts[2])]
    assert why_rerank(CLEAR, far, SETTINGS) is None
    assert why_rerank(CLEAR, near[: FACTS - 1], SETTINGS) is None


def test_titles_that_begin_with_a_word_that_nobody_asked_for_are_of_several_subjects() -> None:
    near = [hit(words, f"i{words}", title=f"Adopt {words}") for words in (1000, 800, 750)]
    assert why_rerank(CLEAR, near, SETTINGS) is None
    assert why_rerank("Which database did we adopt", near, SETTINGS) is not None


def test_of_several_subjects_the_one_of_most_hits_is_told() -> None:
    tags = [("b", "c"), ("c", "b"), ("b", "c", "a"), ("c", "a"), ("a",)]
    near = [hit(words, f"i{words}", tags=each) for words, each in zip((1000, 800, 790, 780, 770), tags, strict=True)]
    assert why_rerank(CLEAR, near, SETTINGS) == "4 close hits speak of one subject: tag c"
    assert why_rerank(CLEAR, near[:3], SETTINGS) == "3 close hits speak of one subject: tag b"


@pytest.mark.parametrize("question", ["a or b? c?", ""])
@pytest.mark.parametrize("found", [[], [1000]])
def test_of_fewer_than_two_there_is_nothing_to_order(question: str, found: list[int]) -> None:
    assert why_rerank(question, hits(*found), RerankSettings(True, trigger_min_margin=1000)) is None


@pytest.mark.vfcc("REQ-SETTING-RERANK")
def test_hits_that_a_model_is_not_given_are_not_looked_at() -> None:
    near = [hit(words, f"i{words}", key="log") for words in (1000, 800, 750)]
    assert why_rerank(CLEAR, near, RerankSettings(True, max_candidates=3)) is not None
    assert why_rerank(CLEAR, near, RerankSettings(True, max_candidates=2)) is None
    assert why_rerank(CLEAR, hits(1000, 1000), RerankSettings(True, max_candidates=1)) is None


@given(st.text(max_size=60), st.lists(st.integers(1, 1000), max_size=6), st.integers(0, 1000), st.integers(1, 8))
def test_a_rule_answers_for_every_question(question: str, words: list[int], least: int, most: int) -> None:
    found = hits(*sorted(words, reverse=True))
    settings = RerankSettings(True, most, least)
    why = why_rerank(question, found, settings)
    assert why == why_rerank(question, tuple(found), settings)
    assert why is None or (why.strip() == why and min(len(found), most) > 1)
