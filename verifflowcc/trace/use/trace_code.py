"""The project's code for the trace: marked files, tests, and files of items."""

import gc
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from verifflowcc import __version__
from verifflowcc.base.errors import FormatError
from verifflowcc.base.files.layout import as_on_disk, demand_no_journal
from verifflowcc.base.files.project_content import digest_file, project_content
from verifflowcc.base.index.index_file import ItemRow
from verifflowcc.base.model.config_values import Config
from verifflowcc.base.model.item_values import Link, Ref, Status
from verifflowcc.base.model.sprint_state import Workflow
from verifflowcc.base.model.trace_codes import TracePolicy
from verifflowcc.base.model.trace_values import CodeFile, Results, TraceItem
from verifflowcc.base.process.clock import observed
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import conflict_line, digest_bytes, digest_text
from verifflowcc.base.text.glob import select
from verifflowcc.base.text.record_codec import plain_text
from verifflowcc.base.use.workspace import Workspace, provider
from verifflowcc.code.store.code_files import CodeIndex, read_code_files
from verifflowcc.items.store.item_walk import MemoryWalk, walk_memory
from verifflowcc.sprint.store.workflow_load import workflow_text
from verifflowcc.sprint.use.configuration import effective_config
from verifflowcc.trace.store.trace_cache import (
    ItemEnds,
    TraceIndex,
    ends_of,
    parse_trace_item,
    trace_item_from_text,
    trace_item_to_text,
)

if TYPE_CHECKING:
    from verifflowcc.base.git.git_trace import GitPlace

# All trace items of a project: unchanged files from the index, the others read and parsed.

INDEX = "index.db"
_RULES = "heard items are none"
"""By which rules files count as trace items: what an index has by other rules is not used."""
_NO_ITEM = ""
"""The facts of a file that is another kind of item."""


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Pause the garbage collector while many items are read."""
    # All of them stay alive, so each collection scans them once more and frees nothing. Without the freeze, the first
    # one afterwards does, which takes a second of the sixteen that 50,000 items take; records hold no cycles.
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.freeze()
            gc.enable()


@dataclass(frozen=True, slots=True)
class TraceItems:
    """The trace items below `.memory/project/items/`, by path.

    `unreadable` maps a path to why it is no item, its line first. `parsed` counts the files that were read and parsed
    because they are new or changed. `others` are the paths of items that are memory, and no part of the trace. Items
    that are `outlined` have no more than id, type, title, text, digest, status, tests, refs without digests, and links
    without stamps.
    """

    items: tuple[TraceItem, ...]
    unreadable: dict[str, str] = field(default_factory=dict)
    parsed: int = 0
    notices: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    outlined: bool = False


_MOST_READ = 20
"""So many files that the index does not know are read for a prompt without writing what is learned."""


def read_items(workspace: Workspace, policy: TracePolicy) -> TraceItems:
    """Return all trace items; nothing is written but the index.

    The policy decides which types there are.
    """
    with garbage_collection_paused(), TraceIndex(workspace.local / INDEX) as index:
        read = read_walked(workspace, walk_memory(workspace.root), policy, index)
        return TraceItems(read.items, read.unreadable, read.parsed, index.notices, read.others)


def read_walked(workspace: Workspace, walk: MemoryWalk, policy: TracePolicy, index: TraceIndex) -> TraceItems:
    """Return the trace items of a walk, with what the index knows of them.

    Raises ConflictError while an import is half written.
    """
    demand_no_journal(workspace.memory)
    key = _reading(policy)
    known = index.items(key)
    items: dict[str, TraceItem | None] = {}
    unreadable, learned, parsed = dict(walk.problems), list[tuple[ItemRow, ItemEnds]](), 0
    paths, stamps = walk.items(), walk.stamps()
    for path in observed("reading trace items", paths):
        # A file touched a moment ago may change again under the same stamp, so it is read whatever the index knows.
        row, stamp = known.get(path), "" if path in walk.fresh else stamps[path]
        if row is not None and row.stamp == stamp != "":
            items[path] = _item(row.facts)
            continue
        try:
            data = _read(f"{workspace.root}/{as_on_disk(path)}")
            digest = digest_bytes(data)
            if row is None or row.digest != digest:
                items[path], parsed = _parsed(path, data, policy.types), parsed + 1
                row = ItemRow(path, stamp, digest, _facts(items[path]))
            else:
                items[path] = _item(row.facts)
        except FileNotFoundError:
            continue  # removed since the walk
        except OSError as error:
            unreadable[path] = f"1: cannot be read: {error.strerror or error}"
            continue
        except FormatError as error:
            unreadable[path] = error.message.removeprefix(f"{path}:").lstrip()
            continue
        if known.get(path) != (kept := ItemRow(path, stamp, row.digest, row.facts)):
            learned.append((kept, ends_of(items[path])))
    gone = known.keys() - set(paths)
    replaced = (row.path for row, _ in learned if row.path in known and known[row.path].facts != row.facts)
    unlinked = [(to, path) for path in (*gone, *replaced) for to in ends_of(_item(known[path].facts)).targets]
    index.learn(key, learned, gone, unlinked)
    _keep_state(index, key, walk, unreadable)
    found = tuple([each for path in sorted(items) if (each := items[path])])
    others = tuple([path for path in sorted(items) if items[path] is None])
    return TraceItems(found, unreadable, parsed, others=others)


def read_known(workspace: Workspace, walk: MemoryWalk, policy: TracePolicy, index: TraceIndex) -> TraceItems | None:
    """Return the same items, of files that are memory no more than their paths; nothing is written.

    None where more than a few files are not known as they are. Raises the same.
    """
    demand_no_journal(workspace.memory)
    key, fresh, paths, stamps = _reading(policy), walk.fresh, walk.items(), walk.stamps()
    try:
        with index.one_state():
            kinds, rows = index.kinds(key), index.trace_items(key)
    except LookupError:
        return None
    unknown = ("", False)
    changed = [path for path in paths if path in fresh or kinds.get(path, unknown)[0] != stamps[path]]
    if len(changed) > _MOST_READ:
        return None
    unreadable = dict(walk.problems)
    items = _from_files(workspace, changed, policy, unreadable)
    left = set(changed)
    kept = [path for path in paths if path not in left]
    traced = [path for path in kept if kinds[path][1]]
    if not rows.keys() >= set(traced):
        return None
    items |= {path: _item(rows[path].facts) for path in traced}
    found = tuple([each for path in sorted(items) if (each := items[path])])
    others = [*(path for path in kept if not kinds[path][1]), *(path for path in items if items[path] is None)]
    return TraceItems(found, unreadable, len(changed), others=tuple(sorted(others)))


_OUTLINES, _LISTING = "outlines with code", "outlines by all files"


def read_outlines(workspace: Workspace, walk: MemoryWalk, policy: TracePolicy, index: TraceIndex) -> TraceItems | None:
    """Return the same items, outlined, where no trace item changed since the index learned them. Raises the same."""
    demand_no_journal(workspace.memory)
    key, fresh, paths, stamps = _reading(policy), walk.fresh, walk.items(), walk.stamps()
    unreadable = dict(walk.problems)
    listing = "" if fresh else digest_text("\0".join([key, *paths, *map(stamps.__getitem__, paths)]))
    try:
        with index.one_state():
            # Where no file at all is another, not even which of them are trace items is to be asked of each.
            state = index.recall(_LISTING, listing) if listing else None
            kept = index.recall(_OUTLINES, state) if state else None
            if kept is not None:
                items = _outlined(kept)
                traced_paths = {each.path for each in items}
                others = tuple([path for path in paths if path not in traced_paths])
                return TraceItems(items, unreadable, 0, others=others, outlined=True)
            kinds, unknown = index.kinds(key), ("", False)
            changed = {path for path in paths if path in fresh or kinds.get(path, unknown)[0] != stamps[path]}
            if len(changed) > _MOST_READ or any(kinds.get(path, unknown)[1] for path in changed):
                return None
            memory = _from_files(workspace, sorted(changed), policy, unreadable)
            if any(memory.values()):
                return None
            traced = [path for path in paths if path not in changed and kinds[path][1]]
            state = digest_text("\n".join([key, *(f"{path}\t{stamps[path]}" for path in sorted(traced))]))
            kept = index.recall(_OUTLINES, state)
            rows = index.trace_items(key) if kept is None else {}
    except LookupError:
        return None
    if kept is None:
        if not rows.keys() >= set(traced):
            return None
        kept = _outlines_text([each for path in sorted(traced) if (each := _item(rows[path].facts))])
        index.keep(_OUTLINES, state, kept)
    if listing and not changed:
        index.keep(_LISTING, listing, state)
    known = {path for path in paths if path not in changed and not kinds[path][1]}
    others = tuple(sorted(known | memory.keys()))
    return TraceItems(_outlined(kept), unreadable, len(changed), others=others, outlined=True)


def _outlined(kept: str) -> tuple[TraceItem, ...]:
    return tuple(
        [
            TraceItem(
                *(own, type_, title, path, text, digest, Status(status), None),
                tuple([Link(*to) for to in links]),
                tuple([Ref(*ref) for ref in refs]),
                tuple(tests),
            )
            for own, type_, title, path, text, digest, status, links, refs, tests in json.loads(kept)
        ]
    )


def _outlines_text(items: Iterable[TraceItem]) -> str:
    rows = [
        [
            *(each.id, each.type, each.title, each.path, each.text, each.digest, each.status.value, _ends_of(each)),
            [(ref.path, ref.symbol) for ref in each.refs],
            each.tests,
        ]
        for each in items
    ]
    return json.dumps(rows, ensure_ascii=False)


def _ends_of(item: TraceItem) -> list[tuple[str, str]]:
    return [(link.to, link.relation) for link in item.links]


def read_whole(
    workspace: Workspace, walk: MemoryWalk, policy: TracePolicy, index: TraceIndex, paths: Iterable[str]
) -> TraceItems | None:
    """Return the items at some paths, as the index has them, with all that statements on them depend on.

    None where all items must be read: too much is around one, or something changed.
    """
    from verifflowcc.trace.rules.trace_view import around

    found: dict[str, TraceItem] = {}
    try:
        with index.one_state():
            there = _KeptItems(workspace, walk, policy, index, _reading(policy), set())
            for path in paths:
                if (item := there.at(path)) is None:
                    return None
                near = around(item, policy, lambda own: there.named(own.casefold()), there.holding)
                found.update((each.path, each) for each in near)
    except LookupError:
        return None
    return TraceItems(tuple([found[path] for path in sorted(found)]), there.unreadable)


def _reading(policy: TracePolicy) -> str:
    """Return what the rows of the index depend on beside their files."""
    return digest_text("\n".join([_RULES, *sorted(policy.types)]))


# One item and those around it, by id. How the files were at the last reading of all is kept, as a digest and a text for
# each folder: one that is not as it was then is read, and what the index has of it is left aside. Each file is looked
# at each time, since an edit in place of a file far away, that now links to this item, shows nowhere else.

_STATE = "item folders"
_MOST_CHANGED = 100
"""Files that changed since the last reading of all items; where there are more, all are read."""


def _state(walk: MemoryWalk, but: Collection[str]) -> dict[str, str]:
    """Return the digest of each folder of items, its name with a `/`, and the stamp of each item outside of these.

    Items whose stamp says nothing are left out.
    """
    unsure = {*walk.fresh, *but}
    digests = {f"{folder}/": each.digest(_in(folder, unsure)) for folder, each in sorted(walk.listed.items())}
    return digests | {path: walk.rest[path] for path in sorted(walk.rest_items) if path not in unsure}


def _in(folder: str, paths: Iterable[str]) -> set[str]:
    """Return the names of those paths that lie in a folder."""
    return {each[len(folder) + 1 :] for each in paths if each.startswith(f"{folder}/")}


def _as_text(pairs: Mapping[str, str]) -> str:
    return "\0".join(word for pair in pairs.items() for word in pair)


def _as_pairs(text: str) -> dict[str, str]:
    words = iter(text.split("\0") if text else ())
    return dict(zip(words, words, strict=True))


def _keep_state(index: TraceIndex, key: str, walk: MemoryWalk, but: Collection[str]) -> None:
    """Keep how the items are by now, where it is not what is kept."""
    state, unsure = _state(walk, but), {*walk.fresh, *but}
    if index.recall(_STATE, key) == (text := _as_text(state)):
        return
    texts = [(_STATE, key, text)]
    for folder, listed in walk.listed.items():
        left_out = _in(folder, unsure)
        held = {name: stamp for name, stamp in listed.stamps().items() if name not in left_out}
        texts.append((f"{_STATE} {folder}", state[f"{folder}/"], _as_text(held)))
    index.keep_all(texts)


def read_around(
    workspace: Workspace, walk: MemoryWalk, policy: TracePolicy, index: TraceIndex, name: str
) -> TraceItems | None:
    """Return the item with an id, or the only one whose id begins so, with all that a statement on it depends on.

    Those are the items above it and below it, and what these link to. None where all items must be read: nothing is
    kept yet, too much changed, or no single item is meant.
    """
    from verifflowcc.trace.rules.trace_view import around

    demand_no_journal(workspace.memory)
    try:
        with index.one_state():
            kept = index.recall(_STATE, key := _reading(policy))
            if kept is None:
                return None
            changed, compared = _changed_since(walk, kept, index)
            if len(changed) > _MOST_CHANGED:
                return None
            there = _KeptItems(workspace, walk, policy, index, key, changed)
            items = around(there.meant(name), policy, lambda own: there.named(own.casefold()), there.holding)
    except LookupError:
        return None
    if compared and not changed:
        _keep_state(index, key, walk, ())  # only the order of the files is another
    return TraceItems(items, there.unreadable, len(changed))


def _changed_since(walk: MemoryWalk, kept: str, index: TraceIndex) -> tuple[set[str], bool]:
    """Return the files that are not as they were, those that are gone too; of a folder as it was, none is compared.

    Also, whether any was compared. Raises LookupError where what a folder held is not kept.
    """
    before, compared = _as_pairs(kept), False
    now = {path: walk.rest[path] for path in walk.rest_items}
    for folder in {*walk.listed, *(each[:-1] for each in before if each.endswith("/"))}:
        digest, listed = before.pop(f"{folder}/", ""), walk.listed.get(folder)
        if listed is not None:
            if digest == listed.digest():
                continue
            compared = True
            now |= {f"{folder}/{name}": stamp for name, stamp in listed.stamps().items()}
        if digest:
            before |= {f"{folder}/{name}": stamp for name, stamp in _held(index, folder, digest).items()}
    changed = {path for path in before.keys() | now.keys() if before.get(path) != now.get(path)}
    return changed.union(path for path in walk.fresh if walk.stamp(path)) if walk.fresh else changed, compared


def _held(index: TraceIndex, folder: str, digest: str) -> dict[str, str]:
    text = index.recall(f"{_STATE} {folder}", digest)
    if text is None:
        raise LookupError(folder)
    return _as_pairs(text)


class _KeptItems:
    """Items by path, from the index or, where they changed since, from their files."""

    def __init__(
        self,
        workspace: Workspace,
        walk: MemoryWalk,
        policy: TracePolicy,
        index: TraceIndex,
        key: str,
        changed: set[str],
    ) -> None:
        self._walk, self._index, self._key = walk, index, key
        self.unreadable = dict(walk.problems)
        there = [path for path in changed if walk.stamp(path)]
        self._found = dict.fromkeys(sorted(changed)) | _from_files(workspace, sorted(there), policy, self.unreadable)
        self._changed = [each for each in self._found.values() if each is not None]

    def meant(self, name: str) -> TraceItem:
        """Return the one item that a name means. Raises LookupError where it is not the only one."""
        wanted = name.strip().removesuffix(".md").rpartition("/")[2].casefold()
        found = self.named(wanted)
        if not found and wanted:
            found = self._all(
                self._index.beginning(wanted, len(self._found) + 2), lambda each: each.id.casefold().startswith(wanted)
            )
        if len(found) != 1:
            raise LookupError(name)
        return found[0]

    def named(self, name: str) -> list[TraceItem]:
        """Return the items with an id, capitals folded."""
        return self._all(self._index.named(name), lambda each: each.id.casefold() == name)

    def holding(self, target: str) -> list[TraceItem]:
        """Return the items that link to an id."""
        return self._all(self._index.holding(target), lambda each: any(link.to == target for link in each.links))

    def _all(self, paths: Iterable[str], fits: Callable[[TraceItem], bool]) -> list[TraceItem]:
        found = {each.path: each for each in map(self.at, paths) if each is not None and fits(each)}
        found.update((each.path, each) for each in self._changed if fits(each))
        return [found[path] for path in sorted(found)]

    def at(self, path: str) -> TraceItem | None:
        """Return the item at a path, None for another kind of item. Raises LookupError where it is not known."""
        if path not in self._found:
            row = self._index.item(self._key, path)
            if row is None or row.stamp != self._walk.stamp(path):
                raise LookupError(path)
            self._found[path] = _item(row.facts)
        return self._found[path]


def _from_files(
    workspace: Workspace, paths: Iterable[str], policy: TracePolicy, unreadable: dict[str, str]
) -> dict[str, TraceItem | None]:
    """Return the trace items of files, None for other items; why one is no item is added to `unreadable`."""
    found: dict[str, TraceItem | None] = {}
    for path in paths:
        try:
            found[path] = _parsed(path, _read(f"{workspace.root}/{as_on_disk(path)}"), policy.types)
        except FileNotFoundError:
            continue  # removed since the walk
        except OSError as error:
            unreadable[path] = f"1: cannot be read: {error.strerror or error}"
        except FormatError as error:
            unreadable[path] = error.message.removeprefix(f"{path}:").lstrip()
    return found


def _read(full: str) -> bytes:
    with open(full, "rb") as file:  # noqa: PTH123 - a Path per file is too slow at 10,000
        return file.read()


def _parsed(path: str, data: bytes, types: Collection[str]) -> TraceItem | None:
    line = conflict_line(data)
    if line is not None:
        raise FormatError(f"{path}:{line}: contains merge conflict markers")

    return parse_trace_item(path, data, types)


def _facts(item: TraceItem | None) -> str:
    return trace_item_to_text(item) if item is not None else _NO_ITEM


def _item(facts: str) -> TraceItem | None:
    return trace_item_from_text(facts) if facts != _NO_ITEM else None


def read_code(
    workspace: Workspace,
    content: Mapping[str, str],
    policy: TracePolicy,
    items: Iterable[TraceItem],
    exclude: Sequence[str] = (),
) -> tuple[CodeFile, ...]:
    """Return files with marks, test files, and files that items name, by path.

    `content` maps the project's paths to their digests; `exclude` are patterns of files that are not scanned, save
    those that items speak of.
    """
    wanted = {ref.path for item in items for ref in item.refs}
    left_out = frozenset(select(content, exclude)) - wanted if exclude else frozenset()
    scanned = {path: digest for path, digest in content.items() if path not in left_out}
    with CodeIndex(workspace.local / INDEX) as index:
        local = None if exclude else workspace.local
        return read_code_files(workspace.root, scanned, index, tests=policy.tests, wanted=wanted, local=local)


def code_and_results(
    workspace: Workspace,
    read: TraceItems,
    policy: TracePolicy,
    config: Config,
    content: Mapping[str, str],
    reports: Collection[str],
) -> tuple[tuple[CodeFile, ...], Results, bool]:
    """Return the code of items and the results of their tests, and whether there is a sprint."""
    from verifflowcc.sprint.use.sprint_reading import ledger_of

    code = read_code(workspace, content, policy, read.items, config.trace.exclude)
    # Before the first sprint, gates have nothing to say, and are not imported to say it.
    has_sprints, results = bool(ledger_of(workspace).sprint_ids()), Results()
    if has_sprints or reports:
        results = provider("test results")(workspace, read.items, code, content, tuple(reports))
    return code, results, has_sprints


# What a trace check would look at, seen from outside: stamps, digests and ids, with nothing parsed.
#
# The key of a report is made of it: while none of this changes, the same question has the same answer.


@dataclass(frozen=True, slots=True)
class ProjectStamps:
    """The stamps and digests of all files that a check depends on.

    `walk` is all that is committed below `.memory/`, `content` every file of the project with its digest, `place` where
    git has it. `reports` maps each report of results (those of the configuration, then those given) to the digest of
    its bytes, "" where there is none that can be read.
    """

    config: Config
    walk: MemoryWalk
    content: Mapping[str, str]
    place: "GitPlace"
    reports: Mapping[str, str]

    @property
    def settled(self) -> bool:
        """Whether its stamps are enough to recognise the same state later."""
        return not self.walk.fresh and not self.walk.linked


def read_stamps(workspace: Workspace, junit: Sequence[str] = ()) -> ProjectStamps:
    """Take the stamps of all files that a check depends on.

    `junit` are reports given beside those of the configuration, relative to where vfcc runs.

    Raises ConfigError where the configuration is not sound, WorkspaceError where the project cannot be read.
    """
    from verifflowcc.base.git.git_trace import find_place

    config = effective_config(workspace).config
    walk = walk_memory(workspace.root)
    content = project_content(workspace.root, workspace.local)
    place = find_place(workspace.root, config.trace.target)
    reports = {str(path): _digest(path) for path in report_paths(workspace, config, junit)}
    return ProjectStamps(config, walk, content, place, reports)


def report_paths(workspace: Workspace, config: Config, junit: Sequence[str]) -> tuple[Path, ...]:
    """Return the paths of all reports, each once.

    Those of the configuration lie in the project.
    """
    own = [workspace.root / as_on_disk(name) for name in config.trace.reports]
    return tuple(dict.fromkeys([*own, *(Path(name).absolute() for name in junit)]))


def key_of(workspace: Workspace, looked: ProjectStamps, workflow: Workflow | None) -> str:
    """Return the cache key of the report on these stamps, under a workflow.

    None is the workflow of the configuration.
    """
    rules = (
        digest_bytes(workflow_text(workspace.memory, looked.config.workflow)[0])
        if workflow is None
        else plain_text(workflow)
    )
    from hashlib import sha256

    from verifflowcc.base.files.installed import program_stamp

    whole = sha256()
    parts = (
        (__version__, program_stamp(), workspace.today(), looked.config.digest, rules, looked.place.key),
        (f"{path} {digest}" for path, digest in looked.reports.items()),
        (f"{path} {stamp}" for path, stamp in sorted(looked.walk.stamps().items())),
        (f"{path} {reason}" for path, reason in sorted(looked.walk.problems.items())),
        (f"{path} {digest}" for path, digest in looked.content.items()),
    )
    for part in parts:
        whole.update("\0".join(part).encode("utf-8", "surrogatepass") + b"\1")
    return whole.hexdigest()


def _digest(path: Path) -> str:
    try:
        return digest_file(str(path)) if path.is_file() else ""
    except OSError:
        return ""
