"""Items as Markdown files below the folder of their scope: the default, and what git merges."""

import os
from _thread import RLock, allocate_lock, get_ident  # what threading is made of, without it
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from stat import S_IMODE

from verifflowcc.base.errors import BackendError, ConflictError, WorkspaceError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.layout import as_in_git, as_on_disk
from verifflowcc.base.files.write import create_all_atomic, create_atomic, sync_folder, write_atomic
from verifflowcc.base.index.index_file import LINKING, REPLACING, ItemRow
from verifflowcc.base.model.item_query import checked_limit, conditions, order_of, page_of
from verifflowcc.base.model.item_values import FOLDERS, Item
from verifflowcc.base.model.memory_protocol import (
    DEFAULT_LIMIT,
    DEFAULT_ORDER,
    Changes,
    ChosenItem,
    Filters,
    ItemKind,
    ItemPage,
    Known,
    StoredItem,
)
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.plain_words import folded
from verifflowcc.items.store.item_walk import ItemWalk, walk_items
from verifflowcc.memory.store.memory_items import (
    ItemQuery,
    ItemReading,
    MemoryItems,
    PageQuery,
    QueryResult,
    read_known,
    read_stored,
    read_unchanged,
)
from verifflowcc.memory.store.placing import checked_bytes, home_path, is_place, is_unicode, item_from_text, path_in

# Where the file of an item can be, found without listing all: where it belongs, and where the index saw it last.


class ItemPlaces:
    """The places of items below one folder."""

    def __init__(self, root: Path, folder: str, index: MemoryItems) -> None:
        self._root, self._folder, self._index = root, folder, index

    def is_there(self) -> bool:
        """Say whether the folder exists; looking at an empty scope creates nothing."""
        return os.path.lexists(self._root / as_on_disk(self._folder))

    def folder_problem(self) -> str | None:
        """Return why nothing below the folder may be read or written: it is, or lies behind, a link out of the root.

        The folder of a person's own items may be such a link: it is theirs.
        """
        if self._folder == "user":
            return None
        real = os.path.realpath(self._root / as_on_disk(self._folder))
        top = os.path.realpath(self._root).rstrip("/")
        return None if real.startswith(f"{top}/") else "is a link that leaves the project"

    def is_behind_a_link(self, path: str) -> bool:
        """Say whether the file at a path would be written outside of the folder."""
        top = os.path.realpath(self._root / as_on_disk(self._folder))
        parent = os.path.realpath((self._root / as_on_disk(path)).parent)
        return not f"{parent}/".startswith(f"{top}/")

    def found(self, item_id: str) -> Iterator[StoredItem]:
        """Return the files with this id, by path, of those where it belongs or was seen last."""
        if not is_unicode(item_id) or not self.is_there() or self.folder_problem():
            return
        known = {each.path: each for each in self._index.files_of(item_id)}
        for path in sorted(self._homes(item_id) | set(known)):
            if is_place(self._folder, path):
                seen = known.get(path)
                unchanged = (
                    read_known(self._root, self._folder, item_from_text(seen.facts), seen.stamp) if seen else None
                )
                stored = unchanged or read_stored(self._root, self._folder, path)[0]
                if isinstance(stored, StoredItem) and stored.item.id == item_id:
                    yield stored

    def is_free(self, path: str) -> bool:
        """Say whether nothing has this path, nor one that another file system would take for it."""
        *folders, name = path.removeprefix(f"{self._folder}/").split("/")
        here = self._folder
        for part in (*folders, name):
            if any(part != other and folded(part) == folded(other) for other in self._beside(here, part)):
                return False
            here = f"{here}/{part}"
        return not os.path.lexists(self._root / as_on_disk(path))

    def _homes(self, item_id: str) -> set[str]:
        types = self._beside(f"{self._folder}/items")
        homes = {home_path(self._folder, name, item_id) for name in (*types, *FOLDERS.values())}
        return homes | {f"{item_id}.md"}

    def _beside(self, folder: str, part: str = "") -> tuple[str, ...]:
        """Return the names in a folder; none for a `part` as vfcc makes them, which differ by more than case."""
        if part and part.isascii() and part == part.lower():
            return ()
        try:
            return tuple(as_in_git(each.name) for each in (self._root / as_on_disk(folder)).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return ()


# Who writes to the files of a scope: many at a time, each one item; or one alone, for what it reads and writes.

WAIT_S = 60.0


@dataclass(slots=True)
class _HeldLock:
    """What this process holds of one lock file."""

    threads: RLock = field(default_factory=RLock)
    owner: int | None = None


_held: dict[str, _HeldLock] = {}
_held_lock = allocate_lock()


class ScopeLock:
    """The lock of one scope, in a folder of lock files.

    Who waits to be alone closes a gate first, so that those who write one item each do not keep it waiting forever.
    All tasks share one lock: they come and go, and a lock file stays.
    """

    def __init__(self, folder: Path, scope: str) -> None:
        kind = scope.partition("/")[0]
        self._path = folder / (kind if kind == "task" else scope.replace("/", "+"))
        self._gate = folder / f"{self._path.name}.gate"
        with _held_lock:
            self._here = _held.setdefault(str(self._path.absolute()), _HeldLock())

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep all others out; may be entered again by the same thread. Raises ConflictError, WorkspaceError."""
        from verifflowcc.base.files.lock import locked

        if not self._here.threads.acquire(timeout=WAIT_S):
            raise ConflictError(f"{self._path} is held by another thread", hint="wait until it is done")
        try:
            if self._here.owner == get_ident():
                yield
                return
            with locked(self._gate, WAIT_S), locked(self._path, WAIT_S):
                self._here.owner = get_ident()
                try:
                    yield
                finally:
                    self._here.owner = None
        finally:
            self._here.threads.release()

    @contextmanager
    def beside_others(self) -> Iterator[None]:
        """Keep those out who want to be alone, unless it is this thread. Raises ConflictError, WorkspaceError."""
        from verifflowcc.base.files.lock import locked

        if self._here.owner == get_ident():
            yield
            return
        with ExitStack() as held:
            with locked(self._gate, WAIT_S, shared=True):
                held.enter_context(locked(self._path, WAIT_S, shared=True))
            yield


_TRIES = 50


class FilesBackend:
    """The items of one scope, each a file below `root`/`folder`; threads and processes may share it.

    An item is looked for where it belongs and where the index saw it last, then everywhere. Only `add` leaves out the
    last: an id that somebody wrote by hand elsewhere, since anybody looked, is told as one that stands twice.

    `local` is a git-ignored folder: the index of these files and the scope's lock are there, and both can be deleted.
    """

    def __init__(self, root: Path, folder: str, scope: str, local: Path) -> None:
        self.scope = scope
        self._root, self._folder = root, folder
        self._index = MemoryItems(local / "index.db", folder)
        self._places = ItemPlaces(root, folder, self._index)
        self._lock = ScopeLock(local / "locks", scope)
        self._problems: tuple[str, ...] = ()
        self._real: dict[str, str] = {}

    def add(self, item: StoredItem) -> None:
        """Keep an item under its id: in a new file, or in the place of the bytes that its file had.

        Raises BackendError where its text cannot be kept, ConflictError where another item's file is in its place, and
        WorkspaceError where the place cannot be written.
        """
        self._check_folder()
        with self._lock.beside_others():
            if self._places.is_there() and not self._index.is_filled():
                self.count()
            for _ in range(_TRIES):
                known = self._find(item.item.id)
                if known is None:
                    if self._create(item):
                        return
                elif self._replace(known, item):
                    return
        raise ConflictError(f"{item.item.id} is being changed by others", hint="run the command again")

    def create(self, item: StoredItem) -> bool:
        """Make the file of an item whose id is new; return False where an item has this id. Raises as `add` does.

        Nothing is listed: the id is looked for where it belongs, and where the index saw it last.
        """
        self._check_folder()
        with self._lock.beside_others():
            return self._find(item.item.id) is None and self._create(item, yields=True)

    def create_all(self, items: Sequence[StoredItem]) -> tuple[str, ...]:
        """Make the files of items whose ids are new, and return the ids that were there. Raises as `add` does."""
        self._check_folder()
        with self._lock.alone():
            there = {each.id for each in self.items()}
            new = [each for each in items if each.item.id not in there]
            paths = [self._free_path(each) for each in new]
            files = [(self._full(path), checked_bytes(each, path)) for each, path in zip(new, paths, strict=True)]
            for each, path, made in zip(new, paths, create_all_atomic(files), strict=True):
                if not made:
                    self._check_same(each, path)
                    there.add(each.item.id)
        return tuple(each.item.id for each in items if each.item.id in there)

    def query(self, filters: Filters, limit: int = DEFAULT_LIMIT, order_by: str = DEFAULT_ORDER) -> list[StoredItem]:
        """Return the items that match; see `MemoryBackend`. Raises UsageError."""
        question = ItemQuery(conditions(filters), order_by, checked_limit(limit))
        order_of(order_by)
        return list(self._with_texts(self._ask(question)))

    def get(self, item_id: str) -> StoredItem | None:
        """Return the item with this id; None where there is none."""
        self._problems = ()
        return self._find(item_id) or self._look_everywhere(item_id)

    def delete(self, item_id: str) -> bool:
        """Remove the file of the item with this id; return whether there was one. Raises WorkspaceError."""
        self._check_folder()
        with self._lock.beside_others():
            found = self._find(item_id) or self._look_everywhere(item_id)
            return found is not None and self._remove(found.item.path)

    def list_all(self) -> list[StoredItem]:
        """Return all items, by id."""
        return list(self._with_texts(self._ask(ItemQuery())))

    def items(self) -> list[Item]:
        """Return all items without their texts, by id; files that did not change are not opened."""
        return [item for item, _ in self._ask(ItemQuery()).found]

    def linked(self, names: Iterable[str] = ()) -> list[Item]:
        """Return the items that links connect, and those of these names; see `MemoryBackend`."""
        return self._leading(LINKING, names)

    def replacing(self, names: Iterable[str] = ()) -> list[Item]:
        """Return the items that say what is superseded, and those of these names; see `MemoryBackend`."""
        return self._leading(REPLACING, names)

    def _leading(self, which: str, names: Iterable[str]) -> list[Item]:
        answer = QueryResult((), ())
        if self._places.is_there():
            answer = self._index.linked(self._walk(), self._read, names, which)
        self._problems = answer.problems
        return [item for item, _ in answer.found]

    def referring(self) -> list[Item]:
        """Return the items that speak of code, or were put into another; see `MemoryBackend`."""
        answer = QueryResult((), ())
        if self._places.is_there():
            answer = self._index.referring(self._walk(), self._read)
        self._problems = answer.problems
        return [item for item, _ in answer.found]

    def chosen(self, any_of: Sequence[Filters]) -> list[ChosenItem]:
        """Return the items that match all of any filters, by id; see `MemoryBackend`."""
        answer = QueryResult((), ())
        if self._places.is_there():
            answer = self._index.any_of(self._walk(), self._read, [conditions(each) for each in any_of])
        self._problems = answer.problems
        return [ChosenItem(item, partial(self._text_of, item, stamp)) for item, stamp in answer.found]

    def page(self, all_of: Sequence[Filters], shown: Callable[[ItemKind], bool], order_by: str, limit: int) -> ItemPage:
        """Return the first items of a list; see `MemoryBackend`."""
        self._problems = ()
        if not self._places.is_there():
            return ItemPage((), {}, ())
        wanted = [condition for each in all_of for condition in conditions(each)]
        answer = self._index.page(self._walk(), self._read, PageQuery(wanted, shown, order_by, limit))
        self._problems = answer.problems
        return answer.page or page_of(self.items(), all_of, shown, order_by, limit)

    def ids(self) -> list[tuple[str, str]]:
        """Return the id and the path of each item, by id; no item is read from the index."""
        found, self._problems = list[tuple[str, str]](), ()
        if self._places.is_there():
            found, self._problems = self._index.ids(self._walk(), self._read)
        return found

    def changes(self, mark: str | None, known: Known) -> Changes:
        """Return what changed since a mark of the index, else what differs from `known`; see `MemoryBackend`.

        All that is told anew is among `gone`, too: a file that goes before its text is read is left out, and told the
        next time. Reading the items raises WorkspaceError where a file did not change and cannot be read any more.
        """
        from verifflowcc.memory.store.in_memory import compared

        if not self._places.is_there():
            self._problems = ()
            return Changes("", (), tuple(known()))
        reported = self._index.changes(self._walk(), self._read, mark)
        self._problems = reported.problems
        if reported.paths is not None:
            return Changes(reported.mark, self._changed(reported.files), reported.paths)
        found = compared({each.path: each.digest for each in reported.files}, known())
        changed = frozenset(found.changed)
        files = [each for each in reported.files if each.path in changed]
        return Changes(reported.mark, self._changed(files), (*found.gone, *found.changed), found.complete)

    def clear(self) -> None:
        """Remove the files of all items of this scope; what cannot be read as an item stays. Raises WorkspaceError."""
        self._check_folder()
        with self._lock.beside_others():
            while found := self._ask(ItemQuery()).found:
                for item, _ in found:
                    self._remove(item.path)

    def count(self) -> int:
        """Return the number of items."""
        number, self._problems = 0, ()
        if self._places.is_there():
            number, self._problems = self._index.number(self._walk(), self._read)
        return number

    def writing(self) -> AbstractContextManager[None]:
        """Keep other writers of this scope out until the end. Raises ConflictError, WorkspaceError."""
        return self._lock.alone()

    def close(self) -> None:
        """Close the index."""
        self._index.close()

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read as items in the last answer, each `path:line: why` or `path: why`."""
        return self._problems

    @property
    def notices(self) -> tuple[str, ...]:
        """Why the index could not be used; answers are the same without it."""
        return self._index.notices

    def _walk(self) -> ItemWalk:
        self._real = {}
        problem = self._places.folder_problem()
        if problem:
            return ItemWalk(problems={self._folder: problem})
        return walk_items(self._root, self._folder, frozenset(["user/local"] if self._folder == "user" else ()))

    def _ask(self, question: ItemQuery) -> QueryResult:
        answer = QueryResult((), ())
        if self._places.is_there():
            answer = self._index.answer(self._walk(), self._read, question)
        self._problems = answer.problems
        return answer

    def _read(self, path: str) -> ItemReading:
        found, seen = read_stored(self._root, self._folder, path, self._real)
        stamp = seen.stamp if stamps.settled(seen.touched_ns) else ""
        if isinstance(found, StoredItem):
            return ItemReading(path, stamp, found.item, digest=digest_text(found.text))
        return ItemReading(path, stamp, problem=found)

    def _with_texts(self, answer: QueryResult) -> Iterator[StoredItem]:
        """Yield items with their texts; skip vanished files, read changed ones again."""
        for item, stamp in answer.found:
            found = self._text_of(item, stamp)
            if found is not None:
                yield found

    def _text_of(self, item: Item, stamp: str) -> StoredItem | None:
        found = read_unchanged(self._root, item, stamp) or read_stored(self._root, self._folder, item.path)[0]
        return found if isinstance(found, StoredItem) else None

    def _changed(self, files: Iterable[ItemRow]) -> Iterator[StoredItem]:
        """Yield items with their texts, except those changed since the index read them.

        Those are reported the next time.
        """
        for path, stamp, item in ((each.path, each.stamp, item_from_text(each.facts)) for each in files):
            found = read_unchanged(self._root, item, stamp) or read_stored(self._root, self._folder, path)[0]
            if isinstance(found, StoredItem) and found.item.id == item.id:
                yield found
            elif stamp and stamps.stamp(self._full(path)) == stamp:
                raise WorkspaceError(found if isinstance(found, str) else f"{path} was away while it was to be read")

    def _find(self, item_id: str) -> StoredItem | None:
        """Return the item where it belongs or was seen last."""
        return next(self._places.found(item_id), None)

    def _look_everywhere(self, item_id: str) -> StoredItem | None:
        if not is_unicode(item_id):
            return None
        answer = self._ask(ItemQuery(conditions({"id": item_id}), limit=1))
        return next(self._with_texts(answer), None)

    def _create(self, item: StoredItem, *, yields: bool = False) -> bool:
        """Make the file of a new item; return whether it is there now as the item's only one.

        One that `yields` goes before no other of its id, so that nobody loses what they were told is kept.
        """
        path = self._free_path(item)
        data = checked_bytes(item, path)
        if not create_atomic(self._full(path), data):
            self._check_same(item, path)
            return False
        if not yields:
            return self._is_only(path, item.item.id)
        if any(found.item.path != path for found in self._places.found(item.item.id)):
            self._remove(path)
            return False
        return True

    def _free_path(self, item: StoredItem) -> str:
        """Return where the file of a new item belongs. Raises BackendError where that is outside of the folder."""
        path = path_in(self._folder, item)
        if not self._places.is_free(path):
            path = home_path(self._folder, item.item.type, item.item.id)
        if self._places.is_behind_a_link(path):
            raise BackendError(f"{path} lies behind a link that leaves {self._folder}", hint="replace the link")
        return path

    def _check_same(self, item: StoredItem, path: str) -> None:
        """Raise ConflictError where the file at a path, if it is still there, is none of this item."""
        there, _ = read_stored(self._root, self._folder, path)
        if there is not None and not (isinstance(there, StoredItem) and there.item.id == item.item.id):
            raise ConflictError(f"{path} is there already and holds another item", hint="choose another id")

    def _is_only(self, path: str, item_id: str) -> bool:
        """Say whether what was just written at a path stays: of those who made one id at once, the first path does.

        Whoever writes looks afterwards, so that of two the later one sees both, and takes away the second.
        """
        paths = [found.item.path for found in self._places.found(item_id)]
        if paths and paths[0] < path:
            self._remove(path)
            return False
        for other in paths:
            if other > path:
                self._remove(other)
        return True

    def _replace(self, known: StoredItem, item: StoredItem) -> bool:
        """Put an item's bytes in the place of those its file has; return whether the file was still there."""
        data = checked_bytes(item, known.item.path)
        if known.text == item.text:
            return True
        full = self._full(known.item.path).resolve()
        try:
            mode = S_IMODE(full.stat().st_mode)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise WorkspaceError(f"cannot write {full}: {error.strerror or error}") from error
        write_atomic(full, data, mode=mode)
        first = self._find(item.item.id)
        if first is not None and first.item.path < known.item.path:
            self._remove(known.item.path)
            return False
        return True

    def _remove(self, path: str) -> bool:
        full = self._full(path)
        try:
            full.unlink()
            sync_folder(full.parent)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise WorkspaceError(f"cannot remove {full}: {error.strerror or error}") from error
        return True

    def _full(self, path: str) -> Path:
        return self._root / as_on_disk(path)

    def _check_folder(self) -> None:
        problem = self._places.folder_problem()
        if problem:
            raise BackendError(f"{self._folder} {problem}", hint=f"replace {self._folder} by a folder")
