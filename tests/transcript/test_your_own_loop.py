"""The loop of `docs/how-to/your-own-loop.md`, killed after and during its commands, and run twice at once."""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.cli.prompt.test_killed import STOPPER
from tests.transcript.replay import environment, sessions
from tests.trees import git
from verifflowcc.base.model.events import EventType
from verifflowcc.base.use.workspace import open_workspace
from verifflowcc.cli.use.initialise import initialise
from verifflowcc.sprint.use.sprint_reading import load_sprint

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "your-own-loop.md"
STAGES = ["planning", "coding", "checking"]
WORKFLOW = """\
name: own
title: Three stages
gates: hard
stages:
  - {id: planning, title: Planning, leg: left, pair: checking, role: planner, artifacts: ["plan.*"]}
  - {id: coding, title: Coding, leg: apex, role: coder, artifacts: ["changes.*"]}
  - id: checking
    title: Checking
    leg: right
    pair: planning
    role: tester
    artifacts: ["results.*"]
    exit: [{id: check, kind: command, command: check}]
"""
CONFIG = """
workflow: own
gates:
  commands:
    check: {run: ["true"]}
"""
AGENT = ("sh", "-c", "cat > prompt.txt; rm prompt.txt; echo '# Notes'; echo; echo 'Done.'")
OVERTAKEN = """
cat > prompt.txt; rm prompt.txt
notes() { echo "# Notes"; echo; echo "Done."; }
case $VFCC_AGENT in
  planner) notes | vfcc stage put plan; vfcc stage advance; vfcc stage reopen planning --reason rejected ;;
  coder) notes | vfcc stage put changes; vfcc stage advance; notes | vfcc stage put results; vfcc evidence run ;;
esac >&2
notes
"""
"""While this agent works, planning is left and entered again, and coding is left and the gate after it is open."""
SHIM = """\
#!{python} -B
import os, random, signal, subprocess, sys
from pathlib import Path

calls = Path({folder!r}, "calls")
calls.write_text(str(int(calls.read_text()) - 1))
last = calls.read_text() == "0"
point = Path({folder!r}, "point").read_text()
program = [sys.executable, "-c", {stopper!r}, point, "SIGKILL"] if last and point else [{vfcc!r}]
code = subprocess.run([*program, *sys.argv[1:]]).returncode
if last:
    os.kill(os.getppid(), signal.SIGKILL)
sys.exit(code)
"""
"""Runs `vfcc`, and after so many `calls` kills the loop that started it; the last command dies at its `point`."""


def script() -> str:
    """Return the loop of the page."""
    page = PAGE.read_text(encoding="utf-8")
    (step,) = (step for each in sessions(page) for step in each.steps if step.command.startswith("cat > loop.py"))
    return "\n".join(step.command.splitlines()[1:-1]) + "\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a short workflow, whose one command is allowed, and the loop."""
    root = tmp_path / "project"
    root.mkdir()
    initialise(root)
    (root / ".memory/workflow.yaml").write_text(WORKFLOW, encoding="utf-8")
    config = root / ".memory/config.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("workflow: light\n", "") + CONFIG, encoding="utf-8")
    (root / "loop.py").write_text(script(), encoding="utf-8")
    git(root, "init", "--quiet", "--initial-branch", "main")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "first")
    allowed = subprocess.run(
        ["vfcc", "allow", "--yes"], cwd=root, env={**environment(root), "CI": "1"}, capture_output=True, check=False
    )
    assert allowed.returncode == 0, allowed
    return root


def start(project: Path, env: Mapping[str, str], agent: Sequence[str] = AGENT) -> "subprocess.Popen[bytes]":
    """Start the loop."""
    words = [sys.executable, "loop.py", "price", "Show prices", *agent]
    return subprocess.Popen(
        words, cwd=project, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def left(project: Path) -> list[object]:
    """Return the stages that were passed, in the order of the ledger; its state is sound."""
    if not (project / ".memory/sprint/price/events").is_dir():
        return []
    seen, state = load_sprint(open_workspace(project), "price")
    assert (state.problems, state.fork) == ((), None)
    return [each.payload["stage"] for each in sorted(seen.events, key=lambda each: each.time) if each.type == PASSED]


PASSED = EventType.STAGE_PASSED


def test_the_loop_has_at_most_40_lines() -> None:
    assert len(script().splitlines()) <= 40


@pytest.mark.sweep
@pytest.mark.parametrize("seed", [None, 1], ids=lambda seed: "after" if seed is None else f"during {seed}")
def test_a_loop_that_is_killed_at_every_step_and_restarted_leaves_each_stage_once(
    project: Path, seed: int | None
) -> None:
    folder = project.parent / "shim"
    folder.mkdir()
    vfcc = str(Path(sys.executable).with_name("vfcc"))
    shim = folder / "vfcc"
    shim.write_text(SHIM.format(python=sys.executable, folder=str(folder), stopper=STOPPER, vfcc=vfcc))
    shim.chmod(0o755)
    env = environment(project)
    env["PATH"] = f"{folder}{os.pathsep}{env['PATH']}"
    codes: list[int] = []
    draw, seen, step = random.Random(seed), 0, 0
    while 0 not in codes:
        step += 1
        (folder / "calls").write_text(str(step))
        (folder / "point").write_text("" if seed is None else str(draw.randrange(1, 40)))
        loop = start(project, env)
        output = loop.communicate(timeout=300)[0].decode()
        codes.append(loop.returncode)
        assert loop.returncode in (0, -signal.SIGKILL), output
        passed = left(project)
        assert passed == STAGES[: len(passed)]
        assert seen <= len(passed)
        step, seen = (step if seen == len(passed) else 0), len(passed)
    assert len(codes) > 4 * len(STAGES), "in every stage it was killed at its start, reading, prompt and artifact"
    assert left(project) == STAGES
    assert load_sprint(open_workspace(project), "price")[1].status == "closed"


@pytest.mark.sweep
def test_a_loop_that_was_overtaken_leaves_no_stay_that_it_did_not_work_in(project: Path) -> None:
    output = start(project, environment(project), ("sh", "-c", OVERTAKEN)).communicate(timeout=300)[0].decode()

    moves = [each for each in load_sprint(open_workspace(project), "price")[0].events if each.type == PASSED]
    assert [(each.payload["stage"], each.actor) for each in moves] == [
        ("planning", "agent:planner"),
        ("planning", "agent:planner"),
        ("coding", "agent:coder"),
        ("checking", "agent:tester"),
    ], output
    assert "unchanged: price left planning already" in output
    assert "unchanged: price left coding already" in output


@pytest.mark.sweep
def test_two_loops_at_once_leave_each_stage_once(project: Path) -> None:
    loops = [start(project, environment(project)) for _ in range(2)]

    outputs = [each.communicate(timeout=300)[0].decode() for each in loops]

    assert left(project) == STAGES
    assert 0 in [each.returncode for each in loops], outputs
    again = start(project, environment(project))
    assert (again.communicate(timeout=300)[0], again.returncode) == (b"", 0)
    assert left(project) == STAGES
