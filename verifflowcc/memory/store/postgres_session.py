"""A session with PostgreSQL that keeps vfcc's items: opened, made to say whose it is, and looked at before it is used.

What keeps owners apart is in the database (`templates/postgres.sql`). A session for which the database would not do so
(a superuser's, one behind SET ROLE, one on a table without its rules) is refused here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import psycopg
from psycopg import conninfo, errors

from verifflowcc.base.errors import BackendError, ConflictError, VfccError
from verifflowcc.base.model.item_query import STORED, TAGS, Condition, Operator, Value, order_of, value_of
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.records import dataclass

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
