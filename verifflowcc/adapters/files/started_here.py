"""Which sprints were started in this linked git worktree: `.memory/local/sprint`, an id on each line.

The file is local to the worktree and ignored by git; without it, the worktree chooses no sprint.
"""

from pathlib import Path

from verifflowcc.adapters.files.write import write_atomic

FILE = "sprint"
_LONGEST_BYTES = 65_536


def started_here(local: Path) -> tuple[str, ...]:
    """Return the ids of the sprints that were started in this worktree, oldest first."""
    try:
        with (local / FILE).open("rb") as file:
            text = file.read(_LONGEST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ()
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def note_started(local: Path, sprint: str) -> None:
    """Add a sprint to those that were started in this worktree. Raises WorkspaceError where that cannot be written."""
    known = started_here(local)
    if sprint not in known:
        write_atomic(local / FILE, "".join(f"{each}\n" for each in (*known, sprint)))
