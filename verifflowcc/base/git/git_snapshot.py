"""A commit's memory tree as files: the bytes that the commit holds, untouched by filters and line-end settings."""

import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_versions import committed_texts

LINK_MODE = "120000"
FILE_MODES = {"100644", "100755"}
LONGEST_CHAIN = 8
"""How many links may lead to one another."""


@contextmanager
def committed_tree(root: Path, revision: str, paths: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    """Give a folder that holds `paths` (relative to `root`) as they are in `revision`, and the commit's id.

    Links are kept as links, so that whoever reads the folder decides which to follow; the folder is removed at the end.
    Raises WorkspaceError outside of git, UsageError where there is no such commit.
    """
    commit = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}").strip()
    with tempfile.TemporaryDirectory(prefix="vfcc-") as folder:
        top = Path(folder).resolve()
        wanted = set(paths)
        for _ in range(LONGEST_CHAIN):
            targets = _write(root, top, _listed(root, commit, wanted))
            wanted = {path for path in targets if not (top / path).exists()}
            if not wanted:
                break
        yield top, commit


def add_committed(root: Path, top: Path, commit: str, paths: Collection[str]) -> None:
    """Write more of a commit to a folder that `committed_tree` gave: the files and links at plain `paths`.

    Of a folder there is only itself then, and of a link in the middle of a path the link. Raises as `committed_tree`.
    """
    wanted = {
        "/".join(parts[: number + 1]) for path in paths for parts in [path.split("/")] for number in range(len(parts))
    }
    entries = _git(root, "ls-tree", "-t", "-z", commit, "--", *sorted(wanted)).split("\0") if wanted else []
    lines = []
    for line in entries:
        meta, _, path = line.partition("\t")
        if path not in wanted or os.path.lexists(top / path):
            continue
        if meta.split()[0] in (LINK_MODE, *FILE_MODES):
            lines.append(line)
        else:
            _make_folder(top / path, top, path)
    _write(root, top, lines)


def add_rest(root: Path, top: Path, commit: str) -> None:
    """Write all of a commit that is not there yet to a folder that `committed_tree` gave. Raises as that does."""
    lines = _git(root, "ls-tree", "-r", "-z", commit).split("\0")
    _write(root, top, [line for line in lines if line and not os.path.lexists(top / line.partition("\t")[2])])


def _listed(root: Path, commit: str, paths: set[str]) -> list[str]:
    listing = _git(root, "ls-tree", "-r", "-z", commit, "--", *sorted(paths))
    return [line for line in listing.split("\0") if line]


def _write(root: Path, top: Path, lines: list[str]) -> set[str]:
    """Write what was listed; return where its links lead, as far as that is inside the project."""
    targets = set()
    entries = [(*meta.split(), path) for meta, _, path in (line.partition("\t") for line in lines)]
    wanted = [(mode, sha, path) for mode, _, sha, path in entries if mode == LINK_MODE or mode in FILE_MODES]
    for (mode, _, path), content in zip(wanted, committed_texts(root, [sha for _, sha, _ in wanted]), strict=True):
        target = top / path
        _make_folder(target.parent, top, path)
        if mode == LINK_MODE:
            target.symlink_to(os.fsdecode(content))
            leads_to = os.path.normpath(os.path.join(os.path.dirname(path), os.fsdecode(content)))  # noqa: PTH118, PTH120
            if not leads_to.startswith(("..", "/")):
                targets.add(leads_to)
        else:
            with target.open("xb") as file:  # never through a link that was written before
                file.write(content)
    return targets


def _make_folder(folder: Path, top: Path, path: str) -> None:
    """Make a folder below `top`. A forged tree may hold `..`, or a link and a folder of one name; nothing checks it."""
    if folder.resolve().is_relative_to(top):
        folder.mkdir(parents=True, exist_ok=True)
    else:
        raise WorkspaceError(f"the commit holds {path!r}, which leaves the project", hint="git fsck")


def _git(root: Path, *arguments: str) -> str:
    result = ask_git(root, "--literal-pathspecs", *arguments)
    if result.code == 0:
        return os.fsdecode(result.out)
    if "not a git repository" in result.err:
        raise WorkspaceError(f"{root} is in no git repository, so nothing is committed", hint="git init")
    if arguments[0] == "rev-parse":
        revision = arguments[-1].removesuffix("^{commit}")
        raise UsageError(f"git has no commit {revision}", hint="git log --oneline")
    raise WorkspaceError(f"git {arguments[0]} failed: {result.first_line}")
