"""Gather the sources of the trace: items, code, results, baseline, git, sprints."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TypeVar

from verifflowcc.base.errors import ConflictError, UsageError, VfccError, WorkspaceError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.write import LARGEST_FILE_BYTES
from verifflowcc.base.git.git_trace import (
    CommitHistory,
    GitPlace,
    read_authors,
    read_collisions,
    read_past,
    read_reused,
)
from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.trace_codes import TracePolicy
from verifflowcc.base.model.trace_values import GitTrace, TraceBaseline, TraceItem, TraceSources
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.identifiers import is_slug, slug
from verifflowcc.base.text.record_codec import RecordCodec
from verifflowcc.base.use.workspace import MEMORY, Workspace, provider
from verifflowcc.sprint.use.pinned_workflow import policy_of
from verifflowcc.trace.rules.trace_view import TraceView
from verifflowcc.trace.store.trace_cache import TraceIndex, parse_trace_item
from verifflowcc.trace.use.trace_code import (
    INDEX,
    ProjectStamps,
    TraceItems,
    code_and_results,
    garbage_collection_paused,
    read_around,
    read_items,
    read_stamps,
    read_walked,
)

# What the commands that write items look at: all items, and the policy that they obey.


def items_view(workspace: Workspace) -> TraceView:
    """Return the items and the workflow's policy, without code and results.

    Raises ConfigError where the configuration or the workflow is not sound.
    """

    policy = policy_of(workspace)
    read = read_items(workspace, policy)
    return TraceView(TraceSources(read.items, workspace.today(), read.unreadable), policy)


def read_one(workspace: Workspace, path: str, data: bytes) -> TraceItem | None:
    """Return the item in a file's bytes, None where it is none.

    `path` begins at the project's root.
    """

    return parse_trace_item(path, data, policy_of(workspace).types)


# Baselines: the content of all items at a moment, and the changes since.

FOLDER = f"{MEMORY}/project/baselines"
PRESENT = "the present"


@dataclass(frozen=True, slots=True)
class BaselineChange:
    """An item that differs from a baseline, and its changed parts.

    `title` is its present title, "" where it is gone.

    `fields` is empty where the old text cannot be read: it is in git alone.
    """

    item: str
    title: str = ""
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """What lies between two baselines, or between one and the present."""

    old: str
    new: str
    """`the present` without a second baseline."""
    added: tuple[BaselineChange, ...]
    removed: tuple[BaselineChange, ...]
    changed: tuple[BaselineChange, ...]
    same: int
    """How many items are unchanged."""

    @property
    def any(self) -> bool:
        """Whether anything is different."""
        return bool(self.added or self.removed or self.changed)


def create_baseline(workspace: Workspace, name: str, note: str = "", *, actor: str) -> TraceBaseline:
    """Write the fingerprints of all live items; a baseline is never overwritten.

    Raises UsageError where the name is none or taken or there is no item, FormatError where an item cannot be read.
    """
    from verifflowcc.base.files.item_files import create_item_file, writing_items
    from verifflowcc.base.git.git_protected import head_commit
    from verifflowcc.base.use.stage_words import one_line
    from verifflowcc.trace.rules.trace_table import encode_baseline

    asked = name.strip()
    if not is_slug(asked):
        raise UsageError(
            f"{name!r} cannot be a baseline's name: lower-case letters, digits and -",
            hint=f"vfcc trace baseline create {slug(asked, 'baseline')}",
        )
    view = items_view(workspace)
    _demand_sound(view.sources.unreadable)
    items = {item.id: item.digest for item in view.live}
    if not items:
        raise UsageError("there is no item to write down", hint='vfcc trace add need "What is needed"')
    if len(items) < len(view.live):
        raise ConflictError("two files have one id; a baseline needs to know which", hint="vfcc check trace")
    baseline = TraceBaseline(
        asked,
        f"{FOLDER}/{asked}.json",
        workspace.today(),
        actor,
        items,
        one_line(note, "the note"),
        head_commit(workspace.root),
    )
    with writing_items(workspace.memory):
        # Under the lock, so that of two commands at once the second is refused.
        if (workspace.root / baseline.path).exists():
            raise UsageError(f"there is a baseline {asked} already, and it stays", hint="vfcc trace baseline list")
        create_item_file(workspace.root, baseline.path, encode_baseline(baseline).decode("utf-8"))
    return baseline


def list_baselines(workspace: Workspace) -> tuple[TraceBaseline, ...]:
    """Return all baselines, the oldest first. Raises FormatError where one is damaged."""
    folder = workspace.root / FOLDER
    paths = sorted(folder.glob("*.json")) if folder.is_dir() else ()
    if not paths:
        return ()
    from verifflowcc.trace.rules.trace_table import is_baseline, read_baseline

    found = []
    for path in paths:
        name = f"{FOLDER}/{path.name}"
        data = _bytes(workspace, name)
        if is_baseline(data):
            found.append(read_baseline(name, data))
    return tuple(sorted(found, key=lambda each: (each.created, each.name)))


def compare_baselines(workspace: Workspace, old: str, new: str | None = None) -> Drift:
    """Return the changes from the baseline `old` to `new`, or to the present.

    Raises UsageError for an unknown baseline, with the nearest one.
    """
    from verifflowcc.base.use.stage_words import one_of

    known = {each.name: each for each in list_baselines(workspace)}
    if not known:
        raise UsageError("there is no baseline yet", hint="vfcc trace baseline create NAME")
    view = items_view(workspace)
    first = known[one_of(old, tuple(known), "baseline", "vfcc trace baseline list")]
    if new is None:
        _demand_sound(view.sources.unreadable)
        present = {item.id: item.digest for item in view.live}
        return _drift(first, PRESENT, present, {item.id: item for item in view.items}, _old_items(workspace, first))
    second = known[one_of(new, tuple(known), "baseline", "vfcc trace baseline list")]
    now = {item.id: item for item in view.items}
    return _drift(first, second.name, second.items, now, {})


def _drift(
    first: TraceBaseline,
    name: str,
    items: Mapping[str, str],
    now: Mapping[str, TraceItem],
    before: Mapping[str, TraceItem],
) -> Drift:
    def change(item: str) -> BaselineChange:
        title = now[item].title if item in now else before[item].title if item in before else ""
        retired = item in now and now[item].status is Status.ARCHIVED
        fate = ("retired",) if retired and item not in items else ()
        both = item in now and item in before
        return BaselineChange(item, title, _differing(before[item], now[item]) if both and item in items else fate)

    return Drift(
        first.name,
        name,
        tuple(change(each) for each in sorted(items.keys() - first.items.keys())),
        tuple(change(each) for each in sorted(first.items.keys() - items.keys())),
        tuple(change(each) for each in sorted(items.keys() & first.items.keys()) if items[each] != first.items[each]),
        sum(items.get(each) == digest for each, digest in first.items.items()),
    )


def _differing(before: TraceItem, now: TraceItem) -> tuple[str, ...]:
    """Return which parts of an item's fingerprint are different."""
    parts = {
        "title": before.title != now.title,
        "text": before.text != now.text,
        "verification": before.verification != now.verification,
        "integrity": before.integrity != now.integrity,
        "links": _ends(before) != _ends(now),
    }
    return tuple(name for name, differs in parts.items() if differs)


def _ends(item: TraceItem) -> frozenset[tuple[str, str]]:
    return frozenset((link.to, link.relation) for link in item.links)


def _old_items(workspace: Workspace, baseline: TraceBaseline) -> Mapping[str, TraceItem]:
    """Return the items in git at the baseline's commit, where they match the baseline.

    Empty where git does not have that commit any more, or is not there: then the changed parts are unknown.
    """
    from verifflowcc.base.git.git_snapshot import committed_tree

    if baseline.commit is None:
        return {}
    folder = f"{MEMORY}/project/items"
    found: dict[str, TraceItem] = {}
    try:
        with committed_tree(workspace.root, baseline.commit, (folder,)) as (top, _):
            for path in sorted((top / folder).rglob("*.md")):
                name = path.relative_to(top).as_posix()
                item = read_one(workspace, name, path.read_bytes()) if path.is_file() else None
                if item is not None and baseline.items.get(item.id) == item.digest:
                    found[item.id] = item
    except (UsageError, WorkspaceError):
        return {}
    return found


def _demand_sound(unreadable: Mapping[str, str]) -> None:
    for path, reason in unreadable.items():
        raise WorkspaceError(f"{path}:{reason}", hint=f"edit {path} by hand")


def _bytes(workspace: Workspace, path: str) -> bytes:
    full = workspace.root / path
    check_inside(full, workspace.memory)
    try:
        if not full.is_file() or full.stat().st_size > 64 * LARGEST_FILE_BYTES:
            raise WorkspaceError(f"{path} is no ordinary file, or too large")
        return full.read_bytes()
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error


_T = TypeVar("_T")
_Authors = Mapping[str, tuple[str, ...]]
_PAST: RecordCodec[CommitHistory] = RecordCodec(CommitHistory)
_AUTHORS: RecordCodec[_Authors] = RecordCodec(_Authors)


@dataclass(frozen=True, slots=True)
class GatheredSources:
    """The sources of the trace, and notices on what could not be gathered.

    `parsed` counts the item files that had to be read. `whole` says that the items are all that there are.
    """

    sources: TraceSources
    policy: TracePolicy
    parsed: int = 0
    notices: tuple[str, ...] = ()
    whole: bool = True


def read_sources(workspace: Workspace, junit: Sequence[str] = ()) -> GatheredSources:
    """Return all that a check looks at, by the configured workflow.

    `junit` are reports beside those of the configuration. Nothing is written but the index. Raises ConfigError where
    the configuration or the workflow is not sound, WorkspaceError where something cannot be read at all.
    """
    looked = read_stamps(workspace, junit)
    with garbage_collection_paused(), TraceIndex(workspace.local / INDEX) as index:
        read = gather(workspace, looked, policy_of(workspace), index)
        return replace(read, notices=(*read.notices, *index.notices))


def read_sources_around(workspace: Workspace, name: str, junit: Sequence[str] = ()) -> GatheredSources:
    """Return the sources for one item, without those of other items, where the index can tell them apart.

    Otherwise, and where no single item is meant, it is `read_sources`. Raises as that does.
    """
    looked = read_stamps(workspace, junit)
    policy = policy_of(workspace)
    with garbage_collection_paused(), TraceIndex(workspace.local / INDEX) as index:
        around = read_around(workspace, looked.walk, policy, index, name)
        read = gather(workspace, looked, policy, index, around)
        return replace(read, notices=(*read.notices, *index.notices))


def full_view(workspace: Workspace, name: str | None = None) -> TraceView:
    """Return the whole trace: items, code, results, and facts from git; of one item, what is around it."""
    read = read_sources(workspace) if name is None else read_sources_around(workspace, name)
    return TraceView(read.sources, read.policy)


def gather(
    workspace: Workspace,
    looked: ProjectStamps,
    policy: TracePolicy,
    index: TraceIndex,
    around: TraceItems | None = None,
) -> GatheredSources:
    """Return the sources of a project that was looked at; with `around`, of these items alone."""

    read = around or read_walked(workspace, looked.walk, policy, index)
    code, results, has_sprints = code_and_results(
        workspace, read, policy, looked.config, looked.content, looked.reports
    )
    git, notes = _git(workspace, looked.place, read.items, index)
    process, more = (), ()
    if has_sprints:

        @cache
        def traced() -> Mapping[str, str]:
            from verifflowcc.trace.rules.fingerprint import type_digests  # asked of few sprints

            return type_digests(read.items)

        process, more = provider("process facts")(workspace, traced, looked.content)
    changed, unread = _changed(workspace)
    sources = TraceSources(
        read.items,
        workspace.today(),
        read.unreadable,
        code,
        looked.content,
        results,
        _newest_baseline(workspace, around),
        git,
        process,
        changed,
    )
    notices = tuple(dict.fromkeys((*notes, *more, *unread)))
    return GatheredSources(sources, policy, read.parsed, notices, whole=around is None)


def _git(
    workspace: Workspace, place: GitPlace, items: Sequence[TraceItem], index: TraceIndex
) -> tuple[GitTrace, tuple[str, ...]]:
    """Return what git knows of the items, and what it could not tell."""
    if place.problem:
        return GitTrace(problem=place.problem), ()
    ids = {item.id: item.path for item in items if item.status is not Status.ARCHIVED}
    nameless = any(item.reviewed is not None and item.author is None for item in items)
    try:
        past = _kept(index, "git-past", place.key, _PAST, lambda: read_past(workspace.root, place))
        authors = _authors(workspace, place, index) if nameless else {}
        reused = read_reused(workspace.root, place, past, ids)
        collisions = read_collisions(workspace.root, place, past, ids)
    except VfccError as error:
        return GitTrace(problem=error.message), ()
    return GitTrace(place.target, reused, collisions, authors), (*place.notices, *past.notices)


def _authors(workspace: Workspace, place: GitPlace, index: TraceIndex) -> _Authors:
    key = f"{place.head} {place.prefix}"
    return _kept(index, "git-authors", key, _AUTHORS, lambda: read_authors(workspace.root, place))


def _kept(index: TraceIndex, name: str, key: str, codec: RecordCodec[_T], read: Callable[[], _T]) -> _T:
    """Return the value kept under a name for this key, else read it and keep it."""
    text = index.recall(name, key)
    if text is not None:
        return codec.value(text)
    found = read()
    index.keep(name, key, codec.text(found))
    return found


def _newest_baseline(workspace: Workspace, around: TraceItems | None) -> TraceBaseline | None:
    found = next(reversed(list_baselines(workspace)), None)
    if found is None or around is None:
        return found
    ids = {item.id for item in around.items}
    return replace(found, items={name: digest for name, digest in found.items.items() if name in ids})


def _changed(workspace: Workspace) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    """Return the files that differ from the base of the open sprint.

    Of any open one, where there are several.
    """
    from verifflowcc.sprint.use.sprint_reading import open_sprints

    found: set[str] | None = None
    notices = []
    try:
        states = open_sprints(workspace)
    except VfccError as error:
        return None, (f"the sprints were not looked at: {error.message}",)
    for state in states:
        try:
            if state.base is not None:
                from verifflowcc.base.git.git_patches import changed_from

                found = (found or set()) | changed_from(workspace.root, state.base)
        except VfccError as error:
            notices.append(f"what changed since {state.id} began is not known: {error.message}")
    return None if found is None else tuple(sorted(path for path in found if not path.startswith(".memory/"))), tuple(
        notices
    )
