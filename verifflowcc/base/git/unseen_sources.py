"""Source files that git ignores, or below `.memory/`: tests can import them, and no evidence speaks of them."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.project_content import belongs, is_around, is_of_kernel, listed_at, walk
from verifflowcc.base.files.write import shown_name
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.work_tree import LINK
from verifflowcc.base.records import dataclass

MOST = 20_000
"""So many files below an ignored folder are looked at; caches and environments are none of them."""

_SOURCES = (b".py", b".js", b".mjs", b".cjs", b".ts", b".mts", b".cts", b".jsx", b".tsx", b".rb", b".php", b".pth")


@dataclass(frozen=True, slots=True)
class UnseenSource:
    """A source file that no evidence speaks of: git ignores it, or it lies below `.memory/`.

    `rule` is the file that makes git ignore it, where that is none of the project's own.
    """

    path: str
    rule: str = ""


def unseen_sources(root: Path) -> tuple[UnseenSource, ...]:
    """Return the source files below `root` that git ignores, sorted, then those below `.memory/`.

    Left out is what tools leave behind, such as environments and installed packages. Raises WorkspaceError where git
    cannot list them.
    """
    listed = ask_git(
        root, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory"
    )
    if listed.code:
        raise WorkspaceError(f"git cannot list what it ignores: {listed.first_line}", hint="git status --ignored")
    top = os.fsencode(root)
    ignored = sorted({*islice(_sources(top, listed.out.split(b"\0")), MOST)})
    inside = sorted(name for name in islice(walk(top, b".memory"), MOST) if name.endswith(_SOURCES))
    unseen = (UnseenSource(shown_name(name), _rule(root, name)) for name in ignored)
    return (*unseen, *(UnseenSource(shown_name(name)) for name in inside))


def uncovered_links(root: Path) -> tuple[tuple[str, str], ...]:
    """Return tracked links to what no digest covers, and what that is.

    That is a folder around the project, and a device, a pipe or a file of the kernel, whose content has no end or no
    date.

    Raises WorkspaceError where git cannot list them.
    """
    listed = ask_git(root, "ls-files", "-z", "--stage")
    if listed.code:
        raise WorkspaceError(f"git cannot list the files of {root}: {listed.first_line}", hint="git status")
    top = os.path.realpath(os.fsencode(root))
    entries = (line.partition(b"\t") for line in listed.out.split(b"\0") if line.startswith(LINK.encode()))
    found = ((name, os.path.realpath(os.path.join(top, name))) for _, _, name in entries)  # noqa: PTH118
    return tuple((shown_name(name), what) for name, real in found if (what := _uncovered(top, real)))


def _uncovered(top: bytes, real: bytes) -> str:
    """Say what a link leads to, where no digest covers that."""
    if real != top and is_around(top, real):
        return "a folder around the project, so evidence does not cover its files"
    special = os.path.exists(real) and not os.path.isfile(real) and not os.path.isdir(real)  # noqa: PTH110, PTH112, PTH113
    if special or is_of_kernel(real):
        return "something that is no file of a disk, so evidence does not cover it"
    return ""


def _sources(top: bytes, ignored: list[bytes]) -> Iterator[bytes]:
    for name in ignored:
        if not name or not belongs(shown_name(name.rstrip(b"/"))):
            continue
        below = walk(top, name.rstrip(b"/"), nested=False) if name.endswith(b"/") else (name,)
        yield from (each for each in below if each.endswith(_SOURCES))


def _rule(root: Path, name: bytes) -> str:
    """Return the file that makes git ignore a file, where it is none that git has or would add; "" where it is one."""
    answer = ask_git(root, "--no-literal-pathspecs", "check-ignore", "-z", "-v", "--stdin", given=name + b"\0")
    source = os.fsdecode(answer.out.split(b"\0")[0])
    return "" if not source or (not source.startswith("/") and listed_at(root, [source])) else source
