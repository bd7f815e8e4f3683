"""Items in one SQLite database: their texts are the truth, and the columns beside them what they were read as.

The file is never replaced: what is damaged or of a newer vfcc is told, and stays as it is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import RLock
from typing import Any

from verifflowcc.adapters.backends.compared import Compared, compared
from verifflowcc.adapters.backends.placing import folder_of, is_unicode, path_in, placed
from verifflowcc.adapters.backends.sqlite_file import in_turn, keep, open_database, stored, told
from verifflowcc.adapters.backends.sqlite_log import is_logged, newest_mark, paths_since, shorten
from verifflowcc.adapters.index.facts import item_from_text
from verifflowcc.adapters.index.store import LINKING, asked_in_sql, having, names_meant, order_in_sql
from verifflowcc.domain.items import Item
from verifflowcc.domain.memory import DEFAULT_LIMIT, DEFAULT_ORDER, Changes, Filters, Known, MemoryBackend, StoredItem
from verifflowcc.domain.query import checked_limit, conditions, matches, ordered_by
from verifflowcc.text.canonical import digest_text

_ROWS = "SELECT path, text FROM items WHERE scope = ?"


class SqliteBackend(MemoryBackend):
    """The items of one scope in a database file, which other scopes, threads and processes may share."""

    def __init__(self, file: Path, scope: str) -> None:
        self.scope = scope
        self._file = file
        self._lock = RLock()
        self._depth = 0
        self._connection = open_database(file)

    def add(self, item: StoredItem) -> None:
        """Keep an item under its id, in the place of the one that had this id. Raises BackendError, ConflictError."""
        with self.writing():
            self._keep(item, self._path_of(item.item.id))

    def create(self, item: StoredItem) -> bool:
        """Keep an item whose id is new; return False where an item has this id. Raises BackendError, ConflictError."""
        with self.writing():
            if self._path_of(item.item.id) is not None:
                return False
            self._keep(item, None)
            return True

    def query(self, filters: Filters, limit: int = DEFAULT_LIMIT, order_by: str = DEFAULT_ORDER) -> list[StoredItem]:
        """Return the items that match; see `MemoryBackend`. Raises UsageError, BackendError, ConflictError."""
        asked, most, order = asked_in_sql(conditions(filters)), checked_limit(limit), order_in_sql(order_by)
        statement = f"{_ROWS} AND {asked.where} ORDER BY {order or 'id'}"
        whole = not asked.rest and order is not None
        rows = self._rows(statement + (" LIMIT ?" if whole else ""), (self.scope, *asked.values, *([most] * whole)))
        found = [stored(self._file, *row) for row in rows]
        if whole:
            return found
        kept = [each for each in found if matches(each.item, asked.rest)]
        return ordered_by(kept, order_by, lambda each: each.item)[:most]

    def get(self, item_id: str) -> StoredItem | None:
        """Return the item with this id; None where there is none. Raises BackendError, ConflictError."""
        rows = self._rows(f"{_ROWS} AND id = ?", (self.scope, item_id)) if is_unicode(item_id) else []
        return stored(self._file, *rows[0]) if rows else None

    def delete(self, item_id: str) -> bool:
        """Remove the item with this id; return whether there was one. Raises BackendError, ConflictError."""
        if not is_unicode(item_id):
            return False
        with self.writing():
            statement = "DELETE FROM items WHERE scope = ? AND id = ? RETURNING id"
            return bool(self._rows(statement, (self.scope, item_id)))

    def list_all(self) -> list[StoredItem]:
        """Return all items, by id. Raises BackendError, ConflictError."""
        return [stored(self._file, *row) for row in self._rows(f"{_ROWS} ORDER BY id", (self.scope,))]

    def items(self) -> list[Item]:
        """Return all items without their texts, by id. Raises BackendError, ConflictError."""
        return self._facts("1 ORDER BY id")

    def linked(self, names: Iterable[str] = ()) -> list[Item]:
        """Return the items that links connect, and those of these names; see `MemoryBackend`. Raises as `items`."""
        found = self._facts(LINKING)
        for condition, values in having({*names, *names_meant(found)}):
            found += self._facts(condition, values)
        return list({item.id: item for item in found}.values())

    def changes(self, mark: str | None, known: Known) -> Changes:
        """Return what changed since a mark of the database's log, else what differs from `known`.

        Of several items with one path, the first by id is told. The texts are of the state that the new mark stands
        for. Raises BackendError, ConflictError.
        """
        with self._one_state() as logs:
            paths = paths_since(self._connection, mark, self.scope) if logs else None
            if paths is not None:
                texts = self._texts_at(paths)
                gone = tuple(path for path in paths if path not in texts)
                return Changes(newest_mark(self._connection), self._read(texts), gone)
        held = known()
        with self._one_state() as logs:
            texts, found = self._differing(held)
            now = newest_mark(self._connection) if logs else ""
            return Changes(now, self._read(texts), found.gone, found.complete)

    def clear(self) -> None:
        """Remove all items of this scope, and none of another. Raises BackendError, ConflictError."""
        with self.writing():
            self._rows("DELETE FROM items WHERE scope = ?", (self.scope,))

    def count(self) -> int:
        """Return the number of items. Raises BackendError, ConflictError."""
        ((number,),) = self._rows("SELECT count(*) FROM items WHERE scope = ?", (self.scope,))
        return int(number)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Run what is inside as one transaction, with other writers kept out; may be entered again.

        Nothing of it is kept where it raises. Raises BackendError, and ConflictError where others write for too long.
        """
        with self._lock, nullcontext() if self._depth else in_turn(self._file):
            if not self._depth:
                self._rows("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield
                if self._depth == 1:
                    self._shorten_log()
            except BaseException:
                self._depth -= 1
                self._end("ROLLBACK")
                raise
            self._depth -= 1
            self._end("COMMIT")

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()

    @property
    def problems(self) -> tuple[str, ...]:
        """Nothing: what is here was read when it was added."""
        return ()

    def _facts(self, condition: str, values: Sequence[str] = ()) -> list[Item]:
        rows = self._rows(f"SELECT facts FROM items WHERE scope = ? AND {condition}", (self.scope, *values))
        return [item_from_text(facts) for (facts,) in rows]

    def _path_of(self, item_id: str) -> str | None:
        rows = self._rows("SELECT path FROM items WHERE scope = ? AND id = ?", (self.scope, item_id))
        return str(rows[0][0]) if rows else None

    def _keep(self, item: StoredItem, path: str | None) -> None:
        kept = placed(item, path or path_in(folder_of(self.scope), item))
        with told(self._file):
            keep(self._connection, kept)

    @contextmanager
    def _one_state(self) -> Iterator[bool]:
        """Read one state of the database inside, or go on in the one being written; say whether changes are logged."""
        with self._lock, told(self._file):
            if self._connection.in_transaction:
                yield is_logged(self._connection)
                return
            self._connection.execute("BEGIN")
            try:
                yield is_logged(self._connection)
            finally:
                self._connection.rollback()

    def _texts_at(self, paths: Iterable[str]) -> dict[str, bytes]:
        statement = f"{_ROWS} AND path = ? ORDER BY id LIMIT 1"
        return {path: text for each in paths for path, text in self._rows(statement, (self.scope, each))}

    def _differing(self, held: Mapping[str, str]) -> tuple[dict[str, bytes], Compared]:
        """Return path → text of what is new or differs, and how all compares with what a copy holds."""
        digests, texts = dict[str, str](), dict[str, bytes]()
        for path, text in self._connection.execute(f"{_ROWS} ORDER BY id", (self.scope,)):
            if path not in digests:
                digests[path] = digest_text(text)
                if held.get(path) != digests[path]:
                    texts[path] = text
        return texts, compared(digests, held)

    def _read(self, texts: Mapping[str, bytes]) -> Iterator[StoredItem]:
        return (stored(self._file, path, text) for path, text in texts.items())

    def _shorten_log(self) -> None:
        with told(self._file):
            if self._connection.in_transaction and is_logged(self._connection):
                shorten(self._connection)

    def _end(self, statement: str) -> None:
        """End the outermost transaction; one that could not be committed is undone."""
        if self._depth or not self._connection.in_transaction:
            return
        try:
            self._rows(statement)
        finally:
            if self._connection.in_transaction:
                self._connection.rollback()

    def _rows(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        with self._lock, told(self._file):
            return self._connection.execute(statement, values).fetchall()
