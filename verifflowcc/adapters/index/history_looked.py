"""What sessions asked for and looked at, out of the history's tables: prompts, and calls with files they touched."""

from verifflowcc.adapters.index.history import History
from verifflowcc.adapters.index.history_asked import TASK_OF
from verifflowcc.domain.calls import Call


def prompts(history: History, session: str | None = None) -> dict[str, str]:
    """Return the words of each task, by its id: those of its first prompt."""
    only = "" if session is None else " AND session_id = ?"
    rows = history.rows(
        f"SELECT task_id, description FROM prompts WHERE description <> ''{only} ORDER BY at_ms DESC, id DESC",
        () if session is None else (session,),
    )
    return dict(rows)


def looking_calls(history: History, session: str | None = None) -> tuple[Call, ...]:
    """Return all calls of tools, of all sessions or one, in order of time, with the files that they touched."""
    only = "" if session is None else " WHERE e.session_id = ?"
    touched = "SELECT GROUP_CONCAT(f.file_path, CHAR(10)) FROM file_interactions AS f WHERE f.event = e.id"
    rows = history.rows(
        f"""
        SELECT e.session_id, {TASK_OF.format("e")}, e.at_ms, e.timestamp, e.tool_name, e.parameters, e.success,
            ({touched} AND f.operation IN ('edit', 'write') AND f.success IS NOT 0), ({touched})
        FROM tool_executions AS e{only} ORDER BY e.at_ms, e.id
        """,
        () if session is None else (session,),
    )
    return tuple(
        Call(whose, task, at_ms, time, tool, given, None if success is None else bool(success), "", "",
             _paths(changed), _paths(all_))
        for whose, task, at_ms, time, tool, given, success, changed, all_ in rows
    )  # fmt: skip


def _paths(joined: str | None) -> tuple[str, ...]:
    return tuple(joined.split("\n")) if joined else ()
