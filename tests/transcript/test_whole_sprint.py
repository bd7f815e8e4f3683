"""A whole sprint on a real package comes out as its page shows it, and the commands of the page on CI run on it."""

import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.transcript.replay import run

pytestmark = pytest.mark.sweep
"""The walk-through takes minutes."""

CI = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "ci.md"


def blocks(page: str) -> list[str]:
    """Return the pieces of YAML in the page."""
    return re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)


def steps(page: str) -> list[str]:
    """Return the lines that the jobs of the page's workflow run."""
    jobs = yaml.safe_load(blocks(page)[0])["jobs"]
    return [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]


def commands(page: str) -> list[str]:
    """Return the `vfcc` commands of the page's workflow, once each and in order."""
    return list(dict.fromkeys(line for line in steps(page) if shlex.split(line)[0] == "vfcc"))


@pytest.fixture(scope="module")
def ci() -> str:
    return CI.read_text(encoding="utf-8")


def test_the_walk_through_shows_what_the_commands_print(walked: tuple[Path, list[str]]) -> None:
    _, wrong = walked

    assert not wrong, "\n".join(wrong)


def test_the_example_for_ci_checks_out_the_whole_history(ci: str) -> None:
    checkouts = re.findall(r"uses: actions/checkout@.*?(?=\n      - )", ci, re.DOTALL)

    assert len(checkouts) == 2
    assert all("fetch-depth: 0" in each for each in checkouts)
    assert commands(ci) == ["vfcc check config", "vfcc allow --yes", "vfcc check --rerun", "vfcc check gate"]


def test_a_clone_of_the_walk_through_is_green_in_ci(walked: tuple[Path, list[str]], ci: str, tmp_path: Path) -> None:
    """Without anything of `.memory/local/`, and though the sprint is closed: `check gate` then has nothing to ask."""
    run(f"git clone -q {walked[0]} clone", tmp_path)
    ended = {command: run(f"export CI=true; {command}", tmp_path / "clone").splitlines() for command in commands(ci)}

    assert ended["vfcc check config"] == ["config.yaml is valid"]
    assert ended["vfcc check --rerun"][-1] == "initials: none of 19 is red"
    assert ended["vfcc check gate"][-1] == "[exit 3]"
    assert run(yaml.safe_load(blocks(ci)[1])[0]["run"], tmp_path / "clone") == "", "where no sprint is open"


def test_the_trace_of_a_clone_is_as_green_and_a_change_turns_it_red(
    walked: tuple[Path, list[str]], tmp_path: Path
) -> None:
    """Results come from the evidence that is committed; nothing is run, and nothing of `.memory/local/` is there."""
    run(f"git clone -q {walked[0]} clone", tmp_path)
    here = tmp_path / "clone"

    assert run("vfcc check trace", here).splitlines()[-1] == "trace: nothing red in 13 items, 1 note"

    run("echo '# later' >> inflection/__init__.py", here)
    said = run("vfcc check trace", here)

    assert "error stale-result: unit_test/tests (" in said
    assert said.endswith("[exit 1]")


def test_a_clone_that_allows_nothing_runs_nothing(walked: tuple[Path, list[str]], tmp_path: Path) -> None:
    run(f"git clone -q {walked[0]} clone", tmp_path)
    said = run("vfcc check --rerun", tmp_path / "clone").splitlines()

    assert said[0] == "error: the project's commands are not allowed on this machine"
    assert said[-1] == "[exit 3]"


def test_a_change_after_the_sprint_is_red_in_ci(walked: tuple[Path, list[str]], tmp_path: Path) -> None:
    run(f"git clone -q {walked[0]} clone", tmp_path)
    here = tmp_path / "clone"
    run("CI=true vfcc allow --yes && echo '# later' >> inflection/__init__.py && git commit -qam later", here)
    said = run("vfcc check --rerun", here)

    assert "RED  unit_test/tests: stale: it is of other content: inflection/__init__.py changed" in said
    assert said.endswith("[exit 1]")
