"""Two branches of a real repository, merged both ways: nothing conflicts, and a contradiction surfaces as a fork."""

import os
import subprocess
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.histories import parted
from tests.ledger_samples import START, add_feedback, advance, events_folder, fill, snapshot, started, workspace
from verifflowcc.base.errors import ConflictError
from verifflowcc.base.files.ledger import Ledger
from verifflowcc.base.model.events import Event
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.rules.sprint_fold import arrange
from verifflowcc.sprint.use.sprint_reading import show_sprint

pytestmark = pytest.mark.vfcc("REQ-FORKS")

ID = "log-in"
ENV = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Ann"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "ann@example.org"),
}
KINDS = st.lists(st.sampled_from(["note", "pass", "back"]), max_size=4)
SKEW_DAYS = st.integers(-1000, 1000)


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, env=ENV, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"git {' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout


def live(here: Workspace, name: str, kinds: list[str]) -> bool:
    """Do what `kinds` says on the branch checked out; say whether the sprint was moved."""
    moved = False
    for number, kind in enumerate(kinds):
        state = show_sprint(here, ID)
        if kind == "note" or (kind == "back" and state.current in ("planning", None)):
            add_feedback(here, ID, f"{name} {number}", actor=f"human:{name}")
        elif kind == "pass" and state.current:
            moved = bool(advance(here, ID, actor=f"human:{name}"))
        elif kind == "back":
            moved = bool(reopen_stage(here, ID, "planning", f"{name} {number}", actor=f"human:{name}"))
    return moved


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)


def branch(folder: Path, name: str, days: int, kinds: list[str]) -> tuple[Event, ...]:
    """Make a branch of `main` that does what `kinds` says; return all events of the sprint there, in order."""
    git(folder, "checkout", "--quiet", "-b", name, "main")
    here = workspace(folder, FixedClock(START + timedelta(days=days)))
    live(here, name, kinds)
    commit(folder, name)
    return arrange(Ledger(here.memory).load(ID).events).ordered


def merged(folder: Path, into: str, other: str) -> list[str]:
    """Merge `other` into a copy of `into`; return the files in conflict."""
    git(folder, "checkout", "--quiet", "-B", f"{other}-into-{into}", into)
    subprocess.run(["git", "merge", "--no-edit", other], cwd=folder, env=ENV, capture_output=True, check=False)
    return git(folder, "diff", "--name-only", "--diff-filter=U").split()


@pytest.mark.sweep
@given(st.lists(st.sampled_from(["note", "pass"]), max_size=2), KINDS, KINDS, SKEW_DAYS, SKEW_DAYS)
@settings(deadline=None, max_examples=20)
def test_merged_either_way_the_sprint_is_the_same_or_visibly_forked(
    base: list[str], ours: list[str], theirs: list[str], our_days: int, their_days: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        git(folder, "init", "--quiet", "-b", "main")
        live(started(folder), "base", base)
        commit(folder, "base")
        apart = parted(branch(folder, "ours", our_days, ours), branch(folder, "theirs", their_days, theirs))
        conflicts = merged(folder, "ours", "theirs")
        one = show_sprint(Workspace(folder), ID)
        git(folder, "reset", "--quiet", "--hard")
        conflicts += merged(folder, "theirs", "ours")
        other = show_sprint(Workspace(folder), ID)

    assert one == other
    assert conflicts == [], "what differs is in files of its own, or ignored"
    assert not one.problems
    assert (one.fork is not None) == apart


def test_a_fork_names_both_sides_and_lets_nobody_move(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "-b", "main")
    advance(started(tmp_path), ID)
    commit(tmp_path, "base")
    branch(tmp_path, "ours", 0, ["pass"])
    branch(tmp_path, "theirs", -400, ["note", "back"])
    merged(tmp_path, "ours", "theirs")
    here = Workspace(tmp_path)
    state = show_sprint(here, ID)
    fill(here, ID)
    before = snapshot(here.memory / "sprint")

    assert state.fork is not None
    assert {(move.actor, move.action) for move in state.fork.moves} == {
        ("human:ours", "passed design and entered coding"),
        ("human:theirs", "reopened planning"),
    }
    with pytest.raises(ConflictError, match=r"moved on two sides.*human:ours.*|.*human:theirs"):
        advance_stage(here, ID, actor="human:Ann")
    with pytest.raises(ConflictError):
        reopen_stage(here, ID, "planning", "x", actor="human:Ann")
    assert snapshot(here.memory / "sprint") == before


def test_a_ledger_in_a_crlf_checkout_folds_to_the_same(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    git(first, "init", "--quiet", "-b", "main")
    advance(started(first), ID)
    commit(first, "base")
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "--quiet", "first", "second")

    assert b"\r\n" in next(events_folder(Workspace(second), ID).iterdir()).read_bytes()
    assert show_sprint(Workspace(second), ID) == show_sprint(Workspace(first), ID)
