"""What this machine allows to run: one file of the person's, outside of every repository.

A clone runs nothing by itself: a project's table of commands is allowed by its digest, and a changed one is not. The
same holds for the code that its repository has git run at a commit. A permission belongs to the repository: it holds in
all of its worktrees, each table beside the others, since branches may have different ones.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from verifflowcc.base.errors import FormatError, WorkspaceError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.git.git_repository import repository_around
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.evidence_values import Command
from verifflowcc.base.model.protected_paths import RepositoryCode
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import canonical, digest_bytes
from verifflowcc.base.text.record_codec import record_from_json, record_to_json

FORMAT = 1
WAIT_S = 5.0
_LARGEST_BYTES = 16 * 1024 * 1024
_Projects = dict[str, dict[str, Json]]


@dataclass(frozen=True, slots=True)
class AllowedCommands:
    """What this machine allows a project: the digest of a table and the table itself, each None where nothing is.

    `code` is what git may run at a commit; None where nothing is allowed, or was before there was such a list. `file`
    is where it is kept. `problem` is a sentence on why the file counts for nothing, if it does. `pins` are files of the
    project with their digests, which must stay as they were.
    """

    file: Path
    digest: str | None = None
    commands: Mapping[str, Command] | None = None
    code: tuple[RepositoryCode, ...] | None = None
    problem: str = ""
    pins: Mapping[str, str] = field(default_factory=dict)


def commands_digest(commands: Mapping[str, Command]) -> str:
    """Return the digest of a table of commands: all that decides what runs, whatever the order of the table."""
    return digest_bytes(canonical([record_to_json(commands[name]) for name in sorted(commands)]))


def allows_code(root: Path, code: Sequence[RepositoryCode], env: Mapping[str, str]) -> bool:
    """Say whether git may run all of this code at a commit in the project at `root`. Raises as `allow` does."""
    return set(code) <= set(read_allowed(root, env, code=code).code or ())


def read_allowed(
    root: Path, env: Mapping[str, str], digest: str | None = None, code: Sequence[RepositoryCode] | None = None
) -> AllowedCommands:
    """Return what this machine allows the project at `root`. Raises as `allow` does.

    Of several tables that a person allowed in the repository it is the one of this digest that allows this code, where
    they are given and there is one; else one of this digest, or that allows this code; else the one allowed last.
    """
    file = allowed_file(root, env)
    try:
        projects = _load(file)
        entries = [projects[key] for key in _keys(root, projects)]
        read = [(str(entry.get("at", "")), _commands(entry), _code(entry), _pins(entry)) for entry in entries]
    except (ValueError, LookupError, TypeError, RecursionError, FormatError) as error:
        return AllowedCommands(file, problem=f"{file} is damaged, so nothing is allowed: {error}")
    found = [(at, AllowedCommands(file, commands_digest(each), each, code, pins=pins)) for at, each, code, pins in read]

    def order(each: tuple[str, AllowedCommands]) -> tuple[bool, bool, str]:
        is_it, permits = each[1].digest == digest, code is not None and set(code) <= set(each[1].code or ())
        return is_it and (permits or code is None), is_it or permits, each[0]

    return max(found, key=order)[1] if found else AllowedCommands(file)


def allow(
    root: Path,
    commands: Mapping[str, Command],
    env: Mapping[str, str],
    at: datetime,
    code: Sequence[RepositoryCode] = (),
    pins: Mapping[str, str] | None = None,
) -> Path:
    """Allow the project at `root` this very table, and git this code, from the moment `at`; return the file with it.

    The table holds only while the files of `pins` have these digests.

    A file that is damaged is begun again. Raises WorkspaceError where it would lie inside the project or cannot be
    written, and ConflictError where another vfcc holds it for long.
    """
    entry = _entry(commands, at) | {
        "git": [record_to_json(each) for each in code],
        **({"pins": dict(pins)} if pins else {}),
    }
    with _changing(root, env) as (file, projects):
        _save(file, {**projects, **dict.fromkeys(_keys_of(root, str(entry["digest"])), entry)})
    return file


def read_provable(top: Path, env: Mapping[str, str]) -> Mapping[str, Command]:
    """Return the commands that `vfcc prove` may run in the repository at `top`. Raises as `allow` does.

    They are kept apart from the project's table: a repository has them without any project, too.
    """
    try:
        entry = _load(allowed_file(top, env)).get(_key_of_proofs(top))
        return _commands(entry) if entry else {}
    except (ValueError, LookupError, TypeError, RecursionError, FormatError):
        return {}


def allow_provable(top: Path, command: Command, env: Mapping[str, str], at: datetime) -> None:
    """Allow `vfcc prove` one more command in the repository at `top`. Raises as `allow` does."""
    with _changing(top, env) as (file, projects):
        commands = {**read_provable(top, env), command.name: command}
        _save(file, {**projects, _key_of_proofs(top): _entry(commands, at)})


def withdraw(root: Path, env: Mapping[str, str]) -> bool:
    """Withdraw all that the project at `root` is allowed, in every worktree; return whether anything was.

    What `vfcc prove` may run in its repository is withdrawn, too. Raises as `allow` does.
    """
    with _changing(root, env) as (file, projects):
        gone = {*_keys(root, projects), *_of_worktrees(root, projects)} | ({_key_of_proofs(root)} & projects.keys())
        if not gone:
            return False
        _save(file, {key: entry for key, entry in projects.items() if key not in gone})
    return True


def allowed_file(root: Path, env: Mapping[str, str]) -> Path:
    """Return where this machine keeps what it allows: `$XDG_DATA_HOME/vfcc/allowed.json`, else below `~/.local/share`.

    Raises WorkspaceError where that lies inside the project, which could then allow itself what it likes.
    """
    given, home = env.get("XDG_DATA_HOME", ""), env.get("HOME", "")
    if not given.startswith("/") and not home:
        raise WorkspaceError("neither XDG_DATA_HOME nor HOME says where this machine keeps what it allows")
    data = Path(given) if given.startswith("/") else Path(home, ".local", "share")
    file = data / "vfcc" / "allowed.json"
    if file.resolve().is_relative_to(root.resolve()):
        raise WorkspaceError(
            f"{file} lies inside the project, which could then allow its own commands",
            hint="export XDG_DATA_HOME=/a/folder/outside/of/it",
        )
    return file


@contextmanager
def _changing(root: Path, env: Mapping[str, str]) -> Iterator[tuple[Path, _Projects]]:
    file = allowed_file(root, env)
    with locked(file.with_name("allowed.lock"), WAIT_S):
        try:
            projects = _load(file)
        except (ValueError, RecursionError):
            projects = {}
        yield file, projects


def _load(file: Path) -> _Projects:
    """Return the entries by project. Raises ValueError where the file is damaged, WorkspaceError where it is closed."""
    try:
        with file.open("rb") as opened:
            data = opened.read(_LARGEST_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise WorkspaceError(f"cannot read {file}: {error.strerror or error}") from error
    document = json.loads(data) if len(data) <= _LARGEST_BYTES else None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"it is not of format {FORMAT}")
    projects = document.get("projects")
    if not isinstance(projects, dict) or not all(isinstance(entry, dict) for entry in projects.values()):
        raise ValueError("it holds no projects")
    return projects


def _save(file: Path, projects: _Projects) -> None:
    document = {"format": FORMAT, "projects": projects}
    write_atomic(file, json.dumps(document, indent=2, sort_keys=True) + "\n")


def _keys(root: Path, projects: _Projects) -> list[str]:
    """Return the keys of what holds for a project: its folder's own, its main worktree's, and its repository's."""
    around = repository_around(str(root))
    own = [str(root.resolve()), around.main if around else ""]
    shared = _shared(around.git, around.below) if around else None
    return [key for key in projects if key in own or (shared and key.startswith(shared))]


def _of_worktrees(root: Path, projects: _Projects) -> Iterator[str]:
    """Yield the keys of this project's other folders, each of which an older version allowed by itself."""
    around = repository_around(str(root))
    for key in projects if around else ():
        other = repository_around(key) if "\n" not in key else None
        if around and other and (other.git, other.below) == (around.git, around.below):
            yield key


def _keys_of(root: Path, digest: str) -> list[str]:
    """Return the keys under which a table is allowed.

    In a repository it is one for each table, and the folder of the main worktree, where older versions look.
    """
    around = repository_around(str(root))
    if around is None:
        return [str(root.resolve())]
    return [*filter(None, [around.main]), f"{_shared(around.git, around.below)}{digest}"]


def _key_of_proofs(top: Path) -> str:
    """Return the key of what `vfcc prove` may run; it is no path, so that no link in a folder can lead to it."""
    around = repository_around(str(top))
    return f"{around.git if around else top.resolve()}\nprove"


def _shared(git: str, below: str) -> str:
    """Return how the keys begin that hold for a project in all worktrees; no path of a folder ends so."""
    return f"{git}\n{below}\n"


def _entry(commands: Mapping[str, Command], at: datetime) -> dict[str, Json]:
    return {
        "digest": commands_digest(commands),
        "at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
        "commands": [record_to_json(commands[name]) for name in sorted(commands)],
    }


def _commands(entry: dict[str, Json]) -> dict[str, Command]:
    found = [record_from_json(Command, each, "a command") for each in _list(entry["commands"])]
    commands = {command.name: command for command in found}
    if commands_digest(commands) != entry["digest"]:
        raise ValueError("a digest is not that of the commands beside it")
    return commands


def _code(entry: dict[str, Json]) -> tuple[RepositoryCode, ...] | None:
    if "git" not in entry:
        return None
    return tuple([record_from_json(RepositoryCode, each, "the code that git runs") for each in _list(entry["git"])])


def _pins(entry: dict[str, Json]) -> dict[str, str]:
    pins = entry.get("pins", {})
    if not isinstance(pins, dict):
        raise TypeError("the pinned files are no object")
    return {path: str(digest) for path, digest in pins.items()}


def _list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise TypeError("a list is expected")
    return value
