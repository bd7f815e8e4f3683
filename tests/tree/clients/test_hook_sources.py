"""A source that fails is left out of a brief or a hook's answer with a line, and the event is recorded."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.history_world import hooked
from tests.prompt_world import item, person
from tests.source_world import (
    TASK,
    break_git_index,
    break_project_database,
    break_task_record,
    break_user_database,
    configure,
    plant,
    project_of_sources,
)
from tests.trees import environment, write_tree
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use import brief
from verifflowcc.clients.use import hook_answering as answering
from verifflowcc.clients.use import hook_notes as known
from verifflowcc.clients.use import hook_notes as notes
from verifflowcc.history.rules.event_shape import DENIED, PLACED
from verifflowcc.history.use.history_reading import own_partitions


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return person(tmp_path, monkeypatch)


@pytest.fixture
def here(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    return project_of_sources(tmp_path / "project", home)


def hook(here: Workspace, event: str, **said: object) -> dict[str, object]:
    """What a client says at one of its hooks."""
    of_event: dict[str, dict[str, object]] = {
        "SessionStart": {"source": "compact"},
        "UserPromptSubmit": {"prompt": TASK},
        "PreToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "shop/invoice.py"}, "tool_use_id": "t"},
        "PostToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "shop/invoice.py"}, "tool_use_id": "t"},
    }
    more = of_event.get(event, {})
    return {"hook_event_name": event, "session_id": "s", "cwd": str(here.root), **more, **said}


def recorded(here: Workspace) -> int:
    """How many events are in the history; the lines for its place and for a denial are none."""
    lines = [line for path in own_partitions(here) for line in path.read_bytes().splitlines()]
    return sum(json.loads(line)["kind"] not in (PLACED, DENIED) for line in lines)


def switch_on(here: Workspace) -> None:
    """Let every hook have something to do."""
    configure(here, recall="true", hold="true", tools='"off"')


@pytest.mark.points(2)
@pytest.mark.parametrize("name", sorted(brief.PARTS))
def test_a_part_of_a_brief_that_fails_costs_one_line_and_no_other_part(
    here: Workspace, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(brief, "PATIENCE_S", 60.0)
    plant(monkeypatch, brief.PARTS, name, KeyError("services/billing/"))

    answered = hooked(here.root, hook(here, "SessionStart", source="startup"))

    lines = str(answered.answer.context).splitlines()
    assert "Sprint totals " in lines[1]
    assert lines[2].startswith(f"{name} left out: unexpected KeyError in prompt/use/source_reader.py:")
    headings = {"tasks": "Open tasks:", "gate": "The stage design owes", "done": "Done here last:"}
    shown = {part for part, heading in headings.items() if any(line.startswith(heading) for line in lines)}
    assert shown == set(headings) - {name}
    assert answered.faults == [lines[2]]


@pytest.mark.parametrize("name", sorted(known.PARTS))
def test_what_is_known_of_a_file_is_told_without_the_part_that_fails(
    here: Workspace, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    switch_on(here)
    item(here.root / ".memory/project/items", "constraint", "cents", "In cents.", refs="[{path: shop/invoice.py}]")
    write_tree(here.root, {"shop/invoice.py": "# vfcc: implements REQ-TOTAL\n"})
    plant(monkeypatch, known.PARTS, name, KeyError("x"))

    answered = hooked(here.root, hook(here, "PreToolUse", session_id="other"))

    lines = str(answered.answer.context).splitlines()
    assert lines[1].startswith(f"{name} left out: unexpected KeyError in ")
    assert "Known of shop/invoice.py:" in lines
    assert answered.answer.decision in (None, "")


def test_memory_that_cannot_be_searched_is_a_line_at_each_prompt(
    here: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        raise KeyError("x")

    switch_on(here)
    monkeypatch.setattr(notes, "list_items", broken)

    answered = hooked(here.root, hook(here, "UserPromptSubmit"))

    assert "memory left out: unexpected KeyError in " in str(answered.answer.context)


@pytest.mark.points(2)
@pytest.mark.parametrize("event", sorted(answering.ANSWERS))
def test_a_hook_that_cannot_be_answered_is_recorded_all_the_same(
    here: Workspace, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    before = recorded(here)
    plant(monkeypatch, answering.ANSWERS, event, KeyError("x"))

    answered = hooked(here.root, hook(here, event))

    assert recorded(here) == before + 1
    assert answered.faults[0].startswith("hook answer left out: unexpected KeyError in ")


EVENTS = sorted({*answering.ANSWERS, "PostToolUse"})


@pytest.mark.points(8)
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("damage", [break_task_record, break_git_index, break_user_database, break_project_database])
def test_a_damaged_source_loses_no_event_and_takes_nothing_else_from_an_answer(
    here: Workspace,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    event: str,
    damage: Callable[[Workspace, Path], None],
) -> None:
    monkeypatch.setattr(brief, "PATIENCE_S", 60.0)
    switch_on(here)
    damage(here, home)
    before = recorded(here)

    context = str(hooked(here.root, hook(here, event)).answer.context)

    assert recorded(here) > before
    if event == "SessionStart":
        assert "Sprint totals " in context
        assert ("tasks, memory left out: " in context) == (damage is break_task_record)
        assert ("gate left out: " in context) == (damage is break_git_index)
        assert ("The stage design owes" in context) == (damage is not break_git_index)
    elif damage in (break_task_record, break_project_database) and event == "UserPromptSubmit":
        assert "memory left out: " in context


@pytest.mark.sweep
@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_ends_with_0_and_prints_no_error_when_a_source_is_damaged(
    here: Workspace, home: Path, tmp_path: Path, event: str
) -> None:
    switch_on(here)
    break_task_record(here, home)
    places = {key: str(tmp_path / key.lower()) for key in ("XDG_DATA_HOME", "XDG_CONFIG_HOME")}

    done = subprocess.run(
        [sys.executable, "-m", "verifflowcc", "hook", "claude"],
        input=json.dumps(hook(here, event)).encode(),
        cwd=here.root,
        env=environment(here.root, **places),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
