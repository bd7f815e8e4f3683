"""Which repository a project is of is asked of git once, and again after anything that could change the answer."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tree.memory.test_identity import of, project
from tests.trees import git
from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.layout import SETTLED_AFTER_NS
from verifflowcc.base.git.git_place import top_of
from verifflowcc.base.git.git_repository import repository_around
from verifflowcc.base.git.kept_identity import IDENTITY_KEPT_FILE as FILE

LATER = SETTLED_AFTER_NS + 1


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, looked at later: what was just touched is not trusted by its stamp."""
    now = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + LATER)
    return project(tmp_path / "shop")


def _kept(root: Path) -> Path:
    return root / ".memory" / "local" / FILE


def _without_git(monkeypatch: pytest.MonkeyPatch, root: Path) -> bool:
    """Whether it is known without git."""
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(root / "nothing"))
        try:
            of(root)
        except WorkspaceError:
            return False
    return True


def test_git_is_asked_once(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _without_git(monkeypatch, shop)
    first = of(shop)

    assert _without_git(monkeypatch, shop)
    assert of(shop) == first


def _commit(root: Path) -> None:
    git(root, "commit", "-q", "--allow-empty", "-m", "more")


def _orphan(root: Path) -> None:
    git(root, "checkout", "-q", "--orphan", "fresh")
    git(root, "commit", "-q", "-m", "fresh")


def _packed(root: Path) -> None:
    git(root, "pack-refs", "--all")


def _detached(root: Path) -> None:
    git(root, "checkout", "-q", "--detach")


def _remote(root: Path) -> None:
    git(root, "remote", "add", "origin", "git@example.org:team/store.git")


def _nested(root: Path) -> None:
    shutil.move(root / ".git", root.parent / ".git")


@pytest.mark.parametrize("change", [_commit, _orphan, _packed, _detached, _remote, _nested])
def test_whatever_moved_is_seen(shop: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]) -> None:
    of(shop)
    change(shop)

    assert not _without_git(monkeypatch, shop)
    now = of(shop)
    _kept(shop).unlink()
    assert of(shop) == now


def test_another_origin_is_another_name(shop: Path) -> None:
    assert of(shop).name == "shop"
    _remote(shop)

    assert of(shop).name == "store"


def test_a_repository_that_is_made_inside_is_the_one(shop: Path) -> None:
    inside = shop / "inside"
    (inside / ".memory").mkdir(parents=True)
    before = of(inside)
    git(inside, "init", "-q")
    git(inside, "commit", "-q", "--allow-empty", "-m", "own")

    assert before.root != of(inside).root is not None


def test_a_copy_asks_git_itself(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of(shop)
    copy = shutil.copytree(shop, shop.parent / "copies" / "other")

    assert _kept(copy).exists()
    assert not _without_git(monkeypatch, copy)


def test_worktrees_and_settings_from_elsewhere_are_asked_each_time(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = shop.parent / "tree"
    git(shop, "worktree", "add", "-q", str(tree))
    of(tree)
    assert not _kept(tree).exists()

    of(shop)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "0")
    assert not _without_git(monkeypatch, shop)

    monkeypatch.delenv("GIT_CONFIG_COUNT")
    git(shop, "config", "include.path", "more")
    of(shop)
    assert not _without_git(monkeypatch, shop)


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"told": ["a", null, ""]}', b"\xff", b"[" * 60_000])
def test_what_is_damaged_counts_as_absent(shop: Path, damage: bytes) -> None:
    first = of(shop)
    _kept(shop).write_bytes(damage)

    assert of(shop) == first


def test_what_another_hand_wrote_is_not_taken(shop: Path) -> None:
    first = of(shop)
    _kept(shop).write_text(_kept(shop).read_text("utf-8").replace('"shop"', '"other"'), encoding="utf-8")

    assert of(shop) == first


def test_what_was_just_touched_is_not_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)
    root = project(tmp_path / "shop")
    of(root)

    assert not _kept(root).exists()


def test_an_empty_git_folder_is_passed_over_as_git_does(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of(shop)
    _nested(shop)
    (shop / ".git").mkdir()

    found = of(shop)

    assert git(shop, "rev-parse", "--show-toplevel").strip() == str(shop.parent)
    around = repository_around(str(shop))
    assert around is not None
    assert (top_of(shop), around.top) == (shop.parent, str(shop.parent))
    assert _without_git(monkeypatch, shop)
    assert of(shop) == found
    git(shop, "init", "-q")
    assert not _without_git(monkeypatch, shop)
