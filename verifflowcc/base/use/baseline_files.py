"""Read the baselines of a project, and see which of them count in a sprint."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from verifflowcc.base.errors import FormatError, WorkspaceError
from verifflowcc.base.files.project_content import (
    MEMORY,
    KnownDigests,
    digest_all,
    listed_at,
    read_project_file,
    walk,
)
from verifflowcc.base.files.write import on_disk, shown_name
from verifflowcc.base.git.git_place import in_repository
from verifflowcc.base.model.baselines import Baseline, BaselineStatus
from verifflowcc.base.model.gate_input import History, RuleChange
from verifflowcc.base.model.gate_values import BaselineKind
from verifflowcc.base.model.protected_paths import PROTECTED
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_bytes, fold_newlines
from verifflowcc.base.text.glob import matches
from verifflowcc.base.use.workspace import Workspace

# The protected files of a project compared with what they were when a sprint started.

_ELSEWHERE = tuple(each for each in PROTECTED if not each.startswith(f"{MEMORY}/"))


@dataclass(frozen=True, slots=True)
class RuleChanges:
    """The protected files that changed since a sprint's start; `problem` says why that is not known."""

    changes: tuple[RuleChange, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Start:
    """The protected files at the start of a sprint: those of its base, and those `recorded` as different from it."""

    root: Path
    blobs: Mapping[str, str]
    recorded: Mapping[str, str | None] | None

    def differs(self, path: str, digest: str | None) -> bool:
        """Whether a file is not as it was; a version that recorded nothing leaves what its base lacks unknown."""
        if self.recorded is not None and path in self.recorded:
            return digest != self.recorded[path]
        blob = self.blobs.get(path)
        if blob is None:
            return self.recorded is not None and digest is not None
        if digest is None:
            return True
        from verifflowcc.base.git.git_protected import has_blob

        return not has_blob(self.root, path, blob)

    def had(self, path: str) -> bool:
        """Whether there was such a file."""
        recorded = self.recorded or {}
        return recorded[path] is not None if path in recorded else path in self.blobs


def rules_at_start(workspace: Workspace, base: str | None) -> dict[str, str | None]:
    """Return the protected files that are not as the commit `base` has them, with their digests, None where gone."""
    root = workspace.root
    now = _digests(root, listed_at(root, _ELSEWHERE))
    try:
        start = _Start(root, _blobs(root, base), {})
    except WorkspaceError:
        start = _Start(root, {}, {})
    return {path: now.get(path) for path in sorted({*now, *start.blobs}) if start.differs(path, now.get(path))}


def changed_rules(
    workspace: Workspace, state: SprintState, content: Iterable[str], history: History | None
) -> RuleChanges:
    """Return the protected files that changed since an open sprint started, sorted by path.

    `content` are the project's files. A sprint that an older version started did not record the files that its base
    lacks; those are not compared, and with no base nothing is.
    """
    root, base = workspace.root, state.base
    if state.status is SprintStatus.CLOSED or (state.rules is None and base is None):
        return RuleChanges()
    listed = set(content)
    now = _digests(root, [path for path in _ELSEWHERE if path in listed])
    try:
        start = _Start(root, _blobs(root, base), state.rules)
        paths = sorted({*now, *start.blobs, *(state.rules or {})})
        changed = [path for path in paths if start.differs(path, now.get(path))]
        return RuleChanges(tuple(_with_authors(start, changed, now, base, history)) if changed else ())
    except WorkspaceError as error:
        return RuleChanges(problem=error.message)


def _with_authors(
    start: _Start, paths: Sequence[str], now: Mapping[str, str], base: str | None, history: History | None
) -> Iterator[RuleChange]:
    """Yield the changes with the authors of commits, and whether they are committed as they are now."""
    from verifflowcc.base.git.git_protected import authors_since, has_blob

    root = start.root
    known = history is not None and not history.problem
    authors = history.authors if history and known else authors_since(root, base, paths) if base else {}
    committed = start.blobs if history and known and not history.commits else _committed(root)
    for path in paths:
        digest, blob = now.get(path, ""), committed.get(path)
        same = (not digest and not blob) or (blob is not None and has_blob(root, path, blob))
        names = tuple(dict.fromkeys(one.actor.removeprefix("human:") for one in authors.get(path, ())))
        yield RuleChange(path, digest, start.had(path), names, in_repository(root) and not same)


def _committed(root: Path) -> Mapping[str, str]:
    try:
        return _blobs(root, "HEAD")
    except WorkspaceError:
        return {}  # there is no commit yet


def _blobs(root: Path, commit: str | None) -> Mapping[str, str]:
    if commit is None:
        return {}
    from verifflowcc.base.git.git_protected import blobs_at

    found = blobs_at(root, commit, [_place(pattern) for pattern in PROTECTED])
    return {path: blob for path, blob in found.items() if is_protected(path)}


def _digests(root: Path, elsewhere: Iterable[str]) -> Mapping[str, str]:
    """Return path → digest of the protected files on disk: those of `.memory/`, and those named."""
    memory = [path for path in map(_place, PROTECTED) if path.startswith(f"{MEMORY}/")]
    below = (shown_name(name) for place in memory for name in _files(root, place))
    names = dict.fromkeys([*filter(is_protected, below), *elsewhere])
    return digest_all(((name, on_disk(root, name)) for name in names), KnownDigests(None), root)[0]


def _files(root: Path, place: str) -> Iterator[bytes]:
    top, name = os.fsencode(root), place.encode()
    if (root / place).is_dir():
        yield from walk(top, name)
    elif os.path.lexists(root / place):
        yield name


def _place(pattern: str) -> str:
    """Return the folder or file that holds all that a pattern speaks of."""
    parts = pattern.split("/")
    return "/".join(parts[: next((place for place, part in enumerate(parts) if "*" in part), len(parts))])


def is_protected(path: str) -> bool:
    """Say whether a path is that of a file whose change needs a person."""
    return any(matches(path, pattern) for pattern in PROTECTED)


def load_baseline(root: Path, kind: BaselineKind) -> Baseline | None:
    """Return the project's baseline of a kind. Raises FormatError where its file cannot be read as one."""
    data = read_project_file(root, kind.path)
    if data is None:
        return None
    from verifflowcc.base.model.baseline_rules import read_baseline_file

    return read_baseline_file(data, kind)


def baseline_statuses(root: Path, state: SprintState, today: str) -> Mapping[BaselineKind, BaselineStatus]:
    """Return the baselines that the project has, each with the reason why it does not count in the sprint."""
    found = {kind: baseline_status(root, kind, state, today) for kind in BaselineKind}
    return {kind: each for kind, each in found.items() if each is not None}


def baseline_status(root: Path, kind: BaselineKind, state: SprintState, today: str) -> BaselineStatus | None:
    """Return the project's baseline of a kind as `baseline_statuses` does; None where there is none."""
    try:
        data = read_project_file(root, kind.path)
        if data is None:
            return None
        from verifflowcc.base.model.baseline_rules import baseline_problem, read_baseline_file

        baseline = read_baseline_file(data, kind)
    except (FormatError, WorkspaceError) as error:
        return BaselineStatus(None, error.message)
    return BaselineStatus(baseline, baseline_problem(baseline, digest_bytes(fold_newlines(data)), state, today))
