"""A project's identity: its repository's first commit and name, wherever its folder lies."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.derived_files import forge_in
from tests.trees import git, repository, write_memory
from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.git.git_identity import _last_part
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.item_scope import Identity, identity_of

pytestmark = pytest.mark.vfcc("REQ-PROJECT-IDENTITY")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, os.devnull)
    monkeypatch.setenv("HOME", str(tmp_path))


def project(folder: Path, files: Mapping[str, str] | None = None, text: str = "x") -> Path:
    """Make a repository with one commit, whose content is `text`."""
    folder.mkdir(parents=True)
    write_memory(folder, {"config.yaml": "format: 1\n", ".gitignore": "local/\n", **(files or {})})
    (folder / "README").write_text(text, encoding="utf-8")
    repository(folder)
    return folder


def of(folder: Path) -> Identity:
    return identity_of(Workspace(folder))


def first_commit(folder: Path) -> str:
    return git(folder, "rev-list", "--max-parents=0", "HEAD").strip()


def test_it_is_the_name_and_the_first_twelve_digits_of_the_first_commit(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    git(root, "commit", "-q", "--allow-empty", "-m", "second")

    found = of(root)

    assert found.root == first_commit(root)
    assert found.text == f"shop@{first_commit(root)[:12]}"
    assert found.name == "shop"


def test_a_clone_in_another_folder_has_the_same_and_another_of_the_same_name_has_not(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    git(tmp_path, "clone", "-q", str(root), "elsewhere")
    other = project(tmp_path / "more" / "shop", text="another")

    assert of(tmp_path / "elsewhere") == of(root)
    assert of(other).name == of(root).name
    assert of(other).text != of(root).text
    assert of(other).folder != of(root).folder


def test_a_copy_that_was_moved_has_the_same_where_a_remote_names_it(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    git(root, "remote", "add", "origin", "git@example.org:team/store.git")
    before = of(root)
    moved = root.rename(tmp_path / "renamed")

    assert before.name == "store"
    assert of(moved) == before


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/team/shop.git", "shop"),
        ("git@example.org:shop.git", "shop"),
        ("host:shop", "shop"),
        ("/srv/shop/.git/", "shop"),
        ("C:\\work\\shop", "shop"),
        ("file:///srv/my%20shop/", "my%20shop"),
        ("", ""),
        ("/.git", ""),
    ],
)
def test_the_name_is_the_last_part_of_where_it_came_from(url: str, name: str) -> None:
    assert _last_part(url) == name


def test_a_project_in_a_subfolder_has_it_in_its_name(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    inner = write_memory(root / "parts" / "till", {"config.yaml": "format: 1\n"})

    assert of(inner).text == f"shop/parts/till@{first_commit(root)[:12]}"
    assert of(inner).folder != of(root).folder


def test_a_worktree_and_a_detached_head_are_the_same_project(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    before = of(root)
    git(root, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"))

    assert of(tmp_path / "tree") == before
    git(root, "checkout", "-q", "--detach")
    assert of(root) == before


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    part = project(tmp_path / "part", text="part")
    root = project(tmp_path / "shop")
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part), "vendored")

    assert of(root / "vendored") == of(part)
    assert of(root / "vendored").text != of(root).text


def test_without_git_or_a_commit_it_is_the_folder(tmp_path: Path) -> None:
    one, two = (write_memory(tmp_path / each / "shop", {"config.yaml": "format: 1\n"}) for each in "ab")
    before = of(one)

    assert before.text.startswith("shop@none-")
    assert len(before.text) == len("shop@none-") + 8
    assert before.root is None
    assert of(two).text != before.text
    git(one, "init", "-q")
    assert of(one) == before


def test_of_several_first_commits_it_is_the_smallest_and_what_is_remembered_agrees(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    remembered = of(root)
    for name in ("one", "two", "three"):
        git(root, "checkout", "-q", "--orphan", name)
        git(root, "commit", "-q", "-m", name)
        git(root, "checkout", "-q", "main")
        git(root, "merge", "-q", "--allow-unrelated-histories", "-m", "joined", name)
        found = of(root)
        roots = git(root, "rev-list", "--max-parents=0", "HEAD").split()
        assert found.root == min(roots)
        shutil.rmtree(root / ".memory" / "local")
        assert of(root) == found
    assert remembered.root in roots


def test_another_branch_with_another_first_commit_is_not_taken_for_the_remembered_one(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    before = of(root)
    git(root, "checkout", "-q", "--orphan", "fresh")
    git(root, "commit", "-q", "-m", "fresh")

    assert of(root).root == first_commit(root) != before.root
    git(root, "checkout", "-q", "main")
    assert of(root) == before


def test_what_is_remembered_is_used_and_belongs_to_this_git_folder_alone(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    before = of(root)
    kept = root / ".memory" / "local" / "identity.json"
    head = git(root, "rev-parse", "HEAD").strip()
    forge_in(kept, f'["{head}"]'.encode(), f'["{"0" * 40}"]'.encode())
    kept.with_name("repository.json").unlink(missing_ok=True)
    assert of(root).root == "0" * 40, "it was not remembered"

    copy = shutil.copytree(root, tmp_path / "copies" / "shop")
    assert of(copy) == before


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"of": 1, "heads": {}}', b"\xff", b"[" * 60_000])
def test_a_damaged_memory_of_it_counts_as_absent(tmp_path: Path, damage: bytes) -> None:
    root = project(tmp_path / "shop")
    before = of(root)
    (root / ".memory" / "local" / "identity.json").write_bytes(damage)

    assert of(root) == before


def test_a_shallow_clone_is_refused_in_a_sentence(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    git(root, "commit", "-q", "--allow-empty", "-m", "second")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{root}", "shallow")

    with pytest.raises(WorkspaceError, match="is a shallow clone") as told:
        of(tmp_path / "shallow")
    assert "VFCC_PROJECT" in str(told.value.hint)


def test_git_that_is_missing_is_told_and_never_makes_another_project_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "shop")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))

    with pytest.raises(WorkspaceError, match="cannot identify the project: git cannot be run"):
        of(root)


def test_a_repository_of_another_user_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(tmp_path / "shop")
    # git's own way to try this is a variable, and vfcc passes none on to git
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {shutil.which("git")} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")

    with pytest.raises(WorkspaceError, match="belongs to another user") as told:
        of(root)
    assert str(told.value.hint).startswith("git config --global --add safe.directory")


def test_the_environment_names_it_before_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(tmp_path / "shop")
    monkeypatch.setenv("VFCC_PROJECT", "our-shop")
    found = of(root)

    assert (found.name, found.root, found.text) == ("our-shop", None, "our-shop")
    assert found.folder.startswith("our-shop-")


def test_what_the_environment_names_has_the_same_folder_as_the_repository_of_that_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shallow clone does, whose items are those of the whole one."""
    there = of(project(tmp_path / "shop"))
    monkeypatch.setenv("VFCC_PROJECT", there.text)
    found = of(project(tmp_path / "elsewhere"))

    assert (found.name, found.text, found.folder) == (there.name, there.text, there.folder)


def test_a_name_that_no_terminal_should_see_is_made_printable(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    git(root, "remote", "add", "origin", "/srv/\x1b[31mshop")

    assert of(root).name.isprintable()
    assert of(root).folder.isascii()


def test_a_memory_that_cannot_be_written_costs_time_and_nothing_else(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    (root / ".memory" / "local").write_text("no folder", encoding="utf-8")

    assert of(root).root == first_commit(root)
