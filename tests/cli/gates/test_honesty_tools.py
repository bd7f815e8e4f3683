"""What an agent tries with its tools: the hook denies it, and says what, why and what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.honest_world import CHANGES, EVENTS, TOOLS, Row, project, refused, rows
from tests.cli.hooked import forked_hook, said

pytestmark = pytest.mark.vfcc("REQ-HOOK-TOOLS")
READS = "version: 2\ntools: [read, search, git-read, vfcc, mcp]\n"


def acting(folder: Path, table: str = READS) -> Path:
    """The project in `plan`, whose planner has this table."""
    return project(folder, files={".memory/agent/planner/tools.yaml": table, CHANGES: "# Changes\n\nNone yet.\n"})


def denied(anchor: str, root: Path, tool: str, given: dict[str, Any], **more: Any) -> Row:
    """Assert that the hook denies a call in the words of the row; return the row."""
    row = rows()[anchor]
    answered = forked_hook(root, said("PreToolUse", tool_name=tool, tool_input=given, cwd=str(root), **more))
    assert answered.code == 0
    output = json.loads(answered.out)["hookSpecificOutput"]
    assert output["permissionDecision"] == "deny"
    assert row.said_in(output["permissionDecisionReason"]), output
    return row


@pytest.mark.points(1)
@pytest.mark.parametrize("words", ["apply x", "reset --hard", "push --force", "diff --output=x", "stash pop"])
def test_git_that_writes(tmp_path: Path, words: str) -> None:
    denied("git-that-writes", acting(tmp_path), "Bash", {"command": f"git {words}"})


@pytest.mark.points(1)
@pytest.mark.parametrize("words", ["-c alias.x='!sh' x", "config core.hooksPath /tmp"])
def test_git_with_other_settings(tmp_path: Path, words: str) -> None:
    denied("git-with-other-settings", acting(tmp_path, TOOLS), "Bash", {"command": f"git {words}"})


@pytest.mark.points(1)
@pytest.mark.parametrize("words", ["allow --yes", "waive plan/tests", "stage skip", "approve --yes"])
def test_persons_act_by_an_agent(tmp_path: Path, words: str) -> None:
    denied("persons-act-by-an-agent", acting(tmp_path, TOOLS), "Bash", {"command": f"vfcc {words}"})


def test_edit_by_a_server(tmp_path: Path) -> None:
    root = acting(tmp_path)

    denied("edit-by-a-server", root, "mcp__fs__write_file", {"path": f"{root}/{EVENTS}/x.json"})


@pytest.mark.points(1)
@pytest.mark.parametrize("path", [".memory/config.yaml", ".memory/workflow.yaml", ".claude/settings.json"])
def test_rules_edited_while_coding(tmp_path: Path, path: str) -> None:
    root = acting(tmp_path, TOOLS)

    denied("rules-edited-while-coding", root, "Edit", {"file_path": f"{root}/{path}"})
    denied("rules-edited-while-coding", root, "Bash", {"command": f"sed -i s/deny/off/ {path}"})


def test_subagent_beyond_its_role(tmp_path: Path) -> None:
    root = acting(tmp_path, TOOLS)
    (root / ".memory/agent/reviewer").mkdir()
    (root / ".memory/agent/reviewer/tools.yaml").write_text(READS, encoding="utf-8")
    given = {"file_path": f"{root}/src/calc.py"}

    denied("subagent-beyond-its-role", root, "Edit", given, agent_id="a1", agent_type="reviewer")


def test_role_without_a_file(tmp_path: Path) -> None:
    root = acting(tmp_path)
    (root / ".memory/agent/planner/tools.yaml").unlink()

    refused("role-without-a-file", root)
    answered = forked_hook(
        root, said("PreToolUse", tool_name="Edit", tool_input={"file_path": "src/calc.py"}, cwd=str(root))
    )
    assert "there is no .memory/agent/planner/tools.yaml" in answered.out
