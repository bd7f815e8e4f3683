"""A move that git took away from a branch, or brought without its past: the program names the way on, and it works."""

import subprocess
from pathlib import Path

import pytest

from tests.ledger_samples import advance, started
from tests.trees import commit, environment, git
from verifflowcc.base.errors import LedgerError
from verifflowcc.base.model.ports import Health
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.sprint_health import sprints_remarks
from verifflowcc.sprint.use.sprint_reading import load_movable, show_sprint

pytestmark = pytest.mark.vfcc("REQ-LEDGER")

ID = "log-in"


@pytest.fixture
def moved(tmp_path: Path) -> Workspace:
    """A sprint that was moved three times, each in a commit of its own."""
    git(tmp_path, "init", "--quiet", "-b", "main")
    here = started(tmp_path)
    commit(tmp_path, "start")
    for message in ("one", "two", "three"):
        advance(here, ID)
        commit(tmp_path, message)
    return here


def mended(here: Workspace) -> Workspace:
    """Run the command that doctor names for each finding, and return the project as it is then."""
    with pytest.raises(LedgerError) as caught:
        load_movable(here, ID)
    assert str(caught.value.hint).startswith("vfcc doctor")
    findings = [each for each in sprints_remarks(here) if each.health is Health.FINDING]
    assert findings
    for step in {each.step for each in findings}:
        done = subprocess.run(
            step, shell=True, cwd=here.root, env=environment(here.root), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{step}: {done.stderr}"
    return Workspace(here.root, FixedClock(here.clock.now()))


def test_a_reverted_move_comes_back_by_the_command_that_doctor_names(moved: Workspace) -> None:
    before = show_sprint(moved, ID)
    git(moved.root, "revert", "--no-edit", "HEAD~1")

    state = show_sprint(mended(Workspace(moved.root)), ID)

    assert (state.problems, state.current, state.heads) == ((), before.current, before.heads)


def test_a_cherry_picked_move_gets_its_whole_past_by_the_command_that_doctor_names(moved: Workspace) -> None:
    before = show_sprint(moved, ID)
    git(moved.root, "checkout", "--quiet", "-b", "other", "HEAD~3")
    git(moved.root, "cherry-pick", "main")

    state = show_sprint(mended(Workspace(moved.root)), ID)

    assert (state.problems, state.current, state.heads) == ((), before.current, before.heads)
