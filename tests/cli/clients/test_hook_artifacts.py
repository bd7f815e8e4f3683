"""In every client the role of a stage may write the stage's artifacts, and a denial says how to hand work over."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.hooked import forked_hook
from tests.cli.process import Ran, git, vfcc
from tests.made_once import copied

FIXTURES = Path(__file__).parents[2] / "fixtures" / "clients"
FOLDER = ".memory/stage/log-in/planning/artifacts"
PLAN = f"{FOLDER}/sprint-plan.md"
ADVICE = f"write {PLAN} or run: vfcc stage put sprint-plan.md (also needs.md, acceptance-plan.md, risks.md)"
Call = dict[str, Any]


def recorded(name: str, **changed: Any) -> Call:
    """A payload as a client sends it, with other words in it."""
    said: Call = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))["said"]
    return said | changed


def claude(path: str) -> Call:
    given = {"file_path": path, "content": "# Plan\n"}
    more = {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": given}
    return recorded("claude/PostToolUseFailure", **more)


def codex(path: str) -> Call:
    patch = f"*** Begin Patch\n*** Add File: {path}\n+# Plan\n*** End Patch"
    more = {"hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": {"command": patch}}
    return recorded("codex/PostToolUse", **more)


def gemini(path: str) -> Call:
    return recorded("gemini/BeforeTool", tool_name="write_file", tool_input={"file_path": path, "content": "# Plan\n"})


def gemini_edit(path: str) -> Call:
    return recorded("gemini/BeforeTool", tool_input={"file_path": path, "old_string": "a", "new_string": "b"})


def cursor(path: str) -> Call:
    return recorded("cursor/preToolUse", tool_name="Write", tool_input={"file_path": path, "contents": "# Plan\n"})


def copilot(path: str) -> Call:
    return recorded("copilot/preToolUse-editor", toolArgs={"command": "create", "path": path, "file_text": "# Plan\n"})


def copilot_text(path: str) -> Call:
    words = json.dumps({"path": path, "file_text": "# Plan\n"})
    return recorded("copilot/preToolUse", toolName="create", toolArgs=words)


def shell(client: str, command: str) -> Call:
    """A command in each client's words."""
    given = {"command": command}
    before: Mapping[str, Call] = {
        "claude": {"hook_event_name": "PreToolUse", "tool_input": given},
        "codex": {"hook_event_name": "PreToolUse", "tool_input": given},
        "gemini": {"tool_name": "run_shell_command", "tool_input": given},
        "cursor": {"tool_input": given},
        "copilot": {"toolArgs": json.dumps(given)},
    }
    return recorded(SHELLS[client], **before[client])


SHELLS = {
    "claude": "claude/PostToolUseFailure",
    "codex": "codex/PostToolUse",
    "gemini": "gemini/BeforeTool",
    "cursor": "cursor/preToolUse",
    "copilot": "copilot/preToolUse",
}
WRITES: list[tuple[str, Callable[[str], Call]]] = [
    *(("claude", claude), ("codex", codex), ("gemini", gemini), ("gemini", gemini_edit), ("cursor", cursor)),
    *(("copilot", copilot), ("copilot", copilot_text)),
]


def begun(folder: Path) -> Path:
    root = folder / "project"
    root.mkdir()
    git(root, "init", "-q")
    assert vfcc(root, "init", "--workflow", "standard").code == 0
    assert vfcc(root, "sprint", "start", "Log in").code == 0
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project in `planning` of the standard workflow, whose planner has no tool to edit with."""
    return copied(tmp_path, begun)


def asked(root: Path, client: str, call: Call) -> Ran:
    """What a client is answered before a call, in the project."""
    here = {"cwd": str(root), **({"workspace_roots": [str(root)]} if client == "cursor" else {})}
    event = ("preToolUse",) if client == "copilot" else ()
    return forked_hook(root, call | here, client, *event)


@pytest.mark.points(2)
@pytest.mark.vfcc("REQ-HOOK-TOOLS")
@pytest.mark.parametrize(("client", "call"), WRITES, ids=lambda each: getattr(each, "__name__", each))
def test_an_artifact_may_be_written_and_the_product_may_not(
    root: Path, client: str, call: Callable[[str], Call]
) -> None:
    for path in (PLAN, f"{root}/{PLAN}"):
        assert asked(root, client, call(path)) == Ran(0, "", "")
    for path in (f"{root}/src/form.py", f"{FOLDER}/../../design/artifacts/design.md"):
        done = asked(root, client, call(path))
        assert (done.code, done.err) == (0, "")
        assert "deny" in done.out
        assert ADVICE in done.out


@pytest.mark.points(2)
@pytest.mark.parametrize("client", SHELLS)
def test_the_command_may_be_run_where_no_other_may(root: Path, client: str) -> None:
    text = "vfcc stage put sprint-plan <<'EOF'\n# Plan\n\nIt uses `git`.\nEOF"

    assert asked(root, client, shell(client, text)) == Ran(0, "", "")
    denied = asked(root, client, shell(client, "make install")).out
    assert "deny" in denied
    assert ADVICE in denied


def test_another_role_than_the_stages_gets_no_artifacts_by_that(root: Path) -> None:
    call = claude(PLAN) | {"cwd": str(root)}
    done = forked_hook(root, call, "claude", env={"VFCC_AGENT": "reviewer"})

    assert "deny" in done.out
    assert "vfcc stage put" not in done.out


@pytest.mark.sweep
def test_a_session_begins_with_the_names_the_headings_and_both_ways(root: Path) -> None:
    call = recorded("claude/PostToolUseFailure", hook_event_name="SessionStart", source="startup", cwd=str(root))
    brief = json.loads(forked_hook(root, call, "claude").out)["hookSpecificOutput"]["additionalContext"]

    for name in ("sprint-plan", "needs", "acceptance-plan", "risks"):
        assert f"vfcc stage put {name}.md  # or write {FOLDER}/{name}.md\n" in brief
    assert 'headings "Goals", "Scope"' in brief
