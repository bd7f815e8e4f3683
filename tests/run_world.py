"""A small repository with a sprint, an agent that is a script, and drivers of its runs as processes of their own."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from tests import forked
from tests.cli.documents import check_document
from tests.cli.process import Ran, by_person, environment, vfcc
from tests.trees import git, write_tree

AGENT = '''\
"""An agent of a test: it does what `script.json` says for its attempt, else for its role, one entry after the other;
the last one stays."""
import json, os, pathlib, sys, time

here = pathlib.Path.cwd()
state = pathlib.Path(sys.argv[1])
role = os.environ["VFCC_AGENT"]
prompt = sys.stdin.read()
calls = state / f"{role}.calls"
number = len(calls.read_text().splitlines()) if calls.exists() else 0
with calls.open("a") as file:
    file.write(json.dumps({"session": os.environ["VFCC_SESSION"], "prompt": prompt[-3000:]}) + "\\n")
script = json.loads((state / "script.json").read_text())
attempt = os.environ["VFCC_RUN"].rpartition("/")[2]
step = script.get(attempt) or script[role][min(number, len(script[role]) - 1)]
for path, text in step.get("files", {}).items():
    full = here / path
    if text is None:
        full.unlink()
        continue
    full.parent.mkdir(parents=True, exist_ok=True)
    full.write_text(text)
for command in step.get("shell", []):
    if os.system(command) != 0:
        sys.exit(9)
for line in step.get("lines", []):
    print(json.dumps(line), flush=True)
sys.exit(step.get("exit", 0))
'''
SHOP = "def total(prices):\n    return sum(prices)\n"
FIXED = "def total(prices, discount=0):\n    return sum(prices) - discount\n"
TESTS = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
NEW_TESTS = f"{TESTS}\n\ndef test_discount():\n    assert total([5, 5], 3) == 7\n"
CONFIG = {
    "format": 1,
    "gates": {
        "commands": {
            "test": {
                "run": [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml={junit}"]
            }
        }
    },
}
SPRINT = "discounts"
PATIENCE_S = 400
"""A run has many steps, and the machine may have other work."""


def artifact(stage: str, name: str) -> str:
    """Return the path of an artifact of the sprint."""
    return f".memory/stage/{SPRINT}/{stage}/artifacts/{name}"


def honest() -> dict[str, list[dict[str, object]]]:
    """Return a script with which every gate of `light` opens at the first attempt."""
    return {
        "planner": [{"files": {artifact("planning", "plan.md"): "# Plan\n\nTotals take a discount.\n"}}],
        "designer": [{"files": {artifact("design", "design.md"): "# Design\n\nA second argument.\n"}}],
        "coder": [{"files": {"shop.py": FIXED, artifact("coding", "changes.md"): "# Changes\n\nThe argument.\n"}}],
        "tester": [
            {"files": {"tests/test_shop.py": NEW_TESTS, artifact("testing", "results.md"): "# Results\n\nAll pass.\n"}}
        ],
        "stakeholder": [{"files": {artifact("validation", "acceptance.md"): "# Acceptance\n\nIt is as planned.\n"}}],
    }


class RunWorld:
    """A repository `shop` with an open sprint, and beside it the state of its agent."""

    def __init__(
        self,
        folder: Path,
        script: Mapping[str, object] | None = None,
        workflow: str = "",
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.root, self.state = folder / "shop", folder / "agent"
        self.state.mkdir()
        write_tree(folder, {"agent.py": AGENT})
        self.write_script(script or honest())
        tree = {"shop.py": SHOP, "tests/test_shop.py": TESTS, "conftest.py": "", ".gitignore": "__pycache__/\n"}
        write_tree(self.root, tree)
        git(self.root, "init", "--quiet", "--initial-branch", "main")
        assert vfcc(self.root, "init", "--yes").code == 0 or vfcc(self.root, "init").code == 0
        own = {"workflow": "own"} if workflow else {}
        write_tree(self.root, {".memory/config.yaml": json.dumps({**CONFIG, **own, **(settings or {})})})
        write_tree(self.root, {".memory/workflow.yaml": workflow} if workflow else {})
        self.commit("first")
        done = by_person(self.root, "sprint", "start", "Discounts", "--goal", "Totals take a discount")
        assert done.code == 0, done
        done = vfcc(self.root, "allow", "--yes", env={"CI": "true"})
        assert done.code == 0, done
        self.commit("sprint")

    @property
    def agent(self) -> str:
        """The command line of the agent."""
        return f"{sys.executable} {self.root.parent / 'agent.py'} {self.state}"

    def write_script(self, script: Mapping[str, object]) -> None:
        """Set what the agent does in each role."""
        (self.state / "script.json").write_text(json.dumps(script))

    def commit(self, message: str) -> None:
        """Commit everything in the checkout."""
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--message", message)

    def run(self, *words: str, env: Mapping[str, str] | None = None) -> Ran:
        """Run `vfcc run` with the agent."""
        full = {**environment(self.root.parent), **(env or {})}
        done = forked.run(("run", *words), self.root, full, PATIENCE_S)
        ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace"))
        check_document(("run", *words), ran.code, ran.out)
        return ran

    def drive(self, *words: str) -> Ran:
        """Open a run with the agent."""
        return self.run("--agent", self.agent, *words)

    def calls(self, role: str) -> list[dict[str, str]]:
        """Return what the agent was given in a role, call by call."""
        file = self.state / f"{role}.calls"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def events(self) -> list[dict[str, object]]:
        """Return the lines of `vfcc run events`."""
        done = self.run("events")
        assert done.code == 0, done
        return [json.loads(line) for line in done.out.splitlines()]

    @property
    def tree(self) -> Path:
        """The integration worktree of the first run."""
        return self.root.parent / "shop.vfcc" / f"{SPRINT}" / "integration"
