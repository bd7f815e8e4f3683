"""The queue of a fleet on DBOS: which worker may take which attempt, and how many at once.

An attempt is a job of a single step, so that nothing is ever replayed against other code. Its version is pinned: DBOS
would make one of the code's digest, and leave open jobs waiting after each upgrade. DBOS gives the jobs of a dead
worker to no other one; the coordinator cancels them and queues the attempt again with the next number.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from verifflowcc.base.records import dataclass
from verifflowcc.run.rules.fleet_work import FleetJob
from verifflowcc.run.store.fleet_leases import FleetAway, without_password

QUEUE = "vfcc-attempts"
WORKFLOW = "vfcc-attempt"
_POLL_S = 0.5
_OPEN_S = 2


@dataclass(frozen=True, slots=True)
class FleetLimits:
    """How many attempts there are at once: of the fleet, and of one worker."""

    at_once: int
    per_worker: int


class FleetEngine:
    """The queue, as a coordinator or a worker has it open; `work` does a job, and is None for a coordinator."""

    def __init__(
        self,
        url: str,
        fleet: str,
        executor: str,
        version: str,
        limits: FleetLimits,
        work: Callable[[object], dict[str, Any]] | None = None,
    ) -> None:
        self._url, self._fleet, self._executor, self._version = url, fleet, executor, version
        self._limits, self._work = limits, work
        self._lock = threading.Lock()
        self._open = False

    def launch(self) -> None:
        """Open it; the tables are made where there are none. Raises FleetAway where that is not possible."""
        from dbos import DBOS

        with self._lock, self._answered():
            if self._open:
                return
            _refuse_pickles()
            DBOS(
                config={
                    "name": f"vfcc-{self._fleet}",
                    "system_database_url": self._url,
                    "application_version": self._version,
                    "executor_id": self._executor,
                    "serializer": _json_serializer(),
                    "console_log_level": "CRITICAL",
                    "log_level": "CRITICAL",
                    "db_engine_kwargs": {"pool_size": 5, "max_overflow": 2, "pool_pre_ping": True},
                }
            )
            logging.getLogger("dbos").disabled = True  # it writes a page to stderr for each conflict
            self._declare()
            DBOS.listen_queues([QUEUE] if self._work else [])
            DBOS.launch()
            self._open = True
            DBOS.register_queue(
                QUEUE,
                global_concurrency=self._limits.at_once,
                worker_concurrency=min(self._limits.per_worker, self._limits.at_once),
                polling_interval_sec=_POLL_S,
                on_conflict="never_update" if self._work else "always_update",
            )

    def _declare(self) -> None:
        from dbos import DBOS
        from dbos._serialization import WorkflowSerializationFormat

        work = self._work or (lambda _: {})

        @DBOS.step(name="vfcc-work", retries_allowed=False)
        def step(job: dict[str, Any]) -> dict[str, Any]:
            return work(job)

        @DBOS.workflow(name=WORKFLOW, serialization_type=WorkflowSerializationFormat.PORTABLE)
        def attempt(job: dict[str, Any]) -> dict[str, Any]:
            return step(job)

    def queue(self, job: FleetJob) -> None:
        """Queue a job, once: the same one again changes nothing. Raises FleetAway."""
        self.launch()
        with self._answered():
            from dbos import DBOS
            from dbos._serialization import WorkflowSerializationFormat

            DBOS.enqueue_workflow_with_options(
                {
                    "workflow_name": WORKFLOW,
                    "queue_name": QUEUE,
                    "workflow_id": self._id(job),
                    "app_version": self._version,
                    "serialization_type": WorkflowSerializationFormat.PORTABLE,
                },
                job.payload(),
            )

    def state_of(self, job: FleetJob) -> str | None:
        """Return the queue's word for a job, such as `PENDING`; None where it has none of it. Raises FleetAway."""
        self.launch()
        with self._answered():
            from dbos import DBOS

            found = DBOS.list_workflows(workflow_ids=[self._id(job)], load_input=False, load_output=False)
            return str(found[0].status) if found else None

    def cancel(self, job: FleetJob) -> None:
        """Take a job off the queue, so that one of a dead worker does not fill a place. Raises FleetAway."""
        self.launch()
        with self._answered():
            from dbos import DBOS

            DBOS.cancel_workflow(self._id(job))

    def check(self) -> None:
        """Open the queue again where its tables were deleted or its connection is gone. Raises FleetAway."""
        self.state_of(FleetJob("none", "none", 1))

    def close(self) -> None:
        """Close it; a job that still runs is awaited for a moment."""
        with self._lock:
            self._destroy()

    def _destroy(self) -> None:
        from dbos import DBOS

        self._open = False
        with suppress(Exception):  # a connection that is gone cannot be closed in order
            DBOS.destroy(workflow_completion_timeout_sec=_OPEN_S, destroy_registry=True)

    def _id(self, job: FleetJob) -> str:
        return f"{self._fleet}/{job.key}"

    @contextmanager
    def _answered(self) -> Iterator[None]:
        """Raise FleetAway for whatever the library raises; it has no error of its own for a database that is gone."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - it raises its own errors and those of two libraries below it
            self._destroy()
            reason = without_password(str(error).partition("\n")[0], self._url)
            raise FleetAway(f"the fleet's queue gives no answer: {reason}", hint="look at the database") from None


def _json_serializer() -> Any:
    from dbos._serialization import DBOSPortableJSON

    return DBOSPortableJSON


def _refuse_pickles() -> None:
    """Let no row of the database be unpickled: who may write there could run a program on each worker."""
    from dbos._serialization import DefaultSerializer

    def refuse(_self: object, serialized_data: str) -> Any:
        raise TypeError("this fleet reads JSON only")

    DefaultSerializer.deserialize = refuse  # type: ignore[method-assign,assignment]
