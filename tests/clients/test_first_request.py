"""What the first request of five real clients holds of vfcc: names, instructions, nothing twice, how many tokens."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.clients.test_integrate_doors import block_of
from tests.cli.mcp_world import mcp_project
from tests.clients.conftest import Desk
from tests.clients.doors import PREFIX, busy_loops, plain, program_of, run, whole
from tests.clients.hooked import take_out
from tests.clients.model_server import serving
from tests.clients.turns import MAIN, Request, Turn
from verifflowcc.base.model.config_values import TokenSettings
from verifflowcc.base.tokens.token_counter import open_counter
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.history.rules.client_doors import AGENTS_TEXT
from verifflowcc.history.use.client_setup import door_texts
from verifflowcc.mcp.use.mcp_resources import INSTRUCTIONS, lists

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

SKILLS = ("vfcc-start", "vfcc-stage", "vfcc-handoff", "vfcc-review", "vfcc-trace")
NO_INSTRUCTIONS = ("copilot",)
"""Copilot CLI hands no server's instructions to the model: the block in AGENTS.md names `next` there."""
MOST_TOKENS = {"claude": 500, "codex": 300, "copilot": 1_200, "opencode": 1_200, "gemini": 1_200}
MOST_IN_ALL = {"claude": 1_400, "codex": 900, "copilot": 1_200, "opencode": 1_500, "gemini": 2_000}
"""With what each client puts around our texts, which only it can change."""


def first_request(client: str, desk: Desk, request: pytest.FixtureRequest) -> Request:
    """Let a client ask the model once, and return what it sent."""
    with serving({MAIN: [Turn("Done.")]}) as server:
        ran = run(client, program_of(client, request), desk, server)
    assert ran.code == 0, ran
    return server.asked()[0]


def set_up(folder: Path, client: str) -> Desk:
    """Return a project with a sprint in planning and everything that the client reads."""
    return Desk(mcp_project(folder, client), folder, folder / "log")


@pytest.mark.parametrize("loops", [0, 6])
@pytest.mark.parametrize("client", PREFIX)
def test_names_instructions_skills_and_the_block_are_in_the_first_request(
    client: str, loops: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    desk = set_up(tmp_path, client)

    with busy_loops(loops):
        asked = first_request(client, desk, request)

    text = whole(asked)
    if client not in NO_INSTRUCTIONS:
        assert plain(INSTRUCTIONS) in plain(text)
    assert plain(text).count(plain(AGENTS_TEXT)) == 1, "the block is read once"
    assert not [name for name in SKILLS if name not in text]
    if client == "codex":
        assert "mcp__vfcc" in text
    else:
        assert not [tool["name"] for tool in lists()["tools"] if f"{PREFIX[client]}{tool['name']}" not in text]


@pytest.mark.parametrize("client", PREFIX)
def test_what_always_takes_part_is_within_its_budget(
    client: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Of the same project, once without and once with all files for the client but the hooks that give the brief.

    Counted are the lines that the files add and that hold a text of ours, and the schemas as the server gives them.
    What else is added is the client's own: frames around our texts, fields in schemas, its tools for resources.
    """
    for part in ("without", "with"):
        (tmp_path / part).mkdir()
    plainly = Desk(mcp_project(tmp_path / "without"), tmp_path / "without", tmp_path / "log")
    desk = set_up(tmp_path / "with", client)
    take_out(desk, client)
    before, after = (first_request(client, each, request) for each in (plainly, desk))

    added = Counter(lines_of(after)) - Counter(lines_of(before))
    texts = [line for line in added.elements() if any(each in plain(line) for each in our_texts(desk))]
    tools = [each for each in lists()["tools"] if f"{PREFIX[client]}{each['name']}" in after.tools()]
    schemas = [compact({key: each[key] for key in ("name", "description", "inputSchema")}) for each in tools]
    ours = tokens([*texts, *schemas])
    everything = tokens([*lines_of(after), *map(compact, after.tools().values())])
    everything -= tokens([*lines_of(before), *map(compact, before.tools().values())])

    print(f"{client}: {ours} tokens are vfcc's; with what the client adds, a first request has {everything} more")
    assert 100 < ours <= MOST_TOKENS[client]
    assert everything <= MOST_IN_ALL[client]


def our_texts(desk: Desk) -> list[str]:
    """Return what of ours a client puts into a request: names of skills and roles, the block, the instructions."""
    roles = [each.name for each in door_texts(Workspace(desk.folder)).roles]
    names = [f"mcp__vfcc__{each['name']}" for each in lists()["tools"]]
    return [*SKILLS, *roles, *names, "vfcc:begin", plain(AGENTS_TEXT), plain(INSTRUCTIONS)]


def lines_of(request: Request) -> list[str]:
    """Return the lines of all texts and of the descriptions of tools that are not ours."""
    described = [str(each.get("description", "")) for name, each in request.tools().items() if "vfcc" not in name]
    return [line for text in (*(text for _, text in request.texts()), *described) for line in text.splitlines()]


def compact(tool: Mapping[str, Any]) -> str:
    return json.dumps(tool, separators=(",", ":"), ensure_ascii=False)


def tokens(texts: Iterable[str]) -> int:
    counter = open_counter(TokenSettings(), {})
    return sum(counter.count(text) for text in texts)


@pytest.mark.parametrize("client", PREFIX)
def test_no_sentence_is_in_two_channels_of_the_first_request(
    client: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    desk = set_up(tmp_path, client)

    asked = first_request(client, desk, request)

    channels = [plain(text) for _, text in asked.texts()]
    channels += [plain(json.dumps(each, ensure_ascii=False)) for each in asked.tools().values()]
    brief = "".join(map(brief_in, channels))
    found = {
        each: sum(text.count(each) for text in channels) - max(0, brief.count(each) - 1)
        for each in sentences(desk, brief)
    }
    assert {each: count for each, count in found.items() if count > 1} == {}
    assert sum(found.values()) >= 8


def brief_in(text: str) -> str:
    """Return the brief of a hook; it may say twice which command is next."""
    return text.partition("vfcc: memory")[2].partition("vfcc: end")[0]


def sentences(desk: Desk, brief: str) -> set[str]:
    """Return our sentences of four words and more: of what clients list, and of the brief."""
    texts = door_texts(Workspace(desk.folder))
    described = [each.partition("description: ")[2].partition("\n")[0] for each in texts.skills.values()]
    written = [block_of(texts), INSTRUCTIONS, *described, *(tool["description"] for tool in lists()["tools"]), brief]
    found = {each.strip(" .-") for text in written for each in re.split(r"(?<=[.:;])\s|\n", plain(text))}
    return {each for each in found if len(each.split()) > 3}
