"""A client that finds hooks in a plugin and in the project runs both: an event is recorded once, and answered once."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.hooked import events
from tests.cli.process import PATIENCE_S, VFCC, environment

ENDINGS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "Do it."},
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"},
    "PostToolUse": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {}, "tool_use_id": "t1"},
    "Stop": {"last_assistant_message": "Done."},
    "SessionEnd": {"reason": "other"},
}
PLUGIN = {"CLAUDE_PLUGIN_ROOT": "/plugin"}


def at_once(folder: Path, event: str, origins: Sequence[dict[str, str]]) -> list[str]:
    """Run the hook once for each origin, all at the same time, and return what each answered."""
    words = json.dumps({"session_id": "s1", "hook_event_name": event, "cwd": str(folder), **ENDINGS[event]})
    running = [
        subprocess.Popen(
            [VFCC, "hook", "claude"],
            cwd=folder,
            env=environment(folder.parent, **origin),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for origin in origins
    ]
    for process in running:
        assert process.stdin
        process.stdin.write(words.encode())
        process.stdin.close()
        process.stdin = None
    return [process.communicate(timeout=PATIENCE_S)[0].decode() for process in running]


@pytest.mark.parametrize("event", ENDINGS)
def test_an_event_of_two_origins_is_recorded_once(young: Path, event: str) -> None:
    answers = at_once(young, event, [{}, PLUGIN])

    assert len(events(young)) == 1
    if event != "PreToolUse":
        assert sum(bool(answer) for answer in answers) <= 1


@pytest.mark.parametrize("event", ENDINGS)
def test_the_same_event_again_from_one_place_is_another_event(young: Path, event: str) -> None:
    at_once(young, event, [{}, {}])

    assert len(events(young)) == 2


def test_two_events_of_two_origins_are_two(young: Path) -> None:
    for _ in range(2):
        at_once(young, "Stop", [PLUGIN, {}])

    assert len(events(young)) == 2


def test_the_end_of_a_session_removes_the_keys_of_older_ones(young: Path) -> None:
    at_once(young, "Stop", [{}])
    folder = young / ".memory/local/hooks"
    for name in ("old.keys", "old.keys.old"):
        (folder / name).write_text("k o 1 x\n", encoding="utf-8")
        os.utime(folder / name, (1, 1))

    at_once(young, "SessionEnd", [{}, PLUGIN])

    assert [each.name for each in folder.iterdir()] == ["s1.keys"]


def test_copilot_runs_hooks_for_claude_code_too_and_an_event_is_recorded_once_as_its_own(young: Path) -> None:
    common = {"cwd": str(young), "timestamp": "2026-11-28T10:00:00.000Z"}
    tool = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    its_own = {"sessionId": "s1", **common, "timestamp": 1_795_891_066_069, "toolName": "bash"}
    payloads = [
        (("copilot", "preToolUse"), {**its_own, "toolArgs": tool["tool_input"]}),
        (("claude",), {"hook_event_name": "PreToolUse", "session_id": "s1", **common, **tool}),
    ]
    for words, payload in payloads:
        subprocess.run(
            [VFCC, "hook", *words],
            cwd=young,
            env=environment(young.parent),
            input=json.dumps(payload).encode(),
            stdout=subprocess.DEVNULL,
            check=True,
        )

    assert [event["client"] for event in events(young)] == ["copilot"]
