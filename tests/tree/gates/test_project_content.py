"""The project's content: every file of it and no other, each with a digest that follows from its bytes alone."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.trees import commit, git, repository, write_tree
from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files import project_content as module
from verifflowcc.base.files.layout import Stamps
from verifflowcc.base.files.project_content import (
    belongs,
    digest_file,
    listing_begun,
    memory_content,
    project_content,
    read_project_file,
)
from verifflowcc.base.git import git_command
from verifflowcc.base.text.canonical import digest_bytes, digest_text
from verifflowcc.code.store.source_listing import stamps_of
from verifflowcc.gates.store.scratch_tree import known_words

LEFT_BEHIND = (
    ".memory/config.yaml",
    "__pycache__/a.py",
    "src/__pycache__/a.cpython-311.pyc",
    "src/old.pyc",
    ".pytest_cache/v/cache",
    ".mypy_cache/x.json",
    "deep/er/.ruff_cache/x",
    ".hypothesis/examples/x",
    ".coverage",
    ".coverage.host.123",
    ".tox/py/x",
    ".venv/bin/python",
    "web/node_modules/a/index.js",
    "src/pkg.egg-info/PKG-INFO",
)
OWN = ("src/a.py", ".github/workflows/ci.yml", ".coveragerc", "src/.memory/a.md", ".memoryx", "venv.py", "a pyc")


@pytest.fixture(params=["git", "walk"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder whose files are found by git, or by walking; both must find the same."""
    root = tmp_path / "project"
    root.mkdir()
    if request.param == "git":
        git(root, "init", "--quiet")
    return root


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust stamps at once; a test need not wait until a file is old."""
    monkeypatch.setattr("verifflowcc.base.files.layout.SETTLED_AFTER_NS", -(10**18))


def test_its_own_files_are_in_it_and_what_tools_leave_behind_is_not(tree: Path) -> None:
    write_tree(tree, {name: name for name in (*OWN, *LEFT_BEHIND)})

    content = project_content(tree, None)

    assert content == {name: digest_text(name) for name in sorted(OWN)}
    assert list(content) == sorted(OWN)


def test_what_git_has_is_in_it_whatever_its_name(tree: Path) -> None:
    write_tree(tree, {name: name for name in (*OWN, *LEFT_BEHIND)})
    if not (tree / ".git").exists():
        assert set(project_content(tree, None)) == set(OWN)
        return
    git(tree, "add", "--all", "--force")

    tracked = {name for name in LEFT_BEHIND if not name.startswith((".memory", ".git/"))}
    assert set(project_content(tree, None)) == set(OWN) | tracked


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_a_name_alone_says_what_does_not_belong(name: str) -> None:
    assert not belongs(name)


def test_line_ends_of_text_make_no_difference_and_those_of_other_files_do(tree: Path) -> None:
    write_tree(tree, {"unix": b"a\nb\n", "windows": b"a\r\nb\r\n", "b1": b"\0\r\n", "b2": b"\0\n"})

    content = project_content(tree, None)

    assert content["unix"] == content["windows"] == digest_text("a\nb\n")
    assert content["b1"] != content["b2"]


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"ab", b"\0"]), max_size=30).map(b"".join),
    chunk=st.integers(1, 7),
)
def test_a_file_read_in_parts_has_the_digest_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, chunk: int
) -> None:
    (tmp_path / "x").write_bytes(text)
    with monkeypatch.context() as patched:
        patched.setattr(module, "_CHUNK_BYTES", chunk)
        probe = chunk
        patched.setattr(module, "_TEXT_PROBE_BYTES", probe)
        found = digest_file(str(tmp_path / "x"))

    assert found == (digest_bytes(text) if b"\0" in text[:probe] else digest_text(text))


def test_what_git_ignores_is_not_in_it_and_what_is_new_is(tmp_path: Path) -> None:
    write_tree(tmp_path, {".gitignore": "build/\n", "build/out.txt": "x", "a.py": "a"})
    repository(tmp_path)
    write_tree(tmp_path, {"new.py": "n"})
    (tmp_path / "a.py").unlink()

    assert list(project_content(tmp_path, None)) == [".gitignore", "new.py"]


def test_a_project_below_the_top_of_its_repository_has_its_own_files(tmp_path: Path) -> None:
    write_tree(tmp_path, {"top.py": "t", "tool/a.py": "a", "tool/sub/b.py": "b"})
    repository(tmp_path)

    assert list(project_content(tmp_path / "tool", None)) == ["a.py", "sub/b.py"]


def test_a_project_that_the_repository_around_it_ignores_is_walked(tmp_path: Path) -> None:
    write_tree(tmp_path, {".gitignore": "*\n", "mine/a.py": "a"})
    git(tmp_path, "init", "--quiet")

    assert list(project_content(tmp_path / "mine", None)) == ["a.py"]


def test_the_variables_of_a_git_hook_lead_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("here", "other"):
        write_tree(tmp_path / name, {f"{name}.py": "x"})
        repository(tmp_path / name)
    write_tree(tmp_path / "here", {".git/info/exclude": "*.log\n", "x.log": "x"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other" / ".git" / "index"))

    assert list(project_content(tmp_path / "here", None)) == ["here.py"]


def test_a_file_with_two_sides_of_a_merge_stands_once(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "0\n"})
    repository(tmp_path)
    git(tmp_path, "checkout", "--quiet", "-b", "side")
    write_tree(tmp_path, {"a.py": "1\n"})
    commit(tmp_path, "side")
    git(tmp_path, "checkout", "--quiet", "main")
    write_tree(tmp_path, {"a.py": "2\n"})
    commit(tmp_path, "main")
    with pytest.raises(AssertionError):
        git(tmp_path, "merge", "--quiet", "side")

    text = (tmp_path / "a.py").read_bytes()
    assert b"<<<<<<<" in text
    assert project_content(tmp_path, None) == {"a.py": digest_text(text)}


def test_a_link_counts_by_where_it_leads_and_its_content_where_that_is_none_of_the_projects(
    tree: Path, tmp_path: Path
) -> None:
    write_tree(tmp_path, {"outside.txt": "one", "folder/x.txt": "x"})
    write_tree(tree, {"own.txt": "own", ".gitignore": "cache/\n", "cache/x": "1"})
    for name, to in {"a": "../outside.txt", "b": "../folder", "c": "gone", "d": "own.txt", "e": "..", "f": "."}.items():
        (tree / name).symlink_to(to)
    before = project_content(tree, None)
    write_tree(tmp_path, {"outside.txt": "two"})
    write_tree(tree, {"own.txt": "other"})

    links = {name: digest_bytes(f"link:{to}".encode()) for name, to in (("c", "gone"), ("d", "own.txt"), ("e", ".."))}
    assert links.items() <= before.items()
    assert _changed(before, project_content(tree, None)) == {"a", "own.txt"}
    write_tree(tmp_path, {"folder/sub/y.txt": "y"})
    assert _changed(before, project_content(tree, None)) == {"a", "b", "own.txt"}


def test_a_link_to_what_git_ignores_counts_by_its_content(tmp_path: Path) -> None:
    write_tree(tmp_path, {".gitignore": "build/\n", "build/out.py": "a = 1\n"})
    repository(tmp_path)
    (tmp_path / "lib").symlink_to("build")
    before = project_content(tmp_path, None)
    write_tree(tmp_path, {"build/out.py": "a = 2\n"})

    assert _changed(before, project_content(tmp_path, None)) == {"lib"}


def test_a_link_to_more_files_than_can_be_compared_is_refused(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifflowcc.base.files.project_content.MOST_LINKED_FILES", 2)
    write_tree(tmp_path, {f"folder/{name}": name for name in "abc"})
    (tree / "lib").symlink_to("../folder")

    with pytest.raises(WorkspaceError, match="lib leads to more than 2 files") as told:
        project_content(tree, None)

    assert told.value.hint
    assert told.value.hint.startswith("git rm --cached lib")


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> set[str]:
    return {name for name in {*before, *now} if before.get(name) != now.get(name)}


def test_names_of_any_bytes_are_told_apart_and_can_be_written_down(tree: Path) -> None:
    names = [b"caf\xe9", "café".encode(), b"a\nb", b'q"uo\\te', b"-n", b" ", b"caf\\xe8", b"caf\xe8"]
    for number, name in enumerate(names):
        with open(os.path.join(os.fsencode(tree), name), "w", encoding="ascii") as file:  # noqa: PTH118, PTH123
            file.write(str(number))

    content = project_content(tree, None)

    assert sorted(content) == sorted(["caf\\xe9", "café", "a\\x0ab", 'q"uo\\te', "-n", " ", "caf\\xe8"])
    assert all(name.encode() for name in content)
    assert read_project_file(tree, "caf\\xe9") == b"0"
    assert read_project_file(tree, "café") == b"1"
    assert read_project_file(tree, "a\\x0ab") == b"2"
    write_tree(tree, {"caf\\xe8": "changed"})
    assert project_content(tree, None)["caf\\xe8"] != content["caf\\xe8"], "two names that look alike count both"


def test_pipes_are_no_files_and_do_not_hang(tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    write_tree(tree, {"a.py": "a"})

    assert list(project_content(tree, None)) == ["a.py"]
    assert read_project_file(tree, "pipe") is None
    assert known_words(tree, ["pipe"]) == frozenset()


def _closed(path: Path) -> bool:
    path.chmod(0)
    return not os.access(path, os.R_OK)


def test_a_file_that_cannot_be_read_is_an_error_and_not_left_out(tree: Path) -> None:
    write_tree(tree, {"a.py": "a"})
    if not _closed(tree / "a.py"):
        pytest.skip("permissions do not bind this user")

    with pytest.raises(WorkspaceError, match=r"cannot read .*a\.py: Permission denied"):
        project_content(tree, None)


# A repository inside the project


def nested(root: Path, name: str) -> Path:
    inner = write_tree(root / name, {"x.py": "x\n", "y.py": "y\n"})
    repository(inner)
    return inner


def test_a_repository_inside_counts_as_one_file_by_its_commit_and_what_differs_from_it(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "a"})
    repository(tmp_path)
    inner = nested(tmp_path, "lib")
    seen = [project_content(tmp_path, None)]
    assert list(seen[0]) == ["a.py", "lib"]

    def changed() -> None:
        seen.append(project_content(tmp_path, None))
        assert seen[-1]["lib"] not in [before["lib"] for before in seen[:-1]]

    write_tree(inner, {"x.py": "dirty\n"})
    changed()
    write_tree(inner, {"x.py": "dirtier\n"})
    changed()
    write_tree(inner, {"new file.py": "n\n"})
    changed()
    (inner / "link").symlink_to("new file.py")
    changed()
    write_tree(inner, {"new file.py": "other\n"})
    changed()
    (inner / "y.py").unlink()
    changed()
    git(inner, "add", "--all")
    git(inner, "commit", "--quiet", "--message", "second")
    changed()
    git(inner, "checkout", "--quiet", "HEAD~")
    assert project_content(tmp_path, None) == seen[0]


def test_links_of_a_repository_inside_are_followed_where_they_leave(tmp_path: Path) -> None:
    outside = write_tree(tmp_path / "outside", {"one.py": "1", "folder/two.py": "2"})
    root = write_tree(tmp_path / "p", {"a.py": "a"})
    repository(root)
    inner = nested(root, "lib")
    before = project_content(root, None)["lib"]
    (inner / "one").symlink_to(outside / "one.py")
    git(inner, "add", "one")
    git(inner, "commit", "--quiet", "--message", "a link")
    (inner / "two").symlink_to(outside / "folder")
    (inner / "own").symlink_to("x.py")
    (inner / "project").symlink_to("../a.py")
    seen = [before, project_content(root, None)["lib"]]

    def changed(where: Path, name: str) -> bool:
        write_tree(where, {name: f"{len(seen)} again"})
        seen.append(project_content(root, None)["lib"])
        return seen[-1] not in seen[:-1]

    assert changed(outside, "one.py")
    assert changed(outside, "folder/two.py")
    assert not changed(root, "a.py")
    assert changed(inner, "x.py")


def test_a_submodule_counts_by_its_commit_and_one_not_fetched_is_not_there(tmp_path: Path) -> None:
    inner = nested(tmp_path, "inner")
    outer = write_tree(tmp_path / "outer", {"a.py": "a"})
    repository(outer)
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    commit(outer, "with a submodule")
    before = project_content(outer, None)
    assert list(before) == [".gitmodules", "a.py", "lib"]

    write_tree(outer / "lib", {"x.py": "dirty\n"})
    assert project_content(outer, None)["lib"] != before["lib"]
    git(outer, "submodule", "--quiet", "deinit", "--force", "lib")
    assert list(project_content(outer, None)) == [".gitmodules", "a.py"]


def test_a_file_that_became_a_folder_is_that_folders_files(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a": "a"})
    repository(tmp_path)
    (tmp_path / "a").unlink()
    write_tree(tmp_path, {"a/b": "b"})

    assert list(project_content(tmp_path, None)) == ["a/b"]


def test_a_list_that_git_began_before_gives_the_same_content_and_git_is_not_asked_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tree, {"a.py": "a", "ä/b.py": "b", "src/old.pyc": "x", ".memory/x": ""})
    whole = project_content(tree, None)
    with listing_begun(tree) as begun:
        monkeypatch.setattr(module, "ask_git", None)
        assert (
            project_content(tree, None, begun=begun) == whole == {"a.py": digest_text("a"), "ä/b.py": digest_text("b")}
        )


def test_git_that_began_a_list_which_is_not_needed_is_stopped(tmp_path: Path) -> None:
    repository(write_tree(tmp_path, {"a.py": "a"}))

    with listing_begun(tmp_path) as begun:
        assert begun is not None
        process = begun._process
        assert process.poll() is None

    assert process.poll() is not None


def test_where_git_cannot_begin_it_is_asked_when_the_list_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(write_tree(tmp_path, {"a.py": "a"}))
    monkeypatch.setattr(git_command, "begin_git", refuse)

    with listing_begun(tmp_path) as begun:
        assert project_content(tmp_path, None, begun=begun) == {"a.py": digest_text("a")}


def refuse(*_: object) -> None:
    raise WorkspaceError("no git")


# What is kept of the last time


@pytest.mark.usefixtures("settled")
def test_a_file_that_did_not_change_is_not_read_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    local = tree / ".memory" / "local"
    write_tree(tree, {"a.py": "a", "b.py": "b", ".memory/x": ""})
    before = project_content(tree, local)
    kept = (local / "content.json").stat()

    reads: list[str] = []

    def noted(full: bytes) -> str:
        reads.append(os.fsdecode(full))
        return digest_file(full)

    monkeypatch.setattr(module, "digest_file", noted)
    assert project_content(tree, local) == before
    assert reads == []
    assert (local / "content.json").stat().st_ino == kept.st_ino, "nothing changed, so nothing is written"
    write_tree(tree, {"b.py": "B"})
    assert project_content(tree, local) == {**before, "b.py": digest_text("B")}
    assert reads == [str(tree / "b.py")]


@pytest.mark.usefixtures("settled")
def test_a_few_changes_among_many_files_are_read_each_time_and_more_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_UNKEPT_PART", 5)
    monkeypatch.setattr(module, "_UNKEPT_BYTES", 100)
    local, texts = tmp_path / ".memory" / "local", {f"{name}.py": name for name in "abcdefghij"}
    write_tree(tmp_path, texts)

    def is_kept_after(changes: Mapping[str, str]) -> bool:
        texts.update(changes)
        write_tree(tmp_path, changes)
        before = (local / "content.json").read_bytes() if local.exists() else b""
        for _ in range(2):
            assert project_content(tmp_path, local) == {name: digest_text(texts[name]) for name in sorted(texts)}
        return (local / "content.json").read_bytes() != before

    assert is_kept_after({})
    assert not is_kept_after({"a.py": "A", "new.py": "N"})
    assert not is_kept_after({"a.py": "AA"}), "a third text of one file counts as one"
    assert is_kept_after({"b.py": "B"})
    assert is_kept_after({"c.py": "C" * 101}), "many bytes take long to read"
    assert not is_kept_after({"d.py": "D" * 9})
    for name in ("e.py", "f.py", "g.py"):
        (tmp_path / name).unlink()
        del texts[name]
    assert is_kept_after({}), "many files are gone"


def test_what_changed_just_now_is_read_again_even_under_the_same_stamp(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "one"})
    project_content(tmp_path, tmp_path / "local")

    found = (tmp_path / "a.py").stat()
    assert not (tmp_path / "local" / "content.json").exists(), "nothing can be trusted yet, so nothing is kept"
    (tmp_path / "a.py").write_text("two")
    os.utime(tmp_path / "a.py", ns=(found.st_atime_ns, found.st_mtime_ns))

    assert project_content(tmp_path, tmp_path / "local")["a.py"] == digest_text("two")


def _false(document: Mapping[str, object]) -> bytes:
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: b"\xff" + data,
        lambda data: data.replace(b"sha256:", b"sha256:0", 1),
        lambda data: data[:-80] + data[-80:].replace(b"a", b"b").replace(b"0", b"1"),
        lambda data: _false({"format": 1, "files": {"a.py": 3}}),
        lambda data: b"[" * 100_000,
    ],
)
@pytest.mark.usefixtures("settled")
def test_damage_to_what_is_kept_changes_no_answer(tmp_path: Path, damage: object) -> None:
    local = tmp_path / ".memory" / "local"
    write_tree(tmp_path, {f"{name}.py": name for name in "abc"})
    whole = project_content(tmp_path, local)
    kept = local / "content.json"
    good = kept.read_bytes()
    assert callable(damage)
    kept.write_bytes(damage(good))

    assert project_content(tmp_path, local) == whole
    assert kept.read_bytes() == good


@pytest.mark.usefixtures("settled")
def test_a_file_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    local = tmp_path / ".memory" / "local"
    write_tree(tmp_path, {"a.py": "a", "b.py": "b"})
    project_content(tmp_path, local)
    (tmp_path / "b.py").unlink()

    assert list(project_content(tmp_path, local)) == ["a.py"]
    assert "b.py" not in (local / "content.json").read_text()


@pytest.mark.usefixtures("settled")
def test_where_nothing_can_be_kept_the_answer_is_the_same(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.py": "a", ".memory/local": "a file in the way"})

    assert project_content(tmp_path, tmp_path / ".memory" / "local") == {"a.py": digest_text("a")}


@pytest.mark.usefixtures("settled")
def test_nothing_is_kept_through_a_link_that_leaves(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    root = write_tree(tmp_path / "project", {"a.py": "a", ".memory/x": ""})
    (root / ".memory" / "local").symlink_to(tmp_path / "elsewhere")

    assert project_content(root, root / ".memory" / "local") == {"a.py": digest_text("a")}
    assert list((tmp_path / "elsewhere").iterdir()) == []


# The memory, single files, and words


def test_the_memory_of_the_project_is_read_apart(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            ".memory/project/decisions/a.md": "a\r\n",
            ".memory/project/items/need/b.md": "b",
            ".memory/sprint/s/goals.md": "g",
            "src/a.py": "x",
        },
    )

    assert memory_content(tmp_path) == {
        ".memory/project/decisions/a.md": digest_text("a\n"),
        ".memory/project/items/need/b.md": digest_text("b"),
    }


def test_no_memory_of_the_project_is_no_files(tmp_path: Path) -> None:
    assert memory_content(tmp_path) == {}


def test_a_single_file_is_read_and_none_where_there_is_none(tmp_path: Path) -> None:
    write_tree(tmp_path, {"build/j.xml": b"<x/>\r\n"})

    assert read_project_file(tmp_path, "build/j.xml") == b"<x/>\r\n"
    for path in ("build", "build/none", "build/j.xml/x", ""):
        assert read_project_file(tmp_path, path) is None


def test_what_lies_outside_is_not_read(tmp_path: Path) -> None:
    write_tree(tmp_path, {"secret": "s", "project/a": "a", "project-2/b": "b"})
    root = tmp_path / "project"
    (root / "link").symlink_to("../secret")
    (root / "folder").symlink_to("..")

    for path in ("link", "folder/secret", "../secret", "../project-2/b", str(tmp_path / "secret")):
        with pytest.raises(WorkspaceError, match="lies outside of the project"):
            read_project_file(root, path)


def test_words_are_those_of_the_texts(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {"a.py": "def test_one(): pass # prüfe", "b.bin": b"word\0", "c.txt": b"caf\xe9 x1", "d": "big " * 2**20},
    )

    found = known_words(tmp_path, ["a.py", "b.bin", "c.txt", "d", "gone.py", "."])

    assert found == {"def", "test_one", "pass", "prüfe", "caf", "x1"}


@pytest.mark.parametrize("first", ["code", "content"])
def test_who_comes_second_looks_at_no_file_that_had_settled_and_sees_the_same(
    tree: Path, settled: None, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    write_tree(tree, {"src/a.py": "a = 1\n", "src/ä b.py": "b = 2\n", "notes.txt": "c\n"})
    (tree / "src/link.py").symlink_to("a.py")
    names = [os.fsencode(each) for each in ("src/a.py", "src/link.py", "src/ä b.py", "src/none.py")]
    alone = stamps_of(tree, names)
    whole = project_content(tree, tree.parent / "local")
    looked: list[str] = []
    lstat = os.lstat

    def noted(path: bytes | str, *, dir_fd: int | None = None) -> os.stat_result:
        looked.append(os.fsdecode(path))
        return lstat(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "lstat", noted)
    shared = Stamps(tree)

    for each in (first, "content" if first == "code" else "code"):
        if each == "code":
            assert stamps_of(tree, names, shared.ordinary) == alone
        else:
            assert project_content(tree, tree.parent / "local", shared) == whole

    assert [looked.count(name) for name in ("src/a.py", "src/ä b.py", "notes.txt")] == [1, 1, 1]
    assert shared.by_path["src/a.py"] == alone[0] == shared.ordinary["src/a.py"]
    assert "src/link.py" not in shared.ordinary


def test_who_comes_second_reads_a_file_that_changed_since_its_digest_was_kept(tree: Path, settled: None) -> None:
    local, shared = tree / ".memory" / "local", Stamps(tree)
    write_tree(tree, {"src/a.py": "a = 1\n"})
    project_content(tree, local)
    write_tree(tree, {"src/a.py": "a = 2\n"})
    stamps_of(tree, [b"src/a.py"], shared.ordinary)

    assert project_content(tree, local, shared) == {"src/a.py": digest_text("a = 2\n")}
