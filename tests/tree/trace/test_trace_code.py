"""The project's files as code: which are read, what is kept of them, and that keeping changes no answer."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from tests.trees import write_memory, write_tree
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.project_content import project_content
from verifflowcc.base.index.index_file import Store
from verifflowcc.base.model.item_values import Ref
from verifflowcc.base.model.trace_codes import DEFAULT_POLICY, TEST_FILES
from verifflowcc.base.model.trace_values import CodeFile, TraceItem
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.code.store.code_files import CodeIndex, read_code_files
from verifflowcc.items.store.item_walk import one_look, walk_items, walk_memory
from verifflowcc.trace.store.trace_cache import TraceIndex, is_memory_plainly
from verifflowcc.trace.use.trace_code import TraceItems, read_code, read_items, read_known, read_outlines, read_whole

pytestmark = pytest.mark.vfcc("REQ-TRACE-MARKS")

MARKED = "# vfcc" + ": REQ-a\ndef f(): ...\n"
TREE: dict[str, str | bytes] = {
    "src/marked.py": MARKED,
    "src/plain.py": "def g(): ...\n",
    "src/named.py": "def h(): ...\n",
    "tests/test_a.py": "def test_a(): ...\n",
    "bin/tool": "#!/bin/sh\n" + MARKED,
    "notes.md": MARKED,
    "data.bin": b"\0" + MARKED.encode(),
    "latin.c": b"// vfcc" + b": REQ-b, REQ-\xfc\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".memory").mkdir()
    return write_tree(tmp_path, TREE)


def scan(
    root: Path, *wanted: str, index: Path | None = None, content: Mapping[str, str] | None = None
) -> dict[str, CodeFile]:
    with CodeIndex(index or root / ".memory/local/index.db") as kept:
        digests = content or project_content(root, None)
        found = read_code_files(root, digests, kept, tests=TEST_FILES, wanted=wanted)
        assert not kept.notices
    assert [each.path for each in found] == sorted(each.path for each in found)
    return {each.path: each for each in found}


def test_files_with_marks_tests_and_wanted_ones_are_told(root: Path) -> None:
    found = scan(root, "src/named.py", "data.bin", "gone.py")

    assert set(found) == {"src/marked.py", "src/named.py", "tests/test_a.py", "bin/tool", "data.bin", "latin.c"}
    assert [each for each in found.values() if each.test] == [found["tests/test_a.py"]]
    assert {path: [mark.ids for mark in each.marks] for path, each in found.items() if each.marks} == {
        "src/marked.py": [("REQ-a",)],
        "bin/tool": [("REQ-a",)],
        "latin.c": [("REQ-b",)],
    }
    assert [each.name for each in found["src/named.py"].symbols] == ["h"]
    assert found["data.bin"].symbols == ()


def test_what_is_kept_changes_no_answer_and_is_used(root: Path) -> None:
    content = project_content(root, None)
    first = scan(root, "src/named.py", content=content)
    for path in TREE:  # a second read would find nothing; permissions would not stop root
        (root / path).write_bytes(b"")
    assert scan(root, "src/named.py", content=content) == first
    assert scan(root, content=content) == {path: each for path, each in first.items() if path != "src/named.py"}


def test_a_file_that_becomes_wanted_is_read_then(root: Path) -> None:
    assert "src/plain.py" not in scan(root)
    assert [each.name for each in scan(root, "src/plain.py")["src/plain.py"].symbols] == ["g"]
    assert "src/plain.py" not in scan(root)


def test_a_copy_is_what_the_first_is_and_a_changed_file_is_read_again(root: Path) -> None:
    first = scan(root)
    write_tree(
        root, {"lib/copy.py": MARKED, "lib/other.c": MARKED, "src/marked.py": MARKED.replace("REQ-a", "REQ-new")}
    )
    found = scan(root)

    assert found["lib/copy.py"].marks == first["src/marked.py"].marks
    assert found["src/marked.py"].marks[0].ids == ("REQ-new",)
    assert "lib/other.c" not in found


@pytest.mark.parametrize("how", ["gone", "damaged rows", "noise"])
def test_a_damaged_index_changes_no_answer(root: Path, how: str) -> None:
    before = scan(root)
    index = root / ".memory/local/index.db"
    if how == "damaged rows":
        with sqlite3.connect(index) as connection:
            connection.execute('UPDATE code SET facts = substr(facts, 1, 8) || \'[[[["REQ-forged"],1,""]],[]]\'')
        connection.close()
    elif how == "noise":
        index.write_bytes(bytes(range(256)) * 64)
    else:
        index.unlink()

    assert scan(root) == before


def test_a_link_is_not_followed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = write_tree(tmp_path_factory.mktemp("outside"), {"a.py": MARKED}) / "a.py"
    (root / "src/link.py").symlink_to(outside)

    assert "src/link.py" not in scan(root)


def test_what_is_no_longer_there_is_forgotten_in_the_end(root: Path) -> None:
    index = root / ".memory/local/index.db"
    with CodeIndex(index) as kept:
        kept.learn({(f"sha256:{number}", "x"): "" for number in range(1_200)}, {("sha256:1199", "x")})
        assert list(kept.known({(f"sha256:{number}", "x") for number in range(1_200)})) == [("sha256:1199", "x")]


def test_the_index_has_the_tables_of_the_trace(tmp_path: Path) -> None:
    store = Store(tmp_path / "index.db")
    names = {name for (name,) in store.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    store.close()

    assert names >= {"code", "trace_items", "trace_reports"}


def test_excluded_files_are_scanned_only_where_an_item_speaks_of_them(root: Path) -> None:
    here, content = Workspace(root), project_content(root, None)
    item = TraceItem("REQ-a", "requirement", "It", "x", "It.", "0" * 20, refs=(Ref("src/marked.py"),))

    assert "src/marked.py" not in {
        each.path for each in read_code(here, content, DEFAULT_POLICY, (), exclude=("src/**",))
    }
    found = {each.path: each for each in read_code(here, content, DEFAULT_POLICY, [item], exclude=("src/**",))}
    assert found["src/marked.py"].marks
    assert "src/named.py" not in found


def test_tags_count_in_a_feature_file_alone_whatever_the_index_knows_of_the_same_text(root: Path) -> None:
    tagged = "@REQ-a\nFeature: Log in\n"
    write_tree(root, {"a.yml": tagged, "b.feature": tagged, "c.c": "// @relation(REQ-a, scope=file)\n"})
    for _ in range(2):
        found = scan(root, "a.yml")
        assert [(mark.ids, mark.symbol) for mark in found["b.feature"].marks] == [(("REQ-a",), "Log in")]
        assert not found["a.yml"].marks
        assert found["c.c"].marks


def test_what_is_kept_of_files_by_path_changes_no_answer(root: Path) -> None:
    local, index = root / ".memory/local", root / ".memory/local/index.db"

    def both(*wanted: str) -> None:
        content = project_content(root, None)
        with CodeIndex(index) as kept:
            found = read_code_files(root, content, kept, tests=TEST_FILES, wanted=wanted, local=local)
        assert {each.path: each for each in found} == scan(root, *wanted, index=root / "../other.db")

    both()
    both("src/named.py", "src/marked.py", "gone.py")
    write_tree(
        root, {"src/plain.py": MARKED, "src/marked.py": "def f(): ...\n", "tests/test_b.py": "def test_b(): ...\n"}
    )
    both()
    (root / "tests/test_a.py").rename(root / "src/was_a_test.py")
    both("src/plain.py")
    both("src/was_a_test.py", "data.bin")
    (local / "trace-code.json").write_text("damaged")
    both()


MEMORY_ITEMS = {
    "project/items/requirement/REQ-A.md": "---\nid: REQ-A\n---\n# A\n\nIt opens.\n",
    "project/items/own/REQ-B.md": "---\nid: REQ-B\ntype: requirement\n---\n# B\n\nIt shuts.\n",
    "project/items/own/one.md": "---\ntype: own\n---\n# One\n\nA word.\n",
    "project/items/fact/two.md": "# Two\n\nA fact.\n",
}


def test_a_command_that_only_reads_looks_at_each_folder_once(tmp_path: Path) -> None:
    here = write_memory(tmp_path, MEMORY_ITEMS)
    with one_look():
        first = walk_items(here, ".memory/project")
        (here / ".memory/project/items/own/one.md").unlink()
        assert walk_items(here, ".memory/project") is first
        assert walk_items(here, ".memory/project/items/own") is not first

    assert len(walk_items(here, ".memory/project").files) == len(first.files) - 1


def known(root: Path) -> TraceItems | None:
    with TraceIndex(root / ".memory/local/index.db") as index:
        return read_known(Workspace(root), walk_memory(root), DEFAULT_POLICY, index)


def test_items_of_known_files_are_those_of_all_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    here = write_memory(tmp_path, MEMORY_ITEMS)
    read_items(Workspace(here), DEFAULT_POLICY)
    _see_the_same(here, parsed=0)

    (here / ".memory/project/items/own/one.md").unlink()
    more = {
        "project/items/own/REQ-B.md": "---\nid: REQ-B\ntype: own\n---\n# B\n\nNo requirement any more.\n",
        "project/items/fact/REQ-C.md": "---\nid: REQ-C\ntype: requirement\n---\n# C\n\nIt is new.\n",
        "project/items/fact/bad.md": "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
    }
    write_memory(here, more)
    _see_the_same(here, parsed=3)

    write_memory(here, {f"project/items/fact/new-{n}.md": "# New\n" for n in range(21)})
    assert known(here) is None


def _see_the_same(here: Path, *, parsed: int) -> None:
    found = known(here)
    assert found is not None
    assert found.parsed == parsed
    whole = read_items(Workspace(here), DEFAULT_POLICY)
    assert (found.items, found.unreadable, found.others) == (whole.items, whole.unreadable, whole.others)


@pytest.mark.parametrize(
    ("front", "folder"),
    [
        ("type: requirement", "fact"),
        ("type: 'requirement'", "fact"),
        ("type: fact\ntype: requirement", "fact"),
        ('"type": requirement', "fact"),
        ("title: x\n? type\n: requirement", "fact"),
        ("title: type", "requirement"),
        ("id: REQ-A", "requirement"),
    ],
)
def test_no_trace_item_is_passed_over_as_memory(front: str, folder: str) -> None:
    for text in (f"---\n{front}\n---\n# A\n", f"\ufeff---\n{front}\n---\n# A\n"):
        assert not is_memory_plainly(f".memory/project/items/{folder}/a.md", text, DEFAULT_POLICY.types)


def test_most_memory_is_known_without_reading_its_fields() -> None:
    for front in ("type: fact", "title: A", "type: failure\ntags: [a]"):
        text = f"---\n{front}\n---\ntype: requirement\n"
        assert is_memory_plainly(".memory/project/items/fact/a.md", text, DEFAULT_POLICY.types)


def outlined(root: Path) -> TraceItems | None:
    with TraceIndex(root / ".memory/local/index.db") as index:
        return read_outlines(Workspace(root), walk_memory(root), DEFAULT_POLICY, index)


def test_outlines_are_of_all_items_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    here = write_memory(tmp_path, MEMORY_ITEMS)
    text = "---\nid: REQ-D\nlinks: [{refines: REQ-A}]\n---\n# D\n\nIt rests.\n"
    write_memory(here, {"project/items/requirement/REQ-D.md": text})
    read_items(Workspace(here), DEFAULT_POLICY)
    _outlines_fit(here)
    write_memory(here, {"project/items/fact/new.md": "# New\n", "project/items/fact/two.md": "# Three\n"})
    _outlines_fit(here)
    _outlines_fit(here)

    write_memory(here, {"project/items/requirement/REQ-D.md": text.replace("rests", "stops")})
    assert outlined(here) is None
    read_items(Workspace(here), DEFAULT_POLICY)
    _outlines_fit(here)
    (here / ".memory/project/items/requirement/REQ-A.md").unlink()
    write_memory(here, {"project/items/fact/REQ-E.md": "---\nid: REQ-E\ntype: requirement\n---\n# E\n"})
    assert outlined(here) is None
    (here / ".memory/project/items/fact/REQ-E.md").unlink()
    _outlines_fit(here)


def test_outlines_where_no_file_changed_ask_for_no_row_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    here = write_memory(tmp_path, MEMORY_ITEMS)
    read_items(Workspace(here), DEFAULT_POLICY)
    before = outlined(here)
    with closing(sqlite3.connect(here / ".memory/local/index.db")) as index:
        index.execute("DELETE FROM trace_items")
        index.commit()

    assert outlined(here) == before is not None
    write_memory(here, {"project/items/fact/new.md": "# New\n"})
    assert outlined(here) != before


def _outlines_fit(here: Path) -> None:
    """An outline has what it must have of the item, and the item can be read by itself."""
    found = outlined(here)
    assert found is not None
    with TraceIndex(here / ".memory/local/index.db") as index:
        asked = (Workspace(here), walk_memory(here), DEFAULT_POLICY, index)
        whole = read_known(*asked)
        assert whole is not None
        assert (found.others, found.unreadable) == (whole.others, whole.unreadable)
        assert [_outline_of(each) for each in found.items] == [_outline_of(each) for each in whole.items]
        paths = [each.path for each in whole.items]
        shown = read_whole(*asked, paths)
    assert shown is not None
    assert shown.items == whole.items


def _outline_of(item: TraceItem) -> tuple[object, ...]:
    links = [(each.to, each.relation) for each in item.links]
    return item.id, item.type, item.title, item.path, item.text, item.digest, item.status, links
