"""What the prompts of a real project's history had answered, by the code that they would bring with them."""

from pathlib import Path

import pytest

from tests.cli.process import git, vfcc
from tests.trees import write_memory, write_tree
from verifflowcc.base.model.events import Json
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.saved_calls import UnansweredCount
from verifflowcc.history.use.history_reading import record
from verifflowcc.history.use.saving import calls_saved

pytestmark = pytest.mark.vfcc("REQ-CALLS-SAVED")

GAUGE = '''\
"""Gauges of water."""


def clamp_level(value: int) -> int:
    """Keep a water level below the limit."""
    return min(value, 400)
'''
PROMPT = "clamp_level in src/gauge.py must keep a water level above zero, too"


@pytest.fixture
def project(tmp_path: Path) -> Workspace:
    """A project with code and a document, in git, in which one session asked for something."""
    write_tree(
        tmp_path, {"src/gauge.py": GAUGE, "src/ships.py": "def berth():\n    return 7\n", "notes.md": "Water.\n"}
    )
    write_memory(tmp_path, {"config.yaml": "format: 1\n"})
    git(tmp_path, "init", "-q")
    workspace = Workspace(tmp_path)
    record(workspace, "prompt", [{"gen_ai.conversation.id": "one", "task": "a", "description": PROMPT}])
    return workspace


def called(workspace: Workspace, tool: str, *, session: str = "one", task: str = "a", **given: Json) -> None:
    record(
        workspace,
        "tool_execution",
        [
            {
                "gen_ai.conversation.id": session,
                "task": task,
                "gen_ai.tool.name": tool,
                "gen_ai.tool.call.arguments": given,
                "success": True,
            }
        ],
    )


def test_calls_are_held_against_the_code_that_their_prompt_brings(project: Workspace) -> None:
    called(project, "Grep", pattern="clamp_level")
    called(project, "Read", file_path=str(project.root / "src" / "gauge.py"), offset=4, limit=3)
    called(project, "Read", file_path=str(project.root / "notes.md"))
    called(project, "Bash", command="make")

    found = calls_saved(project)

    assert (found.sessions, found.prompts, found.calls) == (1, 1, 4)
    assert (found.kinds["search"].answered, found.kinds["read"].calls, found.kinds["read"].answered) == (1, 2, 1)
    assert (found.total.share, found.share_of_all_calls) == (666, 500)
    assert found.causes == (UnansweredCount("no_code", 1),)


def test_with_hardly_any_room_for_code_nothing_is_answered(project: Workspace) -> None:
    called(project, "Read", file_path=str(project.root / "src" / "gauge.py"), offset=4, limit=3)

    found = calls_saved(project, budget_tokens=1)

    assert (found.total.answered, found.budget_tokens) == (0, 1)


def test_one_session_is_asked_for_alone(project: Workspace) -> None:
    called(project, "Grep", pattern="clamp_level")
    record(project, "prompt", [{"gen_ai.conversation.id": "two", "task": "b", "description": "see the notes"}])
    called(project, "Read", session="two", task="b", file_path=str(project.root / "notes.md"))

    assert (calls_saved(project).total.calls, calls_saved(project).sessions) == (2, 2)
    assert calls_saved(project, "two").kinds["read"].answered == 0
    assert calls_saved(project, "two").calls == 1


def test_calls_that_follow_no_prompt_are_told_and_not_judged(project: Workspace) -> None:
    called(project, "Read", session="three", task="c", file_path=str(project.root / "notes.md"))

    assert (calls_saved(project).total.calls, calls_saved(project).not_judged) == (0, 1)


@pytest.mark.sweep
def test_the_command_says_the_same_in_words_and_as_data(project: Workspace) -> None:
    called(project, "Grep", pattern="clamp_level")
    called(project, "Read", file_path=str(project.root / "notes.md"))

    page, data = vfcc(project.root, "history", "saved"), vfcc(project.root, "history", "saved", "--json")

    assert (page.code, data.code) == (0, 0), page.err + data.err
    assert "50.0 % of all 2 calls of tools were answered before they were made" in page.out
    assert "of files that are no code" in page.out
    assert data.data["total"]["answered"] == 1


def test_the_command_says_so_where_nothing_was_recorded(project: Workspace) -> None:
    assert "no search, listing or read" in vfcc(project.root, "history", "saved").out
