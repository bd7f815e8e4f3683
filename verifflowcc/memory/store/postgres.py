"""Items of many people and projects in one PostgreSQL database, which itself keeps each owner to their own rows.

What keeps owners apart is in the database (`templates/postgres.sql`). A session for which the database would not do so
(a superuser's, one behind SET ROLE, one on a table without its rules) is refused before it is used.
"""

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import cast

import psycopg
from psycopg import conninfo, errors

from verifflowcc.base.errors import BackendError, ConflictError, FormatError, VfccError
from verifflowcc.base.model.item_query import (
    STORED,
    TAGS,
    Condition,
    Operator,
    Value,
    checked_limit,
    conditions,
    matches,
    order_of,
    ordered_by,
    value_of,
)
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.memory_protocol import (
    DEFAULT_LIMIT,
    DEFAULT_ORDER,
    Changes,
    Filters,
    Known,
    StoredItem,
)
from verifflowcc.base.process.short_process import end_turn
from verifflowcc.base.records import dataclass
from verifflowcc.memory.store.in_memory import WholeStore, compared
from verifflowcc.memory.store.placing import folder_of, item_from_text, item_to_text, path_in, placed, stored_item

# What psycopg raises → one sentence for the person, without a password, a connection string or another's data.

LOCK_WAIT_S = 10
STATEMENT_S = 60
SCHEMA_HINT = "vfcc memory schema | psql -v ON_ERROR_STOP=1 …, by an administrator of the database"
_LONGEST = 300


@contextmanager
def database_errors(connection: psycopg.Connection[tuple[object, ...]] | None = None) -> Iterator[None]:
    """Turn what psycopg raises inside into a BackendError, or a ConflictError where a lock is held for too long."""
    try:
        yield
    except psycopg.Error as error:
        raise sentence_of(error, lost=connection is not None and connection.closed) from None


def sentence_of(error: psycopg.Error, *, lost: bool) -> VfccError:
    """Return the error to raise. The chain is cut by the caller: psycopg's own messages may hold what is private."""
    if lost or isinstance(error, errors.AdminShutdown | errors.IdleSessionTimeout | psycopg.InterfaceError):
        return BackendError(
            "the connection to PostgreSQL was lost; what was being done may or may not have happened",
            hint="look with vfcc memory list, then run the command again",
        )
    if isinstance(error, errors.LockNotAvailable):
        return ConflictError(
            f"somebody else has been writing to these items on PostgreSQL for more than {LOCK_WAIT_S} s",
            hint="wait until they are done, then run the command again",
        )
    if isinstance(error, errors.QueryCanceled):
        return BackendError(f"PostgreSQL gave no answer within {STATEMENT_S} s", hint="run the command again")
    if isinstance(error, errors.UndefinedTable | errors.InvalidSchemaName | errors.UndefinedColumn):
        return BackendError("this PostgreSQL database has no memory of vfcc's, or not all of it", hint=SCHEMA_HINT)
    if isinstance(error, errors.InsufficientPrivilege):
        return BackendError(
            f"PostgreSQL refuses: {_primary(error)}", hint="an administrator grants it: GRANT vfcc_member TO …"
        )
    return BackendError(f"PostgreSQL refuses: {_primary(error)}")


def connection_failed(error: psycopg.Error, secrets: tuple[str, ...]) -> BackendError:
    """Return the error for a server that cannot be reached or turns us away."""
    text = re.sub(r"\s+", " ", str(error)).strip()
    for secret in secrets:
        text = text.replace(secret, "…")
    text = text.removeprefix("connection failed: ")
    return BackendError(
        f"PostgreSQL cannot be reached: {text[:_LONGEST]}",
        hint="look at VFCC_POSTGRES_URL, or at memory.postgres_url in your own settings",
    )


def _primary(error: psycopg.Error) -> str:
    """The server's own sentence alone: its details show rows."""
    primary = error.diag.message_primary or str(error).partition("\n")[0] or type(error).__name__
    return primary[:_LONGEST]


# Questions to a store in the words of PostgreSQL: conditions that columns can answer, and the order of the answers.

_RENAMED = {
    "scope": "item_scope",
    "source": "source_kind",
    "actor": "source_actor",
    "project": "source_project",
    "session": "source_session",
}
COLUMNS: Mapping[str, str] = {field: _RENAMED.get(field, field) for field in STORED}
"""Field of an item → column of `vfcc.items`; tags have one beside these."""
_SIGNS = {Operator.ABOVE: ">", Operator.FROM: ">=", Operator.BELOW: "<", Operator.UP_TO: "<="}

Parameter = bytes | int | None | list[bytes] | list[int]


@dataclass(frozen=True, slots=True)
class WhereClause:
    """Conditions as SQL with their parameters, and the conditions that no column answers."""

    clauses: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    left: tuple[Condition, ...]


def where(conditions: Sequence[Condition]) -> WhereClause:
    """Return conditions as SQL, with the same answers as `domain.query.matches`."""
    clauses: list[str] = []
    parameters: list[Parameter] = []
    left: list[Condition] = []
    for condition in conditions:
        if condition.field != TAGS and condition.field not in COLUMNS:
            left.append(condition)
            continue
        clause, values = _tags(condition) if condition.field == TAGS else _scalar(condition)
        clauses.append(clause)
        parameters += values
    return WhereClause(tuple(clauses), tuple(parameters), tuple(left))


def order(order_by: str) -> str | None:
    """Return the order as SQL; None where no column has it. Raises UsageError as `order_of` does."""
    field, ascending = order_of(order_by)
    if field not in COLUMNS:
        return None
    return f"{COLUMNS[field]} {'ASC' if ascending else 'DESC'} NULLS LAST, id"


def column_values(item: Item) -> tuple[Parameter, ...]:
    """Return what the columns hold for an item, in the order of `COLUMNS`."""
    return tuple(as_parameter(value_of(item, field)) for field in COLUMNS)


def as_parameter(value: Value | None) -> bytes | int | None:
    """Return a value as its column holds it: bytes for a text, whatever is in it, so that their order is Python's."""
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value


def _scalar(condition: Condition) -> tuple[str, list[Parameter]]:
    column = COLUMNS[condition.field]
    if condition.operator in _SIGNS:
        (bound,) = condition.values
        return f"{column} {_SIGNS[condition.operator]} %s", [as_parameter(bound)]
    clause, values = _any(column, condition.values)
    return (clause if condition.operator is Operator.ANY else f"({clause}) IS NOT TRUE"), values


def _any(column: str, values: Sequence[Value | None]) -> tuple[str, list[Parameter]]:
    parts = [f"{column} = %s" for value in values if value is not None]
    parts += [f"{column} IS NULL"] if None in values else []
    return f"({' OR '.join(parts) or 'false'})", [as_parameter(value) for value in values if value is not None]


def _tags(condition: Condition) -> tuple[str, list[Parameter]]:
    tags = [value.encode("utf-8", "surrogatepass") for value in condition.values if isinstance(value, str)]
    clause = "tags && %s::bytea[]" + (" OR tags = '{}'" if None in condition.values else "")
    return (f"({clause})" if condition.operator is Operator.ANY else f"NOT ({clause})"), [tags]


LAYOUT = 1
CONNECT_S = 10
Connection = psycopg.Connection[tuple[object, ...]]

_SETTINGS = """
SELECT set_config('search_path', '', false), set_config('row_security', 'on', false),
    set_config('statement_timeout', %s, false), set_config('lock_timeout', %s, false),
    set_config('vfcc.project', %s, false)
"""
_WHO = """
SELECT session_user::text, current_user::text, r.rolsuper OR r.rolbypassrls
FROM pg_catalog.pg_roles AS r WHERE r.rolname = session_user
"""
_GUARDED = """
SELECT c.relrowsecurity AND c.relforcerowsecurity AND row_security_active(c.oid)
FROM pg_catalog.pg_class AS c WHERE c.oid = 'vfcc.items'::regclass
"""


def open_session(url: str, project: str | None) -> tuple[Connection, str]:
    """Connect, and return the connection with the owner of the rows: the role that logged in, or the project.

    Raises BackendError where the server cannot be reached, has no memory of vfcc's or one of a newer layout, refuses
    this role, or would not keep this role's session to its own rows.
    """
    connection = _connected(url)
    try:
        with database_errors(connection):
            milliseconds = (f"{STATEMENT_S * 1000}", f"{LOCK_WAIT_S * 1000}")
            connection.execute(_SETTINGS, (*milliseconds, project or ""))
            role = _plain_role(connection)
            _known_layout(connection)
            _guarded(connection)
            return connection, role if project is None else _admitted(connection, project, role)
    except BaseException:
        connection.close()
        raise


def _connected(url: str) -> Connection:
    end_turn()  # others need not wait for this network
    try:
        given = conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        raise BackendError(
            "the connection string of PostgreSQL cannot be read",
            hint="export VFCC_POSTGRES_URL=postgresql://HOST/DATABASE",
        ) from None
    secrets = tuple(str(given[name]) for name in ("password", "sslpassword") if given.get(name))
    ours = {"connect_timeout": CONNECT_S, "keepalives_idle": 30, "tcp_user_timeout": STATEMENT_S * 1000}
    try:
        return psycopg.connect(
            conninfo.make_conninfo(url, **{name: value for name, value in ours.items() if name not in given}),
            autocommit=True,
            application_name="vfcc",
            client_encoding="utf8",
            prepare_threshold=None,
        )
    except psycopg.Error as error:
        raise connection_failed(error, secrets) from None


def _plain_role(connection: Connection) -> str:
    session, current, unbound = _row(connection, _WHO)
    if unbound:
        raise BackendError(
            f"the role {session} is a superuser or bypasses row-level security: it would see everybody's items",
            hint="CREATE ROLE … LOGIN; GRANT vfcc_member TO …, and log in as that role",
        )
    if session != current:
        raise BackendError(
            f"the session acts as {current} though {session} logged in: then the database shows no items",
            hint=f"ALTER ROLE {session} RESET role, or log in as {current}",
        )
    return str(session)


def _known_layout(connection: Connection) -> None:
    (version,) = _row(connection, "SELECT version FROM vfcc.layout")
    if not isinstance(version, int) or version > LAYOUT:
        raise BackendError(
            f"the memory in this database has layout {version}, newer than this vfcc understands ({LAYOUT})",
            hint="pip install --upgrade verifflowcc",
        )
    if version < LAYOUT:
        raise BackendError(f"the memory in this database has the older layout {version}", hint=SCHEMA_HINT)


def _guarded(connection: Connection) -> None:
    if _row(connection, _GUARDED) != (True,):
        raise BackendError(
            "row-level security does not hold for this role on vfcc.items: it would see everybody's items",
            hint=SCHEMA_HINT,
        )


def _admitted(connection: Connection, project: str, role: str) -> str:
    if _row(connection, "SELECT vfcc.project_of_session()") != (project,):
        raise BackendError(
            f"the role {role} was not admitted to the project {project}",
            hint=f"an administrator runs: SELECT vfcc.admit('{project}', '{role}')".replace("\n", " "),
        )
    return project


def _row(connection: Connection, statement: str) -> tuple[object, ...]:
    return connection.execute(statement).fetchone() or (None,) * 3


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


class PostgresBackend(WholeStore):
    """The items of one person (`scope` "user", `project` None) or of one project (`scope` "project").

    `url` is a libpq connection string or URL. It needs a direct connection, or a pooler that keeps
    sessions. Raises BackendError where it cannot be opened; the connection is not made anew when it is lost.
    """

    def __init__(self, url: str, scope: str, project: str | None) -> None:
        _driver()

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
