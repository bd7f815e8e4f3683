"""A commit's memory as files: the very bytes of the commit, and the files to which its links lead."""

import subprocess
from pathlib import Path

import pytest

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.git.git_snapshot import committed_tree

PATHS = (".memory", "CLAUDE.md", "AGENTS.md")


def git(folder: Path, *arguments: str) -> None:
    person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *person, *arguments], cwd=folder, check=True, capture_output=True)


def committed(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q")
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    return folder


def test_the_bytes_are_those_of_the_commit_not_of_the_working_tree(tmp_path: Path) -> None:
    root = committed(tmp_path, {".memory/a.md": b"one\n", "other.md": b"x"})
    (root / ".memory" / "a.md").write_bytes(b"changed\n")
    (root / ".memory" / "new.md").write_bytes(b"new\n")

    with committed_tree(root, "HEAD", PATHS) as (folder, commit):
        assert [path.name for path in folder.rglob("*.md")] == ["a.md"]
        assert (folder / ".memory" / "a.md").read_bytes() == b"one\n"
        assert len(commit) == 40
    assert not folder.exists()


def test_export_attributes_and_line_ends_change_nothing(tmp_path: Path) -> None:
    files = {".gitattributes": b"*.md eol=crlf export-subst\nb.md export-ignore\n"}
    root = committed(tmp_path, files | {".memory/a.md": b"$Format:%H$\n", ".memory/b.md": b"b\n"})

    with committed_tree(root, "HEAD", PATHS) as (folder, _):
        assert (folder / ".memory" / "a.md").read_bytes() == b"$Format:%H$\n"
        assert (folder / ".memory" / "b.md").read_bytes() == b"b\n"


def test_what_a_link_leads_to_comes_along_and_what_leaves_does_not(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / "CLAUDE.md").symlink_to("docs/first.md")
    (root / "docs" / "first.md").symlink_to("second.md")
    (root / "AGENTS.md").symlink_to("../outside.md")
    committed(root, {"docs/second.md": b"core\n", ".memory/a.md": b"a\n"})

    with committed_tree(root, "HEAD", PATHS) as (folder, _):
        assert (folder / "CLAUDE.md").read_bytes() == b"core\n"
        assert (folder / "AGENTS.md").is_symlink()
        assert not (folder / "AGENTS.md").exists()


def test_a_project_below_the_top_of_its_repository_has_its_own_memory(tmp_path: Path) -> None:
    root = committed(tmp_path, {"tool/.memory/a.md": b"tool\n", ".memory/a.md": b"top\n"})

    with committed_tree(root / "tool", "HEAD", PATHS) as (folder, _):
        assert (folder / ".memory" / "a.md").read_bytes() == b"tool\n"


def test_no_repository_and_no_such_commit_are_told(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="no git repository"), committed_tree(tmp_path, "HEAD", PATHS):
        pass
    root = committed(tmp_path / "here", {".memory/a.md": b"a"})
    with pytest.raises(UsageError, match="no commit v9"), committed_tree(root, "v9", PATHS):
        pass
