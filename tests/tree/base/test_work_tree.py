"""The work tree compared by ids of our own: the answers are git's, and git reads no file to give them."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.trees import commit, git, repository, write_tree
from verifflowcc.base.git.work_tree import index_differences, names_differing, read_work_tree, repository_status

pytestmark = pytest.mark.vfcc("REQ-COMMANDS")

NAMES = ("a.py", "b c.py", "dir/d.py", "é.py", "link")
DOES = ("edit", "touch", "remove", "stage", "intend", "forget", "link", "folder", "mode", "commit", "same")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_tree(tmp_path / "p", {name: f"{name}\n" for name in NAMES})
    repository(tmp_path / "p")
    return tmp_path / "p"


def differing(root: Path, revision: str = "HEAD") -> list[str]:
    return sorted(os.fsdecode(name) for name in names_differing(root, read_work_tree(root), revision))


def by_git(root: Path, *arguments: str) -> list[str]:
    listed = git(root, "diff", "--name-only", "-z", "--no-renames", *arguments)
    return sorted(name for name in listed.split("\0") if name)


def act(root: Path, name: str, what: str) -> None:
    path = root / name
    if what == "edit":
        _cleared(path).write_text(f"{name} edited\n")
    elif what == "touch" and path.is_file():
        os.utime(path)
    elif what == "remove":
        _cleared(path)
    elif what in ("stage", "intend") and os.path.lexists(path) and not path.is_dir():
        git(root, "add", *(["--intent-to-add"] if what == "intend" else []), "--", name)
    elif what == "forget":
        git(root, "rm", "--quiet", "--cached", "--force", "--ignore-unmatch", "--", name)
    elif what == "link":
        _cleared(path).symlink_to("a.py")
    elif what == "folder":
        (_cleared(path) / "inner.py").parent.mkdir(parents=True)
        (path / "inner.py").write_text("inner\n")
    elif what == "mode" and path.is_file() and not path.is_symlink():
        path.chmod(path.stat().st_mode ^ 0o100)
    elif what == "commit":
        git(root, "commit", "--quiet", "--allow-empty", "--message", "more")
    elif what == "same":
        _cleared(path).write_text(f"{name}\n")


def _cleared(path: Path) -> Path:
    if path.is_dir() and not path.is_symlink():
        for each in path.iterdir():
            each.unlink()
        path.rmdir()
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(DOES)), max_size=8))
@example([("a.py", "forget"), ("a.py", "intend")])
@example([("a.py", "forget"), ("a.py", "intend"), ("a.py", "folder")])
def test_the_answers_are_those_of_git(tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]]) -> None:
    root = tmp_path_factory.mktemp("law") / "p"
    write_tree(root, {name: f"{name}\n" for name in NAMES})
    repository(root)
    base = git(root, "rev-parse", "HEAD").strip()
    for name, what in steps:
        act(root, name, what)

    ours, now = differing(root, base), repository_status(root)

    assert ours == by_git(root, base)
    assert now.commit == git(root, "rev-parse", "HEAD").strip()
    listed = git(root, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames")
    assert sorted(line for line, _ in now.lines) == sorted(os.fsencode(line) for line in listed.split("\0") if line)


def test_a_file_that_was_only_touched_is_the_same(root: Path) -> None:
    os.utime(root / "a.py")
    assert differing(root) == []


def test_another_content_of_one_size_and_time_is_seen_after_the_index_was_written(root: Path) -> None:
    before = (root / "a.py").stat()
    (root / "a.py").write_text("b.py\n")
    os.utime(root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert differing(root) == ["a.py"]


def test_line_ends_that_git_would_fold_are_no_difference(root: Path) -> None:
    git(root, "config", "core.autocrlf", "true")
    (root / "a.py").write_bytes(b"a.py\r\n")
    assert (differing(root), by_git(root, "HEAD")) == ([], [])


def test_a_file_of_git_lfs_is_compared_with_its_pointer(root: Path, tmp_path: Path) -> None:
    """The filter of Git LFS is not run; its pointers say which content is meant."""
    data = b"\0picture"
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{hashlib.sha256(data).hexdigest()}\nsize 8\n"
    clean = tmp_path / "clean"
    clean.write_text(f"#!/bin/sh\ncat >/dev/null\nprintf '{pointer.encode('unicode_escape').decode()}'\n")
    clean.chmod(0o755)
    git(root, "config", "filter.lfs.clean", str(clean))
    write_tree(root, {".gitattributes": "*.png filter=lfs\n", "a.png": data})
    commit(root, "picture")
    assert git(root, "show", "HEAD:a.png") == pointer

    os.utime(root / "a.png")
    assert differing(root) == []
    (root / "a.png").write_bytes(b"\0another")
    assert differing(root) == ["a.png"]


def test_a_file_of_another_filter_is_the_same_while_git_knows_its_stamps(root: Path, tmp_path: Path) -> None:
    git(root, "config", "filter.upper.clean", f"touch {tmp_path}/ran; tr a-z A-Z")
    write_tree(root, {".gitattributes": "*.up filter=upper\n", "x.up": "text\n"})
    os.utime(root / "x.up", (1, 1))
    commit(root, "filtered")
    (tmp_path / "ran").unlink()
    assert differing(root) == []

    os.utime(root / "x.up")
    assert differing(root) == ["x.up"], "what the filter makes of it is not known without running it"
    assert not (tmp_path / "ran").exists()
    git(root, "status")
    assert (tmp_path / "ran").exists()


def test_files_that_a_sparse_checkout_leaves_out_are_no_difference(root: Path) -> None:
    git(root, "sparse-checkout", "set", "--no-cone", "/a.py")
    assert not (root / "dir").exists()
    assert differing(root) == []


def test_a_mode_that_the_repository_ignores_is_no_difference(root: Path) -> None:
    (root / "a.py").chmod(0o755)
    assert differing(root) == ["a.py"]
    git(root, "config", "core.fileMode", "false")
    assert differing(root) == []


def test_an_index_in_parts_and_a_linked_worktree_are_read(root: Path) -> None:
    git(root, "update-index", "--split-index")
    (root / "a.py").write_text("edited\n")
    assert differing(root) == ["a.py"]
    git(root, "worktree", "add", "--quiet", "../tree", "HEAD")
    (root.parent / "tree" / "b c.py").write_text("edited\n")
    assert differing(root.parent / "tree") == ["b c.py"]


def test_ids_of_sha256_are_compared_too(tmp_path: Path) -> None:
    root = tmp_path / "p"
    write_tree(root, {"a.py": "a\n", "b.py": "b\n"})
    git(root, "init", "--quiet", "--object-format=sha256", "--initial-branch", "main")
    commit(root, "first")
    os.utime(root / "b.py")
    (root / "a.py").write_text("edited\n")
    assert differing(root) == ["a.py"]


def test_a_file_behind_a_link_in_place_of_its_folder_is_gone(root: Path, tmp_path: Path) -> None:
    write_tree(tmp_path / "elsewhere", {"d.py": "dir/d.py\n"})
    (root / "dir" / "d.py").unlink()
    (root / "dir").rmdir()
    (root / "dir").symlink_to(tmp_path / "elsewhere")
    assert differing(root) == by_git(root, "HEAD") == ["dir/d.py"]


def test_git_opens_no_file_of_the_work_tree(root: Path) -> None:
    """Even a pipe in the place of a file does not make it wait."""
    (root / "a.py").unlink()
    os.mkfifo(root / "a.py")
    assert differing(root) == ["a.py"]
    assert index_differences(root, "HEAD") == {}


def test_what_git_lists_in_another_form_is_no_empty_answer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper = root.parent / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text("#!/bin/sh\nprintf 'something else'\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(Exception, match="in a form that is not known"):
        read_work_tree(root)
    assert subprocess.run(["git"], check=False, capture_output=True).stdout == b"something else"
