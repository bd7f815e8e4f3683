"""Who works on which attempt, in the team's PostgreSQL: a lease with a fencing number, on the database's own clock.

All of it may be deleted at any moment: which result counts is decided by branches (`run/rules/fleet_work.py`).
"""

import os
import re
import threading
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING

from verifflowcc.base.errors import BackendError, ConflictError, UsageError, WorkspaceError
from verifflowcc.run.rules.fleet_work import FleetJob, FleetLease, LeaseState

if TYPE_CHECKING:
    import psycopg

URL_VARIABLE = "VFCC_FLEET_DATABASE"
_EXAMPLE = f"export {URL_VARIABLE}=postgresql://USER@HOST/DATABASE"
_KEPT_ALIVE = {
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
"""A connection whose other side is gone ends after seconds, not hours."""
_SCHEMA = """
CREATE SCHEMA IF NOT EXISTS vfcc_fleet;
CREATE TABLE IF NOT EXISTS vfcc_fleet.leases (
    fleet text NOT NULL, run text NOT NULL, attempt text NOT NULL,
    fence integer NOT NULL, version text NOT NULL, state text NOT NULL,
    holder text NOT NULL DEFAULT '', expires timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (fleet, run, attempt)
)"""
_ONE = "fleet = %(fleet)s AND run = %(run)s AND attempt = %(attempt)s AND fence = %(fence)s"
_LONGEST = 300
_PASSWORD = re.compile(r"(?<=:)[^:@/\s]+(?=@)|(?<=password=)[^&\s]+")


def fleet_database(env: Mapping[str, str] = os.environ) -> str:
    """Return the URL of the fleet's database. Raises WorkspaceError without the extra, UsageError without a URL."""
    if find_spec("dbos") is None or find_spec("psycopg") is None:
        raise WorkspaceError("a fleet needs the extra fleet", hint="pip install 'verifflowcc[fleet]'")
    url = env.get(URL_VARIABLE, "").strip()
    if not url:
        raise UsageError(f"the fleet's database is not named: {URL_VARIABLE} is empty", hint=_EXAMPLE)
    if not re.match(r"postgres(ql)?://[^/]*/[^/?]+", url):
        raise UsageError(f"{URL_VARIABLE} is no URL of a PostgreSQL database", hint=_EXAMPLE)
    url = re.sub(r"^postgres://", "postgresql://", url)
    known = url.partition("?")[2]
    more = "&".join(f"{name}={value}" for name, value in _KEPT_ALIVE.items() if f"{name}=" not in known)
    return f"{url}{'&' if known else '?'}{more}".replace("?&", "?")


def without_password(text: str, url: str) -> str:
    """Return a text on one line without the password of a URL.

    >>> without_password("postgresql://ada:s3@db/x refuses s3", "postgresql://ada:s3@db/x")
    'postgresql://ada:…@db/x refuses …'
    """
    text = " ".join(text.split())
    for secret in {each for each in _PASSWORD.findall(url) if each}:
        text = text.replace(secret, "…")
    return _PASSWORD.sub("…", text)[:_LONGEST]


class FleetAway(BackendError):  # noqa: N818 - reads as what happened
    """The database or the remote of a fleet gave no answer; it may later."""


class FleetLeases:
    """The leases of one fleet, over one connection that is made again where it was lost; for several threads."""

    def __init__(self, url: str, fleet: str) -> None:
        self._url, self._fleet = url, fleet
        self._lock = threading.Lock()
        self._connection: psycopg.Connection | None = None
        self._driving: str | None = None

    def prepare(self) -> None:
        """Make the table where there is none. Raises FleetAway where the database cannot be reached."""
        self._do(_SCHEMA, None)

    def close(self) -> None:
        """Close the connection; `drive_alone` ends with it."""
        with self._lock:
            self._drop()

    def drive_alone(self, run: str) -> None:
        """Be the only coordinator of a run while the connection lasts. Raises ConflictError where another one is."""
        if self._driving != run:
            self.close()
            self._driving = run
        self._do("SELECT 1", None)

    def offer(self, job: FleetJob, version: str) -> None:
        """Put an attempt up with its number; one with a higher number stays as it is."""
        self._do(
            "INSERT INTO vfcc_fleet.leases AS was (fleet, run, attempt, fence, version, state)"
            " VALUES (%(fleet)s, %(run)s, %(attempt)s, %(fence)s, %(version)s, 'offered')"
            " ON CONFLICT (fleet, run, attempt) DO UPDATE SET fence = excluded.fence, version = excluded.version,"
            " state = 'offered', holder = '', expires = now() WHERE was.fence < excluded.fence",
            job,
            version=version,
        )

    def take(self, job: FleetJob, holder: str, seconds: int) -> bool:
        """Take an attempt that is offered with this number; whether it was, and is now the holder's."""
        return self._changed(
            "state = 'held', holder = %(holder)s, expires = now() + %(seconds)s * interval '1 second'",
            f"{_ONE} AND state = 'offered'",
            job,
            holder,
            seconds,
        )

    def renew(self, job: FleetJob, holder: str, seconds: int) -> bool:
        """Renew a lease that has not expired; whether the holder still has it."""
        return self._changed(
            "expires = now() + %(seconds)s * interval '1 second'",
            f"{_ONE} AND state = 'held' AND holder = %(holder)s AND expires > now()",
            job,
            holder,
            seconds,
        )

    def finish(self, job: FleetJob, holder: str) -> bool:
        """Note that the result was pushed; whether the lease was still the holder's."""
        return self._changed("state = 'finished'", f"{_ONE} AND state = 'held' AND holder = %(holder)s", job, holder)

    def release(self, job: FleetJob, holder: str) -> bool:
        """Give an attempt back, so that another worker can have it at once."""
        return self._changed("expires = now()", f"{_ONE} AND state = 'held' AND holder = %(holder)s", job, holder)

    def release_all(self, holders: str) -> None:
        """Give back what holders have whose names begin so; they are known to be dead."""
        self._do(
            "UPDATE vfcc_fleet.leases SET expires = now() WHERE fleet = %(fleet)s AND state = 'held'"
            " AND starts_with(holder, %(holders)s)",
            None,
            holders=holders,
        )

    def recall(self, run: str, attempt: str) -> None:
        """Remove the lease of an attempt, so that its worker finds it lost."""
        self._do(
            "DELETE FROM vfcc_fleet.leases WHERE fleet = %(fleet)s AND run = %(run)s AND attempt = %(attempt)s",
            FleetJob(run, attempt, 1),
        )

    def lease(self, run: str, attempt: str) -> FleetLease | None:
        """Return the lease of an attempt; None where there is none."""
        rows = self._do(
            "SELECT fence, state, version, holder, expires <= now() FROM vfcc_fleet.leases"
            " WHERE fleet = %(fleet)s AND run = %(run)s AND attempt = %(attempt)s",
            FleetJob(run, attempt, 1),
        )
        for fence, state, version, holder, expired in rows:
            known = LeaseState(str(state)) if state in list(LeaseState) else LeaseState.OFFERED
            return FleetLease(int(str(fence)), known, str(version), str(holder), bool(expired))
        return None

    def waiting(self, version: str) -> tuple[str, ...]:
        """Return the other versions of jobs that wait for a worker."""
        rows = self._do(
            "SELECT DISTINCT version FROM vfcc_fleet.leases WHERE fleet = %(fleet)s AND state = 'offered'"
            " AND version <> %(version)s ORDER BY version",
            None,
            version=version,
        )
        return tuple(str(version) for (version,) in rows)

    def _changed(self, change: str, where: str, job: FleetJob, holder: str, seconds: int = 0) -> bool:
        words = f"UPDATE vfcc_fleet.leases SET {change} WHERE {where} RETURNING 1"
        return bool(self._do(words, job, holder=holder, seconds=seconds))

    def _do(self, words: str, job: FleetJob | None, **more: object) -> list[tuple[object, ...]]:
        import psycopg

        values = {"fleet": self._fleet, **(job.payload() if job else {}), **more}
        with self._lock:
            try:
                try:
                    cursor = self._connected().execute(words.encode(), values if "%(" in words else None)
                except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):  # deleted since
                    self._connected().execute(_SCHEMA.encode())
                    cursor = self._connected().execute(words.encode(), values)
                return list(cursor.fetchall()) if cursor.description else []
            except psycopg.Error as error:
                self._drop()
                raise self._away(error) from None

    def _connected(self) -> "psycopg.Connection":
        import psycopg

        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(
                self._url, autocommit=True, prepare_threshold=None, application_name="vfcc fleet"
            )
            if self._driving is not None:
                key = f"vfcc {self._fleet}/{self._driving}"
                row = self._connection.execute(
                    "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (key,)
                ).fetchone()
                if not row or not row[0]:
                    self._drop()
                    raise ConflictError(f"another machine drives {self._driving}", hint="vfcc run status")
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _away(self, error: "psycopg.Error") -> FleetAway:
        text = without_password(str(error).removeprefix("connection failed: "), self._url)
        return FleetAway(f"the fleet's database gives no answer: {text}", hint=f"look at {URL_VARIABLE}")
