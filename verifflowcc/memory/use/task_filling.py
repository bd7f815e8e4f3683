"""Start a task, and note what it finds out."""

from collections.abc import Callable, Sequence

from verifflowcc.base.errors import UsageError
from verifflowcc.base.files.item_files import draw_letters
from verifflowcc.base.formats.event_bytes import stamp
from verifflowcc.base.formats.item_render import scalar
from verifflowcc.base.model.config_values import MAX_ITEMS, TokenSettings
from verifflowcc.base.model.item_values import Item, Source, SourceKind, Status
from verifflowcc.base.model.memory_protocol import MemoryBackend, StoredItem
from verifflowcc.base.model.ports import Clock, Count
from verifflowcc.base.process.clock import SystemClock
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.identifiers import item_id
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.base.use.guarding import refuse_secrets
from verifflowcc.base.use.stage_words import LONGEST_TITLE, find_stage, one_line, one_of
from verifflowcc.base.use.workspace import Workspace, provider
from verifflowcc.memory.rules.lifetimes import evicted
from verifflowcc.memory.rules.tasks import Task
from verifflowcc.memory.store.in_memory import InMemoryBackend
from verifflowcc.memory.store.task_files import changing_task, load_task, save_task
from verifflowcc.memory.use.adding import ItemRequest, Letters, keyed, record
from verifflowcc.memory.use.archiving import EVICTED, archive_item
from verifflowcc.memory.use.recording import changed, title_of
from verifflowcc.memory.use.scopes import NAME, agent_of
from verifflowcc.memory.use.stores import open_store
from verifflowcc.memory.use.task_finding import active_task, find_task, tasks_folder
from verifflowcc.sprint.use.configuration import effective_config
from verifflowcc.sprint.use.sprint_reading import active_sprint, ledger_of, open_sprints, show_sprint

# Make room in a store that holds too many extracted and inferred items: the lowest tenth is archived, not deleted.


def evict(backend: MemoryBackend, max_items: int, *, today: str) -> tuple[Item, ...]:
    """Archive what is above the limit, by the rule of `lifecycle.evict`; return what was archived.

    Raises as the store does, and FormatError where an item's front matter cannot be edited.
    """
    if backend.count() <= max_items:
        return ()
    with backend.writing():
        gone = evicted(backend.items(), max_items)
        for item in gone:
            stored = backend.get(item.id)
            if stored is not None:
                backend.add(archive_item(stored, today=today, why=EVICTED))
    return gone


# The three lifetimes of memory for programs: a task's, a project's and a person's, over any backend.
#
# Each store speaks of one scope and refuses a backend of another, so that nothing gets from one into another by
# itself.

Confirm = Callable[[str], bool]
"""Puts a question to a person; true where they say yes."""
PROGRAM = Source(actor="tool:program")
Pairs = tuple[tuple[str, str], ...]
_ACTIVE = str(Status.ACTIVE)


def count_tokens(text: str) -> int:
    """Return the tokens of a text, exactly, in the default encoding."""

    return open_counter(TokenSettings()).count(text)


@dataclass(frozen=True, slots=True)
class TaskMemoryStore:
    """What one task remembers, until it ends. Without a `backend` it is kept in the process's memory.

    Raises UsageError where the backend is one of another scope.
    """

    task_id: str
    backend: MemoryBackend | None = None
    source: Source = PROGRAM
    clock: Clock = field(default_factory=SystemClock)
    letters: Letters = draw_letters
    count: Count = count_tokens

    def __post_init__(self) -> None:
        scope = f"task/{self.task_id}"
        if self.backend is None:
            object.__setattr__(self, "backend", InMemoryBackend(scope))
        _demand(self._kept, scope)

    def add_reasoning(self, text: str, stage: str | None = None, *, key: str | None = None) -> StoredItem:
        """Keep a thought, and the stage that it is from. Raises UsageError for an empty text, BackendError."""
        return self.add("reasoning", text, stage=stage, key=key)

    def add_tool_output(
        self, tool: str, output: str, *, stage: str | None = None, key: str | None = None
    ) -> StoredItem:
        """Keep the output of a tool. Raises UsageError for an empty output, BackendError."""
        return self.add("tool_output", output, stage=stage, tool=tool, key=key)

    def add(
        self, type_name: str, text: str, *, stage: str | None = None, tool: str | None = None, key: str | None = None
    ) -> StoredItem:
        """Keep a text as an item of a type; with a key, in the place of the one that has it."""
        details = tuple((name, word) for name, word in (("stage", stage), ("tool", tool)) if word)
        wanted = _request(self._kept, type_name, text, self.source, details, key=key)
        title = title_of(f"{tool}: {wanted.title}", type_name) if tool else wanted.title
        wanted = replace(wanted, title=title, tokens=self.count(text))
        return record(self._kept, wanted, today=_today(self.clock), letters=self.letters)

    def stage_outputs(self, stage: str) -> list[StoredItem]:
        """Return all items that the task has from one stage, oldest first; those of one day by id."""
        return self._kept.query({"details.stage": stage}, _all(self._kept), "-created")

    get_stage_outputs = stage_outputs

    def clear(self) -> None:
        """Remove all items of this task, and of no other."""
        self._kept.clear()

    @property
    def _kept(self) -> MemoryBackend:
        if self.backend is None:
            raise AssertionError("the backend is there once the store is made")
        return self.backend


@dataclass(frozen=True, slots=True)
class ProjectMemoryStore:
    """What a project remembers: decisions, conventions, failures.

    After an extracted or inferred item was added, and more than `max_items` of these are there, their lowest tenth is
    archived. Raises UsageError where the backend is one of another scope.
    """

    project_id: str
    backend: MemoryBackend
    max_items: int = MAX_ITEMS
    source: Source = PROGRAM
    clock: Clock = field(default_factory=SystemClock)
    letters: Letters = draw_letters

    def __post_init__(self) -> None:
        _demand(self.backend, "project")

    def add_decision(self, text: str, tags: Sequence[str] = (), *, key: str | None = None) -> StoredItem:
        """Keep a decision under tags. Raises UsageError for an empty text, BackendError."""
        return self._add("decision", text, (), tags, key)

    def add_convention(self, text: str, scope: str, *, key: str | None = None) -> StoredItem:
        """Keep a convention and what it holds for. Raises UsageError for an empty text, BackendError."""
        return self._add("convention", text, (("scope", scope),), (), key)

    def add_failure(self, code: str, lesson: str, *, key: str | None = None) -> StoredItem:
        """Keep the code of a failure and the lesson of it. Raises UsageError for an empty lesson, BackendError."""
        return self._add("failure", lesson, (("code", code),), (), key)

    def decisions(self, tags: Sequence[str] | None = None) -> list[StoredItem]:
        """Return the active decisions, newest first: those with any of the tags, or all."""
        asked = {"type": "decision", "status": _ACTIVE}
        return self.backend.query({**asked, "tags": list(tags)} if tags else asked, _all(self.backend))

    query_decisions = decisions

    def _add(self, type_name: str, text: str, details: Pairs, tags: Sequence[str], key: str | None) -> StoredItem:
        source = replace(self.source, project=self.project_id)
        wanted = _request(self.backend, type_name, text, source, details, tags, key)
        added = record(self.backend, wanted, today=_today(self.clock), letters=self.letters)
        if source.kind in (SourceKind.EXTRACTED, SourceKind.INFERRED):
            evict(self.backend, self.max_items, today=_today(self.clock))
        return added


@dataclass(frozen=True, slots=True)
class GlobalMemoryStore:
    """What is remembered of a person, across all projects; only the person takes anything away.

    `confirm` asks them; where there is nobody to ask, what needs a yes is not done. Raises UsageError where the backend
    is one of another scope.
    """

    backend: MemoryBackend
    confirm: Confirm | None = None
    source: Source = PROGRAM
    clock: Clock = field(default_factory=SystemClock)
    letters: Letters = draw_letters

    def __post_init__(self) -> None:
        _demand(self.backend, "user")

    def add_preference(self, text: str, category: str, *, key: str | None = None) -> StoredItem | None:
        """Ask, then keep a preference under a category, or replace the one of that key; None without a yes.

        Raises UsageError for an empty text, BackendError.
        """
        refuse_secrets(("the text", text), ("the category", category), ("the key", key))
        known = keyed(self.backend, "preference", key, Status.ACTIVE)
        what = f"Change the preference {known.item.title!r} to {text!r}" if known else f"Add the preference {text!r}"
        if not self._yes(f"{what} (category: {category})?"):
            return None
        wanted = _request(self.backend, "preference", text, self.source, (("category", category),), key=key)
        return record(self.backend, wanted, today=_today(self.clock), letters=self.letters)

    def change_preference(self, item_id: str, text: str) -> StoredItem | None:
        """Ask, then change a preference; None without a yes. Raises UsageError where there is no such preference."""
        known = self.backend.get(item_id)
        if known is None or known.item.type != "preference":
            raise UsageError(f"there is no preference {item_id}")
        if not text.strip():
            raise UsageError("there is nothing to remember: the text is empty")
        refuse_secrets(("the text", text))
        if not self._yes(f"Change the preference {known.item.title!r} to {text!r}?"):
            return None
        with self.backend.writing():
            keys = {"title": scalar(title_of(text, "preference")), "updated": _today(self.clock)}
            self.backend.add(changed(self.backend.get(item_id) or known, keys, _body(text)))
            return self.backend.get(item_id)

    def add_pattern(self, text: str, domain: str, *, key: str | None = None) -> StoredItem:
        """Keep a pattern of a domain, without asking. Raises UsageError for an empty text, BackendError."""
        wanted = _request(self.backend, "pattern", text, self.source, (("domain", domain),), key=key)
        return record(self.backend, wanted, today=_today(self.clock), letters=self.letters)

    def preferences(self, category: str | None = None) -> list[StoredItem]:
        """Return the active preferences, newest first: those of a category, or all."""
        asked = {"type": "preference", "status": _ACTIVE}
        wanted = asked if category is None else {**asked, "details.category": category}
        return self.backend.query(wanted, _all(self.backend))

    query_preferences = preferences

    def clear_all(self) -> bool:
        """Ask with a warning, then remove all that is remembered of the person; return whether that was done."""
        count = self.backend.count()
        items = "1 item" if count == 1 else f"{count:,} items"
        if not self._yes(f"WARNING: remove ALL user memory ({items}, for all projects)? It cannot be undone."):
            return False
        self.backend.clear()
        return True

    def _yes(self, question: str) -> bool:
        return self.confirm is not None and self.confirm(question) is True


def _demand(backend: MemoryBackend, scope: str) -> None:
    if backend.scope != scope:
        raise UsageError(f"this store is for the scope {scope}, and the backend is one of {backend.scope}")


def _body(text: str) -> str:
    return text.replace("\r\n", "\n").strip("\n")


def _request(
    backend: MemoryBackend,
    type_name: str,
    text: str,
    source: Source,
    details: Pairs = (),
    tags: Sequence[str] = (),
    key: str | None = None,
) -> ItemRequest:
    words = tuple(dict.fromkeys(word for word in (*(value for _, value in details), *tags) if word))
    title, text = title_of(text, type_name), _body(text)
    return ItemRequest(
        backend.scope, type_name, title, text, source, title_given=True, key=key, tags=words, details=details
    )


def _today(clock: Clock) -> str:
    return f"{clock.now():%Y-%m-%d}"


def _all(backend: MemoryBackend) -> int:
    return max(1, backend.count())


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
class NoteResult:
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
    """Start a task of the acting role, by default in the open sprint and active stage.

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


def note_in_task(workspace: Workspace, note: Note, *, actor: str, task: str | None = None) -> NoteResult:
    """Keep an item in a task; by default in the newest active task and its stage.

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
    found = active_task(workspace, task, agent_of(actor), command="")
    stage = _stage(workspace, found, note.stage)
    count = open_counter(effective_config(workspace).config.tokens).count
    folder = tasks_folder(workspace)
    with changing_task(folder, workspace.memory, found.id):
        demand_open(load_task(folder, found.id) or find_task(workspace, found.id))
        with open_store(workspace, f"task/{found.id}") as backend:
            store = TaskMemoryStore(found.id, backend, Source(actor=actor), workspace.clock, draw_letters, count)
            return NoteResult(found.id, store.add(kind, note.text, stage=stage, tool=tool, key=key).item)


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
    if task.sprint is None or not ledger_of(workspace).has(task.sprint):
        return one_line(given, "--stage") if given else task.stage
    state = show_sprint(workspace, task.sprint)
    return find_stage(state, given).stage.id if given else state.current or task.stage


def _free_id(workspace: Workspace, about: str) -> str:
    while (tasks_folder(workspace) / (name := item_id(about, draw_letters()))).exists():
        continue
    return name
