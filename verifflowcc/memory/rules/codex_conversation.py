"""Codex's rollouts: JSON lines of messages, of calls of tools and of what came back.

What the person typed stands there twice, once as an event and once, among what the client adds, as a message for the
model; the event is read where there are any. Reasoning, settings and compacted history are left out.
"""

import json
import re
from collections.abc import Iterator, Mapping

from verifflowcc.base.formats.session_lines import JsonLines, text_at, texts_of
from verifflowcc.base.formats.session_lines import JsonLinesJson as Json
from verifflowcc.memory.rules.turns import (
    SILENT,
    Conversation,
    Speaker,
    Turn,
    TurnIds,
    moment_of,
    origin_of,
    stem_of,
    voice_of_tool,
)

_OF_THE_CLIENT = re.compile(r"\s*(?:<[a-z_]+(?:_[a-z]+)*>|# AGENTS\.md instructions|<permissions|<skill)")
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "mcp_tool_call")
_ANSWERS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output", "mcp_tool_call_output")
_Row = Mapping[str, Json]


def read_codex(data: bytes, name: str, *, session: str | None = None) -> Conversation:
    """Return the turns of a rollout; `session` goes before the one that its first line names."""
    lines = JsonLines(name, data)
    rows = [row for _, row in lines.rows()]
    reader = _CodexReader(session, stem_of(name), typed=any(_event(row) == "user_message" for row in rows))
    turns = tuple(turn for row in rows for turn in reader.turns(row))
    return Conversation(origin_of(name, data), turns, tuple(lines.problems), tuple(lines.notes))


class _CodexReader:
    def __init__(self, session: str | None, otherwise: str, *, typed: bool) -> None:
        self._given, self._session, self._typed = session, session or otherwise, typed
        self._person = Speaker.PERSON
        self._calls: dict[str, tuple[Speaker, str]] = {}
        self._ids = TurnIds()

    def turns(self, row: _Row) -> Iterator[Turn]:
        """Yield the turns of one line."""
        payload = row.get("payload")
        entry = payload if isinstance(payload, Mapping) else row
        if row.get("type") == "session_meta" or ("instructions" in row and "id" in row):
            self._begin(entry)
            return
        spoken = self._typed_by_person(entry) if row.get("type") == "event_msg" else self._spoken(entry)
        if spoken and spoken[1].strip():
            voice, text, tool, own_id = spoken
            at = moment_of(row.get("timestamp"))
            yield Turn(own_id or self._ids.of(voice, text), voice, text.strip(), self._session, at, "", tool)

    def _begin(self, entry: _Row) -> None:
        self._session = self._given or text_at(entry, "id") or self._session
        if isinstance(entry.get("source"), Mapping):  # a session that another agent began: nobody types there
            self._person = Speaker.AGENT

    def _typed_by_person(self, entry: _Row) -> tuple[Speaker, str, str | None, str | None] | None:
        if entry.get("type") != "user_message":
            return None
        return self._person, text_at(entry, "message") or "", None, None

    def _spoken(self, entry: _Row) -> tuple[Speaker, str, str | None, str | None] | None:
        """Return the voice, text, tool and own id of an entry that says something."""
        kind, called = text_at(entry, "type"), text_at(entry, "call_id") or text_at(entry, "id") or ""
        if kind == "message":
            return self._message(entry)
        if kind in _CALLS:
            asked = texts_of(entry.get("arguments") or entry.get("input")) or json.dumps(entry.get("action"))
            self._calls[called] = voice_of_tool(text_at(entry, "name") or kind, asked)
        if kind in _ANSWERS:
            voice, tool = self._calls.get(called, (Speaker.OUTSIDE, ""))
            return voice, _output(entry.get("output")), tool or None, called or None
        return None

    def _message(self, entry: _Row) -> tuple[Speaker, str, str | None, str | None] | None:
        role, text = text_at(entry, "role"), texts_of(entry.get("content"))
        if role in SILENT or (role == "user" and (self._typed or of_the_client(text))):
            return None
        return (self._person if role == "user" else Speaker.AGENT), text, None, None


def _output(value: Json) -> str:
    """Return what a tool answered: a text, JSON with the text in `output` or `content`, or blocks."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            inner = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return text_at(inner, "output") or value
    if isinstance(value, Mapping):
        return text_at(value, "output") or texts_of(value.get("content"))
    return texts_of(value)


def _event(row: _Row) -> str | None:
    return text_at(row, "payload", "type") if row.get("type") == "event_msg" else None


def of_the_client(text: str) -> bool:
    """Say whether a message to the model is one that the client made."""
    return bool(_OF_THE_CLIENT.match(text))


def looks_like_codex(row: _Row) -> bool:
    """Say whether a line of JSON is one of a rollout."""
    wrapped = row.get("type") in ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
    return (wrapped and "payload" in row) or ("instructions" in row and "id" in row and "timestamp" in row)
