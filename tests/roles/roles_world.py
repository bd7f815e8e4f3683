"""A project whose sprint an agent works in, below a client of that agent, and the person who keeps the rules.

The agent's commands are real: a shell below a program that is called `claude`, with the variables that client sets.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.cli.at_terminal import typed
from tests.cli.hooked import forked_hook, said
from tests.cli.process import PATIENCE_S, Ran, environment, git, vfcc
from tests.made_once import copied
from tests.trees import write_tree

ID = "log-in"
DETACHED = Path(__file__).with_name("detached.py")
EVENTS = f".memory/sprint/{ID}/events"
ARTIFACTS = f".memory/stage/{ID}/planning/artifacts"
MARKERS = {"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli"}
WORKFLOW = """\
name: own
title: The roles of light, with hard gates
gates: hard
stages:
  - id: planning
    title: Planning
    leg: left
    pair: testing
    role: planner
    artifacts: ["plan.*"]
    exit:
      - {id: reviewed, kind: review, title: somebody else approved the plan}
  - id: coding
    title: Coding
    leg: apex
    role: coder
    artifacts: ["changes.*"]
    exit:
      - {id: tests, kind: junit, title: the tests pass, command: test}
  - {id: testing, title: Testing, leg: right, pair: planning, role: tester, artifacts: ["results.*"]}
"""
CONFIG = """\
format: 1
workflow: own
gates:
  commands:
    test: {run: [sh, tests/run.sh, "{junit}"]}
"""
PASSED = '<testsuite name="s" tests="1"><testcase classname="tests.suite" name="test_add"/></testsuite>'
FAILED = PASSED.replace("/></testsuite>", '><failure message="3 is not 4"/></testcase></testsuite>')
CHANGE = """\
--- a/src/app.py
+++ b/src/app.py
@@ -1 +1,2 @@
 def add(a, b): return a + b
+def sub(a, b): return a - b
"""
TREE: Mapping[str, str] = {
    "README.md": "# Log in\n",
    "src/app.py": "def add(a, b): return a + b\n",
    "tests/suite.py": "def test_add(): ...\n",
    "tests/run.sh": 'cp tests/junit.xml "$1"\n',
    "tests/junit.xml": PASSED,
    "change.patch": CHANGE,
    ".memory/config.yaml": "format: 1\n",
}
TEXT = "# Plan\n\nA form that lets people in.\n"


def planning(folder: Path) -> Path:
    """A project in git whose sprint is in planning: an agent stored the plan, and all is committed."""
    return copied(folder, _planning)


def coding(folder: Path) -> Path:
    """The same project in coding: a person approved the plan, and an agent left planning."""
    return copied(folder, _coding)


def two_sprints(folder: Path) -> Path:
    """The project with one sprint in coding, and a second that a person started on the same branch, in planning."""
    return copied(folder, _two_sprints)


def without_tools(folder: Path) -> Path:
    """The project in planning, after a person committed it without the rules of any role."""
    return copied(folder, _without_tools)


def without_hooks(folder: Path) -> Path:
    """The project in planning, with no client set up to run hooks."""
    return copied(folder, _without_hooks)


def _planning(folder: Path) -> Path:
    return _prepared(folder, integrate=True)


def _without_hooks(folder: Path) -> Path:
    return _prepared(folder, integrate=False)


def _prepared(folder: Path, *, integrate: bool) -> Path:
    root = write_tree(folder / "project", TREE)
    git(folder, "init", "--quiet", "--bare", "remote.git")
    git(root, "init", "--quiet", "--initial-branch", "main")
    for name, value in {"user.name": "You", "user.email": "you@example.org"}.items():
        git(root, "config", name, value)
    commit(root)
    shutil.rmtree(root / ".memory")
    person(root, "init", "--yes", "--workflow", "light")
    write_tree(root, {".memory/config.yaml": CONFIG, ".memory/workflow.yaml": WORKFLOW})
    if integrate:
        person(root, "integrate", "--hooks", "claude")
    write_tree(root, {"README.md": "# Log in\n\nAnd out.\n"})
    commit(root)
    git(root, "remote", "add", "origin", "../remote.git")
    git(root, "push", "--quiet", "origin", "main")
    person(root, "allow", "--yes")
    person(root, "sprint", "start", "Log in")
    write_tree(root, {"draft.md": TEXT})
    agent(root, "stage", "put", "plan", "--file", "draft.md")
    (root / "draft.md").unlink()
    agent(root, "memory", "add", "fact", "--key", "adds", "--id", "adds", "It adds.")
    commit(root)
    return root


def _coding(folder: Path) -> Path:
    root = planning(folder)
    person(root, "approve", "--yes")
    agent(root, "stage", "advance")
    commit(root)
    return root


def _two_sprints(folder: Path) -> Path:
    root = coding(folder)
    person(root, "sprint", "start", "Log out")
    commit(root)
    return root


def _without_tools(folder: Path) -> Path:
    root = planning(folder)
    for path in root.glob(".memory/agent/*/tools.yaml"):
        path.unlink()
    commit(root)
    return root


def person(root: Path, *arguments: str) -> Ran:
    """Let the person at the terminal run a command that must succeed."""
    ran = typed(root, *arguments)
    assert ran.code == 0, ran
    return ran


def agent(root: Path, *arguments: str) -> Ran:
    """Let the agent run a command that must succeed, in a process that only the client's variables mark."""
    ran = vfcc(root, *arguments, env={**MARKERS, **git_settings(root)})
    assert ran.code == 0, ran
    return ran


def commit(root: Path) -> None:
    """Let the person commit everything."""
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "work")


def client(root: Path) -> Path:
    """A program that is called `claude` and runs a shell command, as the client does: a copied shell."""
    program = root.parent / "bin" / "claude"
    if not program.exists():
        program.parent.mkdir(exist_ok=True)
        shutil.copy(os.path.realpath("/bin/sh"), program)
    return program


def below_client(root: Path, command: str, **env: str) -> Ran:
    """Let the agent run a shell command: below its client, with the client's variables, and without a terminal."""
    done = subprocess.run(
        [client(root), "-c", 'sh -c "$1"; exit $?', "claude", command],
        cwd=root,
        env=environment(root.parent, **{**MARKERS, **git_settings(root), **env}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def git_settings(root: Path) -> dict[str, str]:
    """Variables by which git's settings of the machine are files beside the project, which an attempt may change.

    With `/dev/null` for them, as root, `git config --global` would put a plain file in the place of the device.
    """
    return {f"GIT_CONFIG_{which}": str(root.parent / f".git{which.lower()}") for which in ("GLOBAL", "SYSTEM")}


def started_by_person(root: Path, *command: str) -> str:
    """Let the person start a program at a terminal, outside of any client's processes; return what it prints."""
    done = subprocess.run(
        [sys.executable, DETACHED, *command],
        cwd=root,
        env=environment(root.parent),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return done.stdout + done.stderr


def before_tool(root: Path, tool: str, given: Mapping[str, object], agent_type: str = "", **env: str) -> str:
    """Return why the hook denies a call of a tool; empty where it denies nothing."""
    more = {"agent_id": "a1", "agent_type": agent_type} if agent_type else {}
    call = said("PreToolUse", tool_name=tool, tool_input=given, cwd=str(root), **more)
    done = forked_hook(root, call, env={**MARKERS, **git_settings(root), **env})
    assert (done.code, done.err) == (0, ""), done
    if not done.out:
        return ""
    answer = json.loads(done.out)["hookSpecificOutput"]
    return str(answer["permissionDecisionReason"]) if answer.get("permissionDecision") == "deny" else ""


def all_files(root: Path, *, local: bool = False) -> dict[str, bytes]:
    """Return path and content of all around a project that an agent could change: git's state and the remote, too.

    Objects of git are left out, since its refs and its index name them, and without `local` what vfcc keeps for this
    machine.
    """
    left_out = {root / ".git/objects", root / ".git/hooks", root.parent / "remote.git/objects"}
    left_out |= set() if local else {root / ".memory/local", root / ".git/vfcc"}
    found = {str(path): path.read_bytes() for path in map(Path, git_settings(root).values()) if path.exists()}
    for top in (root, root.parent / "remote.git"):
        for place, folders, names in os.walk(top):
            folders[:] = [name for name in folders if Path(place, name) not in left_out]
            found |= {os.path.relpath(f"{place}/{name}", root.parent): Path(place, name).read_bytes() for name in names}
    return found


def gate(root: Path) -> str:
    """Return all that the stage's gate prints, in the words of a machine without a person."""
    ran = vfcc(root, "check", "gate", "--sprint", ID)
    return " ".join((ran.out + ran.err).split())
