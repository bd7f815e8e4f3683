"""Which files a pattern finds, and what cannot be read as memory."""

import os
from pathlib import Path

import pytest

from verifflowcc.base.files.write import LARGEST_FILE_BYTES, ProjectFile, ProjectTree


def tree(root: Path, *names: str) -> ProjectTree:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("text\n", encoding="utf-8")
    return ProjectTree(root)


def paths(found: tuple[ProjectFile, ...]) -> list[str]:
    return [file.path for file in found]


def test_a_star_stays_within_one_name(tmp_path: Path) -> None:
    files = tree(tmp_path, "m/a.md", "m/b.txt", "m/deep/c.md", "m/.hidden.md")

    assert paths(files.find("m", "*.md")) == ["m/a.md"]
    assert paths(files.find("m", "*/*.md")) == ["m/deep/c.md"]


def test_two_stars_span_folders(tmp_path: Path) -> None:
    files = tree(tmp_path, "m/a.md", "m/x/b.md", "m/x/y/c.md", "m/.git/d.md")

    assert paths(files.find("m", "**/*.md")) == ["m/a.md", "m/x/b.md", "m/x/y/c.md"]
    assert paths(files.find("m", "**")) == ["m/a.md", "m/x/b.md", "m/x/y/c.md"]


def test_files_come_sorted_by_path_and_case_counts(tmp_path: Path) -> None:
    files = tree(tmp_path, "m/b.md", "m/B.md", "m/a.md", "m/10.md", "m/9.md")

    assert paths(files.find("m", "*")) == ["m/10.md", "m/9.md", "m/B.md", "m/a.md", "m/b.md"]


def test_what_is_not_there_is_nothing(tmp_path: Path) -> None:
    files = tree(tmp_path, "m/a.md")

    assert files.find("m", "b.md") == files.find("absent", "*.md") == files.find("m/a.md", "*") == ()


@pytest.mark.vfcc("REQ-INSIDE")
@pytest.mark.parametrize("where", ["file", "folder"])
def test_a_link_that_leaves_the_project_is_a_problem(tmp_path: Path, where: str) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    files = tree(project, "m/a.md")
    tree(outside, "secret.md")
    if where == "file":
        (project / "m" / "link.md").symlink_to(outside / "secret.md")
        found = files.find("m", "link.md")
    else:
        (project / "m" / "linked").symlink_to(outside)
        found = files.find("m", "linked/*.md")

    assert [file.problem for file in found] == ["is a link that leaves the project"]


def test_a_link_inside_the_project_is_followed(tmp_path: Path) -> None:
    files = tree(tmp_path, "docs/style.md", "m/a.md")
    (tmp_path / "m" / "style.md").symlink_to("../docs/style.md")

    (found,) = files.find("m", "style.md")

    assert found.problem is None
    assert files.read(found.path) == b"text\n"


def test_what_is_no_memory_is_told_and_never_opened(tmp_path: Path) -> None:
    files = tree(tmp_path, "m/a.md")
    os.mkfifo(tmp_path / "m" / "pipe.md")
    (tmp_path / "m" / "broken.md").symlink_to("nowhere.md")
    (tmp_path / "m" / "circle.md").symlink_to("circle.md")
    with (tmp_path / "m" / "large.md").open("wb") as file:
        file.truncate(LARGEST_FILE_BYTES + 1)

    problems = {file.path: file.problem or "" for file in files.find("m", "*.md")}

    assert problems["m/pipe.md"] == "is not an ordinary file"
    assert problems["m/broken.md"] == "is a broken link"
    assert problems["m/circle.md"].startswith("cannot be read")
    assert problems["m/large.md"].startswith("has 1.0 MiB")
    assert problems["m/a.md"] == ""


def test_every_file_and_folder_looked_at_has_a_stamp(tmp_path: Path) -> None:
    files = tree(tmp_path, "m/a.md")

    files.find("m", "*.md")
    files.find("m", "absent.md")

    assert files.stamps.by_path["m/a.md"]
    assert files.stamps.by_path["m"]
    assert files.stamps.by_path["m/absent.md"] == ""
