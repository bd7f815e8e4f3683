"""What psycopg raises → one sentence for the person, without a password, a connection string or another's data."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from verifflowcc.errors import BackendError, ConflictError, VfccError

LOCK_WAIT_S = 10
STATEMENT_S = 60
SCHEMA_HINT = "vfcc memory schema | psql -v ON_ERROR_STOP=1 …, by an administrator of the database"
_LONGEST = 300


@contextmanager
def told(connection: psycopg.Connection[tuple[object, ...]] | None = None) -> Iterator[None]:
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
