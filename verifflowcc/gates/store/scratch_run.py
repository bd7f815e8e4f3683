"""Run a command in a scratch tree, with the tree's own modules before installed ones, and read what it wrote."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.process.command_run import CommandResult, run_command
from verifflowcc.base.records import dataclass
from verifflowcc.gates.store.scratch_tree import ORDERS, VARIABLE, Scratch

_REPORTERS = Path(__file__).parent / "reporter"
_KEPT_OF_GIT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class ScratchRun:
    """A command that ran in a scratch tree, and the report that it left."""

    ran: CommandResult
    report: str


def run_in_scratch(
    scratch: Scratch,
    folder: str,
    argv: Sequence[str],
    timeout_s: int,
    *,
    roots: Sequence[str],
    orders: Mapping[str, object],
) -> ScratchRun:
    """Run `argv` in a folder of the tree; `{report}` and `{private}` in its words become paths beside the tree.

    `roots` are folders of the tree for Python's path. `orders` go to the reporters, in the file that
    `VARIABLE` names. Raises WorkspaceError where the run cannot be prepared.
    """
    where, private = scratch.tree / folder, scratch.private
    report, reporters = private / "report", private / "reporter"
    try:
        report.unlink(missing_ok=True)
        shutil.copytree(_REPORTERS, reporters, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        orders = {**orders, "root": str(where.resolve()), "out": str(report)}
        (private / ORDERS).write_text(json.dumps(orders), "utf-8")
    except OSError as error:
        raise WorkspaceError(f"cannot prepare a run: {error}") from error
    paths = (reporters, *(where / each for each in roots))
    env = scratch_environment(os.environ, scratch, where, paths) | {VARIABLE: str(private / ORDERS)}
    words = [word.replace("{report}", str(report)).replace("{private}", str(private)) for word in argv]
    ran = run_command(where, words, timeout_s, env=env)
    try:
        with report.open("rb") as file:
            return ScratchRun(ran, file.read(_MOST_BYTES).decode("utf-8", "replace"))
    except OSError:
        return ScratchRun(ran, "")


def scratch_environment(env: Mapping[str, str], scratch: Scratch, where: Path, paths: Sequence[Path]) -> dict[str, str]:
    """Return the variables of a run: those of this process, with the scratch tree's modules before installed ones.

    Git's variables name the person's own repository, in a hook for example; tests must not act on that. Folders on
    Python's path that lie in the person's folder become those of the scratch tree.
    """
    kept = {name: value for name, value in env.items() if not name.startswith("GIT_") or name in _KEPT_OF_GIT}
    before = [_moved(Path(each), scratch) for each in env.get("PYTHONPATH", "").split(os.pathsep) if each]
    path = os.pathsep.join([*map(str, paths), *map(str, before)])
    more = {"PYTHONPATH": path, "PWD": str(where), "UV_NO_SYNC": "1"}
    return {**kept, **more, "CARGO_TARGET_DIR": str(scratch.private / "target"), "RUST_BACKTRACE": "0"}


def _moved(path: Path, scratch: Scratch) -> Path:
    full = scratch.top / path
    return scratch.tree / full.relative_to(scratch.top) if full.is_relative_to(scratch.top) else path
