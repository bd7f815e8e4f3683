"""Turns as lines of JSON: `{speaker or role, text or content, at, session, name, id, tool}`, one turn a line."""

from collections.abc import Collection, Mapping

from verifflowcc.domain.turns import Conversation, Speaker, Turn
from verifflowcc.formats.call_lines import JsonLines, text_at, texts_of
from verifflowcc.formats.call_lines import JsonLinesJson as Json
from verifflowcc.formats.turn_ids import TurnIds, origin_of, session_of
from verifflowcc.formats.turn_times import moment_of
from verifflowcc.formats.turn_tools import voice_of_tool
from verifflowcc.formats.turns_roles import SILENT, speaker_named, speaker_of

_TEXTS = ("text", "content", "message")
_SPEAKERS = ("speaker", "role", "author", "from")
_TIMES = ("at", "timestamp", "time", "created_at", "date")


def read_turn_lines(
    data: bytes, name: str, *, session: str | None = None, agents: Collection[str] = ()
) -> Conversation:
    """Return the turns of the lines, `agents` (case folded) being names of agents.

    A line that says nobody's name or no text is a problem. Lines without a session are of `session`, else of one that
    is called after the file and what is said first.
    """
    lines = JsonLines(name, data)
    reader = _Reader(name, session, agents)
    turns = []
    for number, row in lines.rows():
        turn = reader.turn(row)
        if isinstance(turn, str):
            lines.problems.append(f"{name}:{number}: {turn}")
        elif turn is not None:
            turns.append(turn)
    return Conversation(origin_of(name, data), tuple(turns), tuple(lines.problems), tuple(lines.notes))


class _Reader:
    def __init__(self, file: str, session: str | None, agents: Collection[str]) -> None:
        self._file, self._given, self._agents = file, session, agents
        self._otherwise: str | None = session
        self._ids: dict[str, TurnIds] = {}

    def turn(self, row: Mapping[str, Json]) -> Turn | str | None:
        """Return the turn of a line, why it has none, or None where what it says is nobody's statement."""
        word = next((found for each in _SPEAKERS if (found := text_at(row, each))), "")
        text = next((texts_of(row[each]) for each in _TEXTS if row.get(each)), "").strip()
        if not word.strip() or not any(each in row for each in _TEXTS):
            return "a turn needs `speaker` (or `role`) and `text` (or `content`)"
        if word.casefold() in SILENT or not text:
            return None
        name = text_at(row, "name") or ("" if speaker_of(word) else word)
        speaker, tool = self._voice(word, name), text_at(row, "tool")
        if speaker is Speaker.TOOL and tool:
            speaker, tool = voice_of_tool(tool, text_at(row, "command") or "")
        session = self._session(row, f"{name or word}\0{text}")
        turn_id = _own_id(row) or self._ids.setdefault(session, TurnIds()).of(name or str(speaker), text)
        at = next((found for each in _TIMES if (found := moment_of(row.get(each)))), None)
        return Turn(turn_id, speaker, text, session, at, name, tool)

    def _voice(self, word: str, name: str) -> Speaker:
        if name.casefold() in self._agents or word.casefold() in self._agents:
            return Speaker.AGENT
        return speaker_of(word) or speaker_named(name, self._agents)

    def _session(self, row: Mapping[str, Json], first: str) -> str:
        if self._given is not None:
            return self._given
        said = next((row[each] for each in ("session", "session_id") if row.get(each)), None)
        if isinstance(said, str | int):
            return str(said)
        self._otherwise = self._otherwise or session_of(self._file, first)
        return self._otherwise


def _own_id(row: Mapping[str, Json]) -> str | None:
    found = row.get("id")
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) and str(found).strip() else None
