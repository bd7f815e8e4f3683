"""The recipes of docs/how-to/prove.md: the hook before a push, and the steps of the GitHub workflow."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.cli.at_terminal import typed
from tests.cli.process import CI, environment, git
from tests.proven_repository import PRICE, TESTS, commit, repository

PAGE = Path(__file__).parents[3] / "docs/how-to/prove.md"
FIX = PRICE.replace("str(cents / 100)", 'f"{cents / 100:.2f}"')
STRONG = TESTS.replace('"2.5"', '"2.50"')
WEAK = TESTS.replace(' == "2.5"', "")
SETTINGS = {"pytest.ini": "[pytest]\n"}


def recipe(language: str) -> str:
    [found] = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository with a remote that has its first commit."""
    root = repository(tmp_path, SETTINGS)
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "origin.git")
    git(root, "remote", "add", "origin", str(tmp_path / "origin.git"))
    git(root, "push", "-q", "-u", "origin", "main")
    git(root, "remote", "set-head", "origin", "main")
    return root


@pytest.mark.parametrize("branch", ["main", "fix"], ids=["a known branch", "a new branch"])
def test_the_hook_stops_a_push_whose_tests_do_not_discriminate(shop: Path, branch: str) -> None:
    hook = shop / ".git/hooks/pre-push"
    hook.write_text(recipe("sh"))
    hook.chmod(0o755)
    typed(shop, "prove", keys="y\n")
    git(shop, "checkout", "-q", "-B", branch)
    commit(shop, {"price.py": FIX, "tests/test_price.py": WEAK}, "fix")

    weak = push(shop, branch)
    commit(shop, {"tests/test_price.py": STRONG}, "assert")
    strong = push(shop, branch)

    assert "not discriminating: with the change removed, its test still passes" in weak.stdout
    assert (weak.returncode, strong.returncode) == (1, 0), (weak, strong)


def push(root: Path, branch: str) -> "subprocess.CompletedProcess[str]":
    env = environment(root.parent)
    return subprocess.run(
        ["git", "push", "origin", branch], cwd=root, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("test", "code"), [(STRONG, 0), (WEAK, 1)], ids=["strong", "weak"])
def test_the_steps_of_the_workflow_write_a_summary_and_sarif(shop: Path, test: str, code: int) -> None:
    git(shop, "checkout", "-q", "-b", "fix")
    commit(shop, {"price.py": FIX}, "fix")
    commit(shop, {"tests/test_price.py": test}, "test the fix")
    steps = yaml.safe_load(recipe("yaml"))["jobs"]["prove"]["steps"]
    summary = shop.parent / "summary.md"
    env = environment(shop.parent, **CI, GITHUB_BASE_REF="main", GITHUB_STEP_SUMMARY=str(summary))

    codes = [
        subprocess.run(["bash", "-e", "-c", step["run"]], cwd=shop, env=env, check=False).returncode
        for step in steps
        if "vfcc prove" in step.get("run", "")
    ]

    assert codes == [code, 0]
    assert summary.read_text("utf-8").startswith(
        f"**vfcc prove**: 1 change: 1 {'not discriminating' if code else 'proven'}"
    )
    results = json.loads((shop / "prove.sarif").read_text("utf-8"))["runs"][0]["results"]
    assert {each["ruleId"] for each in results} == ({"not-discriminating"} if code else set())
