"""The changes that an approval saw: each file as it was when its stage was entered, and as it was approved."""

from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.domain.actors import Opinion, Review
from verifflowcc.domain.sprints import SprintState
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.canonical import digest_bytes, fold_newlines

MOST_FILES = 20
MOST_LINES = 200
_LARGEST_BYTES = 256 * 1024
_DEPTH = 20
"""So many commits of a file are compared with what was approved, the latest first."""


@dataclass(frozen=True, slots=True)
class ApprovedChange:
    """One file of an approval: `lines` of its diff, and how many more there are.

    `note` says what is wrong with it: the content has changed since, or is not in git.
    """

    path: str
    lines: tuple[str, ...]
    more: int = 0
    note: str = ""


def approved_changes(
    source: Workspace, state: SprintState, reviews: Sequence[Review]
) -> Mapping[str, tuple[ApprovedChange, ...]]:
    """Return the changes of each approval that names its files, by the id of its event."""
    return {
        each.event: tuple(_changes(source, state, each))
        for each in reviews
        if each.opinion is Opinion.APPROVED and each.seen
    }


def _changes(source: Workspace, state: SprintState, review: Review) -> Iterator[ApprovedChange]:
    stage = state.stage(review.stage)
    base = (stage.entry.head if stage and stage.entry else "") or state.base or ""
    for path, digest in sorted(review.seen.items())[:MOST_FILES]:
        yield _change(source, base, path, digest)
    if len(review.seen) > MOST_FILES:
        yield ApprovedChange(f"{len(review.seen) - MOST_FILES} more files", ())


def _change(source: Workspace, base: str, path: str, digest: str) -> ApprovedChange:
    here = _on_disk(source.root, path)
    is_same = here is not None and _digest(here) == digest
    seen = here if is_same else _in_history(source.root, path, digest)
    if seen is None:
        return ApprovedChange(path, (), note="the approved content is not in git; the file has changed since")
    before = _at(source.root, base, path) if base else None
    old, new = (_lines(each) for each in (before or b"", seen))
    found = list(unified_diff(old, new, "before the stage", "approved", n=2, lineterm=""))
    note = "" if is_same else "changed since the approval"
    return ApprovedChange(path, tuple(found[:MOST_LINES]), max(len(found) - MOST_LINES, 0), note)


def _digest(data: bytes) -> str:
    return digest_bytes(fold_newlines(data))


def _on_disk(root: Path, path: str) -> bytes | None:
    file = root / path
    if not file.resolve().is_relative_to(root.resolve()):
        return None
    try:
        with file.open("rb") as opened:
            data = opened.read(_LARGEST_BYTES + 1)
    except OSError:
        return None
    return data if len(data) <= _LARGEST_BYTES else None


def _in_history(root: Path, path: str, digest: str) -> bytes | None:
    """Return the content with that digest from the latest commits of a file, or None."""
    try:
        log = ask_git(root, "log", f"-{_DEPTH}", "--format=%H", "HEAD", "--", path)
    except WorkspaceError:
        return None
    commits = log.out.decode("ascii", "replace").split() if log.code == 0 else []
    found = (_at(root, commit, path) for commit in commits)
    return next((data for data in found if data is not None and _digest(data) == digest), None)


def _at(root: Path, commit: str, path: str) -> bytes | None:
    try:
        done = ask_git(root, "cat-file", "blob", f"{commit}:./{path}")
    except WorkspaceError:
        return None
    return done.out if done.code == 0 and len(done.out) <= _LARGEST_BYTES else None


def _lines(data: bytes) -> list[str]:
    return data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
