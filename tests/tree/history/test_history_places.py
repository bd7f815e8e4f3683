"""Events that were recorded before their sprint was known have it wherever the history is read."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.history_world import NOON_MS, edit, hooked, project, prompt
from tests.tree.history.test_history_files import answers, forgotten
from tests.trees import example
from verifflowcc.base.text.quick_json import write
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.event_shape import line_of, moment
from verifflowcc.history.store.history_tables import task_rows
from verifflowcc.history.store.partitions import add_lines
from verifflowcc.history.use.history_offers import recent_actions
from verifflowcc.history.use.history_reading import add, open_history
from verifflowcc.history.use.history_sharing import share_session

UNPLACED = {"unplaced": True}


def tell(here: Workspace, said: Mapping[str, Any], place: Mapping[str, Any]) -> None:
    """Add an event of a place."""
    at = NOON_MS + round(said["at_s"] * 1000)
    words = {name: value for name, value in said.items() if name != "at_s"}
    line = line_of(words, "claude", str(here.root), at, os.urandom(10), place)
    assert line is not None
    add_lines(str(here.local), moment(at)[:10], line)


def tell_place(here: Workspace, at_s: int, since_s: int, stage: str) -> None:
    """Add what a hook with enough time finds out: which stage is active, and since when."""
    at, since = (moment(NOON_MS + each * 1000) for each in (at_s, since_s))
    where = {"role": f"{stage}-role", "sprint": "s", "stage": stage}
    line = write({"v": 1, "kind": "place", "id": f"place-{at_s}", "time": at, "since": since, **where})
    add(here, at[:10], line.encode() + b"\n")


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    """Four edits, of which one is placed and the last one cannot be; `b` was entered 25 seconds after noon."""
    made = project(tmp_path)
    tell(made, prompt(1, "Fix it"), UNPLACED)
    tell(made, edit(10, "one.py"), UNPLACED)
    tell(made, edit(20, "two.py"), {"role": "own", **UNPLACED})
    tell_place(made, 21, 0, "a")
    tell(made, edit(24, "lost.py"), UNPLACED)
    tell(made, edit(30, "three.py"), UNPLACED)
    tell_place(made, 40, 25, "b")
    tell(made, edit(50, "known.py"), {"role": "own", "sprint": "s", "stage": "c"})
    return made


def test_the_latest_actions_have_the_role_of_the_stage_that_was_active(here: Workspace) -> None:
    found = {each.subject: each.role for each in recent_actions(here)}

    assert found == {"one.py": "a-role", "two.py": "own", "lost.py": None, "three.py": "b-role", "known.py": "own"}
    assert {each.subject for each in recent_actions(here, "b-role")} == {"lost.py", "three.py"}
    with open_history(here) as history:
        assert [row.role for row in task_rows(history)] == ["a-role"]


def test_the_tables_say_the_same_when_they_are_made_anew(here: Workspace) -> None:
    before = answers(here)
    tell(here, edit(60, "four.py"), UNPLACED)
    assert answers(here) == forgotten(here) != before
    tell_place(here, 70, 25, "b")

    assert answers(here) == forgotten(here)


def test_sql_has_sprint_and_stage_of_each_call(here: Workspace) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    from verifflowcc.history.use.analysing import ask_sql

    found = ask_sql(here, "SELECT role, sprint, stage FROM tool_executions ORDER BY timestamp").rows

    assert [tuple(each.values()) for each in found] == [
        ("a-role", "s", "a"),
        ("own", "s", "a"),
        (None, None, None),
        ("b-role", "s", "b"),
        ("own", "s", "c"),
    ]


def test_what_is_shared_has_sprint_and_stage_of_each_event(here: Workspace) -> None:
    share_session(here, "s1")

    (path,) = (here.memory / "history").iterdir()
    events = [json.loads(each) for each in path.read_text("utf-8").splitlines()]
    assert [each.get("stage") for each in events] == ["a", "a", "a", None, "b", "c"]
    assert {each["kind"] for each in events} == {"prompt", "tool_execution"}


def test_a_denial_is_recorded_after_the_call_that_it_is_about(tmp_path: Path) -> None:
    here = Workspace(example(tmp_path / "project"))
    call = {"session_id": "s1", "tool_use_id": "c2", "cwd": str(here.root)}
    words = {"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": "src/x.py"}, **call}

    answer = hooked(here.root, words, role="planner").answer

    assert answer.decision == "deny"
    (path,) = (here.local / "history").iterdir()
    start, place, denial = (json.loads(each) for each in path.read_bytes().splitlines())
    assert (start["kind"], place["kind"], denial["kind"]) == ("tool_start", "place", "tool_denied")
    assert start["gen_ai.tool.call.id"] == denial["gen_ai.tool.call.id"] == "c2"
    assert "denied" not in start
    assert denial["denied"] == answer.reason
    assert (place["role"], place["sprint"], place["stage"]) == ("coder", "sprint-02", "coding")
    assert place["since"] <= start["time"] <= place["time"]
