"""Text files that a person names on the command line: one to read, one to write."""

import json
from pathlib import Path

from verifflowcc.base.errors import FileErrors, FormatError, UsageError
from verifflowcc.base.files.write import LARGEST_FILE_BYTES, write_atomic

# Texts that help to guess how a project works; a file that cannot be read counts as empty.

_MOST_BYTES = 1 << 20


def small_text(path: Path) -> str:
    """Return the text of a small, ordinary file; nothing for any other, since a guess can always be left out."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def package_table(path: Path, *keys: str) -> dict[str, object]:
    """Return the named tables of a `package.json` as one; an empty one where the file is no such file."""
    try:
        document = json.loads(small_text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    tables = [document.get(key) for key in keys] if isinstance(document, dict) else []
    return {str(name): value for table in tables if isinstance(table, dict) for name, value in table.items()}


def packages_named(path: Path) -> frozenset[str]:
    """Return the packages on which a `package.json` depends."""
    return frozenset(package_table(path, "dependencies", "devDependencies"))


# The text of a file that a person names; only a size that no document has is refused.

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
    with FileErrors("read", name, raises=UsageError), path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UsageError(f"{name} is larger than {LARGEST // 1_048_576} MiB", hint=hint)
    return data


def read_given(path: Path) -> str:
    """Return the file's text with LF line ends.

    Raises UsageError where it cannot be read or is too large to be memory, FormatError where it is not UTF-8.
    """
    with FileErrors("read", path, raises=UsageError), path.open("rb") as file:
        data = file.read(LARGEST_FILE_BYTES + 1)
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
    if path.parent.is_file():
        raise UsageError(f"{path.parent} is a file, not a folder")
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}", hint=f"mkdir -p {path.parent}")
    if path.exists() and not path.is_file():
        with FileErrors("write", path):
            path.write_text(text, encoding="utf-8")
    else:
        write_atomic(path.resolve(), text)
