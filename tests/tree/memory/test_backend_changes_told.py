"""What is told of changes in each situation: no more than changed, and never less."""

import os
import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.tree.backend_items import make
from tests.tree.backend_openers import Files, Sqlite
from tests.tree.backend_writing import KINDS
from tests.tree.changes_model import Copy
from tests.tree.memory.test_backend_files import opened
from tests.tree.memory.test_backends_stopped import writing
from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.model.memory_protocol import MemoryBackend
from verifflowcc.memory.store import memory_items as memory_log
from verifflowcc.memory.store import sqlite_backend
from verifflowcc.memory.store.placing import stored_item

FACTS = ".memory/project/items/fact"
NAMES = "abcdef"


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps are trusted at once: no two texts of a test have one length in one file."""
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))


@pytest.fixture
def files(tmp_path: Path) -> Iterator[MemoryBackend]:
    with closing(Files(tmp_path)("project")) as store:
        store.create_all([make(name) for name in NAMES])
        yield store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[MemoryBackend]:
    with closing(Sqlite(tmp_path)("project")) as store:
        store.create_all([make(name) for name in NAMES])
        yield store


def path_of(name: str) -> str:
    return f"{FACTS}/{name}.md"


def put(root: Path, path: str, name: str, body: str) -> None:
    (root / "p1" / path).write_text(make(name, body=body).text, encoding="utf-8")


@pytest.mark.vfcc("REQ-BACKEND-PROTOCOL", "REQ-SCALE")
@pytest.mark.parametrize("kind", KINDS)
def test_what_did_not_change_is_neither_told_nor_compared(tmp_path: Path, kind: str) -> None:
    with closing(KINDS[kind](tmp_path)("project")) as store:
        store.create_all([make(name) for name in NAMES])
        copy = Copy().bring_up(store)
        assert (len(copy.told), copy.asked) == (6, 1)

        opened.clear()
        for other in (store, KINDS[kind](tmp_path)("project")):
            assert copy.bring_up(other).told == []
        store.add(make("c", body="Changed, and longer.\n"))
        store.delete("d")
        opened.clear()
        assert copy.bring_up(store).told == [path_of("c")]
        assert {Path(path).stem for path in opened if str(tmp_path) in path} <= {"c"}
        assert (path_of("d") in copy.gone, path_of("a") in copy.gone, copy.asked) == (True, False, 1)
        copy.check(store)


@pytest.mark.vfcc("REQ-BACKEND-PROTOCOL")
@pytest.mark.parametrize("kind", KINDS)
def test_other_scopes_are_not_told(tmp_path: Path, kind: str) -> None:
    with closing(KINDS[kind](tmp_path)("project")) as store, closing(KINDS[kind](tmp_path)("sprint/one")) as other:
        store.add(make("a"))
        copy = Copy().bring_up(store)
        other.create_all([make(name, "sprint/one") for name in NAMES])
        assert other.count() == 6
        assert (copy.bring_up(store).told, copy.gone, copy.asked) == ([], (), 1)
        of_other = Copy().bring_up(other)
        other.clear()
        assert len(of_other.bring_up(other).gone) == 6
        assert (copy.bring_up(store).told, copy.gone, copy.asked) == ([], (), 1)


def test_a_place_where_nothing_was_ever_kept_is_left_as_it_is(tmp_path: Path) -> None:
    with closing(Files(tmp_path / "data")("user")) as store:
        assert Copy().bring_up(store).told == []
    assert list(tmp_path.iterdir()) == []


def test_a_scope_whose_folder_went_is_empty(tmp_path: Path, files: MemoryBackend) -> None:
    copy = Copy().bring_up(files)
    shutil.rmtree(tmp_path / "p1/.memory/project")
    copy.bring_up(files)
    assert copy.items == {}


@pytest.mark.vfcc("REQ-BACKEND-FILES")
def test_of_files_with_one_id_the_copy_holds_the_one_that_counts(tmp_path: Path, files: MemoryBackend) -> None:
    copy = Copy().bring_up(files)
    put(tmp_path, f"{FACTS}/0.md", "c", "An earlier path.\n")
    assert copy.bring_up(files).told == [f"{FACTS}/0.md"]
    assert path_of("c") in copy.gone
    put(tmp_path, path_of("c"), "c", "Changed, where it does not count.\n")
    assert copy.bring_up(files).told in ([], [f"{FACTS}/0.md"])
    copy.check(files)
    (tmp_path / "p1" / f"{FACTS}/0.md").unlink()
    assert copy.bring_up(files).told == [path_of("c")]
    copy.check(files)


@pytest.mark.vfcc("REQ-BACKEND-FILES")
def test_a_file_that_is_broken_is_gone_until_it_is_mended(tmp_path: Path, files: MemoryBackend) -> None:
    copy = Copy().bring_up(files)
    (tmp_path / "p1" / path_of("c")).write_bytes(b"\xff")
    assert (copy.bring_up(files).told, copy.gone, len(files.problems)) == ([], (path_of("c"),), 1)
    (tmp_path / "p1" / path_of("c")).write_bytes(b"\xff\xff")
    assert (copy.bring_up(files).told, copy.gone, len(files.problems)) == ([], (), 1)
    put(tmp_path, path_of("c"), "c", "Mended.\n")
    assert copy.bring_up(files).told == [path_of("c")]
    copy.check(files)


@pytest.mark.vfcc("REQ-BACKEND-FILES")
def test_a_file_that_may_change_under_its_stamp_is_told_again(
    tmp_path: Path, files: MemoryBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", 10**15)
    file = tmp_path / "p1" / path_of("c")
    copy = Copy().bring_up(files)
    before = file.stat()
    with file.open("r+b") as opened_file:
        opened_file.write(file.read_bytes().replace(b"Something", b"Otherwise"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    copy.bring_up(files).check(files)
    assert copy.items[path_of("c")].body == "Otherwise.\n"


@pytest.mark.vfcc("REQ-BACKEND-FILES")
def test_a_file_that_goes_before_it_is_read_is_left_out_and_told_the_next_time(
    tmp_path: Path, files: MemoryBackend
) -> None:
    copy = Copy().bring_up(files)
    for name in "abc":
        files.add(make(name, body="Changed, and longer.\n"))
    changes = files.changes(copy.mark, copy.known)
    (tmp_path / "p1" / path_of("a")).unlink()
    put(tmp_path, path_of("b"), "other", "Of another id by now.\n")
    assert [each.item.id for each in changes.changed] == ["c"]
    copy.mark = changes.mark
    copy.bring_up(files)
    assert path_of("a") in copy.gone
    assert copy.items[path_of("b")].item.id == "other"


@contextmanager
def no_more_files() -> Iterator[None]:
    """Let no file be opened inside."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.vfcc("REQ-BACKEND-FILES")
def test_a_file_that_is_there_and_cannot_be_read_is_told_and_not_left_out(files: MemoryBackend) -> None:
    changes = files.changes(None, dict)
    with no_more_files(), pytest.raises(WorkspaceError, match="cannot be read"):
        list(changes.changed)


@pytest.mark.vfcc("REQ-BACKEND-FILES")
def test_after_the_index_is_lost_what_differs_is_told(tmp_path: Path) -> None:
    with closing(Files(tmp_path)("project")) as store:
        store.create_all([make(name) for name in NAMES])
        copy = Copy().bring_up(store)
    put(tmp_path, path_of("c"), "c", "Changed, and longer.\n")
    (tmp_path / "p1" / path_of("d")).unlink()
    for path in (tmp_path / "p1/.memory/local").glob("index.db*"):
        path.unlink()
    with closing(Files(tmp_path)("project")) as store:
        assert copy.bring_up(store).told == [path_of("c")]
        assert path_of("a") not in copy.gone
        copy.check(store)


@pytest.mark.vfcc("REQ-BACKEND-FILES")
def test_an_older_index_that_went_on_is_not_taken_for_the_newer_one(tmp_path: Path, files: MemoryBackend) -> None:
    local = tmp_path / "p1/.memory/local"

    def changed(names: str, body: str) -> None:
        with closing(Files(tmp_path)("project")) as store:
            for name in names:
                put(tmp_path, path_of(name), name, body)
                store.count()

    files.count()
    files.close()
    older = (local / "index.db").read_bytes()
    changed("abc", "Changed.\n")
    with closing(Files(tmp_path)("project")) as store:
        copy = Copy().bring_up(store)
    (local / "index.db").write_bytes(older)
    changed("def", "Changed with the older index.\n")
    with closing(Files(tmp_path)("project")) as store:
        copy.bring_up(store).check(store)


@pytest.mark.vfcc("REQ-BACKEND-FILES")
def test_a_damaged_row_of_the_log_hides_no_change(tmp_path: Path, files: MemoryBackend) -> None:
    copy = Copy().bring_up(files)
    put(tmp_path, path_of("c"), "c", "Changed, and longer.\n")
    files.count()
    with closing(sqlite3.connect(tmp_path / "p1/.memory/local/index.db")) as index, index:
        index.execute("UPDATE memory_changes SET path = replace(path, 'c.md', 'b.md')")
    copy.bring_up(files).check(files)


@pytest.mark.vfcc("REQ-BACKEND-SQLITE")
def test_an_older_copy_of_a_database_that_went_on_is_not_taken_for_the_newer_one(
    tmp_path: Path, database: MemoryBackend
) -> None:
    database.close()
    older = (tmp_path / "p1.db").read_bytes()
    with closing(Sqlite(tmp_path)("project")) as store:
        store.add(make("c", body="Lost.\n"))
        copy = Copy().bring_up(store)
    (tmp_path / "p1.db").write_bytes(older)
    with closing(Sqlite(tmp_path)("project")) as store:
        store.add(make("d", body="Otherwise.\n"))
        assert sorted(copy.bring_up(store).told) == [path_of("c"), path_of("d")]
        copy.check(store)


@pytest.mark.vfcc("REQ-BACKEND-SQLITE")
def test_what_was_taken_back_is_not_held(database: MemoryBackend) -> None:
    def taken_back(copy: Copy) -> None:
        with database.writing():
            database.add(make("c", body="Taken back.\n"))
            copy.bring_up(database).check(database)
            raise RuntimeError

    copy = Copy().bring_up(database)
    with pytest.raises(RuntimeError):
        taken_back(copy)
    assert copy.items[path_of("c")].body == "Taken back.\n"
    database.add(make("d", body="Kept.\n"))
    copy.bring_up(database).check(database)


@pytest.mark.vfcc("REQ-BACKEND-SQLITE")
def test_of_items_with_one_path_one_is_told(database: MemoryBackend) -> None:
    copy = Copy().bring_up(database)
    database.add(stored_item(path_of("c"), make("x").text.encode()))
    copy.bring_up(database).check(database)
    assert copy.items[path_of("c")].item.id == "c"
    Copy().bring_up(database).check(database)
    database.delete("c")
    copy.bring_up(database).check(database)
    assert copy.items[path_of("c")].item.id == "x"


@pytest.mark.vfcc("REQ-BACKEND-SQLITE")
@pytest.mark.parametrize("how", ["UPDATE items SET path = ? WHERE id = 'c'", "REPLACE"])
def test_an_item_that_moved_is_told_where_it_is_and_where_it_was(
    tmp_path: Path, database: MemoryBackend, how: str
) -> None:
    copy, to = Copy().bring_up(database), f"{FACTS}/moved.md"
    with closing(sqlite3.connect(tmp_path / "p1.db")) as connection, connection:
        row = list(connection.execute("SELECT * FROM items WHERE id = 'c'").fetchone())
        if how == "REPLACE":
            row[1] = to
            connection.execute(f"REPLACE INTO items VALUES ({','.join('?' * len(row))})", row)
        else:
            connection.execute(how, (to,))
    assert (copy.bring_up(database).told, copy.gone, copy.asked) == ([to], (path_of("c"),), 1)
    copy.check(database)


def without_log(file: Path) -> None:
    """Take from a database what an older vfcc did not make."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for name in ("items_moved", "items_put", "items_removed", "items_changed"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DROP TABLE changes")
        connection.execute("DROP INDEX items_by_path")


@pytest.mark.vfcc("REQ-BACKEND-SQLITE")
def test_a_database_of_an_older_vfcc_is_compared_until_it_can_have_a_log(
    tmp_path: Path, database: MemoryBackend
) -> None:
    database.close()
    without_log(tmp_path / "p1.db")
    copy = Copy()
    with closing(sqlite3.connect(tmp_path / "p1.db", isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with closing(Sqlite(tmp_path)("project")) as store:
            holder.execute("ROLLBACK")
            assert len(copy.bring_up(store).told) == 6
            store.add(make("c", body="Changed.\n"))
            assert (copy.bring_up(store).told, copy.asked) == ([path_of("c")], 2)
            copy.check(store)
    with closing(Sqlite(tmp_path)("project")) as store:
        asked = copy.bring_up(store).asked
        store.add(make("d", body="Changed.\n"))
        assert (copy.bring_up(store).told, copy.asked) == ([path_of("d")], asked)


@pytest.mark.vfcc("REQ-BACKEND-SQLITE")
def test_a_log_that_was_interrupted_begins_anew(tmp_path: Path, database: MemoryBackend) -> None:
    copy = Copy().bring_up(database)
    database.close()
    with closing(sqlite3.connect(tmp_path / "p1.db")) as connection, connection:
        connection.execute("DROP TRIGGER items_changed")
        connection.execute("DROP TRIGGER items_put")
        row = connection.execute("SELECT path FROM items WHERE id = 'c'").fetchone()
        connection.execute(
            "UPDATE items SET text = replace(CAST(text AS TEXT), 'Something', 'Else') WHERE path = ?", row
        )
        connection.execute("UPDATE items SET text = CAST(text AS BLOB)")
    with closing(Sqlite(tmp_path)("project")) as store:
        assert copy.bring_up(store).told == [path_of("c")]
        copy.check(store)
        asked = copy.asked
        assert copy.bring_up(store).asked == asked


def rows_of(file: Path, table: str) -> int:
    with closing(sqlite3.connect(file)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@pytest.mark.vfcc("REQ-BACKEND-SQLITE")
def test_the_log_of_a_database_stays_short(
    tmp_path: Path, database: MemoryBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_backend, "SHORT", 20)
    followed(database, lambda: rows_of(tmp_path / "p1.db", "changes"))


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BACKEND-FILES")
def test_the_log_of_files_stays_short(tmp_path: Path, files: MemoryBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_log, "SHORT", 20)
    followed(files, lambda: rows_of(tmp_path / "p1/.memory/local/index.db", "memory_changes"))


def followed(store: MemoryBackend, length: Callable[[], int]) -> None:
    """Change a store many times before a copy that follows, one that is late, and one that is much too late."""
    near, late, too_late = Copy().bring_up(store), Copy(), Copy().bring_up(store)
    asked = near.asked
    for turn in range(120):
        store.add(make(NAMES[turn % 6], body="x" * turn + "\n"))
        assert near.bring_up(store).told == [path_of(NAMES[turn % 6])]
        assert length() <= 2 * 6 + 20 + 2
        if turn == 110:
            late = Copy(dict(near.items), near.mark)
    assert (near.asked, late.bring_up(store).asked, too_late.asked) == (asked, 0, asked)
    too_late.bring_up(store)
    assert too_late.asked == asked + 1
    for copy in (near, late, too_late):
        copy.check(store)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BACKEND-PROTOCOL", "REQ-WHOLE-WRITES")
@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_follows_while_another_process_writes_and_is_killed(tmp_path: Path, kind: str) -> None:
    with closing(KINDS[kind](tmp_path)("project")) as store:
        store.add(make("a"))
        copy = Copy()
        for _ in range(3):
            with writing(kind, tmp_path) as process:
                assert process.stdout is not None
                for _ in range(8):
                    process.stdout.readline()
                    copy.bring_up(store)
                process.kill()
            copy.bring_up(store).check(store)
        assert len(copy.items) > 20
