"""A project for an agent's client: a sprint in planning whose last stage asks for a test that fails."""

import json
import sys
from pathlib import Path

from tests.cli.process import CI, git, vfcc
from tests.made_once import copied

WORKFLOW = """\
name: short
title: Three stages
gates: soft
stages:
  - {id: planning, title: Planning, leg: left, pair: testing, role: planner, artifacts: ["plan.*"]}
  - {id: coding, title: Coding, leg: apex, role: coder}
  - id: testing
    title: Testing
    leg: right
    pair: planning
    role: tester
    exit:
      - {id: tests, kind: junit, title: the tests pass, command: test, mode: hard}
"""
SUITE = """\
import sys
from pathlib import Path

import total

verdict = "" if total.add(1, 2) == 3 else "<failure/>"
case = f'<testcase classname="suite" name="test_add">{verdict}</testcase>'
Path(sys.argv[1]).write_text(f'<testsuite name="suite">{case}</testsuite>')
print("a word on stdout that is no JSON")
sys.exit(1 if verdict else 0)
"""


def mcp_project(folder: Path, *clients: str) -> Path:
    """Return a copy of the project, in the folder, set up for these clients before its sprint began."""
    return copied(folder, _made, *clients)


def _made(folder: Path, *clients: str) -> Path:
    root = folder / "project"
    root.mkdir()
    assert vfcc(root, "init").code == 0
    (root / "suite.py").write_text(SUITE, encoding="utf-8")
    (root / "total.py").write_text("def add(a, b):\n    return a - b\n", encoding="utf-8")
    (root / ".memory/workflow.yaml").write_text(WORKFLOW, encoding="utf-8")
    command = json.dumps([sys.executable, "-B", "suite.py", "{junit}"])
    config = f"format: 2\nworkflow: short\ngates:\n  commands:\n    test:\n      run: {command}\n"
    (root / ".memory/config.yaml").write_text(config, encoding="utf-8")
    assert not clients or vfcc(root, "integrate", *clients).code == 0
    git(root, "init", "--quiet")
    git(root, "add", "-A")
    git(root, "commit", "--quiet", "-m", "Begin")
    assert vfcc(root, "sprint", "start", "Add it", "--goal", "Numbers add up", env=CI).code == 0
    assert vfcc(root, "allow", "--yes", env=CI).code == 0
    return root
