"""What `migrate` does about places: the history goes to the repository, and git ignores what is generated."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from verifflowcc.adapters.config.defaults import read_small
from verifflowcc.adapters.files.layout import PROJECTIONS
from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.shared import repository_around
from verifflowcc.adapters.process.allowed import read_allowed
from verifflowcc.records import dataclass
from verifflowcc.services.history.reading import gather_history, scattered_days
from verifflowcc.services.migrating_step import Step
from verifflowcc.services.workspace import MEMORY, Workspace

_IGNORE = f"{MEMORY}/.gitignore"


@dataclass(frozen=True, slots=True)
class PlacesPlan:
    """The new bytes of files by path below the project's root, the days of the history to move, and the rest to say."""

    files: Mapping[str, bytes]
    changes: tuple[Step, ...]
    moves: tuple[Step, ...]
    notices: tuple[str, ...]


def plan_places(workspace: Workspace) -> PlacesPlan:
    """Return what is moved and ignored, with nothing written."""
    data = read_small(workspace.root / _IGNORE, _IGNORE, inside=workspace.root)
    missing = [] if data is None else _missing(data)
    files = {_IGNORE: _with_rules(data, missing)} if data is not None and missing else {}
    changes = tuple(Step("", name, f"{name}: generated files are ignored: {', '.join(missing)}") for name in files)
    moves: list[Step] = []
    later: list[Step] = []
    for day, target in scattered_days(workspace):
        before, after = _shown(workspace, day), _shown(workspace, target)
        step = Step(before, after, f"{before} moves to {after}, which all worktrees share")
        if day.stem < workspace.today():
            moves.append(step)
        else:
            later.append(step)  # a hook may be adding to it
    notices = [f"{each.before} moves to {each.after} once its day is over" for each in later]
    return PlacesPlan(files, changes, tuple(moves), (*notices, *_uncommitted(workspace, files), *_allowed(workspace)))


def move_history(workspace: Workspace, moves: tuple[Step, ...]) -> tuple[Step, ...]:
    """Move the days of the history; return those that could not be moved."""
    if moves:
        gather_history(workspace)
    return tuple(each for each in moves if (workspace.root / each.before).exists())


def _with_rules(data: bytes, rules: Sequence[str]) -> bytes:
    """Return the content of `.memory/.gitignore` with more rules."""
    end = b"" if data.endswith(b"\n") or not data else b"\n"
    return data + end + "".join(f"{rule}\n" for rule in rules).encode()


def _missing(data: bytes) -> list[str]:
    lines = [line.strip() for line in data.decode("utf-8", "replace").splitlines()]
    return [rule for rule in PROJECTIONS if rule not in lines and f"/{rule}" not in lines]


def _uncommitted(workspace: Workspace, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield a sentence on files of version 0.1 that would be ignored before they are committed.

    For a stage that was passed under 0.1 they are the only record of its numbers.
    """
    patterns = [f":(glob){MEMORY}/{rule}" for rule in PROJECTIONS[1:]]
    listed = ask_git(workspace.root, "ls-files", "-z", "--others", "--exclude-standard", "--", *patterns).out
    paths = [path.decode("utf-8", "replace") for path in listed.split(b"\0") if path] if files else []
    if paths:
        yield f"not committed yet, and ignored from now on: {', '.join(paths)}. To keep them: git add -f PATH"


def _allowed(workspace: Workspace) -> Iterator[str]:
    around = repository_around(str(workspace.root))
    if around is not None and read_allowed(workspace.root, os.environ).commands is not None:
        yield "what `vfcc allow` permits in this project holds in all worktrees of its repository"


def _shown(workspace: Workspace, path: Path) -> str:
    return os.path.relpath(path, workspace.root.resolve())
