"""A session with PostgreSQL that keeps vfcc's items: opened, made to say whose it is, and looked at before it is used.

What keeps owners apart is in the database (`templates/postgres.sql`). A session for which the database would not do so
(a superuser's, one behind SET ROLE, one on a table without its rules) is refused here.
"""

import psycopg
from psycopg import conninfo

from verifflowcc.adapters.backends.postgres_errors import (
    LOCK_WAIT_S,
    SCHEMA_HINT,
    STATEMENT_S,
    connection_failed,
    told,
)
from verifflowcc.errors import BackendError

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
        with told(connection):
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
