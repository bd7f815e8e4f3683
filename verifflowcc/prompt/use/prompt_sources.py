"""The virtual sources of a prompt, in one table, and what each of them offers.

A source that fails is left out with a notice: a prompt needs no server, and no file outside of the project. A new
source is one reader and one line in `READERS`, and gets this without more.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.base.config.config_load import user_settings
from verifflowcc.base.files.layout import MEMORY, DerivedSource, Place, SourceContent, Stamps, as_on_disk, check_inside
from verifflowcc.base.files.ledger import read_text
from verifflowcc.base.files.private_files import USER as USER_FOLDER
from verifflowcc.base.files.private_files import user_home, user_settings_file
from verifflowcc.base.files.write import ProjectFile, ProjectTree
from verifflowcc.base.index.index import Index
from verifflowcc.base.model.config_values import BackendKind, Config
from verifflowcc.base.model.entries import OmittedTraceItem, Question, TraceEntry
from verifflowcc.base.model.item_values import TYPES, Trust, is_trace_type, least_trust
from verifflowcc.base.model.layers import CODE, HANDOVER, HISTORY, LAYER_OF, LOCAL, RECALL, TASK, TRACE, USER, Layer
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.model.people import Decision, Feedback
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.rules.code_views import Snippet
from verifflowcc.items.store.item_edits import parse_item
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.prompt.use.source_files import Source
from verifflowcc.prompt.use.source_reader import SourceReader
from verifflowcc.prompt.use.standpoint import progress_of
from verifflowcc.sprint.rules.sprint_people import concerning
from verifflowcc.sprint.use.feedback import sprint_feedback
from verifflowcc.sprint.use.item_loading import names_source

if TYPE_CHECKING:
    from verifflowcc.base.model.config_values import CodeMix
    from verifflowcc.code.rules.changed_code import ChangedCode
    from verifflowcc.code.use.code_offers import CodeOffer, CodeTask, PieceFile
    from verifflowcc.code.use.review import ReviewScope
    from verifflowcc.prompt.use.trace_prompt import PromptTrace


_ITEMS = ("items/**/*.md", "decisions/*.md", "conventions/*.md")
_TOP = "/"


@dataclass(slots=True)
class Sources:
    """What each virtual source offers, and what the person should know.

    `reader` has the sources that were left out. `theirs` are the person's own folder and index, where their items are
    files. Without `cacheable` a prompt of these sources must be compiled again each time: nothing on this disk says
    whether they changed. `code` is the state of the code that pieces were chosen from, if they were; `code_files`
    are their files by path, `code_changes` the diffs that pieces are hunks of, `scope` says of which changes.
    `trace_left_out` are the trace items that `@trace` does not offer; they are made while they are gone through.
    """

    reader: SourceReader = field(default_factory=SourceReader)
    offered: dict[str, Sequence[Source]] = field(default_factory=dict)
    derived: dict[DerivedSource, SourceContent] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    theirs: tuple[ProjectTree, Index] | None = None
    cacheable: bool = True
    code: str = ""
    code_files: "Mapping[str, PieceFile]" = field(default_factory=dict)
    code_changes: "tuple[ChangedCode, ...]" = ()
    scope: "ReviewScope | None" = None
    trace_left_out: Iterable[OmittedTraceItem] = ()

    @property
    def may_be_kept(self) -> bool:
        """Whether a prompt of these sources is worth keeping: one that lacks a source may be whole the next time."""
        return self.cacheable and not self.reader.failures


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """All that the virtual sources of one prompt are read by.

    `state` is the sprint's, `aim` its task, or the sprint's title and goals where there is none. `code` returns the
    code that the task needs, by a mix; `trace` reads the trace. With `local`, sources that other clones do not have
    count.
    """

    workspace: Workspace
    config: Config
    question: Question
    place: Place
    state: SprintState | None
    tree: ProjectTree
    aim: str
    code: "Callable[[CodeTask, CodeMix, ReviewScope | None], CodeOffer]"
    trace: "PromptTrace"

    @property
    def local(self) -> bool:
        """Whether sources count that other clones do not have."""
        return self.question.with_local and not self.question.committed


def open_sources(request: SourceRequest, reader: SourceReader) -> Sources:
    """Return what the sources offer that the configuration names, with no item's text read yet where it is a file.

    One that fails is left out, and `reader` notes it. Everything that the answer depends on is stamped in the tree's
    stamps, or the sources are not `cacheable`. Close it with `close_sources`.
    """
    sources = Sources(reader)
    named = [
        name for name in READERS if name in LAYER_OF and name not in _NO_MEMORY and names_source(request.config, name)
    ]
    if not request.config.memory.enabled and named:
        sources.notices.append(f"memory.enabled is false: {', '.join(named)} are left out")
    for name, read in READERS.items():
        if _is_wanted(name, request):
            sources.offered[name] = reader.read(name, partial(read, sources, request), ())
    return sources


def _is_wanted(name: str, request: SourceRequest) -> bool:
    if name in _OF_LEDGER:
        return True
    if name in _NO_MEMORY:
        return names_source(request.config, name)
    if not request.config.memory.enabled or (name in _LOCAL and not request.local):
        return False
    return names_source(request.config, name)


def close_sources(sources: Sources) -> None:
    """Let go of the person's index."""
    if sources.theirs is not None:
        sources.theirs[1].__exit__(None, None, None)


def handed_over(place: Place, state: SprintState | None, tree: ProjectTree) -> Sequence[ProjectFile | StoredItem]:
    """Return the artifacts of earlier stages, then what the gate of the preceding one left open."""
    files = _artifacts(place, tree)
    return [*files, *_left_open(place, state, tree)] if place.preceding_stage else files


def _artifacts(place: Place, tree: ProjectTree) -> list[ProjectFile]:
    stages = [f"{MEMORY}/stage/{place.sprint}/{name}" for name in place.handed]
    return [found for stage in stages for found in tree.find(f"{stage}/artifacts", "**")]


def _left_open(place: Place, state: SprintState | None, tree: ProjectTree) -> Sequence[ProjectFile | StoredItem]:
    """Return it as the ledger has it, under the name of `summary.md`: that file is not committed.

    The file is for a pass that is older than this record, and for a stage that has not passed yet.
    """
    folder = f"{MEMORY}/stage/{place.sprint}/{place.preceding_stage}"
    stage = state.stage(place.preceding_stage or "") if state else None
    if stage is None or stage.handover is None:
        return tree.find(folder, "summary.md")
    return [stored_item(f"{folder}/summary.md", stage.handover.encode("utf-8"))] if stage.handover else []


def _of_stages(_: Sources, request: SourceRequest) -> Sequence[Source]:
    return handed_over(request.place, request.state, request.tree)


def _of_trace(sources: Sources, request: SourceRequest) -> Sequence[TraceEntry]:
    offer = request.trace.offer(request, sources.reader)
    sources.trace_left_out = offer.left_out
    return offer.entries


def _of_progress(sources: Sources, request: SourceRequest) -> Sequence[Source]:
    progress = progress_of(request.workspace, request.place, request.state)
    return _derived(sources, DerivedSource.PROGRESS, SourceContent(*progress) if progress else None)


def _of_comments(sources: Sources, request: SourceRequest) -> Sequence[Source]:
    return _derived(
        sources, DerivedSource.FEEDBACK, comments_for_prompt(request.workspace, request.place, request.state)
    )


def _of_history(sources: Sources, request: SourceRequest) -> Sequence[Source]:
    if not _is_recorded(request):
        return ()
    from verifflowcc.history.use.history_offers import past_tasks_text

    return _derived(sources, DerivedSource.HISTORY, past_tasks_text(request.workspace, request.question.task))


def _is_recorded(request: SourceRequest) -> bool:
    from verifflowcc.history.use.prompt_record import history_places, is_recorded

    request.tree.stamps.take(history_places(request.workspace))
    return is_recorded(request.workspace)


def _of_recent_actions(sources: Sources, request: SourceRequest) -> Sequence[Source]:
    if not _is_recorded(request):
        return ()
    from verifflowcc.history.use.history_offers import recent_actions_text

    return _derived(
        sources, DerivedSource.RECENT_ACTIONS, recent_actions_text(request.workspace, request.question.agent)
    )


def _derived(sources: Sources, source: DerivedSource, text: SourceContent | None) -> Sequence[Source]:
    """Note the text of a source that is no file; nothing where there is none."""
    if text is None:
        return ()
    sources.derived[source] = text
    return (source,)


def _of_code(sources: Sources, request: SourceRequest) -> Sequence[Snippet]:
    """Code is looked for where there is an aim or a diff; whether any of it changed is for the code graph to know."""
    mix = request.config.code_mix_for(request.question.agent)
    if not request.aim and not mix.diff:
        return ()
    sources.scope = _scope(request) if mix.diff else None
    from verifflowcc.code.use.code_offers import CodeTask

    offer = request.code(CodeTask(request.aim, _named_before(request)), mix, sources.scope)
    sources.code, sources.code_files, sources.code_changes = offer.state, offer.files, offer.changes
    sources.notices += offer.notices
    return offer.pieces


def _named_before(request: SourceRequest) -> list[str]:
    """Return what the artifacts of earlier stages name as code; a task of its own says what it is about.

    A design says in which function a change belongs; the title of a sprint hardly ever does.
    """
    if request.question.task or not names_source(request.config, HANDOVER):
        return []
    from verifflowcc.code.rules.task_words import named_as_code

    files = [each for each in _artifacts(request.place, request.tree) if each.problem is None]
    return named_as_code(request.tree.read(each.path).decode("utf-8", "ignore") for each in files)


def _scope(request: SourceRequest) -> "ReviewScope":
    from verifflowcc.code.use.review import ReviewScope, base_of

    base = base_of(request.state, request.place.stage)
    return ReviewScope(base, request.config.trace.target, local=request.local)


def _recalled(sources: Sources, request: SourceRequest) -> Sequence[ProjectFile | StoredItem]:
    source, config, tree = request.workspace, request.config, request.tree
    kind = config.memory.backends.project
    if kind is BackendKind.FILES:
        return list(_memory_files(request))
    if not request.local:
        sources.notices.append(f"{RECALL} is left out: the project's items are kept in {kind}, and not in the commit")
        return ()
    return _kept(sources, source, "project", kind, tree.stamps)


def _memory_files(request: SourceRequest) -> Iterator[ProjectFile]:
    """Yield the files of the project's items, but for those of the trace.

    Only where a folder of a type that memory does not know holds one is the trace asked which its items are.
    """
    tree, folder = request.tree, f"{MEMORY}/project/items"
    files = tree.find(folder, "**")  # as the trace asks for all files there
    paths = [each.path for each in files]
    found: dict[str, list[ProjectFile]] = {}
    for below in sorted(tree.folders(folder)):
        first, last = bisect_left(paths, f"{below}/"), bisect_left(paths, f"{below}0")  # `0` is what follows `/`
        found[below] = [each for each in files[first:last] if each.path.endswith(".md")]
    names = {below: below.rpartition("/")[2] for below in found}
    doubtful = [below for below, name in names.items() if is_trace_type(name) or name not in TYPES]
    asks = any(found[below] for below in doubtful)
    memory = frozenset(request.trace.items(request)[1].others) if asks else frozenset()
    for below, those in found.items():
        yield from (each for each in those if below not in doubtful or each.path in memory)


_TASKS = f"{MEMORY}/local/tasks"


def _of_task(sources: Sources, request: SourceRequest) -> Sequence[ProjectFile | StoredItem]:
    source, tree = request.workspace, request.tree
    tree.stamps.take([_TASKS])
    if not tree.stamps.by_path[_TASKS]:
        return ()  # most projects have no task, and import nothing that reads one
    from verifflowcc.memory.use.task_finding import open_task, tasks_folder

    below = tasks_folder(source).relative_to(source.root).as_posix()
    for folder in tree.folders(below):
        tree.stamps.take([folder, f"{folder}/task.json"])
    task = open_task(source, request.question.agent, request.place.sprint)
    if task is None:
        return ()
    kind = request.config.memory.backends.task
    if kind is not BackendKind.FILES:
        return _kept(sources, source, f"task/{task.id}", kind, tree.stamps)
    return _files(tree, f"{below}/{task.id}")


def _of_user(sources: Sources, request: SourceRequest) -> Sequence[ProjectFile | StoredItem]:
    return user_items(sources, request.config, request.question.agent, request.tree.stamps)


def user_items(sources: Sources, config: Config, agent: str, stamps: Stamps) -> Sequence[ProjectFile | StoredItem]:
    """Return the person's items; none where the settings offer this role none.

    Raises what opening their store does.
    """

    assembly = config.memory.assembly.of(agent)
    if assembly.user_items == 0 or assembly.user_types == ():
        return ()
    home = user_home()
    stamps.take([str(user_settings_file())])
    kind = user_settings().backend
    if kind is not BackendKind.FILES or (home / USER_FOLDER).is_symlink():
        return _kept(sources, None, USER_FOLDER, kind, stamps)
    tree = ProjectTree(home)
    found = _files(tree, USER_FOLDER)
    _merge(stamps, tree.stamps)
    if found:
        sources.theirs = tree, user_index(home)
    return found


def user_index(home: Path) -> Index:
    """Open the index of the person's own files."""
    return Index(home / USER_FOLDER / "local" / "index.db")


def _files(tree: ProjectTree, folder: str) -> Sequence[ProjectFile]:
    return [found for pattern in _ITEMS for found in tree.find(folder, pattern)]


def _kept(
    sources: Sources, workspace: Workspace | None, scope: str, kind: BackendKind, stamps: Stamps
) -> Sequence[StoredItem]:
    """Read the items of a store that is no folder of files; one that was never made is not made by this."""
    from verifflowcc.memory.use.stores import database_of, open_kind

    if kind is BackendKind.SQLITE:
        file = database_of(workspace, scope)
        stamps.take([_absolute(file), _absolute(file.with_name(f"{file.name}-wal"))])
        if workspace is not None:
            stamps.take([".git/config", ".git/HEAD"])
        if not file.exists():
            return ()
    else:
        sources.cacheable = False
    store = open_kind(workspace, scope, kind)
    try:
        found = store.list_all()
        sources.notices += [f"{problem}; it is left out" for problem in store.problems]
        return found
    finally:
        store.close()


def _absolute(path: Path) -> str:
    return str(path.absolute())


def _merge(into: Stamps, stamps: Stamps) -> None:
    """Take over the stamps of another root, by absolute path."""
    for path, stamp in stamps.by_path.items():
        into.by_path[path if path[0] == _TOP else f"{stamps.root}/{as_on_disk(path)}"] = stamp
    into.touched_ns = max(into.touched_ns, stamps.touched_ns)


Reader = Callable[[Sources, SourceRequest], Sequence[Source]]
READERS: Mapping[str, Reader] = {
    RECALL: _recalled,
    TASK: _of_task,
    CODE: _of_code,
    HANDOVER: _of_stages,
    TRACE: _of_trace,
    HISTORY: _of_history,
    USER: _of_user,
    DerivedSource.RECENT_ACTIONS.value: _of_recent_actions,
    DerivedSource.PROGRESS.value: _of_progress,
    DerivedSource.FEEDBACK.value: _of_comments,
}
"""Every virtual source, by the name that a loading strategy gives it."""
PAID_BY: Mapping[str, Layer] = {
    **LAYER_OF,
    DerivedSource.RECENT_ACTIONS.value: Layer.AGENT,
    DerivedSource.PROGRESS.value: Layer.SPRINT,
    DerivedSource.FEEDBACK.value: Layer.STAGE,
}
_OF_LEDGER = frozenset({DerivedSource.PROGRESS.value, DerivedSource.FEEDBACK.value})
"""What the sprint's ledger says, which is no memory that could be switched off."""
_NO_MEMORY = frozenset({HANDOVER, TRACE})
"""What people wrote for the sprint and the product: memory that is switched off does not take it away."""
_LOCAL = LOCAL | {DerivedSource.RECENT_ACTIONS.value}


_WORD_OF = {"human": Trust.HUMAN, "tool": Trust.TOOL, "ci": Trust.TOOL, "agent": Trust.AGENT}


def comments_for_prompt(workspace: Workspace, place: Place, state: SprintState | None) -> SourceContent | None:
    """Return the stage's `feedback.md` with its open comments below.

    None where no comment is open: then the file is shown as it is. Comments carried from earlier sprints are shown in
    the first stage. Its trust is the least of all that is in it. Raises WorkspaceError where the file cannot be read as
    UTF-8.
    """
    if state is None or place.stage is None:
        return None
    known = concerning(place.stage, state, sprint_feedback(workspace, state))
    waiting = [one for one in known if one.decision is Decision.OPEN]
    if not waiting:
        return None
    path = f"{MEMORY}/stage/{place.sprint}/{place.stage}/{DerivedSource.FEEDBACK.value}"
    check_inside(workspace.root / path, workspace.memory)
    own = parse_item(path, read_text(workspace.root / path).encode())
    words = [_comment_trust(one) for one in waiting] + ([own.item.trust] if own.body.strip() else [])
    comments = "\n".join(_comment_line(one, state.id) for one in waiting)
    text = f"{own.body.strip()}\n\n## Open comments\n\n{comments}\n".lstrip()
    return SourceContent(path, text, str(least_trust(*words)))


def _comment_line(comment: Feedback, sprint: str) -> str:
    where = f"{comment.sprint}/{comment.stage}" if comment.stage else comment.sprint
    of = f", of {where}" if comment.sprint != sprint else ""
    return f"- {comment.text} ({comment.actor or 'unknown'}, {comment.time[:10] or 'undated'}{of})"


def _comment_trust(comment: Feedback) -> Trust:
    return _WORD_OF.get(comment.actor.partition(":")[0], Trust.EXTERNAL)
