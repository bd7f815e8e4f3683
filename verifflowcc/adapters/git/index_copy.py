"""A copy of git's index with the files as they are on disk, so that git can compare them without reading one itself.

The copy and the contents lie in a folder of their own that is removed at the end; the repository is not written to.
"""

import os
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from verifflowcc.adapters.git.command import GitResult, ask_git
from verifflowcc.adapters.git.place import objects_folder
from verifflowcc.adapters.git.work_tree import FOLDER, GONE, LARGEST_FOLDED_BYTES, LINK, OnDisk, object_id
from verifflowcc.errors import WorkspaceError


@contextmanager
def index_of_work_tree(root: Path, prefix: bytes, changed: Mapping[bytes, OnDisk]) -> Iterator[Mapping[str, str]]:
    """Give the variables with which git takes the files that `changed` names for what its index holds.

    `prefix` is the folder of `root` in the repository, ending with `/` or empty. A file that is too large to have lines
    is binary there; a submodule whose own files differ from its commit is left as it is.
    Raises WorkspaceError where the copy cannot be made.
    """
    objects = objects_folder(root)
    if not changed or objects is None:
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="vfcc-") as name:
        folder = Path(name).resolve()
        (folder / "objects" / "info").mkdir(parents=True)
        (folder / "objects" / "info" / "alternates").write_bytes(os.fsencode(objects.resolve()) + b"\n")
        env = {"GIT_INDEX_FILE": str(folder / "index"), "GIT_OBJECT_DIRECTORY": str(folder / "objects")}
        known = {each: found for each, found in changed.items() if found.ids or found.mode == GONE}
        lines = b"".join(_line(root, folder / "objects", prefix, each, found) for each, found in known.items())
        # Not a copy of the index file: git would read, through its filters, each file that is as new as that copy.
        listed = ask_git(root, "ls-files", "-z", "--stage", "--full-name")
        result = listed if listed.code else _written(root, env, listed.out + lines)
        if result.code:
            raise WorkspaceError(f"git cannot copy its index: {result.first_line}", hint="git status")
        yield env


def _written(root: Path, env: Mapping[str, str], lines: bytes) -> GitResult:
    return ask_git(root, "update-index", "-z", "--index-info", env=env, given=lines)


def _line(root: Path, objects: Path, prefix: bytes, name: bytes, found: OnDisk) -> bytes:
    if found.mode == GONE:
        about = f"0 {'0' * 40}"
    elif found.mode == FOLDER:
        about = f"{found.mode} {found.ids[0]}"
    else:
        content = _content(os.path.join(os.fsencode(root), name), found)  # noqa: PTH118 - names are bytes here
        about = f"{found.mode} {_store(objects, content, len(found.ids[0]))}"
    return about.encode() + b"\t" + prefix + name + b"\0"


def _content(full: bytes, found: OnDisk) -> bytes:
    try:
        if found.mode == LINK:
            return os.readlink(full)  # noqa: PTH115 - names are bytes here
        with open(full, "rb") as file:  # noqa: PTH123
            data = file.read(LARGEST_FOLDED_BYTES + 1)
    except OSError:  # it went away just now
        return b""
    return data if len(data) <= LARGEST_FOLDED_BYTES else b"\0" + found.ids[0].encode()


def _store(objects: Path, data: bytes, width: int) -> str:
    """Write a blob as git keeps one, and return its id."""
    blob = object_id(data, width)
    path = objects / blob[:2] / blob[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(b"blob %d\0" % len(data) + data, 1))
    return blob
