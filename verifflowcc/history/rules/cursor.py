"""Translate Cursor's hooks into Claude Code's form, as its hooks reference describes them. It runs inside of hooks."""

from verifflowcc.history.rules.client import TIMEOUT_S, Client, moved, number, text, unpacked

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = Any


EVENTS = {
    "sessionStart": "SessionStart",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "subagentStart": "SubagentStart",
    "subagentStop": "SubagentStop",
    "preCompact": "PreCompact",
    "stop": "Stop",
    "sessionEnd": "SessionEnd",
}
"""Cursor's events that cover every tool, by Claude Code's names."""

OF_ONE_TOOL = {
    "beforeShellExecution": "PreToolUse",
    "afterShellExecution": "PostToolUse",
    "beforeReadFile": "PreToolUse",
    "afterFileEdit": "PostToolUse",
    "beforeMCPExecution": "PreToolUse",
    "afterMCPExecution": "PostToolUse",
}
"""Events about one tool, by Claude Code's names. Versions before `preToolUse` have only these; later ones send both."""

TOOLS = {
    "Shell": "Bash",
    "Read": "Read",
    "Write": "Write",
    "StrReplace": "Edit",
    "SearchReplace": "Edit",
    "Edit": "Edit",
    "MultiEdit": "MultiEdit",
    "Delete": "Edit",
    "Grep": "Grep",
    "Glob": "Glob",
    "LS": "LS",
    "Task": "Agent",
}
"""Cursor's tools by Claude Code's names. `Delete` counts as an edit: Claude Code has no tool that removes a file."""

_FIELDS = {
    "conversation_id": "session_id",
    "generation_id": "prompt_id",
    "duration": "duration_ms",
    "error_message": "error",
    "subagent_id": "agent_id",
    "subagent_type": "agent_type",
    "summary": "last_assistant_message",
}
_PATHS = {"target_file": "file_path", "filePath": "file_path", "contents": "content"}
_FOLDERS = {"target_directory": "path", "directory": "path", "glob_pattern": "pattern", "query": "pattern"}
_FILES = ("Read", "Write", "Edit", "MultiEdit")
_SEARCHES = ("Grep", "Glob", "LS")
_ABOUT_TOOLS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")


def _add_stop(payload: "Mapping[str, Json]", plain: "dict[str, Json]") -> None:
    if status := text(payload, "status"):
        plain["reason"] = status
    if (count := number(payload.get("loop_count"))) is not None:
        plain["stop_hook_active"] = count > 0


def _add_tool(plain: "dict[str, Json]") -> None:
    tool = text(plain, "tool_name")
    if tool.startswith("MCP:"):
        tool = f"mcp__{tool[4:].strip()}"
    plain["tool_name"] = named = TOOLS.get(tool, tool)
    given = unpacked(plain.get("tool_input"))
    if isinstance(given, dict) and tool in TOOLS:
        given = moved(given, _PATHS if named in _FILES else _FOLDERS if named in _SEARCHES else {})
        if named in _FILES and "path" in given:
            given.setdefault("file_path", given.pop("path"))
    plain["tool_input"] = given


def _add_one_tool(name: str, payload: "Mapping[str, Json]", plain: "dict[str, Json]") -> None:
    if name.endswith("ShellExecution"):
        tool, given = "Bash", {"command": text(payload, "command")}
        if "output" in payload:
            plain["tool_response"] = {"output": plain.pop("output")}
    elif name == "beforeReadFile":
        plain.pop("content", None)  # the whole file; the history records which file was read, not its text
        tool, given = "Read", {"file_path": text(payload, "file_path")}
    elif name == "afterFileEdit":
        tool, given = _edit(payload)
        plain.pop("edits", None)
    else:
        server = text(payload, "mcp_server_name")
        tool = "__".join(each for each in ("mcp", server, text(payload, "tool_name")) if each)
        found = unpacked(payload.get("tool_input"))
        given = found if isinstance(found, dict) else {"input": found}
        if "result_json" in payload:
            plain["tool_response"] = unpacked(plain.pop("result_json"))
    plain["tool_name"], plain["tool_input"] = tool, given


def _edit(payload: "Mapping[str, Json]") -> "tuple[str, dict[str, Json]]":
    path, edits = text(payload, "file_path"), payload.get("edits")
    each = [one for one in edits if isinstance(one, dict)] if isinstance(edits, list) else []
    if len(each) == 1:
        return "Edit", {
            "file_path": path,
            "old_string": text(each[0], "old_string"),
            "new_string": text(each[0], "new_string"),
        }
    return "MultiEdit", {"file_path": path, "edits": each}


def _response(output: "Json") -> "Json":
    return moved(output, {"exitCode": "exit_code"}) if isinstance(output, dict) else output


def _first(roots: "Json") -> str:
    return roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""


class Cursor(Client):
    """Cursor. It accepts the decision `ask` before most tools and then does not ask, so it never gets one."""

    name = "cursor"
    events = EVENTS
    carries = {  # noqa: RUF012
        "SessionStart": ("context",),
        "UserPromptSubmit": ("block",),
        "PreToolUse": ("deny",),
        "PostToolUse": ("context",),
        "SubagentStop": ("block",),
        "Stop": ("block",),
    }
    steps = ("Cursor: reload the window; Settings > Hooks lists them",)
    first_steps = ("Cursor: switch the server vfcc on under Settings > MCP",)
    versioned = True
    ignores_args = True
    misplaced = (".cursor/settings.json", ".cursor/hooks/hooks.json")

    def as_claude(self, event: str, payload: "Mapping[str, Json]") -> "dict[str, Json]":
        """Return Cursor's payload in Claude Code's form, without the account's e-mail address."""
        name = text(payload, "hook_event_name") or event
        plain = moved(payload, _FIELDS)
        plain.pop("user_email", None)
        plain["hook_event_name"] = hook = EVENTS.get(name) or OF_ONE_TOOL.get(name, name)
        if not text(plain, "cwd") and (folder := _first(payload.get("workspace_roots"))):
            plain["cwd"] = folder
        if name in OF_ONE_TOOL:
            _add_one_tool(name, payload, plain)
        elif hook in _ABOUT_TOOLS:
            _add_tool(plain)
        elif hook == "SessionStart":
            plain.setdefault("source", "startup")
        elif hook in ("Stop", "SubagentStop"):
            _add_stop(payload, plain)
        if "tool_output" in plain:
            plain["tool_response"] = _response(unpacked(plain.pop("tool_output")))
        return plain

    def answer(self, event: str, context: str, decision: str, reason: str) -> "dict[str, object]":
        """Return an answer in Cursor's own form."""
        if context:
            return {"additional_context": context}
        if event == "UserPromptSubmit":
            return {"continue": False, "user_message": reason}
        if decision == "block":
            return {"followup_message": reason}
        return {"permission": decision, "user_message": reason, "agent_message": reason}

    def entry(self, _event: str) -> "dict[str, Json]":
        """Return the entry of `hooks.json` that runs vfcc."""
        return {"command": "vfcc hook cursor", "timeout": TIMEOUT_S}


CLIENT = Cursor()
