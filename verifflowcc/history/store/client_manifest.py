"""The files in which clients keep their hooks, and the manifest of what vfcc wrote into them.

Nothing is read or written through a link, and nothing outside of the project.
"""

import contextlib
import json
import stat
from collections.abc import Mapping
from pathlib import Path

from verifflowcc.base.errors import ConflictError, FileErrors, FormatError, WorkspaceError
from verifflowcc.base.files.write import sync_folder, write_atomic
from verifflowcc.base.text.json_edit import Record

FORMAT = 1
LARGEST_BYTES = 4 * 1024 * 1024


def read_text(root: Path, path: str) -> str | None:
    """Return a file of the project with its line ends as they are; None where there is none.

    Raises WorkspaceError where it is a link, lies behind one, or cannot be read, FormatError where it is not UTF-8.
    """
    data = _read(root, path)
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}", hint=f"save {path} as UTF-8") from error


def write_text(root: Path, path: str, text: str | None, before: str | None) -> None:
    """Put a text where `before` was, or take the file away; its permissions stay.

    Raises WorkspaceError, ConflictError.
    """
    if read_text(root, path) != before:
        raise ConflictError(f"somebody changed {path} just now", hint="the same command again")
    place = root / path
    if text is not None:
        mode = None if before is None else stat.S_IMODE(place.stat().st_mode)
        write_atomic(place, text, mode=mode)
        return
    with FileErrors("remove", path):
        place.unlink(missing_ok=True)
        sync_folder(place.parent)


def read_link(root: Path, path: str) -> str | None:
    """Return where a link of the project leads; None where there is nothing, and empty for what is no link.

    Raises WorkspaceError where it lies behind another link.
    """
    _read(root, str(Path(path).parent / ".vfcc-none"))
    place = root / path
    try:
        return place.readlink().as_posix()
    except FileNotFoundError:
        return None
    except OSError:
        return ""


def write_link(root: Path, path: str, target: str | None) -> None:
    """Make a link, or take it away. Raises WorkspaceError."""
    place = root / path
    with FileErrors("write", path):
        place.unlink(missing_ok=True)
        if target is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(target)
        sync_folder(place.parent)


def missing_folders(root: Path, path: str) -> tuple[str, ...]:
    """Return the folders above a file that are not there yet, the outermost first."""
    above = [each.as_posix() for each in Path(path).parents if each != Path()]
    return tuple(each for each in reversed(above) if not (root / each).exists())


def remove_empty(root: Path, folders: tuple[str, ...]) -> None:
    """Remove folders that hold nothing any more."""
    for folder in sorted(folders, reverse=True):
        with contextlib.suppress(OSError):
            (root / folder).rmdir()


def load_records(manifest: Path) -> dict[str, Record]:
    """Return what was written, by file. Raises FormatError, WorkspaceError."""
    data = _read(manifest.parent, manifest.name)
    if data is None:
        return {}
    hint = f"delete {manifest}: what is in the clients' own files is known without it"
    try:
        value = json.loads(data)
        if value["format"] != FORMAT:
            raise FormatError(f"{manifest}:1: format {value['format']} is not one that vfcc knows", hint="update vfcc")
        return {str(path): _record(each) for path, each in value["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(f"{manifest}:1: it is not what vfcc wrote", hint=hint) from error


def save_records(manifest: Path, records: Mapping[str, Record]) -> None:
    """Write what was written; no file where that is nothing. Raises WorkspaceError."""
    if not records:
        manifest.unlink(missing_ok=True)
        return
    files = {path: _plain(each) for path, each in records.items()}
    write_atomic(manifest, json.dumps({"format": FORMAT, "files": files}, indent=2, sort_keys=True) + "\n")


def _plain(record: Record) -> dict[str, object]:
    return {
        "client": record.client,
        "written": record.written,
        "before": record.before,
        "spans": [f"{start}-{end}" for start, end in record.spans],
        "made": list(record.made),
        "folders": list(record.folders),
    }


def _record(value: Mapping[str, object]) -> Record:
    """Return a record, whose folders are the project's own. Raises ValueError, KeyError, TypeError."""
    before = value["before"]
    spans = [str(each).split("-") for each in _listed(value["spans"])]
    folders = tuple(map(str, _listed(value["folders"])))
    if not (before is None or isinstance(before, str)) or any(
        Path(each).is_absolute() or ".." in Path(each).parts for each in folders
    ):
        raise ValueError("no record")
    return Record(
        str(value["client"]),
        str(value["written"]),
        before,
        tuple((int(start), int(end)) for start, end in spans),
        tuple(map(str, _listed(value["made"]))),
        folders,
    )


def _listed(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return value


def _read(root: Path, path: str) -> bytes | None:
    place = root
    parts = Path(path).parts
    try:
        for part in parts:
            place /= part
            mode = place.lstat().st_mode
            last = place == root / path
            if stat.S_ISLNK(mode):
                shown = place.relative_to(root)
                raise WorkspaceError(
                    f"{shown} is a link, and vfcc writes only inside the project",
                    hint=f"replace {shown} by what it names",
                )
            if not (stat.S_ISREG(mode) if last else stat.S_ISDIR(mode)):
                raise WorkspaceError(f"{place.relative_to(root)} is no {'ordinary file' if last else 'folder'}")
        with place.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WorkspaceError(f"cannot read {path}: {error.strerror or error}") from error
    if len(data) > LARGEST_BYTES:
        raise WorkspaceError(f"{path} is larger than {LARGEST_BYTES // 1_048_576} MiB")
    return data
