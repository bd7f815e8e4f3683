"""A planner in a real client writes the plan, which its gate asks for, and nothing of the product."""

import json
from pathlib import Path

import pytest

from tests.clients.conftest import Desk
from tests.clients.hooked import SPRINT, events, prepare
from tests.clients.model_server import serving
from tests.clients.running import run_claude, run_codex
from tests.clients.turns import MAIN, Call, Turn, calls

pytestmark = pytest.mark.sweep
"""Real clients take minutes."""

FOLDER = f".memory/stage/{SPRINT}/planning/artifacts"
PLAN = f"{FOLDER}/plan.md"
TEXT = "# Plan\n\nA form, as in `a.txt`.\n"
STORE = f"vfcc stage put plan <<'EOF'\n{TEXT}EOF"
ADVICE = f"write {PLAN} or run: vfcc stage put plan.md"


def added(path: str) -> str:
    lines = "".join(f"+{line}\n" for line in TEXT.splitlines())
    return f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n"


def puts(desk: Desk) -> list[str]:
    """Who stored artifacts, in order."""
    found = sorted((desk.folder / f".memory/sprint/{SPRINT}/events").glob("*.json"))
    return [one["actor"] for path in found if (one := json.loads(path.read_bytes()))["type"] == "artifact_put"]


def test_claude_writes_the_plan_and_stores_it_by_command_and_leaves_the_product_alone(claude: Path, desk: Desk) -> None:
    prepare(desk, "claude", sprint=True)
    product = calls("Write", file_path=str(desk.folder / "b.txt"), content=TEXT)
    plan = calls("Write", file_path=str(desk.folder / PLAN), content="# Plan\n\nA draft.\n")
    store = calls("Bash", command=STORE, description="store the plan")

    with serving({MAIN: [product, plan, store, Turn("Done.")]}) as server:
        ran = run_claude(claude, desk.folder, desk.home, server, "Plan it.")

    assert (ran.code, server.left()) == (0, {}), ran
    assert server.asked()[1].holds(ADVICE)
    assert not (desk.folder / "b.txt").exists()
    assert server.asked()[3].holds(f"stored: {PLAN} ({len(TEXT)} bytes, by agent:unknown)")
    assert (desk.folder / PLAN).read_text(encoding="utf-8") == TEXT
    assert puts(desk) == ["agent:unknown"]
    assert ["denied" in event for event in events(desk)].count(True) == 1


def test_codex_writes_the_plan_and_leaves_the_product_alone(codex: Path, desk: Desk) -> None:
    prepare(desk, "codex", sprint=True)
    product, plan = (Turn(calls=(Call("apply_patch", added(path)),)) for path in ("b.txt", PLAN))

    with serving({MAIN: [product, plan, Turn("Done.")]}) as server:
        ran = run_codex(codex, desk.folder, desk.home, server, "Plan it.")

    assert (ran.code, server.left()) == (0, {}), ran
    assert server.asked()[1].holds(ADVICE)
    assert not (desk.folder / "b.txt").exists()
    assert (desk.folder / PLAN).read_text(encoding="utf-8") == TEXT
