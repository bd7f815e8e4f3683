"""Move files of `.memory/` out of the way, below `local/quarantine/<day>/`, each with its path and its bytes."""

from pathlib import Path

from verifflowcc.base.errors import FileErrors
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.write import shown_name, sync_folder
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_place import in_repository

# Which files git has ever had in a folder, on any branch.


def paths_ever(root: Path, folder: str) -> frozenset[str] | None:
    """Return the paths below `folder` that some commit or the index has or had, relative to `root`.

    None where that cannot be known: outside of git, in a shallow clone, or where git fails.
    """
    if not in_repository(root):
        return None
    if ask_git(root, "rev-parse", "--is-shallow-repository").out.strip() != b"false":
        return None
    asked = (
        ("log", "--all", "-m", "-z", "--format=", "--name-only", "--no-renames", "--relative", "--", folder),
        ("ls-files", "-z", "--cached", "--", folder),
    )
    found: set[str] = set()
    for arguments in asked:
        result = ask_git(root, "--literal-pathspecs", *arguments)
        if result.code:
            return None
        found.update(shown_name(name.strip(b"\n")) for name in result.out.split(b"\0") if name.strip(b"\n"))
    return frozenset(found)


def quarantine(memory: Path, path: str, day: str) -> str:
    """Move a file and return its new path; both are relative to `memory`.

    What was moved before under the same name stays. Raises WorkspaceError where it cannot be moved.
    """
    source = memory / path
    check_inside(source.parent, memory)
    place, number = f"local/quarantine/{day}/{path}", 1
    while (memory / place).exists() or (memory / place).is_symlink():
        number += 1
        place = f"local/quarantine/{day}-{number}/{path}"
    target = memory / place
    with FileErrors("move", source):
        target.parent.mkdir(parents=True, exist_ok=True)
        check_inside(target.parent, memory)
        source.rename(target)
        sync_folder(target.parent)
        sync_folder(source.parent)
    return place
