"""What the virtual sources of a prompt offer: the project's typed items, those of the open task, those of the person.

A source that cannot be read is left out with a notice: a prompt needs no server, and no file outside of the project.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc.adapters.files.layout import MEMORY, Derived, Place, Supplied, source_of
from verifflowcc.adapters.files.tree import Found, Tree
from verifflowcc.adapters.files.user_home import USER as USER_FOLDER
from verifflowcc.adapters.files.user_home import user_home, user_settings_file
from verifflowcc.adapters.index.index import Index
from verifflowcc.adapters.stamps import Stamps, as_on_disk
from verifflowcc.domain.backends import BackendKind
from verifflowcc.domain.code_views import Snippet
from verifflowcc.domain.config import Config
from verifflowcc.domain.item_types import TYPES, ScopeKind, is_trace_type
from verifflowcc.domain.memory import StoredItem
from verifflowcc.domain.question import Question
from verifflowcc.domain.sources import CODE, HANDOVER, HISTORY, LOCAL, RECALL, TASK, USER
from verifflowcc.errors import VfccError
from verifflowcc.records import dataclass, field
from verifflowcc.services.selection import Source
from verifflowcc.services.workspace import Workspace

if TYPE_CHECKING:
    from verifflowcc.services.code.offering import Offer

_ITEMS = ("items/**/*.md", "decisions/*.md", "conventions/*.md")
_TOP = "/"


@dataclass(slots=True)
class Sources:
    """What each virtual source offers, and what the person should know.

    `theirs` are the person's own folder and index, where their items are files. Without `cacheable` a prompt of these
    sources must be compiled anew each time: nothing on this disk says whether they changed. `code` is the state of the
    code that pieces were chosen from, where they were.
    """

    offered: dict[str, Sequence[Source]] = field(default_factory=dict)
    derived: dict[Derived, Supplied] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    theirs: tuple[Tree, Index] | None = None
    cacheable: bool = True
    code: str = ""


def open_sources(
    source: Workspace,
    config: Config,
    question: Question,
    place: Place,
    tree: Tree,
    code: "Callable[[], Offer]",
) -> Sources:
    """Return what the sources offer that the configuration names, with no item's text read yet where it is a file.

    `code` returns the code that the task needs. Everything that the answer depends on is stamped in the tree's stamps,
    or the sources are not `cacheable`. Close it with `close_sources`.
    """
    sources = Sources()
    if _names(config, HANDOVER):
        sources.offered[HANDOVER] = handed_over(place, tree)
    wanted = _named(config)
    if not config.memory.enabled:
        if wanted:
            sources.notices.append(f"memory.enabled is false: {', '.join(wanted)} are left out")
        return sources
    local = question.with_local and not question.committed
    readers: Mapping[str, Callable[[], Sequence[Source]]] = {
        HISTORY: lambda: _of_history(sources, source, question, tree),
        CODE: lambda: _of_code(sources, question, code),
        RECALL: lambda: _recalled(sources, source, config, tree, local=local),
        TASK: lambda: _of_task(sources, source, config, question, place, tree),
        USER: lambda: user_items(sources, config, question.agent, tree.stamps),
    }
    for name in wanted:
        if name in LOCAL and not local:
            continue
        try:
            sources.offered[name] = readers[name]()
        except VfccError as error:
            sources.notices.append(f"{name} is left out: {error.message}")
    if local and _names(config, Derived.RECENT_ACTIONS.value):
        _add_recent(sources, source, question, tree)
    return sources


def close_sources(sources: Sources) -> None:
    """Let go of the person's index."""
    if sources.theirs is not None:
        sources.theirs[1].__exit__(None, None, None)


def _named(config: Config) -> tuple[str, ...]:
    return tuple(name for name in (RECALL, TASK, CODE, HISTORY, USER) if _names(config, name))


def _names(config: Config, pattern: str) -> bool:
    return any(
        pattern in (name, source_of(layer, name))
        for layer, given in config.strategies.items()
        for name in given.always_load + given.conditional_load
    )


def handed_over(place: Place, tree: Tree) -> Sequence[Found]:
    """Return the artifacts of earlier stages, then the summary of the preceding one, which has its open points."""
    stages = [f"{MEMORY}/stage/{place.sprint}/{name}" for name in place.handed]
    files = [found for stage in stages for found in tree.find(f"{stage}/artifacts", "**")]
    if place.preceding_stage:
        files += tree.find(f"{MEMORY}/stage/{place.sprint}/{place.preceding_stage}", "summary.md")
    return files


def _of_history(sources: Sources, source: Workspace, question: Question, tree: Tree) -> Sequence[Source]:
    from verifflowcc.services.history.offering import history_places, past_tasks_text

    tree.stamps.take(history_places(source))
    text = past_tasks_text(source, question.task)
    if text is None:
        return ()
    sources.derived[Derived.HISTORY] = text
    return (Derived.HISTORY,)


def _add_recent(sources: Sources, source: Workspace, question: Question, tree: Tree) -> None:
    from verifflowcc.services.history.offering import history_places, recent_actions_text

    tree.stamps.take(history_places(source))
    try:
        text = recent_actions_text(source, question.agent)
    except VfccError as error:
        sources.notices.append(f"{Derived.RECENT_ACTIONS.value} is left out: {error.message}")
        return
    if text is not None:
        sources.derived[Derived.RECENT_ACTIONS] = text


def _of_code(sources: Sources, question: Question, code: "Callable[[], Offer]") -> Sequence[Snippet]:
    """Code is looked for where there is a task; whether any file of it changed is for the code graph to know."""
    if not question.task:
        return ()
    try:
        offer = code()
    except VfccError:
        sources.cacheable = False  # it may be there the next time
        raise
    sources.code = offer.state
    return offer.pieces


def _recalled(
    sources: Sources, source: Workspace, config: Config, tree: Tree, *, local: bool
) -> Sequence[Found | StoredItem]:
    kind = config.memory.backends[ScopeKind.PROJECT]
    if kind is BackendKind.FILES:
        folder = f"{MEMORY}/project/items"
        return [
            found for name in _types(source, config, tree, folder) for found in tree.find(f"{folder}/{name}", "**/*.md")
        ]
    if not local:
        sources.notices.append(f"{RECALL} is left out: the project's items are kept in {kind}, and not in the commit")
        return ()
    return _kept(sources, source, "project", kind, tree.stamps)


def _types(source: Workspace, config: Config, tree: Tree, folder: str) -> Iterator[str]:
    """The folders of types that do not stand in the trace; only for a type of nobody's is the workflow asked."""
    names = {found.rpartition("/")[2] for found in tree.folders(folder)}
    strange = {name for name in names if name not in TYPES}
    if strange:
        from verifflowcc.services.trace_policy import policy_of

        tree.stamps.take([f"{MEMORY}/workflow.yaml"])
        strange &= set(policy_of(source).types)
    return (name for name in sorted(names) if not is_trace_type(name) and name not in strange)


def _of_task(
    sources: Sources, source: Workspace, config: Config, question: Question, place: Place, tree: Tree
) -> Sequence[Found | StoredItem]:
    from verifflowcc.services.memory.tasks import open_task, tasks_folder

    below = tasks_folder(source).relative_to(source.root).as_posix()
    tree.stamps.take([below])
    for folder in tree.folders(below):
        tree.stamps.take([folder, f"{folder}/task.json"])
    task = open_task(source, question.agent, place.sprint)
    if task is None:
        return ()
    kind = config.memory.backends[ScopeKind.TASK]
    if kind is not BackendKind.FILES:
        return _kept(sources, source, f"task/{task.id}", kind, tree.stamps)
    return _files(tree, f"{below}/{task.id}")


def user_items(sources: Sources, config: Config, agent: str, stamps: Stamps) -> Sequence[Found | StoredItem]:
    """Return the person's items; none where the settings offer this role none.

    Raises what opening their store does.
    """
    from verifflowcc.adapters.config.user_settings import user_settings

    assembly = config.memory.assembly_for(agent)
    if assembly.user_items == 0 or assembly.user_types == ():
        return ()
    home = user_home()
    stamps.take([str(user_settings_file())])
    kind = user_settings().backend
    if kind is not BackendKind.FILES or (home / USER_FOLDER).is_symlink():
        return _kept(sources, None, USER_FOLDER, kind, stamps)
    tree = Tree(home)
    found = _files(tree, USER_FOLDER)
    _merge(stamps, tree.stamps)
    if found:
        sources.theirs = tree, user_index(home)
    return found


def user_index(home: Path) -> Index:
    """Open the index of the person's own files."""
    return Index(home / USER_FOLDER / "local" / "index.db")


def _files(tree: Tree, folder: str) -> Sequence[Found]:
    return [found for pattern in _ITEMS for found in tree.find(folder, pattern)]


def _kept(
    sources: Sources, workspace: Workspace | None, scope: str, kind: BackendKind, stamps: Stamps
) -> Sequence[StoredItem]:
    """Read the items of a store that is no folder of files; one that was never made is not made by this."""
    from verifflowcc.services.memory.opening import database_of, open_kind

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
