"""The questions of the decision record, as queries on the history's tables; rows come back as values."""

from collections.abc import Iterable, Sequence
from typing import Any

from verifflowcc.adapters.index.history import History
from verifflowcc.domain.calls import Call
from verifflowcc.domain.episodes import FileInteraction, Operation
from verifflowcc.records import dataclass

TASK_OF = """COALESCE({0}.task_id, (
    SELECT p.task_id FROM prompts AS p WHERE p.session_id = {0}.session_id AND p.at_ms <= {0}.at_ms
    ORDER BY p.at_ms DESC, p.id DESC LIMIT 1
))"""
"""The task of a row; where the client names none, that of the last prompt of its session before it."""
ROLE_OF = """COALESCE({0}.role, CASE WHEN {0}.unplaced THEN (
    SELECT CASE WHEN following.since_ms <= {0}.at_ms THEN following.role END
    FROM places AS following WHERE following.at_ms >= {0}.at_ms AND following.worktree IS {0}.worktree
    ORDER BY following.at_ms, following.id LIMIT 1
) END)"""
"""The role of a row; of an unplaced one that of its worktree's next place, if the stage had been entered by then."""
_TOUCH = f"""
SELECT f.timestamp, f.session_id, f.file_path, f.operation, {TASK_OF.format("f")}, f.line_first, f.line_last, f.success,
    f.context, f.changes_summary
FROM file_interactions AS f
"""
_OF_TASK = f"""({{0}}.task_id = ?1 OR ({{0}}.task_id IS NULL
    AND {{0}}.session_id IN (SELECT session_id FROM prompts WHERE task_id = ?1) AND {TASK_OF} = ?1))"""
"""The rows of a task; of those without one, only what its sessions did is looked at."""
_LAST = """(SELECT MAX(l.at_ms) FROM (
    SELECT MAX(at_ms) AS at_ms FROM tool_executions WHERE session_id = b.session_id
    UNION ALL SELECT MAX(at_ms) FROM prompts WHERE session_id = b.session_id
    UNION ALL SELECT MAX(at_ms) FROM session_events WHERE session_id = b.session_id
) AS l)"""
"""The last event of a session."""
_OPERATIONS = frozenset(Operation)


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task as the tables have it: when it began, was ended by its agent, and was followed by another one.

    `last_ms` is the last event of its session, where nothing ended the task. `worktree` is None for the main one.
    """

    id: str
    session: str
    description: str
    began: str
    at_ms: int
    ended: str | None
    outcome: str
    following_ms: int | None
    session_ended: bool
    status: str | None
    role: str | None
    last_ms: int | None = None
    worktree: str | None = None


def touches(history: History, where: str, values: Sequence[object], limit: int) -> tuple[FileInteraction, ...]:
    """Return the latest touches of files that a condition on `f` fits, newest first."""
    order = " ORDER BY f.at_ms DESC, f.event DESC, f.rowid DESC LIMIT ?"
    return tuple(map(_touch, history.rows(f"{_TOUCH} WHERE {where}{order}", (*values, limit))))


def tool_counts(history: History, since_ms: int) -> list[Any]:
    """Return tool, executions, successes, executions of which it is known, and the sum and number of durations."""
    return history.rows(
        """
        SELECT tool_name, COUNT(*), COALESCE(SUM(success), 0), COUNT(success), SUM(duration_ms), COUNT(duration_ms)
        FROM tool_executions WHERE at_ms >= ? GROUP BY tool_name ORDER BY COUNT(*) DESC, tool_name
        """,
        (since_ms,),
    )


def edits(history: History, path: str | None = None, newest: int = -1) -> list[Any]:
    """Return task, path, time in milliseconds and time of every edit and write of a task, in order of tasks and time.

    With `path` only those of tasks in which that file was edited; without it, no more than the `newest`.
    """
    task = TASK_OF.format("f")
    select = f"SELECT {task} AS task, f.file_path, f.at_ms, f.timestamp, f.event FROM"
    edited = "f.operation IN ('edit', 'write') AND f.success IS NOT 0"
    order = "ORDER BY task, at_ms, event, file_path"
    if path is None:
        found = f"{select} file_interactions AS f WHERE {edited} ORDER BY f.at_ms DESC, f.event DESC LIMIT ?"
        return history.rows(f"SELECT task, file_path, at_ms, timestamp FROM ({found}) {order}", (newest,))
    return history.rows(
        f"""
        WITH touched AS (SELECT DISTINCT {task} AS task FROM file_interactions AS f WHERE f.file_path = ?),
        found AS (
            {select} touched AS t CROSS JOIN file_interactions AS f ON f.task_id = t.task WHERE {edited}
            UNION ALL {select} file_interactions AS f WHERE f.task_id IS NULL AND {edited} AND f.session_id IN (
                SELECT p.session_id FROM touched AS t CROSS JOIN prompts AS p ON p.task_id = t.task
            )
        )
        SELECT task, file_path, at_ms, timestamp FROM found WHERE task IN (SELECT task FROM touched) {order}
        """,
        (path,),
    )


def task_rows(history: History, ids: Iterable[str] | None = None) -> tuple[TaskRow, ...]:
    """Return tasks, newest first; all, or those of the given ids."""
    names = None if ids is None else list(ids)
    marks = "" if names is None else f" AND task_id IN ({', '.join('?' * len(names))})"
    prompts = history.rows(
        f"""
        WITH begun AS (SELECT task_id, session_id, description, timestamp, at_ms, {ROLE_OF.format("p")} AS role,
            worktree,
            (SELECT MIN(n.at_ms) FROM prompts AS n
             WHERE n.session_id = p.session_id AND n.at_ms > p.at_ms AND n.task_id <> p.task_id) AS following,
            EXISTS (SELECT 1 FROM session_events AS s WHERE s.session_id = p.session_id AND s.kind = 'session_end'
                AND s.at_ms >= p.at_ms) AS over
        FROM prompts AS p WHERE id = (
            SELECT q.id FROM prompts AS q WHERE q.task_id = p.task_id ORDER BY q.at_ms, q.id LIMIT 1
        ){marks})
        SELECT b.task_id, b.session_id, b.description, b.timestamp, b.at_ms, t.timestamp, COALESCE(t.outcome, ''),
            b.following, b.over, b.role, CASE WHEN t.timestamp IS NULL AND b.following IS NULL AND NOT b.over
                THEN {_LAST} END, b.worktree
        FROM begun AS b LEFT JOIN turn_ends AS t ON t.rowid = (
            SELECT e.rowid FROM turn_ends AS e WHERE e.session_id = b.session_id AND e.at_ms >= b.at_ms
                AND (e.task_id = b.task_id OR (e.task_id IS NULL AND (b.following IS NULL OR e.at_ms < b.following)))
            ORDER BY e.at_ms DESC, e.id DESC LIMIT 1
        )
        """,
        names or (),
    )
    found = [
        TaskRow(task, session, said, began, at_ms, ended, outcome, following, bool(over), None, role, last, tree)
        for task, session, said, began, at_ms, ended, outcome, following, over, role, last, tree in prompts
    ] + [
        TaskRow(task, session, said, began, at_ms, ended, outcome, None, False, status, role, None, tree)
        for task, session, said, began, at_ms, ended, outcome, status, role, tree in _explicit(
            history, marks, names or ()
        )
    ]
    return tuple(sorted(found, key=lambda each: (-each.at_ms, each.id)))


def _explicit(history: History, marks: str, names: Sequence[str]) -> list[Any]:
    """Return the tasks that somebody started by name, with what was said of them last."""
    return history.rows(
        f"""
        SELECT t.task_id, t.session_id, b.description, b.timestamp, b.at_ms,
            CASE WHEN t.status IN ('completed', 'failed') THEN t.timestamp END, t.outcome, t.status, b.role, b.worktree
        FROM tasks AS t JOIN tasks AS b ON b.id = (
            SELECT id FROM tasks WHERE task_id = t.task_id ORDER BY at_ms, id LIMIT 1
        )
        WHERE t.id = (SELECT id FROM tasks WHERE task_id = t.task_id ORDER BY at_ms DESC, id DESC LIMIT 1)
        {marks.replace("task_id", "t.task_id")}
        """,
        names,
    )


def newest_tasks(history: History, limit: int) -> tuple[str, ...]:
    """Return the ids of the tasks that began last, so that not all need be looked at."""
    begun = "SELECT task_id, MIN(at_ms) AS at_ms FROM {} GROUP BY task_id"
    both = " UNION ALL ".join(begun.format(table) for table in ("prompts", "tasks"))
    rows = history.rows(f"SELECT task_id FROM ({both}) ORDER BY at_ms DESC, task_id LIMIT ?", (limit,))
    return tuple(task for (task,) in rows if task)


def files_by_use(history: History, task: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files that a task edited, and those that it only read, each the last one first."""
    rows = history.rows(
        f"""
        SELECT file_path, MAX(CASE WHEN operation IN ('edit', 'write') AND success IS NOT 0 THEN at_ms END) AS edited,
            MAX(operation = 'read') AS was_read
        FROM file_interactions AS f WHERE {_OF_TASK.format("f")}
        GROUP BY file_path ORDER BY edited DESC, MAX(at_ms) DESC, file_path
        """,
        (task,),
    )
    edited = tuple(path for path, at_ms, _ in rows if at_ms is not None)
    return edited, tuple(path for path, at_ms, was_read in rows if at_ms is None and was_read)


def files_of(history: History, task: str) -> tuple[tuple[str, str], ...]:
    """Return the files of a task in the order of their first touch, each with what was done with it, by letters."""
    rows = history.rows(
        f"""
        SELECT file_path, GROUP_CONCAT(DISTINCT operation) FROM file_interactions AS f
        WHERE {_OF_TASK.format("f")} GROUP BY file_path ORDER BY MIN(at_ms), file_path
        """,
        (task,),
    )
    return tuple((path, operations) for path, operations in rows)


def tools_of(history: History, task: str) -> tuple[tuple[str, int], ...]:
    """Return the tools that a task used, with how often, the most used first."""
    rows = history.rows(
        f"""
        SELECT tool_name, COUNT(*) FROM tool_executions AS e
        WHERE {_OF_TASK.format("e")} GROUP BY tool_name ORDER BY COUNT(*) DESC, tool_name
        """,
        (task,),
    )
    return tuple((tool, count) for tool, count in rows)


def _touch(row: Sequence[Any]) -> FileInteraction:
    time, session, path, operation, task, first, last, success, context, changes = row
    known = Operation(operation) if operation in _OPERATIONS else Operation.ANALYZE
    lines = (first, last) if first is not None and last is not None else None
    return FileInteraction(time, session, path, known, task, lines, success != 0, context, changes)


def telling_calls(history: History) -> tuple[Call, ...]:
    """Return the calls from which a pattern may follow: what failed, might have failed there, or changed a file."""
    changed = "SELECT event FROM file_interactions AS f WHERE f.operation IN ('edit', 'write') AND f.success IS NOT 0"
    failed = "SELECT session_id, tool_name FROM tool_executions WHERE success = 0"
    return _calls(history, f" WHERE e.id IN ({changed}) OR (e.session_id, e.tool_name) IN ({failed})", ())


def calls(history: History, session: str | None = None) -> tuple[Call, ...]:
    """Return the calls of tools, of all sessions or one, in order of time."""
    return _calls(history, "", ()) if session is None else _calls(history, " WHERE e.session_id = ?", (session,))


def _calls(history: History, only: str, values: Sequence[object]) -> tuple[Call, ...]:
    rows = history.rows(
        f"""
        SELECT e.session_id, {TASK_OF.format("e")}, e.at_ms, e.timestamp, e.tool_name, e.parameters, e.success,
            COALESCE(e.signature, ''), COALESCE(e.error_message, ''), (
                SELECT GROUP_CONCAT(f.file_path, CHAR(10)) FROM file_interactions AS f
                WHERE f.event = e.id AND f.operation IN ('edit', 'write') AND f.success IS NOT 0
            )
        FROM tool_executions AS e{only} ORDER BY e.at_ms, e.id
        """,
        values,
    )
    return tuple(
        Call(whose, task, at_ms, time, tool, given, None if success is None else bool(success), signature, error,
             tuple(changed.split("\n")) if changed else ())
        for whose, task, at_ms, time, tool, given, success, signature, error, changed in rows
    )  # fmt: skip
