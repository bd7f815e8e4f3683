"""Models of a test's own: programs that answer in good and bad ways, and an API on loopback that does."""

import gzip
import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from verifflowcc.memory.rules.turns import Speaker, Turn

EMPTY = '{"user_items": [], "project_items": []}'
PERSON_SAID = "We decided that log lines are JSON from now on. Alice does the design, and I never want tabs."
_KEPT = "import sys, json\ntext = sys.stdin.read()\n"

PROGRAMS = {
    "good": f"print({EMPTY!r})",
    "in a fence": f"print('Sure, here it is:\\n\\n```json\\n' + {EMPTY!r} + '\\n```\\n\\nAnything else?')",
    "in prose": f"print('Of course {{not this}}. ' + {EMPTY!r} + ' I hope it helps.')",
    "after an example": f"print('For example {{\"a\": 1}}, so: ' + {EMPTY!r})",
    "before an example": f"print({EMPTY!r} + ' and not {{\"a\": 1}}')",
    "prose alone": "print('I will not do that.')",
    "nothing": "",
    "a list": "print('[1, 2]')",
    "cut off": "print('{\"user_items\": [')",
    "not UTF-8": "sys.stdout.buffer.write(b'\\xff\\xfe{}')",
    "braces": "print('{' * 200_000)",
    "brackets": "print('{\"a\":' * 30_000)",
    "huge": "print('x' * 5_000_000)",
    "endless": "while True: print('x' * 10_000)",
    "complains": "print('\\x1b[31mno key is set', file=sys.stderr); sys.exit(1)",
    "killed": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "slow": "import time; time.sleep(60)",
    "stubborn": "import time, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
    "shouts": "while True: sys.stderr.write('x' * 10_000)",
}
"""What a program does once it has read its prompt."""


def item(layer: str, kind: str, key: str, content: str, importance: float = 0.5) -> dict[str, object]:
    """Return an item as the schema has it."""
    name = "category" if layer == "user" else "type"
    return {"layer": layer, name: kind, "key": key, "content": content, "importance": importance}


def answer(user: Sequence[object] = (), project: Sequence[object] = ()) -> str:
    """Return an answer with these items."""
    return json.dumps({"user_items": [*user], "project_items": [*project]})


def turn(text: str = PERSON_SAID, *, id_: str = "t1", speaker: Speaker = Speaker.PERSON) -> Turn:
    """Return a turn of a person."""
    return Turn(id_, speaker, text, "s1")


def program(folder: Path, does: str) -> tuple[str, ...]:
    """Write a program that reads its prompt and then does something; return how it is run."""
    path = folder / "model.py"
    path.write_text(_KEPT + does + "\n", encoding="utf-8")
    return sys.executable, str(path)


def counting_program(folder: Path, does: str) -> tuple[str, ...]:
    """Write a program that also notes each time that it is asked, in the file `asked` beside it."""
    noted = folder / "asked"
    return program(folder, f"open({str(noted)!r}, 'a').write('x')\n{does}")


def times_asked(folder: Path) -> int:
    """Return how often the program of `counting_program` was asked."""
    noted = folder / "asked"
    return len(noted.read_text(encoding="utf-8")) if noted.exists() else 0


@dataclass(slots=True)
class Server:
    """An API on loopback. `does` says how it answers; `asked` are the bodies that it was sent, by path.

    `states` are the tokens, in and out, that it says it took.
    """

    does: str = "good"
    text: str = EMPTY
    url: str = ""
    asked: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    states: tuple[int, int] = (11, 7)


@contextmanager
def api() -> Iterator[Server]:
    """Serve chat completions on loopback, in the way that `does` of what is given says at that time."""
    told = Server()

    class Handler(_Handler):
        server_of_test = told

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.block_on_close = False
        told.url = f"http://127.0.0.1:{server.server_port}/v1"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield told
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    server_of_test: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer as the test says."""
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server_of_test.asked.append((self.path, json.loads(body)))
        with suppress(OSError):  # the client has gone, as it should
            self._answer(self.server_of_test.does)

    def _answer(self, does: str) -> None:
        text, states = self.server_of_test.text, self.server_of_test.states
        plain = {
            "good": (200, _completion(text, "stop", states)),
            "refuses": (200, _completion("", "content_filter", states)),
            "cut off": (200, _completion(text[:20], "length", states)),
            "huge": (200, _completion("x" * 5_000_000, "stop", states)),
            "page": (200, b"<html>welcome</html>"),
            "unauthorised": (401, b'{"error": {"message": "Incorrect API key provided: sk-secret"}}'),
            "too many": (429, b"{}"),
            "broken": (500, b"{}"),
        }
        if does in plain:
            self._send(*plain[does])
        elif does == "redirects":
            self._send(302, b"", {"location": "/elsewhere"})
        elif does == "packed":
            self._send(200, gzip.compress(_completion("x" * 20_000_000, "stop", states)), {"content-encoding": "gzip"})
        elif does == "hangs up":
            self.close_connection = True
        else:
            self._drip(b" " if does == "slow" else b" " * 10_000, 0.05 if does == "slow" else 0.0)

    def _send(self, code: int, data: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _drip(self, part: bytes, pause_s: float) -> None:
        """Send a body that does not end."""
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for _ in range(1_000):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            time.sleep(pause_s)


def _completion(text: str, reason: str, states: tuple[int, int]) -> bytes:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": reason, "message": message}
    usage = {"prompt_tokens": states[0], "completion_tokens": states[1], "total_tokens": sum(states)}
    return json.dumps(
        {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    ).encode()
