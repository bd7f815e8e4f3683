"""What `vfcc mcp` answers reaches the model of five real clients: each tool's refusal, and the end of a long text."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.mcp_world import mcp_project
from tests.clients.conftest import Desk
from tests.clients.doors import PREFIX, last_result, last_step, program_of, run
from tests.clients.model_server import serving
from tests.clients.turns import MAIN, Turn, calls
from verifflowcc.mcp.use.mcp_tools import TOOLS

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "next": ({"sprint": "marker-a"}, "marker-a"),
    "brief": ({"task": "x", "role": "marker-b"}, "marker-b"),
    "recall": ({"query": " ", "paths": ["../marker-c"]}, "marker-c"),
    "remember": ({"type": "marker-d", "text": "x"}, "marker-d"),
    "known": ({"paths": ["../marker-e"]}, "marker-e"),
    "code": ({"ask": "file", "of": "marker-f.py"}, "marker-f.py"),
    "put": ({"name": "../marker-g", "text": "x"}, "marker-g"),
    "check": ({"criterion": "marker-h"}, "marker-h"),
    "advance": ({"stage": "marker-i"}, "marker-i"),
}
"""For each tool a call that is refused, and a word of the reason."""


@pytest.fixture
def desk(tmp_path: Path, client: str) -> Desk:
    """A project with a sprint in planning and everything that the client reads."""
    return Desk(mcp_project(tmp_path, client), tmp_path, tmp_path / "log")


@pytest.mark.parametrize("client", PREFIX)
def test_each_tools_refusal_reaches_the_model(client: str, desk: Desk, request: pytest.FixtureRequest) -> None:
    assert set(REFUSED) == set(TOOLS)
    script = [calls(f"{PREFIX[client]}{tool}", **given) for tool, (given, _) in REFUSED.items()]

    with serving({MAIN: [*script, Turn("Done.")]}) as server:
        ran = run(client, program_of(client, request), desk, server)

    assert (ran.code, server.left()) == (0, {}), ran
    for (tool, (_, word)), asked in zip(REFUSED.items(), server.asked()[1:], strict=True):
        answered = last_result(asked)
        reason = answered.partition("refused: ")[2]
        assert word in reason, (tool, answered)
        assert last_step(asked), (tool, answered)


@pytest.mark.parametrize("client", PREFIX)
def test_the_last_line_of_a_long_answer_reaches_the_model(
    client: str, desk: Desk, request: pytest.FixtureRequest
) -> None:
    long = "".join(f"def function_{number}(a, b):\n    return {number}\n\n\n" for number in range(400))
    (desk.folder / "long.py").write_text(long, encoding="utf-8")
    asked: dict[str, Any] = {"ask": "file", "of": "long.py", "budget": 9_000}

    with serving({MAIN: [calls(f"{PREFIX[client]}code", **asked), Turn("Done.")]}) as server:
        ran = run(client, program_of(client, request), desk, server)

    assert ran.code == 0, ran
    result = last_result(server.asked()[1])
    assert "function_300" in result
    assert last_step(server.asked()[1]) == "next()"
