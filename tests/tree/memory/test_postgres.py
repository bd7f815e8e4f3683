"""Items on a real PostgreSQL server: the conformance suite, and each thing that goes wrong told in one sentence."""

import hashlib
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from tests.tree.backend_conformance import CASES, Case, clearing_leaves_other_scopes, ids
from tests.tree.backend_items import make
from tests.tree.backend_model import does_as_a_dictionary
from tests.tree.postgres_server import SCHEMA, Person, Server
from verifflowcc.base.errors import BackendError, ConflictError
from verifflowcc.base.model.memory_protocol import MemoryBackend
from verifflowcc.memory.store.postgres import PostgresBackend

SHOP = "shop@0123456789ab"


@dataclass(frozen=True, slots=True)
class Opens:
    """Stores of one person, in projects to which the person is admitted."""

    person: Person
    shared_by_processes: bool = field(default=True)

    def __call__(self, scope: str, project: str = "p1") -> MemoryBackend:
        return PostgresBackend(self.person.url, scope, None if scope == "user" else f"{self.person.role} {project}")


@pytest.fixture
def opens(postgres: Server) -> Opens:
    person = postgres.person("ann")
    for project in ("p1", "p2"):
        postgres.admin(f"SELECT vfcc.admit('{person.role} {project}', '{person.role}')")
    return Opens(person)


@pytest.mark.points(3)
@pytest.mark.points(2)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.__name__, marks=pytest.mark.vfcc("REQ-BACKEND-POSTGRES", *requirements))
        for case, requirements in CASES.items()
        if case is not clearing_leaves_other_scopes
    ],
)
def test_postgres_keeps_items_as_every_backend_does(case: Case, opens: Opens) -> None:
    case(opens)


@pytest.mark.vfcc("REQ-BACKEND-POSTGRES", "REQ-BACKEND-PROTOCOL")
def test_postgres_does_as_a_dictionary_does(opens: Opens) -> None:
    does_as_a_dictionary(opens)


@pytest.mark.vfcc("REQ-BACKEND-POSTGRES", "REQ-BACKEND-CLEAR")
def test_clearing_one_scope_leaves_the_other(opens: Opens) -> None:
    with closing(opens("user")) as user, closing(opens("project")) as project, closing(opens("project", "p2")) as other:
        for store in (user, project, other):
            store.add(make("a"))
        project.clear()
        assert [store.count() for store in (user, project, other)] == [1, 0, 1]


def test_a_text_may_hold_what_a_text_of_postgresql_may_not(opens: Opens) -> None:
    item = make("a", title='"nul \\0 in it"', body="a\0b\r\n\ufeff\U0001f600\n")
    with closing(opens("user")) as store:
        store.add(item)
        found = store.get("a")
        assert found is not None
        assert found.text == item.text
        assert ids(store.query({"title": "nul \0 in it"})) == ["a"]


def test_what_raises_while_writing_leaves_nothing(opens: Opens) -> None:
    def half(store: MemoryBackend) -> None:
        with store.writing():
            store.add(make("a"))
            raise RuntimeError

    with closing(opens("user")) as store:
        with pytest.raises(RuntimeError):
            half(store)
        assert store.count() == 0
        with store.writing():
            store.add(make("b"))
        assert store.count() == 1


def test_a_part_that_the_server_refused_is_not_told_as_kept(opens: Opens, postgres: Server) -> None:
    def go_on_after_a_refusal(store: MemoryBackend) -> None:
        too_long = make("".join(hashlib.sha256(str(number).encode()).hexdigest() for number in range(200)))
        with store.writing():
            store.add(make("a"))
            with pytest.raises(BackendError, match=r"^PostgreSQL refuses: index row"):
                store.add(too_long)

    with closing(opens("user")) as store:
        with pytest.raises(BackendError, match=r"kept nothing of it$"):
            go_on_after_a_refusal(store)
        assert store.count() == 0


def test_columns_that_an_older_vfcc_wrote_are_read_anew(opens: Opens, postgres: Server) -> None:
    with closing(opens("user")) as store:
        store.add(make("a", title="Port"))
    older = "UPDATE vfcc.items SET title = NULL, record = '', reader = 0 WHERE owner = "
    postgres.admin(f"{older}'{opens.person.role}'")
    with closing(opens("user")) as store:
        assert ids(store.query({"title": "Port"})) == ["a"]
        assert [item.title for item in store.items()] == ["Port"]


def test_a_row_that_somebody_wrote_by_hand_is_told_and_hides_no_other(opens: Opens, postgres: Server) -> None:
    with closing(opens("user")) as store:
        store.add(make("a"))
        columns = "scope, owner, id, path, tags, record, reader, body"
        row = rf"'user', '{opens.person.role}', 'x', 'user/items/fact/x.md', '{{}}', '{{', 1, '\xff'"
        postgres.admin(f"INSERT INTO vfcc.items ({columns}) VALUES ({row})")

        assert ids(store.list_all()) == ["a"]
        assert [problem.partition(": ")[0] for problem in store.problems] == ["user/items/fact/x.md:1"]
        assert [item.id for item in store.items()] == ["a"]
        assert store.get("a") is not None
        assert store.problems == ()


def test_a_lock_that_is_held_too_long_is_a_conflict(opens: Opens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifflowcc.memory.store.postgres.LOCK_WAIT_S", 0.1)
    with closing(opens("user")) as one, closing(opens("user")) as other, one.writing():
        with pytest.raises(ConflictError, match=r"somebody else has been writing to these items"):
            other.add(make("a"))
        with closing(opens("project")) as elsewhere:
            elsewhere.add(make("a"))


def refused(url: str, project: str | None = None) -> BackendError:
    with pytest.raises(BackendError) as caught:
        PostgresBackend(url, "user" if project is None else "project", project)
    assert "\n" not in caught.value.message
    assert caught.value.exit_code == 3
    assert caught.value.hint
    return caught.value


def test_a_server_that_is_not_there(postgres: Server) -> None:
    error = refused("postgresql://ann:geheim@127.0.0.1:1/memory")
    assert error.message.startswith('PostgreSQL cannot be reached: connection to server at "127.0.0.1", port 1 failed')
    assert "geheim" not in f"{error.message} {error.hint}"
    assert error.__cause__ is None


@pytest.mark.parametrize("url", ["nonsense", "postgresql://ann:ge%heim@127.0.0.1/memory", "host=a password='geheim"])
def test_a_connection_string_that_is_none(postgres: Server, url: str) -> None:
    error = refused(url)
    assert error.message == "the connection string of PostgreSQL cannot be read"


def test_a_role_and_a_database_that_are_not_there(postgres: Server) -> None:
    assert 'role "nobody" does not exist' in refused(postgres.url("nobody")).message
    assert 'database "none" does not exist' in refused(postgres.url("admin", "none")).message


def test_a_database_without_the_schema(postgres: Server) -> None:
    person = postgres.person("ann")
    error = refused(postgres.url(person.role, "postgres"))
    assert error.message == "this PostgreSQL database has no memory of vfcc's, or not all of it"
    assert (error.hint or "").startswith("vfcc memory schema | psql")


def test_a_role_without_the_right(postgres: Server) -> None:
    postgres.admin("CREATE ROLE outsider LOGIN")
    error = refused(postgres.url("outsider"))
    assert error.message == "PostgreSQL refuses: permission denied for schema vfcc"
    assert "GRANT vfcc_member TO" in (error.hint or "")


def test_a_project_without_admission(postgres: Server) -> None:
    person = postgres.person("ann")
    error = refused(person.url, SHOP)
    assert error.message == f"the role {person.role} was not admitted to the project {SHOP}"
    assert error.hint == f"an administrator runs: SELECT vfcc.admit('{SHOP}', '{person.role}')"


def test_an_admission_taken_back_is_told_when_somebody_writes(postgres: Server) -> None:
    person = postgres.person("ann", SHOP)
    with closing(PostgresBackend(person.url, "project", SHOP)) as store:
        postgres.admin(f"SELECT vfcc.dismiss('{SHOP}', '{person.role}')")
        with pytest.raises(BackendError, match=r"row-level security policy"):
            store.add(make("a"))


def test_a_newer_layout(postgres: Server) -> None:
    person, database = postgres.person("ann"), postgres.database()
    postgres.admin("UPDATE vfcc.layout SET version = 2", database=database)
    error = refused(postgres.url(person.role, database))
    assert error.message == "the memory in this database has layout 2, newer than this vfcc understands (1)"
    with pytest.raises(Exception, match="made by a newer vfcc"):
        postgres.admin(SCHEMA.read_text(encoding="utf-8"), database=database)


def test_running_the_script_again_keeps_everything(opens: Opens, postgres: Server) -> None:
    with closing(opens("project")) as store:
        store.add(make("a"))
        postgres.admin(SCHEMA.read_text(encoding="utf-8"))
        assert ids(store.list_all()) == ["a"]


def test_a_connection_that_is_lost_is_told_and_not_made_anew(opens: Opens, postgres: Server) -> None:
    def lose(store: MemoryBackend) -> None:
        with store.writing():
            store.add(make("a"))
            postgres.admin(
                f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{opens.person.role}'"
            )
            store.add(make("b"))

    with closing(opens("user")) as store:
        with pytest.raises(BackendError, match=r"^the connection to PostgreSQL was lost"):
            lose(store)
        with pytest.raises(BackendError, match=r"^the connection to PostgreSQL was lost"):
            store.count()
    with closing(opens("user")) as store:
        assert store.count() == 0


def test_scopes_of_sprints_and_tasks_are_not_kept_there(opens: Opens) -> None:
    for scope in ("task/fix-it-k3f9", "sprint/login", "stage/login/coding", "agent/coder"):
        with pytest.raises(BackendError, match=rf"not those of {scope}"):
            PostgresBackend(opens.person.url, scope, SHOP)
