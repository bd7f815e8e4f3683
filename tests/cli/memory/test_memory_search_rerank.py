"""`vfcc memory search` with a model that orders the best hits: when it is asked, what is shown and counted of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import vfcc
from tests.model_world import PROGRAMS, counting_program, times_asked
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.statistics import measured

QUESTION = "Which database keeps the orders"
FACTS = {"Orders are kept in Postgres": "one", "Orders are kept in MySQL": "two", "Orders are kept in Oracle": "three"}


@pytest.fixture
def shop(young: Path) -> Path:
    for text in FACTS:
        assert typed(young, "memory", "add", "fact", f"{text}, a database of ours.").code == 0
    return young


def named(folder: Path, does: str, **settings: object) -> None:
    """Write the person's own settings of a model, a program that notes each time that it is asked."""
    file = folder.parent / ".config/vfcc/config.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    llm = {"command": counting_program(folder.parent, does), **settings}
    file.write_text(f"llm: {json.dumps(llm)}\n", encoding="utf-8")


def set_here(folder: Path, rerank: str) -> None:
    text = f"format: 1\nmemory: {{rerank: {{{rerank}}}}}\n" if rerank else "format: 1\n"
    (folder / ".memory/config.yaml").write_text(text, encoding="utf-8")


def orders(*numbers: int) -> str:
    return f"print({json.dumps({'order': numbers})!r})"


def searched(folder: Path, *more: str) -> tuple[list[str], Any]:
    ran = vfcc(folder, "memory", "search", QUESTION, "--json", "--full", *more)
    assert ran.code == 0, ran
    found = ran.data
    return [each["item"]["id"] for each in found["hits"]], found["reranked"]


def counters(folder: Path) -> tuple[int, int]:
    found, _ = measured(Workspace(folder))
    return found.counters["rerank.calls"], found.counters["rerank.skipped"]


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-READ-RERANK", "REQ-SETTING-RERANK", "REQ-METRICS-RERANK")
def test_a_search_has_the_order_of_the_model_where_the_project_and_the_person_say_so(shop: Path) -> None:
    by_words, told = searched(shop)
    assert len(by_words) == len(FACTS)
    assert told == {"by": "", "why": "rerank is off (memory.rerank.enabled)"}

    named(shop, orders(3, 1))
    assert searched(shop)[0] == by_words
    assert (times_asked(shop.parent), counters(shop)) == (0, (0, 0))

    set_here(shop, "enabled: true")
    ids, told = searched(shop)
    assert ids == [by_words[2], by_words[0], by_words[1]]
    assert told["by"].startswith("python")
    assert told["why"].startswith("the margin between the best two hits is ")
    assert (times_asked(shop.parent), counters(shop)) == (1, (1, 0))

    set_here(shop, "enabled: true, max_candidates: 2")
    named(shop, orders(2, 1))
    assert searched(shop)[0] == [by_words[1], by_words[0], by_words[2]]
    assert vfcc(shop, "memory", "stats", "--json", "--full").data["metrics"]["counters"]["rerank.calls"] == 2


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-READ-RERANK", "REQ-METRICS-RERANK")
@pytest.mark.parametrize("does", ["complains", "prose alone", "good", "more than was sent"])
def test_where_the_model_fails_a_search_has_the_order_by_words_and_says_so(does: str, shop: Path) -> None:
    by_words, _ = searched(shop)
    named(shop, PROGRAMS.get(does, orders(1, 2, 3, 4)))
    set_here(shop, "enabled: true")
    ran = vfcc(shop, "memory", "search", QUESTION)

    assert (ran.code, ran.err.count("the order by words is kept")) == (0, 1), ran
    assert searched(shop)[0] == by_words
    assert counters(shop) == (2, 2)
    stats = vfcc(shop, "memory", "stats").out
    assert "rerank.calls" in stats
    assert "rerank.skipped" in stats


@pytest.mark.vfcc("REQ-READ-RERANK")
def test_a_project_cannot_have_a_model_asked_that_the_person_did_not_name(shop: Path) -> None:
    by_words, _ = searched(shop)
    set_here(shop, "enabled: true")
    ids, told = searched(shop)

    assert (ids, told) == (by_words, {"by": "", "why": "your own settings name no model"})
    assert counters(shop) == (0, 1)


def test_a_search_without_a_model_asks_none(shop: Path) -> None:
    by_words, _ = searched(shop)
    named(shop, orders(3))
    set_here(shop, "enabled: true")
    ids, told = searched(shop, "--no-model")

    assert (ids, told["by"], times_asked(shop.parent)) == (by_words, "", 0)
    assert "would order the best 3 hits" in told["why"]


@pytest.mark.vfcc("REQ-RERANK-CONDITIONS", "REQ-SETTING-RERANK")
def test_the_conditions_decide_whether_it_is_asked(shop: Path) -> None:
    named(shop, orders(2))
    set_here(shop, "enabled: true, trigger_min_margin: 0")
    _, told = searched(shop)
    assert told["why"] == "3 close hits speak of one subject: title order"
    assert times_asked(shop.parent) == 1

    ran = vfcc(shop, "memory", "search", "Postgres or MySQL", "--json", "--full").data
    assert ran["reranked"]["why"] == "it is unclear what is meant: the question names alternatives"

    assert typed(shop, "memory", "add", "fact", "Zebras graze beside the tall northern fence.").code == 0
    ran = vfcc(shop, "memory", "search", "tall zebras at the northern fence", "--json", "--full").data
    assert ran["reranked"] == {"by": "", "why": "no condition to rerank holds"}
    assert (times_asked(shop.parent), counters(shop)) == (2, (2, 1))


def test_a_model_is_given_as_many_hits_as_the_project_says(young: Path) -> None:
    for number in range(1, 46):
        text = f"---\nid: order-{number:02}\ntype: fact\ntitle: Orders {number:02}\n---\nOrders are kept here.\n"
        path = young / f".memory/project/items/fact/order-{number:02}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    named(young, orders(44))
    set_here(young, "enabled: true, max_candidates: 44")

    ids, told = searched(young)

    assert told["by"].startswith("python"), told
    assert ids[:3] == ["order-44", "order-01", "order-02"]
