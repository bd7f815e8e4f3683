"""Product files with the behaviour of before and the names of after, in the languages that have such a form."""

from collections.abc import Sequence

from verifflowcc.proving.names_kept import NamesKept, names_kept
from verifflowcc.proving.names_kept_go import go_names_kept
from verifflowcc.proving.names_kept_script import script_names_kept
from verifflowcc.proving.splitting import FileChange


def kept_names(files: Sequence[FileChange]) -> dict[str, NamesKept | None]:
    """Return those contents by path: Go by package, others by file. None for a file where there is none to make."""
    found: dict[str, NamesKept | None] = {}
    packages: dict[str, dict[str, tuple[bytes | None, bytes]]] = {}
    for file in files:
        if file.after is not None and file.path.endswith(".py"):
            found[file.path] = names_kept(file.before, file.after)
        elif file.after is not None and file.shapes[1] is not None:
            found[file.path] = script_names_kept(file.before, file.after, *file.shapes)
        elif file.after is not None and file.path.endswith(".go"):
            packages.setdefault(file.path.rpartition("/")[0], {})[file.path] = (file.before, file.after)
    for each in packages.values():
        found.update(go_names_kept(each))
    return found
