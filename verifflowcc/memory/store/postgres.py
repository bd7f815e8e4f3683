"""Items of many people and projects in one PostgreSQL database, which itself keeps each owner to their own rows."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import cast

from verifflowcc.base.errors import BackendError, FormatError
from verifflowcc.base.model.item_query import checked_limit, conditions, matches, ordered_by
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.memory_protocol import (
    DEFAULT_LIMIT,
    DEFAULT_ORDER,
    Changes,
    Filters,
    Known,
    MemoryBackend,
    StoredItem,
)
from verifflowcc.memory.store.in_memory import compared
from verifflowcc.memory.store.memory_items import item_from_text, item_to_text
from verifflowcc.memory.store.placing import folder_of, path_in, placed, stored_item
from verifflowcc.memory.store.postgres_session import COLUMNS, Parameter, as_parameter, column_values, order, where

READER = 1
"""Raised when an item's text is read otherwise than before: columns of an older number are read anew."""

_OWN = "scope = %s AND owner = %s"
_NAMES = ("scope", "owner", *COLUMNS.values(), "tags", "record", "reader", "body")
_ADD = (
    f"INSERT INTO vfcc.items ({', '.join(_NAMES)}) VALUES ({', '.join(['%s'] * len(_NAMES))}) "
    f"ON CONFLICT (scope, owner, id) DO UPDATE SET {', '.join(f'{name} = EXCLUDED.{name}' for name in _NAMES[3:])}"
)
_OLDER_ROWS = f"SELECT path, body FROM vfcc.items WHERE {_OWN} AND reader < %s"
_FOLDED = (
    "CASE WHEN position(decode('0d0a', 'hex') IN body) = 0 THEN body"
    " ELSE decode(replace(encode(body, 'escape'), chr(13) || chr(10), chr(10)), 'escape') END"
)
_DIGESTS = (
    f"SELECT id, path, 'sha256:' || encode(sha256({_FOLDED}), 'hex') FROM vfcc.items WHERE {_OWN} ORDER BY id DESC"
)
"""Digests as `text.digest.digest_text` makes them, so that no text that a copy has goes over the network."""

_AT_ONCE = 500
_LOCK = "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('vfcc ' || %s || ' ' || %s, 0))"


class PostgresBackend(MemoryBackend):
    """The items of one person (`scope` "user", `project` None) or of one project (`scope` "project").

    `url` is a libpq connection string or URL. It needs a direct connection, or a pooler that keeps
    sessions. Raises BackendError where it cannot be opened; the connection is not made anew when it is lost.
    """

    def __init__(self, url: str, scope: str, project: str | None) -> None:
        _driver()
        from verifflowcc.memory.store.postgres_session import open_session

        if scope != ("user" if project is None else "project"):
            raise BackendError(f"PostgreSQL keeps the items of users and projects, not those of {scope}")
        self.scope = scope
        self._connection, owner = open_session(url, project)
        self._own = (scope, owner)
        self._problems: list[str] = []
        self._lock = threading.RLock()
        self._depth = 0
        try:
            self._update_older_rows()
        except BaseException:
            self.close()
            raise

    def add(self, item: StoredItem) -> None:
        """Keep an item under its id, in the place of the one that had this id."""
        with self.writing():
            path = self._path_of(item.item.id) or path_in(folder_of(self.scope), item)
            self._run(_ADD, self._row(placed(item, path)))

    def create(self, item: StoredItem) -> bool:
        """Keep an item whose id is new; return False where an item has this id."""
        with self.writing():
            if self._path_of(item.item.id) is not None:
                return False
            self._run(_ADD, self._row(placed(item, path_in(folder_of(self.scope), item))))
            return True

    def query(self, filters: Filters, limit: int = DEFAULT_LIMIT, order_by: str = DEFAULT_ORDER) -> list[StoredItem]:
        """Return at most `limit` items that match all filters; see `MemoryBackend.query`."""
        asked, sorting = where(conditions(filters)), order(order_by)
        most = checked_limit(limit)
        statement = f"SELECT path, body FROM vfcc.items WHERE {' AND '.join((_OWN, *asked.clauses))}"
        parameters: list[object] = [*self._own, *asked.parameters]
        if sorting is not None:
            statement += f" ORDER BY {sorting}"
            if not asked.left:
                statement += " LIMIT %s"
                parameters.append(min(most, 2**62))
        found = self._stored(self._run(statement, parameters))
        found = [each for each in found if matches(each.item, asked.left)]
        return (found if sorting is not None else ordered_by(found, order_by, lambda each: each.item))[:most]

    def get(self, item_id: str) -> StoredItem | None:
        """Return the item with this id; None where there is none."""
        rows = self._run(f"SELECT path, body FROM vfcc.items WHERE {_OWN} AND id = %s", self._with_id(item_id))
        return next(iter(self._stored(rows)), None)

    def delete(self, item_id: str) -> bool:
        """Remove the item with this id; return whether there was one."""
        with self.writing():
            gone = self._run(f"DELETE FROM vfcc.items WHERE {_OWN} AND id = %s RETURNING 1", self._with_id(item_id))
        return bool(gone)

    def list_all(self) -> list[StoredItem]:
        """Return all items, by id."""
        return self._stored(self._run(f"SELECT path, body FROM vfcc.items WHERE {_OWN} ORDER BY id", self._own))

    def items(self) -> list[Item]:
        """Return all items without their texts, by id."""
        rows = self._run(f"SELECT record FROM vfcc.items WHERE {_OWN} ORDER BY id", self._own)
        self._problems = []
        try:
            return [item_from_text(_text(row[0])) for row in rows]
        except (ValueError, LookupError, TypeError, AttributeError):
            # Somebody wrote a row by hand. The texts say what holds.
            return [each.item for each in self.list_all()]

    def changes(self, mark: str | None, known: Known) -> Changes:
        """Return what differs from `known`, by digests that the server makes; see `MemoryBackend`.

        Of several items with one path, the first by id is told. What is told anew is among `gone`, too: a row that
        cannot be read, or went before its text was fetched, is left out.
        """
        there = {_path(path): (item_id, str(digest)) for item_id, path, digest in self._run(_DIGESTS, self._own)}
        found = compared({path: digest for path, (_, digest) in there.items()}, known())
        names = {path: there[path][0] for path in found.changed}
        return Changes("", self._fetched(names), (*found.gone, *found.changed), found.complete)

    def clear(self) -> None:
        """Remove all items of this person or project, and none of another."""
        with self.writing():
            self._run(f"DELETE FROM vfcc.items WHERE {_OWN}", self._own)

    def count(self) -> int:
        """Return the number of items."""
        ((number,),) = self._run(f"SELECT count(*) FROM vfcc.items WHERE {_OWN}", self._own)
        return cast(int, number)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Run what is inside as one transaction, with other writers of these items kept out, on all machines.

        May be entered again. Nothing of it is kept where it raises. Raises ConflictError where others write for too
        long, BackendError where what was written cannot be kept.
        """
        with self._lock:
            if self._depth == 0:
                self._begin()
            self._depth += 1
            try:
                yield
            except BaseException:
                self._depth -= 1
                if self._depth == 0:
                    self._undo()
                raise
            self._depth -= 1
            if self._depth == 0:
                self._commit()

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be read as items in the last answer."""
        return tuple(self._problems)

    def _run(self, statement: str, parameters: Sequence[object] = ()) -> list[tuple[object, ...]]:
        from verifflowcc.memory.store.postgres_session import database_errors

        with self._lock, database_errors(self._connection):
            cursor = self._connection.execute(statement, parameters)
            return cursor.fetchall() if cursor.description else []

    def _begin(self) -> None:
        self._run("BEGIN")
        try:
            self._run(_LOCK, self._own)
        except BaseException:
            self._undo()
            raise

    def _commit(self) -> None:
        from verifflowcc.memory.store.postgres_session import database_errors

        with database_errors(self._connection):
            ended = self._connection.execute("COMMIT").statusmessage
        if ended != "COMMIT":
            raise BackendError("PostgreSQL refused a part of what was written, and so kept nothing of it")

    def _undo(self) -> None:
        """Roll back the transaction.

        Without a connection the server does so itself; the lost connection was reported already.
        """
        if not self._connection.closed:
            self._run("ROLLBACK")

    def _path_of(self, item_id: str) -> str | None:
        rows = self._run(f"SELECT path FROM vfcc.items WHERE {_OWN} AND id = %s", self._with_id(item_id))
        return _text(rows[0][0]) if rows else None

    def _with_id(self, item_id: str) -> tuple[object, ...]:
        return (*self._own, _bytes(item_id))

    def _row(self, item: StoredItem) -> list[object]:
        record, body = _bytes(item_to_text(item.item)), item.text.encode("utf-8")
        tags: list[Parameter] = [[_bytes(tag) for tag in item.item.tags]]
        return [*self._own, *column_values(item.item), *tags, record, READER, body]

    def _fetched(self, names: Mapping[str, object]) -> Iterator[StoredItem]:
        """Yield the items at paths, each found by its id; whose path is another one by now is left out."""
        paths, problems = list(names), list[str]()
        for begin in range(0, len(paths), _AT_ONCE):
            part = [names[path] for path in paths[begin : begin + _AT_ONCE]]
            rows = self._run(f"SELECT id, path, body FROM vfcc.items WHERE {_OWN} AND id = ANY(%s)", (*self._own, part))
            yield from self._stored(row[1:] for row in rows if names.get(_path(row[1])) == row[0])
            problems += self._problems
        self._problems = problems

    def _stored(self, rows: Iterable[tuple[object, ...]]) -> list[StoredItem]:
        self._problems, found = [], []
        for path, body in rows:
            try:
                found.append(stored_item(_text(path), cast(bytes, body)))
            except FormatError as error:
                self._problems.append(error.message)
            except UnicodeDecodeError:
                self._problems.append("a row whose path is not UTF-8: it is no item")
        return found

    def _update_older_rows(self) -> None:
        """Bring columns that an older vfcc wrote up to date.

        An item that has changed since it was read here is left to the one who changed it.
        """
        for path, body in self._run(_OLDER_ROWS, [*self._own, READER]):
            (item,) = self._stored([(path, body)]) or (None,)
            if item is not None:
                names = ", ".join(f"{name} = %s" for name in _NAMES[3:])
                unchanged = f"{_OWN} AND id = %s AND body = %s"
                values = [*self._row(item)[3:], *self._own, as_parameter(item.item.id), body]
                self._run(f"UPDATE vfcc.items SET {names} WHERE {unchanged}", values)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(value: object) -> str:
    return cast(bytes, value).decode("utf-8", "surrogatepass")


def _path(value: object) -> str:
    """Return a path, also where somebody wrote one by hand that is not UTF-8."""
    return cast(bytes, value).decode("utf-8", "backslashreplace")


def _driver() -> None:
    try:
        import psycopg  # noqa: F401 - only looked for
    except ImportError as error:
        raise BackendError(
            "keeping items on PostgreSQL needs the extra postgres", hint="pip install 'verifflowcc[postgres]'"
        ) from error
