"""A commit runs hooks, filters and programs of the repository only where `vfcc allow` covers them."""

from pathlib import Path

import pytest

from tests.cli.hostile_world import hostile_settings
from tests.cli.process import CI, Ran, by_person, git, on_terminal, vfcc

pytestmark = [pytest.mark.vfcc("REQ-COMMIT"), pytest.mark.vfcc("REQ-COMMANDS")]

DONE = ".memory/stage/sprint-02/coding/artifacts/changes.md"
NOT_ALLOWED = "warning: not committed: a commit here runs {}, not allowed yet: vfcc allow\n"


@pytest.fixture
def repository(example: Path) -> Path:
    git(example, "init", "-q", "-b", "main")
    git(example, "add", ".")
    git(example, "commit", "-qm", "first")
    (example / DONE).write_text("Done.\n", encoding="utf-8")
    return example


def hook(root: Path, name: str = "pre-commit", more: str = "") -> Path:
    """Install a hook that leaves a mark beside the project; return the mark."""
    path = root / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch {root.parent}/ran\n{more}")
    path.chmod(0o755)
    return root.parent / "ran"


def advance(root: Path, **env: str) -> Ran:
    return vfcc(root, "stage", "advance", "--commit", env=env)


def head(root: Path) -> str:
    return git(root, "log", "-1", "--format=%s").strip()


def test_a_hook_that_is_not_allowed_does_not_run_and_nothing_is_committed_without_it(repository: Path) -> None:
    ran = hook(repository)
    done = advance(repository)

    assert (done.code, done.err) == (0, NOT_ALLOWED.format("the hook pre-commit"))
    assert "to commit: git add " in done.out
    assert (head(repository), ran.exists()) == ("first", False)
    assert git(repository, "diff", "--cached", "--name-only") == ""
    assert ">  testing" in vfcc(repository, "sprint", "show").out


def test_a_hook_that_is_allowed_runs(repository: Path) -> None:
    ran = hook(repository)
    shown = vfcc(repository, "allow", "--yes", env=CI)
    assert shown.code == 0
    assert f"  hook pre-commit: {repository}/.git/hooks/pre-commit (sha256:" in shown.out
    assert not ran.exists()

    done = advance(repository)

    assert (done.code, done.err) == (0, "")
    assert (head(repository), ran.exists()) == ("sprint-02: coding passed", True)


def test_a_hook_that_changed_needs_allowing_again(repository: Path) -> None:
    hook(repository)
    assert vfcc(repository, "allow", "--yes", env=CI).code == 0
    ran = hook(repository, more="true\n")
    checked = vfcc(repository, "allow", "--check")

    assert checked.code == 1
    assert "changed: pre-commit has other content" in checked.out
    assert advance(repository).err == NOT_ALLOWED.format("the hook pre-commit")
    assert not ran.exists()


@pytest.mark.sweep
def test_hooks_that_a_commit_does_not_start_need_no_leave(repository: Path) -> None:
    hook(repository, "pre-push")
    hook(repository, "pre-commit.sample")
    (repository / ".git/hooks/commit-msg").write_text("not executable\n")

    assert advance(repository).err == ""
    assert head(repository) == "sprint-02: coding passed"


@pytest.mark.sweep
def test_a_filter_of_the_repository_is_run_where_it_is_allowed(repository: Path) -> None:
    git(repository, "config", "filter.up.clean", f"touch {repository.parent}/ran; tr a-z A-Z")
    (repository / ".gitattributes").write_text("changes.md filter=up\n")
    assert advance(repository).err == NOT_ALLOWED.format("filter.up.clean")
    assert not (repository.parent / "ran").exists()

    assert "  filter.up.clean: touch " in vfcc(repository, "allow", "--yes", env=CI).out
    assert vfcc(repository, "stage", "reopen", "coding", "--reason", "again", "--commit").err == ""
    assert git(repository, "show", f"HEAD:{DONE}") == "DONE.\n"


def test_programs_of_the_machine_need_no_leave(repository: Path) -> None:
    """Hooks in a folder outside of the project that the person's own settings name are the person's."""
    mine = repository.parent / "mine"
    mine.mkdir()
    (repository / ".git/hooks").mkdir(exist_ok=True)
    hook(repository).unlink(missing_ok=True)
    (repository / ".git/hooks/pre-commit").rename(mine / "pre-commit")
    settings = repository.parent / "settings"
    settings.write_text(f"[core]\n\thooksPath = {mine}\n")

    assert advance(repository, GIT_CONFIG_GLOBAL=str(settings)).err == ""
    assert (repository.parent / "ran").exists()


def test_a_folder_in_the_project_that_the_machines_settings_name_is_the_projects(repository: Path) -> None:
    ran = hook(repository)
    (repository / ".git/hooks/pre-commit").rename(repository / "pre-commit")
    settings = repository.parent / "settings"
    settings.write_text("[core]\n\thooksPath = .\n")

    done = advance(repository, GIT_CONFIG_GLOBAL=str(settings))
    assert (done.err, ran.exists()) == (NOT_ALLOWED.format("the hook pre-commit"), False)


@pytest.mark.sweep
def test_a_configuration_that_always_commits_runs_nothing_that_is_not_allowed(tmp_path: Path) -> None:
    world = hostile_settings(tmp_path)
    (world.root / ".memory/config.yaml").write_text("format: 1\ngit:\n  commit: always\n")
    before = (world.root / ".git/refs/heads/main").read_bytes()
    for line in ("sprint start Other", "stage skip --sprint other --reason no", "feedback add Why? --sprint login"):
        done = by_person(world.root, *line.split(), *(["--yes"] if "skip" in line else []), env=world.env)
        assert world.ran() == []
        assert "Traceback" not in done.err
    assert "not allowed yet: vfcc allow" in by_person(world.root, "sprint", "start", "Third", env=world.env).err
    assert (world.root / ".git/refs/heads/main").read_bytes() == before
    assert world.ran() == []


def test_a_person_sees_what_git_runs_before_it_is_allowed(repository: Path) -> None:
    hook(repository)
    git(repository, "config", "gpg.program", "./sign\x1b[31m")
    shown = vfcc(repository, "allow", "--check")

    assert shown.code == 1
    assert "git runs at a commit:\n  hook pre-commit: " in shown.out
    assert "  gpg.program: ./sign\\x1b[31m\n" in shown.out
    assert vfcc(repository, "allow", "--check", "--json", "--full").data["git"][1]["name"] == "gpg.program"
    assert "not allowed on this machine" in on_terminal(repository, "allow", "--check").out


def test_who_makes_the_commit_comes_from_the_environment(repository: Path) -> None:
    advance(repository, GIT_AUTHOR_NAME="Ann", GIT_DIR="/nowhere", GIT_INDEX_FILE="/nowhere/index")
    assert git(repository, "log", "-1", "--format=%an %s").strip() == "Ann sprint-02: coding passed"
