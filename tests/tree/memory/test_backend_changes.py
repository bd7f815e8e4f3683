"""What changed in a store: whoever keeps a copy by it holds what the store holds, whatever happened in between."""

from contextlib import closing
from pathlib import Path

import pytest

from tests.tree.backend_items import make
from tests.tree.backend_openers import Files, InMemory, Sqlite
from tests.tree.changes_model import Copy, Followed, FollowedFiles, FollowedSqlite, following, follows
from tests.tree.memory.test_postgres import Opens
from tests.tree.postgres_server import Server
from verifflowcc.base.files import layout as stamps
from verifflowcc.base.model.memory_protocol import MemoryBackend
from verifflowcc.sprint.store.scanned_backend import scanned_store


class Scanned(InMemory):
    """Stores in memory, each behind a scanner that finds nothing."""

    def __call__(self, scope: str, project: str = "p1") -> MemoryBackend:
        return scanned_store(super().__call__(scope, project), lambda *_: None)


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps are trusted at once: no two writes of a test fall into one tick of the clock."""
    monkeypatch.setattr(stamps, "SETTLED_AFTER_NS", -(10**12))


@pytest.mark.vfcc("REQ-BACKEND-PROTOCOL", "REQ-BACKEND-MEMORY")
@pytest.mark.law
def test_a_copy_follows_a_store_in_memory(tmp_path: Path) -> None:
    follows(following(Followed, Scanned(tmp_path)))


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BACKEND-PROTOCOL", "REQ-BACKEND-FILES")
@pytest.mark.law
def test_a_copy_follows_files_whoever_edits_them(tmp_path: Path) -> None:
    follows(following(FollowedFiles, Files(tmp_path), root=tmp_path / "p1"), examples=30)


@pytest.mark.vfcc("REQ-BACKEND-PROTOCOL", "REQ-BACKEND-SQLITE")
@pytest.mark.law
def test_a_copy_follows_a_database_whichever_copy_is_in_its_place(tmp_path: Path) -> None:
    follows(following(FollowedSqlite, Sqlite(tmp_path), file=tmp_path / "p1.db"))


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BACKEND-PROTOCOL", "REQ-BACKEND-POSTGRES")
@pytest.mark.law
def test_a_copy_follows_a_server(postgres: Server) -> None:
    follows(following(Followed, opener(postgres)), examples=15)


def opener(postgres: Server) -> Opens:
    person = postgres.person("ann")
    postgres.admin(f"SELECT vfcc.admit('{person.role} p1', '{person.role}')")
    return Opens(person)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BACKEND-PROTOCOL", "REQ-BACKEND-POSTGRES")
def test_a_server_makes_the_digests_that_are_made_here(postgres: Server) -> None:
    bodies = [
        "a\0b\r\n\ufeff\U0001f600\n",
        "\\015\\012\r\n\\\\\n",
        "\r\r\n\n\r",
        "é\r\n" * 100,
        "plain\n",
        "'%s' %\r\n",
    ]
    with closing(opener(postgres)("project")) as store:
        for number, body in enumerate(bodies):
            store.add(make(f"n{number}", body=body))
        copy = Copy().bring_up(store)
        assert len(copy.told) == len(bodies)
        assert (copy.bring_up(store).told, copy.gone) == ([], ())
        store.add(make("n4", body="otherwise\n"))
        assert copy.bring_up(store).told == [".memory/project/items/fact/n4.md"]
        copy.check(store)


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BACKEND-PROTOCOL", "REQ-BACKEND-POSTGRES")
def test_a_row_that_cannot_be_read_is_gone_and_told_as_a_problem(postgres: Server) -> None:
    opens = opener(postgres)
    with closing(opens("user")) as store:
        for name in "abc":
            store.add(make(name, "user"))
        copy = Copy().bring_up(store)
        mine = f"owner = '{opens.person.role}'"
        postgres.admin(f"UPDATE vfcc.items SET body = '\\xff' WHERE {mine} AND id = 'a'")
        postgres.admin(f"UPDATE vfcc.items SET path = '\\xff' WHERE {mine} AND id = 'b'")
        copy.bring_up(store).check(store)
        assert [each.item.id for each in copy.items.values()] == ["c"]
        copy.bring_up(store)
        assert len(store.problems) == 2


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-BACKEND-PROTOCOL", "REQ-BACKEND-POSTGRES")
def test_many_are_fetched_from_a_server_in_parts(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifflowcc.memory.store.postgres._AT_ONCE", 7)
    with closing(opener(postgres)("user")) as store:
        store.create_all([make(f"n{number:02}", "user") for number in range(20)])
        Copy().bring_up(store).check(store)
