"""Owners are kept apart by the database itself: what raw SQL can and cannot do, whoever writes it."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import errors

from tests.tree.postgres_server import ADMIN, SCHEMA, Person, Server
from verifflowcc.base.errors import BackendError
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.store.postgres import PostgresBackend

SHOP, BANK = "shop@0123456789ab", "bank@0123456789ab"
NEW = (
    "INSERT INTO vfcc.items (scope, owner, id, path, tags, record, reader, body) "
    "VALUES (%s, %s, %s, 'user/items/fact/x.md', '{}', '', 1, 'mine')"
)
Session = psycopg.Connection[tuple[object, ...]]


@contextmanager
def session(person: Person, project: str | None = None) -> Iterator[Session]:
    with psycopg.connect(person.url, autocommit=True) as connection:
        if project is not None:
            connection.execute("SELECT set_config('vfcc.project', %s, false)", [project])
        yield connection


def rows(connection: Session, statement: str, *values: object) -> list[tuple[object, ...]]:
    cursor = connection.execute(statement, values)
    return cursor.fetchall() if cursor.description else []


def refusal(connection: Session, statement: str, *values: object) -> str:
    """Return what the server says, all of it, when it refuses."""
    with pytest.raises(errors.InsufficientPrivilege) as caught:
        rows(connection, statement, *values)
    diag = caught.value.diag
    return f"{diag.message_primary} {diag.message_detail} {diag.message_hint}"


def keep(person: Person, item_id: str, project: str | None = None) -> None:
    folder = "user" if project is None else ".memory/project"
    text = f"---\nid: {item_id}\ntype: fact\n---\nwhat {person.role} knows\n"
    store = PostgresBackend(person.url, "user" if project is None else "project", project)
    store.add(stored_item(f"{folder}/items/fact/{item_id}.md", text.encode()))
    store.close()


@pytest.fixture
def ann(postgres: Server) -> Person:
    """Somebody with an item `secret` of her own and one in the project `shop`; she is in `bank` as well."""
    person = postgres.person("ann", SHOP, BANK)
    keep(person, "secret")
    keep(person, "secret", SHOP)
    return person


@pytest.fixture
def bob(postgres: Server) -> Person:
    """Somebody else, with an item of his own and one in the project `bank`."""
    person = postgres.person("bob", BANK)
    keep(person, "his")
    keep(person, "his", BANK)
    return person


@pytest.mark.vfcc("REQ-USER-ROWS", "REQ-BACKEND-POSTGRES", "REQ-PROJECT-ISOLATION")
def test_two_people_and_two_projects_see_nothing_of_each_other(ann: Person, bob: Person) -> None:
    anns, bobs = (PostgresBackend(person.url, "user", None) for person in (ann, bob))
    shop, bank = PostgresBackend(ann.url, "project", SHOP), PostgresBackend(bob.url, "project", BANK)

    assert [each.id for each in anns.items()] == ["secret"]
    assert [each.id for each in bobs.items()] == ["his"]
    assert "secret" in [each.id for each in shop.items()]
    assert "his" not in [each.id for each in shop.items()]
    assert "secret" not in [each.id for each in bank.items()]
    assert bobs.get("secret") is None
    assert not bobs.delete("secret")
    assert not bank.delete("secret")
    bobs.clear()
    assert (anns.count(), bobs.count()) == (1, 0)
    for store in (anns, bobs, shop, bank):
        store.close()


@pytest.mark.vfcc("REQ-USER-ROWS")
def test_selecting_shows_own_rows_alone(ann: Person, bob: Person) -> None:
    with session(bob) as connection:
        assert rows(connection, "SELECT DISTINCT scope, owner FROM vfcc.items") == [("user", bob.role)]
        assert rows(connection, "SELECT count(*) FROM vfcc.items WHERE owner = %s", ann.role) == [(0,)]
        assert rows(connection, "SELECT count(*) FROM ONLY vfcc.items AS t WHERE t.body LIKE 'what ann%%'") == [(0,)]


@pytest.mark.parametrize("project", [SHOP, "", "shop@0123456789ab' OR true --", "%", None])
def test_a_project_is_closed_to_whoever_was_not_admitted(ann: Person, bob: Person, project: str | None) -> None:
    with session(bob, project) as connection:
        assert rows(connection, "SELECT count(*) FROM vfcc.items WHERE scope = 'project'") == [(0,)]
        assert "row-level security" in refusal(connection, NEW, "project", SHOP, b"new")
        assert "row-level security" in refusal(connection, NEW, "project", BANK, b"new")


@pytest.mark.vfcc("REQ-PROJECT-ISOLATION")
def test_a_session_is_in_one_project_even_of_a_person_who_is_in_two(ann: Person, bob: Person) -> None:
    with session(ann, BANK) as connection:
        owners = rows(connection, "SELECT DISTINCT owner FROM vfcc.items WHERE scope = 'project'")
        assert owners == [(BANK,)]
        assert rows(connection, "UPDATE vfcc.items SET body = '' WHERE owner = %s RETURNING 1", SHOP) == []
        assert "row-level security" in refusal(connection, NEW, "project", SHOP, b"new")
    with session(ann) as connection:
        assert rows(connection, "SELECT count(*) FROM vfcc.items WHERE scope = 'project'") == [(0,)]


@pytest.mark.vfcc("REQ-USER-ROWS")
def test_changing_and_deleting_reach_own_rows_alone(ann: Person, bob: Person, postgres: Server) -> None:
    before = postgres.admin(f"SELECT body FROM vfcc.items WHERE owner = '{ann.role}'")
    with session(bob) as connection:
        assert rows(connection, "UPDATE vfcc.items SET body = 'x' WHERE owner = %s RETURNING 1", ann.role) == []
        assert rows(connection, "DELETE FROM vfcc.items WHERE owner = %s RETURNING 1", ann.role) == []
        assert "row-level security" in refusal(connection, "UPDATE vfcc.items SET owner = %s", ann.role)
        assert "row-level security" in refusal(connection, "UPDATE vfcc.items SET scope = 'project', owner = %s", SHOP)
        assert rows(connection, "DELETE FROM vfcc.items RETURNING owner") == [(bob.role,)]
    assert postgres.admin(f"SELECT body FROM vfcc.items WHERE owner = '{ann.role}'") == before != []


@pytest.mark.vfcc("REQ-USER-ROWS")
@pytest.mark.parametrize(
    "ending",
    [
        "",
        " ON CONFLICT DO NOTHING",
        " ON CONFLICT (scope, owner, id) DO UPDATE SET body = vfcc.items.body RETURNING body",
    ],
)
def test_inserting_does_not_tell_which_ids_somebody_else_has(ann: Person, bob: Person, ending: str) -> None:
    with session(bob) as connection:
        there = refusal(connection, NEW + ending, "user", ann.role, b"secret")
        absent = refusal(connection, NEW + ending, "user", ann.role, b"nothing")
        assert there == absent
        assert ann.role not in there
        assert rows(connection, NEW, "user", bob.role, b"secret") == []


@pytest.mark.vfcc("REQ-USER-ROWS")
def test_copying_shows_own_rows_and_brings_none_in(ann: Person, bob: Person) -> None:
    with session(bob) as connection, connection.cursor() as cursor:
        with cursor.copy("COPY vfcc.items TO STDOUT") as copy:
            text = b"".join(bytes(each) for each in copy)
        assert bob.role.encode() in text
        assert ann.role.encode() not in text
        with pytest.raises(errors.FeatureNotSupported), cursor.copy("COPY vfcc.items FROM STDIN") as copy:
            copy.write(text)


@pytest.mark.points(6)
@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE vfcc.items",
        "SELECT * FROM vfcc.members",
        "INSERT INTO vfcc.members (project, member) SELECT 'shop@0123456789ab', session_user",
        "UPDATE vfcc.members SET member = session_user",
        "DELETE FROM vfcc.members",
        "UPDATE vfcc.layout SET version = 0",
        "SELECT vfcc.admit('shop@0123456789ab', session_user::text)",
        "SELECT vfcc.dismiss('shop@0123456789ab', session_user::text)",
        "SELECT vfcc.erase(session_user::text)",
        "ALTER TABLE vfcc.items DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE vfcc.items NO FORCE ROW LEVEL SECURITY",
        "CREATE POLICY mine ON vfcc.items USING (true)",
        "DROP POLICY own_rows ON vfcc.items",
        "DROP TABLE vfcc.items",
        "CREATE TABLE vfcc.mine (id int)",
        "CREATE INDEX mine ON vfcc.items (id)",
        "CREATE TRIGGER mine AFTER INSERT ON vfcc.items EXECUTE FUNCTION pg_catalog.tsvector_update_trigger()",
        "CREATE TABLE public.mine (s text, o text, i bytea, FOREIGN KEY (s, o, i) REFERENCES vfcc.items)",
        "CREATE OR REPLACE FUNCTION vfcc.project_of_session() RETURNS text LANGUAGE sql AS 'SELECT 1::text'",
        "SET SESSION AUTHORIZATION admin",
        "SET ROLE admin",
    ],
)
def test_the_rules_and_the_members_are_the_administrators(
    ann: Person, bob: Person, postgres: Server, statement: str
) -> None:
    postgres.admin(f"GRANT CREATE, USAGE ON SCHEMA public TO {bob.role}")
    with session(bob, SHOP) as connection:
        assert refusal(connection, statement)


@pytest.mark.vfcc("REQ-USER-ROWS")
def test_switching_row_security_off_gives_an_error_and_no_rows(ann: Person, bob: Person) -> None:
    with session(bob) as connection:
        rows(connection, "SET row_security = off")
        assert "row-level security" in refusal(connection, "SELECT * FROM vfcc.items")


@pytest.mark.vfcc("REQ-USER-ROWS")
def test_behind_set_role_nobody_has_rows(ann: Person, bob: Person, postgres: Server) -> None:
    team = f"team_of_{bob.role}"
    postgres.admin(f"CREATE ROLE {team}", f"GRANT vfcc_member TO {team}", f"GRANT {team}, {ann.role} TO {bob.role}")
    with session(bob) as connection:
        for role in (team, ann.role, "vfcc_member"):
            rows(connection, f"SET ROLE {role}")
            assert rows(connection, "SELECT count(*) FROM vfcc.items") == [(0,)]
            for owner in (team, ann.role, bob.role):
                assert "row-level security" in refusal(connection, NEW, "user", owner, b"new")

    postgres.admin(f"ALTER ROLE {bob.role} SET role = '{team}'")
    with pytest.raises(BackendError, match=rf"acts as {team} though {bob.role} logged in"):
        PostgresBackend(bob.url, "user", None)


@pytest.mark.vfcc("REQ-USER-ROWS")
def test_somebody_elses_functions_and_views_carry_no_rows_across(ann: Person, bob: Person, postgres: Server) -> None:
    postgres.admin(f"GRANT CREATE, USAGE ON SCHEMA public TO {ann.role}, {bob.role}")
    with session(bob) as connection:
        rows(connection, f"CREATE VIEW public.view_{bob.role} AS SELECT * FROM vfcc.items")
        rows(
            connection,
            f"CREATE FUNCTION public.count_{bob.role}() RETURNS bigint LANGUAGE sql SECURITY DEFINER "
            "AS 'SELECT count(*) FROM vfcc.items'",
        )
        rows(connection, f"GRANT SELECT ON public.view_{bob.role} TO PUBLIC")
    with session(ann) as connection:
        owners = rows(connection, f"SELECT DISTINCT owner FROM public.view_{bob.role}")
        assert owners == [(ann.role,)], "a view shows whoever looks their own rows"
        assert rows(connection, f"SELECT public.count_{bob.role}()") == [(0,)]


def test_a_function_in_a_condition_is_shown_own_rows_alone(ann: Person, bob: Person, postgres: Server) -> None:
    postgres.admin(f"GRANT CREATE, USAGE ON SCHEMA public TO {bob.role}")
    seen: list[str] = []
    with session(bob) as connection:
        connection.add_notice_handler(lambda diagnostic: seen.append(diagnostic.message_primary or ""))
        rows(
            connection,
            f"CREATE FUNCTION public.look_{bob.role}(owner text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 "
            "AS 'BEGIN RAISE NOTICE ''%%'', owner; RETURN true; END'",
        )
        rows(connection, f"SELECT count(*) FROM vfcc.items WHERE public.look_{bob.role}(owner)")
    assert set(seen) == {bob.role}


def test_the_planners_guesses_tell_nothing_of_others(ann: Person, bob: Person, postgres: Server) -> None:
    columns = "scope, owner, id, path, importance, tags, record, reader, body"
    for person, importance in ((ann, 7), (bob, 3)):
        values = f"'user', '{person.role}', n::text::bytea, 'a.md', {importance}, '{{}}', '', 1, ''"
        postgres.admin(f"INSERT INTO vfcc.items ({columns}) SELECT {values} FROM generate_series(1, 3000) AS n")
    postgres.admin("ANALYZE vfcc.items")
    assert postgres.admin("SELECT count(*) FROM pg_statistic WHERE starelid = 'vfcc.items'::regclass") == [(0,)]
    with session(bob) as connection:

        def guess(condition: str) -> str:
            ((line,), *_) = rows(connection, f"EXPLAIN SELECT * FROM vfcc.items WHERE {condition}")
            return str(line)

        assert guess(f"owner = '{ann.role}'") == guess("owner = 'nobody'")
        assert guess("importance = 7") == guess("importance = 8")
        assert rows(connection, "SELECT * FROM pg_catalog.pg_stats WHERE schemaname = 'vfcc'") == []


def test_members_have_the_rights_that_they_need_and_no_other(postgres: Server) -> None:
    functions = "SELECT proname FROM pg_proc WHERE pronamespace = 'vfcc'::regnamespace AND has_function_privilege"
    assert postgres.admin(f"{functions}('vfcc_member', oid, 'EXECUTE')") == [("project_of_session",)]
    rights = (
        "SELECT relname, privilege_type FROM pg_class, aclexplode(relacl) WHERE relnamespace = 'vfcc'::regnamespace"
    )
    assert postgres.admin(f"{rights} AND grantee <> relowner AND relkind = 'r' ORDER BY 1, 2") == [
        *(("items", right) for right in ("DELETE", "INSERT", "SELECT", "UPDATE")),
        ("layout", "SELECT"),
    ]
    assert postgres.admin("SELECT has_schema_privilege('vfcc_member', 'vfcc', 'CREATE')") == [(False,)]


def test_a_dismissal_holds_at_once_in_a_session_that_is_open(ann: Person, postgres: Server) -> None:
    with session(ann, SHOP) as connection:
        mine = "SELECT count(*) FROM vfcc.items WHERE scope = 'project'"
        assert rows(connection, mine) != [(0,)]
        assert postgres.admin(f"SELECT vfcc.dismiss('{SHOP}', '{ann.role}')") == [(True,)]
        assert rows(connection, mine) == [(0,)]


def test_a_role_that_is_given_up_leaves_nothing_to_the_next_of_its_name(ann: Person, postgres: Server) -> None:
    assert postgres.admin(f"SELECT vfcc.erase('{ann.role}')") == [(1,)]
    with session(ann, SHOP) as connection:
        assert rows(connection, "SELECT count(*) FROM vfcc.items") == [(0,)]


@pytest.mark.vfcc("REQ-USER-ROWS")
@pytest.mark.parametrize("attribute", ["SUPERUSER", "BYPASSRLS"])
def test_vfcc_refuses_a_role_that_sees_everybodys_rows(postgres: Server, attribute: str) -> None:
    person = postgres.person("root", SHOP)
    postgres.admin(f"ALTER ROLE {person.role} {attribute}")
    with pytest.raises(BackendError, match=r"would see everybody's items$") as caught:
        PostgresBackend(person.url, "user", None)
    assert "CREATE ROLE" in (caught.value.hint or "")


@pytest.mark.parametrize("change", ["NO FORCE", "DISABLE"])
def test_vfcc_refuses_a_table_whose_rules_do_not_hold(postgres: Server, change: str) -> None:
    person, database = postgres.person("ann"), postgres.database()
    postgres.admin(f"ALTER TABLE vfcc.items {change} ROW LEVEL SECURITY", database=database)
    with pytest.raises(BackendError, match=r"row-level security does not hold"):
        PostgresBackend(postgres.url(person.role, database), "user", None)
    postgres.admin(SCHEMA.read_text(encoding="utf-8"), database=database)
    PostgresBackend(postgres.url(person.role, database), "user", None).close()


def test_an_administrator_who_is_no_superuser_can_set_it_up_and_sees_no_rows(postgres: Server) -> None:
    keeper, person = postgres.person("keeper"), postgres.person("ann")
    database = f"of_{keeper.role}"
    postgres.admin(f"ALTER ROLE {keeper.role} CREATEROLE", f"CREATE DATABASE {database} OWNER {keeper.role}")
    with psycopg.connect(postgres.url(keeper.role, database), autocommit=True) as connection:
        connection.execute(SCHEMA.read_text(encoding="utf-8").encode())
        connection.execute(SCHEMA.read_text(encoding="utf-8").encode())
        rows(connection, "SELECT vfcc.admit(%s, %s)", SHOP, person.role)
        shop = PostgresBackend(postgres.url(person.role, database), "project", SHOP)
        shop.add(stored_item(".memory/project/items/fact/a.md", b"text\n"))
        assert rows(connection, "SELECT count(*) FROM vfcc.items") == [(0,)]
        assert "row-level security" in refusal(connection, "SELECT vfcc.erase(%s)", person.role)
        assert shop.count() == 1
        shop.close()


def test_a_schema_that_somebody_else_made_first_is_not_taken_over(postgres: Server) -> None:
    person = postgres.person("eve")
    database = f"of_{person.role}"
    postgres.admin(f"CREATE DATABASE {database}", database="postgres")
    postgres.admin(f"CREATE SCHEMA vfcc AUTHORIZATION {person.role}", database=database)
    with pytest.raises(errors.RaiseException, match="neither you nor a superuser"):
        postgres.admin(SCHEMA.read_text(encoding="utf-8"), database=database)
    assert postgres.admin("SELECT to_regclass('vfcc.items')::text", database=database) == [(None,)], ADMIN
