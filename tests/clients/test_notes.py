"""Real clients get what is known of a file after they read it, in the request before the edit."""

from pathlib import Path

import pytest

from tests.clients.conftest import Desk
from tests.clients.hooked import prepare
from tests.clients.model_server import serving
from tests.clients.running import run_claude, run_codex
from tests.clients.turns import MAIN, Call, Say, Turn, calls

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

ITEM = """\
---
id: capitals
type: constraint
title: Numbers stay in lower case letters
refs:
  - path: a.txt
---
Readers depend on it.
"""
LINE = "constraint capitals, trust human: Numbers stay in lower case letters"
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+TWO\n three\n*** End Patch\n"


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_notes_on_a_file_that_was_read_are_in_the_request_before_the_edit(
    client: str, desk: Desk, request: pytest.FixtureRequest
) -> None:
    program: Path = request.getfixturevalue(client)
    prepare(desk, client, files={".memory/project/items/constraint/capitals.md": ITEM})
    file = str(desk.folder / "a.txt")
    turns: dict[str, list[Say]] = {
        "claude": [
            calls("Read", file_path=file),
            calls("Edit", file_path=file, old_string="two", new_string="TWO"),
            calls("Bash", command="cat a.txt", description="look"),
            Turn("Done."),
        ],
        "codex": [
            calls("exec_command", cmd="cat a.txt"),
            Turn(calls=(Call("apply_patch", PATCH),)),
            calls("exec_command", cmd="head -2 a.txt"),
            Turn("Done."),
        ],
    }

    with serving({MAIN: turns[client]}) as server:
        run = run_claude if client == "claude" else run_codex
        ran = run(program, desk.folder, desk.home, server, "Write the second word larger.")

    assert (ran.code, server.left()) == (0, {}), ran
    asked = server.asked()
    note = f"Known of a.txt:\n- {LINE}"
    assert [each.holds(note) for each in asked[:2]] == [False, True]
    assert sum(text.count(note) for _, text in asked[-1].texts()) == 1


@pytest.mark.parametrize(("kind", "recalled"), [("constraint", 0), ("failure", 1)])
def test_a_prompt_to_claude_gets_an_item_that_fits_it_once_and_not_if_the_brief_has_it(
    claude: Path, desk: Desk, kind: str, recalled: int
) -> None:
    """A brief lists constraints; of failures it lists those that fit the goals or open tasks, and here are none."""
    item, line = (text.replace("constraint", kind) for text in (ITEM, LINE))
    prepare(desk, "claude", files={f".memory/project/items/{kind}/capitals.md": item})
    prompt = "May numbers be in upper case letters?"

    with serving({MAIN: [Turn("No."), Turn("Still no.")]}) as server:
        first = run_claude(claude, desk.folder, desk.home, server, prompt)
        session = first.of_type("result")[0]["session_id"]
        ran = run_claude(claude, desk.folder, desk.home, server, prompt, resume=session)

    assert (ran.code, server.left()) == (0, {}), ran
    last = server.asked()[-1]
    assert sum(text.count(f"The project's memory on this:\n- {line}") for _, text in last.texts()) == recalled
    assert sum(text.count(line) for _, text in last.texts()) == 1
