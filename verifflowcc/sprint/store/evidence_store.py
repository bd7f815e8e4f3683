"""Evidence files on disk: `stage/<sprint>/<stage>/evidence/<ULID>.json`, each written once.

A file is put there under a hidden name first, and gets its own once its event is in the ledger. So a process that is
killed leaves, at every moment, either evidence that an event names, or a hidden file that nobody looks at.
"""

import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path

from verifflowcc.base.errors import FileErrors, FormatError, UsageError, WorkspaceError
from verifflowcc.base.files.layout import check_inside
from verifflowcc.base.files.write import is_temporary, on_disk, sync_folder, write_atomic
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_place import in_repository
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.sprint_state import Artifact, ArtifactFile, ArtifactText
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_bytes, fold_newlines

# The files in a stage's `artifacts/` folder, with their digests.

_TEXT_PROBE_BYTES = 8000
LARGEST_TEXT_BYTES = 4 * 1024 * 1024


def read_artifacts(folder: Path, memory: Path) -> tuple[ArtifactFile, ...]:
    """Return the files below `folder`, sorted by path; hidden files are no artifacts.

    A link is followed while it stays inside `memory`. Raises WorkspaceError for one that leaves it, and for a file that
    cannot be read.
    """
    return tuple(
        ArtifactFile(one.artifact, empty=one.artifact.bytes == 0 or (one.text is not None and not one.text.strip()))
        for one in read_artifact_texts(folder, memory)
    )


def read_artifact_texts(folder: Path, memory: Path) -> tuple[ArtifactText, ...]:
    """Return the files below `folder` with their texts, as `read_artifacts` finds them."""
    check_inside(folder, memory)
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(place, name)
            if not name.startswith("."):
                found.append(_read(path, path.relative_to(folder).as_posix(), memory))
    return tuple(sorted(found, key=lambda file: file.artifact.path))


def _read(path: Path, name: str, memory: Path) -> ArtifactText:
    if path.is_symlink():
        check_inside(path, memory)
    with FileErrors("read", path):
        data = path.read_bytes() if path.is_file() else b""
    content = data if b"\0" in data[:_TEXT_PROBE_BYTES] else fold_newlines(data)
    return ArtifactText(Artifact(name, digest_bytes(content), len(content)), _text(content))


def _text(content: bytes) -> str | None:
    if b"\0" in content or len(content) > LARGEST_TEXT_BYTES:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


# What commands wrote, kept by its digest below `local/blobs/`: derived, git-ignored, deletable at any moment.

_DIGEST = lazy_pattern(r"sha256:([0-9a-f]{2})([0-9a-f]{62})")


def put_blob(local: Path, data: bytes) -> str:
    """Keep `data` and return its digest; one that is there and whole is not written again.

    Raises WorkspaceError where it cannot be written.
    """
    digest = digest_bytes(data)
    if read_blob(local, digest) is None:
        write_atomic(_place(local, digest), data)
    return digest


def read_blob(local: Path, digest: str) -> bytes | None:
    """Return the bytes with this digest; None where they are not there, or are not what was put there.

    Raises WorkspaceError where a link leads out of `local`.
    """
    if not _DIGEST.fullmatch(digest):
        return None
    try:
        data = _place(local, digest).read_bytes()
    except OSError:
        return None
    return data if digest_bytes(data) == digest else None


def _place(local: Path, digest: str) -> Path:
    digits = digest.removeprefix("sha256:")
    path = local / "blobs" / digits[:2] / digits
    check_inside(path.parent, local.parent)
    return path


# A report that a person or a CI job hands over, and whether it can speak of the files that lie here.

LARGEST_REPORT_BYTES = 64 * 1024 * 1024
_SLACK_S = 60


def read_report(path: Path) -> bytes:
    """Return the bytes of the report.

    Raises UsageError where there is no ordinary file that can be read, FormatError where it is empty or larger than
    64 MiB.
    """
    with FileErrors("read", path, raises=UsageError):
        if not stat.S_ISREG(path.stat().st_mode):
            raise UsageError(f"{path} is no ordinary file")
        with path.open("rb") as file:
            data = file.read(LARGEST_REPORT_BYTES + 1)
    if not data.strip():
        raise FormatError(f"{path} is empty", hint="make the report again, then add it again")
    if len(data) > LARGEST_REPORT_BYTES:
        raise FormatError(f"{path} is larger than {LARGEST_REPORT_BYTES // 1_048_576} MiB")
    return data


def is_from_the_future(report: Path) -> bool:
    """Say whether a report's date is still to come; a minute is left for clocks of other machines."""
    return report.stat().st_mtime > time.time() + _SLACK_S


def newest_after(root: Path, report: Path, names: Iterable[str]) -> str | None:
    """Return the name of the newest of the files (relative to `root`) that were written after `report`, if any was."""
    made = report.stat().st_mtime_ns
    times = {name: _time(root, name) for name in names}
    newest = max(sorted(times), key=times.__getitem__, default=None)
    return newest if newest is not None and times[newest] > made else None


def _time(root: Path, name: str) -> int:
    try:
        return os.lstat(on_disk(root, name)).st_mtime_ns
    except OSError:
        return 0


# Make room for the reports of a command: what an earlier run left there must not count for this one.


def remove_reports(root: Path, paths: Iterable[str]) -> None:
    """Remove the files at `paths` (relative to `root`) and make their folders; all are looked at before one is removed.

    Raises WorkspaceError where one is a file that git keeps, a folder, or leads out of the project.
    """
    targets = [_target(root, path) for path in paths]
    for target in targets:
        with FileErrors("make room for the report", target):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)


def _target(root: Path, path: str) -> Path:
    target = root / path
    hint = "vfcc config show  # gates.commands: give the report a path of its own"
    if not target.parent.resolve().is_relative_to(root.resolve()):
        raise WorkspaceError(f"the report {path} leads out of the project", hint=hint)
    if target.is_dir() and not target.is_symlink():
        raise WorkspaceError(f"the report {path} is a folder", hint=hint)
    kept = (
        target.exists() and in_repository(root) and ask_git(root, "ls-files", "--error-unmatch", "--", path).code == 0
    )
    if kept:
        raise WorkspaceError(f"the report {path} is a file that git keeps; a run would overwrite it", hint=hint)
    return target


_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class EvidenceFiles:
    """The evidence files of a sprint, by their paths relative to `.memory/`, sorted.

    `pending` are those that still lie under their hidden names, by the path that they will have.
    """

    placed: tuple[str, ...]
    pending: frozenset[str]


def evidence_path(sprint_id: str, stage_id: str, name: str) -> str:
    """Return where a piece of evidence lies, relative to `.memory/`; `name` is its id."""
    return f"stage/{sprint_id}/{stage_id}/evidence/{name}.json"


def evidence_files(memory: Path, sprint_id: str) -> EvidenceFiles:
    """Return the sprint's evidence files; none is opened.

    Raises WorkspaceError for a folder that cannot be read, or that is a link out of `memory`.
    """
    folder = memory / "stage" / sprint_id
    found = []
    for stage in _names(folder, memory):
        place = f"stage/{sprint_id}/{stage}/evidence"
        found += [(place, name) for name in _names(memory / place, memory) if name.endswith(".json")]
    placed = sorted(f"{place}/{name}" for place, name in found if not name.startswith("."))
    pending = frozenset(f"{place}/{name[1:]}" for place, name in found if name.startswith("."))
    return EvidenceFiles(tuple(placed), pending)


def foreign_entries(memory: Path, sprint_id: str) -> tuple[str, ...]:
    """Return what lies in the sprint's evidence folders and is read as none, by its path relative to `memory`."""
    places = [f"stage/{sprint_id}/{stage}/evidence" for stage in _names(memory / "stage" / sprint_id, memory)]
    listed = (f"{place}/{name}" for place in places for name in _names(memory / place, memory))
    return tuple(
        sorted(path for path in listed if not path.endswith(".json") and not is_temporary(path.rpartition("/")[2]))
    )


def read_evidence_file(memory: Path, path: str, *, hidden: bool = False) -> bytes:
    """Return the bytes of an evidence file, under its own or its hidden name; `path` is relative to `memory`.

    With `hidden`, under its hidden name alone: there lies one that is written again, until its event is in the ledger.
    Raises FormatError, with the reason alone, for what is no ordinary file, cannot be read, or is larger than evidence.
    """
    from verifflowcc.base.model.evidence_values import LARGEST_EVIDENCE_BYTES

    try:
        handle = os.open(memory / _hidden(path), _READ) if hidden else _open(memory, path)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}") from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise FormatError("no ordinary file")
        data = os.read(handle, LARGEST_EVIDENCE_BYTES + 2)  # one more for CRLF, one more to see that it is too large
    finally:
        os.close(handle)
    if len(data) > LARGEST_EVIDENCE_BYTES + 1:
        raise FormatError(f"larger than evidence can be ({LARGEST_EVIDENCE_BYTES} bytes)")
    return data


def put_evidence(memory: Path, path: str, data: bytes) -> None:
    """Write an evidence file under its hidden name. Raises WorkspaceError where that cannot be done."""
    hidden = memory / _hidden(path)
    check_inside(hidden.parent, memory)
    write_atomic(hidden, data)


def place_evidence(memory: Path, path: str) -> None:
    """Give an evidence file its own name, now that its event is there; another process may have done so.

    Raises WorkspaceError where that cannot be done; the evidence counts all the same.
    """
    target = memory / path
    check_inside(target.parent, memory)
    try:
        (memory / _hidden(path)).replace(target)
        sync_folder(target.parent)
    except FileNotFoundError:
        if not target.exists():
            raise WorkspaceError(f"{target} is gone", hint="vfcc evidence run") from None
    except OSError as error:
        raise WorkspaceError(f"cannot write {target}: {error.strerror or error}") from error


def _open(memory: Path, path: str) -> int:
    try:
        return os.open(memory / path, _READ)
    except FileNotFoundError:
        return os.open(memory / _hidden(path), _READ)


def _hidden(path: str) -> str:
    folder, _, name = path.rpartition("/")
    return f"{folder}/.{name}"


def _names(folder: Path, memory: Path) -> list[str]:
    """Return the names in a folder; nothing where there is no folder."""
    with FileErrors("read", folder):
        if not folder.is_dir():
            return []
        check_inside(folder, memory)
        return os.listdir(folder)  # noqa: PTH208 - a Path for each of 10,000 names costs more than the listing
