"""What a real client said to its hooks, as it was recorded, and a project in which hooks answer by themselves."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VFCC = str(Path(sys.executable).with_name("vfcc"))
SNAPSHOT = Path(".memory") / "local" / "hook.json"
NOTES = Path(".memory") / "local" / "notes.json"
HISTORY = Path(".memory") / "local" / "history"
ERRORS = Path(".memory") / "local" / "hook-errors.jsonl"
SESSION = "642dfb77-c032-40c5-a148-4751e33badec"
READ = "Read again"
ITEM = """\
---
id: cart-total
type: constraint
title: The total of a cart counts each item
refs:
  - path: src/cart.py
---
Prices are per piece.
"""
_PATIENCE_S, _SETTLED_S = 30, 2.2
_OLD = "    total = 0\n    for each in items:\n        total += each.price\n    return total\n"
_NEW = "    return sum(each.price * each.count for each in items)\n"
_OUTPUT = "....................................F                                    [100%]\n" * 40


def environment() -> dict[str, str]:
    """Return the environment of a hook: nothing says where the project is but the working folder."""
    kept = {name: value for name, value in os.environ.items() if name not in ("VFCC_AGENT", "CLAUDE_PROJECT_DIR")}
    return {**kept, "PYTHONDONTWRITEBYTECODE": ""}


def project(root: Path) -> Path:
    """Make a project whose snapshot for hooks is there: files that are younger than two seconds are not trusted yet."""
    (root / "src").mkdir(parents=True)
    (root / "src" / "cart.py").write_text(f"def total(items):\n{_OLD}", encoding="utf-8")
    for command in (["git", "init", "--quiet"], [VFCC, "init"]):
        subprocess.run(command, cwd=root, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    item = root / ".memory/project/items/constraint/cart-total.md"
    item.parent.mkdir(parents=True, exist_ok=True)
    item.write_text(ITEM, encoding="utf-8")
    until = time.monotonic() + _PATIENCE_S
    while not ((root / SNAPSHOT).exists() and (root / NOTES).exists()):
        if time.monotonic() > until:
            raise SystemExit(f"{root / SNAPSHOT} and {NOTES.name} are not there after {_PATIENCE_S} s")
        leave_notes(root)
    return root


def leave_notes(root: Path) -> None:
    """Let hooks write what they answer from, when its sources are old enough to be trusted."""
    time.sleep(_SETTLED_S)
    for event in ("SessionStart", "UserPromptSubmit"):
        say(root, words(root)[event] | {"session_id": "another"})


def say(root: Path, said: Mapping[str, Any]) -> None:
    """Say something to the hook in a project."""
    text = json.dumps(said).encode()
    command = [VFCC, "hook", "claude"]
    subprocess.run(command, cwd=root, env=environment(), input=text, stdout=subprocess.DEVNULL, check=True)


def words(root: Path) -> dict[str, dict[str, Any]]:
    """Return what Claude Code says to its hooks, by what is measured."""
    path = str(root / "src" / "cart.py")
    head = {"session_id": SESSION, "transcript_path": f"/home/you/.claude/projects/p/{SESSION}.jsonl", "cwd": str(root)}
    about = {**head, "prompt_id": "2fc0c715-bb87-44ea-b0b0-fd6c89d74b06", "permission_mode": "default"}
    edit = {
        "tool_name": "Edit",
        "tool_input": {"file_path": path, "old_string": _OLD, "new_string": _NEW, "replace_all": False},
        "tool_use_id": "toolu_000003",
    }
    lines = [f"-{line}" for line in _OLD.splitlines()] + [f"+{line}" for line in _NEW.splitlines()]
    hunk = {"oldStart": 1, "oldLines": 5, "newStart": 1, "newLines": 2, "lines": lines}
    edited = {
        "filePath": path,
        "oldString": _OLD,
        "newString": _NEW,
        "originalFile": f"def total(items):\n{_OLD}",
        "structuredPatch": [hunk],
        "userModified": False,
        "replaceAll": False,
    }
    bash = {
        "tool_name": "Bash",
        "tool_input": {"command": "python -m pytest -q tests/ 2>&1 | tail -40", "description": "Run the tests"},
        "tool_use_id": "toolu_000007",
    }
    ran = {"stdout": _OUTPUT, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
    asked = "The total of a cart ignores how many of each there are. Fix it, and add a test."
    stop = {"stop_hook_active": False, "last_assistant_message": "The total counts each item now.\n\nTests pass."}
    before, after = {"hook_event_name": "PreToolUse"}, {"hook_event_name": "PostToolUse"}
    return {
        "PostToolUse of Bash": {**about, **after, **bash, "tool_response": ran, "duration_ms": 2900},
        "PostToolUse of Edit": {**about, **after, **edit, "tool_response": edited, "duration_ms": 8},
        "PreToolUse of Bash": {**about, **before, **bash},
        "PreToolUse of Edit": {**about, **before, **edit},
        READ: {**about, **after, "tool_name": "Read", "tool_input": {"file_path": path}, "tool_response": {}},
        "UserPromptSubmit": {**about, "hook_event_name": "UserPromptSubmit", "prompt": asked},
        "Stop": {**about, "hook_event_name": "Stop", **stop},
        "SessionStart": {**head, "hook_event_name": "SessionStart", "source": "startup"},
    }
