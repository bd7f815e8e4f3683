"""The log of runs: `runs.jsonl` in the local folder, one line for each prompt that was compiled.

It is local, ignored by git, and may be deleted: what is suggested from it then begins again. Each time that it has
grown by so many bytes, the older lines of each role go.
"""

from pathlib import Path

from verifflowcc.adapters.files.log_file import adding_to, has_passed, log_said, make_smaller

LOG = "runs.jsonl"
GROWN_BYTES = 1 << 20
"""The log is made smaller when its size passes a multiple of this."""


def add_run(folder: Path, root: Path, line: bytes) -> None:
    """Add a whole line to the log in `folder`, in one write, whoever else adds to it meanwhile.

    `folder` must not leave `root` by a link. Raises WorkspaceError where it cannot be written, ConflictError where it
    is held for too long.
    """
    path = folder / LOG
    with adding_to(path, root, alone=False) as handle:
        has_grown = has_passed(path, handle, line, GROWN_BYTES)
    if has_grown:
        from verifflowcc.formats.run_lines import latest_runs

        make_smaller(path, latest_runs)


def read_run_log(folder: Path) -> bytes:
    """Return all lines of the log; nothing where there is none. Raises WorkspaceError."""
    return log_said(folder / LOG)
