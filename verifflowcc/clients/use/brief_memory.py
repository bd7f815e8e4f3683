"""The project's memory in a brief: the rules that hold, the ones that concern the work first, and what waits."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from verifflowcc.base.files.private_files import USER
from verifflowcc.base.git.git_repository import Repository, repository_around
from verifflowcc.base.model.item_values import Item, awaits_promotion
from verifflowcc.base.model.recall_values import Hit, RecallQuery
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.rules.brief_seen import RULE
from verifflowcc.clients.use.brief_text import BriefEntry, BriefPart, Count, entries, shown
from verifflowcc.clients.use.hook_settings import AgentState
from verifflowcc.history.rules.event_shape import moment
from verifflowcc.history.store.history_tables import HistoryTables, TaskRow, files_by_use, newest_tasks, task_rows
from verifflowcc.history.use.history_reading import open_history
from verifflowcc.history.use.questions import status_of
from verifflowcc.memory.rules.superseded import excluded_items
from verifflowcc.memory.rules.tasks import Task, TaskStatus
from verifflowcc.memory.use.scopes import scopes_recalled
from verifflowcc.memory.use.stores import open_store
from verifflowcc.memory.use.task_finding import open_tasks

if TYPE_CHECKING:
    from verifflowcc.base.model.gate_input import Facts
    from verifflowcc.clients.use.handover_brief import Handed
    from verifflowcc.gates.use.gates_now import StageGates


# The inputs of a brief are cached here and read on first use: a hook has two seconds, and most briefs need few of them.

_START, _COMPACTED, _RESUMED = "SessionStart", "compact", "resume"


@dataclass(slots=True)
class BriefRequest:
    """One brief: `payload` is the client's own event, `count` counts the tokens of a text.

    `role` is the one that the brief is for, which in a subagent can be another than the one that the session has.
    """

    workspace: Workspace
    agent: AgentState
    payload: Mapping[str, Any]
    budget_tokens: int
    count: Count
    role: str | None = None
    _asked: "tuple[StageGates, Facts] | None" = field(default=None)
    _items: tuple[tuple[str, Item], ...] | None = field(default=None)
    _artifacts: "tuple[Handed, ...] | None" = field(default=None)

    @property
    def reader_role(self) -> str | None:
        """The role whose memory and commands the brief names."""
        return self.role or self.agent.role

    @property
    def session(self) -> str:
        """The client's id of the session; empty where it names none."""
        session = self.payload.get("session_id")
        return session if isinstance(session, str) else ""

    @property
    def starts(self) -> bool:
        """Whether the session starts or is resumed now, as opposed to being under way."""
        return bool(self.payload.get("hook_event_name", _START) == _START)

    @property
    def compacted(self) -> bool:
        """Whether the client has just compacted the conversation."""
        return self.payload.get("source") == _COMPACTED

    @property
    def resumed(self) -> bool:
        """Whether the client resumes a conversation that it still has."""
        return self.starts and self.payload.get("source") == _RESUMED

    @property
    def scopes(self) -> list[str]:
        """The scopes of memory that it reads: a person's own are not among them."""
        return [scope for scope in scopes_recalled(self.workspace, agent=self.reader_role) if scope != USER]

    def items(self) -> tuple[tuple[str, Item], ...]:
        """Return all items of these scopes, each with its scope. Raises BackendError and WorkspaceError."""
        if self._items is None:
            found: list[tuple[str, Item]] = []
            for scope in self.scopes:
                with open_store(self.workspace, scope) as store:
                    found += [(scope, item) for item in store.items()]
            self._items = tuple(found)
        return self._items

    def artifacts(self) -> "tuple[Handed, ...]":
        """Return the artifacts of earlier stages, in the order in which the current one builds on them."""
        sprint, stage = self.agent.sprint, self.agent.stage
        if self._artifacts is None:
            from verifflowcc.clients.use.handover_brief import handed_over

            self._artifacts = handed_over(self.workspace, sprint, stage) if sprint and stage else ()
        return self._artifacts

    def gates(self) -> "tuple[StageGates, Facts] | None":
        """Return the current stage's gates and the facts behind them; None between two stages. Raises `ask_stage`'s."""
        sprint, stage = self.agent.sprint, self.agent.stage
        if self._asked is None and sprint and stage:
            from verifflowcc.gates.use.gates_now import ask_stage_with_facts

            self._asked = ask_stage_with_facts(self.workspace, sprint.id)
        return self._asked


# What was done, in a brief: the last tasks with their files, and a compacted session.

_DONE, _EDITED, _READ = 3, 5, 3
_BRIEF_WORK_COMPACTED = "What this session did before its context was compacted."


def done_last(request: BriefRequest) -> BriefPart:
    """Return the last tasks of other sessions, for a session that starts or resumes."""
    if not request.starts or request.compacted:
        return BriefPart()
    now_ms = int(request.workspace.clock.now().timestamp() * 1000)
    own = request.session if request.resumed else ""
    with open_history(request.workspace) as history:
        rows = task_rows(history, newest_tasks(history, _DONE * 4))
        rows = tuple(row for row in rows if row.description and row.session != own)
        around = repository_around(str(request.workspace.root))
        lines = [_task_line(history, row, now_ms, around) for row in _left_open_first(rows, now_ms)]
    return BriefPart("Done here last", entries(lines), name="tasks", command="vfcc history show --by task --all")


def before_compaction(request: BriefRequest) -> BriefPart:
    """Return what this session did before its client compacted it."""
    if not request.compacted or not request.session:
        return BriefPart()
    from verifflowcc.history.use.window_use import brief_after_compaction

    half = request.budget_tokens // 2
    lines = brief_after_compaction(request.workspace, request.session, half, request.count)
    return BriefPart(entries=entries([_BRIEF_WORK_COMPACTED, *map(withhold, lines)] if lines else []))


def _task_line(history: HistoryTables, row: TaskRow, now_ms: int, around: Repository | None) -> str:
    """Return a task with how it ended; the files that it edited, the last one first, before those that it only read."""
    where = _worktree(row, around)
    edited, read = files_by_use(history, row.id)
    files = [f" Edited: {_few(edited, _EDITED)}." if edited else "", f" Read: {_few(read, _READ)}." if read else ""]
    outcome = f" It ended with: “{shown(row.outcome)}”." if row.outcome else ""
    return f"{row.began[:10]}, {_ending(row, now_ms)}{where}: “{shown(row.description, 100)}”.{''.join(files)}{outcome}"


def _worktree(row: TaskRow, around: Repository | None) -> str:
    """Return a clause that names the worktree of a task, where it is another one: its files may differ from those here.

    Empty where the task is of this worktree.
    """
    other = row.worktree or ""
    if around is None or other == around.worktree:
        return ""
    return f", in worktree {shown(other)}" if other else ", in the main worktree"


def _ending(row: TaskRow, now_ms: int) -> str:
    """Return how a task ended, as far as it is recorded: a client that is killed reports no end."""
    status = status_of(row, now_ms)
    if row.last_ms is None or status.final:
        return str(status)
    last = minute(moment(row.last_ms))
    return f"interrupted, last event {last}" if status is TaskStatus.PAUSED else f"no end recorded, last event {last}"


def _few(paths: Sequence[str], most: int) -> str:
    more = f" and {len(paths) - most} more" if len(paths) > most else ""
    return f"{', '.join(map(shown, paths[:most]))}{more}"


def minute(time: str) -> str:
    """Return a recorded time to the minute."""
    return f"{time[:16].replace('T', ' ')} UTC"


def _left_open_first(rows: Sequence[TaskRow], now_ms: int) -> Iterator[TaskRow]:
    """Yield what was left open first, then the newest, no more than a few."""
    open_ = [row for row in rows if status_of(row, now_ms) is TaskStatus.PAUSED]
    others = [row for row in rows if row not in open_]
    yield from (open_[:1] + others + open_[1:])[:_DONE]


TYPES = ("constraint", "decision", "convention", "failure")
"""What limits what may be done: the types of items that a session begins with."""
_IN_FORCE = ("constraint", "convention", "guideline", "decision")
"""What holds for all work, whatever it is called; what went wrong once is of use where its words fit."""
_RULES, _PROPOSALS, _TASKS = 8, 3, 5
_LONGEST_TEXT = 400


def rules(request: BriefRequest) -> BriefPart:
    """Return the rules in force: those that match the open tasks or the goals, then others, the most important first.

    The first has the beginning of its text.
    """
    words = " ".join(task.description for task in tasks_of(request)) or _goal_words(request.agent.sprint)
    hits = recalled(request.workspace, request.agent, words, _RULES, request.reader_role) if words else ()
    matched = {hit.item.id for hit in hits}
    found = [(hit.scope, hit.item, line_of(hit)) for hit in hits]
    found += [(scope, item, _index_line(item)) for scope, item in _in_force(request) if item.id not in matched]
    lines = [BriefEntry(line, f"{RULE}{item.id} {line}") for _, item, line in found]
    if found and (text := _text_of(request.workspace, found[0][0], found[0][1].id)):
        lines[0] = BriefEntry(f"{lines[0].text}\n  > {text}", lines[0].key)
    heading = "Rules in force, those that match the work first" if hits else "Rules in force"
    return BriefPart(heading, tuple(lines[:_RULES]), max(0, len(lines) - _RULES), "rules", "vfcc memory list")


def proposals(request: BriefRequest) -> BriefPart:
    """Return the items that wait for a person."""
    if request.compacted:
        return BriefPart()
    waiting = [item for _, item in request.items() if awaits_promotion(item)]
    waiting.sort(key=lambda item: (item.created or "", item.id), reverse=True)
    lines = [
        BriefEntry(f"{item.type} {item.id}, by {shown(item.source.actor, 40)}: {shown(item.title)}") for item in waiting
    ]
    hidden = max(0, len(waiting) - _PROPOSALS)
    heading = "Proposals that wait for a person, not in force"
    return BriefPart(heading, tuple(lines[:_PROPOSALS]), hidden, "proposals", "vfcc memory inbox")


def open_work(request: BriefRequest) -> BriefPart:
    """Return the tasks that are open, the newest first."""
    found = tasks_of(request)[::-1]
    lines = tuple(BriefEntry(f"{task.id}: {shown(task.description)}") for task in found[:_TASKS])
    return BriefPart("Open tasks", lines, max(0, len(found) - _TASKS), "tasks", "vfcc task list")


def tasks_of(request: BriefRequest) -> Sequence[Task]:
    """Return the open tasks of the role in the sprint, oldest first."""
    sprint = request.agent.sprint
    return open_tasks(request.workspace, request.reader_role, sprint.id if sprint else None)


def recalled(
    workspace: Workspace, place: AgentState, words: str, limit: int, role: str | None = None
) -> tuple[Hit, ...]:
    """Return the items that limit what may be done and bear on words, best first; a person's own are not among them."""
    from verifflowcc.memory.use.searching import search

    scopes = [scope for scope in scopes_recalled(workspace, agent=role or place.role) if scope != USER]
    found = search(workspace, scopes, RecallQuery(words[:2000], limit, types=TYPES))
    return tuple(found.hits)


def line_of(hit: Hit) -> str:
    """Return an item in a line."""
    stale = f" (stale: {hit.stale})" if hit.stale else ""
    return f"{_index_line(hit.item)}{stale}"


def ids_in_force(request: BriefRequest) -> frozenset[str]:
    """Return the ids of all items that hold, whether or not a brief lists them."""
    items = [item for _, item in request.items()]
    withdrawn = excluded_items(items).left_out
    return frozenset(item.id for item in items if item.path not in withdrawn)


def _index_line(item: Item) -> str:
    return f"{item.type} {item.id}, trust {item.trust}: {shown(item.title)}"


def _in_force(request: BriefRequest) -> Sequence[tuple[str, Item]]:
    """Return the rules that hold for all work: by their kind, the most important first."""
    withdrawn = excluded_items([item for _, item in request.items()]).left_out
    today = request.workspace.today()
    found = [
        (scope, item)
        for scope, item in request.items()
        if item.type in _IN_FORCE and item.path not in withdrawn and not (item.expires and item.expires[:10] < today)
    ]
    return sorted(found, key=lambda each: (_IN_FORCE.index(each[1].type), -each[1].importance, each[1].id))


def _text_of(workspace: Workspace, scope: str, name: str) -> str:
    """Return the beginning of an item's text, on one line."""
    with open_store(workspace, scope) as store:
        stored = store.get(name)
    text = plain_line(withhold(stored.body), _LONGEST_TEXT + 1) if stored else ""
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT].rstrip()}…"


def _goal_words(sprint: SprintState | None) -> str:
    return " ".join((sprint.title, *sprint.goals)) if sprint else ""
