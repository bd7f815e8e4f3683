"""Gemini CLI's hooks in Claude Code's form; after its hooks reference. It runs inside of hooks."""

from verifflowcc.base.model.agent_clients import SERVER_FILES
from verifflowcc.history.rules.client import AGAIN, TIMEOUT_S, Client, moved, number, text

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from verifflowcc.history.rules.client_doors import Door, DoorTexts

    Json = Any


EVENTS = {
    "SessionStart": "SessionStart",
    "BeforeAgent": "UserPromptSubmit",
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "PreCompress": "PreCompact",
    "AfterAgent": "Stop",
    "SessionEnd": "SessionEnd",
}
"""What Claude Code calls each event."""

TOOLS = {
    "run_shell_command": "Bash",
    "read_file": "Read",
    "read_many_files": "Glob",
    "write_file": "Write",
    "replace": "Edit",
    "glob": "Glob",
    "grep_search": "Grep",
    "search_file_content": "Grep",
    "list_directory": "LS",
    "web_fetch": "WebFetch",
    "google_web_search": "WebSearch",
    "write_todos": "TodoWrite",
}
_OWN_TOOLS = "mcp_vfcc_"
"""How it names the tools of the server `vfcc`."""
_KEYS = {"absolute_path": "file_path", "dir_path": "path", "include": "glob"}
_FILES = ("Read", "Write", "Edit")
_CODE = "Exit Code: "
_ANSWERED = {
    "SessionStart": "SessionStart",
    "UserPromptSubmit": "BeforeAgent",
    "PostToolUse": "AfterTool",
    "PostToolUseFailure": "AfterTool",
}


def _add_tool(plain: "dict[str, Json]") -> None:
    tool = text(plain, "tool_name")
    if tool.startswith(_OWN_TOOLS):
        plain["tool_name"] = f"mcp__vfcc__{tool[len(_OWN_TOOLS) :]}"
        return
    plain["tool_name"] = named = TOOLS.get(tool, tool)
    given = plain.get("tool_input")
    if tool == named or not isinstance(given, dict):
        return
    new = moved(given, _KEYS)
    if named in _FILES and "path" in new:
        new.setdefault("file_path", new.pop("path"))
    first, last = number(new.get("start_line")), number(new.get("end_line"))
    if named == "Read" and first:
        new["offset"] = first
        if last and last >= first:
            new["limit"] = last - first + 1
    if tool == "read_many_files":
        new["pattern"] = _joined(given.get("paths") or given.get("include"))
    plain["tool_input"] = new


def _add_response(plain: "dict[str, Json]") -> None:
    """A tool that failed says so in `error`; a command, in a line of what the model gets to read."""
    result = plain.get("tool_response")
    if not isinstance(result, dict):
        return
    error = result.get("error")
    if error:
        plain["hook_event_name"] = "PostToolUseFailure"
        plain["error"] = error if isinstance(error, str) else text(error, "message") if isinstance(error, dict) else ""
    output = result.get("llmContent") or result.get("returnDisplay")
    response: dict[str, Json] = {"output": output} if output else {}
    if plain["tool_name"] == "Bash" and isinstance(output, str):
        for line in output.splitlines():
            if line.startswith(_CODE) and line[len(_CODE) :].lstrip("-").isdecimal():
                response["exit_code"] = int(line[len(_CODE) :][:9])
    plain["tool_response"] = response


def _joined(value: "Json") -> str:
    if isinstance(value, list):
        return ", ".join(each for each in value if isinstance(each, str))
    return value if isinstance(value, str) else ""


class Gemini(Client):
    """Gemini CLI. Its timeouts are in milliseconds."""

    name = "gemini"
    events = EVENTS
    carries = {  # noqa: RUF012
        "SessionStart": ("context",),
        "UserPromptSubmit": ("context", "block"),
        "PreToolUse": ("deny",),
        "PostToolUse": ("context", "block"),
        "PostToolUseFailure": ("context", "block"),
        "Stop": ("block",),
    }
    steps = (f"Gemini CLI: trust the folder when it asks; {AGAIN}, and /hooks lists them",)
    first_steps = ("Gemini CLI: trust the folder when it asks",)
    grouped = True
    ignores_args = True
    misplaced = (".gemini/hooks.json",)

    def as_claude(self, event: str, payload: "Mapping[str, Json]") -> "dict[str, Json]":
        """Return Gemini CLI's words as Claude Code would say them."""
        plain = moved(payload, {"prompt_response": "last_assistant_message"})
        name = text(payload, "hook_event_name") or event
        plain["hook_event_name"] = EVENTS.get(name, name)
        if name in ("BeforeTool", "AfterTool"):
            _add_tool(plain)
        if name == "AfterTool":
            _add_response(plain)
        return plain

    def answer(self, event: str, context: str, decision: str, reason: str) -> "dict[str, object]":
        """Return an answer in its own form."""
        output: dict[str, object] = {"decision": "deny", "reason": reason} if decision else {}
        if context:
            output["hookSpecificOutput"] = {"hookEventName": _ANSWERED[event], "additionalContext": context}
        return output

    def timeout(self, _event: str) -> int:
        """Return milliseconds."""
        return TIMEOUT_S * 1000

    def faults(self, value: "Mapping[str, object]") -> "Iterator[str]":
        """Yield the switch that turns all hooks off."""
        config = value.get("hooksConfig")
        if isinstance(config, dict) and config.get("enabled") is False:
            yield '"hooksConfig.enabled" is false'

    def doors(self, _texts: "DoorTexts") -> "list[Door]":
        """Return its settings: the MCP server, and `AGENTS.md` as the file of instructions."""
        from verifflowcc.history.rules.client_doors import SERVER, Door, DoorKind, Member

        names = Member(("context",), "fileName", ["AGENTS.md", "GEMINI.md"], optional=True)
        server = Member(("mcpServers",), "vfcc", SERVER)
        return [Door(SERVER_FILES["gemini"], DoorKind.MEMBERS, members=(server, names))]


CLIENT = Gemini()
