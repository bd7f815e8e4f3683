"""`vfcc mcp`: the protocol, and a sprint that an agent leads through it."""

import json
import os
from pathlib import Path

import pytest

from tests.cli.mcp_client import MODERN, McpClient, mcp, tool_text
from tests.cli.mcp_world import mcp_project
from tests.cli.process import VFCC

META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientInfo": {"name": "codex"}}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A sprint in planning whose last stage asks for a test that fails."""
    return mcp_project(tmp_path)


def test_a_sprint_is_led_from_planning_to_its_close(project: Path) -> None:
    with mcp(project) as client:
        first = client.call("next")
        assert "stage planning" in first.text
        assert first.step == 'put(name="plan.md", text=…)'

        stored = client.call("put", name="plan.md", text="Numbers add up.\n")
        assert "plan: met" in stored.text
        assert client.call("advance", stage=named(stored.step)).step == 'put(name="notes.md", text=…)'
        client.call("advance", stage=named(client.call("put", name="notes.md", text="See total.py.\n").step))

        failed = client.call("check")
        assert "owed: tests" in failed.text
        refused = client.call("advance", stage="testing")
        assert refused.refused
        assert "tests" in refused.text
        (project / "total.py").write_text("def add(a, b):\n    return a + b\n", encoding="utf-8")

        client.call("put", name="notes.md", text="The sum is right now.\n")
        passed = client.call("check")
        done = client.call("advance", stage=named(passed.step))
        assert done.step == 'advance(stage="close")'
        assert actors(project) == {"agent:claude"}
        assert "closed" in client.call("advance", stage="close").text


def named(step: str) -> str:
    """Return the stage in the step `advance(stage="…")`."""
    start, _, rest = step.partition('"')
    assert start == "advance(stage=", step
    return rest.rpartition('"')[0]


def actors(root: Path) -> set[str]:
    """Return who wrote the events after the first, which starts the sprint."""
    files = sorted((root / ".memory/sprint/add-it/events").glob("*.json"))
    return {json.loads(path.read_bytes())["actor"] for path in files[1:]}


def test_the_last_line_of_a_long_answer_is_the_next_step(project: Path) -> None:
    long = "".join(f"def function_{number}(a, b):\n    return {number}\n\n\n" for number in range(400))
    (project / "long.py").write_text(long, encoding="utf-8")
    with mcp(project) as client:
        answered = client.call("code", ask="file", of="long.py")

        assert answered.step == "next()"
        assert "more lines were left out" in answered.text
        assert len(answered.text) < 8_000


def test_a_request_that_is_sent_again_is_answered_and_not_done_again(project: Path) -> None:
    with mcp(project) as client:
        once = client.call("put", name="plan.md", text="One.\n", request="r1")
        client.call("put", name="plan.md", text="Two.\n", request="r2")
        again = client.call("put", name="plan.md", text="One.\n", request="r1")
        other = client.call("put", name="plan.md", text="Three.\n", request="r1")

        assert again == once
        assert other.refused
    assert (project / ".memory/stage/add-it/planning/artifacts/plan.md").read_text() == "Two.\n"


def test_a_claude_call_that_is_sent_again_is_known_by_its_tool_use_id(project: Path) -> None:
    with mcp(project) as client:
        asked = {"name": "remember", "arguments": {"type": "fact", "text": "Numbers add up."}}
        about = {"claudecode/toolUseId": "toolu_1"}
        first = tool_text(client.ask("tools/call", **asked, _meta=about))
        assert tool_text(client.ask("tools/call", **asked, _meta=about)) == first
    assert len(list((project / ".memory/project/items/fact").glob("*.md"))) == 1


def test_what_an_agent_remembers_is_pending(project: Path) -> None:
    with mcp(project) as client:
        for kind in ("fact", "decision", "convention", "failure", "pattern"):
            assert not client.call("remember", type=kind, text=f"A {kind} of the project").refused
        assert client.call("recall", query="fact of the project").text.startswith("nothing in memory matches")
    items = [path for path in (project / ".memory/project").rglob("*.md") if "of the project" in path.read_text()]
    assert len(items) == 5
    assert all("status: pending" in path.read_text() for path in items)


def test_both_eras_of_the_protocol_are_spoken(project: Path) -> None:
    with mcp(project) as client:
        found = client.ask("server/discover", _meta=META)["result"]
        assert found["supportedVersions"] == [MODERN]
        assert found["resultType"] == "complete"
        assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "vfcc"
        old = client.ask("tools/list")["result"]
        new = client.ask("tools/list", _meta=META)["result"]
        assert old["tools"] == new["tools"]
        assert set(old) == {"tools"}
        wrong = {"io.modelcontextprotocol/protocolVersion": "1999-01-01"}
        assert client.ask("tools/list", _meta=wrong)["error"]["code"] == -32022


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", -32700),
        ("[]", -32600),
        ('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        ('{"jsonrpc":"2.0","id":9,"method":"ping","params":[]}', -32602),
        ('{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage"}', -32601),
        ("\\u0000" * 100, -32700),
        ("[" * 5000, -32700),
    ],
)
def test_a_line_that_is_no_request_gets_an_error_and_the_next_one_is_answered(
    tmp_path: Path, line: str, code: int
) -> None:
    with mcp(tmp_path) as client:
        client.line(line)
        assert client.answer()["error"]["code"] == code
        assert client.ask("ping")["result"] == {}


def test_lists_and_pings_are_answered_while_a_command_runs_and_a_cancelled_check_leaves_no_evidence(
    project: Path,
) -> None:
    pipe = project.parent / "pipe"
    os.mkfifo(pipe)
    (project / "total.py").write_text(f"open({str(pipe)!r}).read()\ndef add(a, b):\n    return 3\n", encoding="utf-8")
    with mcp(project) as client:
        for name in ("plan.md", "notes.md"):
            client.call("advance", stage=named(client.call("put", name=name, text="Numbers add up.\n").step))
        check = client.send("tools/call", name="check", arguments={})
        with pipe.open("w"):  # opens once the suite reads at the other end
            assert client.ask("ping")["result"] == {}
            assert client.ask("tools/list")["result"]["tools"]
            client.line(
                json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": check}})
            )
            assert "stage testing" in client.call("next").text
    assert not list(project.glob(".memory/stage/*/*/evidence/*.json"))


def test_without_a_project_the_tools_name_the_command_that_makes_one(tmp_path: Path) -> None:
    with mcp(tmp_path) as client:
        refused = client.call("next")
        assert refused.refused
        assert refused.step == "in a shell: vfcc init"


def test_resources_and_prompts_are_read(project: Path) -> None:
    with mcp(project) as client:
        client.call("put", name="plan.md", text="Numbers add up.\n")
        assert "stage planning" in text_of(client, "vfcc://sprint/current")
        assert text_of(client, "vfcc://artifact/add-it/planning/plan.md") == "Numbers add up.\n"
        name = client.call("remember", type="fact", text="Zero is a number.").text.partition(":")[0]
        assert "Zero is a number." in text_of(client, f"vfcc://item/{name}")
        assert client.ask("resources/read", uri="vfcc://artifact/add-it/planning/../../x")["error"]["code"] == -32002
        shown = client.ask("prompts/get", name="role", arguments={"name": "planner", "task": "Plan it"})["result"]
        assert "Plan it" in shown["messages"][0]["content"]["text"]
        assert client.ask("prompts/get", name="handoff", arguments={})["result"]["messages"]
        assert "error" in client.ask("prompts/get", name="role", arguments={"of": "x"})


def text_of(client: McpClient, uri: str) -> str:
    """Return the text of a resource."""
    found: str = client.ask("resources/read", uri=uri)["result"]["contents"][0]["text"]
    return found


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_speaks_with_it(project: Path, mode: str) -> None:
    mcp_sdk = pytest.importorskip("mcp", reason="the official SDK (package mcp) is not installed")
    anyio = pytest.importorskip("anyio")
    from tests.cli.process import environment

    server = mcp_sdk.StdioServerParameters(
        command=str(VFCC), args=["mcp"], env=environment(project.parent), cwd=str(project)
    )

    async def talk() -> None:
        async with mcp_sdk.Client(server, mode=mode) as client:
            assert [each.name for each in (await client.list_tools()).tools][:2] == ["next", "brief"]
            assert (await client.list_prompts()).prompts
            assert (await client.list_resources()).resources
            assert (await client.list_resource_templates()).resource_templates
            answered = await client.call_tool("next", {})
            assert not answered.is_error
            assert answered.structured_content is None
            refused = await client.call_tool("put", {"name": "../x", "text": "a"})
            assert refused.is_error
            assert (await client.read_resource("vfcc://sprint/current")).contents
            assert (await client.get_prompt("review", {})).messages

    anyio.run(talk)
