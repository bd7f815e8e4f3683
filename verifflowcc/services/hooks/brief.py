"""What a session begins with: where the sprint stands, what its gate wants, what is open, what was done last.

Facts alone, a line each, the most telling first, within a budget that is counted on the text as it goes out. What
agents and clients said is shown as their words, on one line, without what nobody sees and without secrets.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from verifflowcc.adapters.index.history_asked import TaskRow, task_rows
from verifflowcc.adapters.process.deadline import OutOfTimeError, within
from verifflowcc.domain.recall import Hit, Sought
from verifflowcc.domain.sprints import DONE, SprintState
from verifflowcc.domain.tasks import Task, TaskStatus
from verifflowcc.records import dataclass
from verifflowcc.services.current_sprint import command_in
from verifflowcc.services.gates import ask_stage
from verifflowcc.services.history.questions import episode, status_of
from verifflowcc.services.history.reading import open_history
from verifflowcc.services.hooks.handover import handover_lines
from verifflowcc.services.hooks.settings import Standing
from verifflowcc.services.memory.scopes import scopes_recalled
from verifflowcc.services.memory.tasks import open_tasks
from verifflowcc.services.owed import next_command, owed_by
from verifflowcc.services.recall.searching import search
from verifflowcc.services.source_reader import SourceReader
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.context_marks import BEGIN, END
from verifflowcc.text.plain_line import plain_line
from verifflowcc.text.secrets import withhold

TYPES = ("constraint", "decision", "convention", "failure")
"""What limits what may be done: the types of items that a session begins with."""
_BLOCKERS, _ITEMS, _TASKS, _DONE = 6, 5, 5, 3
_LONGEST, _LONGEST_GOALS = 160, 400
_LONGEST_REASON = 320
"""A reason may name a path and the headings that its file needs."""

PATIENCE_S = 1.0
"""Of the two seconds that a hook may take."""
_ORDER = ("place", "failed", "window", "gate", "late", "handover", "tasks", "memory", "done")
Part = tuple[str, list[str]]
_NOTHING: Part = ("", [])


@dataclass(frozen=True, slots=True)
class BriefRequest:
    """All that the parts of one brief are made from: `said` is what the client says at the start of its session."""

    workspace: Workspace
    standing: Standing
    said: Mapping[str, Any]
    budget_tokens: int
    count: Callable[[str], int]


def brief(request: BriefRequest, reader: SourceReader) -> str:
    """Return what a session begins with; empty where there is nothing to say, or no room for it.

    A part that fails is left out with a line that says so. After a compaction the brief has what mattered most in the
    session's window, with half of the room. What may take long is asked last, and left out with a word where its time
    is over: on a machine that has read nothing of a project yet, the gate alone takes seconds.
    """
    found = {"place": _place(request.standing)}
    try:
        with within(PATIENCE_S):
            for name, part in PARTS.items():
                found[name] = reader.read(name, partial(part, request), _NOTHING)
    except OutOfTimeError:
        late = [name for name in PARTS if name not in found]
        found["late"] = "", [f"Not asked, for want of time: {', '.join(late)}. `vfcc next` names what the stage owes."]
    found["failed"] = left_out(reader)
    parts = [found[name] for name in _ORDER if name in found]
    return fitted([part for part in parts if part[1]], request.budget_tokens, request.count)


def left_out(reader: SourceReader) -> Part:
    """Return a line for each source that was left out."""
    return "", list(reader.notices)


def fitted(parts: Sequence[Part], budget_tokens: int, count: Callable[[str], int]) -> str:
    """Return parts, a heading and its lines each, between our marks, with as many lines as the budget has room for."""
    kept: list[str] = []
    left_out = 0
    for heading, lines in parts:
        begun = False
        for line in lines:
            more = [f"{heading}:"] if heading and not begun else []
            more.append(f"- {line}" if heading else line)
            if count(_marked([*kept, *more], left_out=99)) <= budget_tokens:
                kept += more
                begun = True
            else:
                left_out += 1
    return _marked(kept, left_out=left_out) if kept else ""


def shown(text: str, longest: int = _LONGEST) -> str:
    """Return somebody's words on one line."""
    plain = plain_line(withhold(text), longest + 1)
    return plain if len(plain) <= longest else f"{plain[:longest].rstrip()}…"


def _marked(lines: Sequence[str], *, left_out: int) -> str:
    more = [f"({left_out} more lines found no room: vfcc status, vfcc history show)"] if left_out else []
    text = "\n".join([*lines, *more])
    for mark in (BEGIN, END):  # in a quoted artifact one would end the brief before its end
        text = text.replace(mark, "")
    return "\n".join([BEGIN, text, END])


def _place(standing: Standing) -> Part:
    sprint = standing.sprint
    if sprint is None:
        return "", _not_chosen(standing)
    passed = sum(stage.status in DONE for stage in sprint.stages)
    where = f"in stage {standing.stage}" if standing.stage else "between two stages"
    if sprint.complete:
        where = "at its end (`vfcc sprint close`)"
    found = sprint.stage(standing.stage) if standing.stage else None
    role = f", whose role is {found.stage.role}" if found else ""
    yours = f" You act as {standing.role}." if found and standing.role != found.stage.role else ""
    count = f"{passed} of {len(sprint.stages)} stages passed"
    goals = [f"Goals: {shown('; '.join(sprint.goals), _LONGEST_GOALS)}"] if sprint.goals else []
    title = f"Sprint {sprint.id}{standing.choice.label} “{shown(sprint.title, 80)}”"
    return "", [f"{title} is {where}{role}; {count}.{yours}", *goals]


def _not_chosen(standing: Standing) -> list[str]:
    """Return that no sprint is open, or which are open and how to choose one of them."""
    choice = standing.choice
    if not choice.ambiguous:
        return [f"This project uses vfcc; {choice.fault or 'no sprint is open'}."]
    return [
        f"This project uses vfcc; {choice.problem}. Until then the rules of each hold for every call.",
        *(f"- {one.id} “{shown(one.title, 80)}”: {_stage_of(one)}{_started_on(one)}" for one in standing.open),
        f"Choose: {choice.hint_for_client}. For one command: --sprint ID.",
    ]


def _stage_of(sprint: SprintState) -> str:
    return f"in stage {sprint.current}" if sprint.current else "in no stage"


def _started_on(sprint: SprintState) -> str:
    return f", started on branch {shown(sprint.branch, 80)}" if sprint.branch else ""


def _before(request: BriefRequest) -> Part:
    """What this session did before its client compacted it."""
    session = request.said.get("session_id")
    if request.said.get("source") != "compact" or not isinstance(session, str):
        return _NOTHING
    from verifflowcc.services.window.of_session import brief_after_compaction

    lines = brief_after_compaction(request.workspace, session, request.budget_tokens // 2, request.count)
    return "", ["What this session did before its context was compacted.", *map(withhold, lines)] if lines else []


def _gate(request: BriefRequest) -> Part:
    """The criteria that the current stage does not meet yet, each with its command, and the next command."""
    standing = request.standing
    if standing.sprint is None or standing.stage is None:
        return _NOTHING
    asked = ask_stage(request.workspace, standing.sprint.id)
    owed = owed_by(asked)
    named = command_in(request.workspace, standing.sprint.id)
    lines = [
        f"{each.criterion}: {shown(each.reason, _LONGEST_REASON)}: {named(each.todo)}" for each in owed[:_BLOCKERS]
    ]
    lines += [f"and {len(owed) - _BLOCKERS} more"] if len(owed) > _BLOCKERS else []
    heading = f"The stage {standing.stage} owes" if owed else f"The stage {standing.stage} owes nothing"
    return heading, [*lines, f"next: `{next_command(request.workspace, asked)}`"]


def _handover(request: BriefRequest) -> Part:
    """What earlier stages left, in half of the room; after a compaction the session's window has the other half."""
    standing = request.standing
    if standing.sprint is None or standing.stage is None:
        return _NOTHING
    room = request.budget_tokens // (3 if request.said.get("source") == "compact" else 2)
    lines = handover_lines(request.workspace, standing.sprint, standing.stage, room, request.count)
    return "Earlier stages' artifacts, quoted", lines


def _open(request: BriefRequest) -> Part:
    tasks = _tasks(request)
    return "Tasks in work", [f"{task.id}: {shown(task.description)}" for task in reversed(tasks[-_TASKS:])]


def _tasks(request: BriefRequest) -> Sequence[Task]:
    sprint = request.standing.sprint
    return open_tasks(request.workspace, request.standing.role, sprint.id if sprint else None)


def _bearing(request: BriefRequest) -> Part:
    """What is decided and known that bears on the open tasks (default: on the sprint's goals)."""
    words = " ".join(task.description for task in _tasks(request)) or _goals(request.standing.sprint)
    if not words:
        return _NOTHING
    hits = recalled(request.workspace, request.standing, words, _ITEMS)
    return "What bears on it, as the project's memory has it", [line_of(hit) for hit in hits]


def recalled(workspace: Workspace, standing: Standing, words: str, limit: int) -> tuple[Hit, ...]:
    """Return the items that limit what may be done and bear on words, best first; a person's own are not among them."""
    scopes = [scope for scope in scopes_recalled(workspace, agent=standing.role) if scope != "user"]
    found = search(workspace, scopes, Sought(words[:2000], limit, types=TYPES))
    return tuple(found.hits)


def line_of(hit: Hit) -> str:
    """Return an item in a line."""
    stale = f" (stale: {hit.stale})" if hit.stale else ""
    return f"{hit.item.type} {hit.item.id}, trust {hit.item.trust}: {shown(hit.item.title)}{stale}"


def _done(request: BriefRequest) -> Part:
    """What sessions did here last, for one that begins: the others know."""
    if request.said.get("hook_event_name", "SessionStart") != "SessionStart":
        return _NOTHING
    with open_history(request.workspace) as history:
        rows = [row for row in task_rows(history) if row.description][: _DONE * 4]
        found = [episode(history, row) for row in _spread(rows)]
    lines = []
    for each in found:
        outcome = f" Its agent said: “{shown(each.outcome)}”." if each.outcome else ""
        files = f" Files: {', '.join(map(shown, each.files[:5]))}." if each.files else ""
        lines.append(f"{each.started[:10]}, {each.status}: “{shown(each.description, 100)}”.{outcome}{files}")
    return "What was done here last", lines


def _spread(rows: Sequence[TaskRow]) -> Iterator[TaskRow]:
    """Yield what was left open first, then the newest, no more than a few."""
    open_ = [row for row in rows if status_of(row) is TaskStatus.PAUSED]
    others = [row for row in rows if row not in open_]
    yield from (open_[:1] + others)[:_DONE]


def _goals(sprint: SprintState | None) -> str:
    return " ".join((sprint.title, *sprint.goals)) if sprint else ""


PARTS: Mapping[str, Callable[[BriefRequest], Part]] = {
    "handover": _handover,
    "tasks": _open,
    "window": _before,
    "done": _done,
    "memory": _bearing,
    "gate": _gate,
}
"""Every part of a brief that is read from somewhere, in the order in which they are asked."""
