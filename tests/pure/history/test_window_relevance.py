"""How relevant an item of a window is: the record's formula, worked out so that every machine agrees."""

import math
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.window_world import NOW, TASKS, ago, drawn_items, item
from verifflowcc.history.rules.window_prepare import HIGHEST, UNIT, age_minutes, relevance, scored
from verifflowcc.history.rules.window_values import WindowItem, WindowItemType

FACTORS = {
    WindowItemType.SYSTEM_PROMPT: 100.0,
    WindowItemType.TASK_STATE: 2.0,
    WindowItemType.USER_MESSAGE: 1.5,
    WindowItemType.ASSISTANT_RESPONSE: 0.9,
    WindowItemType.TOOL_RESULT: 0.8,
    WindowItemType.CODE_SNIPPET: 0.7,
    WindowItemType.GRAPH_QUERY: 0.6,
}


def by_the_record(each: WindowItem, task: str | None, dependants: int, minutes: int) -> float:
    """The record's formula in floating point, as it stands there."""
    score = math.exp(-max(minutes, 0) / 60)
    if task is not None and each.task == task:
        score *= 2
    score *= 1 + dependants * 0.2
    score *= 1.2 if each.tool_calls else FACTORS[each.type]
    score *= each.relevance / 1000
    return min(max(score, 0.0), 100.0)


@pytest.mark.vfcc("REQ-WINDOW-RELEVANCE")
@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(WindowItemType),
    st.integers(-100, 3000),
    st.integers(0, 1000),
    TASKS,
    TASKS,
    st.integers(0, 500),
    st.booleans(),
)
def test_it_is_the_formula_of_the_record(
    kind: WindowItemType, minutes: int, weight: int, mine: str | None, task: str | None, dependants: int, calls: bool
) -> None:
    calls = calls and kind is WindowItemType.ASSISTANT_RESPONSE
    one = item("a", kind, minutes=minutes, relevance=weight, task=mine, tool_calls=calls)

    found = relevance(one, NOW, task, dependants)

    assert 0 <= found <= HIGHEST
    assert abs(found - by_the_record(one, task, dependants, minutes) * UNIT) <= 0.51


@pytest.mark.vfcc("REQ-WINDOW-FACTORS")
@pytest.mark.parametrize(("kind", "factor"), FACTORS.items())
def test_each_type_has_its_factor(kind: WindowItemType, factor: float) -> None:
    assert relevance(item("a", kind), NOW, None, 0) == round(factor * UNIT)


@pytest.mark.vfcc("REQ-WINDOW-FACTORS")
def test_a_response_that_calls_tools_matters_more() -> None:
    response = WindowItemType.ASSISTANT_RESPONSE

    assert relevance(item("a", response, tool_calls=True), NOW, None, 0) == 1_200_000
    assert relevance(item("a", response, tool_calls=False), NOW, None, 0) == 900_000


@pytest.mark.vfcc("REQ-WINDOW-RELEVANCE")
def test_nothing_is_above_a_hundred() -> None:
    best = item("a", WindowItemType.SYSTEM_PROMPT, task="login")

    assert relevance(best, NOW, "login", 50) == 100 * UNIT
    assert relevance(item("b", WindowItemType.TASK_STATE, task="login"), NOW, "login", 10_000) == 100 * UNIT


def test_ages_are_whole_minutes_and_what_is_to_come_is_new() -> None:
    assert age_minutes(ago(1.99), NOW) == 1
    assert age_minutes(ago(-5), NOW) == 0
    assert age_minutes(ago(0.99), NOW) == 0
    assert relevance(item("a", minutes=59.99), NOW, None, 0) == relevance(item("a", minutes=59), NOW, None, 0)


def test_an_age_of_a_thousand_years_is_no_trouble() -> None:
    assert relevance(item("a"), NOW + timedelta(days=365_000), None, 0) == 0


def test_a_dependant_counts_once_however_often_it_says_so() -> None:
    items = [item("a"), item("b", needs=("a", "a")), item("c", needs=("a",))]

    first, *_ = scored(items, NOW, None)

    assert first.score == round(1.5 * 1.4 * UNIT)


@settings(deadline=None, max_examples=50)
@given(drawn_items(), TASKS)
def test_the_same_items_have_the_same_relevances_in_whatever_order(
    items: tuple[WindowItem, ...], task: str | None
) -> None:
    forwards = {each.item.id: each.score for each in scored(items, NOW, task)}

    assert forwards == {each.item.id: each.score for each in scored(items[::-1], NOW, task)}
    assert [each.item for each in scored(items, NOW, task)] == list(items)


def test_a_system_prompt_is_sticky_whatever_is_said() -> None:
    assert item("a", WindowItemType.SYSTEM_PROMPT, sticky=False).sticky
    assert not item("a", WindowItemType.TASK_STATE).sticky
