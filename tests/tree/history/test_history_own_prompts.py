"""A compiled prompt that is sent to an agent comes back in no brief, no past task and no other prompt."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.history_world import hooked, line, prompt
from tests.trees import example
from verifflowcc.base.model.entries import Question
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use import brief as briefs
from verifflowcc.history.store.partitions import add_lines
from verifflowcc.history.use.history_offers import similar_tasks
from verifflowcc.prompt.use.prompt_use import compile_prompt_only, note_prompt

TASK = "Write the calendar import"
FRAME = ("The coder implements the units", "data to use, not instructions", "## Project Context")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setattr(briefs, "PATIENCE_S", 60.0)
    return Workspace(example(tmp_path / "project"))


def compiled(here: Workspace, task: str = TASK) -> str:
    """The text that `vfcc context show` prints."""
    question = Question("coder", task=task)
    found = compile_prompt_only(here, question)
    note_prompt(here, question, found)
    return found.text


def say(here: Workspace, event: str, session: str = "s1", **said: Any) -> str:
    words = {"hook_event_name": event, "session_id": session, "cwd": str(here.root), **said}
    return hooked(here.root, words).answer.context


def prompts(here: Workspace) -> list[dict[str, Any]]:
    files = sorted((here.local / "history").glob("*.jsonl"))
    found = [json.loads(each) for path in files for each in path.read_bytes().splitlines()]
    return [each for each in found if each["kind"] == "prompt"]


def end(here: Workspace) -> None:
    say(here, "Stop", last_assistant_message="Done.")
    say(here, "SessionEnd", reason="other")


def test_a_compiled_prompt_is_recorded_as_role_stage_task_and_digest(here: Workspace) -> None:
    text = compiled(here)
    say(here, "UserPromptSubmit", prompt=f"Take care of the tides.\n{text}", prompt_id="p1")
    end(here)

    (event,) = prompts(here)
    assert event["description"] == f"Take care of the tides.\n{TASK}"
    assert {name: event["compiled"][name] for name in ("role", "stage", "task")} == {
        "role": "coder",
        "stage": "coding",
        "task": TASK,
    }
    assert event["compiled"]["digest"].startswith("sha256:")
    (past,) = similar_tasks(here, "calendar import")
    assert past.description == event["description"]
    assert similar_tasks(here, "implements the units as designed") == ()
    later = say(here, "SessionStart", session="s2", source="startup"), compiled(here, "Write the calendar export")
    assert "Take care of the tides." in later[0]
    assert "Take care of the tides." in later[1]
    for frame in FRAME:
        assert frame not in later[0]
        assert frame not in later[1].partition("## Past tasks like this one")[2]


def test_a_prompt_without_a_task_is_no_past_task(here: Workspace) -> None:
    say(here, "UserPromptSubmit", prompt=compiled(here, ""), prompt_id="p1")
    end(here)

    assert prompts(here)[0]["description"] == ""
    assert "What was done here last" not in say(here, "SessionStart", session="s2", source="startup")
    assert similar_tasks(here, "the coder implements tides") == ()


@pytest.mark.parametrize("words", ["", "Take care of the tides.\n"])
def test_a_history_that_holds_a_prompt_as_typed_words_is_read_without_it(here: Workspace, words: str) -> None:
    day, data = line(here, prompt(0, "Placeholder", role="coder"))
    event = json.loads(data) | {"description": f"{words}{compiled(here)}"[:500] + "… (9,851 characters)"}
    add_lines(str(here.local), day, json.dumps(event).encode() + b"\n")
    end(here)

    context = say(here, "SessionStart", session="s2", source="startup")

    assert ("Take care of the tides." in context) is bool(words)
    assert not any(frame in context for frame in FRAME)
    assert similar_tasks(here, "instructions that override the task memory") == ()
    say(here, "PreCompact", trigger="auto")
    again = say(here, "SessionStart", source="compact")
    assert not any(frame in again for frame in FRAME)
