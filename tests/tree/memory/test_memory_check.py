"""`check memory` on real folders: every scope, files that are no items, and what the index remembers."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.memory_faults import item
from tests.trees import OWN, OWN_WORKFLOW, git, repository, write_memory, write_tree
from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.files.private_files import user_home
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use import memory_checking as looking
from verifflowcc.cli.use.memory_checking import MemoryCheck, check_memory

CONFIG = "format: 1\n"
FACT = "project/items/fact"


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def world(tmp_path: Path, files: dict[str, str | bytes]) -> Workspace:
    return Workspace(write_memory(tmp_path / "project", {"config.yaml": CONFIG, **files}))


def codes(checked: MemoryCheck) -> list[tuple[str, str]]:
    return [(each.code, each.path.removeprefix(".memory/")) for each in checked.report.findings]


def test_all_scopes_of_the_project_are_looked_at_in_one_run(tmp_path: Path) -> None:
    folders = ("project/items/fact", "sprint/one", "stage/one/coding", "agent/coder", "local/tasks/t1/items/reasoning")
    bad = item("x", "importance: 9")
    here = world(tmp_path, {f"{folder}/a{n}.md": bad.replace("x", f"x{n}") for n, folder in enumerate(folders)})

    found = [path for code, path in codes(check_memory(here)) if code == "bad-value"]

    assert found == sorted(f"{folder}/a{n}.md" for n, folder in enumerate(folders))


def test_files_that_are_no_items_are_told_by_what_they_are(tmp_path: Path) -> None:
    here = world(
        tmp_path,
        {
            f"{FACT}/latin.md": b"Caf\xe9\n",
            f"{FACT}/large.md": b"x" * (1024 * 1024 + 1),
            f"{FACT}/merge.md": b"a\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n",
        },
    )
    folder = here.memory / FACT
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    (folder / "lost.md").symlink_to("nowhere.md")
    os.mkfifo(folder / "pipe.md")

    found = {path.rpartition("/")[2]: code for code, path in codes(check_memory(here))}

    assert found == {
        "latin.md": "not-utf8",
        "large.md": "too-large",
        "merge.md": "conflict-markers",
        "out.md": "link-outside",
        "lost.md": "unreadable-file",
        "pipe.md": "unreadable-file",
    }


def test_a_sound_memory_has_no_findings_and_an_empty_one_nothing_to_read(tmp_path: Path) -> None:
    here = world(tmp_path, {f"{FACT}/a.md": item("a")})

    assert check_memory(here).report.findings == ()
    assert check_memory(here).anything
    shutil.rmtree(here.memory / "project")
    assert not check_memory(here).anything


def test_an_unchanged_file_is_not_read_again_and_a_changed_one_is(tmp_path: Path) -> None:
    here = world(tmp_path, {f"{FACT}/a{n}.md": item(f"a{n}") for n in range(20)})
    for path in (here.memory / FACT).iterdir():
        os.utime(path, ns=(10**18, 10**18))
    files = {path: path.stat() for path in (here.memory / FACT).iterdir()}
    first = check_memory(here)
    monkey = pytest.MonkeyPatch()
    monkey.setattr(looking, "settled", lambda _: True)  # changes of a moment ago are not waited for
    try:
        check_memory(here)
        assert check_memory(here).read == 0
        (here.memory / FACT / "a3.md").write_text(item("a3", "importance: 9"), encoding="utf-8")
        again = check_memory(here)
    finally:
        monkey.undo()
    assert (first.read, len(files)) == (20, 20)
    assert again.read == 1
    assert codes(again) == [("bad-value", f"{FACT}/a3.md")]


def test_what_is_remembered_says_the_same_as_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = item("a", "importance: 9", "titel: x", "links: [{to: gone, relation: depends_on}]", kind="nope")
    here = world(tmp_path, {f"{FACT}/a.md": bad, f"{FACT}/b.md": b"\xff"})
    monkeypatch.setattr(looking, "settled", lambda _: True)
    read = check_memory(here)
    kept = check_memory(here)

    assert (read.read, kept.read) == (2, 0)
    assert kept.report == read.report
    (here.local / "index.db").write_bytes(b"damaged")
    assert check_memory(here).report == read.report


def test_nothing_is_written_but_the_index(tmp_path: Path) -> None:
    here = world(tmp_path, {f"{FACT}/a.md": item("a", "importance: 9")})
    before = {path: path.read_bytes() for path in here.memory.rglob("*.md")}

    check_memory(here)

    assert {path: path.read_bytes() for path in here.memory.rglob("*.md")} == before
    assert {path.name.split("-")[0] for path in here.local.iterdir()} <= {"index.db", "config.json"}


def test_a_type_of_the_workflow_is_known(tmp_path: Path) -> None:
    own = f"{OWN_WORKFLOW}trace:\n  types:\n    software_unit: {{}}\n"
    here = world(tmp_path, {"sprint/one/a.md": item("a", kind="software_unit")})

    assert codes(check_memory(here)) == [("unknown-type", "sprint/one/a.md")]
    write_memory(here.root, {"workflow.yaml": own, "config.yaml": f"format: 1\nworkflow: {OWN}\n"})
    assert codes(check_memory(here)) == []


def test_refs_are_looked_up_in_the_project(tmp_path: Path) -> None:
    from verifflowcc.base.files.project_content import digest_file

    here = world(tmp_path, {})
    write_tree(here.root, {"src/a.py": "one\n", "src/b.py": "two\n"})
    digest = digest_file(str(here.root / "src/a.py"))
    refs = (
        f"{{path: src/a.py, digest: {digest}}}, {{path: src/b.py, digest: sha256:0}}, src/gone.py, "
        "src, 'https://example.org/x'"
    )
    write_memory(here.root, {f"{FACT}/a.md": item("a", f"refs: [{refs}]")})

    found = [(each.code, each.about) for each in check_memory(here).report.findings]

    assert found == [("ref-gone", "src/gone.py"), ("ref-changed", "src/b.py")]


def test_one_scope_can_be_asked_for(tmp_path: Path) -> None:
    bad = item("x", "importance: 9")
    here = world(tmp_path, {f"{FACT}/a.md": bad, "sprint/one/b.md": bad.replace("x", "y")})

    assert codes(check_memory(here, "sprint/one")) == [("bad-value", "sprint/one/b.md")]
    assert not check_memory(here, "sprint/two").anything
    with pytest.raises(UsageError, match="there is no scope nope"):
        check_memory(here, "nope")


def test_user_memory_needs_no_project(tmp_path: Path) -> None:
    assert not check_memory(None, "user").anything
    write_tree(user_home(), {"user/items/failure/a.md": item("a", kind="failure"), "user/local/b.md": "\xff"})

    assert codes(check_memory(None, "user")) == [("project-type-in-user", "user/items/failure/a.md")]
    with pytest.raises(WorkspaceError):
        check_memory(None)


def test_what_an_interrupted_move_left_in_both_memories_is_told_from_either_side(tmp_path: Path) -> None:
    here = world(tmp_path, {f"{FACT}/a.md": item("a")})
    write_tree(user_home(), {"user/items/fact/a.md": item("a")})

    assert codes(check_memory(here)) == [("in-both", f"{FACT}/a.md")]
    assert codes(check_memory(here, "user")) == [("in-both", "user/items/fact/a.md")]


def test_user_memory_that_cannot_be_read_is_a_notice_for_the_project(tmp_path: Path) -> None:
    here = world(tmp_path, {f"{FACT}/a.md": item("a")})
    write_tree(tmp_path / "config", {"vfcc/config.yaml": "memory: {backend: postgres}\n"})

    (notice,) = check_memory(here).notices

    assert notice.startswith("your own memory was not looked at: ")


def test_items_in_a_database_are_checked_too(tmp_path: Path) -> None:
    from verifflowcc.memory.store.placing import stored_item
    from verifflowcc.memory.use.stores import open_store

    here = world(tmp_path, {"config.yaml": "format: 1\nmemory:\n  backends: {project: sqlite}\n"})
    git(here.root, "init", "-q")
    repository(here.root)
    with open_store(here, "project") as store:
        store.add(stored_item(f".memory/{FACT}/a.md", item("a", "importance: 9").encode()))

    assert codes(check_memory(here)) == [("bad-value", f"{FACT}/a.md")]


def test_an_index_that_another_process_holds_is_a_notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 0)
    here = world(tmp_path, {f"{FACT}/a.md": item("a", "importance: 9")})
    expected = check_memory(here).report
    write_memory(here.root, {f"{FACT}/b.md": item("b")})
    with closing(sqlite3.connect(here.local / "index.db", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        held = check_memory(here)

    assert held.report.findings == expected.findings
    assert any("the index was not updated" in notice for notice in held.notices)
