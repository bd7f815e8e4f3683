"""`vfcc run` with real clients and a scripted model: a whole sprint, with all that goes wrong in one."""

import json
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.run.test_run_reviewed import FINDING, NAMED, WORKFLOW
from tests.clients.run_stage import CLAUDE, claude_files, claude_shell, codex_shell, on_stage
from tests.clients.turns import Request, Say, Turn, calls
from tests.run_world import FIXED, NEW_TESTS, SPRINT, RunWorld, artifact
from tests.trees import git
from verifflowcc.run.store.run_tree import place_of

pytestmark = [pytest.mark.sweep, pytest.mark.vfcc("REQ-RUN")]

RUN = f"{SPRINT}-1"
BRANCH = f"vfcc/{RUN}/integration"
LINES = Path(__file__).parent / "run_lines.ndjson"
DRAWN = ("time", "event", "stay", "base", "commit", "session", "prompt", "answers", "head", "digest", "parents")
"""Keys whose values no two runs share; where two lines of one run have the same value, so have their names here."""
ENDED = "Done."
BY_HAND = "def total(prices, less=0):\n    return sum(prices) - less\n"
WEAK = NEW_TESTS.replace("assert total([5, 5], 3) == 7", "assert True")


def after(act: Callable[[], object], turn: Turn) -> Callable[[Request], Turn]:
    """Return a turn before which something happens outside of the agent."""

    def say(_request: Request) -> Turn:
        act()
        return turn

    return say


def kill_the_driver(world: RunWorld, run: str) -> None:
    """Kill the process that drives a run."""
    os.kill(int((place_of(world.root, run).folder / "lock").read_text().split()[0]), signal.SIGKILL)


def structured(answer: str) -> Turn:
    """Return a turn of Claude Code that answers in the form that it was given."""
    return calls("StructuredOutput", **json.loads(answer))


def named(world: RunWorld) -> str:
    """Return the events of a world's run as lines, with names in the place of what is drawn or measured."""
    names: dict[str, str] = {}

    def name(value: object) -> object:
        if isinstance(value, str) and value:
            return names.setdefault(value, f"<{len(names) + 1}>")
        return value

    def without_ids(text: str) -> str:
        text = text.replace(json.dumps(str(world.root.parent))[1:-1], "…")
        return re.sub(r"evidence [0-9A-Z]{26}|[0-9a-f]{40}|127\.0\.0\.1:\d+", "…", text)

    found = []
    for line in world.events():
        given = {key: name(value) if key in DRAWN else value for key, value in line.items()}
        if "seconds" in given:
            given["seconds"] = 0
        found.append(json.dumps(json.loads(without_ids(json.dumps(given))), sort_keys=True) + "\n")
    return "".join(found)


def test_two_clients_take_a_light_sprint_from_its_plan_to_its_close(claude: Path, codex: Path, tmp_path: Path) -> None:
    world = RunWorld(tmp_path)

    def edit_by_hand() -> None:
        top = place_of(world.root, RUN).tree()
        (top / "shop.py").write_text(BY_HAND)
        git(top, "commit", "--quiet", "--all", "--message", "shop: less")

    coded = {"shop.py": FIXED, artifact("coding", "changes.md"): "# Changes\n\nA discount.\n"}
    results = {artifact("testing", "results.md"): "# Results\n\nAll pass.\n"}
    design = codex_shell({artifact("design", "design.md"): "# Design\n\nA second argument.\n"})
    script: dict[str, list[Say]] = {
        "planning": [
            claude_files({artifact("planning", "notes.txt"): "not the plan\n"}),
            Turn(ENDED),
            claude_files({artifact("planning", "plan.md"): "# Plan\n\nTotals take a discount.\n"}),
            Turn(ENDED),
        ],
        "design": [after(lambda: kill_the_driver(world, RUN), design), design, Turn(ENDED)],
        "coding": [after(edit_by_hand, claude_shell(coded)), Turn(ENDED), claude_shell(coded), Turn(ENDED)],
        "testing": [
            Turn(status=529),
            codex_shell({"tests/test_shop.py": WEAK, **results}),
            Turn(ENDED),
            codex_shell({"tests/test_shop.py": NEW_TESTS}),
            Turn(ENDED),
        ],
        "validation": [
            claude_files({artifact("validation", "acceptance.md"): "# Acceptance\n\nAs planned.\n"}),
            Turn(ENDED),
        ],
    }

    with on_stage(claude, codex, tmp_path, world.root, script) as stage:
        roles = ("--role", "designer=codex", "--role", "tester=codex")
        killed = world.run("--agent", CLAUDE, *roles, "--json", env=stage.env)
        done = world.run("resume", "--json", env=stage.env)

    assert killed.code == -signal.SIGKILL, killed
    assert done.code == 0, done
    assert done.data["status"] == "done"
    assert named(world) == LINES.read_text()


@pytest.mark.parametrize("reviewer", [CLAUDE, "codex"])
def test_a_review_by_a_real_client_only_reads(claude: Path, codex: Path, tmp_path: Path, reviewer: str) -> None:
    world = RunWorld(tmp_path, workflow=WORKFLOW)
    coded = {"shop.py": FIXED, artifact("coding", "changes.md"): "# Changes\n\nA discount.\n"}
    shell, answered = (codex_shell, Turn) if reviewer == "codex" else (claude_shell, structured)
    script: dict[str, list[Say]] = {
        "coding": [
            *(claude_shell(coded), Turn(ENDED)),
            shell("echo stolen > shop.py"),
            answered(json.dumps({"verdict": "fail", "blockers": [FINDING]})),
            *(claude_shell({"shop.py": NAMED}), Turn(ENDED)),
            answered(json.dumps({"verdict": "pass", "blockers": []})),
        ]
    }

    with on_stage(claude, codex, tmp_path, world.root, script) as stage:
        done = world.run("--agent", CLAUDE, "--review", f"code-review={reviewer}", "--json", "--full", env=stage.env)

    assert done.code == 0, done
    assert [(each["id"], each["outcome"], each["findings"]) for each in done.data["attempts"]] == [
        ("coder-1", "done", []),
        ("reviewer-1", "done", ["shop.py:1: a discount has no name"]),
        ("coder-2", "done", []),
        ("reviewer-2", "done", []),
    ]
    assert stage.server.left() == {}
