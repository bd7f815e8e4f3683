"""A text file that a person names on the command line."""

from pathlib import Path

from verifflowcc.adapters.files.tree import LARGEST_FILE_BYTES
from verifflowcc.errors import FormatError, UsageError


def read_given(path: Path) -> str:
    """Return the file's text with LF line ends.

    Raises UsageError where it cannot be read or is too large to be memory, FormatError where it is not UTF-8.
    """
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise UsageError(f"{path} is larger than {LARGEST_FILE_BYTES // 1_048_576} MiB")
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}") from error
