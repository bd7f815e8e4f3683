"""Committing a move to git: its paths alone, the person's staging untouched, a failure a warning."""

import stat
from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.process import CI, git, vfcc
from tests.trees import add_settings

pytestmark = pytest.mark.vfcc("REQ-COMMIT")

DONE = ".memory/stage/sprint-02/coding/artifacts/changes.md"


@pytest.fixture
def repository(example: Path) -> Path:
    """The worked example in git, with work of the person's: staged, partly staged, unstaged, untracked."""
    git(example, "init", "-q", "-b", "main")
    for name in ("staged.py", "partly.py", "unstaged.py"):
        (example / name).write_text("one\n", encoding="utf-8")
    git(example, "add", ".")
    git(example, "commit", "-qm", "first")
    (example / "staged.py").write_text("two\n", encoding="utf-8")
    (example / "partly.py").write_text("two\n", encoding="utf-8")
    git(example, "add", "staged.py", "partly.py")
    (example / "partly.py").write_text("three\n", encoding="utf-8")
    (example / "unstaged.py").write_text("two\n", encoding="utf-8")
    (example / "new.py").write_text("new\n", encoding="utf-8")
    (example / DONE).write_text("Done.\n", encoding="utf-8")
    return example


def _always(folder: Path) -> None:
    """Have each move committed; a person approves that change of the configuration before the stage has its text."""
    add_settings(folder, "git: {commit: always}")
    written = (folder / DONE).read_bytes()
    (folder / DONE).unlink()
    assert typed(person(folder, "You"), "approve", "--criterion", "rules", "--yes").code == 0
    (folder / DONE).write_bytes(written)


def _work(folder: Path) -> list[str]:
    names = ("staged.py", "partly.py", "unstaged.py", "new.py")
    return [
        git(folder, "diff", "--cached"),
        git(folder, "diff", "--", *names),
        git(folder, "status", "--short", *names),
    ]


@pytest.mark.parametrize("always", [False, True], ids=["--commit", "always"])
def test_the_move_alone_is_committed_and_the_person_keeps_their_staging(repository: Path, always: bool) -> None:
    if always:
        _always(repository)
    before = _work(repository)

    moved = vfcc(repository, "stage", "advance", *([] if always else ["--commit"]))

    assert moved.code == 0
    assert moved.err == ""
    head = git(repository, "rev-parse", "HEAD").strip()
    assert f"committed: {head[:12]}" in moved.out
    assert git(repository, "log", "-1", "--format=%s").strip() == "sprint-02: coding passed"
    names = git(repository, "show", "--name-only", "--format=", "HEAD").split()
    assert all(name.startswith((".memory/sprint/sprint-02/", ".memory/stage/sprint-02/")) for name in names)
    assert DONE in names
    assert not any("progress.json" in name for name in names)
    assert _work(repository) == before


def test_without_being_asked_nothing_is_committed_and_the_command_is_told(repository: Path) -> None:
    before, head = _work(repository), git(repository, "rev-parse", "HEAD")

    moved = vfcc(repository, "stage", "advance")

    assert git(repository, "rev-parse", "HEAD") == head
    assert _work(repository) == before
    command = next(line for line in moved.out.splitlines() if line.startswith("to commit: git add "))
    assert command.endswith("-- .memory/sprint/sprint-02 .memory/stage/sprint-02")


def test_a_merge_under_way_is_a_warning_and_the_move_stands(repository: Path) -> None:
    git(repository, "stash", "-q")
    git(repository, "checkout", "-q", "-b", "other")
    (repository / "other.py").write_text("x\n", encoding="utf-8")
    git(repository, "add", "other.py")
    git(repository, "commit", "-qm", "other")
    git(repository, "checkout", "-q", "main")
    git(repository, "merge", "-q", "--no-ff", "--no-commit", "other")
    (repository / DONE).write_text("Done.\n", encoding="utf-8")
    staged, head = git(repository, "diff", "--cached"), git(repository, "rev-parse", "HEAD")

    moved = vfcc(repository, "stage", "advance", "--commit")

    assert moved.code == 0
    assert moved.err == "warning: not committed: a merge is under way\n"
    assert ">  testing" in vfcc(repository, "sprint", "show").out
    assert (git(repository, "diff", "--cached"), git(repository, "rev-parse", "HEAD")) == (staged, head)


def test_a_hook_that_refuses_is_a_warning_and_the_move_stands(repository: Path) -> None:
    hook = repository / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho 'no commits on Friday' >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    before, head = _work(repository), git(repository, "rev-parse", "HEAD")
    assert vfcc(repository, "allow", "--yes", env=CI).code == 0

    moved = vfcc(repository, "stage", "advance", "--commit")

    assert moved.code == 0
    assert moved.err == "warning: not committed: no commits on Friday\n"
    assert "to commit: git add " in moved.out
    assert ">  testing" in vfcc(repository, "sprint", "show").out
    assert (_work(repository), git(repository, "rev-parse", "HEAD")) == (before, head)


@pytest.mark.sweep
def test_outside_of_git_it_is_a_warning(example: Path) -> None:
    moved = vfcc(example, "stage", "reopen", "planning", "--reason", "again", "--commit")

    assert moved.code == 0
    assert "is in no git repository" in moved.err


def test_an_empty_git_folder_is_no_repository(example: Path) -> None:
    (example.parent / ".git").mkdir()

    moved = vfcc(example, "stage", "reopen", "planning", "--reason", "again", "--commit")

    assert moved.code == 0
    assert "is in no git repository" in moved.err


def test_a_project_below_the_top_of_its_repository(example: Path) -> None:
    git(example.parent, "init", "-q", "-b", "main")
    (example / DONE).write_text("Done.\n", encoding="utf-8")
    (example.parent / "mine.txt").write_text("mine\n", encoding="utf-8")
    git(example.parent, "add", "mine.txt")

    moved = vfcc(example, "stage", "advance", "--commit")

    assert (moved.code, moved.err) == (0, "")
    names = git(example.parent, "show", "--name-only", "--format=", "HEAD").split()
    assert names
    assert all(name.startswith("example/.memory/") for name in names)
    assert git(example.parent, "diff", "--cached", "--name-only").split() == ["mine.txt"]
