"""Claude Code's transcripts: JSON lines of what the person typed, what the agent said, and what its tools answered.

Left out, since nobody said it here: the client's own lines and reminders, summaries of what was said before, thinking,
and requests that were interrupted. In a subagent's lines it is the agent that asks.
"""

import json
import re
from collections.abc import Iterator, Mapping

from verifflowcc.domain.turns import Conversation, Speaker, Turn
from verifflowcc.formats.call_lines import JsonLines, text_at, texts_of
from verifflowcc.formats.call_lines import JsonLinesJson as Json
from verifflowcc.formats.turn_ids import TurnIds, origin_of, stem_of
from verifflowcc.formats.turn_times import moment_of
from verifflowcc.formats.turn_tools import voice_of_tool

_OF_THE_CLIENT = re.compile(
    r"<(?P<tag>system-reminder|command-name|command-message|command-args|command-contents|local-command-stdout"
    r"|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|user-memory-input|task-notification"
    r"|ide_opened_file|ide_selection|user-prompt-submit-hook|session-start-hook)\b[^>]*>.*?(?:</(?P=tag)>|\Z)",
    re.DOTALL,
)
_INTERRUPTED = re.compile(r"\s*\[Request interrupted by user[^\]]*\]\s*")
LEFT_OUT = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")


def read_claude(data: bytes, name: str, *, session: str | None = None) -> Conversation:
    """Return the turns of a transcript; `session` goes before the one that the lines name, and the file's name last."""
    lines = JsonLines(name, data)
    reader = _Reader(session, stem_of(name))
    turns = tuple(turn for _, row in lines.rows() for turn in reader.turns(row))
    return Conversation(origin_of(name, data), turns, tuple(lines.problems), tuple(lines.notes))


class _Reader:
    def __init__(self, session: str | None, otherwise: str) -> None:
        self._session, self._otherwise = session, otherwise
        self._calls: dict[str, tuple[Speaker, str]] = {}
        self._ids = TurnIds()

    def turns(self, row: Mapping[str, Json]) -> Iterator[Turn]:
        """Yield the turns of one line."""
        kind = row.get("type")
        if kind not in ("user", "assistant") or any(row.get(name) is True for name in LEFT_OUT):
            return
        session = self._session or text_at(row, "sessionId") or self._otherwise
        at = moment_of(row.get("timestamp"))
        person = kind == "user" and row.get("isSidechain") is not True
        speaker = Speaker.PERSON if person else Speaker.AGENT
        content = row.get("message")
        content = content.get("content") if isinstance(content, Mapping) else None
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for place, block in enumerate(blocks):
            said = self._block(block, speaker)
            if said and said[1].strip():
                voice, text, tool, own_id = said
                turn_id = own_id or self._id(text_at(row, "uuid"), place, kind, text)
                yield Turn(turn_id, voice, text.strip(), session, at, "", tool)

    def _block(self, block: Json, speaker: Speaker) -> tuple[Speaker, str, str | None, str | None] | None:
        """Return the voice, text, tool and own id of a block that says something."""
        kind = text_at(block, "type")
        if kind == "text":
            text = text_at(block, "text") or ""
            return speaker, typed(text), None, None
        if kind == "tool_use":
            asked = json.dumps(block.get("input"), ensure_ascii=False) if isinstance(block, Mapping) else ""
            self._calls[text_at(block, "id") or ""] = voice_of_tool(text_at(block, "name") or "", asked)
        if kind == "tool_result" and isinstance(block, Mapping):
            called = text_at(block, "tool_use_id") or ""
            voice, tool = self._calls.get(called, (Speaker.OUTSIDE, ""))
            return voice, _OF_THE_CLIENT.sub("", texts_of(block.get("content"))), tool or None, called or None
        return None

    def _id(self, uuid: str | None, place: int, kind: Json, text: str) -> str:
        if uuid is None:
            return self._ids.of(str(kind), text)
        return f"{uuid}/{place}" if place else uuid


def typed(text: str) -> str:
    """Return what a person typed of a text: without what the client put into it."""
    return _INTERRUPTED.sub("", _OF_THE_CLIENT.sub("", text))


def looks_like_claude(row: Mapping[str, Json]) -> bool:
    """Say whether a line of JSON is one of such a transcript."""
    own = {"parentUuid", "sessionId", "isSidechain", "leafUuid", "userType"} & row.keys()
    return text_at(row, "type") is not None and bool(own) and "payload" not in row
