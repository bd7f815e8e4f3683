"""`vfcc memory copy` and `schema`, typed by a person, and what is told where PostgreSQL cannot be used."""

from pathlib import Path

import pytest

from tests.cli.at_terminal import typed
from tests.cli.process import Ran, environment, git, vfcc
from tests.tree.postgres_server import Server
from verifflowcc.base.files.private_files import user_home, user_settings_file

TEXT = b"---\r\nid: port\r\ntype: fact\r\ntitle: The port  # a comment\r\nown: [key]\r\n---\r\nIt is 8080.\r\n"
FACT = ".memory/project/items/fact/port.md"
EDITOR = b"---\nid: editor\ntype: preference\n---\nVim.\n"


def settings(folder: Path, text: str) -> None:
    path = user_settings_file(environment(folder.parent))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def user_item(folder: Path, data: bytes = EDITOR) -> Path:
    path = user_home(environment(folder.parent)) / "user/items/preference/editor.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def project_item(folder: Path) -> Path:
    path = folder / FACT
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(TEXT)
    return path


def copied(folder: Path, *arguments: str, **env: str) -> Ran:
    return typed(folder, "memory", "copy", *arguments, env=env)


@pytest.mark.vfcc("REQ-BACKEND-CHOICE")
def test_a_projects_items_go_to_sqlite_and_come_back_as_they_were(young: Path) -> None:
    path = project_item(young)

    ran = copied(young, "--scope", "project", "--from", "files", "--to", "sqlite", "--move")
    assert (ran.code, path.exists()) == (0, False), ran
    assert "moved from files to sqlite" in ran.out
    assert "to use sqlite from now on: memory: {backends: {project: sqlite}} in .memory/config.yaml" in ran.out

    ran = copied(young, "--scope", "project", "--from", "sqlite", "--to", "files", "--json", "--full")
    assert ran.code == 0, ran
    told = ran.data
    assert "port" in told["copied"]
    assert (told["conflicts"], told["moved"], told["setting"]) == ([], False, None)
    assert path.read_bytes() == TEXT


def test_once_more_copies_nothing(young: Path) -> None:
    user_item(young)
    first = copied(young, "--scope", "user", "--from", "files", "--to", "sqlite")
    again = copied(young, "--scope", "user", "--from", "files", "--to", "sqlite")
    assert first.out.startswith("1 item copied from files to sqlite\n")
    assert again.out.startswith("0 items copied from files to sqlite\n  1 item there already\n")


def test_user_memory_needs_no_project(tmp_path: Path) -> None:
    folder = tmp_path / "nowhere"
    folder.mkdir()
    user_item(folder)
    ran = copied(folder, "--scope", "user", "--from", "files", "--to", "sqlite")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "1 item copied from files to sqlite")
    assert f"memory: {{backend: sqlite}} in {tmp_path}" in ran.out
    ran = copied(folder, "--scope", "project", "--from", "files", "--to", "sqlite")
    assert ran.code == 3


def test_a_conflict_is_told_and_nothing_is_copied(young: Path) -> None:
    path = user_item(young)
    assert copied(young, "--scope", "user", "--from", "files", "--to", "sqlite").code == 0
    path.write_bytes(EDITOR + b"Or Emacs.\n")

    ran = copied(young, "--scope", "user", "--from", "files", "--to", "sqlite")
    ran.refused(5, "nothing was copied: sqlite has 1 item of the same id and another text: editor", "--replace")
    ran = copied(young, "--scope", "user", "--from", "files", "--to", "sqlite", "--replace")
    assert "  replaced: editor\n" in ran.out


def test_nobody_but_a_person_copies_but_anybody_may_look(young: Path) -> None:
    user_item(young)
    arguments = ("memory", "copy", "--scope", "user", "--from", "files", "--to", "sqlite")
    vfcc(young, *arguments).refused(3, "needs a person at a terminal")
    ran = vfcc(young, *arguments, "--dry-run")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "1 item would be copied from files to sqlite")


def test_the_schema_is_printed_anywhere(tmp_path: Path) -> None:
    folder = tmp_path / "nowhere"
    folder.mkdir()
    ran = vfcc(folder, "memory", "schema")
    assert ran.code == 0
    assert "CREATE TABLE IF NOT EXISTS vfcc.items" in ran.out
    assert "FORCE ROW LEVEL SECURITY" in ran.out


def test_without_a_server_in_the_settings_it_is_told_where_to_name_one(young: Path) -> None:
    ran = vfcc(young, "memory", "copy", "--scope", "user", "--from", "files", "--to", "postgres", "--dry-run")
    ran.refused(2, "no PostgreSQL server is named for this user", "VFCC_POSTGRES_URL")


def test_a_server_that_is_down_is_one_sentence_without_the_password(young: Path) -> None:
    url = "postgresql://ann:geheim@127.0.0.1:1/memory"
    arguments = ("memory", "copy", "--scope", "user", "--from", "postgres", "--to", "files", "--dry-run")
    ran = vfcc(young, *arguments, env={"VFCC_POSTGRES_URL": url})
    ran.refused(3, "PostgreSQL cannot be reached")
    assert "geheim" not in ran.err


def test_a_password_in_the_settings_is_refused_and_not_repeated(young: Path) -> None:
    settings(young, "memory:\n  backend: postgres\n  postgres_url: postgresql://ann:geheim@db/memory\n")
    ran = vfcc(young, "memory", "copy", "--scope", "user", "--from", "files", "--to", "postgres", "--dry-run")
    ran.refused(3, "config.yaml:3: memory.postgres_url holds a password", "~/.pgpass")
    assert "geheim" not in ran.err


@pytest.mark.sweep
def test_two_people_and_two_projects_on_one_server_through_the_command(
    young: Path, tmp_path: Path, postgres: Server
) -> None:
    user_item(young)
    project_item(young)
    git(young, "init", "-q")
    git(young, "add", "-A")
    git(young, "commit", "-qm", "first")
    root = git(young, "rev-list", "--max-parents=0", "HEAD").strip()
    ann, bob = postgres.person("ann", f"young@{root[:12]}"), postgres.person("bob")

    for scope in ("user", "project"):
        ran = copied(young, "--scope", scope, "--from", "files", "--to", "postgres", VFCC_POSTGRES_URL=ann.url)
        assert ran.code == 0, ran
    settings(young, f"memory: {{backend: postgres, postgres_url: '{bob.url}'}}\n")
    listed = vfcc(young, "memory", "list", "--scope", "user", "--json", "--full")
    assert "editor" not in listed.out, listed
    ran = vfcc(young, "memory", "copy", "--scope", "project", "--from", "postgres", "--to", "files", "--dry-run")
    ran.refused(3, f"the role {bob.role} was not admitted to the project young@{root[:12]}", "vfcc.admit")

    settings(young, f"memory: {{backend: postgres, postgres_url: '{ann.url}'}}\n")
    listed = vfcc(young, "memory", "list", "--scope", "user", "--json", "--full")
    assert "editor" in listed.out, listed
    ran = copied(young, "--scope", "project", "--from", "postgres", "--to", "sqlite", "--json", "--full")
    assert "port" in ran.data["copied"]


@pytest.mark.sweep
def test_a_superuser_is_refused_through_the_command(young: Path, postgres: Server) -> None:
    arguments = ("memory", "copy", "--scope", "user", "--from", "files", "--to", "postgres", "--dry-run")
    ran = vfcc(young, *arguments, env={"VFCC_POSTGRES_URL": postgres.url("admin")})
    ran.refused(3, "superuser or bypasses row-level security", "CREATE ROLE")
