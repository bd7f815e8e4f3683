"""The history as `vfcc history show` tells it: the latest actions, and whether any line of it could not be read."""

from verifflowcc.adapters.index.history import History
from verifflowcc.adapters.index.history_asked import ROLE_OF
from verifflowcc.records import dataclass
from verifflowcc.services.history.reading import open_history
from verifflowcc.services.workspace import Workspace

ACTIONS = 20


@dataclass(frozen=True, slots=True)
class Action:
    """A call of a tool in one line: `about` is the file, the command or what else says what it was for."""

    time: str
    session: str
    client: str | None
    role: str | None
    """The agent's role, or null."""
    tool: str
    about: str
    """The file, the command or another argument."""
    success: bool | None
    """Null if unknown."""
    error: str = ""


@dataclass(frozen=True, slots=True)
class SessionLine:
    """A session: when it was first and last heard of, what it did, and the tokens that an import read of it."""

    session: str
    client: str | None
    first: str
    last: str
    prompts: int
    tools: int
    failed: int
    files: int
    input_tokens: int
    """As an import read them."""
    output_tokens: int
    """As an import read them."""


def recent_actions(workspace: Workspace, role: str | None = None, limit: int = ACTIONS) -> tuple[Action, ...]:
    """Return the latest calls of tools, newest first; with `role` those of that role and of none in particular.

    Raises BackendError.
    """
    with open_history(workspace) as history:
        return actions_in(history, role, limit)


def actions_in(history: History, role: str | None = None, limit: int = ACTIONS) -> tuple[Action, ...]:
    """Return the same from a history that is open."""
    rows = history.rows(
        f"""
        WITH found AS (SELECT *, {ROLE_OF.format("e")} AS whose FROM tool_executions AS e)
        SELECT timestamp, session_id, client, whose, tool_name, parameters, success, COALESCE(error_message, ''),
            (SELECT GROUP_CONCAT(file_path, ', ') FROM file_interactions AS f WHERE f.event = found.id)
        FROM found WHERE ?1 IS NULL OR whose IS NULL OR whose = ?1
        ORDER BY at_ms DESC, id DESC LIMIT ?2
        """,
        (role, limit),
    )
    return tuple(
        Action(time, session, client, whose, tool, _about(given, files), None if ok is None else bool(ok), error)
        for time, session, client, whose, tool, given, ok, error, files in rows
    )


def sessions(workspace: Workspace, limit: int = ACTIONS) -> tuple[SessionLine, ...]:
    """Return the sessions that were heard of last, newest first. Raises BackendError."""
    with open_history(workspace) as history:
        rows = history.rows(
            """
            WITH heard AS (
                SELECT session_id, client, timestamp, at_ms FROM tool_executions
                UNION ALL SELECT session_id, client, timestamp, at_ms FROM prompts
                UNION ALL SELECT session_id, client, timestamp, at_ms FROM session_events
            )
            SELECT session_id, MAX(client), MIN(timestamp), MAX(timestamp),
                (SELECT COUNT(*) FROM prompts AS p WHERE p.session_id = h.session_id),
                (SELECT COUNT(*) FROM tool_executions AS e WHERE e.session_id = h.session_id),
                (SELECT COUNT(*) FROM tool_executions AS e WHERE e.session_id = h.session_id AND e.success = 0),
                (SELECT COUNT(DISTINCT file_path) FROM file_interactions AS f WHERE f.session_id = h.session_id),
                (SELECT COALESCE(SUM(input_tokens), 0) FROM usage AS u WHERE u.session_id = h.session_id),
                (SELECT COALESCE(SUM(output_tokens), 0) FROM usage AS u WHERE u.session_id = h.session_id)
            FROM heard AS h WHERE session_id <> '' GROUP BY session_id
            ORDER BY MAX(at_ms) DESC, session_id LIMIT ?
            """,
            (limit,),
        )
    return tuple(SessionLine(*row) for row in rows)


def bad_lines(workspace: Workspace) -> int:
    """Return how many lines of the history are no events: torn by a full disk, or written by somebody else."""
    with open_history(workspace) as history:
        return history.bad_lines


def _about(parameters: str, files: str | None) -> str:
    import json

    given = json.loads(parameters)
    for name in ("command", "query", "url", "pattern", "description", "prompt"):
        value = given.get(name) if isinstance(given, dict) else None
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())[:200]
    return files or ""
