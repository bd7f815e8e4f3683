"""A new worktree is set up once, again when its lock files change, and only by a command that this machine allows."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.trees import commit, git, repository, write_tree
from verifflowcc.base.errors import CommandsNotAllowed, UsageError, WorkspaceError
from verifflowcc.base.use.workspace import Workspace, open_workspace
from verifflowcc.run.use.attempt_start import prepare_tree
from verifflowcc.sprint.use.allow_use import allow_commands, show_commands

SCRIPT = """\
import os, pathlib, sys
pathlib.Path("built").open("a").write(os.environ["VFCC_RUN"] + "\\n")
sys.exit(pathlib.Path("broken.lock").exists() and "no such package")
"""
CONFIG = f"""\
format: 2
gates:
  commands:
    install: {{run: [{json.dumps(sys.executable)}, install.py], inputs: ["*.lock"]}}
run: {{setup: install}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A repository whose set-up is allowed, and a worktree `tree` beside it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    root = tmp_path / "main"
    files = {".memory/config.yaml": CONFIG, "install.py": SCRIPT, "a.lock": "1\n", ".gitignore": "built\n"}
    write_tree(root, files)
    repository(root)
    git(root, "worktree", "add", "-q", "-b", "tree", "../tree")
    workspace = open_workspace(root)
    allow_commands(workspace, show_commands(workspace))
    return workspace


def prepared(project: Workspace) -> int:
    """Set the worktree up, and return how often that was done in it."""
    tree = project.root.parent / "tree"
    prepare_tree(project, tree, "r-1/a-1", lambda _: None)
    return len((tree / "built").read_text(encoding="utf-8").splitlines())


def test_a_worktree_is_set_up_once_and_marked(project: Workspace) -> None:
    assert [prepared(project), prepared(project)] == [1, 1]
    assert (project.root.parent / "tree/built").read_text(encoding="utf-8") == "r-1/a-1\n"
    assert git(project.root.parent / "tree", "status", "--porcelain") == ""


def test_a_changed_lock_file_asks_for_it_again(project: Workspace) -> None:
    tree = project.root.parent / "tree"
    prepared(project)

    write_tree(tree, {"other.py": "1\n"})
    commit(tree, "no lock file")
    assert prepared(project) == 1
    write_tree(tree, {"a.lock": "2\n"})
    assert [prepared(project), prepared(project)] == [2, 2]


def test_a_worktree_that_is_made_again_is_set_up_again(project: Workspace) -> None:
    tree = project.root.parent / "tree"
    prepared(project)

    shutil.rmtree(tree)
    git(project.root, "worktree", "prune")
    git(project.root, "worktree", "add", "-q", "../tree", "tree")

    assert prepared(project) == 1


def test_a_set_up_that_fails_is_explained_and_tried_again(project: Workspace) -> None:
    tree = project.root.parent / "tree"
    write_tree(tree, {"broken.lock": "1\n"})

    for _ in range(2):
        with pytest.raises(WorkspaceError, match="exit code 1; no such package"):
            prepared(project)
    (tree / "broken.lock").unlink()
    assert prepared(project) == 3


def test_what_an_agent_writes_into_its_own_configuration_does_not_run(project: Workspace) -> None:
    write_tree(project.root.parent / "tree", {".memory/config.yaml": CONFIG.replace("install.py", "other.py")})

    assert prepared(project) == 1


def test_a_command_that_this_machine_does_not_allow_does_not_run(project: Workspace) -> None:
    write_tree(project.root, {".memory/config.yaml": CONFIG.replace("install.py", "other.py")})

    with pytest.raises(CommandsNotAllowed, match="changed since"):
        prepared(open_workspace(project.root))


def test_a_name_without_a_command_is_explained(project: Workspace) -> None:
    write_tree(project.root, {".memory/config.yaml": CONFIG.replace("setup: install", "setup: instal")})

    with pytest.raises(UsageError, match=r"run\.setup names instal, and gates\.commands has install"):
        prepared(open_workspace(project.root))
