"""The identity of a repository in git: its first commits and its name.

A commit's first ancestors never change, so they are remembered for it in `local/identity.json`; what came since is all
that is walked again. The file is derived, and holds for the git folder on this very disk alone.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.write import DerivedFile
from verifflowcc.base.git.git_command import GitResult, ask_git
from verifflowcc.base.git.git_place import in_repository
from verifflowcc.base.git.kept_identity import remember_repository, stamps_of_repository
from verifflowcc.base.process.acting import clean_name
from verifflowcc.base.records import dataclass

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_HEADS = 16
FILE = "identity.json"
_FILE = DerivedFile(FILE, 1, keyed_by="the git folder on this disk", largest_bytes=64 * 1024)
_HINT = "git fetch --unshallow, or export VFCC_PROJECT=name@0123456789ab"
_FACTS = ("--show-toplevel", "--git-common-dir", "--is-shallow-repository", "--show-prefix")


@dataclass(frozen=True, slots=True)
class RepositoryIdentity:
    """A repository by its name, its first commit, and the folder in it that the project is (empty: all of it).

    `root` is the whole id of the first commit, of several the smallest; None before any commit.
    """

    name: str
    root: str | None
    folder: str = ""


@dataclass(frozen=True, slots=True)
class _RepositoryPlace:
    top: Path
    common: Path
    shallow: bool
    prefix: str
    head: str | None


def read_repository(root: Path, local: Path) -> RepositoryIdentity | None:
    """Return what the repository of the project in `root` is; None where it is in none. Remembers in `local`.

    Raises WorkspaceError where git cannot tell: it cannot be run or refuses to read the repository, or the history is
    cut off (a shallow clone).
    """
    if not in_repository(root):
        return None
    stamps = stamps_of_repository(root)
    place = _place(root)
    if place.shallow:
        raise WorkspaceError(
            f"{place.top} is a shallow clone, which does not hold the first commit that the project is known by",
            hint=f"git fetch --unshallow, or {_HINT}",
        )
    roots = _roots(root, local, place) if place.head else ()
    found = RepositoryIdentity(_name(root, place), min(roots, default=None), place.prefix)
    if stamps:
        remember_repository(local, stamps, (found.name, found.root, found.folder))
    return found


def _place(root: Path) -> _RepositoryPlace:
    try:
        result = ask_git(root, "rev-parse", *_FACTS, "HEAD^{commit}")
    except WorkspaceError as error:
        raise WorkspaceError(f"cannot identify the project: {error.message}", hint=_HINT) from error
    lines = os.fsdecode(result.out).splitlines()
    if len(lines) < len(_FACTS):
        raise WorkspaceError(f"cannot identify the project: {_why(result)}", hint=_hint_of(root, result))
    top, common, shallow, prefix = lines[:4]
    head = lines[4] if result.code == 0 and len(lines) > 4 and _COMMIT.fullmatch(lines[4]) else None
    if shallow not in ("true", "false"):
        raise WorkspaceError(f"{root}: a folder's name with a line break hides which project this is", hint=_HINT)
    return _RepositoryPlace(Path(top), (root / common).resolve(), shallow == "true", prefix.rstrip("/"), head)


def _why(result: GitResult) -> str:
    if "dubious ownership" in result.err:
        return "the repository belongs to another user, and git does not read it"
    return result.first_line


def _hint_of(root: Path, result: GitResult) -> str:
    return f"git config --global --add safe.directory {root}" if "dubious ownership" in result.err else _HINT


def _name(root: Path, place: _RepositoryPlace) -> str:
    """Return the last part of where the repository was cloned from, else the name of its own folder."""
    result = ask_git(root, "config", "--get", "remote.origin.url")
    origin = os.fsdecode(result.out).strip() if result.code == 0 else ""
    home = place.common.parent if place.common.name == ".git" else place.top
    for given in (origin, str(place.common) if place.common.name.endswith(".git") else "", str(home), str(place.top)):
        name = _last_part(given)
        if name:
            return name
    return "project"


def _last_part(url: str) -> str:
    """Return the name in a URL or path.

    >>> _last_part("git@example.org:team/shop.git"), _last_part("/srv/shop/.git/"), _last_part("host:shop")
    ('shop', 'shop', 'shop')
    """
    parts = [part for part in re.split(r"[/\\]|(?<=[^/\\]):(?=[^/\\])", url.strip()) if part and part != ".git"]
    name = parts[-1].removesuffix(".git") if parts else ""
    shown = name.encode("utf-8", "backslashreplace").decode()
    return clean_name(shown) if shown.strip() else ""


def _roots(root: Path, local: Path, place: _RepositoryPlace) -> tuple[str, ...]:
    head = place.head or ""
    remembered = _read(local, place)
    if head in remembered:
        return remembered[head]
    roots = _from_remembered(root, head, remembered) or _walk(root, head)
    kept = dict([*remembered.items(), (head, roots)][-_HEADS:])
    _FILE.write(local / FILE, kept, _mark(place.common))
    return roots


def _from_remembered(root: Path, head: str, remembered: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the first commits of `head` by those of the commit that was asked for last; nothing where it cannot tell.

    What two histories share has all the first commits of one of them where that has just one.
    """
    if not remembered:
        return ()
    last, known = list(remembered.items())[-1]
    shared = ask_git(root, "merge-base", head, last)
    base = shared.out.decode("ascii", "replace").strip()
    if shared.code or (len(known) > 1 and base != last):
        return ()
    new = ask_git(root, "rev-list", "--max-parents=0", head, f"^{last}")
    return () if new.code else tuple(sorted({*known, *new.out.decode("ascii", "replace").split()}))


def _walk(root: Path, head: str) -> tuple[str, ...]:
    result = ask_git(root, "rev-list", "--max-parents=0", head)
    found = tuple(sorted(result.out.decode("ascii", "replace").split()))
    if result.code or not found:
        raise WorkspaceError(f"the first commit of {root} cannot be found: {result.first_line}", hint="git fsck")
    return found


def _read(local: Path, place: _RepositoryPlace) -> dict[str, tuple[str, ...]]:
    """Return the first commits by commit, the last asked for at the end; what is damaged counts as absent."""
    kept = _FILE.read(local / FILE, _mark(place.common)) or {}
    heads = {str(head): tuple(map(str, roots)) for head, roots in kept.items()}
    sound = all(_COMMIT.fullmatch(each) for head, roots in heads.items() for each in (head, *roots))
    return heads if sound and all(heads.values()) else {}


def _mark(common: Path) -> str:
    """Name a git folder on this disk, which a file that somebody committed cannot know."""
    stat = common.stat()
    return f"{os.fsencode(common).hex()} {stat.st_dev} {stat.st_ino}"
