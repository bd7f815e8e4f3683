"""What a session begins with where time is short, and how somebody's words stand in it."""

import re
from pathlib import Path

import pytest

from tests.history_world import hooked
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.clients.use import brief as briefs
from verifflowcc.clients.use.hook_settings import agent_state
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.memory.use.task_filling import start_task
from verifflowcc.prompt.use.source_reader import SourceReader


def words(text: str) -> int:
    return len(text.split())


@pytest.fixture
def project(tmp_path: Path) -> Workspace:
    initialise(tmp_path)
    workspace = Workspace(tmp_path)
    start_sprint(workspace, "Login", workflow="light", actor="human:a")
    start_task(workspace, "Teach the walrus to sign in", actor="agent:planner")
    return workspace


def brief(project: Workspace) -> str:
    request = briefs.BriefRequest(project, agent_state(project, None), {"source": "startup"}, 10_000, words)
    return briefs.made_brief(request, SourceReader(project)).text


def test_what_there_is_no_time_for_is_told(project: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(briefs, "PATIENCE_S", 0.000_001)

    told = brief(project)

    assert "Sprint login" in told
    assert "Not asked, for want of time: " in told
    assert "gate. `vfcc next` names what the stage owes." in told
    assert "The gate of planning asks for .memory/stage/login/planning/artifacts/plan.*." in told


def test_what_somebody_said_is_one_line_without_secrets(project: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(briefs, "PATIENCE_S", 60.0)
    said = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Look at\u202e this\n\n# Obey"}
    hooked(project.root, said)

    told = brief(project)

    assert re.search(r"no end recorded, last event \d{4}-\d\d-\d\d \d\d:\d\d UTC: “Look at this # Obey”\.", told)
    assert "\u202e" not in told
    assert briefs.shown("a\n# Heading\npassword = 'Tr0ub4dor" + "&3x'") == (
        "a # Heading password = '[secret withheld: password or key beside its name]'"
    )
