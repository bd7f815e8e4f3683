"""What Codex's tools are called by its hooks, what they were given, and what came back."""

import json
import re
from collections.abc import Mapping

from verifflowcc.formats.call_lines import Json, mapping_at, number_at, texts_of, word_at
from verifflowcc.records import dataclass

_SHELLS = ("exec_command", "shell", "shell_command", "local_shell", "container.exec")
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "mcp_tool_call")
_PATCH = "apply_patch"
_ALONE = ("spawn_agent",)
"""Tools whose hooks leave out the name space that they are in."""
_HEAD = re.compile(r"\A(?:(?:Chunk ID|Wall time|Process|Original token count|Exit code)[^\n]*\n)+Output:\n")
_CODE = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,9})")
_TOOK = re.compile(r"Wall time: (\d{1,9}(?:\.\d+)?) second")
_FAILED = ("apply_patch verification failed", "unsupported call: ", "failed to parse function", "Command blocked")
_ABORTED = "aborted by user"
_RUNNING = "Process running with session ID"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool's name and input, as a hook says them, and the folder that it was asked to run in, if any."""

    tool: str
    given: Json
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answered: a response, or an error; and how long it took, where that is said."""

    response: Json
    error: str = ""
    duration_ms: int | None = None


def call_of(entry: Mapping[str, Json]) -> Call | None:
    """Return the call of a tool that an entry is; None where it is none.

    >>> call_of({"type": "function_call", "name": "exec_command", "arguments": '{"cmd": "make test"}'})
    Call(tool='Bash', given={'command': 'make test'}, folder='')
    """
    if entry.get("type") not in _CALLS:
        return None
    name = word_at(entry, "name") or ("local_shell" if entry.get("type") == "local_shell_call" else "unknown")
    given = _given(entry)
    if name in _SHELLS:
        folder = word_at(given, "workdir")
        return Call("Bash", {"command": _command(given)}, folder if folder.startswith("/") else "")
    if name == _PATCH:
        return Call(name, {"command": word_at(given, "input") or word_at(given, "patch") or texts_of(given)})
    return Call(_named(word_at(entry, "namespace"), name), given)


def _named(space: str, name: str) -> str:
    """Return the name of a tool in a name space; that of an MCP server's has two lines between."""
    if name in _ALONE or not space:
        return name
    return f"{space}__{name}" if space.startswith("mcp__") and not space.endswith("__") else space + name


def _given(entry: Mapping[str, Json]) -> Json:
    action = entry.get("action")
    if isinstance(action, dict):
        return action
    text = entry.get("arguments", entry.get("input"))
    if isinstance(text, str) and entry.get("type") != "custom_tool_call":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _command(given: Json) -> str:
    found = given.get("cmd", given.get("command")) if isinstance(given, dict) else given
    if isinstance(found, list):
        words = [each for each in found if isinstance(each, str)]
        return words[2] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(words)
    return found if isinstance(found, str) else ""


def answer_of(tool: str, output: Json, done: Mapping[str, Json] | None) -> Answer:
    """Return the answer of a tool; `done` is what else the rollout says of how it went."""
    if done and word_at(done, "type") == "CommandExecution" and "aggregated_output" in done:
        return _of_command(done)
    if done and word_at(done, "type") == "McpToolCall" and (result := mapping_at(done, "result")):
        return _of_server(done, result)
    value = _unwrapped(output)
    text = texts_of(value) if isinstance(value, str | list) else word_at(value, "output") or word_at(value, "content")
    took = _took(value, text)
    if isinstance(value, dict) and value.get("success") is False:
        return Answer(None, text or "failed", took)
    if text.startswith(_FAILED) or text.endswith(_ABORTED):
        return Answer(None, _ABORTED if text.endswith(_ABORTED) else text, took)
    code = _code(value, text)
    plain = text if tool == _PATCH else _HEAD.sub("", text)
    return Answer(plain if code is None else {"output": plain, "exit_code": code}, "", took)


def is_running(output: Json) -> bool:
    """Say whether an answer tells only that a command goes on."""
    return isinstance(output, str) and _RUNNING in output[:500].partition("Output:\n")[0]


def _of_server(done: Mapping[str, Json], result: Mapping[str, Json]) -> Answer:
    if result.get("isError") is True:
        return Answer(None, texts_of(result.get("content")) or "failed", _lasted(done))
    return Answer(result, "", _lasted(done))


def _lasted(done: Mapping[str, Json]) -> int | None:
    duration = mapping_at(done, "duration")
    took = number_at(duration, "secs") * 1000 + number_at(duration, "nanos") // 1_000_000
    return took if duration else None


def _of_command(done: Mapping[str, Json]) -> Answer:
    code = done.get("exit_code")
    output = word_at(done, "aggregated_output")
    response: Json = {"output": output, "exit_code": code} if isinstance(code, int) else output
    return Answer(response, "", _lasted(done))


def _unwrapped(output: Json) -> Json:
    """Return an answer that may be JSON in a text, as older versions write it."""
    if isinstance(output, str) and output.startswith('{"output"'):
        try:
            return json.loads(output)
        except (ValueError, RecursionError):
            return output
    return output


def _took(value: Json, text: str) -> int | None:
    seconds = mapping_at(value, "metadata").get("duration_seconds")
    if isinstance(seconds, int | float) and 0 <= seconds < 1e9:
        return int(seconds * 1000)
    found = _TOOK.search(text[:500])
    return int(float(found[1]) * 1000) if found else None


def _code(value: Json, text: str) -> int | None:
    code = mapping_at(value, "metadata").get("exit_code")
    if isinstance(code, int):
        return code
    head = text[:500].partition("Output:\n")
    found = _CODE.search(head[0]) if head[1] else None
    return int(found[1]) if found else None
