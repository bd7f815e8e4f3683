"""Source files that git ignores: tests can import them, and no evidence speaks of them."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.project.content import belongs, walk
from verifflowcc.adapters.project.names import shown_name
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass

MOST = 20_000
"""So many files below an ignored folder are looked at; caches and environments are none of them."""

_SOURCES = (".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".rb", ".php", ".pth")


@dataclass(frozen=True, slots=True)
class UnseenSource:
    """A source file that git ignores. `rule` is the file that says so, where the repository does not hold that file."""

    path: str
    rule: str = ""


def unseen_sources(root: Path) -> tuple[UnseenSource, ...]:
    """Return the source files below `root` that git ignores, sorted. Raises WorkspaceError where git cannot list them.

    Left out is what tools leave behind, such as environments and installed packages.
    """
    listed = ask_git(
        root, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory"
    )
    if listed.code:
        raise WorkspaceError(f"git cannot list what it ignores: {listed.first_line}", hint="git status --ignored")
    names = sorted({*islice(_sources(os.fsencode(root), listed.out.split(b"\0")), MOST)})
    if not names:
        return ()
    return tuple(UnseenSource(shown_name(name), _rule(root, name)) for name in names)


def _sources(top: bytes, ignored: list[bytes]) -> Iterator[bytes]:
    for name in ignored:
        if not name or not belongs(shown_name(name.rstrip(b"/"))):
            continue
        below = walk(top, name.rstrip(b"/"), nested=False) if name.endswith(b"/") else (name,)
        yield from (each for each in below if each.endswith(tuple(map(str.encode, _SOURCES))))


def _rule(root: Path, name: bytes) -> str:
    """Return the file outside of the repository's content that makes git ignore a file; "" where there is none."""
    told = ask_git(root, "--no-literal-pathspecs", "check-ignore", "-z", "-v", "--stdin", given=name + b"\0")
    source = os.fsdecode(told.out.split(b"\0")[0])
    return "" if not source or Path(source).name == ".gitignore" else source
