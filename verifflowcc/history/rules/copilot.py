"""GitHub Copilot's hooks, of its command line and its cloud agent, in Claude Code's form. It runs inside of hooks.

After its hooks reference. What it says names no event, so that its command line does.
"""

from verifflowcc.base.model.agent_clients import FILES
from verifflowcc.history.rules.client import AGAIN, TIMEOUT_S, Client, moved, number, text, unpacked

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = Any


EVENTS = {
    "sessionStart": "SessionStart",
    "userPromptSubmitted": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "subagentStart": "SubagentStart",
    "subagentStop": "SubagentStop",
    "preCompact": "PreCompact",
    "agentStop": "Stop",
    "sessionEnd": "SessionEnd",
}
"""What Claude Code calls each event."""

TOOLS = {
    "bash": "Bash",
    "powershell": "Bash",
    "view": "Read",
    "create": "Write",
    "edit": "Edit",
    "str_replace_editor": "Edit",
    "apply_patch": "apply_patch",
    "grep": "Grep",
    "rg": "Grep",
    "glob": "Glob",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "update_todo": "TodoWrite",
    "task": "Agent",
}
_OWN_TOOLS = "vfcc-"
"""How it names the tools of the server `vfcc`; those of any other server look like its own."""
_OF_EDITOR = {"view": "Read", "create": "Write"}
_FIELDS = {
    "sessionId": "session_id",
    "transcriptPath": "transcript_path",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolResult": "tool_result",
    "agentId": "agent_id",
    "agentType": "agent_type",
    "agentName": "agent_name",
    "response": "last_assistant_message",
    "customInstructions": "custom_instructions",
}
_KEYS = {
    "path": "file_path",
    "filePath": "file_path",
    "file_text": "content",
    "old_str": "old_string",
    "new_str": "new_string",
}
_FILES = ("Read", "Write", "Edit")
_ABOUT_TOOLS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")


def _add_tool(plain: "dict[str, Json]") -> None:
    tool = text(plain, "tool_name")
    given = unpacked(plain.get("tool_input"))
    named = TOOLS.get(tool, tool)
    if tool.startswith(_OWN_TOOLS):
        named = f"mcp__vfcc__{tool[len(_OWN_TOOLS) :]}"
    if isinstance(given, dict):
        if tool == "str_replace_editor":
            named = _OF_EDITOR.get(text(given, "command"), named)
        if named in _FILES:
            given = moved(given, _KEYS)
            _add_lines(given)
    elif isinstance(given, str) and named in ("Bash", "apply_patch"):
        given = {"command" if named == "Bash" else "input": given}
    plain["tool_name"], plain["tool_input"] = named, given


def _add_lines(given: "dict[str, Json]") -> None:
    lines = given.get("view_range")
    if not isinstance(lines, list) or len(lines) != 2:
        return
    first, last = number(lines[0]), number(lines[1])
    if first and last and last >= first > 0:
        given["offset"], given["limit"] = first, last - first + 1


def _add_result(plain: "dict[str, Json]") -> None:
    result = plain.pop("tool_result", None)
    if isinstance(result, dict):
        output = text(result, "textResultForLlm", "text_result_for_llm")
        sort = text(result, "resultType", "result_type")
        plain["tool_response"] = {"output": output}
        if sort not in ("", "success"):
            plain["hook_event_name"] = "PostToolUseFailure"
            plain.setdefault("error", output or sort)
    error = plain.get("error")
    if isinstance(error, dict):
        plain["error"] = text(error, "message", "name")


class Copilot(Client):
    """GitHub Copilot. It drops an answer to a prompt."""

    name = "copilot"
    events = EVENTS
    carries = {  # noqa: RUF012
        "SessionStart": ("context",),
        "PreToolUse": ("deny", "ask"),
        "PostToolUse": ("context",),
        "SubagentStart": ("context",),
        "SubagentStop": ("block",),
        "Stop": ("block",),
    }
    steps = (
        f"Copilot CLI: {AGAIN}",
        "Copilot's cloud agent reads {path} from the default branch, and records only where its setup installs vfcc",
    )
    first_steps = ("Copilot CLI: trust the folder when it asks",)
    versioned = True
    misplaced = (".github/hooks.json", ".github/copilot/hooks.json")
    switches = (".github/copilot/settings.json", ".github/copilot/settings.local.json", FILES["copilot"])

    def as_claude(self, event: str, payload: "Mapping[str, Json]") -> "dict[str, Json]":
        """Return Copilot's words as Claude Code would say them, in whichever of its two forms they are."""
        name = text(payload, "hook_event_name") or event
        plain = moved(payload, _FIELDS)
        plain["hook_event_name"] = hook = EVENTS.get(name, name)
        if hook in _ABOUT_TOOLS:
            _add_tool(plain)
            _add_result(plain)
        elif hook == "SessionStart" and text(payload, "source") == "new":
            plain["source"] = "startup"
        elif hook in ("SubagentStart", "SubagentStop") and not text(plain, "agent_type"):
            plain["agent_type"] = text(plain, "agent_name")
        elif hook == "Stop" and (reason := text(payload, "stopReason", "stop_reason")):
            plain["reason"] = reason
        return plain

    def answer(self, _event: str, context: str, decision: str, reason: str) -> "dict[str, object]":
        """Return an answer in its own form."""
        if context:
            return {"additionalContext": context}
        if decision == "block":
            return {"decision": "block", "reason": reason}
        return {"permissionDecision": decision, "permissionDecisionReason": reason}

    def entry(self, event: str) -> "dict[str, Json]":
        """Return the line that it runs; its input names no event, so that the line does."""
        # Without its last words, Copilot would refuse every call of a tool where vfcc is not installed.
        return {"type": "command", "bash": f"vfcc hook copilot {event} || true", "timeoutSec": TIMEOUT_S}


CLIENT = Copilot()
