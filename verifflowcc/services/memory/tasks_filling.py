"""Start a task, and note what it finds out while it is in work."""

from verifflowcc.adapters.files.item_files import draw_letters
from verifflowcc.adapters.files.task_files import changing_task, load_task, save_task
from verifflowcc.adapters.tokens.counter import open_counter
from verifflowcc.domain.items import Item, Source
from verifflowcc.domain.tasks import Task
from verifflowcc.errors import UsageError
from verifflowcc.formats.events import stamp
from verifflowcc.records import dataclass
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.finding import LONGEST_TITLE, find_stage, one_line, one_of
from verifflowcc.services.memory.guarding import refuse_secrets
from verifflowcc.services.memory.opening import open_store
from verifflowcc.services.memory.scopes import NAME, agent_of
from verifflowcc.services.memory.stores import TaskMemoryStore
from verifflowcc.services.memory.tasks import find_task, task_in_work, tasks_folder
from verifflowcc.services.sprint_reading import active_sprint, ledger_of, open_sprints, show_sprint
from verifflowcc.services.workspace import Workspace, provider
from verifflowcc.text.slug import item_id

TYPES = ("reasoning", "tool_output", "task_state")


@dataclass(frozen=True, slots=True)
class Note:
    """What is to be noted: `stage` and `tool` where it is from, `key` what it takes the place of."""

    text: str
    type: str = TYPES[0]
    stage: str | None = None
    tool: str | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """An item of a task as it is kept."""

    task: str
    item: Item


def start_task(
    workspace: Workspace,
    description: str,
    *,
    actor: str,
    agent: str | None = None,
    sprint: str | None = None,
    stage: str | None = None,
) -> Task:
    """Begin a task: of the acting role, in the open sprint and its stage in work, where nothing else is said.

    Raises UsageError for words that say nothing, for a sprint or stage that there is not, and where none of
    several open sprints is chosen; WorkspaceError where it cannot be written.
    """
    about = one_line(description, "what the task is about", LONGEST_TITLE)
    if not about:
        raise UsageError("a task is about something", hint='vfcc task start "What it is about"')
    refuse_secrets(("what the task is about", about))
    role = agent if agent is not None else agent_of(actor)
    if role is not None and not NAME.fullmatch(role):
        raise UsageError(f"{role!r} cannot be an agent's name", hint="--agent coder")
    where = _sprint(workspace, sprint, stage)
    task = Task(_free_id(workspace, about), about, actor, stamp(workspace.clock.now()), role, *where)
    save_task(tasks_folder(workspace), workspace.memory, task)
    provider("task history")(workspace, task)
    return task


def note_in_task(workspace: Workspace, note: Note, *, actor: str, task: str | None = None) -> Noted:
    """Keep an item in a task, the newest one in work where none is named. Its stage is the one in work, if not said.

    Raises UsageError for a task that there is not or that has ended, an unknown type, a tool where none can be, and a
    text that says nothing; and as the store does.
    """
    kind = one_of(note.type, TYPES, "type of a task's items", "--type …")
    if note.tool is not None and kind != "tool_output":
        raise UsageError(f"--tool goes with --type tool_output, and this is {kind}", hint="--type tool_output")
    if kind == "tool_output" and not note.tool:
        raise UsageError("a tool's output has a tool", hint="--tool NAME")
    tool, key = (one_line(word, what) if word else None for word, what in ((note.tool, "--tool"), (note.key, "--key")))
    refuse_secrets(("the text", note.text), ("--tool", tool), ("--key", key))
    found = task_in_work(workspace, task, agent_of(actor), command="")
    stage = _stage(workspace, found, note.stage)
    count = open_counter(effective_config(workspace).config.tokens).count
    folder = tasks_folder(workspace)
    with changing_task(folder, workspace.memory, found.id):
        demand_open(load_task(folder, found.id) or find_task(workspace, found.id))
        with open_store(workspace, f"task/{found.id}") as backend:
            store = TaskMemoryStore(found.id, backend, Source(actor=actor), workspace.clock, draw_letters, count)
            return Noted(found.id, store.add(kind, note.text, stage=stage, tool=tool, key=key).item)


def demand_open(task: Task) -> None:
    """Raise UsageError where a task has ended."""
    if task.status.final:
        raise UsageError(
            f"the task {task.id} has ended ({task.status})",
            hint='vfcc task start "What it is about", or vfcc task list',
        )


def _sprint(workspace: Workspace, sprint: str | None, stage: str | None) -> tuple[str | None, str | None]:
    if sprint is None and not open_sprints(workspace):
        if stage is not None:
            raise UsageError("a stage is part of a sprint, and no sprint is open", hint="--sprint ID")
        return None, None
    state = active_sprint(workspace, sprint)
    if stage is not None:
        find_stage(state, stage)
    return state.id, stage or state.current


def _stage(workspace: Workspace, task: Task, given: str | None) -> str | None:
    """The stage that a note is from: one of the task's sprint; any word where the task is of none."""
    if task.sprint is None or task.sprint not in ledger_of(workspace).sprint_ids():
        return one_line(given, "--stage") if given else task.stage
    state = show_sprint(workspace, task.sprint)
    return find_stage(state, given).stage.id if given else state.current or task.stage


def _free_id(workspace: Workspace, about: str) -> str:
    while (tasks_folder(workspace) / (name := item_id(about, draw_letters()))).exists():
        continue
    return name
