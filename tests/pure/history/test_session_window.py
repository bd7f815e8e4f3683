"""A window out of a session's history, and what is told of it after a compaction."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.window_world import NOW, ago, drawn_items, words
from verifflowcc.base.text.secrets import withhold
from verifflowcc.history.rules.agent_history import Operation
from verifflowcc.history.rules.event_shape import event_of
from verifflowcc.history.rules.failures import open_failures
from verifflowcc.history.rules.session_brief import brief_of, window_of
from verifflowcc.history.rules.window_values import FileTouch, WindowItem, WindowItemType

Event = dict[str, Any]
ROOT = "/p"


def said(name: str, minutes: float, hook: str, **more: object) -> Event:
    """The event that a hook's words make, as they are recorded."""
    event = event_of({"hook_event_name": hook, "cwd": ROOT, **more}, "claude", ROOT, ago(minutes), name, withhold)
    assert event is not None
    return event


def edit(name: str, minutes: float, **more: object) -> Event:
    patch = {"structuredPatch": [{"newStart": 10, "newLines": 11, "lines": ["+a", *[" x"] * 9, "+b", "-c"]}]}
    given = {"file_path": f"{ROOT}/a.py", "old_string": "c", "new_string": "a\nb"}
    return said(name, minutes, "PostToolUse", tool_name="Edit", tool_input=given, tool_response=patch, **more)


def run(name: str, minutes: float, command: str, error: str = "", **more: object) -> Event:
    answer = {"tool_response": {"stdout": "3 passed"}} if not error else {"error": error}
    hook = "PostToolUseFailure" if error else "PostToolUse"
    return said(name, minutes, hook, tool_name="Bash", tool_input={"command": command}, **answer, **more)


def read(name: str, minutes: float, path: str = "b.py") -> Event:
    given = {"file_path": f"{ROOT}/{path}", "offset": 1, "limit": 40}
    return said(name, minutes, "PostToolUse", tool_name="Read", tool_input=given, tool_response="text of it")


SESSION = [
    said("e1", 60, "UserPromptSubmit", prompt="Explain the login", prompt_id="t1"),
    read("e2", 59),
    said("e3", 58, "Stop", last_assistant_message="It asks the clock.", prompt_id="t1"),
    said("e4", 30, "UserPromptSubmit", prompt="Fix the login", prompt_id="t2"),
    run("e5", 29, "pytest -q", "exit code 1\n1 failed", prompt_id="t2"),
    edit("e6", 20, prompt_id="t2"),
    run("e7", 10, "ruff check", "exit code 1\nE501", prompt_id="t2"),
    run("e8", 5, "pytest -q", prompt_id="t2"),
]


def test_events_become_items_of_their_types() -> None:
    items = window_of(SESSION, NOW, words)

    assert [(each.id, each.type.value, each.task, each.dependencies) for each in items] == [
        ("e1", "user_message", "t1", ()),
        ("e2", "tool_result", "t1", ("e1",)),
        ("e3", "assistant_response", "t1", ()),
        ("e4", "user_message", "t2", ()),
        ("e5", "tool_result", "t2", ("e4",)),
        ("e6", "tool_result", "t2", ("e4",)),
        ("e7", "tool_result", "t2", ("e4",)),
        ("e8", "tool_result", "t2", ("e4",)),
        ("e4.state", "task_state", "t2", ()),
    ]
    edited, failed, state = items[5], items[4], items[-1]
    assert (edited.tool, edited.files) == ("Edit", (FileTouch("a.py", Operation.EDIT, (10, 20)),))
    assert edited.content == "Edit a.py\ndone\na.py:10-20 (+2 -1)"
    assert (failed.failed, failed.content) == (True, "Bash pytest -q\nfailed: exit code 1\n1 failed")
    assert state.content == "Active for 30 minutes: Fix the login"
    assert all(each.tokens == words(each.content) for each in items)


def test_a_turn_that_ended_is_not_in_work() -> None:
    ended = [*SESSION, said("e9", 1, "Stop", last_assistant_message="Done.", prompt_id="t2")]

    assert window_of(ended, NOW, words)[-1].type is WindowItemType.ASSISTANT_RESPONSE


def test_without_ids_of_tasks_a_result_is_of_the_prompt_before_it() -> None:
    events = [said("e1", 9, "UserPromptSubmit", prompt="Fix it"), run("e2", 8, "make")]

    _, result, state = window_of(events, NOW, words)

    assert (result.task, result.dependencies, state.task) == ("e1", ("e1",), "e1")


def test_the_end_of_a_helper_is_a_response_and_ends_no_turn() -> None:
    helper = said("e9", 1, "SubagentStop", last_assistant_message="Found it.", prompt_id="t2", agent_id="a1")

    *_, response, state = window_of([*SESSION, helper], NOW, words)

    assert (response.type, response.content) == (WindowItemType.ASSISTANT_RESPONSE, "Found it.")
    assert state.type is WindowItemType.TASK_STATE


def test_the_order_of_the_events_does_not_matter() -> None:
    assert window_of(SESSION[::-1], NOW, words) == window_of(SESSION, NOW, words)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["path", "lines", "start"]), inner),
    max_leaves=6,
)
KEYS = ["kind", "id", "time", "task", "description", "outcome", "files", "success", "error.message"]
KEYS += ["gen_ai.tool.name", "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"]


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(SESSION), st.dictionaries(st.sampled_from(KEYS), JSON))
def test_a_damaged_event_costs_no_other_one(event: Event, damage: dict[str, object]) -> None:
    broken = {**event, "id": "e99", "kind": "tool_execution"} | damage
    others = [each["id"] for each in SESSION]

    items = window_of([*SESSION, broken], NOW, words)

    assert [each.id for each in items if each.id in others] == others


BRIEF = """\
Not finished yet:
- Active for 30 minutes: Fix the login
Prompts of the user, newest first:
- 30 minutes ago: "Fix the login"
- 60 minutes ago: "Explain the login"
Files edited, newest first:
- a.py, lines 10-20
Failed, and not passed since:
- Bash ruff check (10 minutes ago): exit code 1 E501
Files read, newest first:
- b.py, lines 1-40
What was answered, newest first:
- 58 minutes ago: "It asks the clock."
2 of 9 items of the session are left out."""


def test_what_matters_most_is_told_first() -> None:
    assert brief_of(window_of(SESSION, NOW, words), 1000, NOW, words, open_failures(SESSION)) == BRIEF


def test_with_less_room_what_matters_least_is_left_out() -> None:
    items = window_of(SESSION, NOW, words)

    short = brief_of(items, 45, NOW, words)

    assert short.startswith("Not finished yet:\n- Active for 30 minutes: Fix the login\nPrompts of the user")
    assert "Files read" not in short
    assert short.endswith(" of 9 items of the session are left out.")


def test_an_error_that_came_again_is_told_once() -> None:
    events = [SESSION[3], *(run(f"f{number}", 9 - number, "make", "exit code 2") for number in range(3))]

    brief = brief_of(window_of(events, NOW, words), 1000, NOW, words, open_failures(events))

    assert "- Bash make (7 minutes ago, 3 times): exit code 2\n" in f"{brief}\n"


def test_a_file_that_was_read_and_edited_is_told_as_edited_with_all_its_lines() -> None:
    events = [SESSION[3], read("r1", 9, "a.py"), edit("r2", 8), edit("r3", 7)]

    brief = brief_of(window_of(events, NOW, words), 1000, NOW, words)

    assert "- a.py, lines 10-20" in brief
    assert "Files read" not in brief


@settings(deadline=None, max_examples=200)
@given(drawn_items(), st.integers(-1, 600))
def test_a_brief_is_never_above_its_budget_and_counts_what_it_leaves_out(
    items: tuple[WindowItem, ...], budget: int
) -> None:
    """A character counts one here, so that nothing is left to luck between the parts and the whole."""
    brief = brief_of(items, budget, NOW, len)

    assert len(brief) <= max(budget, 0)
    if brief and brief != brief_of(items, 100_000, NOW, len):
        assert brief.splitlines()[-1].endswith("of the session are left out.")


def test_nothing_is_told_of_nothing_or_with_no_room() -> None:
    assert brief_of((), 1000, NOW, words) == ""
    assert brief_of(window_of(SESSION, NOW, words), 3, NOW, words) == ""


def test_the_history_as_it_is_read_from_disk_makes_the_same_window() -> None:
    lines = [json.loads(json.dumps(each)) for each in SESSION]

    assert window_of(lines, NOW, words) == window_of(SESSION, NOW, words)


def test_the_summary_of_a_compaction_is_no_answer_of_the_agent() -> None:
    """Claude Code lets a helper write it, whose end is reported and whose start is not."""
    compacting = [
        said("e7a", 9, "PreCompact", trigger="auto"),
        said("e7b", 8, "SubagentStop", last_assistant_message="<summary>All of it.</summary>", agent_id="a9"),
    ]
    helper = [
        said("e9a", 4, "SubagentStart", agent_id="a1", agent_type="Explore"),
        said("e9b", 3, "PreCompact", trigger="auto"),
        said("e9c", 2, "SubagentStop", last_assistant_message="Found it.", agent_id="a1"),
    ]

    items = window_of([*SESSION, *compacting, *helper], NOW, words)

    answers = [each.content for each in items if each.type is WindowItemType.ASSISTANT_RESPONSE]
    assert answers == ["It asks the clock.", "Found it."]
