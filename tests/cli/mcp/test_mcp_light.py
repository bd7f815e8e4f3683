"""The shipped workflow `light` over MCP: who does what each last line names gets from planning to the close."""

import subprocess
from pathlib import Path

from tests.cli.mcp_client import mcp
from tests.cli.process import vfcc
from tests.light_world import GOAL, TITLE, WORK, light_project, step_call

ENOUGH = 40


def test_the_last_lines_alone_lead_through_a_light_sprint(tmp_path: Path) -> None:
    root = light_project(tmp_path)
    assert vfcc(root, "sprint", "start", TITLE, "--goal", GOAL).code == 0
    made = []

    with mcp(root) as client:
        answered = client.call("next")
        for _ in range(ENOUGH):
            step = answered.step
            if step.startswith("make the change, then: "):
                subprocess.run(["sh", "-c", WORK], cwd=root, check=True)
                step = "next()"
            call = step_call(step)
            if call is None:
                break
            tool, given = call
            answered = client.call(tool, **given)
            assert not answered.refused, answered.text
            made.append(tool)

    assert answered.step == 'in a shell: vfcc sprint start "Title"'
    assert vfcc(root, "sprint", "list", "--json").data[0]["status"] == "closed"
    assert (made.count("put"), made.count("check"), made.count("advance")) == (5, 3, 6)
