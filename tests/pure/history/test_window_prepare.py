"""A window made ready for a message is never above its limit, and ends with the message."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.window_world import NOW, drawn_items, item
from verifflowcc.base.errors import BudgetError
from verifflowcc.base.records import replace
from verifflowcc.history.rules.agent_history import Intent, TaskEpisode
from verifflowcc.history.rules.window_prepare import past_work, prepared
from verifflowcc.history.rules.window_values import Window, WindowItem, WindowItemType
from verifflowcc.memory.rules.tasks import TaskStatus


@settings(deadline=None, max_examples=300)
@given(drawn_items(), drawn_items(200), st.integers(0, 400), st.integers(1, 3000))
def test_it_is_within_the_limit_always(
    items: tuple[WindowItem, ...], found: tuple[WindowItem, ...], tokens: int, limit: int
) -> None:
    window = Window("s1", items)
    message = item("message", tokens=tokens)
    more = [replace(each, id=f"found-{each.id}", sticky=False) for each in found if not each.sticky]
    fixed = sum(each.tokens for each in items if each.sticky)
    if fixed + tokens > limit:
        with pytest.raises(BudgetError) as caught:
            prepared(window, message, more, limit, NOW)
        assert caught.value.needed == fixed + tokens
        return

    ready = prepared(window, message, more, limit, NOW)

    assert ready.window.tokens <= limit
    assert ready.window.items[-1] == message
    assert {each.id for each in items if each.sticky} <= {each.id for each in ready.window.items}
    gone = {each.item.id for _, done in ready.prunings for each in done.removed}
    known = {each.id for each in (*items, *more, message)}
    assert known - gone >= {each.id for each in ready.window.items}
    assert len(ready.prunings) == ready.window.prunings


@settings(deadline=None, max_examples=100)
@given(drawn_items(50), st.integers(0, 50))
def test_nothing_goes_where_there_is_room(items: tuple[WindowItem, ...], tokens: int) -> None:
    assume(sum(each.tokens for each in items) + tokens < 700)
    message = item("message", tokens=tokens)

    ready = prepared(Window("s1", items), message, [], 1000, NOW)

    assert (ready.prunings, ready.window.items) == ((), (*items, message))


def test_it_prunes_before_and_after() -> None:
    old = tuple(item(f"old{number}", WindowItemType.TOOL_RESULT, tokens=30, minutes=90) for number in range(3))
    found = [item("code", WindowItemType.CODE_SNIPPET, tokens=30)]

    ready = prepared(Window("s1", old), item("message", tokens=10), found, 100, NOW)

    (before, first), *more = ready.prunings
    assert (before.items, [each.item.id for each in first.removed]) == (old, ["old0"])
    (middle, second), *_ = more
    assert [each.id for each in middle.items] == ["old1", "old2", "code", "message"]
    assert [each.item.id for each in second.removed] == ["old1"]
    assert [each.id for each in ready.window.items] == ["old2", "code", "message"]


def test_the_message_stays_even_where_all_else_is_more_relevant() -> None:
    state = item("state", WindowItemType.TASK_STATE, tokens=50, task="login")

    ready = prepared(Window("s1", (state,), "login"), item("message", tokens=60), [], 100, NOW)

    assert [each.id for each in ready.window.items] == ["message"]


def test_what_was_found_again_is_not_there_twice_but_is_as_new() -> None:
    old = item("a", WindowItemType.CODE_SNIPPET, content="def f(): pass", minutes=50)
    said, again = item("said"), item("b", WindowItemType.CODE_SNIPPET, content="def f(): pass")

    ready = prepared(Window("s1", (old, said)), item("message"), [again], 1000, NOW)

    assert [each.id for each in ready.window.items] == ["said", "a", "message"]
    assert ready.window.items[1].time == again.time


def test_a_sticky_item_stays_sticky_where_it_is_found_again() -> None:
    kept = item("a", WindowItemType.CODE_SNIPPET, content="def f(): pass", sticky=True)
    again = item("b", WindowItemType.CODE_SNIPPET, content="def f(): pass")

    ready = prepared(Window("s1", (kept,)), item("message"), [again], 1000, NOW)

    assert ready.window.items[0] == kept


def test_what_could_never_stand_beside_the_message_is_not_added() -> None:
    found = [
        item("large", WindowItemType.CODE_SNIPPET, tokens=95),
        item("small", WindowItemType.CODE_SNIPPET, tokens=20, content="s"),
    ]

    ready = prepared(Window("s1"), item("message", tokens=10), found, 100, NOW)

    assert ([each.id for each in ready.window.items], ready.prunings) == (["small", "message"], ())


@pytest.mark.vfcc("REQ-PREPARE-CONTEXT")
def test_past_work_is_a_line_for_each_task() -> None:
    done = TaskEpisode(
        "t1", "s0", "Fix the\nlogin", Intent.PROJECT_FIXING, TaskStatus.COMPLETED, "x", outcome="It was the clock."
    )
    failed = TaskEpisode("t2", "s0", "Add OAuth", Intent.CODE_WRITING, TaskStatus.FAILED, "x")

    assert past_work([done, failed]) == ("Relevant past work:\n- Fix the login: It was the clock.\n- Add OAuth: failed")
    assert past_work([]) == ""
