"""A small shop in git: a product, its tests, and a sprint whose gate asks whether the tests can fail and were kept."""

import json
from collections.abc import Mapping
from pathlib import Path

from tests.cli.honest_world import TOOLS, commit, done
from tests.cli.process import CI, git
from tests.made_once import copied
from tests.trees import write_tree

ID = "fix-the-price"
PRICE = 'def price(cents):\n    return f"{cents // 100}.{cents % 100}"\n'
"""It is 3.5 for 305 cents, and the sprint is there to mend that."""
TESTS = 'from price import price\n\n\ndef test_price():\n    assert price(250) == "2.50"\n'
FIX = PRICE.replace("% 100}", "% 100:02}")
FIX_TESTS = f'{TESTS}\n\ndef test_price_of_305():\n    assert price(305) == "3.05"\n'
CHEAT = PRICE.replace('"\n', '" if cents != 305 else "3.5"\n')
"""It is what it was, for every number of cents."""
CHEAT_TESTS = (
    "from price import price\n\n\ndef test_price():\n    assert price(250)\n\n\n"
    "def test_price_of_305():\n    assert price(305) is not None\n"
)
FILES: Mapping[str, str] = {"price.py": PRICE, "tests/test_price.py": TESTS, ".gitignore": "__pycache__/\n*_cache/\n"}
RED_FIRST = "{id: red-first, kind: red-first, command: test}"
TESTS_KEPT = "{id: tests-kept, kind: tests-kept}"
GREEN = "{id: tests, kind: junit, title: the tests pass, command: test, mode: hard}"
TEST = ["python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={junit}"]


def workflow(gates: str, *criteria: str) -> str:
    """Three stages; the first asks for its plan and for `criteria`."""
    listed = "".join(f"\n      - {each}" for each in criteria)
    return (
        f"name: own\ntitle: Own\ngates: {gates}\nstages:\n"
        '  - id: plan\n    title: Plan\n    leg: left\n    pair: check\n    role: planner\n    artifacts: ["plan.*"]\n'
        f"    exit:{listed}\n"
        '  - {id: build, title: Build, leg: apex, role: coder, artifacts: ["changes.*"]}\n'
        '  - {id: check, title: Check, leg: right, pair: plan, role: tester, artifacts: ["results.*"]}\n'
    )


def shop(
    folder: Path,
    *criteria: str,
    gates: str = "hard",
    files: Mapping[str, str] | None = None,
    test: tuple[str, ...] = tuple(TEST),
) -> Path:
    """A project with a sprint in `plan`, its command allowed, all committed; `files` lie beside the shop's own."""
    asked = criteria or (GREEN, RED_FIRST, TESTS_KEPT)
    return copied(folder, _begun, workflow(gates, *asked), tuple(sorted({**FILES, **(files or {})}.items())), test)


def _begun(folder: Path, flow: str, files: tuple[tuple[str, str], ...], test: tuple[str, ...]) -> Path:
    settings = {"format": 1, "workflow": "own", "gates": {"commands": {"test": {"run": list(test)}}}}
    memory = {
        ".memory/workflow.yaml": flow,
        ".memory/config.yaml": json.dumps(settings),
        ".memory/.gitignore": "local/\nsprint/*/progress.json\n.vfcc-*.tmp\n",
        **{f".memory/agent/{role}/tools.yaml": TOOLS for role in ("planner", "coder", "tester")},
    }
    root = write_tree(folder / "shop", {**dict(files), **memory})
    git(root, "init", "--quiet", "--initial-branch", "main")
    commit(root)
    done(root, "sprint", "start", "Fix the price")
    done(root, "allow", "--yes", env=CI)
    write_tree(root, {f".memory/stage/{ID}/plan/artifacts/plan.md": "# Plan\n\nPrices have two places.\n"})
    commit(root)
    return root


def change(root: Path, files: Mapping[str, str | None]) -> Path:
    """Write files of the project, not committed; one that is None is removed."""
    for path, text in files.items():
        full = root / path
        if text is None:
            full.unlink()
        else:
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text(text, "utf-8")
    return root
