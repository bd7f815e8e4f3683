"""What goes when a window is pruned, and what never does."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.window_world import NAMES, NOW, TASKS, drawn_items, item
from verifflowcc.base.records import replace
from verifflowcc.history.rules.agent_history import SnapshotReason
from verifflowcc.history.rules.window_prepare import (
    beginning,
    is_over,
    prune,
    prune_to,
    scored,
    snapshot_event,
    snapshot_of,
    summaries,
)
from verifflowcc.history.rules.window_values import FileTouch, Window, WindowItem, WindowItemType


@pytest.mark.vfcc("REQ-WINDOW-PRUNE")
@settings(deadline=None, max_examples=200)
@given(drawn_items(), TASKS)
def test_no_sticky_item_goes_and_the_others_keep_their_order(items: tuple[WindowItem, ...], task: str | None) -> None:
    done = prune(items, NOW, task)

    gone = {each.item.id for each in done.removed}
    assert not any(each.item.sticky for each in done.removed)
    assert done.kept == tuple(each for each in items if each.id not in gone)
    assert len(done.kept) + len(done.removed) == len(items)


@pytest.mark.vfcc("REQ-WINDOW-PRUNE")
@settings(deadline=None, max_examples=200)
@given(drawn_items(), TASKS)
def test_three_tenths_of_the_tokens_go_or_all_that_may(items: tuple[WindowItem, ...], task: str | None) -> None:
    done = prune(items, NOW, task)

    assert done.tokens_before == sum(each.tokens for each in items)
    assert done.tokens_removed == sum(each.item.tokens for each in done.removed)
    assert done.tokens_removed * 10 >= done.tokens_before * 3 or all(each.sticky for each in done.kept)
    if done.removed:
        without_last = done.tokens_removed - done.removed[-1].item.tokens
        assert without_last * 10 < done.tokens_before * 3, "no more goes than must"


@pytest.mark.vfcc("REQ-WINDOW-PRUNE")
@settings(deadline=None, max_examples=200)
@given(drawn_items(), TASKS)
def test_the_least_relevant_go_and_of_equals_the_older(items: tuple[WindowItem, ...], task: str | None) -> None:
    done = prune(items, NOW, task)

    rank = {each.item.id: (each.score, each.item.time, each.item.id) for each in scored(items, NOW, task)}
    gone = [rank[each.item.id] for each in done.removed]
    assert gone == sorted(gone)
    assert all(rank[each.id] > gone[-1] for each in done.kept if not each.sticky and gone)


@settings(deadline=None, max_examples=100)
@given(st.randoms(use_true_random=False), drawn_items(), TASKS)
def test_the_same_items_go_in_whatever_order_they_stand(
    random: Random, items: tuple[WindowItem, ...], task: str | None
) -> None:
    shuffled = list(items)
    random.shuffle(shuffled)

    assert prune(items, NOW, task).removed == prune(shuffled, NOW, task).removed


@settings(deadline=None, max_examples=100)
@given(drawn_items(), TASKS, st.sets(NAMES), st.integers(0, 2000))
def test_pruning_to_a_limit_ends_below_it_or_with_what_must_stay(
    items: tuple[WindowItem, ...], task: str | None, held: set[str], limit: int
) -> None:
    done = prune_to(items, NOW, task, limit, held)

    left = sum(each.tokens for each in done.kept)
    assert left <= limit or all(each.sticky or each.id in held for each in done.kept)
    assert held.isdisjoint(each.item.id for each in done.removed)
    assert left == done.tokens_before - done.tokens_removed
    assert done.kept == tuple(each for each in items if each in done.kept)


@pytest.mark.vfcc("REQ-WINDOW-THRESHOLD")
@pytest.mark.parametrize(("tokens", "over"), [(0, False), (144_000, False), (144_001, True), (180_000, True)])
def test_above_four_fifths_of_the_limit_and_not_at_them(tokens: int, over: bool) -> None:
    assert is_over(tokens, 180_000) is over


def test_an_old_tool_result_goes_before_what_the_user_said() -> None:
    old = item("old", WindowItemType.TOOL_RESULT, minutes=90, tokens=40)
    said, code = item("said", minutes=80), item("code", WindowItemType.CODE_SNIPPET, minutes=90)

    done = prune([said, old, code], NOW, None)

    assert [each.item.id for each in done.removed] == ["code", "old"]
    assert done.kept == (said,)


@pytest.mark.vfcc("REQ-WINDOW-SUMMARIES")
def test_each_item_that_goes_has_an_episode() -> None:
    code = replace(item("code", WindowItemType.CODE_SNIPPET, task="login"), files=(FileTouch("a.py", lines=(3, 9)),))
    said = item("said", content="x" * 300, tokens=7, relevance=500)
    window = Window("s1", (code, said), "logout")

    first, second = summaries(window, scored(window.items, NOW, "logout"))

    assert (first.kind, first.event) == (
        "file_interaction",
        {
            "gen_ai.conversation.id": "s1",
            "task": "login",
            "path": "a.py",
            "operation": "read",
            "lines": [3, 9],
            "success": True,
            "context": "pruned from the window",
        },
    )
    assert (second.kind, second.event) == (
        "pruned",
        {
            "gen_ai.conversation.id": "s1",
            "task": "logout",
            "item": "said",
            "type": "user_message",
            "tokens": 7,
            "relevance": 750,
            "summary": "x" * 200,
        },
    )


def test_a_secret_that_the_cut_goes_through_is_withheld_whole() -> None:
    secret = "sk-ant-api03-" + "aB3dE5fG7h" * 9
    text = "x" * 180 + " " + secret

    assert secret[:15] not in beginning(text)
    assert len(beginning(text)) <= 200


@pytest.mark.vfcc("REQ-EPISODE-SNAPSHOTS")
@pytest.mark.parametrize("reason", SnapshotReason)
def test_a_snapshot_tells_each_item_the_sum_what_went_and_why(reason: SnapshotReason) -> None:
    window = Window("s1", (item("a", tokens=3), item("b", WindowItemType.GRAPH_QUERY, tokens=4, task="login")), "login")
    (gone,) = (each.part for each in scored([item("c", tokens=9)], NOW, None))

    told = snapshot_of(window, NOW, reason, [gone])

    assert (told.time, told.session, told.total_tokens) == ("2026-11-21T14:00:00.000Z", "s1", 7)
    assert snapshot_event(told) == {
        "gen_ai.conversation.id": "s1",
        "task": "login",
        "reason": reason.value,
        "items": [
            {"id": "a", "type": "user_message", "tokens": 3, "relevance": 1500},
            {"id": "b", "type": "graph_query", "tokens": 4, "relevance": 1200},
        ],
        "total_tokens": 7,
        "pruned": [{"id": "c", "type": "user_message", "tokens": 9, "relevance": 1500}],
    }
