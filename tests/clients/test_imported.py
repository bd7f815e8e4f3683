"""What real clients wrote down of their sessions is read in: each call, all tokens, and nothing twice."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.clients.conftest import Desk
from tests.clients.hooked import events, prepare, take_out, vfcc
from tests.clients.model_server import serving
from tests.clients.running import run_claude, run_codex
from tests.clients.turns import MAIN, Call, Say, Turn, Usage, calls

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n three\n*** End Patch\n"
TASK = {"description": "look", "prompt": "INQUIRY: read it.", "subagent_type": "general-purpose"}


def tools(desk: Desk) -> Counter[str]:
    """Return the calls of tools that are in the history, by tool."""
    return Counter(each["gen_ai.tool.name"] for each in events(desk) if each["kind"] == "tool_execution")


def imported(desk: Desk) -> dict[str, Any]:
    """Import what the clients left in the home."""
    found: dict[str, Any] = json.loads(vfcc(desk, "history", "import", "--json", "--full"))["data"]
    return found


@pytest.mark.parametrize("hooked", [False, True], ids=["without hooks", "beside hooks"])
def test_a_session_of_claude_is_there_whole_with_its_tokens_and_its_subagent(
    claude: Path, desk: Desk, hooked: bool
) -> None:
    prepare(desk, "claude")
    if not hooked:
        take_out(desk, "claude")
    file = str(desk.folder / "a.txt")
    script: dict[str, list[Say]] = {
        MAIN: [
            calls("Read", file_path=file),
            calls("Edit", file_path=file, old_string="two", new_string="TWO"),
            calls("Bash", command="echo half; exit 3", description="fail"),
            calls("Agent", **TASK, run_in_background=False),
            Turn("All done.", usage=Usage(input=7, output=5, cache_read=3, cache_write=2)),
        ],
        "INQUIRY": [calls("Read", file_path=file), Turn("Three lines.")],
    }
    with serving(script) as server:
        ran = run_claude(claude, desk.folder, desk.home, server, "Do it.")
    assert (ran.code, server.left()) == (0, {}), ran

    done = imported(desk)

    assert tools(desk) == {"Read": 2, "Edit": 1, "Bash": 1, "Agent": 1}
    total = next(iter(ran.of_type("result")[-1]["modelUsage"].values()))
    assert done["tokens"] == {
        "input": total["inputTokens"],
        "output": total["outputTokens"],
        "cache_read": total["cacheReadInputTokens"],
        "cache_creation": total["cacheCreationInputTokens"],
    }
    assert done["calls"] == 5
    failed = [each for each in events(desk) if each.get("success") is False]
    assert [each["error.message"] for each in failed] == ["Exit code 3\nhalf"]
    before = events(desk)
    assert imported(desk)["new"] == 0
    assert events(desk) == before


@pytest.mark.parametrize("hooked", [False, True], ids=["without hooks", "beside hooks"])
def test_a_session_of_codex_is_there_whole_with_its_tokens(codex: Path, desk: Desk, hooked: bool) -> None:
    prepare(desk, "codex")
    if not hooked:
        take_out(desk, "codex")
    script = {
        MAIN: [
            calls("exec_command", cmd="cat a.txt"),
            Turn(calls=(Call("apply_patch", PATCH),)),
            calls("exec_command", cmd="echo half; exit 3"),
            Turn("All done.", usage=Usage(input=7, output=5, cache_read=3)),
        ]
    }
    with serving(script) as server:
        ran = run_codex(codex, desk.folder, desk.home, server, "Do it.")
    assert (ran.code, server.left()) == (0, {}), ran

    done = imported(desk)

    assert tools(desk) == {"Bash": 2, "apply_patch": 1}
    usage = ran.of_type("turn.completed")[0]["usage"]
    assert done["tokens"]["input"] + done["tokens"]["cache_read"] == usage["input_tokens"]
    assert done["tokens"]["cache_read"] == usage["cached_input_tokens"]
    assert done["tokens"]["output"] == usage["output_tokens"]
    outcomes = [each["success"] for each in events(desk) if each["kind"] == "tool_execution"]
    assert outcomes == [True, True, False]
    before = events(desk)
    assert imported(desk)["new"] == 0
    assert events(desk) == before
