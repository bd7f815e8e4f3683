"""A hook for tests: it writes down each payload and answers what the test says, set up as either client wants it."""

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_name("hook_script.py")
CODEX_EVENTS = (
    "SessionStart UserPromptSubmit PreToolUse PostToolUse SubagentStart SubagentStop "
    "PreCompact PostCompact Stop SessionEnd"
).split()
CLAUDE_EVENTS = [*CODEX_EVENTS, "PostToolUseFailure", "Notification"]


class HookLog:
    """Such a hook, with a folder of its own for what it writes.

    `answers` maps an event, or an event with a detail after a colon (the tool's name, the source of a session's start,
    the trigger of a compaction), to what is answered there. An object is printed as JSON, but one with any of `stdout`,
    `stderr` and `exit` gives a text to print, a text to complain with, and an exit code. A list is used up, one answer
    each time; `None` in it says nothing.
    """

    def __init__(self, folder: Path, answers: Mapping[str, object] | None = None) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.answer(answers or {})

    def answer(self, answers: Mapping[str, object]) -> None:
        """Answer this from now on."""
        (self.folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")

    def claude_settings(self) -> dict[str, Any]:
        """Return settings of Claude Code in which every event runs this hook, without a shell."""
        hook = {"type": "command", "command": sys.executable, "args": self._arguments(), "timeout": 10}
        return {"hooks": {event: [{"hooks": [hook]}] for event in CLAUDE_EVENTS}}

    def codex_hooks(self) -> dict[str, Any]:
        """Return a `hooks.json` of Codex in which every event runs this hook; a session's end may take 3 s at most."""
        command = shlex.join([sys.executable, *self._arguments()])
        hooks = {event: {"type": "command", "command": command, "timeout": 10} for event in CODEX_EVENTS}
        hooks["SessionEnd"]["timeout"] = 3
        return {"hooks": {event: [{"hooks": [hook]}] for event, hook in hooks.items()}}

    def payloads(self, event: str | None = None, **fields: object) -> list[dict[str, Any]]:
        """Return the payloads so far, in order: all, or those of one event, or with these fields."""
        log = self.folder / "log.jsonl"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        wanted = {**({"hook_event_name": event} if event else {}), **fields}
        found = [json.loads(line) for line in lines]
        return [each for each in found if all(each.get(name) == value for name, value in wanted.items())]

    def events(self) -> list[str]:
        """Return the events so far, in order, each with its tool, source or trigger after a colon."""
        return [_named(payload) for payload in self.payloads()]

    def _arguments(self) -> list[str]:
        return ["-S", str(SCRIPT), str(self.folder)]


def context(event: str, text: str) -> dict[str, Any]:
    """Return the answer that gives the model a text, in the form that both clients take."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def denial(reason: str) -> dict[str, Any]:
    """Return the answer that keeps a tool from being used, in the form that both clients take."""
    decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


def _named(payload: Mapping[str, Any]) -> str:
    detail = payload.get("tool_name") or payload.get("source") or payload.get("trigger")
    return f"{payload['hook_event_name']}:{detail}" if detail else str(payload["hook_event_name"])
