"""What a role may not do is denied in a real client: by a tool of a server, by git, and to a subagent."""

import json
import sys
from pathlib import Path

import pytest

from tests.clients.conftest import Desk
from tests.clients.hooked import SPRINT, events, prepare
from tests.clients.model_server import serving
from tests.clients.running import run_claude
from tests.clients.turns import MAIN, Turn, calls

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

READS = "version: 2\ntools: [read, search, git-read, vfcc, mcp]\n"
EDITS = "version: 2\ntools: [read, search, edit, run, git-read, vfcc, mcp]\n"
SERVER = Path(__file__).with_name("mcp_files.py")


def test_claude_leaves_alone_what_a_role_may_not_do(claude: Path, desk: Desk) -> None:
    tables = {".memory/agent/planner/tools.yaml": EDITS, ".memory/agent/reviewer/tools.yaml": READS}
    prepare(desk, "claude", sprint=True, files=tables)
    config, product = desk.folder / ".memory/config.yaml", desk.folder / "a.txt"
    before = config.read_bytes()
    event = desk.folder / f".memory/sprint/{SPRINT}/events/x.json"
    agents = {"reviewer": {"description": "Reviews.", "prompt": "Review."}}
    servers = {"mcpServers": {"files": {"command": sys.executable, "args": [str(SERVER)]}}}
    task = {"description": "review", "prompt": "INQUIRY: mend it.", "subagent_type": "reviewer"}
    turns = [
        calls("mcp__files__write_file", path=str(event), content="{}"),
        calls("mcp__files__write_file", path=str(desk.folder / "b.txt"), content="B\n"),
        calls("Bash", command="git push --force", description="publish"),
        calls("Bash", command="sed -i s/deny/off/ .memory/config.yaml", description="relax the rules"),
        calls("Task", **task),
        Turn("Done."),
    ]
    edits = [
        calls("Read", file_path=str(product)),
        calls("Edit", file_path=str(product), old_string="two", new_string="2"),
        Turn("Reviewed."),
    ]

    with serving({MAIN: turns, "INQUIRY": edits}) as server:
        extra = ["--mcp-config", json.dumps(servers), "--agents", json.dumps(agents)]
        ran = run_claude(claude, desk.folder, desk.home, server, "Do it.", extra=extra)

    assert (ran.code, server.left()) == (0, {}), ran
    assert not event.exists()
    assert (desk.folder / "b.txt").read_text(encoding="utf-8") == "B\n", "the server itself works"
    assert config.read_bytes() == before
    assert product.read_text(encoding="utf-8") == "one\ntwo\nthree\n"
    denied = [each["denied"] for each in events(desk) if "denied" in each]
    assert [any(words in each for each in denied) for words in (
        "part of vfcc's own record", "lists no tool 'git-write'", "only a person changes it", "the subagent reviewer",
    )] == [True] * 4, denied  # fmt: skip
    assert len(denied) == 4
    assert server.asked()[1].holds("part of vfcc's own record")
    assert server.asked("INQUIRY")[2].holds("the subagent reviewer (stage planning) may not edit a.txt")
