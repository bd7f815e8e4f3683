"""Where the clients of agents keep their sessions, and the files of them that are there."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from io import BufferedReader
from pathlib import Path

from verifflowcc.base.errors import FileErrors, UsageError, WorkspaceError
from verifflowcc.base.formats.session_lines import LONGEST
from verifflowcc.base.records import dataclass
from verifflowcc.history.rules.claude_calls import CLAUDE, CODEX, Glance, glance

ENDING = ".jsonl"
_OF_SUBAGENTS = "subagents"
_NO_LETTER = re.compile(r"[^A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A file of a session, what its first lines say, and the files of its subagents beside it.

    `whole` is False where only a subagent's file was named, and not that of the session.
    """

    path: Path
    seen: Glance
    subagents: tuple[Path, ...] = ()
    whole: bool = True


def own_files(root: Path, client: str, env: Mapping[str, str]) -> Iterator[Path]:
    """Yield the files in which a client keeps sessions that may be of the project in `root`. Raises WorkspaceError."""
    if client == CLAUDE:
        name = _NO_LETTER.sub("-", str(root))
        for folder in sorted(_home(env, "CLAUDE_CONFIG_DIR", ".claude").glob(f"projects/{name}*")):
            if folder.name == name or folder.name.startswith(f"{name}-"):
                yield from sorted(folder.glob(f"*{ENDING}"))
    elif client == CODEX:
        yield from sorted(_home(env, "CODEX_HOME", ".codex").glob(f"sessions/**/rollout-*{ENDING}"))


def given_files(given: str) -> list[Path]:
    """Return the files of sessions that a path names: itself, or all in the folder. Raises UsageError."""
    path = Path(given)
    with FileErrors("read", given, raises=UsageError):
        if path.is_dir():
            return [each for each in sorted(path.rglob(f"*{ENDING}")) if not _beside_its_session(each)]
        with path.open("rb"):
            return [path]


def session_file(path: Path) -> SessionFile | None:
    """Return the session of a file; None where it has none. Raises OSError."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        seen = glance(_lines(file))
    if seen is None:
        return None
    if seen.client == CLAUDE and path.parent.name == _OF_SUBAGENTS:
        return SessionFile(path, seen, (path,), whole=False)
    beside = path.parent / path.stem / _OF_SUBAGENTS
    subagents = sorted(beside.glob(f"agent-*{ENDING}")) if seen.client == CLAUDE else []
    return SessionFile(path, seen, tuple(subagents))


def subagent_of(path: Path) -> tuple[str, str]:
    """Return the name and the type of the subagent whose transcript a file is. Raises OSError."""

    name = path.stem.removeprefix("agent-")
    try:
        meta = json.loads(path.with_suffix(".meta.json").read_bytes())
    except (OSError, ValueError):
        meta = None
    kind = meta.get("agentType") if isinstance(meta, dict) else None
    if not isinstance(kind, str) or not kind:
        with path.open("rb") as file:
            seen = glance(_lines(file))
        kind = seen.agent_type if seen else ""
    return name, kind


def lines_of(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long, its beginning of `LONGEST` bytes. Raises OSError."""
    with path.open("rb") as file:
        yield from _lines(file)


def is_below(folder: str, root: Path) -> bool:
    """Say whether a session that worked in `folder` is one of the project in `root`."""
    plain = os.path.normpath(folder)
    places = {str(root), os.path.realpath(root)}
    return any(
        each == place or each.startswith(f"{place}{os.sep}")
        for each in (plain, os.path.realpath(plain))
        for place in places
    )


def _lines(file: BufferedReader) -> Iterator[bytes]:
    while line := file.readline(LONGEST):
        yield line
        while len(line) == LONGEST and not line.endswith(b"\n"):
            line = file.readline(LONGEST)


def _beside_its_session(path: Path) -> bool:
    session = path.parent.parent
    return path.parent.name == _OF_SUBAGENTS and session.with_name(session.name + ENDING).is_file()


def _home(env: Mapping[str, str], variable: str, below: str) -> Path:
    given = env.get(variable, "")
    if given:
        return Path(given)
    try:
        return Path(env.get("HOME") or Path.home()) / below
    except RuntimeError as error:
        raise WorkspaceError("the clients' sessions have no home folder", hint=f"export {variable}=/path") from error
