"""Evidence files on disk: `stage/<sprint>/<stage>/evidence/<ULID>.json`, each written once.

A file is put there under a hidden name first, and gets its own once its event is in the ledger. So a process that is
killed leaves, at every moment, either evidence that an event names, or a hidden file that nobody looks at.
"""

import os
import stat
from pathlib import Path

from verifflowcc.adapters.files.layout import check_inside
from verifflowcc.adapters.files.write import is_temporary, sync_folder, write_atomic
from verifflowcc.domain.evidence import LARGEST_EVIDENCE_BYTES
from verifflowcc.errors import FormatError, WorkspaceError
from verifflowcc.records import dataclass

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
    try:
        if not folder.is_dir():
            return []
        check_inside(folder, memory)
        return os.listdir(folder)  # noqa: PTH208 - a Path for each of 10,000 names costs more than the listing
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder}: {error.strerror or error}") from error
