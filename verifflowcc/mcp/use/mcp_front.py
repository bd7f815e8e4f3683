"""Answer an MCP client over stdin and stdout: the handshake and all lists at once, calls by the rest of the package.

Clients send their first request to the model about a second after they started a server, and leave out a server that
has not answered by then. So this module imports no JSON package, and everything slow at the first call.

Both eras of the protocol are spoken: `initialize` (until 2025-11-25), and `server/discover` with the version in each
request (from 2026-07-28).
"""

import os
from _thread import allocate_lock

from verifflowcc import __version__
from verifflowcc.base.text.quick_json import read, write
from verifflowcc.mcp.use.rpc_errors import METHOD, PARAMS, PARSE, REQUEST, VERSION, RpcError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, BinaryIO

    from verifflowcc.mcp.use.mcp_worker import Worker

    Json = Any


LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MODERN = "2026-07-28"
LISTS = "lists.json"
KEPT_MS = 3_600_000
"""How long a client of the modern era may keep a list: none changes while a server runs."""
_RESERVED = "io.modelcontextprotocol/"
_LIST_OF = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
_CALLS = ("tools/call", "resources/read", "prompts/get", "completion/complete")
LARGEST_BYTES = 8 * 1024 * 1024
_NO_RESOURCES = ("opencode", "gemini")
"""Clients that put tools of their own into each request once a server has resources: 220 to 290 tokens, for what
`next`, `recall` and the files give as well. Asked for a resource they get it; it is not announced."""


class Front:
    """One client's connection. `client` is the name that it gives itself; it grants nothing."""

    def __init__(self, out: int) -> None:
        self.client = ""
        self.worker: Worker | None = None
        self._out = out
        self._sending = allocate_lock()
        self._lists: dict[str, Json] = {}

    def take(self, line: bytes) -> None:
        """Answer one line of the client, or hand it to the worker."""
        try:
            message = read(line.decode("utf-8"))
        except ValueError:
            self.fail(None, RpcError(PARSE, "the line is no JSON"))
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self.fail(None, RpcError(REQUEST, "the line is no JSON-RPC 2.0 message; batches are not taken"))
            return
        method, ident = message.get("method"), message.get("id")
        if not isinstance(method, str):
            return  # an answer: nothing is ever asked of the client
        params = message.get("params", {})
        if ident is None:
            self._note(method, params)
        elif isinstance(ident, bool) or not isinstance(ident, str | int):
            self.fail(None, RpcError(REQUEST, "the id is neither a string nor a whole number"))
        else:
            try:
                self._request(ident, method, params)
            except RpcError as error:
                self.fail(ident, error)

    def answer(self, ident: "Json", result: "dict[str, Json]", *, modern: bool) -> None:
        """Send a result."""
        if modern:
            about = {f"{_RESERVED}serverInfo": {"name": "vfcc", "version": __version__}}
            result = {**result, "resultType": "complete", "_meta": about}
        self._send({"jsonrpc": "2.0", "id": ident, "result": result})

    def fail(self, ident: "Json", error: RpcError) -> None:
        """Send an error of the protocol."""
        problem: dict[str, Json] = {"code": error.code, "message": error.message}
        if error.data is not None:
            problem["data"] = error.data
        self._send({"jsonrpc": "2.0", "id": ident, "error": problem})

    def _note(self, method: str, params: "Json") -> None:
        if method == "notifications/cancelled" and self.worker and isinstance(params, dict):
            self.worker.cancel(params.get("requestId"))

    def _request(self, ident: "Json", method: str, params: "Json") -> None:
        if not isinstance(params, dict):
            raise RpcError(PARAMS, "params is no object")
        modern = self._is_modern(params)
        if method == "initialize":
            self._called(params.get("clientInfo"))
            wanted = params.get("protocolVersion")
            version = wanted if wanted in LEGACY else LEGACY[0]
            info = {"name": "vfcc", "version": __version__}
            self.answer(ident, {"protocolVersion": version, "serverInfo": info, **self._about()}, modern=False)
        elif method == "server/discover":
            self.answer(ident, {"supportedVersions": [MODERN], **self._about(), **_keeping(True)}, modern=True)
        elif method == "ping":
            self.answer(ident, {}, modern=modern)
        elif method in _LIST_OF:
            name = _LIST_OF[method]
            self.answer(ident, {name: self._list(name), **_keeping(modern)}, modern=modern)
        elif method in _CALLS:
            if self.worker is None:
                from verifflowcc.mcp.use.mcp_worker import Worker

                self.worker = Worker(self)
            self.worker.add(ident, method, params, modern=modern)
        else:
            raise RpcError(METHOD, f"there is no method {method[:100]}")

    def _is_modern(self, params: "dict[str, Json]") -> bool:
        about = params.get("_meta")
        version = about.get(f"{_RESERVED}protocolVersion") if isinstance(about, dict) else None
        if version is None or not isinstance(about, dict):
            return False
        if version != MODERN:
            asked = {"supported": [MODERN], "requested": str(version)[:40]}
            raise RpcError(VERSION, "Unsupported protocol version", asked)
        self._called(about.get(f"{_RESERVED}clientInfo"))
        return True

    def _called(self, info: "Json") -> None:
        name = info.get("name") if isinstance(info, dict) else None
        if isinstance(name, str):
            self.client = name[:100]

    def _about(self) -> "dict[str, Json]":
        name = self.client.casefold()
        able: dict[str, Json] = {"tools": {}, "resources": {}, "prompts": {}}
        for each in _NO_RESOURCES:
            if each in name:
                able.pop("resources", None)
        return {"capabilities": able, "instructions": self._list("instructions")}

    def _list(self, name: str) -> "Json":
        if not self._lists:
            with open(os.path.join(os.path.dirname(__file__), LISTS), encoding="utf-8") as file:  # noqa: PTH118, PTH120, PTH123
                self._lists = read(file.read())
        return self._lists[name]

    def _send(self, message: "dict[str, Json]") -> None:
        data = write(message).encode("ascii") + b"\n"
        with self._sending:
            while data:
                data = data[os.write(self._out, data) :]


def serve() -> int:
    """Serve the client on stdin and stdout until it closes them. Returns the exit code.

    Whatever else writes to stdout from now on writes to stderr, and finds stdin empty: a command of the project that
    printed a word would break the protocol, and nothing that runs here has a terminal.
    """
    out = os.dup(1)
    given = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    front = Front(out)
    try:
        while front.worker is None and (line := next_line(given)):
            front.take(line)
        if front.worker:
            front.worker.run(lambda: next_line(given), front.take)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the client is gone
    return 0


def next_line(given: "BinaryIO") -> bytes:
    """Return the next line that is not blank; empty at the end. One that is too long is cut, and so no JSON."""
    line = given.readline(LARGEST_BYTES)
    whole = line
    while len(line) == LARGEST_BYTES and not line.endswith(b"\n"):
        line = given.readline(LARGEST_BYTES)
    return whole if whole.strip() or not whole else next_line(given)


def _keeping(modern: bool) -> "dict[str, Json]":
    return {"ttlMs": KEPT_MS, "cacheScope": "private"} if modern else {}
