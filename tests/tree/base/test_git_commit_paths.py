"""Committing by path: what the person has staged stays as it was, and a refusal is a warning."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.ledger_samples import advance, fill, started, workspace
from tests.signing import sign_with
from tests.trees import path_with
from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.git.git_command import begin_git
from verifflowcc.base.git.git_commit import commit_paths
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.use.allow_use import allow_commands, show_commands
from verifflowcc.sprint.use.feedback import add_feedback
from verifflowcc.sprint.use.sprint_reading import show_sprint

pytestmark = pytest.mark.vfcc("REQ-COMMIT")

DERIVED = ("progress.json", "summary.md", "metrics.json")
PATHS = (".memory/sprint/log-in", ".memory/stage/log-in")


@pytest.fixture(autouse=True)
def identity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "ann@example.org")


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout


def index(folder: Path) -> str:
    """What is staged and what is not, of the person's own files."""
    mine = ("--", "*.txt")
    return "\n".join(git(folder, *words, *mine) for words in (("diff", "--cached"), ("diff",), ("ls-files", "-s")))


def busy(folder: Path) -> str:
    """A repository with a staged, a partly staged, an unstaged and a new file; returns what its index says."""
    git(folder, "init", "--quiet", "-b", "main")
    for name in ("staged", "partly", "unstaged"):
        (folder / f"{name}.txt").write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    (folder / "staged.txt").write_text("two\n")
    (folder / "partly.txt").write_text("two\n")
    (folder / "new.txt").write_text("new\n")
    git(folder, "add", "staged.txt", "partly.txt", "new.txt")
    (folder / "partly.txt").write_text("three\n")
    (folder / "unstaged.txt").write_text("two\n")
    return index(folder)


def refuse(folder: Path) -> None:
    """Install a hook that lets no commit through."""
    hook = folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'no commits on a Friday' >&2\nexit 1\n")
    hook.chmod(0o755)


def test_only_the_paths_are_committed_and_the_staging_is_as_it_was(tmp_path: Path) -> None:
    before = busy(tmp_path)
    here = started(tmp_path)
    fill(here, "log-in")
    done = advance_stage(here, "log-in", actor="human:Ann", commit=True)
    names = git(tmp_path, "show", "--name-only", "--format=%s").split("\n")

    assert (done.warnings, done.git_command) == ((), None)
    assert done.committed == git(tmp_path, "rev-parse", "HEAD").strip()
    assert names[0] == "log-in: planning passed"
    assert {Path(name).parts[0] for name in names[1:] if name} == {".memory"}
    assert ".memory/stage/log-in/planning/artifacts/plan.md" in names
    assert not [name for name in names if "local" in name or Path(name).name in DERIVED]
    assert index(tmp_path) == before
    assert git(tmp_path, "status", "--porcelain", "--", *PATHS) == ""


def test_the_first_commit_of_a_repository_can_be_ours(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "-b", "main")
    (tmp_path / "mine.txt").write_text("mine\n")
    git(tmp_path, "add", "mine.txt")
    before = index_of_new(tmp_path)
    started(tmp_path)

    assert commit_paths(tmp_path, PATHS, "x").sha
    assert "mine.txt" not in git(tmp_path, "ls-tree", "-r", "--name-only", "HEAD")
    assert index_of_new(tmp_path) == before


def index_of_new(folder: Path) -> str:
    return git(folder, "ls-files", "-s", "--", "*.txt")


def test_changed_and_removed_files_of_the_paths_go_along(tmp_path: Path) -> None:
    busy(tmp_path)
    here = started(tmp_path)
    advance(here, "log-in")
    commit_paths(tmp_path, PATHS, "one")
    (here.memory / "sprint/log-in/goals.md").write_text("other\n")
    (here.memory / "stage/log-in/planning/artifacts/plan.md").unlink()
    (here.memory / "stage/log-in/planning/artifacts/plan[1]*.md").write_text("new\n")

    assert commit_paths(tmp_path, PATHS, "two").sha
    assert git(tmp_path, "status", "--porcelain", "--", *PATHS) == ""


def test_a_folder_below_the_top_of_the_repository_commits_its_own_paths(tmp_path: Path) -> None:
    before = busy(tmp_path)
    (tmp_path / "tool").mkdir()
    started(tmp_path / "tool")

    assert commit_paths(tmp_path / "tool", PATHS, "x").sha
    assert "tool/.memory/sprint/log-in/goals.md" in git(tmp_path, "ls-tree", "-r", "--name-only", "HEAD")
    assert index(tmp_path) == before


def test_a_hook_that_refuses_is_a_warning_and_the_move_stands(tmp_path: Path) -> None:
    before = busy(tmp_path)
    refuse(tmp_path)
    here = started(tmp_path)
    allow_commands(here, show_commands(here))
    fill(here, "log-in")
    head = git(tmp_path, "rev-parse", "HEAD")
    done = advance_stage(here, "log-in", actor="human:Ann", commit=True)

    assert done.warnings == ("not committed: no commits on a Friday",)
    assert done.git_command
    assert show_sprint(here, "log-in").current == "design"
    assert git(tmp_path, "rev-parse", "HEAD") == head
    assert index(tmp_path) == before
    assert git(tmp_path, "ls-files", "--", ".memory") == ""


def test_a_commit_that_cannot_be_signed_is_a_warning_and_the_move_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    before = busy(project)
    sign_with(project, tmp_path / "none.pub", tmp_path / "allowed")
    git(project, "config", "commit.gpgSign", "true")
    here = started(project)
    fill(here, "log-in")
    monkeypatch.setenv("PATH", path_with(tmp_path / "bin", "git"))
    done = advance_stage(here, "log-in", actor="human:Ann", commit=True)

    assert done.warnings == ("not committed: error: cannot run ssh-keygen: No such file or directory",)
    assert show_sprint(here, "log-in").current == "design"
    assert index(project) == before


def test_a_file_named_like_a_pattern_stands_for_itself_alone(tmp_path: Path) -> None:
    busy(tmp_path)
    here = started(tmp_path)
    advance(here, "log-in")
    commit_paths(tmp_path, PATHS, "one")
    before = git(tmp_path, "ls-files")
    (here.memory / "stage/log-in/planning/artifacts/*").write_text("new\n")
    refuse(tmp_path)

    refused = commit_paths(tmp_path, PATHS, "two", lambda _: True)
    assert refused.warning == "not committed: no commits on a Friday"
    assert git(tmp_path, "ls-files") == before


def test_a_merge_under_way_is_a_warning_and_is_left_alone(tmp_path: Path) -> None:
    busy(tmp_path)
    git(tmp_path, "stash", "--quiet")
    for name, text in (("a", "left\n"), ("b", "right\n")):
        git(tmp_path, "checkout", "--quiet", "-b", name, "main")
        (tmp_path / "staged.txt").write_text(text)
        git(tmp_path, "commit", "--quiet", "-am", name)
    subprocess.run(["git", "merge", "a"], cwd=tmp_path, capture_output=True, check=False)
    started(tmp_path)
    before = git(tmp_path, "status", "--porcelain")

    assert commit_paths(tmp_path, PATHS, "x").warning == "not committed: a merge is under way"
    assert git(tmp_path, "status", "--porcelain") == before


def test_outside_of_git_is_a_warning_and_names_no_command(tmp_path: Path) -> None:
    here = started(tmp_path)
    fill(here, "log-in")
    done = advance_stage(here, "log-in", actor="human:Ann", commit=True)

    assert "is in no git repository" in done.warnings[0]
    assert done.git_command is None


def test_nothing_to_commit_is_a_warning(tmp_path: Path) -> None:
    busy(tmp_path)
    started(tmp_path)
    commit_paths(tmp_path, PATHS, "x")

    assert "git has these files already" in (commit_paths(tmp_path, PATHS, "x").warning or "")


def test_the_command_that_is_named_does_the_same(tmp_path: Path) -> None:
    before = busy(tmp_path)
    here = started(tmp_path)
    fill(here, "log-in")
    done = advance_stage(here, "log-in", actor="human:Ann")

    assert done.committed is None
    assert done.git_command == (
        "git add .memory/sprint/log-in .memory/stage/log-in"
        ' && git commit -m "log-in: planning passed" -- .memory/sprint/log-in .memory/stage/log-in'
    )
    subprocess.run(done.git_command, shell=True, cwd=tmp_path, check=True, capture_output=True)
    assert index(tmp_path) == before
    assert git(tmp_path, "status", "--porcelain", "--", *PATHS) == ""


# Soft gates: one commit, when the sprint is closed


def light(folder: Path) -> Workspace:
    """A light sprint in a repository with some work in its index."""
    busy(folder)
    here = workspace(folder)
    done = start_sprint(here, "Log in", workflow="light", actor="human:Ann")
    assert done.git_command is None
    return here


@pytest.mark.sweep
def test_a_soft_workflow_names_one_command_when_the_sprint_is_closed(tmp_path: Path) -> None:
    here = light(tmp_path)
    moves = []
    for _ in range(3):
        fill(here, "log-in")
        moves.append(advance_stage(here, "log-in", actor="human:Ann"))
    moves.append(add_feedback(here, "log-in", "smaller", actor="human:Ann").move)
    assert [done.git_command for done in moves] == [None] * 4

    done = close_sprint(here, "log-in", actor="human:Ann", unfinished_reason="enough")

    assert done.git_command == (
        "git add .memory/sprint/log-in .memory/stage/log-in"
        ' && git commit -m "log-in: sprint closed" -- .memory/sprint/log-in .memory/stage/log-in'
    )
    subprocess.run(done.git_command, shell=True, cwd=tmp_path, check=True, capture_output=True)
    assert git(tmp_path, "status", "--porcelain", "--", *PATHS) == ""
    names = git(tmp_path, "show", "--name-only", "--format=").split()
    assert not [name for name in names if Path(name).name in DERIVED]


def test_a_soft_workflow_commits_each_move_where_that_is_asked_for(tmp_path: Path) -> None:
    here = light(tmp_path)

    done = advance_stage(here, "log-in", actor="human:Ann", commit=True)

    assert done.committed == git(tmp_path, "rev-parse", "HEAD").strip()


def test_a_folder_with_ignored_files_alone_is_not_named(tmp_path: Path) -> None:
    here = light(tmp_path)
    advance_stage(here, "log-in", actor="human:Ann")
    assert (here.memory / "stage/log-in/planning/summary.md").is_file()

    done = close_sprint(here, "log-in", actor="human:Ann", unfinished_reason="enough")

    sprint = ".memory/sprint/log-in"
    assert done.git_command == f'git add {sprint} && git commit -m "log-in: sprint closed" -- {sprint}'
    subprocess.run(done.git_command, shell=True, cwd=tmp_path, check=True, capture_output=True)
    assert git(tmp_path, "status", "--porcelain", "--", *PATHS) == ""


def test_no_move_lists_a_file_that_git_ignores_as_written(tmp_path: Path) -> None:
    here = light(tmp_path)
    fill(here, "log-in")

    written = advance_stage(here, "log-in", actor="human:Ann").written

    assert [Path(name).parent.name for name in written] == ["events"]


def test_git_that_runs_beside_is_read_whole_and_can_be_ended(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    names = [f"{number}-{'x' * 100}" for number in range(2_000)]
    for name in names:
        (tmp_path / name).write_text("", encoding="utf-8")

    listing = begin_git(tmp_path, "ls-files", "-z", "--others")
    out, err = listing.communicate()
    assert (sorted(out.decode().split("\0")[:-1]), err, listing.returncode) == (sorted(names), b"", 0)
    wrong = begin_git(tmp_path, "ls-files", "--no-such-option")
    assert b"no-such-option" in wrong.communicate()[1]
    assert wrong.returncode
    ended = begin_git(tmp_path, "ls-files", "-z", "--others")
    ended.kill()
    ended.communicate()
    assert ended.returncode is not None
    ended.kill()
    with pytest.raises(WorkspaceError):
        begin_git(tmp_path / "nowhere", "ls-files")
