"""Do an MCP client's calls one after the other, while a thread keeps reading what the client sends.

Calls run in the main thread, since limits on time are signals. The thread answers lists and pings, and takes
cancellations: these interrupt a run of the project's commands, which may take minutes, and nothing that writes.
"""

import signal
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Protocol

from verifflowcc.errors import VfccError
from verifflowcc.mcp.callers import caller_of
from verifflowcc.mcp.prompts import get_prompt
from verifflowcc.mcp.resources import read_resource
from verifflowcc.mcp.rpc import INTERNAL, NOT_FOUND, PARAMS, RpcError
from verifflowcc.mcp.tool_calls import call_tool
from verifflowcc.records import dataclass

INTERRUPTIBLE = "check"
"""The only tool that runs the project's commands; it writes nothing before they ended."""

_MOST_CANCELLED = 1000


@dataclass(frozen=True, slots=True)
class Job:
    """A call of the client, with the name that the client had when it came."""

    ident: str | int
    method: str
    params: dict[str, Any]
    modern: bool
    client: str


class Connection(Protocol):
    """Where answers go, and what the client calls itself."""

    client: str

    def answer(self, ident: Any, result: dict[str, Any], *, modern: bool) -> None:
        """Send a result."""

    def fail(self, ident: Any, error: RpcError) -> None:
        """Send an error of the protocol."""


class Worker:
    """The calls of one client."""

    def __init__(self, front: Connection) -> None:
        self._front = front
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._cancelled: set[str | int] = set()
        self._running: Job | None = None
        self._armed = self._sent = False
        self._lock = threading.Lock()

    def add(self, ident: str | int, method: str, params: dict[str, Any], *, modern: bool) -> None:
        """Take a call; it is done once those before it are."""
        self._jobs.put(Job(ident, method, params, modern, self._front.client))

    def cancel(self, ident: object) -> None:
        """Leave a call out that has not begun, and interrupt one that runs the project's commands."""
        if isinstance(ident, bool) or not isinstance(ident, str | int):
            return
        with self._lock:
            if len(self._cancelled) < _MOST_CANCELLED:
                self._cancelled.add(ident)
            if self._running and self._running.ident == ident:
                self._interrupt()

    def run(self, read: Callable[[], bytes], take: Callable[[bytes], None]) -> None:
        """Do all calls until the client closes its end."""
        signal.signal(signal.SIGINT, self._interrupted)
        threading.Thread(target=self._read, args=(read, take), daemon=True).start()
        while (job := self._jobs.get()) is not None:
            with self._lock:
                if job.ident in self._cancelled:
                    self._cancelled.discard(job.ident)
                    continue
                self._running = job
            try:
                self._armed = True
                self._do(job)
                self._armed = False
            except KeyboardInterrupt:
                if job.ident not in self._cancelled:
                    raise
            with self._lock:
                self._running, self._sent = None, False
                self._cancelled.discard(job.ident)

    def _read(self, read: Callable[[], bytes], take: Callable[[bytes], None]) -> None:
        try:
            while line := read():
                take(line)
        except OSError:
            pass  # the client is gone
        finally:
            with self._lock:
                if self._running:
                    self._cancelled.add(self._running.ident)
                    self._interrupt()
            self._jobs.put(None)

    def _interrupt(self) -> None:
        """Interrupt the main thread where it runs the project's commands."""
        if self._running and self._running.params.get("name") == INTERRUPTIBLE:
            self._sent = True
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    def _interrupted(self, number: int, frame: object) -> None:
        """Raise KeyboardInterrupt, unless a cancellation comes when its call has just ended."""
        armed, self._armed = self._armed, False
        if armed or not self._sent:
            raise KeyboardInterrupt

    def _do(self, job: Job) -> None:
        try:
            self._front.answer(job.ident, _result(job), modern=job.modern)
        except RpcError as error:
            self._front.fail(job.ident, error)
        except VfccError as error:
            hint = f"; next: {error.hint}" if error.hint else ""
            self._front.fail(job.ident, RpcError(NOT_FOUND, f"{error.message}{hint}"))
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001 - one call that fails is no reason to lose the session
            sys.stderr.write(f"vfcc mcp: {type(error).__name__}: {error}\n")
            self._front.fail(job.ident, RpcError(INTERNAL, f"{type(error).__name__}: {error}"))


def _result(job: Job) -> dict[str, Any]:
    arguments = job.params.get("arguments", {})
    if not isinstance(arguments, dict):
        raise RpcError(PARAMS, "arguments is no object")
    caller = caller_of(job.client, job.params)
    if job.method == "tools/call":
        answer = call_tool(caller, str(job.params.get("name")), arguments)
        return {"content": [{"type": "text", "text": answer.text}], "isError": answer.refused}
    if job.method == "resources/read":
        return read_resource(str(job.params.get("uri")), modern=job.modern)
    if job.method == "prompts/get":
        return get_prompt(str(job.params.get("name")), arguments)
    return {"completion": {"values": [], "total": 0, "hasMore": False}}
