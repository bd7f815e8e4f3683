"""Read Codex's rollouts as the events that its hooks would have sent.

These are prompts, calls of tools, turns and compactions; and the tokens of each message. Tools and their inputs have
the names that hooks use.
"""

import json
import re
from collections.abc import Iterator, Mapping

from verifflowcc.base.formats.session_lines import (
    CallLines,
    HookLine,
    Json,
    Tokens,
    TokenSpending,
    mapping_at,
    milliseconds,
    number_at,
    texts_of,
    word_at,
)
from verifflowcc.base.records import dataclass
from verifflowcc.memory.rules.codex_conversation import of_the_client

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
class CodexCall:
    """A tool's name and input in the words of a hook, and the folder that it runs in."""

    tool: str
    given: Json
    folder: str = ""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A tool's response or error, and its duration where the rollout has it."""

    response: Json
    error: str = ""
    duration_ms: int | None = None


def call_of(entry: Mapping[str, Json]) -> CodexCall | None:
    """Return the call of a tool in an entry; None for any other entry.

    >>> call = call_of({"type": "function_call", "name": "exec_command", "arguments": '{"cmd": "make test"}'})
    >>> call.tool, call.given
    ('Bash', {'command': 'make test'})
    """
    if entry.get("type") not in _CALLS:
        return None
    name = word_at(entry, "name") or ("local_shell" if entry.get("type") == "local_shell_call" else "unknown")
    given = _given(entry)
    if name in _SHELLS:
        folder = word_at(given, "workdir")
        return CodexCall("Bash", {"command": _command(given)}, folder if folder.startswith("/") else "")
    if name == _PATCH:
        return CodexCall(name, {"command": word_at(given, "input") or word_at(given, "patch") or texts_of(given)})
    return CodexCall(_named(word_at(entry, "namespace"), name), given)


def _named(space: str, name: str) -> str:
    """Return a tool's name with its name space, joined with `__` for an MCP server."""
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


def answer_of(tool: str, output: Json, done: Mapping[str, Json] | None) -> ToolAnswer:
    """Return the answer of a tool; `done` is the rollout's own record of its end."""
    if done and word_at(done, "type") == "CommandExecution" and "aggregated_output" in done:
        return _of_command(done)
    if done and word_at(done, "type") == "McpToolCall" and (result := mapping_at(done, "result")):
        return _of_server(done, result)
    value = _unwrapped(output)
    text = texts_of(value) if isinstance(value, str | list) else word_at(value, "output") or word_at(value, "content")
    took = _took(value, text)
    if isinstance(value, dict) and value.get("success") is False:
        return ToolAnswer(None, text or "failed", took)
    if text.startswith(_FAILED) or text.endswith(_ABORTED):
        return ToolAnswer(None, _ABORTED if text.endswith(_ABORTED) else text, took)
    code = _code(value, text)
    plain = text if tool == _PATCH else _HEAD.sub("", text)
    return ToolAnswer(plain if code is None else {"output": plain, "exit_code": code}, "", took)


def is_running(output: Json) -> bool:
    """Whether an answer only reports that the command is still running."""
    return isinstance(output, str) and _RUNNING in output[:500].partition("Output:\n")[0]


def _of_server(done: Mapping[str, Json], result: Mapping[str, Json]) -> ToolAnswer:
    if result.get("isError") is True:
        return ToolAnswer(None, texts_of(result.get("content")) or "failed", _lasted(done))
    return ToolAnswer(result, "", _lasted(done))


def _lasted(done: Mapping[str, Json]) -> int | None:
    duration = mapping_at(done, "duration")
    took = number_at(duration, "secs") * 1000 + number_at(duration, "nanos") // 1_000_000
    return took if duration else None


def _of_command(done: Mapping[str, Json]) -> ToolAnswer:
    code = done.get("exit_code")
    output = word_at(done, "aggregated_output")
    response: Json = {"output": output, "exit_code": code} if isinstance(code, int) else output
    return ToolAnswer(response, "", _lasted(done))


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


_NEAR = 60_000
_DONE = ("CommandExecution", "FileChange", "McpToolCall")
Heard = HookLine | TokenSpending


class CodexCalls:
    """One rollout. `session` goes for what its first line does not say."""

    def __init__(self, session: str) -> None:
        self._session, self._thread = session, session
        self._agent: dict[str, Json] = {}
        self._at, self._cwd, self._model, self._turn = 0, "", "", ""
        self._begun, self._prompt_of, self._prompts = False, "", 0
        self._waiting: HookLine | None = None
        self._calls: dict[str, tuple[int, dict[str, Json]]] = {}
        self._done: dict[str, Mapping[str, Json]] = {}
        self._running: dict[str, HookLine] = {}
        self._total, self._context, self._response = Tokens(), 0, ""

    def read(self, lines: CallLines) -> Iterator[Heard]:
        """Yield the events of the lines."""
        for row in lines.rows():
            yield from self._of(row)
        yield from self._waited()
        for each in self._running.values():  # the rollout ends before the command does: only its start is known
            yield HookLine(each.at, each.key, {**each.words, "hook_event_name": "PreToolUse"})
        for name, (at, words) in self._calls.items():
            yield HookLine(at, name, words | {"hook_event_name": "PreToolUse"})

    def _of(self, row: Mapping[str, Json]) -> Iterator[Heard]:
        kind, payload = row.get("type"), row.get("payload")
        entry = payload if isinstance(payload, dict) else row
        self._at = milliseconds(row.get("timestamp")) or self._at
        if kind == "session_meta" or ("instructions" in row and "id" in row):
            yield from self._begin(entry)
        elif not self._at:
            return
        elif kind == "turn_context":
            self._turn = word_at(entry, "turn_id") or self._turn
            self._cwd = word_at(entry, "cwd") or self._cwd
            self._model = word_at(entry, "model") or self._model
        elif kind == "event_msg":
            yield from self._event(entry)
        elif kind == "token_usage_record":
            self._response = word_at(entry, "response_id")
            self._context = number_at(entry.get("usage"), "input_tokens") or self._context
        elif kind == "compacted":
            around = (max(self._at - _NEAR, 0), self._at + _NEAR)
            yield HookLine(self._at, f"{self._thread} compacted {self._at}", self._words("PostCompact"), around)
        else:
            yield from self._item(entry)

    def _begin(self, entry: Mapping[str, Json]) -> Iterator[HookLine]:
        if self._begun:
            return
        self._begun = True
        self._thread = word_at(entry, "id") or self._thread
        self._session = self._parent(entry) or self._thread
        self._cwd = word_at(entry, "cwd")
        self._at = self._at or milliseconds(entry.get("timestamp")) or 0
        if not self._at:
            return
        if self._session != self._thread:
            role = word_at(entry, "source", "subagent", "thread_spawn", "agent_role") or word_at(entry, "agent_role")
            self._agent = {"agent_id": self._thread, "agent_type": role or "default"}
            yield HookLine(self._at, f"{self._thread} start", self._words("SubagentStart"))
        else:
            yield HookLine(self._at, "start", self._words("SessionStart", source="startup"), (0, self._at + _NEAR))

    def _parent(self, entry: Mapping[str, Json]) -> str:
        spawned = word_at(entry, "source", "subagent", "thread_spawn", "parent_thread_id")
        return word_at(entry, "session_id") or spawned or word_at(entry, "parent_thread_id")

    def _words(self, hook: str, **more: Json) -> dict[str, Json]:
        words: dict[str, Json] = {"hook_event_name": hook, "session_id": self._session, "cwd": self._cwd}
        if self._turn:
            words["turn_id"] = self._turn
        if self._model:
            words["model"] = self._model
        return words | self._agent | more

    def _event(self, entry: Mapping[str, Json]) -> Iterator[Heard]:
        kind = word_at(entry, "type")
        if kind == "task_started":
            self._turn = word_at(entry, "turn_id") or self._turn
        elif kind == "user_message":
            yield from self._typed(kind, word_at(entry, "message"))
        elif kind == "item_completed":
            item = mapping_at(entry, "item")
            if word_at(item, "type") == "UserMessage":
                yield from self._typed("item", texts_of(item.get("content")))
            elif word_at(item, "type") in _DONE:
                yield from self._did(word_at(item, "id"), item)
        elif kind == "token_count":
            yield from self._count(entry.get("info"))
        elif kind == "task_complete":
            yield from self._waited()
            if last := word_at(entry, "last_agent_message"):  # Codex calls no hook for a turn without an answer
                words = self._words("SubagentStop" if self._agent else "Stop", last_assistant_message=last)
                yield HookLine(self._at, f"{self._thread} {self._turn or self._at} end", words)

    def _typed(self, source: str, text: str) -> Iterator[HookLine]:
        """Yield a typed prompt, from the first kind of line that has one."""
        # A rollout can hold a prompt as a message, an event and an item: reading one kind alone counts it once.
        if self._prompt_of in ("", source) and text.strip():
            self._prompt_of = source
            yield self._waiting or self._prompt(text)
            self._waiting = None

    def _prompt(self, text: str) -> HookLine:
        self._prompts += 1
        words = self._words("UserPromptSubmit", prompt=text.strip())
        return HookLine(self._at, f"{self._thread} prompt {self._prompts}", words)

    def _waited(self) -> Iterator[HookLine]:
        """Yield the waiting user message: no event showed what was typed."""
        if self._waiting:
            yield self._waiting
        self._waiting = None

    def _item(self, entry: Mapping[str, Json]) -> Iterator[HookLine]:
        kind = word_at(entry, "type")
        if kind == "message" and word_at(entry, "role") == "user":
            text = texts_of(entry.get("content"))
            if not self._prompt_of and text.strip() and not of_the_client(text):
                yield from self._waited()
                self._waiting = self._prompt(text)
            return
        if kind == "message" and word_at(entry, "role") != "assistant":
            return
        name = word_at(entry, "call_id") or word_at(entry, "id")
        if call := call_of(entry):
            yield from self._waited()
            words = self._words("", tool_name=call.tool, tool_input=call.given, tool_use_id=name)
            words["cwd"] = call.folder or self._cwd
            self._calls[name] = self._at, words
        elif kind.endswith("_output") and name in self._calls:
            at, words = self._calls.pop(name)
            done, output = self._done.pop(name, None), entry.get("output")
            event = HookLine(
                self._at, name, words | self._answered(at, answer_of(str(words["tool_name"]), output, done))
            )
            if done is None and is_running(output):
                self._running[name] = event
            else:
                yield event

    def _did(self, name: str, item: Mapping[str, Json]) -> Iterator[HookLine]:
        """Keep a call's outcome for its answer, or yield the end of a running command."""
        if begun := self._running.pop(name, None):
            answer = answer_of(str(begun.words["tool_name"]), None, item)
            since = begun.at - begun.words["duration_ms"]
            yield HookLine(self._at, name, {**begun.words, **self._answered(since, answer)})
        elif name in self._calls:
            self._done[name] = item

    def _answered(self, at: int, answer: ToolAnswer) -> dict[str, Json]:
        words: dict[str, Json] = {"hook_event_name": "PostToolUse", "tool_response": answer.response}
        if answer.error:
            words = {"hook_event_name": "PostToolUseFailure", "error": answer.error}
        if self._context:
            words["context_tokens"] = self._context
        took = max(self._at - at, 0) if answer.duration_ms is None else answer.duration_ms
        return words | {"duration_ms": took}

    def _count(self, info: Json) -> Iterator[TokenSpending]:
        counted = mapping_at(info, "total_token_usage")
        self._context = number_at(mapping_at(info, "last_token_usage"), "input_tokens") or self._context
        total = tokens_of(counted)
        if total == self._total:
            return
        more = total.beyond(self._total)
        # Codex counts tokens up for the whole thread; a lower count shows that it started again.
        if total.context < self._total.context or total.output < self._total.output:
            more = tokens_of(mapping_at(info, "last_token_usage"))
        self._total = total
        key = f"{self._thread} {total.context} {total.cache_read} {total.cache_creation} {total.output}"
        agent, agent_type = self._agent.get("agent_id", ""), self._agent.get("agent_type", "")
        yield TokenSpending(self._at, key, more, self._model, self._response, self._turn, agent, agent_type)
        self._response = ""


def tokens_of(counted: Mapping[str, Json]) -> Tokens:
    """Return Codex's counts of tokens, with cached input apart from other input."""
    # Codex's `input_tokens` include those that it read from a cache and those that it wrote to one.
    cached = number_at(counted, "cached_input_tokens")
    written = number_at(counted, "cache_write_input_tokens")
    read = max(number_at(counted, "input_tokens") - cached - written, 0)
    return Tokens(read, number_at(counted, "output_tokens"), cached, written)
