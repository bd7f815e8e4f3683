"""A project with the shipped workflow `light`, and a model that does what the last line of each answer names."""

import json
import re
import sys
from pathlib import Path

from tests.cli.process import CI, git, vfcc
from tests.made_once import copied

TITLE, GOAL = "Numbers add up", "two() returns 2"
CODE = "def two():\n    return 3\n\n\ndef one():\n    return 1\n"
TEST = "from numbers_ import one, two  # noqa: F401\n\n\ndef test_one():\n    assert one() == 1\n"
FIX = "sed -i 's/return 3/return 2/' numbers_.py"
NEW_TEST = "printf '\\n\\ndef test_two():\\n    assert two() == 2\\n' >> tests/test_numbers.py"
WORK = f"{FIX} && {NEW_TEST}"
"""The change of the sprint: the fault is mended, and a test is red without that."""
_STEP = re.compile(r'(?P<tool>put|advance|check|next)\((?:\w+="(?P<value>[^"]*)")?[^)]*\)')


def light_project(folder: Path, *clients: str) -> Path:
    """Return a copy of the project, set up for these clients; no sprint is open."""
    return copied(folder, _made, *clients)


def _made(folder: Path, *clients: str) -> Path:
    root = folder / "project"
    (root / "tests").mkdir(parents=True)
    assert vfcc(root, "init").code == 0
    command = json.dumps([sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={junit}"])
    inputs = 'inputs: ["*.py", "tests/**"]'
    config = f"format: 2\nworkflow: light\ngates:\n  commands:\n    test:\n      run: {command}\n      {inputs}\n"
    (root / ".memory/config.yaml").write_text(config, encoding="utf-8")
    (root / "numbers_.py").write_text(CODE, encoding="utf-8")
    (root / "tests/test_numbers.py").write_text(TEST, encoding="utf-8")
    (root / "pytest.ini").write_text("[pytest]\npythonpath = .\n", encoding="utf-8")
    assert not clients or vfcc(root, "integrate", *clients).code == 0
    git(root, "init", "--quiet")
    git(root, "add", "-A")
    git(root, "commit", "--quiet", "-m", "Begin")
    assert vfcc(root, "allow", "--yes", env=CI).code == 0
    return root


def step_call(step: str) -> tuple[str, dict[str, str]] | None:
    """Return the tool that a step names, with its arguments; None where it names no tool."""
    found = _STEP.fullmatch(step)
    if found is None:
        return None
    tool, value = found["tool"], found["value"]
    match tool:
        case "put":
            return tool, {"name": value, "text": f"# {value}\n\nTwo is two, and a test shows it.\n"}
        case "advance":
            return tool, {"stage": value}
        case "check" if value:
            return tool, {"criterion": value}
    return tool, {}
