"""The store in a database: its file is the truth, so it is never replaced, and never misread."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.tree.backend_conformance import ids
from tests.tree.backend_items import make
from verifflowcc.base.errors import BackendError, ConflictError
from verifflowcc.memory.store import sqlite_backend as sqlite_file
from verifflowcc.memory.store.sqlite_backend import SqliteBackend

MANY = 300


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database with some items."""
    path = tmp_path / "items.db"
    with closing(SqliteBackend(path, "project")) as store, store.writing():
        for number in range(MANY):
            store.add(make(f"i{number:03}", importance="0.9", body="x" * 200))
    return path


def test_what_one_wrote_the_next_reads(file: Path) -> None:
    with closing(SqliteBackend(file, "project")) as store:
        assert store.count() == MANY
    assert {path.name for path in file.parent.iterdir()} == {"items.db", "items.db-turn"}


def test_a_newer_layout_is_refused_and_left_as_it_is(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = file.read_bytes()
    with pytest.raises(BackendError, match=r"items\.db has layout 99, which is newer than this vfcc"):
        SqliteBackend(file, "project")
    assert file.read_bytes() == before


def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE items (id TEXT)")
    before = file.read_bytes()
    with pytest.raises(BackendError, match=r"other\.db is a database of another program"):
        SqliteBackend(file, "project")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"no database at all" * 500, id="another file"),
        pytest.param(lambda data: bytes(4096) + data[4096:], id="zeroes at the start"),
        pytest.param(lambda data: data[: len(data) // 2], id="cut"),
        pytest.param(lambda data: data[:4096] + b"\xa7" * (len(data) - 4096), id="noise behind the start"),
    ],
)
def test_a_damaged_file_is_told_and_never_replaced(file: Path, damage: Callable[[bytes], bytes]) -> None:
    file.write_bytes(damage(file.read_bytes()))
    damaged = file.read_bytes()
    sentence = r"items\.db (is damaged|is a database of another)"
    with pytest.raises(BackendError, match=sentence), closing(SqliteBackend(file, "project")) as store:
        store.list_all()
    assert file.read_bytes() == damaged


def test_a_closed_store_says_so(file: Path) -> None:
    store = SqliteBackend(file, "project")
    store.close()
    with pytest.raises(BackendError, match="closed"):
        store.count()


def test_a_lock_that_is_held_too_long_is_a_conflict(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "BUSY_S", 0.01)
    with closing(SqliteBackend(file, "project")) as one, closing(SqliteBackend(file, "project")) as other:
        with one.writing():
            with pytest.raises(ConflictError, match="is being written by others"):
                other.add(make("a"))
            assert other.count() == MANY
        other.add(make("a"))
        assert one.get("a") == make("a")


def test_what_raises_within_writing_leaves_nothing(file: Path) -> None:
    with closing(SqliteBackend(file, "project")) as store:
        with pytest.raises(ZeroDivisionError), store.writing():  # noqa: PT012
            store.add(make("a"))
            with store.writing():
                store.clear()
            raise ZeroDivisionError
        assert store.count() == MANY
        with store.writing():
            with pytest.raises(BackendError):
                store.add(make("a", body="<<<<<<< a\n=======\n>>>>>>> b\n"))
            store.add(make("b"))
        assert (store.get("a"), store.count()) == (None, MANY + 1)


def test_columns_that_another_version_made_are_made_again(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE items SET importance = 1, facts = '{}'")
        connection.execute("UPDATE about SET value = '0.0.1'")
    with closing(SqliteBackend(file, "project")) as store:
        assert len(store.query({"importance": 0.9}, limit=MANY)) == MANY
        assert [item.id for item in store.items()] == ids(store.list_all())


def test_columns_answer_without_reading_what_does_not_match(file: Path) -> None:
    with closing(SqliteBackend(file, "project")) as store:
        store.add(make("low", importance="0.1"))
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("UPDATE items SET text = X'FF' WHERE id <> 'low'")
        assert ids(store.query({"importance": {"$lt": 0.5}})) == ["low"]
        with pytest.raises(BackendError, match="is damaged"):
            store.list_all()
