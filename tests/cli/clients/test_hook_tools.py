"""What agents may do with git, vfcc, tools of servers and the rules themselves, through the real hook."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.clients.test_hooks_at_once import LATE, NO_TIME
from tests.cli.hooked import faults, forked_hook, said
from tests.cli.process import by_person, environment, git, vfcc
from tests.made_once import copied

pytestmark = pytest.mark.vfcc("REQ-HOOK-TOOLS")
CONFIG = ".memory/config.yaml"


def begun(folder: Path) -> Path:
    """A project in `planning` of the workflow `light`, whose planner reads and writes its artifacts."""
    root = folder / "project"
    root.mkdir()
    git(root, "init", "-q")
    assert vfcc(root, "init").code == 0
    assert vfcc(root, "sprint", "start", "Log in").code == 0
    return root


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return copied(tmp_path, begun)


def answer(root: Path, tool: str, given: dict[str, Any], role: str = "", client: str = "claude", **more: Any) -> str:
    """Why a call is not made, `ask: …` where a person is asked, an empty text where it is made."""
    words = said("PreToolUse", tool_name=tool, tool_input=given, cwd=str(root), **more)
    done = forked_hook(root, words, client, env={"VFCC_AGENT": role} if role else None)
    assert (done.code, done.err) == (0, "")
    if not done.out.strip():
        return ""
    output = json.loads(done.out)["hookSpecificOutput"]
    asks = output.get("permissionDecision") == "ask"
    return f"{'ask: ' if asks else ''}{output.get('permissionDecisionReason', '')}"


def shell(root: Path, command: str, role: str = "", **more: Any) -> str:
    return answer(root, "Bash", {"command": command}, role, **more)


def test_a_role_that_reads_changes_nothing_by_git_or_vfcc(root: Path) -> None:
    for command in (
        "git log --oneline",
        "git status",
        "vfcc status",
        "vfcc stage put plan < a.md",
        "cat .memory/config.yaml",
    ):
        assert shell(root, command) == "", command
    for command in ("git push --force", "git reset --hard", "git apply x.patch", "git diff --output=x"):
        assert "lists no tool 'git-write'" in shell(root, command), command
    for command in ("vfcc allow", "vfcc waive x", "vfcc stage skip", "env -u CLAUDECODE script -qec 'vfcc approve' x"):
        assert shell(root, command), command


@pytest.mark.points(2)
@pytest.mark.parametrize("setting", ["deny", "ask", "off"])
def test_no_setting_opens_what_is_closed_to_every_agent(root: Path, setting: str) -> None:
    (root / CONFIG).write_text(f"format: 1\nhooks: {{tools: '{setting}'}}\n", encoding="utf-8")

    edited = answer(root, "Edit", {"file_path": f"{root}/src/a.py"})
    assert edited[:8] == {"deny": "the role", "ask": "ask: the", "off": ""}[setting]
    for tool, given in (
        ("Edit", {"file_path": f"{root}/{CONFIG}"}),
        ("Bash", {"command": "echo x > .claude/settings.json"}),
        ("Bash", {"command": "vfcc approve --yes"}),
        ("mcp__fs__write_file", {"path": f"{root}/.memory/sprint/log-in/events/x.json"}),
    ):
        why = answer(root, tool, given)
        assert why, (tool, given)
        assert not why.startswith("ask: "), why


def test_an_answer_that_comes_too_late_still_denies_what_is_closed(root: Path) -> None:
    given = {"file_path": f"{root}/{CONFIG}"}
    words = said("PreToolUse", tool_name="Write", tool_input=given, cwd=str(root))
    program = [sys.executable, "-c", NO_TIME, "hook", "claude"]
    done = subprocess.run(
        program,
        cwd=root,
        env=environment(root.parent),
        input=json.dumps(words).encode(),
        capture_output=True,
        check=True,
    )

    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert [each["error"] for each in faults(root)] == [LATE]


def test_a_link_leads_around_nothing(root: Path) -> None:
    (root / "notes").symlink_to(".memory")
    (root / "own.yaml").symlink_to(CONFIG)

    for path in (f"{root}/notes/config.yaml", "own.yaml", "notes/agent/planner/tools.yaml"):
        assert "only a person changes it" in answer(root, "Write", {"file_path": path}), path
        assert "only a person changes it" in shell(root, f"echo x > {path}"), path
        assert "only a person changes it" in answer(root, "mcp__fs__write_file", {"path": path}), path
    assert answer(root, "Write", {"file_path": "notes/stage/log-in/planning/artifacts/plan.md"}) != "", (
        "no own artifact"
    )


def test_the_rules_are_closed_without_a_sprint_too(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    assert vfcc(root, "init").code == 0

    assert "only a person changes it" in answer(root, "Write", {"file_path": f"{root}/{CONFIG}"})
    assert answer(root, "Write", {"file_path": f"{root}/src/a.py"}) == ""


def test_a_role_that_exists_nowhere_has_the_least(root: Path) -> None:
    for role in ("magician", "planner"):
        (root / ".memory/agent/planner/tools.yaml").unlink(missing_ok=True)

        missing = f"there is no .memory/agent/{role}/tools.yaml"
        assert missing in answer(root, "Edit", {"file_path": f"{root}/src/a.py"}, role)
        assert missing in shell(root, "make", role)
        assert missing in shell(root, "vfcc stage advance", role)
        assert missing in answer(root, "mcp__fs__read_file", {"path": "a"}, role)
        assert shell(root, "git log && vfcc status", role) == ""
        artifact = answer(root, "Write", {"file_path": f"{root}/.memory/stage/log-in/planning/artifacts/plan.md"}, role)
        assert bool(artifact) is (role == "magician"), "the artifacts belong to the stage's role"


def test_a_table_without_a_version_has_no_moves_and_no_changes_by_git(root: Path) -> None:
    (root / ".memory/agent/planner/tools.yaml").write_text("tools: [read, search, edit, run]\n", encoding="utf-8")

    assert answer(root, "Edit", {"file_path": f"{root}/src/a.py"}) == ""
    assert shell(root, "make && git log && vfcc evidence run") == ""
    assert "'git-write'" in shell(root, "git commit -m x")
    assert "lists no class 'move' of vfcc" in shell(root, "vfcc stage advance")


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_a_subagent_is_judged_by_its_own_role_too(root: Path, client: str) -> None:
    table = root / ".memory/agent/planner/tools.yaml"
    table.write_text("version: 2\ntools: [read, edit, run, git-write]\n", encoding="utf-8")
    given = {"file_path": f"{root}/src/a.py"}
    subagent = {"agent_id": "a1", "agent_type": "reviewer"}

    assert answer(root, "Edit", given, client=client) == ""
    assert "the subagent reviewer" in answer(root, "Edit", given, client=client, **subagent)
    other = {"agent_id": "a2", "agent_type": "general-purpose"}
    assert "may not be edited in stage planning" in answer(root, "Edit", given, client=client, **other)


def test_workflow_use_creates_what_its_roles_lack_and_doctor_asks_for_it(root: Path) -> None:
    assert vfcc(root, "doctor").out.count("each has its tools.yaml") == 1
    (root / ".memory/agent/tester/tools.yaml").unlink()
    own = root / ".memory/agent/tester/prompt.md"
    own.write_text("Our own words.\n", encoding="utf-8")

    red = vfcc(root, "doctor")
    assert red.code == 1
    assert (
        "missing, so that these roles may only read and write their stage's artifacts: .memory/agent/tester" in red.out
    )
    assert "vfcc workflow use light" in red.out
    done = by_person(root, "workflow", "use", "light")
    assert "created what its roles lacked (tester): 1 file under .memory/agent/" in done.out
    assert own.read_text(encoding="utf-8") == "Our own words.\n"
    assert "each has its tools.yaml" in vfcc(root, "doctor").out
    assert "created" not in by_person(root, "workflow", "use", "light").out


def test_a_sprint_of_another_workflow_gets_the_files_of_its_roles(root: Path) -> None:
    done = by_person(root, "sprint", "start", "Other", "--workflow", "standard")

    assert "created what its roles lacked (analyst, architect, integrator): 9 files" in done.out
    assert "rules" not in vfcc(root, "check", "gate", "--sprint", "other").out
    assert (root / ".memory/agent/analyst/tools.yaml").is_file()
