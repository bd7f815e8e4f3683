"""Real clients with all that `vfcc integrate` writes: the first request, a sprint over MCP alone, refusals."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.mcp_world import mcp_project
from tests.cli.process import vfcc
from tests.clients.conftest import Desk
from tests.clients.hooked import events, kinds
from tests.clients.model_server import ModelServer, serving
from tests.clients.running import CLAUDE_TOOLS, ClientRan, run_claude, run_codex
from tests.clients.turns import MAIN, Request, Say, Turn, calls
from verifflowcc.history.rules.client_doors import AGENTS_TEXT
from verifflowcc.mcp.use.mcp_resources import INSTRUCTIONS, lists

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

STEP = re.compile(r'next: advance\(stage="([^"]+)"\)')
PREFIX = {"claude": "mcp__vfcc__", "codex": "mcp__vfcc."}
SKILLS = ("vfcc-start", "vfcc-stage", "vfcc-handoff", "vfcc-review", "vfcc-trace")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project with a sprint in planning and everything that clients read, in the home in which it was made."""
    root = mcp_project(tmp_path, "claude", "codex")
    return Desk(root, tmp_path, tmp_path / "log")


def run(client: str, program: Path, desk: Desk, server: ModelServer, prompt: str = "Do it.") -> ClientRan:
    """Let a client work, with its permission questions off."""
    if client == "claude":
        return run_claude(program, desk.folder, desk.home, server, prompt, extra=["--tools", f"{CLAUDE_TOOLS},Skill"])
    return run_codex(program, desk.folder, desk.home, server, prompt)


def program_of(client: str, request: pytest.FixtureRequest) -> Path:
    """Return a client's program; the test is skipped where it is not installed."""
    found: Path = request.getfixturevalue(client)
    return found


def whole(request: Request) -> str:
    """Return all that reached the model."""
    return json.dumps(request.body, ensure_ascii=False)


@pytest.mark.parametrize("client", PREFIX)
def test_names_instructions_skills_and_the_block_are_in_the_first_request(
    client: str, desk: Desk, request: pytest.FixtureRequest
) -> None:
    with serving({MAIN: [Turn("Done.")]}) as server:
        ran = run(client, program_of(client, request), desk, server)

    assert ran.code == 0, ran
    text = whole(server.asked()[0])
    assert plain(INSTRUCTIONS) in plain(text)
    assert plain(AGENTS_TEXT) in plain(text)
    assert not [name for name in SKILLS if name not in text]
    if client == "claude":
        assert not [tool["name"] for tool in lists()["tools"] if f"mcp__vfcc__{tool['name']}" not in text]
        assert "vfcc-coder" in text
    else:
        assert "mcp__vfcc" in text
    assert text.count(plain_json(AGENTS_TEXT)) == 1, "the block is read once"


def plain(text: str) -> str:
    return text.replace("\\", "").replace('"', "")


def plain_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


@pytest.mark.parametrize(("client", "typed"), [("claude", "/vfcc-stage"), ("codex", "$vfcc-stage")])
def test_one_word_begins_the_work_in_a_stage(
    client: str, typed: str, desk: Desk, request: pytest.FixtureRequest
) -> None:
    with serving({MAIN: [Turn("Done.")]}) as server:
        ran = run(client, program_of(client, request), desk, server, typed)

    assert ran.code == 0, ran
    assert "Ask for the next step." in whole(server.asked()[0])


@pytest.mark.parametrize("client", PREFIX)
def test_a_sprint_is_led_over_mcp_alone(client: str, desk: Desk, request: pytest.FixtureRequest) -> None:
    tool = PREFIX[client]
    script: list[Say] = [
        calls(f"{tool}next"),
        calls(f"{tool}advance", stage="planning"),  # it owes a plan
        calls(f"{tool}put", name="plan.md", text="Numbers add up.\n"),
        lambda asked: calls(f"{tool}advance", stage=named(asked)),
        calls(f"{tool}put", name="notes.md", text="See total.py.\n"),
        lambda asked: calls(f"{tool}advance", stage=named(asked)),
        lambda asked: mended(desk, tool),
        calls(f"{tool}check"),
        lambda asked: calls(f"{tool}advance", stage=named(asked)),
        lambda asked: calls(f"{tool}advance", stage=named(asked)),
        Turn("Done."),
    ]

    with serving({MAIN: script}) as server:
        ran = run(client, program_of(client, request), desk, server)

    assert (ran.code, server.left()) == (0, {}), ran
    refused = last_result(server.asked()[2])
    assert "refused: add-it cannot leave planning" in refused
    assert "next: put(name=" in refused.replace("\\", "")
    assert "closed" in last_result(server.asked()[-1])
    lines = vfcc(desk.folder, "sprint", "list", "--json").data
    assert lines[0]["status"] == "closed"


def mended(desk: Desk, tool: str) -> Turn:
    """Mend the code, as the coder would, and note it."""
    (desk.folder / "total.py").write_text("def add(a, b):\n    return a + b\n", encoding="utf-8")
    return calls(f"{tool}put", name="notes.md", text="The sum is right now.\n")


def last_result(request: Request) -> str:
    """Return the last answer of vfcc that reached the model; a client may add words of its own behind it."""
    return [text for role, text in request.texts() if role == "tool" and "next: " in text][-1]


def named(request: Request) -> str:
    """Return the stage that the last result names for the next step."""
    found = STEP.search(last_result(request).replace('\\"', '"'))
    assert found, last_result(request)
    return found[1]


PLUGIN = Path(__file__).parents[2] / "plugin"
BRIEF = "SessionStart hook additional context"


def _env(home: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        **more,
    }


def test_claude_finds_the_plugin_and_its_marketplace_valid(claude: Path, tmp_path: Path) -> None:
    for folder in (PLUGIN, PLUGIN.parent):
        done = subprocess.run(
            [str(claude), "plugin", "validate", "--strict", str(folder)],
            env=_env(tmp_path),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_with_plugin_and_project_hooks_claude_records_each_event_once(claude: Path, desk: Desk) -> None:
    asked = calls("Read", file_path=str(desk.folder / "total.py"))

    with serving({MAIN: [asked, Turn("Done.")]}) as server:
        extra = ["--plugin-dir", str(PLUGIN)]
        ran = run_claude(claude, desk.folder, desk.home, server, "Do it.", extra=extra)

    assert (ran.code, server.left()) == (0, {}), ran
    found = [kind for kind in kinds(events(desk)) if kind != "place"]
    assert len(found) == len(set(found)), found
    assert {"session_start:startup", "prompt", "tool_start:Read", "tool_execution:Read", "turn_end"} <= set(found)
    assert whole(server.asked()[0]).count(BRIEF) == 1


def test_codex_installs_the_same_folder_and_is_recorded_as_codex(codex: Path, desk: Desk) -> None:
    person = _env(desk.home, CODEX_HOME=str(desk.home / ".codex"))
    for words in (("marketplace", "add", str(PLUGIN.parent)), ("add", "vfcc@vfcc")):
        (desk.home / ".codex").mkdir(exist_ok=True)
        done = subprocess.run(
            [str(codex), "plugin", *words], env=person, capture_output=True, text=True, check=False, cwd=desk.folder
        )
        assert done.returncode == 0, done.stdout + done.stderr
