"""Items in files, on two branches: what both add merges clean, what both change is one clear problem."""

import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.tree.backend_conformance import ids
from tests.tree.backend_items import make
from tests.tree.backend_openers import Files
from tests.trees import commit, environment, git, repository
from verifflowcc.base.errors import ConflictError

HERE = "p1"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A committed project with one item."""
    (tmp_path / HERE / ".memory").mkdir(parents=True)
    (tmp_path / HERE / ".memory/.gitignore").write_text("local/\n", encoding="utf-8")
    with closing(Files(tmp_path)("project")) as store:
        store.add(make("common"))
    repository(tmp_path / HERE)
    return tmp_path


def on_branch(root: Path, name: str, *items: tuple[str, str]) -> None:
    git(root / HERE, "switch", "--quiet", "--create", name, "main")
    with closing(Files(root)("project")) as store:
        for item_id, body in items:
            store.add(make(item_id, body=body))
    commit(root / HERE, name)


def merged(root: Path) -> list[str]:
    """Merge `theirs` into `ours`; return the paths in conflict."""
    git(root / HERE, "switch", "--quiet", "ours")
    command = ["git", "merge", "--quiet", "--no-edit", "theirs"]
    subprocess.run(command, cwd=root / HERE, env=environment(root / HERE), capture_output=True, check=False)
    return git(root / HERE, "diff", "--name-only", "--diff-filter=U").splitlines()


def test_what_both_add_merges_clean(root: Path) -> None:
    on_branch(root, "ours", ("a", "Ours.\n"), ("b", "Ours.\n"))
    on_branch(root, "theirs", ("c", "Theirs.\n"))

    assert merged(root) == []
    with closing(Files(root)("project")) as store:
        assert ids(store.list_all()) == ["a", "b", "c", "common"]
        assert store.problems == ()


def test_what_both_change_is_a_conflict_and_one_problem(root: Path) -> None:
    on_branch(root, "ours", ("common", "Ours.\n"), ("a", "Ours.\n"))
    on_branch(root, "theirs", ("common", "Theirs.\n"), ("c", "Theirs.\n"))

    path = ".memory/project/items/fact/common.md"
    assert merged(root) == [path]
    with closing(Files(root)("project")) as store:
        assert ids(store.list_all()) == ["a", "c"]
        assert store.problems == (f"{path}:5: contains merge conflict markers",)
        assert store.get("common") is None
        before = (root / HERE / path).read_bytes()
        with pytest.raises(ConflictError, match=r"common\.md is there already"):
            store.add(make("common"))
        assert (root / HERE / path).read_bytes() == before
