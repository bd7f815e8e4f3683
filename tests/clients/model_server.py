"""A scripted model on loopback, for the clients' own protocols: Claude's, which two more speak, Codex's and Gemini's.

A test writes what the model says, turn by turn, and afterwards reads what reached it: every request body is kept. What
the protocols look like on the wire is left to `claude_wire`, `codex_wire` and `gemini_wire`.
"""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.clients import claude_wire, codex_wire, gemini_wire
from tests.clients.turns import MAIN, Request, Say, Turn

SUMMARY = "<analysis>Short.</analysis>\n<summary>The summary of the scripted model.</summary>"
OK = 200
ERRORS = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
Chooser = Callable[[Request], str]


class ModelServer:
    """A model that says what its script says, each conversation in its own order.

    The script maps a conversation to its turns. The main one is called `MAIN`; any other is named by a marker, a text
    that only its own first prompt holds, so that a subagent is told from the agent that started it. Where this does not
    do, `choose` names the conversation of a request. A request that a client makes on its own (a title, a count of
    tokens, a summary to compact) is answered without taking a turn. A turn may be a function of the request, as where a
    call needs what an earlier one gave. When a conversation has no turn left, the model says `DONE`.
    """

    def __init__(self, script: Mapping[str, Sequence[Say]], choose: Chooser | None = None) -> None:
        self.requests: list[Request] = []
        self.port = 0
        self.summary = SUMMARY
        self._left = {name: list(turns) for name, turns in script.items()}
        self._choose = choose or self._by_marker
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def asked(self, conversation: str = MAIN) -> list[Request]:
        """Return the requests that took a turn of this conversation, in order."""
        return [each for each in self.requests if each.kind == "turn" and each.conversation == conversation]

    def of_kind(self, kind: str) -> list[Request]:
        """Return the requests of one kind: `turn`, `compact`, `side`, `count`, or `absent` for any other address."""
        return [each for each in self.requests if each.kind == kind]

    def left(self) -> dict[str, int]:
        """Return how many turns each conversation has not said; none where all were."""
        return {name: len(turns) for name, turns in self._left.items() if turns}

    def say(self, *turns: Say, conversation: str = MAIN) -> None:
        """Add turns to a conversation, as for a session that is resumed."""
        with self._lock:
            self._left.setdefault(conversation, []).extend(turns)

    def answer(self, request: Request) -> Turn:
        """Keep the request; return what the model says to it."""
        with self._lock:
            self.requests.append(request)
            request.at_ns = time.time_ns()
            if request.kind == "compact":
                return Turn(self.summary)
            if request.kind != "turn":
                return Turn(json.dumps({"title": "A title"}))
            request.conversation = self._choose(request)
            turns = self._left.setdefault(request.conversation, [])
            said = turns.pop(0) if turns else Turn("DONE")
            request.answer = said if isinstance(said, Turn) else said(request)
            return request.answer

    def _by_marker(self, request: Request) -> str:
        prompts = request.prompts()
        return next((name for name in self._left if name != MAIN and any(name in text for text in prompts)), MAIN)


@contextmanager
def unreachable() -> Iterator[ModelServer]:
    """Give a server whose port is taken, and refuses each connection, while the context lasts."""
    server = ModelServer({})
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        server.port = taken.getsockname()[1]
        yield server


@contextmanager
def serving(script: Mapping[str, Sequence[Say]], choose: Chooser | None = None) -> Iterator[ModelServer]:
    """Serve a script on a port of its own while the context lasts; what goes wrong in it is raised at the end."""
    model = ModelServer(script, choose)
    with _Server(("127.0.0.1", 0), _handler(model)) as server:
        model.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()
    if server.errors:
        raise server.errors[0]


class _Server(ThreadingHTTPServer):
    """Keeps what goes wrong in a thread, but for a client that hangs up."""

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.errors: list[BaseException] = []

    def handle_error(self, request: object, client_address: object) -> None:
        error = sys.exception()
        if error is not None and not isinstance(error, ConnectionError):
            self.errors.append(error)


def _error(status: int) -> bytes:
    error = {"type": ERRORS.get(status, "api_error"), "message": f"the scripted model answers {status}"}
    return json.dumps({"type": "error", "error": error}).encode()


def _handler(model: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = self.path.partition("?")[0]
            try:
                body: dict[str, Any] = json.loads(raw or b"{}")
            except ValueError:
                return self._reply(400, b'{"error": {"type": "invalid_request_error", "message": "no JSON"}}')
            if path == "/v1/messages/count_tokens":
                model.answer(Request("claude", "count", body))
                return self._reply(200, json.dumps({"input_tokens": len(raw) // 4}).encode())
            if path == "/v1/messages":
                request = Request("claude", claude_wire.kind(body), body)
                turn = model.answer(request)
                if turn.status != OK:
                    return self._reply(turn.status, _error(turn.status))
                if body.get("stream"):
                    return self._stream(claude_wire.events(turn, body))
                return self._reply(200, json.dumps(claude_wire.message(turn, body)).encode())
            if path in ("/v1/responses", "/v1/responses/compact"):
                request = Request("codex", codex_wire.kind(path, body), body)
                turn = model.answer(request)
                if turn.status != OK:
                    return self._reply(turn.status, _error(turn.status))
                return self._stream(codex_wire.events(turn))
            if path.startswith(gemini_wire.PREFIX):
                return self._gemini(path, body)
            return self._absent()

        def _gemini(self, path: str, body: dict[str, Any]) -> None:
            turn = model.answer(Request("gemini", gemini_wire.kind(path, body), body))
            if path.endswith(":countTokens"):
                return self._reply(200, b'{"totalTokens": 100}')
            if path.endswith(":streamGenerateContent"):
                return self._sent(gemini_wire.stream(turn))
            return self._reply(200, json.dumps(gemini_wire.response(turn)).encode())

        def do_GET(self) -> None:
            self._absent()

        def do_CONNECT(self) -> None:
            self._absent()

        def do_HEAD(self) -> None:
            self._reply(200, b"")

        def _absent(self) -> None:
            model.requests.append(Request("", "absent", {"path": self.path}))
            self.close_connection = True
            self._reply(404, b'{"error": {"type": "not_found_error", "message": "not here"}}')

        def _reply(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def _stream(self, events: Sequence[tuple[str, object]]) -> None:
            self._sent("".join(f"event: {name}\ndata: {json.dumps(event)}\n\n" for name, event in events).encode())

        def _sent(self, text: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: what was asked is in `requests`."""

    return Handler
