"""What is known of the item files of a scope: an unchanged file is neither opened nor parsed to answer a question.

Everything here can be made again. Each answer is of one state of the index, which was just brought up to the disk,
whatever other processes write meanwhile; damage to the index costs time and changes no answer.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from verifflowcc.base.errors import FormatError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.layout import as_on_disk
from verifflowcc.base.index.index_file import (
    REPLACING,
    DerivedTables,
    ItemRow,
    Store,
    files_named,
    having,
    summed,
    unsummed,
)
from verifflowcc.base.model.item_query import (
    COLUMNS,
    Condition,
    SqlCondition,
    Value,
    asked_in_sql,
    column_values,
    matches,
    order_in_sql,
    ordered_by,
)
from verifflowcc.base.model.item_values import Item, names_meant
from verifflowcc.base.model.memory_protocol import ItemKind, ItemPage, StoredItem
from verifflowcc.base.process.clock import observed
from verifflowcc.base.text.canonical import conflict_line
from verifflowcc.items.store.item_walk import FileStamp, ItemWalk, look_at
from verifflowcc.memory.store.placing import item_from_text, item_to_text, stored_item

# An item as one line of JSON for the index, and for the databases that hold items.

# What the checks of a memory need of each file: one that did not change is neither read nor parsed again.


class MemoryChecked(DerivedTables):
    """The files that were checked before, in the index; where they cannot be kept, `notices` says so."""

    def facts(self) -> dict[str, tuple[str, str]]:
        """Return path → its stamp and its facts, as they were kept."""
        found = {}
        for path, stamp, kept in self._read("SELECT path, stamp, facts FROM memory_checked"):
            if (facts := unsummed(kept)) is not None:
                found[path] = (stamp, facts)
        return found

    def learn(self, rows: Iterable[tuple[str, str, str]], gone: Iterable[str]) -> None:
        """Keep what was just parsed (path, stamp, facts), and forget files that are gone; all in one transaction."""
        new = [(path, stamp, summed(facts)) for path, stamp, facts in rows]
        old = [(path,) for path in gone]
        if new or old:
            self._write_rows(
                ("DELETE FROM memory_checked WHERE path = ?", old),
                ("INSERT OR REPLACE INTO memory_checked VALUES (?, ?, ?)", new),
            )


# One item file of a scope, read whole: its item, or why it holds none.


def read_stored(
    root: Path, folder: str, path: str, real: dict[str, str] | None = None
) -> tuple[StoredItem | str | None, FileStamp]:
    """Return the item at a path below `root`/`folder`, or a problem that begins with the path; None for no file.

    The stamp beside it was taken before the file was read. `real` is where folders lead, as `look_at` has it.
    """
    nothing = FileStamp("", 0)
    try:
        problem = look_at(root, folder, path, real)
        if problem:
            return f"{path}: {problem}", nothing
        with (root / as_on_disk(path)).open("rb") as file:
            status = os.fstat(file.fileno())
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None, nothing
    except OSError as error:
        return f"{path}: cannot be read: {error.strerror}", nothing
    return _parsed(path, data), FileStamp(stamps.stamp_of(status), max(status.st_mtime_ns, status.st_ctime_ns))


def read_unchanged(root: Path, item: Item, stamp: str) -> StoredItem | None:
    """Return an item with the text of its file, if the file's stamp is unchanged.

    None where the file cannot be read, or where its stamp proves nothing.
    """
    if not stamp:
        return None
    try:
        with open(f"{root}/{as_on_disk(item.path)}", "rb") as file:  # noqa: PTH123 - a Path per file is too slow
            if stamps.stamp_of(os.fstat(file.fileno())) != stamp:
                return None
            text = file.read().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    from verifflowcc.items.rules.front_matter import split

    return StoredItem(item, text, split(text.replace("\r\n", "\n")).body)


def read_known(root: Path, folder: str, item: Item, stamp: str) -> StoredItem | None:
    """Return an item as `read_unchanged` does, where `root`/`folder` was not listed just now; None also for a link.

    A folder that was moved away and linked to has the same files with the same stamps.
    """
    try:
        return None if look_at(root, folder, item.path) else read_unchanged(root, item, stamp)
    except OSError:
        return None


def _parsed(path: str, data: bytes) -> StoredItem | str:
    line = conflict_line(data)
    if line is not None:
        return f"{path}:{line}: contains merge conflict markers"
    try:
        return stored_item(path, data)
    except FormatError as error:
        return error.message


# Which item files changed, one row each time, oldest first: what a copy of a scope has to look at again.
#
# A mark is a row of this log. It is good as long as that very row is there, which no other index has: not one that was
# made anew, nor an older copy that went on otherwise. A longer log than the files are worth loses its oldest rows.

SHORT = 1_000
"""So many rows are kept however few the files are."""

_DIGITS = 18
_SUM = 8


def log_changes(store: Store, paths: Iterable[str]) -> None:
    """Add rows for paths at which what counts may have changed; within the transaction that changes it."""
    token = os.urandom(8).hex()
    rows = [(path, f"{_sum_of(path)}{token}") for path in paths]
    store.write_all("INSERT INTO memory_changes (path, token) VALUES (?, ?)", rows)
    _shorten(store)


def newest_mark(store: Store) -> str:
    """Return the mark of now; empty, which is never good, where nothing was ever logged."""
    rows = store.rows("SELECT number, token FROM memory_changes ORDER BY number DESC LIMIT 1")
    return f"{rows[0][0]}:{rows[0][1]}" if rows else ""


def paths_since(store: Store, mark: str | None, between: tuple[str, str]) -> list[str] | None:
    """Return the paths logged after a mark that stand between two; None where the mark is not of this log.

    Raises sqlite3.DatabaseError where a row is damaged.
    """
    number, _, token = (mark or "").partition(":")
    if not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
        return None
    if store.rows("SELECT token FROM memory_changes WHERE number = ?", (int(number),)) != [(token,)]:
        return None
    statement = "SELECT path, token FROM memory_changes WHERE number > ? AND path > ? AND path < ?"
    found = {}
    for path, token in store.rows(statement, (int(number), *between)):
        if not str(token).startswith(_sum_of(str(path))):
            raise sqlite3.DatabaseError("a row of the index is damaged")
        found[str(path)] = True
    return list(found)


def _sum_of(path: str) -> str:
    return summed(path)[:_SUM]


def _shorten(store: Store) -> None:
    """Take out the oldest rows where there are far more than files; the newest ones stay."""
    oldest, newest = (
        store.rows(f"SELECT coalesce({end}(number), 0) FROM memory_changes")[0][0] for end in ("min", "max")
    )
    if newest - oldest <= SHORT:
        return
    ((files,),) = store.rows("SELECT count(*) FROM memory_items")
    if newest - oldest > 2 * files + SHORT:
        store.rows("DELETE FROM memory_changes WHERE number <= ?", (newest - files - SHORT // 2,))


_T = TypeVar("_T")
_LEARN = f"INSERT INTO memory_items VALUES (?, ?, ?, ?, NULL, {','.join('?' * len(COLUMNS))}, ?, ?)"
_BELOW = "path > ? AND path < ?"
_MANY = 1_000
_SEVERAL = 50
"""Of more files than these to be read, those are looked for that a prompt read."""
_NOT_READ = f"FROM memory_items WHERE (problem IS NOT NULL OR path <> first) AND {_BELOW}"
_RANK = (
    f"UPDATE memory_items SET first = (SELECT min(path) FROM memory_items WHERE id = ? AND {_BELOW})"
    f" WHERE id = ? AND {_BELOW}"
)
"""`first` is the path of the first file that has the id: that one counts."""


class ItemReading(NamedTuple):
    """A file as it was read: its item, or why it holds none; neither where there is no file any more.

    `stamp` is empty where the file may change again without another stamp; `digest` is that of an item's text, and
    `facts` are what a row keeps of it, where these are known.
    """

    path: str
    stamp: str = ""
    item: Item | None = None
    problem: str | None = None
    digest: str = ""
    facts: str = ""


class ItemQuery(NamedTuple):
    """Which items are asked for, in what order (a field's name), how many at most (None: all)."""

    conditions: Sequence[Condition] = ()
    order_by: str = "-id"
    limit: int | None = None


class PageQuery(NamedTuple):
    """Which page of a list is asked for, as `MemoryBackend.page` has it."""

    conditions: Sequence[Condition]
    shown: Callable[[ItemKind], bool]
    order_by: str
    limit: int


class PageResult(NamedTuple):
    """A page of a list, and what could not be read; no page where only all items can answer."""

    page: ItemPage | None
    problems: tuple[str, ...]


class QueryResult(NamedTuple):
    """Items with the stamps that their files had, in order, and what could not be read."""

    found: tuple[tuple[Item, str], ...]
    problems: tuple[str, ...]


class ItemChanges(NamedTuple):
    """Files that count: where `paths` are given, those at the paths that changed since a mark, else all."""

    mark: str
    files: tuple[ItemRow, ...]
    paths: tuple[str, ...] | None
    problems: tuple[str, ...]


class WalkDifferences(NamedTuple):
    """Files that are not known as a walk saw them, with the stamp that it saw, and known ones that it did not see.

    `listings` are the digests of all folders of the walk, `kept` those that were learned.
    """

    changed: Mapping[str, str]
    gone: Sequence[str]
    listings: Mapping[str, str]
    kept: Mapping[str, str]


class MemoryItems(DerivedTables):
    """The item files below one folder in the index, which is opened when it is first asked; threads may share it."""

    def __init__(self, index: Path, folder: str) -> None:
        super().__init__(index)
        self._folder = folder
        self._range = (f"{folder}/", f"{folder}0")

    def files_of(self, item_id: str) -> tuple[ItemRow, ...]:
        """Return the files with this id, by path, as they were when the folder was last looked at."""
        statement = f"SELECT path, stamp, digest, facts FROM memory_items WHERE id = ? AND {_BELOW} ORDER BY path"

        def asked() -> tuple[ItemRow, ...]:
            rows = self._store.rows(statement, (item_id, *self._range))
            return tuple(ItemRow(path, stamp, digest, _sound(facts)) for path, stamp, digest, facts in rows)

        return self._asked_soundly(asked)

    def is_filled(self) -> bool:
        """Say whether the folder was looked at before."""
        return self._asked_soundly(self._is_known)

    def answer(self, walk: ItemWalk, read: Callable[[str], ItemReading], question: ItemQuery) -> QueryResult:
        """Return the items of the files in `walk` that match; `read` is called for files that may have changed.

        Raises BackendError where that cannot be done.
        """
        return self._current(walk, read, lambda: self._asked(question, walk))

    def number(self, walk: ItemWalk, read: Callable[[str], ItemReading]) -> tuple[int, tuple[str, ...]]:
        """Return how many items there are, and what could not be read. Raises BackendError."""
        return self._current(walk, read, lambda: self._counted(walk))

    def any_of(
        self, walk: ItemWalk, read: Callable[[str], ItemReading], either: Sequence[Sequence[Condition]]
    ) -> QueryResult:
        """Return the items that match all conditions of any group, by id. Raises BackendError."""
        return self._current(walk, read, lambda: self._any_of(either, walk))

    def page(self, walk: ItemWalk, read: Callable[[str], ItemReading], asked: PageQuery) -> PageResult:
        """Return a page of a list. Raises BackendError."""
        return self._current(walk, read, lambda: self._paged(asked, walk))

    def ids(self, walk: ItemWalk, read: Callable[[str], ItemReading]) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
        """Return the id and path of each item, by id, and what could not be read. Raises BackendError."""
        statement = f"SELECT id, path FROM memory_items WHERE path = first AND {_BELOW} ORDER BY id"
        return self._current(walk, read, lambda: (self._store.rows(statement, self._range), self._wrong(walk)))

    def linked(
        self, walk: ItemWalk, read: Callable[[str], ItemReading], names: Iterable[str], which: str
    ) -> QueryResult:
        """Return the items with `which` links, those that they mean, and those of these names. Raises BackendError."""
        return self._current(walk, read, lambda: QueryResult(tuple(self._linking(names, which)), self._wrong(walk)))

    def referring(self, walk: ItemWalk, read: Callable[[str], ItemReading]) -> QueryResult:
        """Return the items that speak of code, or were put into another, by id. Raises BackendError."""
        keys = ("refs", "archived")  # a quote within a fact is never bare
        condition = " OR ".join(f"instr(facts, '\"{each}\":') > 0" for each in keys)
        return self._current(
            walk, read, lambda: QueryResult(tuple(self._with_facts(f"({condition}) ORDER BY id")), self._wrong(walk))
        )

    def changes(self, walk: ItemWalk, read: Callable[[str], ItemReading], mark: str | None) -> ItemChanges:
        """Return what counts at the paths that changed since a mark, or all that counts where the mark is of no use.

        Raises BackendError.
        """
        return self._current(walk, read, lambda: self._changes_since(mark, walk))

    def _asked_soundly(self, ask: Callable[[], _T]) -> _T:
        return self._soundly(ask, f"the items below {self._folder}")

    def _current(self, walk: ItemWalk, read: Callable[[str], ItemReading], ask: Callable[[], _T]) -> _T:
        """Bring the index up to the walk and ask it, both in one transaction; files are read outside of it."""
        readings: dict[str, ItemReading] = {}

        def once() -> _T:
            with self._store.transaction("BEGIN"):
                seen = self._differences(walk)
                if not seen.changed and not seen.gone and seen.listings == seen.kept:
                    return ask()
            if len(seen.changed) > _SEVERAL:
                readings.update(self._read_for_prompts(seen.changed))
            _read_all(seen.changed, read, readings)
            with self._store.transaction("BEGIN IMMEDIATE"):
                seen = self._differences(walk)
                _read_all(seen.changed, read, readings)
                self._learn([readings[path] for path in seen.changed], seen.gone)
                self._keep_listings(seen, readings)
                return ask()

        return self._asked_soundly(once)

    def _read_for_prompts(self, changed: Mapping[str, str]) -> dict[str, ItemReading]:
        """Return those of files with so many stamps that a prompt read just as they are: their parsing is done."""
        statement = f"SELECT path, signature, digest, facts FROM files WHERE settled AND notices = '' AND {_BELOW}"
        found = {}
        for path, stamp, digest, kept in self._store.rows(statement, self._range):
            if changed.get(path) == stamp and (facts := unsummed(kept)) is not None:
                found[path] = ItemReading(path, stamp, item_from_text(facts), digest=digest, facts=kept)
        return found

    def _differences(self, walk: ItemWalk) -> WalkDifferences:
        """Return the files of the walk that are not known as they are, and the known ones that it did not find.

        Of a folder whose listing is the one that was learned, no row is read.
        """
        kept = self._kept_listings()
        if kept is None:
            known = dict(self._store.rows(f"SELECT path, stamp FROM memory_items WHERE {_BELOW}", self._range))
            stale = dict(walk.listings)
        else:
            stale = {folder: each for folder, each in walk.listings.items() if kept.get(folder) != each.digest}
            gone = [folder for folder in kept if folder not in walk.listings]
            known = {path: stamp for folder in (*stale, *gone) for path, stamp in self._beside(folder)}
        changed, fresh = dict[str, str](), set[str]()
        for folder, each in stale.items():
            for path, stamp in each.stamps(folder).items():
                fresh.add(path)
                if known.get(path) != stamp:
                    changed[path] = stamp
        listings = {folder: each.digest for folder, each in walk.listings.items()}
        return WalkDifferences(changed, [path for path in known if path not in fresh], listings, kept or {})

    def _kept_listings(self) -> dict[str, str] | None:
        """Return the digests of the folders as they were learned; None where the folder was never looked at."""
        rows = self._store.rows("SELECT listings FROM memory_folders WHERE folder = ?", (self._folder,))
        return dict(json.loads(_sound(rows[0][0]))) if rows else None

    def _beside(self, folder: str) -> list[tuple[str, str]]:
        """Return the files of one folder, without those of folders in it, with their stamps."""
        statement = f"SELECT path, stamp FROM memory_items WHERE {_BELOW} AND instr(substr(path, ?), '/') = 0"
        return self._store.rows(statement, (f"{folder}/", f"{folder}0", len(folder) + 2))

    def _keep_listings(self, seen: WalkDifferences, readings: Mapping[str, ItemReading]) -> None:
        """Keep the folders of the walk, with the digest where every file is known by the very stamp that it saw."""
        unsettled = {path.rpartition("/")[0] for path, stamp in seen.changed.items() if readings[path].stamp != stamp}
        text = json.dumps({name: "" if name in unsettled else digest for name, digest in seen.listings.items()})
        if self._is_known():
            self._store.rows("UPDATE memory_folders SET listings = ? WHERE folder = ?", (summed(text), self._folder))

    def _is_known(self) -> bool:
        return bool(self._store.rows("SELECT 1 FROM memory_folders WHERE folder = ?", (self._folder,)))

    def _learn(self, readings: Iterable[ItemReading], gone: Iterable[str]) -> None:
        new = list(readings)
        ids = {reading.item.id for reading in new if reading.item}
        touched = set()
        for path in (*gone, *(reading.path for reading in new)):
            for (item_id,) in self._store.rows("DELETE FROM memory_items WHERE path = ? RETURNING id", (path,)):
                if item_id is not None:
                    ids.add(item_id)
                    touched.add(path)
        self._store.write_all(_LEARN, [_row(reading) for reading in new if reading.item or reading.problem])
        self._store.write_all(_RANK, [(item_id, *self._range) * 2 for item_id in ids])
        self._log(touched, ids)

    def _log(self, touched: set[str], ids: Iterable[str]) -> None:
        """Log the paths where items were, and all of the files with ids of which another may count now."""
        if not self._is_known():
            # No mark of this folder can be in a log that began before it: one row, so that the next has a mark, is all.
            self._store.rows("INSERT INTO memory_folders VALUES (?, ?)", (self._folder, summed("{}")))
            log_changes(self._store, [self._folder])
            return
        statement = f"SELECT path FROM memory_items WHERE id = ? AND {_BELOW}"
        for item_id in ids:
            touched.update(path for (path,) in self._store.rows(statement, (item_id, *self._range)))
        if touched:
            log_changes(self._store, sorted(touched))

    def _changes_since(self, mark: str | None, walk: ItemWalk) -> ItemChanges:
        paths = paths_since(self._store, mark, self._range)
        statement = f"SELECT path, stamp, digest, facts FROM memory_items WHERE path = first AND {_BELOW}"
        if paths is None:
            rows = self._store.rows(f"{statement} ORDER BY id", self._range)
        else:
            rows = [
                row for path in paths for row in self._store.rows(f"{statement} AND path = ?", (*self._range, path))
            ]
        files = tuple(ItemRow(path, stamp, digest, _sound(facts)) for path, stamp, digest, facts in rows)
        return ItemChanges(newest_mark(self._store), files, None if paths is None else tuple(paths), self._wrong(walk))

    def _asked(self, question: ItemQuery, walk: ItemWalk) -> QueryResult:
        asked, order = asked_in_sql(question.conditions), order_in_sql(question.order_by)
        if order is not None and not asked.rest:
            found = self._with_facts(f"{asked.where} ORDER BY {order} LIMIT ?", (*asked.values, _limit(question.limit)))
        else:
            found = [pair for pair in self._with_facts(asked.where, asked.values) if matches(pair[0], asked.rest)]
            found = ordered_by(found, question.order_by, lambda pair: pair[0])[: question.limit]
        return QueryResult(tuple(found), self._wrong(walk))

    def _any_of(self, either: Sequence[Sequence[Condition]], walk: ItemWalk) -> QueryResult:
        groups = [asked_in_sql(each) for each in either]
        where = " OR ".join(f"({each.where})" for each in groups) or "0"
        found = self._with_facts(f"({where}) ORDER BY id", [value for each in groups for value in each.values])
        if any(each.rest for each in groups):
            found = [pair for pair in found if any(matches(pair[0], each) for each in either)]
        return QueryResult(tuple(found), self._wrong(walk))

    def _paged(self, question: PageQuery, walk: ItemWalk) -> PageResult:
        asked, order = asked_in_sql(question.conditions), order_in_sql(question.order_by)
        if order is None or asked.rest:
            return PageResult(None, self._wrong(walk))
        kinds = self._kinds(asked)
        every = self._linking((), REPLACING)
        named = {item.archived.into for item, _ in every if item.archived and item.archived.into}
        linked = [item for item, _ in (self._linking(named, REPLACING) if named else every)]
        shown = [kind for kind in kinds if question.shown(kind)]
        # In the order of an index, rows of other folders are passed over: worth it where many are of this one.
        many = sum(kinds[kind] for kind in shown) > _MANY
        below = "+path > ? AND +path < ?" if many else _BELOW
        each = '"status" = ? AND "type" = ? AND (id || \'.md\' = path) = ?'
        where = f"{below} AND {asked.where} AND ({' OR '.join(f'({each})' for _ in shown) or '0'})"
        statement = f"SELECT facts FROM memory_items WHERE path = first AND {where} ORDER BY {order} LIMIT ?"
        values = (*self._range, *asked.values, *(value for kind in shown for value in kind))
        rows = self._store.rows(statement, (*values, question.limit + len(linked)))
        return PageResult(ItemPage([_item(facts) for (facts,) in rows], kinds, linked), self._wrong(walk))

    def _kinds(self, asked: SqlCondition) -> dict[ItemKind, int]:
        statement = f"""SELECT "status", "type", id || '.md' = path, count(*) FROM memory_items
            WHERE path = first AND {_BELOW} AND {asked.where} GROUP BY 1, 2, 3"""
        rows = self._store.rows(statement, (*self._range, *asked.values))
        return {ItemKind(str(status), str(type_), bool(plain)): count for status, type_, plain, count in rows}

    def _linking(self, names: Iterable[str], which: str) -> list[tuple[Item, str]]:
        found = self._with_facts(which)
        meant = {*names, *names_meant(item for item, _ in found)}
        for condition, values in having(meant):
            found += self._with_facts(condition, values)
        for condition, values in files_named(meant - {item.id for item, _ in found}):
            found += self._with_facts(condition, values)
        return list({item.path: (item, stamp) for item, stamp in found}.values())

    def _with_facts(self, condition: str, values: Sequence[Value] = ()) -> list[tuple[Item, str]]:
        statement = f"SELECT stamp, facts FROM memory_items WHERE path = first AND {_BELOW} AND {condition}"
        return [(_item(facts), stamp) for stamp, facts in self._store.rows(statement, (*self._range, *values))]

    def _counted(self, walk: ItemWalk) -> tuple[int, tuple[str, ...]]:
        ((known,),) = self._store.rows(f"SELECT count(*) FROM memory_items WHERE {_BELOW}", self._range)
        ((without,),) = self._store.rows(f"SELECT count(*) {_NOT_READ}", self._range)
        return int(known - without), self._wrong(walk)

    def _wrong(self, walk: ItemWalk) -> tuple[str, ...]:
        """Return what lies in the folder and is no item, or no second one of its id."""
        problems = [f"{path}: {why}" for path, why in walk.problems.items()]
        for path, item_id, first, problem in self._store.rows(
            f"SELECT path, id, first, problem {_NOT_READ}", self._range
        ):
            problems.append(problem or f"{path}: has the id {item_id}, as {first} has, which is the one that counts")
        return tuple(sorted(problems))


def _read_all(paths: Iterable[str], read: Callable[[str], ItemReading], readings: dict[str, ItemReading]) -> None:
    for path in observed("reading items", paths):
        if path not in readings:
            readings[path] = read(path)


def _row(reading: ItemReading) -> tuple[object, ...]:
    item = reading.item
    if item is None:
        return (reading.path, reading.stamp, reading.problem, None, *(None for _ in COLUMNS), None, None)
    facts = reading.facts or summed(item_to_text(item))
    return (reading.path, reading.stamp, None, item.id, *column_values(item), facts, reading.digest)


def _item(facts: object) -> Item:
    """Return the item of a row. Raises sqlite3.DatabaseError where the row is damaged."""
    return item_from_text(_sound(facts))


def _sound(facts: object) -> str:
    text = unsummed(facts)
    if text is None:
        raise sqlite3.DatabaseError("a row of the index is damaged")
    return text


def _limit(limit: int | None) -> int:
    return -1 if limit is None else limit
