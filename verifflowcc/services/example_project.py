"""The example of `vfcc init --example`: a small project with a sprint whose tests ran, and its memory."""

from collections.abc import Iterator
from pathlib import Path

from verifflowcc.adapters.files.layout import CORE_FILES
from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.adapters.workflows.load import templates_folder
from verifflowcc.errors import WorkspaceError
from verifflowcc.services.initialise import Initialised, create_memory, ensure_free
from verifflowcc.services.role_files import starting_files

_SUFFIX = ".txt"
"""Added to the names of the project's files where they are shipped, so that no tool takes them for code of ours."""
LOOK_AT = (
    ("vfcc status", "four gates passed, one stage left"),
    ("vfcc evidence list", "the run of the tests that opened the gate of testing"),
    ("vfcc trace why REQ-two-places", "from a need to the test that passed"),
    ("vfcc check trace", "green, with one finding"),
    ("echo >> shop.py && vfcc evidence stale", "an edit, and the evidence is stale"),
)
"""Commands to try in the example, each with what it shows."""


def create_example(root: Path) -> Initialised:
    """Create the example's files and its memory tree in `root`; instructions of the person's own stay.

    Raises WorkspaceError where there is a memory tree, or a file of the example's name.
    """
    ensure_free(root, None)
    files = dict(_shipped("project"))
    own = [name for name in CORE_FILES if (root / name).exists()]
    if own:
        files.pop("CLAUDE.md")
    taken = next((name for name in sorted(files) if (root / name).exists() or (root / name).is_symlink()), None)
    if taken:
        raise WorkspaceError(
            f"the example has a {taken}, and {root / taken} exists already",
            hint="mkdir example && vfcc init example --example",
        )
    created = create_memory(root, dict(_memory_files()))
    for name, data in files.items():
        write_atomic(root / name, data)
    notices = ("your own CLAUDE.md or AGENTS.md stays; the example's was not copied",) if own else ()
    return Initialised(root, (*created, *sorted(files)), notices)


def _memory_files() -> Iterator[tuple[str, bytes]]:
    """Yield the files of the memory tree; a role's prompt is the shipped one."""
    for name, data in _shipped("memory"):
        folder, _, last = name.rpartition("/")
        if last == "tools.yaml":
            yield from ((f"{folder}/{each}", text) for each, text in starting_files(folder.rpartition("/")[2]))
        yield name, data


def _shipped(part: str) -> Iterator[tuple[str, bytes]]:
    folder = templates_folder() / "example" / part
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix().removesuffix(_SUFFIX), path.read_bytes()
