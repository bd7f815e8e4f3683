"""A coder, a tester and a reviewer work on one sprint, each in a worktree; plain git brings their work together."""

import json
from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.hooked import forked_hook, said
from tests.cli.process import vfcc
from tests.trees import commit, git, write_tree

pytestmark = pytest.mark.vfcc("REQ-SEVERAL-SPRINTS", "REQ-FORKS")

ROLES = ("coder", "tester", "reviewer")
CHECK = """
gates:
  commands:
    test: {run: [python, check.py, "{junit}"], inputs: [check.py]}
"""
SCRIPT = """\
import sys
from pathlib import Path

report = Path(sys.argv[1])
report.parent.mkdir(parents=True, exist_ok=True)
report.write_text('<testsuite tests="1"><testcase classname="t" name="adds"/></testsuite>')
"""
PLAN = "# Plan\n\nPeople log in with a session.\n"


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A project with an open sprint, whose commands a person allowed, and a worktree for each role."""
    root = tmp_path / "main"
    root.mkdir()
    git(root, "init", "--quiet", "-b", "main")
    assert vfcc(root, "init").code == 0
    write_tree(root, {"check.py": SCRIPT, "src/login.py": "def login():\n    return True\n"})
    write_tree(root, {".memory/config.yaml": f"format: 1\n{CHECK}"})
    assert vfcc(root, "sprint", "start", "Log in", "--workflow", "light").code == 0
    assert typed(root, "allow", keys="y\n").code == 0
    commit(root, "begin")
    for role in ROLES:
        git(root, "worktree", "add", "--quiet", "-b", role, f"../{role}")
    return root


def work(tree: Path, role: str) -> None:
    """What an agent of a role does in its worktree, up to its commit: all but the last line are the same for each."""
    as_role = {"env": {"VFCC_AGENT": role}}
    words = said("UserPromptSubmit", session_id=role, prompt_id=role, prompt=f"log in, as the {role}")
    assert forked_hook(tree, words, **as_role).code == 0
    edit = {"tool_name": "Write", "tool_input": {"file_path": f"{tree}/src/{role}.py", "content": "x = 1\n"}}
    assert forked_hook(tree, said("PostToolUse", session_id=role, prompt_id=role, **edit), **as_role).code == 0
    write_tree(tree, {".memory/stage/log-in/planning/artifacts/plan.md": PLAN, f"src/{role}.py": "x = 1\n"})
    assert vfcc(tree, "memory", "add", "decision", "Sessions, since tokens leak.").code == 0
    ran = vfcc(tree, "evidence", "run", "tests")
    assert ran.code == 0, ran
    moved = vfcc(tree, "stage", "advance")
    assert moved.code == 0, moved
    commit(tree, role)


def brief(tree: Path, role: str) -> str:
    done = forked_hook(tree, said("SessionStart", session_id="later", source="startup"), env={"VFCC_AGENT": role})
    context = json.loads(done.out)["hookSpecificOutput"]["additionalContext"]
    assert isinstance(context, str)
    return context


def test_three_worktrees_of_one_sprint_are_merged_by_plain_git(main: Path) -> None:
    trees = {role: main.parent / role for role in ROLES}
    for role, tree in trees.items():
        work(tree, role)
    for role in ROLES:
        git(main, "merge", "--quiet", "--no-edit", role)

    assert git(main, "status", "--porcelain") == "", "no conflict, and nothing generated is left over"
    state = vfcc(main, "sprint", "show", "--json", "--full").data
    assert (state["status"], state["current"], state["fork"], state["problems"]) == ("open", "design", None, [])
    assert vfcc(main, "doctor").code == 0

    gate = vfcc(main, "check", "gate", "testing").out
    assert "pass     tests: 1 test passed\n" in gate
    assert "3 pieces of evidence from branches apart; all of them must pass" in gate
    found = vfcc(main, "check", "memory").out
    assert found.count(" duplicate-item: ") == 2
    assert found.count("→ vfcc memory reject ") == 2

    for role, tree in trees.items():
        text = brief(tree, role)
        for other in ROLES:
            assert f"“log in, as the {other}”. Edited: src/{other}.py" in text
            assert (f"in worktree {other}: “log in, as the {other}”" in text) == (other != role)


def test_a_merged_worktree_that_is_removed_leaves_its_history_and_its_permission(main: Path) -> None:
    coder = main.parent / "coder"
    work(coder, "coder")
    git(main, "merge", "--quiet", "--no-edit", "coder")
    git(main, "worktree", "remove", "--force", "../coder")

    assert "in worktree coder: “log in, as the coder”" in brief(main, "reviewer")
    assert vfcc(main, "allow", "--check").code == 0


def test_generated_files_that_an_older_version_committed_are_reported_and_the_command_ends_the_conflicts(
    main: Path,
) -> None:
    generated = {f".memory/stage/log-in/planning/{name}": "old\n" for name in ("summary.md", "metrics.json")}
    write_tree(main, generated)
    git(main, "add", "--force", *generated)
    commit(main, "as before")

    found = vfcc(main, "doctor")
    assert found.code == 0
    steps = [line.strip() for line in found.out.splitlines() if "git rm --cached" in line]
    assert len(steps) == len(generated), found.out
    for step in steps:
        git(main, *(word.strip("'") for word in step.split()[1:]))
    commit(main, "generated files are not committed")

    assert "is generated and committed" not in vfcc(main, "doctor").out
    assert all((main / path).exists() for path in generated)
    assert git(main, "ls-files", *generated) == ""
