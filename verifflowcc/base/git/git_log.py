"""The output of `git log`, as commits with their paths, tags and authors."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.write import shown_name
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_place import in_repository
from verifflowcc.base.model.gate_input import CommitNote
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.people import Contributor
from verifflowcc.base.process.acting import clean_name
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_bytes, digest_text

# Earlier content of a file, found in git by its digest.

MOST_COMMITS = 50
"""Commits that are searched, newest first: each costs a process."""


def earlier_bytes(root: Path, path: str, digest: str) -> bytes | None:
    """Return the bytes of `path` (relative to `root`) that have this digest, as text or as they are.

    The index is looked at first, then the latest commits that touch the file. None where git knows no such content.
    """
    if not in_repository(root):
        return None
    try:
        return next((data for data in _known(root, path) if digest in (digest_text(data), digest_bytes(data))), None)
    except WorkspaceError:
        return None


def known_versions(root: Path, path: str) -> Iterator[bytes]:
    """Yield what the index and the latest commits have at `path`; nothing where git cannot tell."""
    if not in_repository(root):
        return
    try:
        yield from _known(root, path)
    except WorkspaceError:
        return


def blob_bytes(root: Path, name: str) -> bytes | None:
    """Return the bytes that git has under a name (`COMMIT:./path`); None where it has none."""
    try:
        return next(_blob(root, name), None)
    except WorkspaceError:
        return None


def _known(root: Path, path: str) -> Iterator[bytes]:
    yield from _blob(root, f":./{path}")
    logged = ask_git(root, "log", f"--max-count={MOST_COMMITS}", "--format=%H", "HEAD", "--", f":(literal){path}")
    for sha in logged.out.decode("ascii", "replace").split() if logged.code == 0 else ():
        yield from _blob(root, f"{sha}:./{path}")


def _blob(root: Path, name: str) -> Iterator[bytes]:
    found = ask_git(root, "cat-file", "blob", name)
    if found.code == 0:
        yield found.out


LOG = (
    "log",
    "-z",
    "-c",
    "--name-only",
    "--no-relative",
    "--no-renames",
    "--no-color",
    "--no-notes",
    "--no-mailmap",
    "--no-show-signature",
    "--encoding=UTF-8",
    "--decorate=full",
    "--decorate-refs=refs/tags/",
    "--format=%x00%x00%H%x00%an%x00%ae%x00%cn%x00%ce%x00%aI%x00%D%x00%s%x00%b",
)
"""A merge (`-c`) has the paths that differ from all its parents. Two NULs begin a commit: a name cannot be empty."""

_CO_AUTHOR = lazy_pattern(
    r"^[ \t]*co-authored-by[ \t]*:[ \t]*([^<\n]*[^<\s])(?:[ \t]*<([^>\n]*)>)?", re.IGNORECASE | re.MULTILINE
)
_ACTOR = lazy_pattern(r"^[ \t]*vfcc-actor[ \t]*:[ \t]*(\S[^\n]*)", re.IGNORECASE | re.MULTILINE)
_TAG = "tag: refs/tags/"
_FIELDS = 9


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """A commit, the tags that point at it, and all who have a part in it.

    `authors` are names: the author, co-authors, and who a `Vfcc-Actor:` line names. `contributors` are these with their
    addresses, and the committer.
    """

    note: CommitNote
    tags: tuple[str, ...]
    authors: tuple[str, ...]
    contributors: tuple[Contributor, ...]


def parse_log(out: bytes, prefix: bytes) -> Iterator[LoggedCommit]:
    """Yield the commits in what git printed for `LOG`, in its order, with the paths below the folder `prefix` alone.

    Paths are relative to that folder, which ends with `/` or is empty. (Git's own `--relative` forgets merges.)
    """
    parts = out.split(b"\0")
    place = 0
    while parts[place : place + 2] == [b"", b""] and place + _FIELDS < len(parts):
        fields = [_text(part) for part in parts[place + 2 : place + 2 + _FIELDS]]
        sha, author, email, committer, committer_email, time, refs, subject, body = fields
        place, names = _paths(parts, place + 2 + _FIELDS)
        inside = {shown_name(each.removeprefix(prefix)) for each in names if each.startswith(prefix)}
        name = clean_name(author)
        tags = tuple(sorted(ref.removeprefix(_TAG) for ref in refs.split(", ") if ref.startswith(_TAG)))
        others = tuple(_others(body))
        people = (_person(author, email), _person(committer, committer_email), *others)
        authors = (name, *(one.actor.removeprefix("human:") for one in others))
        note = CommitNote(sha, name, subject, body, tuple(sorted(inside)), time, authors)
        yield LoggedCommit(note, tags, authors=authors, contributors=tuple(dict.fromkeys(people)))


def _paths(parts: Sequence[bytes], place: int) -> tuple[int, list[bytes]]:
    """Return where the next commit begins, and the paths from `place` on.

    Git puts a line feed before the first path of a commit, and an empty part before those of a merge, even if all of
    them are left out.
    """
    paths = []
    start = [not part for part in parts[place : place + 3]]
    if start[:2] == [True, False] or start == [True, True, True]:
        place += 1
    elif place < len(parts) and parts[place].startswith(b"\n"):
        paths.append(parts[place][1:])
        place += 1
    while place < len(parts) and parts[place]:
        paths.append(parts[place])
        place += 1
    return place, paths


def _others(body: str) -> Iterator[Contributor]:
    for found in _CO_AUTHOR.finditer(body):
        yield _person(found[1], found[2] or "")
    for found in _ACTOR.finditer(body):
        actor = clean_name(found[1])
        yield Contributor(actor if actor.startswith(("human:", "agent:")) else f"human:{actor}")


def _person(name: str, email: str) -> Contributor:
    return Contributor(f"human:{clean_name(name)}", clean_name(email))


def _text(part: bytes) -> str:
    return part.decode("utf-8", "replace")
