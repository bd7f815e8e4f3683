"""The gate that holds a run holds a client's Stop hook and a check in CI, too, and lets both go once it is open."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.clients.test_hook import hook_with
from tests.cli.clients.test_hook_imports import PATIENT
from tests.cli.hooked import said
from tests.cli.process import Ran, vfcc
from tests.run_world import RunWorld, artifact
from tests.trees import git, write_tree

pytestmark = pytest.mark.vfcc("REQ-RUN")

CI = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "ci.md"
HARD = """\
name: own
title: A plan
gates: hard
stages:
  - {id: planning, title: Planning, leg: apex, role: planner, artifacts: ["plan.*"]}
"""
STOPS = said("Stop", stop_hook_active=False)


def gate_job(clone: Path) -> Ran:
    """Run the last command of the page's job `gate` in a clone, with nothing of `.memory/local/` in it."""
    *_, command = re.findall(r"- run: vfcc (.+)", CI.read_text(encoding="utf-8").partition("```\n")[0])
    git(clone, "pull", "--quiet")
    return vfcc(clone, *command.split(), env={"CI": "true"})


def test_a_closed_gate_holds_the_stop_hook_and_the_required_check_until_its_artifact_is_there(tmp_path: Path) -> None:
    world = RunWorld(tmp_path, workflow=HARD, settings={"hooks": {"hold": True}})
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(world.root), str(clone))

    held, closed = hook_with(world.root, PATIENT, STOPS), gate_job(clone)
    write_tree(world.root, {artifact("planning", "plan.md"): "# Plan\n\nTotals take a discount.\n"})
    world.commit("the plan")
    free, opened = hook_with(world.root, PATIENT, STOPS), gate_job(clone)

    answer = json.loads(held.out)
    assert answer["decision"] == "block"
    assert "The gate of planning (sprint discounts) is closed" in answer["reason"]
    assert closed.code == 4, closed
    for text in (answer["reason"], closed.out + closed.err):
        assert "plan.*" in text
    assert "block" not in free.out
    assert opened.code == 0, opened
