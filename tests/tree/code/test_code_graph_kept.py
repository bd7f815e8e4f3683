"""The code graph that is kept: what it has of a tree, and that it is there the next time."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.tree.code_graph_world import FILES, answers, clean, project, said
from tests.trees import commit, git, repository, write_tree
from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.project_content import project_content
from verifflowcc.base.git.git_command import asked_once
from verifflowcc.code.rules.affected_tests import TestFinder
from verifflowcc.code.rules.binding import Binder
from verifflowcc.code.rules.graph import Head, Mark, ReferenceKind
from verifflowcc.code.rules.repository_map import graph_of
from verifflowcc.code.store import code_graph as code_graph_merging
from verifflowcc.code.store.source_listing import Listing, names_in
from verifflowcc.code.use.code_offers import graph_kept
from verifflowcc.code.use.indexing import bring_up, open_code
from verifflowcc.code.use.tree_states import digest_of

BOTH = pytest.mark.parametrize("in_git", [True, False])


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps are trusted at once."""
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))


@pytest.mark.vfcc("REQ-GRAPH-FILES", "REQ-GRAPH-BUILD")
@BOTH
def test_source_files_are_found_with_their_languages_and_why_one_is_not_read(tmp_path: Path, in_git: bool) -> None:
    here = project(tmp_path, {**FILES, "image.py": b"\0\1", ".gitignore": "built/\n", "built/a.py": "x = 1\n"})
    if in_git:
        repository(tmp_path)
    done = bring_up(here)
    with closing(done.code) as code:
        languages = {path: file.language for path, file in code.files.items() if path != "built/a.py"}
        assert languages == {
            "image.py": "python",
            "main.kt": "",
            "shapes/__init__.py": "python",
            "shapes/base.py": "python",
            "shapes/models.py": "python",
            "tests/test_shapes.py": "python",
            "tool": "python",
        }
        assert ("built/a.py" in code.files) is not in_git
        assert [path for path, _ in done.skipped] == ["image.py", "main.kt"]
        assert dict(done.skipped)["main.kt"] == "there is no grammar for kotlin"
        assert code.files["tests/test_shapes.py"].marks == {Mark.TEST}
        assert code.files["shapes/models.py"].lines == 13
        assert code.files["main.kt"].marks == frozenset()
        if in_git:
            listed = git(tmp_path, "ls-files", "--stage", "shapes/models.py").split()[1]
            assert code.files["shapes/models.py"].blob == listed


def test_names_and_words_lead_to_files(tmp_path: Path) -> None:
    with closing(open_code(project(tmp_path))) as code:
        assert code.defining("Shape") == ["shapes/models.py"]
        assert code.referring("Shape") == ["shapes/models.py", "tests/test_shapes.py"]
        assert code.referring("limit") == ["shapes/base.py", "shapes/models.py"]
        assert code.importing("models") == ["tests/test_shapes.py", "tool"]
        assert code.importing("base") == ["shapes/models.py"]
        assert code.importing("all_shapes") == ["tool"]
        assert code.defining("nowhere") == code.referring("nowhere") == code.importing("nowhere") == []
        assert code.names_like("shapes") == ["all_shapes"]
        assert [each.name for each in code.head("shapes/base.py").definitions] == ["limit", "Base", "save", "write"]
        assert {each.name for each in code.references("shapes/models.py", "Shape")} == {"Shape"}
        assert [each.name for each in code.references("shapes/models.py", kind=ReferenceKind.INHERIT)] == ["Base"]
        everything = code.references("shapes/models.py")
        assert code.references("shapes/models.py", "Base", ReferenceKind.CALL) == ()
        assert [each for each in everything if each.name == "most"] == list(code.references("shapes/models.py", "most"))
        assert (code.head("nowhere.py"), code.references("nowhere.py")) == (Head(), ())
        posted = code.postings(["println", "limit", "nowhere"])
        assert posted["println"] == [("main.kt", 1, 0)]
        assert posted["limit"] == [("shapes/base.py", 2, 1), ("shapes/models.py", 1, 0)]
        assert "nowhere" not in posted
        assert code.lengths()["shapes/__init__.py"] == 0
        assert [each.module for each in code.imports()["shapes/models.py"]] == ["os", ".base", ".base"]


@pytest.mark.vfcc("REQ-GRAPH-STORE")
@BOTH
def test_the_next_time_no_file_is_read(tmp_path: Path, in_git: bool) -> None:
    here = project(tmp_path)
    if in_git:
        repository(tmp_path)
    first = answers(here)
    again = bring_up(here)
    with closing(again.code):
        assert (again.parsed, again.known, again.removed) == (0, 6, 0)
        assert said(again.code) == first


@pytest.mark.vfcc("REQ-GRAPH-UPDATE")
def test_a_changed_file_costs_a_file(tmp_path: Path) -> None:
    here = project(tmp_path)
    repository(tmp_path)
    answers(here)
    write_tree(tmp_path, {"shapes/base.py": "def other():\n    pass\n"})
    (tmp_path / "tool").rename(tmp_path / "tool2")
    (tmp_path / "tests/test_shapes.py").unlink()
    done = bring_up(here)
    with closing(done.code) as code:
        assert (done.parsed, done.known, done.removed) == (1, 4, 2)
        assert code.defining("Base") == []
        assert code.defining("other") == ["shapes/base.py"]
        assert code.referring("all_shapes") == ["tool2"]


def test_what_happens_in_the_memory_folder_is_no_change_of_the_tree(tmp_path: Path) -> None:
    here = project(tmp_path)
    repository(tmp_path)
    before = Listing(tmp_path).read()
    write_tree(tmp_path / ".memory", {"a.py": "x = 1\n", "local/b.py": "x = 1\n"})
    assert Listing(tmp_path).read() == before
    assert not [path for path in answers(here)["files"] if path.startswith(".memory")]


@pytest.mark.parametrize("below", ["", "below"])
def test_within_one_look_git_lists_the_files_of_a_project_once(tmp_path: Path, below: str) -> None:
    root = tmp_path / below
    write_tree(root, {"a.py": "x = 1\n", ".memory/b.py": "x = 1\n"})
    repository(tmp_path)
    with asked_once():
        listed = Listing(root).read()
        write_tree(root, {"late.py": "x = 1\n"})
        assert (names_in(listed), list(project_content(root, None))) == ([b"a.py"], ["a.py"])
    assert list(project_content(root, None)) == ["a.py", "late.py"]


def test_a_file_that_changed_under_its_stamp_shortly_before_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 10**15)
    here = project(tmp_path, {"a.py": "def one(): pass\n"})
    answers(here)
    write_tree(tmp_path, {"a.py": "def two(): pass\n"})
    with closing(open_code(here)) as code:
        assert code.defining("two") == ["a.py"]
        assert code.defining("one") == []


def test_a_file_that_was_just_saved_is_read_into_the_index_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 10**15)
    here = project(tmp_path, {"a.py": "def one(): pass\n"})
    first = answers(here)
    with closing(sqlite3.connect(here.local / "code.db")) as index:
        before = index.execute("PRAGMA data_version").fetchone()
        again = bring_up(here)
        with closing(again.code):
            assert (again.parsed, again.known, again.removed) == (0, 1, 0)
            assert said(again.code) == first
        assert index.execute("PRAGMA data_version").fetchone() == before


def test_a_large_part_is_not_written_again_for_a_few_small_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_graph_merging, "MOST_PARTS", 2)
    monkeypatch.setattr(code_graph_merging, "LARGE_PARTS", 0)
    here = project(tmp_path)
    bring_up(here).code.close()

    def parts() -> list[int]:
        with closing(sqlite3.connect(here.local / "code.db")) as index:
            return [number for (number,) in index.execute("SELECT number FROM parts ORDER BY number")]

    first = parts()
    for number in range(4):
        write_tree(tmp_path, {"shapes/base.py": f"def limit_{number}(): ...\n"})
        bring_up(here).code.close()
        assert parts()[:1] == first
        assert len(parts()) <= 3


def test_a_test_is_compared_by_its_own_lines_not_by_those_that_set_its_class_up(tmp_path: Path) -> None:
    text = "class TestA:\n    def setUp(self):\n        ready()\n\n    def test_one(self):\n        one()\n"
    with closing(open_code(project(tmp_path, {"tests/test_a.py": text}))) as code:
        found = TestFinder(Binder(code), code).texts("tests/test_a.py")
    assert found == {"TestA::test_one": "    def test_one(self):\n        one()"}


@pytest.mark.points(2)
@pytest.mark.parametrize(("most_parts", "large", "most_dead"), [(16, 4, 200), (3, 1, 200), (1, 0, 200), (16, 4, 2)])
def test_parts_are_put_together_and_what_is_gone_is_dropped_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_parts: int, large: int, most_dead: int
) -> None:
    monkeypatch.setattr(code_graph_merging, "MOST_PARTS", most_parts)
    monkeypatch.setattr(code_graph_merging, "LARGE_PARTS", large)
    monkeypatch.setattr(code_graph_merging, "MOST_DEAD", most_dead)
    here = project(tmp_path / "p")
    for number in range(22):
        text = f"import os\n\n\ndef new{number}():\n" + "    shape(area)\n" * (number + 1)
        write_tree(here.root, {f"shapes/new{number % 4}.py": text})
        done = bring_up(here)
        with closing(done.code) as code:
            assert (done.parsed, done.notices) == (7 if number == 0 else 1, ())
            assert said(code) == clean(here, tmp_path / "c.db")
    with closing(sqlite3.connect(here.local / "code.db")) as index:
        ((parts,),) = index.execute("SELECT count(*) FROM parts")
        ((units,),) = index.execute("SELECT count(*) FROM facts")
        orphans = "SELECT count(*) FROM lists WHERE number >> 26 NOT IN (SELECT number FROM parts)"
        assert index.execute(orphans).fetchall() == [(0,)]
    assert parts <= most_parts
    assert units <= 9 + max(most_dead, 9)


def test_texts_that_are_alike_are_kept_once_and_are_in_every_file(tmp_path: Path) -> None:
    here = project(tmp_path, {"a.py": "def one(): pass\n", "b/c.py": "def one(): pass\n"})
    done = bring_up(here)
    with closing(done.code) as code:
        assert done.parsed == 1
        assert code.defining("one") == ["a.py", "b/c.py"]
        assert code.head("a.py") == code.head("b/c.py")


def test_links_and_repositories_inside_are_left_out(tmp_path: Path) -> None:
    here = project(tmp_path / "a", {"a.py": "x = 1\n"})
    other = write_tree(tmp_path / "a" / "inside", {"b.py": "y = 2\n"})
    repository(other)
    (here.root / "link.py").symlink_to("a.py")
    (here.root / "folder").symlink_to("/usr")
    assert list(answers(here)["files"]) == ["a.py"]
    repository(here.root)
    assert list(answers(here)["files"]) == ["a.py"]


def test_names_of_any_bytes_are_shown(tmp_path: Path) -> None:
    here = project(tmp_path, {"a.py": "x = 1\n"})
    (tmp_path / os.fsdecode(b"caf\xe9\n.py")).write_text("def odd(): pass\n")
    repository(tmp_path)
    with closing(open_code(here)) as code:
        assert code.defining("odd") == ["caf\\xe9\n.py"]
        assert code.text("caf\\xe9\n.py") == b"def odd(): pass\n"


def test_a_text_is_given_as_long_as_it_is_the_one_that_was_read(tmp_path: Path) -> None:
    here = project(tmp_path)
    with closing(open_code(here)) as code:
        assert code.text("shapes/base.py") == FILES["shapes/base.py"].encode()
        write_tree(tmp_path, {"shapes/base.py": "x = 1\n"})
        assert code.text("shapes/base.py") is None
        assert code.text("nowhere.py") is None


def test_a_file_too_large_is_told(tmp_path: Path) -> None:
    here = project(tmp_path, {"large.py": b"x = 1\n" * 400_000, "a.py": "x = 1\n"})
    repository(tmp_path)
    done = bring_up(here)
    with closing(done.code) as code:
        assert dict(done.skipped) == {"large.py": "it has more than 1 MiB"}
        assert code.files["large.py"].blob == git(tmp_path, "hash-object", "large.py").strip()
        assert code.references("large.py") == ()
        assert code.imports()["large.py"] == ()


def test_a_commit_is_read_without_the_working_tree(tmp_path: Path) -> None:
    here = project(tmp_path / "a")
    repository(here.root)
    expected = answers(here)
    write_tree(here.root, {"shapes/base.py": "def other(): pass\n", "new.py": "x = 1\n"})
    (here.root / "tool").unlink()
    commit(here.root, "second")
    assert answers(here, commit="HEAD~1") == clean(here, tmp_path / "c.db", "HEAD~1") == expected
    assert answers(here, commit="HEAD") == answers(here)
    done = bring_up(here, commit="HEAD~1")
    with closing(done.code) as code:
        assert done.parsed == 0
        assert code.text("shapes/base.py") == FILES["shapes/base.py"].encode()


def test_a_commit_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    here = project(tmp_path)
    with pytest.raises(WorkspaceError, match="in no git repository"):
        bring_up(here, commit="HEAD")
    repository(tmp_path)
    with pytest.raises(UsageError, match="git has no commit nowhere"):
        bring_up(here, commit="nowhere")


def test_the_graph_of_files_is_kept_while_files_import_the_same(tmp_path: Path) -> None:
    here = project(tmp_path, {**FILES, "net/a.cs": "namespace One;\nclass A {}\n"})
    marks, models = tmp_path / "tests/test_shapes.py", tmp_path / "shapes/models.py"

    def fits() -> bool:
        with closing(open_code(here)) as code:
            kept = graph_kept(here, code)
            assert kept == graph_of(code)
        return kept is not None

    for text in (models.read_text() + "\n\ndef more():\n    return 1\n", models.read_text().replace("base", "other")):
        assert fits()
        models.write_text(text)
    assert fits()
    (tmp_path / "net/a.cs").unlink()
    assert fits()
    for text in ("def test_nothing(): ...\n", "from shapes import base\n\ndef test_nothing(): ...\n"):
        marks.write_text(text)
        assert fits()
        assert fits()
    (tmp_path / "code-none.py").write_text("import shapes.models\n")
    assert fits()
    write_tree(tmp_path, {"net/b.cs": "using Two;\nclass B {}\n", "net/c.cs": "namespace One;\nclass C {}\n"})
    assert fits()
    (tmp_path / "net/c.cs").write_text("namespace Two;\nclass C {}\n")
    assert fits()


def test_two_readings_of_the_same_files_have_one_digest_also_with_a_package_json(tmp_path: Path) -> None:
    here = project(tmp_path, {**FILES, "package.json": '{"name": "shapes", "imports": {"#*": "./shapes/*.js"}}'})
    with closing(open_code(here)) as first, closing(open_code(here)) as second:
        assert first.manifests()["package.json"]
        assert digest_of(first) == digest_of(second)
        assert graph_kept(here, first) == graph_kept(here, second)
