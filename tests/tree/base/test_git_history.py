"""What git tells since the sprint's base, from real repositories: changed lines, commits, tags, authors."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.trees import commit, git, repository, write_tree
from verifflowcc.base.git.git_command import asked_once, change_with_git
from verifflowcc.base.git.git_protected import head_commit, read_history
from verifflowcc.base.model.gate_input import Change
from verifflowcc.base.model.people import Contributor

UNKNOWN = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one commit, the base."""
    write_tree(tmp_path / "p", {"a.py": "1\n2\n3\n", "gone.py": "x\n", "same.py": "s\n", ".gitignore": "*.log\n"})
    repository(tmp_path / "p")
    return tmp_path / "p"


def base_of(root: Path) -> str:
    found = head_commit(root)
    assert found is not None
    return found


def names(authors: Mapping[str, tuple[Contributor, ...]]) -> dict[str, set[str]]:
    """Who contributed to each path, by name; `Ann` committed everything."""
    return {path: {each.actor.removeprefix("human:") for each in found} for path, found in authors.items()}


def changes(root: Path, base: str) -> dict[str, tuple[int, ...]]:
    history = read_history(root, base)
    assert history.problem == ""
    return {each.path: each.lines for each in history.changes}


def test_the_commit_that_is_checked_out(root: Path, tmp_path: Path) -> None:
    assert head_commit(root) == git(root, "rev-parse", "HEAD").strip()
    assert head_commit(tmp_path) is None
    git(tmp_path, "init", "--quiet")
    assert head_commit(tmp_path) is None


def test_within_one_look_git_answers_a_question_once_until_this_process_changes_something(root: Path) -> None:
    base = base_of(root)
    with asked_once():
        assert changes(root, base) == {}
        assert head_commit(root) == base
        write_tree(root, {"a.py": "0\n"})
        commit(root, "second")
        assert head_commit(root) == base
        assert changes(root, base) == {}
        assert change_with_git(root, "tag", "seen").code == 0
        assert changes(root, base) == {"a.py": (1,)}
        second = base_of(root)
    write_tree(root, {"a.py": "2\n"})
    commit(root, "third")
    assert len({base, second, base_of(root)}) == 3


def test_changes_are_those_of_the_working_tree_with_the_numbers_of_new_lines(root: Path) -> None:
    base = base_of(root)
    write_tree(root, {"a.py": "1\nnew\n3\nmore\n"})
    commit(root, "second")
    write_tree(root, {"a.py": "0\n1\nnew\n3\nmore\n", "staged.py": "x\n", "new/file.py": "a\nb", "x.log": "l\n"})
    git(root, "add", "staged.py")
    (root / "gone.py").unlink()

    history = read_history(root, base)

    assert history.changes == (
        Change("a.py", (1, 3, 5)),
        Change("gone.py", (), deleted=True),
        Change("new/file.py", (1, 2)),
        Change("staged.py", (1,)),
    )


def test_nothing_since_the_base_is_nothing(root: Path) -> None:
    history = read_history(root, base_of(root))

    assert (history.problem, history.changes, history.commits, history.tags) == ("", (), (), ())
    assert history.authors == {}


def test_the_memory_is_no_change_and_what_tools_leave_behind_only_where_git_has_it(root: Path) -> None:
    base = base_of(root)
    write_tree(root, {".memory/a.md": "a\n", "__pycache__/a.pyc": "x", "b.py": "b\n"})
    assert changes(root, base) == {"b.py": (1,)}
    commit(root, "second")
    assert changes(root, base) == {"b.py": (1,), "__pycache__/a.pyc": (1,)}


def test_files_that_are_no_text_have_no_lines(root: Path) -> None:
    base = base_of(root)
    write_tree(root, {"a.py": b"\0\n\n", "new.bin": b"\0\n\n", "empty.py": ""})
    (root / "link").symlink_to("a.py")
    os.mkfifo(root / "pipe")

    assert changes(root, base) == {"a.py": (), "empty.py": (), "link": (), "new.bin": ()}


def test_a_renamed_file_is_a_new_one(root: Path) -> None:
    base = base_of(root)
    git(root, "mv", "a.py", "b.py")

    assert read_history(root, base).changes == (Change("a.py", (), deleted=True), Change("b.py", (1, 2, 3)))


def test_lines_that_look_like_a_diff_are_lines(root: Path) -> None:
    base = base_of(root)
    text = "+++ b/fake.py\n@@ -1 +1,5 @@\ndiff --git a/x b/x\n--- a/y\na\rb\x0bc\u2028d\n"
    write_tree(root, {"a.py": text})
    commit(root, "second")

    assert changes(root, base) == {"a.py": (1, 2, 3, 4, 5)}


HOSTILE = (b"caf\xe9", "café".encode(), b"a\nb", b'q"uo\\te', b"tab\there ", b"-n", b" b x", b"b", b"+++ b", b":x")


def test_names_of_any_bytes(root: Path) -> None:
    base = base_of(root)
    for name in HOSTILE:
        with open(os.path.join(os.fsencode(root), name), "w", encoding="ascii") as file:  # noqa: PTH118, PTH123
            file.write("1\n2\n")
    shown = {name.decode("utf-8", "backslashreplace").replace("\n", "\\x0a"): (1, 2) for name in HOSTILE}

    assert changes(root, base) == shown
    commit(root, "second")
    assert changes(root, base) == shown
    history = read_history(root, base)
    assert history.commits[0].paths == tuple(sorted(shown))
    assert names(history.authors) == {path: {"Ann"} for path in shown}


def test_names_are_the_same_where_the_locale_knows_no_letters_beyond_ascii(root: Path) -> None:
    base = base_of(root)
    write_tree(root, {"café.py": "1\n"})
    code = (
        "import sys; from pathlib import Path; from verifflowcc.base.git.git_protected import read_history;"
        "from verifflowcc.base.files.project_content import project_content;"
        "r = Path(sys.argv[1]); print(ascii([read_history(r, sys.argv[2]).changes[0].path, *project_content(r, None)]))"
    )
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    from sys import executable

    done = subprocess.run([executable, "-c", code, root, base], env=env, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == ascii(["caf\xe9.py", ".gitignore", "a.py", "caf\xe9.py", "gone.py", "same.py"])


@pytest.mark.points(3)
@pytest.mark.points(9)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.interHunkContext", "9"),
        ("diff.context", "9"),
        ("diff.renames", "copies"),
        ("diff.algorithm", "patience"),
        ("diff.external", "echo"),
        ("diff.relative", "false"),
        ("color.ui", "always"),
        ("core.quotePath", "true"),
        ("core.pager", "false"),
        ("log.showSignature", "true"),
        ("log.decorate", "short"),
        ("log.excludeDecoration", "refs/tags/*"),
        ("log.follow", "true"),
        ("log.date", "relative"),
        ("format.pretty", "oneline"),
        ("i18n.logOutputEncoding", "latin1"),
        ("core.fsmonitor", "false; exit 1"),
    ],
)
def test_no_setting_of_git_changes_what_is_read(root: Path, name: str, value: str) -> None:
    base = base_of(root)
    write_tree(root, {"a.py": "1\n2 new\n3\n4\n5\n6\n7 new\n", "é.py": "x\n"})
    commit(root, "Grüße\n\nCo-authored-by: Zoë <z@example.org>")
    git(root, "mv", "same.py", "other.py")
    git(root, "tag", "v1")
    before = read_history(root, base)
    assert before.tags == ("v1",)
    assert before.commits[0].subject == "Grüße"

    git(root, "config", name, value)

    assert read_history(root, base) == before


@pytest.mark.vfcc("REQ-COMMANDS")
def test_programs_of_gits_configuration_are_not_run(root: Path, tmp_path: Path) -> None:
    base = base_of(root)
    write_tree(root, {".gitattributes": "*.py diff=spy\n", "a.py": "1\n2\n3\n4\n"})
    git(root, "config", "diff.spy.textconv", f"touch {tmp_path}/ran; cat")
    git(root, "config", "diff.spy.command", f"touch {tmp_path}/ran")
    git(root, "config", "diff.external", f"touch {tmp_path}/ran")
    git(root, "config", "core.fsmonitor", f"touch {tmp_path}/ran; false")

    assert changes(root, base)["a.py"] == (4,)
    assert not (tmp_path / "ran").exists()


# Commits, tags and authors


def author(root: Path, name: str, message: str, files: dict[str, str | bytes]) -> None:
    write_tree(root, files)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--author", f"{name} <x@example.org>", "--message", message)


def test_commits_since_the_base_with_their_words_and_paths(root: Path) -> None:
    base = base_of(root)
    author(root, "You", "first: REQ-1\n\nBody\n\nmore\n", {"a.py": "x\n", ".memory/project/a.md": "a\n"})
    author(root, "Other", "second", {"new file.py": "x\n"})
    author(root, "Other", "empty", {})

    commits = read_history(root, base).commits

    assert [(one.author, one.subject, one.body.strip(), one.paths) for one in commits] == [
        ("Other", "empty", "", ()),
        ("Other", "second", "", ("new file.py",)),
        ("You", "first: REQ-1", "Body\n\nmore", (".memory/project/a.md", "a.py")),
    ]
    assert commits[0].sha == base_of(root)


def test_authors_by_path_with_those_that_trailers_name(root: Path) -> None:
    base = base_of(root)
    author(root, "You", "one", {"a.py": "1\n", "b.py": "1\n"})
    author(
        root,
        "Other",
        "two\n\nCo-authored-by: Third One <t@example.org>\nco-authored-by: Fourth\nVfcc-Actor: agent:planner",
        {"b.py": "2\n", ".memory/stage/s/planning/artifacts/plan.md": "p\n"},
    )
    (root / "gone.py").unlink()
    author(root, "Other", "three", {})

    found = read_history(root, base).authors
    expected = {"Ann", "Fourth", "Other", "Third One", "agent:planner"}
    assert names(found) == {
        ".memory/stage/s/planning/artifacts/plan.md": expected,
        "a.py": {"Ann", "You"},
        "b.py": {*expected, "You"},
        "gone.py": {"Ann", "Other"},
    }
    assert Contributor("human:Third One", "t@example.org") in found["b.py"]
    assert Contributor("human:Ann", "ann@example.org") in found["a.py"], "the committer"


def test_a_mailmap_makes_nobody_another(root: Path) -> None:
    base = base_of(root)
    author(root, "You", "one", {"a.py": "1\n", ".mailmap": "Other <o@example.org> <x@example.org>\n"})

    assert names(read_history(root, base).authors)["a.py"] == {"Ann", "You"}


def test_names_of_authors_are_as_actors_have_them(root: Path) -> None:
    base = base_of(root)
    author(root, "Two   \x1b[31mBlanks", "one", {"a.py": "1\n"})

    assert read_history(root, base).commits[0].author == "Two [31mBlanks"


def test_a_replaced_commit_is_read_as_it_was_made(root: Path) -> None:
    base = base_of(root)
    author(root, "You", "one", {"a.py": "1\n"})
    made = base_of(root)
    git(root, "commit", "--quiet", "--amend", "--no-edit", "--author", "Other <o@example.org>")
    git(root, "replace", made, "HEAD")
    git(root, "reset", "--quiet", "--hard", made)

    assert names(read_history(root, base).authors)["a.py"] == {"Ann", "You"}


def test_a_merge_has_the_paths_that_it_changed_itself(root: Path) -> None:
    base = base_of(root)
    git(root, "checkout", "--quiet", "-b", "side")
    author(root, "Other", "on the side", {"side.py": "s\n"})
    git(root, "checkout", "--quiet", "main")
    author(root, "You", "on main", {"main.py": "m\n"})
    git(root, "merge", "--quiet", "--no-commit", "--no-ff", "side")
    author(root, "Third", "merged, and more", {"evil.py": "e\n"})
    git(root, "checkout", "--quiet", "-b", "clean", "HEAD~")
    git(root, "merge", "--quiet", "--no-ff", "--message", "clean merge", "side")

    assert {one.subject: one.paths for one in read_history(root, base).commits} == {
        "clean merge": (),
        "on main": ("main.py",),
        "on the side": ("side.py",),
    }
    git(root, "checkout", "--quiet", "main")
    history = read_history(root, base)
    assert {one.subject: one.paths for one in history.commits} == {
        "merged, and more": ("evil.py",),
        "on main": ("main.py",),
        "on the side": ("side.py",),
    }
    assert names(history.authors) == {
        "evil.py": {"Ann", "Third"},
        "main.py": {"Ann", "You"},
        "side.py": {"Ann", "Other"},
    }


def test_tags_are_those_of_the_commit_that_is_checked_out(root: Path) -> None:
    base = base_of(root)
    git(root, "tag", "at-base")
    assert read_history(root, base).tags == ("at-base",)
    author(root, "You", "one", {"a.py": "1\n"})
    git(root, "tag", "old")
    author(root, "You", "two", {"a.py": "2\n"})
    assert read_history(root, base).tags == ()
    git(root, "tag", "v1,x")
    git(root, "tag", "--annotate", "--message", "m", "release/v1")
    git(root, "branch", "v9")

    assert read_history(root, base).tags == ("release/v1", "v1,x")
    git(root, "checkout", "--quiet", "HEAD~")
    assert read_history(root, base).tags == ("old",)
    assert read_history(root, git(root, "rev-parse", "main").strip()).tags == ("old",), "also behind the base"


def test_a_project_below_the_top_sees_its_own_folder(root: Path) -> None:
    base = base_of(root)
    author(root, "You", "outside", {"top.py": "t\n"})
    author(root, "You", "inside", {"tool/a.py": "1\n", "top.py": "u\n", "tool/.memory/a.md": "x\n"})
    git(root, "checkout", "--quiet", "-b", "side")
    author(root, "Other", "outside, on the side", {"side.py": "s\n"})
    git(root, "checkout", "--quiet", "main")
    git(root, "merge", "--quiet", "--no-commit", "--no-ff", "side")
    author(root, "You", "merge", {"evil.py": "x\n"})
    author(root, "You", "last", {"tool/b.py": "1\n"})
    write_tree(root, {"tool/new.py": "n\n", "new.py": "n\n"})

    history = read_history(root / "tool", base)

    assert [(one.subject, one.paths) for one in history.commits] == [
        ("last", ("b.py",)),
        ("inside", (".memory/a.md", "a.py")),
    ]
    assert [each.path for each in history.changes] == ["a.py", "b.py", "new.py"]


def test_five_processes_do(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = base_of(root)
    author(root, "You", "one", {"a.py": "1\n"})
    spawn, calls = os.posix_spawnp, []

    def counted(*arguments: object, **options: object) -> object:
        calls.append(arguments)
        return spawn(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "posix_spawnp", counted)
    assert read_history(root, base).problem == ""
    assert len(calls) == 5


# Where git cannot tell


def test_why_nothing_is_known_is_told(root: Path, tmp_path: Path) -> None:
    base = base_of(root)
    (tmp_path / "plain").mkdir()
    (tmp_path / "young").mkdir()
    git(tmp_path / "young", "init", "--quiet")
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{root}", "shallow")
    no_commit = "git has no commit 0123456789ab, the sprint's base"
    cases = [
        (root, None, "the sprint has no base: it was started outside of git, or before the first commit"),
        (root, UNKNOWN, no_commit),
        (root, "HEAD", "the sprint's base 'HEAD' is no commit's id"),
        (root, base[:12], f"the sprint's base '{base[:12]}' is no commit's id"),
        (root, "--output=/tmp/x", "the sprint's base '--output=/tmp/x' is no commit's id"),
        (tmp_path / "plain", base, f"{tmp_path}/plain is in no git repository"),
        (tmp_path / "young", base, "the repository has no commit yet"),
        (
            tmp_path / "shallow",
            base,
            "the clone is shallow and its history is cut off; git fetch --unshallow brings the rest",
        ),
        (
            tmp_path / "shallow",
            UNKNOWN,
            f"{no_commit}: the clone is shallow; git fetch --unshallow brings the rest",
        ),
    ]
    for folder, since, problem in cases:
        history = read_history(folder, since)
        assert history.problem == problem
        assert (history.base, history.changes, history.commits, dict(history.authors)) == (since, (), (), {})


def test_a_file_with_the_name_of_a_commit_is_none(root: Path) -> None:
    write_tree(root, {f"{UNKNOWN}^{{commit}}": "x\n"})

    assert read_history(root, UNKNOWN).problem == "git has no commit 0123456789ab, the sprint's base"


def test_without_git_it_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = base_of(root)
    monkeypatch.setenv("PATH", "/nowhere")

    assert head_commit(root) is None
    assert read_history(root, base).problem == "git cannot be run: No such file or directory"


def test_a_broken_repository_is_told(root: Path) -> None:
    base = base_of(root)
    (root / ".git" / "HEAD").unlink()

    assert read_history(root, base).problem == f"{root} is in no git repository"


def test_a_damaged_index_is_told_and_no_empty_answer(root: Path) -> None:
    base = base_of(root)
    (root / ".git" / "index").write_bytes(b"damaged")

    problem = read_history(root, base).problem

    assert problem.startswith("git cannot compare with the sprint's base: ")


def test_tags_hold_while_nothing_but_the_memory_changes(root: Path) -> None:
    """What a sprint puts on record after its tag is committed, too."""
    base = base_of(root)
    author(root, "You", "one", {"a.py": "1\n"})
    git(root, "tag", "v1")
    author(root, "You", "recorded", {".memory/sprint/login/goals.md": "Log in.\n"})
    author(root, "You", "again", {".memory/sprint/login/goals.md": "Log in and out.\n"})
    assert read_history(root, base).tags == ("v1",)

    author(root, "You", "two", {"a.py": "2\n"})
    assert read_history(root, base).tags == ()
    author(root, "You", "and back", {"a.py": "1\n"})
    assert read_history(root, base).tags == (), "the last commit of the project itself has none"


def test_a_tag_on_a_branch_that_was_merged_is_none_of_what_came_out(root: Path) -> None:
    base = base_of(root)
    author(root, "Other", "code", {"a.py": "1\n"})
    git(root, "checkout", "--quiet", "-b", "side", base)
    author(root, "You", "memory", {".memory/sprint/login/goals.md": "Log in.\n"})
    git(root, "tag", "v1")
    git(root, "merge", "--quiet", "--no-edit", "main")

    assert read_history(root, base).tags == ()
