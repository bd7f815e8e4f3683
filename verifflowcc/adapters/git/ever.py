"""Which files git has ever had in a folder, on any branch."""

from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.place import in_repository
from verifflowcc.adapters.project.names import shown_name


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
