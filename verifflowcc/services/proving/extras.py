"""What a scratch tree needs of the person's folder beside git's files: environments, and files that a build made."""

import os
from collections.abc import Collection
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.versions import TreeFile
from verifflowcc.adapters.git.work_tree import blob_ids

_MADE = (".py", ".so", ".pyd", ".js", ".mjs", ".json")
_SOURCES = (".py", ".js", ".ts", ".tsx", ".go", ".rs")
_MOST_MADE = 200


def environments(top: Path, kept: Collection[str]) -> dict[str, Path]:
    """Return the installed packages to link into a scratch tree, by path; git keeps none of the `kept` paths there.

    A package of the repository itself, which a workspace links into `node_modules`, is linked within the tree instead.
    """
    found: dict[str, Path] = {}
    for entry in sorted(top.iterdir()):
        if entry.is_dir() and (entry / "pyvenv.cfg").is_file() and not _is_kept(entry.name, kept):
            found[entry.name] = entry.resolve()
    for modules in _node_modules(top, kept):
        found.update(_packages(top, modules))
    return found


def generated(top: Path, kept: Collection[str]) -> dict[str, TreeFile]:
    """Return files that git ignores beside the sources, such as a version file or a built extension, to be copied."""
    folders = {path.rpartition("/")[0] for path in kept if path.endswith(_SOURCES)} - {""}
    listed = ask_git(top, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", ".")
    found: dict[str, TreeFile] = {}
    for name in listed.out.split(b"\0") if not listed.code else ():
        path = os.fsdecode(name)
        if path.endswith(_MADE) and path.rpartition("/")[0] in folders and len(found) < _MOST_MADE:
            ids = blob_ids(os.path.join(os.fsencode(top), name), 40)  # noqa: PTH118 - names are bytes here
            if ids:
                found[path] = TreeFile("100644", ids[0], on_disk=True)
    return found


def _is_kept(name: str, kept: Collection[str]) -> bool:
    return any(path == name or path.startswith(f"{name}/") for path in kept)


def _node_modules(top: Path, kept: Collection[str]) -> list[Path]:
    folders = {path.rpartition("/")[0] for path in kept if path.rpartition("/")[2] == "package.json"}
    places = (top / folder / "node_modules" for folder in sorted(folders))
    return [each for each in places if each.is_dir() and not _is_kept(each.relative_to(top).as_posix(), kept)]


def _packages(top: Path, modules: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for entry in sorted(modules.iterdir()):
        inner = sorted(entry.iterdir()) if entry.name.startswith("@") and entry.is_dir() else [entry]
        for each in inner:
            place, real = each.relative_to(top).as_posix(), each.resolve()
            own = each.is_symlink() and real.is_relative_to(top) and "node_modules" not in real.relative_to(top).parts
            found[place] = Path(os.path.relpath(real, each.parent)) if own else real
    return found
