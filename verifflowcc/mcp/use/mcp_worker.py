"""Do an MCP client's calls one after the other, while a thread keeps reading what the client sends.

Calls run in the main thread, since limits on time are signals. The thread answers lists and pings, and takes
cancellations: these interrupt a run of the project's commands, which may take minutes, and nothing that writes.
"""

import inspect
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from functools import cache
from queue import SimpleQueue
from typing import Any, Literal, Protocol, get_args, get_origin, get_type_hints

from verifflowcc.base.errors import UsageError, VfccError
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.mcp.store.request_answers import answer_of, keep_answer
from verifflowcc.mcp.use.mcp_resources import get_prompt, read_resource
from verifflowcc.mcp.use.mcp_tools import TOOLS, WRITING, ToolContext
from verifflowcc.mcp.use.rpc_errors import INTERNAL, NOT_FOUND, PARAMS, RpcError
from verifflowcc.mcp.use.tool_answers import Caller, ToolText, caller_of, refusal, step_of

# Call a tool: check its arguments, do it once for each request id, and turn errors into refusals with a step.

_LONGEST_LIST = 20
_KINDS = {str: "a string", int: "a whole number", list: "a list of strings"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a tool: its type, the words that it may be, and whether it may be left out."""

    kind: type
    choices: tuple[str, ...]
    required: bool


def call_tool(caller: Caller, name: str, arguments: Mapping[str, Any]) -> ToolText:
    """Return what a tool answers. Everything that vfcc refuses is an answer, too: the model reads it."""
    if name not in TOOLS:
        near = nearest(name, tuple(TOOLS))
        return refusal(f"there is no tool {name[:80]!r}", f"{near or 'next'}()")
    try:
        given = _checked(name, arguments)
        workspace = open_workspace()
        context = ToolContext(workspace, caller)
        ident = str(given.get("request") or caller.call_id) if name in WRITING else ""
        if not ident:
            return TOOLS[name](context, **given)
        asked = {key: value for key, value in given.items() if key != "request"}
        key = (caller.actor, name, ident)
        known = answer_of(workspace.local, key, asked)
        if known is not None:
            return ToolText(known)
        done = TOOLS[name](context, **given)
        keep_answer(workspace.local, key, asked, done.text)
    except VfccError as error:
        return refusal(error.message, step_of(error.hint))
    return done


@cache
def parameters(name: str) -> dict[str, Parameter]:
    """Return the parameters of a tool, in order."""
    function = TOOLS[name]
    hints = get_type_hints(function)
    found = {}
    for each in list(inspect.signature(function).parameters.values())[1:]:
        hint = hints[each.name]
        choices = get_args(hint) if get_origin(hint) is Literal else ()
        kind = str if choices else get_origin(hint) or hint
        found[each.name] = Parameter(kind, choices, each.default is inspect.Parameter.empty)
    return found


def _checked(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that fit the tool. Raises UsageError for the first that does not."""
    known = parameters(name)
    for key in arguments:
        if key not in known:
            raise UsageError(
                f"{name} has no argument {str(key)[:80]!r}; it has {', '.join(known) or 'none'}", hint=_usage(name)
            )
    given = {}
    for key, each in known.items():
        value = arguments.get(key)
        if value is None:
            if each.required:
                raise UsageError(f"{name} needs {key}", hint=_usage(name))
            continue
        _check_kind(name, key, each, value)
        given[key] = value
    return given


def _check_kind(name: str, key: str, parameter: Parameter, value: object) -> None:
    sound = isinstance(value, parameter.kind) and not isinstance(value, bool)
    if isinstance(value, list):
        sound = sound and len(value) <= _LONGEST_LIST and all(isinstance(each, str) for each in value)
    if not sound:
        most = f", at most {_LONGEST_LIST}" if parameter.kind is list else ""
        raise UsageError(f"{key} is {_KINDS[parameter.kind]}{most}", hint=_usage(name))
    if parameter.choices and value not in parameter.choices:
        raise UsageError(f"{key} is one of {', '.join(parameter.choices)}", hint=_usage(name))
    texts = value if isinstance(value, list) else [value]
    if any(isinstance(each, str) and ("\0" in each or _is_broken(each)) for each in texts):
        raise UsageError(f"{key} holds a character that no text has", hint=_usage(name))


def _is_broken(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _usage(name: str) -> str:
    return f"{name}({', '.join(key for key, each in parameters(name).items() if each.required)})"


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


def result_of(client: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the result of one call that came by another way than stdin. Raises VfccError."""
    try:
        return _result(Job(0, method, params, False, client))
    except RpcError as error:
        raise UsageError(error.message) from error


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
