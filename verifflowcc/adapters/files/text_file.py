"""Text files that a person names on the command line: one to read, one to write."""

from pathlib import Path

from verifflowcc.adapters.files.tree import LARGEST_FILE_BYTES
from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.errors import FormatError, UsageError, WorkspaceError


def read_given(path: Path) -> str:
    """Return the file's text with LF line ends.

    Raises UsageError where it cannot be read or is too large to be memory, FormatError where it is not UTF-8.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    if len(data) > LARGEST_FILE_BYTES:
        raise UsageError(f"{path} is larger than {LARGEST_FILE_BYTES // 1_048_576} MiB")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}") from error


def write_given(path: Path, text: str) -> None:
    """Put `text` into the file: whole or not at all, or straight into what is a device or a pipe; a link is followed.

    Raises UsageError where it is a folder or lies in none, WorkspaceError where it cannot be written.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder, not a file")
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}", hint=f"mkdir -p {path.parent}")
    if path.exists() and not path.is_file():
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise WorkspaceError(f"cannot write {path}: {error.strerror or error}") from error
    else:
        write_atomic(path.resolve(), text)
