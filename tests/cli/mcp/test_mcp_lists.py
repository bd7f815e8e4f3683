"""The lists of `vfcc mcp`: what the functions say, what the SDK would derive from them, and what they cost."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest

from tests.cli.mcp_client import mcp
from tests.mcp_lists import FILE
from verifflowcc.base.model.command_classes import MOVE, QUERY, WORK
from verifflowcc.base.model.config_values import TokenSettings
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.mcp.use.mcp_resources import INSTRUCTIONS, PROMPTS, lists, lists_text
from verifflowcc.mcp.use.mcp_tools import READING, TOOLS, WRITING


def tokens(text: str) -> int:
    return open_counter(TokenSettings(), {}).count(text)


def test_the_file_has_what_the_functions_say() -> None:
    assert FILE.read_text(encoding="utf-8") == lists_text(), "python -m tests.mcp_lists writes it again"


def test_every_tool_reads_or_writes_and_none_is_a_persons() -> None:
    assert {*READING, *WRITING} == set(TOOLS)
    assert not {"approve", "waive", "promote", "skip", "allow", "start"} & set(TOOLS)
    assert {QUERY, WORK, MOVE}  # the classes of what the tools do


def test_schemas_and_instructions_are_within_their_budgets() -> None:
    told = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in lists()["tools"]]

    assert sum(tokens(json.dumps(each, separators=(",", ":"), ensure_ascii=False)) for each in told) <= 950
    assert tokens(INSTRUCTIONS) <= 60
    assert len(INSTRUCTIONS) <= 250


def test_schemas_have_no_titles_definitions_or_outputs() -> None:
    text = FILE.read_text(encoding="utf-8")

    assert not [word for word in ('"title"', "$defs", "anyOf", "outputSchema") if word in text]


def test_the_sdk_derives_the_same_lists_from_the_same_functions() -> None:
    pytest.importorskip("mcp", reason="the official SDK (package mcp) is not installed")
    anyio = pytest.importorskip("anyio")
    import mcp as sdk
    from mcp.server import MCPServer

    server = MCPServer("vfcc", instructions=INSTRUCTIONS)
    for function in TOOLS.values():
        server.add_tool(as_the_sdk_wants(function), structured_output=False)
    for prompt in PROMPTS.values():
        server.prompt()(as_the_sdk_wants(prompt))

    async def derived() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        async with sdk.Client(server) as client:
            tools = [each.model_dump(by_alias=True, exclude_none=True) for each in (await client.list_tools()).tools]
            prompts = (await client.list_prompts()).prompts
            return tools, [each.model_dump(by_alias=True, exclude_none=True) for each in prompts]

    tools, prompts = anyio.run(derived)
    assert [plain(each) for each in tools] == [plain(each) for each in lists()["tools"]]
    assert [plain(each) for each in prompts] == [plain(each) for each in lists()["prompts"]]


def as_the_sdk_wants(function: Any) -> Any:
    """Return a function of the same name, words and parameters without the context, in pydantic's words."""
    import inspect

    from pydantic import Field

    hints = get_type_hints(function, include_extras=True)

    def stub(**given: Any) -> str:
        return ""

    parameters = []
    for each in list(inspect.signature(function).parameters.values())[1:]:
        hint = hints[each.name]
        if get_origin(hint) is Annotated:
            kind, words = get_args(hint)[:2]
            hint = Annotated[kind, Field(description=words)]
        parameters.append(each.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY))
    stub.__name__ = function.__name__
    stub.__doc__ = (inspect.getdoc(function) or "").partition("\n")[0]
    stub.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    stub.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": str}
    return stub


def plain(value: Any) -> Any:
    """Return a list without what tells a model nothing: titles, defaults, annotations, arguments that are none."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    dropped = ("default", "annotations", "_meta", "additionalProperties")
    kept = {
        key: plain(each)
        for key, each in value.items()
        if key not in dropped and not (key == "title" and isinstance(each, str))
    }
    return kept if kept.get("arguments") != [] else {key: each for key, each in kept.items() if key != "arguments"}


def test_the_handshake_and_the_lists_import_nothing_slow(tmp_path: Path) -> None:
    script = """\
import json, sys
from verifflowcc.mcp.use.mcp_front import Front
front = Front(2)
for method in ("initialize", "tools/list", "prompts/list", "resources/list", "ping", "server/discover"):
    front.take(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode())
print("\\n".join(sorted(sys.modules)))
"""
    script = script.replace("import json, sys", "import sys").replace(
        'json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode()',
        """f'{{"jsonrpc":"2.0","id":1,"method":"{method}"}}'.encode()""",
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {str(FILE.parents[3])!r})\n{script}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    loaded = set(done.stdout.split())

    assert done.stderr.count('"result"') == 6
    assert not loaded & {"json", "re", "enum", "typing", "dataclasses", "pathlib", "subprocess", "threading", "inspect"}
    assert {name for name in loaded if name.startswith("verifflowcc")} <= {
        "verifflowcc",
        "verifflowcc.base",
        "verifflowcc.base.text",
        "verifflowcc.mcp",
        "verifflowcc.mcp.use",
        "verifflowcc.mcp.use.mcp_front",
        "verifflowcc.mcp.use.rpc_errors",
        "verifflowcc.base.text.quick_json",
    }


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc here")
def test_until_the_first_call_it_takes_less_than_20_mb(tmp_path: Path) -> None:
    with mcp(tmp_path) as client:
        client.ask("tools/list")
        status = Path(f"/proc/{client.process.pid}/status").read_text(encoding="utf-8")
    peak_kb = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))

    assert peak_kb < 20 * 1024
