"""`vfcc mcp`, killed where a call puts files into place: sent again, it is done once, and nothing is lost."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.mcp_client import mcp
from tests.cli.mcp_world import mcp_project
from tests.cli.process import VFCC, environment

CALLS = {
    "put": {"name": "plan.md", "text": "Numbers add up.\n"},
    "remember": {"type": "fact", "text": "Numbers add up."},
    "advance": {"stage": "planning"},
}
MOST = 3
"""So many equal stretches lie between the points at which a call is killed."""
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "codex"}}


def traced(root: Path, log: Path, tool: str, *options: str) -> int:
    """Make one call under strace, and return the exit code."""
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": tool, "arguments": {**CALLS[tool], "request": "once"}},
        },
    ]
    command = ["strace", "-qq", "-o", str(log), "-e", "trace=rename,link", *options, sys.executable, str(VFCC), "mcp"]
    sent = "".join(f"{json.dumps(each)}\n" for each in messages)
    done = subprocess.run(
        command,
        cwd=root,
        env=environment(root.parent),
        input=sent.encode(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode


@pytest.mark.points(1)
@pytest.mark.parametrize("tool", CALLS)
def test_a_call_that_was_killed_is_done_once_when_it_is_sent_again(tmp_path: Path, tool: str) -> None:
    if shutil.which("strace") is None:
        pytest.skip("there is no strace")
    root = ready(tmp_path / "whole", tool)
    log = tmp_path / "log"
    if traced(root, log, tool) != 0:
        pytest.skip("strace cannot trace here")
    made = re.findall(r"^(rename|link)\(", log.read_text(encoding="utf-8"), re.MULTILINE)
    wanted = done_by(root)

    points = [(name, made[: at + 1].count(name)) for at, name in enumerate(made)]
    ended = 0
    for name, number in sorted({points[at * (len(points) - 1) // MOST] for at in range(MOST + 1)}):
        root = ready(tmp_path / f"{name}-{number}", tool)
        killed = traced(root, log, tool, "-e", f"inject={name}:signal=KILL:when={number}")
        ended += killed != 0  # on a slow machine a call writes a snapshot behind all else, and the next one may not
        with mcp(root, name="codex") as client:
            assert not client.call(tool, **CALLS[tool], request="once").refused
        assert done_by(root) == wanted
    assert ended >= 2, "nothing was killed"


def ready(folder: Path, tool: str) -> Path:
    """Return a project in which the call succeeds."""
    folder.mkdir()
    root = mcp_project(folder)
    if tool == "advance":
        with mcp(root, name="codex") as client:
            client.call("put", **CALLS["put"])
    return root


def done_by(root: Path) -> tuple[list[str], list[str], int]:
    """Return the kinds of events, the artifacts, and the number of remembered items."""
    events = sorted((root / ".memory/sprint/add-it/events").glob("*.json"))
    artifacts = sorted(path.read_text(encoding="utf-8") for path in root.glob(".memory/stage/*/*/artifacts/*"))
    kinds = [json.loads(path.read_bytes())["type"] for path in events]
    return kinds, artifacts, len(list(root.glob(".memory/project/items/fact/*.md")))
