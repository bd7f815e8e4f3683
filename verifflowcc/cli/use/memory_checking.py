"""`check memory`: everything that is wrong with remembered items, in one run; nothing is written but the index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.errors import FormatError, UsageError, VfccError
from verifflowcc.base.files.layout import as_on_disk, settled
from verifflowcc.base.files.private_files import USER, user_home
from verifflowcc.base.git.git_place import top_of
from verifflowcc.base.model.baseline_rules import only_new
from verifflowcc.base.model.config_values import BackendKind, CodeStatus
from verifflowcc.base.model.item_values import TYPES, Item, ScopeKind, Status, scope_of
from verifflowcc.base.model.trace_values import EarlierFindings, TraceReport
from verifflowcc.base.process.clock import SystemClock, observed
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import conflict_line, digest_text
from verifflowcc.base.text.record_codec import RecordCodec
from verifflowcc.base.text.secrets import find_secrets, place_of
from verifflowcc.base.use.workspace import MEMORY, Workspace, required
from verifflowcc.items.rules.front_matter import key_lines
from verifflowcc.items.store.item_edits import parse_item
from verifflowcc.items.store.item_walk import ItemWalk, walk_items
from verifflowcc.memory.rules.memory_check import check_memory as check
from verifflowcc.memory.rules.memory_findings import CheckedItem, MemorySources, UnreadFile
from verifflowcc.memory.rules.superseded import stale_summaries, superseded
from verifflowcc.memory.store.memory_items import MemoryChecked
from verifflowcc.memory.use.code_refs import code_of
from verifflowcc.memory.use.stores import backend_of, memory_settings, open_store
from verifflowcc.trace.use.trace_code import garbage_collection_paused

# Read a memory for its checks: unchanged files from the index, the others read and parsed.

_Read = tuple[CheckedItem | None, UnreadFile | None]
_READ: RecordCodec[_Read] = RecordCodec(_Read)


@dataclass(frozen=True, slots=True)
class FilesRead:
    """The items of some folders, by path, what could not be read, and how many files had to be read for it."""

    items: tuple[CheckedItem, ...]
    unread: tuple[UnreadFile, ...]
    parsed: int = 0


def read_folders(root: Path, folders: Iterable[str], index: MemoryChecked, apart: frozenset[str]) -> FilesRead:
    """Return all items below `root` in these folders, but for the folders `apart`. Nothing is written but the index."""
    walk = ItemWalk()
    for folder in folders:
        found = walk_items(root, folder, apart)
        walk.listings.update(found.listings)
        walk.problems.update(found.problems)
    files = walk.files
    known = index.facts()
    items: list[CheckedItem] = []
    unread = [_problem(path, why) for path, why in walk.problems.items()]
    learned, parsed = [], 0
    for path in observed("reading items", sorted(files)):
        seen = files[path]
        stamp = seen.stamp if settled(seen.touched_ns) else ""
        kept = known.get(path)
        if kept is not None and stamp and kept[0] == stamp:
            looked, problem = _READ.value(kept[1])
            read = looked or problem
        else:
            parsed += 1
            read = _read(root, path)
            if read is not None and stamp:
                learned.append(
                    (path, stamp, _READ.text((read, None) if isinstance(read, CheckedItem) else (None, read)))
                )
        if isinstance(read, CheckedItem):
            items.append(read)
        elif read is not None:
            unread.append(read)
    index.learn(learned, known.keys() - files.keys())
    return FilesRead(tuple(items), tuple(sorted(unread, key=lambda each: each.path)), parsed)


def look_into(path: str, data: bytes) -> CheckedItem | UnreadFile:
    """Return what the bytes of an item's file say."""
    line = conflict_line(data)
    if line is not None:
        return UnreadFile("conflict-markers", path, line, "contains merge conflict markers")
    try:
        parsed = parse_item(path, data)
    except FormatError as error:
        place, _, why = error.message.removeprefix(f"{path}:").partition(": ")
        return UnreadFile("not-utf8", path, int(place) if place.isdecimal() else 1, why)
    text = data.decode("utf-8")
    unknown = tuple(key for key, _ in parsed.unknown)
    says = digest_text(f"{parsed.item.title}\0{parsed.body.strip()}")
    return CheckedItem(parsed.item, key_lines(text), parsed.notices, unknown, tuple(_secrets(text)), says)


def _secrets(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the kind, line and column of each thing that looks like a secret."""
    for each in find_secrets(text):
        line, _, column = place_of(text, each.start).partition(":")
        yield each.kind, int(line), int(column)


def _read(root: Path, path: str) -> CheckedItem | UnreadFile | None:
    """Return the text of a file; None where it was removed."""
    try:
        with open(f"{root}/{as_on_disk(path)}", "rb") as file:  # noqa: PTH123 - a Path per file is too slow at 10,000
            return look_into(path, file.read())
    except FileNotFoundError:
        return None
    except OSError as error:
        return UnreadFile("unreadable-file", path, 1, f"cannot be read: {error.strerror or error}")


def _problem(path: str, why: str) -> UnreadFile:
    if why.startswith("is a link") and "nowhere" not in why:
        return UnreadFile("link-outside", path, 1, why)
    return UnreadFile("too-large" if " MiB" in why else "unreadable-file", path, 1, why)


INDEX = "index.db"
PROJECT = "project"
_FOLDERS = tuple(f"{MEMORY}/{each}" for each in ("project", "sprint", "stage", "agent", "local/tasks"))
_USER_APART = frozenset({f"{USER}/local"})


@dataclass(frozen=True, slots=True)
class MemoryCheck:
    """What the checks say, and of whose memory: `scope` is None for all of the project's.

    `items` counts what was looked at, `read` the files that had to be read for it; `prefix` is the project's folder in
    its repository. `new_since` is the earlier commit whose findings are left out; None where there is none.
    """

    report: TraceReport
    """As in `check trace`; unreadable files count as `unread`."""
    scope: str | None
    """The requested scope, or null."""
    items: int
    read: int
    """How many files had to be read."""
    prefix: str = ""
    """The project's folder in its repository."""
    notices: tuple[str, ...] = ()
    new_since: str | None = None
    """The earlier commit whose findings are known, or null."""

    @property
    def anything(self) -> bool:
        """Whether there was anything to look at."""
        return self.report.evaluable


def check_memory(
    workspace: Workspace | None, scope: str | None = None, *, earlier: EarlierFindings | None = None
) -> MemoryCheck:
    """Return what the checks say of all scopes of the project, of one of them, or of the person's own (`user`).

    `earlier` leaves the findings that were not there before. Raises UsageError for a scope that is none, WorkspaceError
    and BackendError where a store cannot be read.
    """
    with garbage_collection_paused():
        checked = _check_user(workspace) if scope == USER else _check_project(workspace, scope)
    if earlier is None:
        return checked
    notices = (*checked.notices, *((earlier.problem,) if earlier.problem else ()))
    return replace(checked, report=only_new(checked.report, earlier), notices=notices, new_since=earlier.label)


def _check_project(workspace: Workspace | None, scope: str | None) -> MemoryCheck:
    workspace = required(workspace)
    if scope is not None and scope.partition("/")[0] not in set(ScopeKind):
        raise UsageError(f"there is no scope {scope}", hint="vfcc check memory --scope project")
    with MemoryChecked(workspace.local / INDEX) as index:
        read = _with_stores(workspace, read_folders(workspace.root, _FOLDERS, index, frozenset()))
        index_notices = index.notices
    theirs, notices = _ids_of_user(workspace)
    types, traced = _types(workspace, read.items)
    code = _code(workspace, read.items, traced)
    sources = MemorySources(
        *(read.items, read.unread, types, traced, workspace.today(), theirs, code, _superseded(read.items)),
        stale=_stale(read.items),
        ttl_days=memory_settings(workspace).ttl_days,
    )
    report = check(sources)
    if scope is not None:
        report = _narrowed(report, sources, scope)
    return MemoryCheck(report, scope, len(read.items), read.parsed, _prefix(workspace), (*index_notices, *notices))


def _prefix(workspace: Workspace) -> str:
    """Return the project's folder in its repository, "" at the top or where there is none."""
    top, root = top_of(workspace.root), workspace.root.resolve()
    return "" if top is None or top == root else root.relative_to(top).as_posix()


def _check_user(workspace: Workspace | None) -> MemoryCheck:
    read, notices = _read_user(workspace)
    theirs: Mapping[str, str] = {}
    if workspace is not None:
        with MemoryChecked(workspace.local / INDEX) as index:
            theirs = {
                each.item.id: each.item.path
                for each in read_folders(workspace.root, _FOLDERS, index, frozenset()).items
            }
    today = workspace.today() if workspace else f"{SystemClock().now():%Y-%m-%d}"
    types, traced = _types(workspace, read.items)
    code, others = _code_of_user(workspace, [each.item for each in read.items])
    report = check(
        MemorySources(
            read.items,
            read.unread,
            types,
            traced,
            today,
            theirs,
            code=code,
            of_others=others,
            superseded=_superseded(read.items),
            stale=_stale(read.items),
        )
    )
    return MemoryCheck(report, USER, len(read.items), read.parsed, notices=notices)


def _read_user(workspace: Workspace | None) -> tuple[FilesRead, tuple[str, ...]]:
    """Return the person's own items, from their files or from the store that they chose."""
    if backend_of(workspace, USER) is BackendKind.FILES:
        home = user_home()
        if not (home / USER).is_dir():
            return FilesRead((), ()), ()
        with MemoryChecked(home / USER / "local" / INDEX) as index:
            return read_folders(home, [USER], index, _USER_APART), index.notices
    return _from_store(workspace, USER), ()


def _ids_of_user(workspace: Workspace) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Return the ids of the person's own items and where they are; a notice where they cannot be read."""
    try:
        read, notices = _read_user(workspace)
    except VfccError as error:
        return {}, (f"your own memory was not looked at: {error.message}",)
    return {each.item.id: each.item.path for each in read.items}, notices


def _with_stores(workspace: Workspace, files: FilesRead) -> FilesRead:
    """Add what the project keeps elsewhere; an item that a store has counts once."""
    if backend_of(workspace, PROJECT) is BackendKind.FILES:
        return files
    store = _from_store(workspace, PROJECT)
    there = {each.item.id for each in store.items}
    left = tuple(each for each in files.items if each.item.scope != PROJECT or each.item.id not in there)
    return FilesRead((*left, *store.items), (*files.unread, *store.unread), files.parsed + store.parsed)


def _from_store(workspace: Workspace | None, scope: str) -> FilesRead:
    items: list[CheckedItem] = []
    unread: list[UnreadFile] = []
    with open_store(workspace, scope) as store:
        for stored in store.list_all():
            read = look_into(stored.item.path, stored.text.encode("utf-8", "surrogatepass"))
            items.append(read) if isinstance(read, CheckedItem) else unread.append(read)
    return FilesRead(tuple(items), tuple(unread), len(items) + len(unread))


def _types(workspace: Workspace | None, items: Iterable[CheckedItem]) -> tuple[frozenset[str], frozenset[str]]:
    """Return all types and those of the trace; the workflow is asked only where the table lacks a type."""
    traced = frozenset(name for name, each in TYPES.items() if each.trace)
    if workspace is None or all(each.item.type in TYPES for each in items):
        return frozenset(TYPES), traced
    from verifflowcc.sprint.use.pinned_workflow import policy_of

    own = frozenset(policy_of(workspace).types)
    return frozenset(TYPES) | own, traced | own


def _superseded(items: Iterable[CheckedItem]) -> frozenset[str]:
    """Return the paths of the items that a newer one replaces; only asked where two have one key, or say the same."""
    looked = list(items)
    every = [each.item for each in looked]
    keyed = [(each.scope, each.type, each.key) for each in every if each.key and each.status is Status.ACTIVE]
    apart = len(set(keyed)) == len(keyed) and len({each.says for each in looked}) == len(looked)
    return frozenset() if apart else frozenset(superseded(every).found)


def _stale(items: Iterable[CheckedItem]) -> dict[str, str]:
    """Return path → why a summary is stale: an item that it sums up was replaced."""
    every = [each.item for each in items]
    if not any(item.archived and item.archived.into for item in every):
        return {}
    return {each.path: each.why for each in stale_summaries(every, superseded(every).found)}


def _code(workspace: Workspace, items: Iterable[CheckedItem], traced: frozenset[str]) -> dict[str, CodeStatus]:
    """Return what is now at each place in the project's code that these items speak of."""
    return code_of(workspace).of_items(each.item for each in items if each.item.type not in traced)


def _code_of_user(workspace: Workspace | None, items: Sequence[Item]) -> tuple[dict[str, CodeStatus], frozenset[str]]:
    """Return what is now where a person's items speak of this project's code, and the paths of those that do not."""
    if workspace is None:
        return {}, frozenset()
    code = code_of(workspace)
    return code.of_items(items), frozenset(item.path for item in items if item.refs and not code.is_ours(item))


def _narrowed(report: TraceReport, sources: MemorySources, scope: str) -> TraceReport:
    paths = {each.item.path for each in sources.items if each.item.scope == scope}
    kept = tuple(each for each in report.findings if each.path in paths or scope_of(each.path) == scope)
    counts: dict[str, int] = {}
    for each in sources.items:
        if each.item.path in paths:
            counts[each.item.type] = counts.get(each.item.type, 0) + 1
    unread = sum(scope_of(each.path) == scope for each in sources.unread)
    return replace(
        report, findings=kept, counts={**dict(sorted(counts.items())), **({"unread": unread} if unread else {})}
    )
