"""What the history offers to a prompt: past tasks like the one at hand, and what the role did last.

All of it is of this machine alone, and what agents said is shown as theirs: on one line each, in a fence.
"""

import json
import os
from collections.abc import Iterator

from verifflowcc.adapters.files.layout import MEMORY, Supplied
from verifflowcc.adapters.index.history import History
from verifflowcc.adapters.index.history_asked import task_rows
from verifflowcc.domain.episodes import TaskEpisode
from verifflowcc.domain.tasks import TaskStatus
from verifflowcc.services.history.questions import episode, status_of
from verifflowcc.services.history.reading import SHARED, history_folders, open_history
from verifflowcc.services.history.showing import actions_in
from verifflowcc.services.history.similar import BEST, alike_in
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.article import plain_line

_FILES, _OPEN, _LONGEST = 8, 3, 300


def history_places(workspace: Workspace) -> Iterator[str]:
    """Yield the folders and files, by path below the project's root, that what is offered follows from."""
    for folder in (*history_folders(workspace), workspace.memory / SHARED):
        below = os.path.relpath(folder.resolve(), workspace.root.resolve())
        yield below
        yield from (f"{below}/{path.name}" for path in sorted(folder.glob("*.jsonl")))


def recent_actions_text(workspace: Workspace, role: str) -> Supplied | None:
    """Return what the role did last as JSON, newest first; None where nothing was recorded. Raises BackendError."""
    with open_history(workspace) as history:
        found = actions_in(history, role)
    if not found:
        return None
    lines = []
    for each in found:
        line = {"time": each.time, "tool": each.tool, "about": plain_line(each.about, _LONGEST)}
        outcome: dict[str, str | bool] = {} if each.success is None else {"success": each.success}
        error = {"error": plain_line(each.error, _LONGEST)} if each.error else {}
        lines.append(json.dumps(line | outcome | error, ensure_ascii=False))
    text = "[\n  " + ",\n  ".join(lines) + "\n]\n"
    return Supplied(f"{MEMORY}/agent/{role}/recent_actions.json", text, "agent")


def past_tasks_text(workspace: Workspace, task: str) -> Supplied | None:
    """Return past tasks like a text, with what came of them, and those left open; None where there is nothing.

    Raises BackendError.
    """
    with open_history(workspace) as history:
        alike = [each.task for each in alike_in(history, task, None, BEST)] if task else []
        open_ = [each for each in _left_open(history) if each.id not in {one.id for one in alike}]
    sections = (("Past tasks like this one", alike), ("Left open", open_))
    parts = [f"## {title}\n\n" + "".join(map(_told, found)) for title, found in sections if found]
    return Supplied(f"{MEMORY}/local/history", "\n".join(parts), "agent") if parts else None


def _left_open(history: History) -> list[TaskEpisode]:
    rows = [row for row in task_rows(history) if status_of(row, None) is TaskStatus.PAUSED and row.description]
    return [episode(history, row, None) for row in rows[:_OPEN]]


def _told(task: TaskEpisode) -> str:
    files = ", ".join(task.files[:_FILES])
    more = f" and {len(task.files) - _FILES} more" if len(task.files) > _FILES else ""
    lines = [f"- {task.started[:10]}: {plain_line(task.description, _LONGEST)}", f"  {task.status}"]
    if task.outcome:
        lines[-1] += f": {plain_line(task.outcome, _LONGEST)}"
    if files:
        lines.append(f"  files: {files}{more}")
    return "\n".join(lines) + "\n"
