"""At a terminal a run is drawn while it works; what stays on the screen is what a pipe gets, too."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.process import on_terminal
from tests.run_world import RunWorld, honest
from tests.screen import screen_of

pytestmark = pytest.mark.vfcc("REQ-RUN")

TOOL = {"type": "tool", "tool": "shell", "text": "make check"}


def test_a_run_is_drawn_while_it_works_and_the_drawing_is_gone_at_its_end(tmp_path: Path) -> None:
    script = honest()
    script["planner"] = [{**script["planner"][0], "lines": [TOOL, TOOL], "exit": 0}]
    world = RunWorld(tmp_path, script)

    done = on_terminal(
        world.root,
        *("run", "--until", "planning", "--agent", world.agent),
        env={"VFCC_PROGRESS": "", "CI": ""},
    )

    assert done.code == 0, done
    drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", done.err)
    assert "discounts-1: working, 0 tokens" in drawn
    assert "▶ planning" in drawn
    assert "· validation" in drawn
    left = "\n".join(screen_of(done.err))
    assert "▶" not in left
    assert "planning: passed" in left


def test_a_pipe_gets_no_drawing(tmp_path: Path) -> None:
    world = RunWorld(tmp_path)

    done = world.drive("--until", "planning", "--json")

    assert "\x1b" not in done.err + done.out
    assert json.loads(done.out)["data"]["status"] == "done"
