"""What a session's brief, its stop and its record are where several sprints are open."""

from pathlib import Path
from typing import Any

import pytest

from tests.history_world import hooked
from tests.ledger_samples import ANN, fill, started
from tests.trees import OWN, write_tree
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.use import brief as briefs
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.history.rules.encode import HookAnswer
from verifflowcc.history.use.history_reading import open_history

pytestmark = pytest.mark.vfcc("REQ-SEVERAL-SPRINTS")

SEVERAL = "several sprints are open: log-in, shop; choose one"


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Two sprints with hard gates, in a project without git, and briefs that have the time that they take."""
    monkeypatch.setattr(briefs, "PATIENCE_S", 60.0)
    monkeypatch.delenv("VFCC_SPRINT", raising=False)
    here = started(tmp_path)
    start_sprint(here, "Shop", workflow=OWN, actor=ANN)
    write_tree(tmp_path, {".memory/config.yaml": "format: 1\nhooks: {hold: true}\n"})
    return here


def answered(here: Workspace, event: str, **more: Any) -> HookAnswer:
    found = hooked(here.root, {"hook_event_name": event, "session_id": "s1", **more})
    assert found.faults == []
    return found.answer


def used(here: Workspace) -> str:
    return answered(here, "PostToolUse", tool_name="Bash", tool_input={"command": "ls"}).context


def test_a_session_is_briefed_again_once_a_sprint_is_chosen(two: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert SEVERAL in answered(two, "SessionStart", source="startup").context
    assert used(two) == ""

    monkeypatch.setenv("VFCC_SPRINT", "shop")

    assert "Sprint shop (by VFCC_SPRINT) “Shop” is in stage planning" in used(two)
    assert used(two) == ""


def test_a_session_of_one_sprint_is_briefed_again_when_a_second_is_started(two: Workspace) -> None:
    close_sprint(two, "shop", actor=ANN, unfinished_reason="x")
    assert "Sprint log-in “Log in” is in stage planning" in answered(two, "SessionStart", source="startup").context

    start_sprint(two, "Cart", workflow=OWN, actor=ANN)

    assert "several sprints are open: cart, log-in; choose one" in used(two)


def test_a_stop_is_held_for_the_gates_of_all_open_sprints_until_one_is_chosen(
    two: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = answered(two, "Stop")

    assert held.decision == "block"
    assert "The gate of planning (sprint log-in) is closed:" in held.reason
    assert "The gate of planning (sprint shop) is closed:" in held.reason
    assert "Next: vfcc stage put plan.md --sprint shop" in held.reason
    assert f"{SEVERAL}: start the client with VFCC_SPRINT=log-in. Held 1 of 3 times" in held.reason

    monkeypatch.setenv("VFCC_SPRINT", "shop")
    assert "log-in" not in answered(two, "Stop").reason
    fill(two, "shop")
    assert answered(two, "Stop").decision == ""


def test_what_is_recorded_before_a_choice_belongs_to_no_sprint(two: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    used(two)
    monkeypatch.setenv("VFCC_SPRINT", "shop")
    used(two)

    with open_history(two) as history:
        found = history.rows("SELECT sprint, stage FROM places ORDER BY id")
    assert [tuple(row) for row in found] == [(None, None), ("shop", "planning")]
