"""The text of a file that a person names, of any size that a document has."""

from pathlib import Path

from verifflowcc.errors import FormatError, UsageError

LARGEST = 64 * 1_048_576


def read_text(path: Path, name: str) -> str:
    """Return a file's text with LF line ends and no byte order mark; `name` is how messages call it.

    Raises UsageError where it cannot be read, FormatError where it is not UTF-8.
    """
    data = read_bytes(path, name)
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{name}:{line}: not UTF-8 at byte {error.start}") from error


def read_bytes(path: Path, name: str, *, hint: str | None = None) -> bytes:
    """Return a file's bytes. Raises UsageError where it cannot be read or, with `hint`, is larger than any document."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror or error}") from error
    if len(data) > LARGEST:
        raise UsageError(f"{name} is larger than {LARGEST // 1_048_576} MiB", hint=hint)
    return data
