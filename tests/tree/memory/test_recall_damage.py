"""Whatever becomes of the index file, recall answers as from one that is built from nothing: damage costs time."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.recalled_world import Answer, answer, home, indexes, lose_index, made, project, remember
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.index import index_file as store
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.use.stores import open_store

pytestmark = pytest.mark.vfcc("REQ-READ-LEXICAL", "REQ-CACHES-ANSWER-ALIKE")

BACKENDS = pytest.mark.parametrize("backend", ["files", "sqlite"])
WORDS = ("tide", "gate", "sluice", "lock", "pump", "crest")
MANY = 25


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps are trusted at once, and nobody waits long for a lock."""
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))
    monkeypatch.setattr(store, "LOCK_WAIT_S", 0.01)


def filled(folder: Path, patch: pytest.MonkeyPatch, backend: str = "files") -> Workspace:
    """A project with many items and a person with a few, all of which were searched once."""
    home(folder, patch, backend)
    here = project(folder, backend)
    chance = random.Random(7)
    texts = [" ".join(chance.choice(WORDS) for _ in range(chance.randint(2, 20))) for _ in range(MANY)]
    with open_store(here, "project") as held:
        held.create_all([made(f"f{number:02}", text, key=f"k{number}") for number, text in enumerate(texts)])
    remember(here, "newer", "The tide gate is new.", links="[{to: f03, relation: supersedes}]")
    remember(here, "mine", "I pump at the tide gate.", "preference", scope="user")
    answers(here)
    return here


def answers(here: Workspace) -> list[Answer]:
    return [answer(here, text, everything=True, limit=100) for text in ("tide gate", "pump lock")]


def flushed(here: Workspace) -> Path:
    """Return the project's index with all that is in it in the one file."""
    path = here.local / "index.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def broken(here: Workspace) -> Iterator[str]:
    """Break the index in one way after the other; yield how."""
    path = flushed(here)
    whole = path.read_bytes()
    ways = {
        "empty": b"",
        "one byte": b"S",
        "half a page": whole[:2048],
        "half": whole[: len(whole) // 2],
        "all but the last page": whole[:-4096],
        "no database": b"x" * len(whole),
        "zeros behind the first page": whole[:4096] + bytes(len(whole) - 4096),
        "pages in another order": whole[:4096] + whole[8192:] + whole[4096:8192],
    }
    for name, data in ways.items():
        lose_index(here)
        path.write_bytes(data)
        yield name
    lose_index(here)
    path.mkdir()
    (path / "file").write_bytes(b"")
    yield "a folder"
    (path / "file").unlink()


@pytest.mark.sweep
@BACKENDS
def test_a_broken_index_answers_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    here = filled(tmp_path, monkeypatch, backend)
    expected = answers(here)
    assert all(len(each) > 3 for each in expected)

    for way in broken(here):
        assert answers(here) == expected, way


STATEMENTS = (
    "UPDATE recall_1_units SET body = 'nothing'",
    "UPDATE recall_1_units SET path = 'nowhere'",
    "UPDATE recall_1_units SET part = 'x', flags = 'x'",
    "UPDATE recall_1_items SET facts = 'nothing'",
    "UPDATE recall_1_items SET path = 'nowhere' || path",
    "DROP TABLE recall_1_units",
    "DROP TABLE recall_1_items",
    "DROP TABLE recall_1_words",
    "DROP TABLE recall_1_terms",
    "DROP TABLE recall_1_links",
    "UPDATE recall_scopes SET number = 77",
    "UPDATE recall_scopes SET lengths = 'nothing'",
    "UPDATE recall_scopes SET lengths = '[1]'",
    "UPDATE recall_scopes SET lengths = '[1, 2, 3, 4, 5, 6]', units = 3",
    "DELETE FROM recall_scopes",
    "DELETE FROM recall_1_words_data WHERE id > 1",
    "DELETE FROM recall_1_words_docsize",
)


@pytest.mark.sweep
@pytest.mark.parametrize("where", ["project", "user"])
def test_a_damaged_row_or_table_answers_as_before_whosever_index_it_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    here = filled(tmp_path, monkeypatch)
    expected = answers(here)
    of_user = where == "user"
    for statement in STATEMENTS:
        (path,) = (each for each in indexes(here) if each.name == "index.db" and ("user" in each.parts) == of_user)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement)
        assert answers(here) == expected, statement


@pytest.mark.sweep
def test_garbage_anywhere_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And where it is not in the blobs of full-text search, which have no checksum, it changes no answer."""
    here = filled(tmp_path, monkeypatch)
    expected, path = answers(here), flushed(here)
    whole, chance, same = path.read_bytes(), random.Random(3), 0
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(chance.choice([1, 8])):
            at = chance.randrange(len(data) - 8)
            data[at : at + 8] = chance.randbytes(8)
        lose_index(here)
        path.write_bytes(data)
        same += answers(here) == expected

    assert same >= 36


def test_an_index_in_a_folder_that_cannot_be_written_is_not_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = filled(tmp_path, monkeypatch)
    expected = answers(here)
    lose_index(here)
    here.local.rename(here.local.with_name("kept"))
    here.local.write_bytes(b"a file in the place of the folder")

    assert answers(here) == expected


def test_an_index_that_another_holds_is_not_waited_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = filled(tmp_path, monkeypatch)
    with closing(sqlite3.connect(here.local / "index.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        remember(here, "late", "The tide gate, later.")
        late = answers(here)
        other.execute("ROLLBACK")

    assert any(name == "late" for _, name, _, _ in late[0])
    assert answers(here) == late


def test_an_index_that_is_removed_while_it_is_asked_answers_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from verifflowcc.memory.use.search_fields import ScopeSearch

    here = filled(tmp_path, monkeypatch)
    expected, found = answers(here), ScopeSearch.found

    def removing(self: ScopeSearch) -> object:
        lose_index(here)
        return found(self)

    with monkeypatch.context() as patch:
        patch.setattr(ScopeSearch, "found", removing)
        assert answers(here) == expected
    assert answers(here) == expected


@BACKENDS
def test_an_index_brought_back_from_a_copy_is_brought_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    here = filled(tmp_path, monkeypatch, backend)
    path = flushed(here)
    older = path.read_bytes()
    remember(here, "late", "The tide gate, later.")
    expected = answers(here)
    flushed(here)
    lose_index(here)
    path.write_bytes(older)

    assert answers(here) == expected
