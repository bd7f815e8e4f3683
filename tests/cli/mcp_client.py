"""Speak to a real `vfcc mcp` line by line, as a client does."""

import itertools
import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.process import VFCC, environment

MODERN = "2026-07-28"


@dataclass(frozen=True, slots=True)
class ToolText:
    """What a tool answered: its text, and whether it refused."""

    text: str
    refused: bool

    @property
    def step(self) -> str:
        """The next step, which the last line names."""
        start, _, step = self.text.rpartition("\n")[2].partition(": ")
        assert start == "next", self.text
        return step


class McpClient:
    """A client that started the server and shook hands."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self._numbers = itertools.count(1)

    def send(self, method: str, **params: Any) -> int:
        """Send a request and return its id."""
        number = next(self._numbers)
        self.line(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        return number

    def line(self, text: str) -> None:
        """Send a line as it is."""
        assert self.process.stdin
        self.process.stdin.write(text.encode("utf-8") + b"\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """Return the next line of the server; empty where it has ended."""
        assert self.process.stdout
        found: dict[str, Any] = json.loads(self.process.stdout.readline() or b"{}")
        return found

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the answer to a request."""
        number = self.send(method, **params)
        found = self.answer()
        assert found.get("id") == number, found
        return found

    def call(self, tool: str, **arguments: Any) -> ToolText:
        """Call a tool."""
        return tool_text(self.ask("tools/call", name=tool, arguments=arguments))


def tool_text(message: Mapping[str, Any]) -> ToolText:
    """Return what an answer holds, which is one text and nothing structured."""
    assert "result" in message, message
    result = message["result"]
    (content,) = result["content"]
    assert set(result) <= {"content", "isError", "resultType", "_meta"}
    return ToolText(content["text"], result["isError"])


@contextmanager
def mcp(folder: Path, *, name: str = "claude-code", env: Mapping[str, str] | None = None) -> Iterator[McpClient]:
    """Start the server in a folder and shake hands as the client `name`."""
    with subprocess.Popen(
        [str(VFCC), "mcp"],
        cwd=folder,
        env=environment(folder.parent, **(env or {})),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        client = McpClient(process)
        try:
            client.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": name})
            yield client
        finally:
            assert process.stdin
            process.stdin.close()
            process.kill()
