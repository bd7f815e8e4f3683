"""What the first lines of a file say of the session that it tells of, if it tells of one."""

from collections.abc import Iterable, Mapping
from itertools import islice

from verifflowcc.formats.call_lines import CallLines, Json, mapping_at, milliseconds, word_at
from verifflowcc.formats.turns import looks_like_claude
from verifflowcc.formats.turns_codex import looks_like_codex
from verifflowcc.records import dataclass

CLAUDE, CODEX = "claude", "codex"
_MOST_LINES = 500


@dataclass(frozen=True, slots=True)
class Glance:
    """The client, the session's id, the folder that it worked in, and its first moment in milliseconds since 1970.

    `agent_type` is that of a subagent, where its messages say it.
    """

    client: str
    session: str
    folder: str
    at: int
    agent_type: str = ""


def glance(lines: Iterable[bytes]) -> Glance | None:
    """Return what the first lines say; None where they are of no session that worked in a folder."""
    session, folder, agent_type, at = "", "", "", 0
    for row in islice(CallLines("", lines).rows(), _MOST_LINES):
        if looks_like_codex(row):
            return _of_codex(row)
        if not looks_like_claude(row):
            continue
        session = session or word_at(row, "sessionId")
        folder = folder or word_at(row, "cwd")
        agent_type = agent_type or word_at(row, "attributionAgent")
        at = at or milliseconds(row.get("timestamp")) or 0
        if session and folder and at and (agent_type or row.get("isSidechain") is not True):
            break
    return Glance(CLAUDE, session, folder, at, agent_type) if session and folder else None


def _of_codex(row: Mapping[str, Json]) -> Glance | None:
    entry = mapping_at(row, "payload") or row
    session, folder = word_at(entry, "session_id") or word_at(entry, "id"), word_at(entry, "cwd")
    at = milliseconds(entry.get("timestamp")) or milliseconds(row.get("timestamp")) or 0
    return Glance(CODEX, session, folder, at) if session and folder else None
