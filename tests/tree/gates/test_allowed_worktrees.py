"""A permission belongs to the repository: its worktrees share it, and nothing that only pretends to be one does."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.trees import git
from verifflowcc.base.git.git_repository import repository_around
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.gates.use.proof_input import allow_command
from verifflowcc.gates.use.proof_input import test_command as command_of
from verifflowcc.sprint.store.allowed import allow, commands_digest, read_allowed, withdraw

pytestmark = pytest.mark.vfcc("REQ-COMMANDS")

AT = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
TEST = {"test": Command("test", ("python", "-m", "pytest"), 600, {})}
QUICK = {"test": Command("test", ("python", "-m", "pytest", "-q"), 600, {})}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Where this machine keeps its data, in the tests."""
    return {"XDG_DATA_HOME": str(tmp_path / "data")}


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A repository with one commit."""
    return repository(tmp_path / "main")


def repository(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "begin")
    return folder


def linked(main: Path, name: str) -> Path:
    git(main, "worktree", "add", "-q", "-b", name, f"../{name}")
    return main.parent / name


def may(root: Path, env: dict[str, str], table: dict[str, Command] = TEST) -> bool:
    digest = commands_digest(table)
    return read_allowed(root, env, digest).digest == digest


def test_a_table_allowed_in_one_worktree_is_allowed_in_all_and_after_it_is_removed(
    main: Path, env: dict[str, str]
) -> None:
    coder, tester = linked(main, "coder"), linked(main, "tester")

    allow(coder, TEST, env, AT)
    git(main, "worktree", "remove", "--force", str(coder))

    assert may(main, env)
    assert may(tester, env)
    assert may(linked(main, "later"), env)


def test_a_branch_with_another_table_needs_its_own_permission_and_takes_none_away(
    main: Path, env: dict[str, str]
) -> None:
    coder = linked(main, "coder")
    allow(main, TEST, env, AT)
    assert not may(coder, env, QUICK)

    allow(coder, QUICK, env, AT)

    assert may(main, env, TEST)
    assert may(main, env, QUICK)


def test_withdrawing_in_one_worktree_withdraws_what_older_versions_allowed_in_each(
    main: Path, env: dict[str, str]
) -> None:
    coder, tester = linked(main, "coder"), linked(main, "tester")
    file = allow(main, TEST, env, AT)
    document = json.loads(file.read_bytes())
    entry = document["projects"][str(main)]
    file.write_text(json.dumps({**document, "projects": {str(main): entry, str(coder): entry}}), encoding="utf-8")
    assert may(coder, env), "by its folder, as before"
    assert may(tester, env), "by the main worktree's"

    assert withdraw(tester, env)

    assert not any(may(each, env) for each in (main, coder, tester))
    assert not withdraw(main, env)


def test_two_projects_of_one_repository_have_a_permission_each(main: Path, env: dict[str, str]) -> None:
    coder = linked(main, "coder")
    for folder in ("a", "a/b"):
        (main / folder).mkdir()
        (coder / folder).mkdir()

    allow(coder / "a", TEST, env, AT)

    assert may(main / "a", env)
    assert not may(main / "a/b", env)
    assert not may(main, env)


def test_worktrees_of_a_bare_repository_share_what_is_allowed(tmp_path: Path, main: Path, env: dict[str, str]) -> None:
    git(tmp_path, "clone", "-q", "--bare", "main", "bare")
    one, two = linked(tmp_path / "bare", "one"), linked(tmp_path / "bare", "two")

    allow(one, TEST, env, AT)

    assert may(two, env)
    assert not may(main, env)


@pytest.mark.parametrize("pretence", ["file", "copied", "link", "commondir", "own folder"])
def test_a_git_folder_that_points_elsewhere_gets_nothing_of_that_repository(
    pretence: str, tmp_path: Path, main: Path, env: dict[str, str]
) -> None:
    """An archive can hold any of these; a repository's own record of its worktrees it cannot."""
    coder, evil = linked(main, "coder"), tmp_path / "evil"
    evil.mkdir()
    match pretence:
        case "file":
            (evil / ".git").write_text(f"gitdir: {main}/.git\n", encoding="utf-8")
        case "copied":
            shutil.copy(coder / ".git", evil / ".git")
        case "link":
            (evil / ".git").symlink_to(main / ".git")
        case "commondir":
            (evil / ".git").mkdir()
            (evil / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
            (evil / ".git/commondir").write_text(f"{main}/.git\n", encoding="utf-8")
        case _:
            private = evil / "kept/worktrees/coder"
            private.mkdir(parents=True)
            (evil / ".git").write_text(f"gitdir: {private}\n", encoding="utf-8")
            (private / "commondir").write_text(f"{main}/.git\n", encoding="utf-8")
            (private / "gitdir").write_text(f"{evil}/.git\n", encoding="utf-8")

    allow(main, TEST, env, AT)

    assert repository_around(str(evil)) is None
    assert not may(evil, env)


def test_a_worktree_is_known_through_a_link_and_with_relative_paths(main: Path, tmp_path: Path) -> None:
    coder = linked(main, "coder")
    (tmp_path / "linked").symlink_to(coder)
    (coder / "src").mkdir()
    found = repository_around(str(tmp_path / "linked/src"))
    assert found is not None
    assert (found.git, found.worktree, found.below) == (str(main / ".git"), "coder", "src")

    (coder / ".git").write_text("gitdir: ../main/.git/worktrees/coder\n", encoding="utf-8")
    (main / ".git/worktrees/coder/gitdir").write_text("../../../../coder/.git\n", encoding="utf-8")
    relative = repository_around(str(coder / "src"))
    assert relative is not None
    assert (relative.git, relative.worktree, relative.below) == (found.git, "coder", "src")
    assert relative.main == str(main / "src")


def proves(top: Path, words: str = "python -m pytest -q") -> bool:
    return command_of(top, top, words).allowed


def allow_proof(top: Path) -> None:
    allow_command(top, command_of(top, top, "python -m pytest -q"), FixedClock(AT))


@pytest.mark.vfcc("REQ-PROVE")
def test_what_prove_may_run_holds_in_all_worktrees_beside_what_the_project_may(
    main: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", env["XDG_DATA_HOME"])
    coder, tester = linked(main, "coder"), linked(main, "tester")
    allow(main, TEST, env, AT)
    assert not proves(main, "python -m pytest"), "a command of the project is none of prove's"

    allow_proof(coder)
    allow_command(tester, command_of(tester, tester, "python -m unittest"), FixedClock(AT))
    git(main, "worktree", "remove", "--force", str(coder))

    assert proves(main)
    assert proves(tester)
    assert proves(main, "python -m unittest")
    assert may(main, env)
    assert withdraw(tester, env)
    assert not proves(main)


@pytest.mark.vfcc("REQ-PROVE")
def test_prove_may_run_nothing_in_a_folder_that_pretends_to_be_a_worktree(
    tmp_path: Path, main: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", env["XDG_DATA_HOME"])
    allow_proof(main)
    for name in ("file", "link"):
        (tmp_path / name).mkdir()
    (tmp_path / "file/.git").write_text(f"gitdir: {main}/.git\n", encoding="utf-8")
    (tmp_path / "link/.git").symlink_to(main / ".git")

    for name in ("file", "link"):
        assert not proves(tmp_path / name), name
        allow_proof(tmp_path / name)
        assert proves(tmp_path / name), "a person can allow it there"
    assert withdraw(tmp_path / "file", env)
    assert not proves(tmp_path / "file")
    assert proves(main)
