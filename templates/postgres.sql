-- Shared memory of vfcc on PostgreSQL: run by an administrator, once for each database, and again after an upgrade.
--
--     vfcc memory schema | psql -v ON_ERROR_STOP=1 -d memory
--
-- It may be run again at any time; it keeps all items. Then, for each person and each project:
--
--     CREATE ROLE ada LOGIN;  GRANT vfcc_member TO ada;
--     SELECT vfcc.admit('shop@0123456789ab', 'ada');      -- what `vfcc memory stats` calls the project's identity
--
-- Whose a row is, is decided here and nowhere else: a person's rows belong to the role that logged in, a project's
-- rows to the project that the session names in the setting vfcc.project, for roles that were admitted to it.

BEGIN;

SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL client_min_messages = warning;

DO $check$
BEGIN
    IF current_setting('server_version_num')::integer < 130000 THEN
        RAISE EXCEPTION 'vfcc needs PostgreSQL 13 or newer';
    END IF;
    IF EXISTS (
        SELECT FROM pg_namespace AS n JOIN pg_roles AS r ON r.oid = n.nspowner
        WHERE n.nspname = 'vfcc' AND NOT r.rolsuper AND r.rolname <> current_user
    ) THEN
        RAISE EXCEPTION 'the schema vfcc belongs to a role that is neither you nor a superuser';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'vfcc_member') THEN
        CREATE ROLE vfcc_member NOLOGIN;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'vfcc_member' AND (rolsuper OR rolbypassrls OR rolcanlogin)) THEN
        RAISE EXCEPTION 'the role vfcc_member must not log in, be a superuser or bypass row-level security';
    END IF;
END
$check$;

CREATE SCHEMA IF NOT EXISTS vfcc;
REVOKE ALL ON SCHEMA vfcc FROM PUBLIC, vfcc_member;

CREATE TABLE IF NOT EXISTS vfcc.layout (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL);

DO $version$
BEGIN
    IF EXISTS (SELECT FROM vfcc.layout WHERE version > 1) THEN
        RAISE EXCEPTION 'this database was made by a newer vfcc; take the script of that one';
    END IF;
    INSERT INTO vfcc.layout (version) VALUES (1) ON CONFLICT (one) DO UPDATE SET version = 1;
END
$version$;

CREATE TABLE IF NOT EXISTS vfcc.members (
    project text COLLATE "C" NOT NULL CHECK (project <> ''),
    member text COLLATE "C" NOT NULL,
    PRIMARY KEY (project, member)
);

-- `body` is the item: the whole text of its file, byte for byte. The other columns were read from it by vfcc, to search
-- by: texts as UTF-8 bytes (PostgreSQL's texts hold no NUL, and bytes sort in the same order everywhere), decimals in
-- thousandths, moments in microseconds since 1970. The key begins with the owner, so that no one can find out whether
-- another owner has an id. A new column must stay out of the statistics, too.
CREATE TABLE IF NOT EXISTS vfcc.items (
    scope text COLLATE "C" NOT NULL CHECK (scope IN ('user', 'project')),
    owner text COLLATE "C" NOT NULL CHECK (owner <> ''),
    id bytea NOT NULL,
    type bytea,
    title bytea,
    key bytea,
    path bytea NOT NULL,
    item_scope bytea,
    status bytea,
    importance bigint,
    confidence bigint,
    trust bigint,
    created bigint,
    updated bigint,
    expires bigint,
    deadline bigint,
    uses bigint,
    last_used bigint,
    source_kind bytea,
    source_actor bytea,
    source_project bytea,
    source_session bytea,
    verification bytea,
    tokens bigint,
    tags bytea[] NOT NULL,
    record bytea NOT NULL,
    reader integer NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (scope, owner, id)
);
-- The reader comes first: without statistics, an index that begins as the key does would be taken in its place.
CREATE INDEX IF NOT EXISTS items_by_reader ON vfcc.items (reader, scope, owner);

-- The planner's guesses are shown to everybody by EXPLAIN. Without statistics they tell nothing of other owners.
DO $statistics$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT attname FROM pg_attribute WHERE attrelid = 'vfcc.items'::regclass AND attnum > 0 AND NOT attisdropped
    LOOP
        EXECUTE format('ALTER TABLE vfcc.items ALTER COLUMN %I SET STATISTICS 0', name);
    END LOOP;
END
$statistics$;

-- The project of this session: the one that it names, if the login was admitted to it, otherwise nothing.
CREATE OR REPLACE FUNCTION vfcc.project_of_session() RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT m.project FROM vfcc.members AS m
    WHERE m.member = session_user::text AND m.project = current_setting('vfcc.project', true)
$function$;

CREATE OR REPLACE FUNCTION vfcc.admit(project text, member text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = admit.member) THEN
        RAISE EXCEPTION 'there is no role %', admit.member USING HINT = 'CREATE ROLE … LOGIN; GRANT vfcc_member TO …';
    END IF;
    INSERT INTO vfcc.members AS m (project, member) VALUES (admit.project, admit.member) ON CONFLICT DO NOTHING;
END
$function$;

-- Says whether the role was admitted. The project's items stay.
CREATE OR REPLACE FUNCTION vfcc.dismiss(project text, member text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    DELETE FROM vfcc.members AS m WHERE m.project = dismiss.project AND m.member = dismiss.member;
    RETURN FOUND;
END
$function$;

-- For a role that is given up: its name may be given to another person only after this. Returns how many items went.
-- With row_security off, whom the policies hold back gets an error, not a silent nothing: this is for a superuser.
CREATE OR REPLACE FUNCTION vfcc.erase(member text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $function$
DECLARE
    gone bigint;
BEGIN
    DELETE FROM vfcc.members AS m WHERE m.member = erase.member;
    DELETE FROM vfcc.items AS i WHERE i.scope = 'user' AND i.owner = erase.member;
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone;
END
$function$;

ALTER TABLE vfcc.items ENABLE ROW LEVEL SECURITY;
ALTER TABLE vfcc.items FORCE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS own_rows ON vfcc.items;
CREATE POLICY own_rows ON vfcc.items FOR ALL TO vfcc_member
    USING (
        (scope = 'user' AND owner = (SELECT session_user::text))
        OR (scope = 'project' AND owner = (SELECT vfcc.project_of_session()))
    )
    WITH CHECK (
        (scope = 'user' AND owner = (SELECT session_user::text))
        OR (scope = 'project' AND owner = (SELECT vfcc.project_of_session()))
    );

-- After SET ROLE, and in a SECURITY DEFINER function, who acts is not who logged in: then there are no rows at all.
DROP POLICY IF EXISTS login_acts ON vfcc.items;
CREATE POLICY login_acts ON vfcc.items AS RESTRICTIVE FOR ALL TO PUBLIC
    USING ((SELECT session_user = current_user))
    WITH CHECK ((SELECT session_user = current_user));

-- No TRUNCATE, no REFERENCES, no TRIGGER: row-level security says nothing about these.
REVOKE ALL ON ALL TABLES IN SCHEMA vfcc FROM PUBLIC, vfcc_member;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA vfcc FROM PUBLIC, vfcc_member;
GRANT USAGE ON SCHEMA vfcc TO vfcc_member;
GRANT SELECT ON vfcc.layout TO vfcc_member;
GRANT SELECT, INSERT, UPDATE, DELETE ON vfcc.items TO vfcc_member;
GRANT EXECUTE ON FUNCTION vfcc.project_of_session() TO vfcc_member;

COMMIT;
