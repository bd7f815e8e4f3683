"""`vfcc init`: whole or not at all, and nothing of the person's is touched."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.cli.test_broken_workspace import _as_others, _obeys_permissions
from tests.cli.process import git, vfcc
from tests.cli.trees import everything, half_written


@pytest.mark.vfcc("REQ-MEMORY-TREE")
def test_a_second_time_changes_nothing(young: Path) -> None:
    before = everything(young)

    for options in ((), ("--example",), ("--workflow", "standard")):
        vfcc(young, "init", *options).refused(3, ".memory exists already and is left as it is", "hint: vfcc status")

    assert everything(young) == before


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    vfcc(tmp_path, "init", "no/such").refused(3, f"{tmp_path}/no/such is not a folder", f"mkdir -p {tmp_path}/no/such")
    assert everything(tmp_path) == {}


@pytest.mark.sweep
def test_a_read_only_folder_stays_empty(tmp_path: Path) -> None:
    if not _obeys_permissions(tmp_path):
        pytest.skip("permissions do not bind this user, and its privileges cannot be given up")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)

    for options in ((), ("--example",)):
        vfcc(closed, "init", *options, before=_as_others).refused(3, "cannot create", "Permission denied")

    assert everything(closed) == {}


def _link(path: Path) -> None:
    path.symlink_to("nowhere")


def _file(path: Path) -> None:
    path.write_text("mine", encoding="utf-8")


@pytest.mark.parametrize("put", [_link, _file, os.mkfifo])
def test_what_is_in_the_way_stays(tmp_path: Path, put: Callable[[Path], None]) -> None:
    put(tmp_path / ".memory")
    before = everything(tmp_path)

    vfcc(tmp_path, "init", "--example").refused(3, "exists already")

    assert everything(tmp_path) == before


@pytest.mark.parametrize("name", ["CLAUDE.md", "AGENTS.md"])
def test_the_example_keeps_your_own_words(tmp_path: Path, name: str) -> None:
    own = b"# Mine\r\n\xff not even UTF-8\r\n"
    (tmp_path / name).write_bytes(own)

    made = vfcc(tmp_path, "init", "--example")

    assert made.code == 0
    assert "your own CLAUDE.md or AGENTS.md stays" in made.err
    assert (tmp_path / name).read_bytes() == own
    assert sum((tmp_path / each).exists() for each in ("CLAUDE.md", "AGENTS.md")) == 1


@pytest.mark.points(1)
@pytest.mark.parametrize("workflow", ["light", "standard"])
def test_what_it_makes_works_at_once(tmp_path: Path, workflow: str) -> None:
    assert vfcc(tmp_path, "init", "--workflow", workflow).code == 0

    assert vfcc(tmp_path, "check", "config").out == "config.yaml is valid\n"
    assert vfcc(tmp_path, "sprint", "start", "First").code == 0
    assert vfcc(tmp_path, "stage", "show").code == 0
    role = vfcc(tmp_path, "stage", "list").out.splitlines()[1].split()[4]
    assert vfcc(tmp_path, "context", "show", "--agent", role).code == 0
    assert half_written(tmp_path) == []


def test_in_a_repository_only_the_memory_is_new(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "code.py").write_text("x = 1\n", encoding="utf-8")
    git(tmp_path, "add", "code.py")

    assert vfcc(tmp_path, "init").code == 0
    assert vfcc(tmp_path, "sprint", "start", "First").code == 0
    assert vfcc(tmp_path, "status").code == 0

    assert git(tmp_path, "status", "--porcelain").splitlines() == ["A  code.py", "?? .memory/"]
    git(tmp_path, "add", ".memory")
    assert not [name for name in git(tmp_path, "ls-files").splitlines() if "/local/" in name or "progress" in name]


def test_another_folder_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()

    made = vfcc(tmp_path, "init", "there")

    assert made.code == 0
    assert f"in {tmp_path}/there" in made.out
    assert vfcc(tmp_path / "there", "status").code == 0
