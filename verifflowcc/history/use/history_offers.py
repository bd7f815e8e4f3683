"""Offer a prompt past tasks like its own, and the role's last actions.

All of it is of this machine alone, and what agents said is shown as theirs: on one line each, in a fence.
"""

import json
from collections.abc import Iterable

from verifflowcc.base.files.layout import MEMORY, SourceContent
from verifflowcc.base.index.index_file import among
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.base.text.stems import stems
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.agent_history import Posting, TaskEpisode, ranked
from verifflowcc.history.store.history_tables import (
    AT_ONCE,
    ROLE_OF,
    HistoryTables,
    TaskRow,
    newest_task_rows,
    task_rows,
)
from verifflowcc.history.use.history_reading import open_history, open_history_soon
from verifflowcc.history.use.questions import (
    episode,
    milliseconds_now,
    status_of,
)
from verifflowcc.memory.rules.tasks import TaskStatus

# Past tasks that are like a text, with what came of them.

BEST = 3
_LOOKED_AT = 4


@dataclass(frozen=True, slots=True)
class SimilarTask:
    """A past task that is like a text, and how much: a whole number that says nothing but which is more."""

    task: TaskEpisode
    score: int


def similar_tasks(workspace: Workspace, text: str, limit: int = BEST) -> tuple[TaskEpisode, ...]:
    """Return the past tasks that are most like a text, best first, without active ones.

    Raises BackendError.
    """
    with open_history(workspace) as history:
        return tuple(each.task for each in alike_in(history, text, milliseconds_now(workspace), limit))


def alike_in(history: HistoryTables, text: str, now_ms: int | None, limit: int = BEST) -> tuple[SimilarTask, ...]:
    """Return the same from a history that is open, with scores. Of tasks with the same words one is returned."""
    terms = sorted(set(stems(text)))
    if not terms:
        return ()
    marks = ", ".join("?" * len(terms))
    postings: dict[str, list[Posting]] = {}
    for term, name, count in history.rows(f"SELECT term, id, count FROM task_terms WHERE term IN ({marks})", terms):
        postings.setdefault(term, []).append(Posting(name, count))
    names = sorted({each.task for found in postings.values() for each in found})
    lengths = _lengths(history, names)
    ((tasks,),) = history.rows("SELECT COUNT(*) FROM task_lengths")
    found: list[SimilarTask] = []
    best = ranked(postings, lengths, tasks, len(names))
    for place in range(0, len(best), limit * _LOOKED_AT):
        some = best[place : place + limit * _LOOKED_AT]
        found += _past(history, some, {each.task.description.strip().casefold() for each in found}, now_ms)
        if len(found) >= limit:
            break
    return tuple(found[:limit])


def _past(
    history: HistoryTables, best: tuple[tuple[str, int], ...], seen: set[str], now_ms: int | None
) -> list[SimilarTask]:
    """Return those of the events that begin past tasks, in their order, but for those whose words were seen."""
    ids = [name for name, _ in best]
    marks = ", ".join("?" * len(ids))
    both = f"SELECT id, task_id FROM {{}} WHERE id IN ({marks})"
    task_of = dict(history.rows(f"{both.format('prompts')} UNION ALL {both.format('tasks')}", ids * 2))
    rows = {row.id: row for row in task_rows(history, sorted(set(task_of.values())))}
    found = []
    for name, score in best:
        row = rows.get(task_of.get(name, ""))
        if row is None or status_of(row, now_ms) is TaskStatus.ACTIVE or row.description.strip().casefold() in seen:
            continue
        seen.add(row.description.strip().casefold())
        found.append(SimilarTask(episode(history, row, now_ms), score))
    return found


def _lengths(history: HistoryTables, names: list[str]) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for condition, some in among("id", names, AT_ONCE):
        lengths |= dict(history.rows(f"SELECT id, terms FROM task_lengths WHERE {condition}", some))
    return lengths


# The history as `vfcc history show` tells it: the latest actions, and whether any line of it could not be read.

ACTIONS = 20


@dataclass(frozen=True, slots=True)
class Action:
    """A call of a tool in one line: `subject` is the file, the command or what else says what it was for."""

    time: str
    session: str
    client: str | None
    role: str | None
    """The agent's role, or null."""
    tool: str
    subject: str
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


def actions_in(history: HistoryTables, role: str | None = None, limit: int = ACTIONS) -> tuple[Action, ...]:
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
    given = json.loads(parameters)
    for name in ("command", "query", "url", "pattern", "description", "prompt"):
        value = given.get(name) if isinstance(given, dict) else None
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())[:200]
    return files or ""


_FILES, _OPEN, _LONGEST = 8, 3, 300
_NEWEST = 100
"""Among so many tasks those that were left open are looked for first; among all only where these are too few."""


def recent_actions_text(workspace: Workspace, role: str) -> SourceContent | None:
    """Return what the role did last as JSON, newest first; None where nothing was recorded.

    Raises BackendError, and ConflictError where the history was not read yet.
    """
    with open_history_soon(workspace) as history:
        found = actions_in(history, role)
    if not found:
        return None
    lines = []
    for each in found:
        line = {"time": each.time, "tool": each.tool, "about": plain_line(each.subject, _LONGEST)}
        outcome: dict[str, str | bool] = {} if each.success is None else {"success": each.success}
        error = {"error": plain_line(each.error, _LONGEST)} if each.error else {}
        lines.append(json.dumps(line | outcome | error, ensure_ascii=False))
    text = "[\n  " + ",\n  ".join(lines) + "\n]\n"
    return SourceContent(f"{MEMORY}/agent/{role}/recent_actions.json", text, "agent")


def past_tasks_text(workspace: Workspace, task: str) -> SourceContent | None:
    """Return past tasks like a text, with what came of them, and those left open; None where there is nothing.

    Raises BackendError, and ConflictError where the history was not read yet.
    """
    with open_history_soon(workspace) as history:
        alike = [each.task for each in alike_in(history, task, None, BEST)] if task else []
        open_ = [each for each in _left_open(history) if each.id not in {one.id for one in alike}]
    sections = (("Past tasks like this one", alike), ("Left open", open_))
    parts = [f"## {title}\n\n" + "".join(map(_task_text, found)) for title, found in sections if found]
    return SourceContent(f"{MEMORY}/local/history", "\n".join(parts), "agent") if parts else None


def _left_open(history: HistoryTables) -> list[TaskEpisode]:
    newest = newest_task_rows(history, _NEWEST)
    rows = _paused(newest)
    if len(rows) < _OPEN and len(newest) == _NEWEST:
        rows = _paused(task_rows(history))
    return [episode(history, row, None) for row in rows]


def _paused(rows: Iterable[TaskRow]) -> list[TaskRow]:
    return [row for row in rows if row.description and status_of(row, None) is TaskStatus.PAUSED][:_OPEN]


def _task_text(task: TaskEpisode) -> str:
    files = ", ".join(task.files[:_FILES])
    more = f" and {len(task.files) - _FILES} more" if len(task.files) > _FILES else ""
    lines = [f"- {task.started[:10]}: {plain_line(task.description, _LONGEST)}", f"  {task.status}"]
    if task.outcome:
        lines[-1] += f": {plain_line(task.outcome, _LONGEST)}"
    if files:
        lines.append(f"  files: {files}{more}")
    return "\n".join(lines) + "\n"
