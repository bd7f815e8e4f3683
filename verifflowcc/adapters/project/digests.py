"""Digests of files by their stamps: a file whose stamp is known is not read again."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

from verifflowcc.adapters.files.derived_file import DerivedFile
from verifflowcc.adapters.observer import observed
from verifflowcc.adapters.stamps import settled, stamp_of
from verifflowcc.errors import WorkspaceError
from verifflowcc.records import dataclass, field
from verifflowcc.text.digest import digest_bytes, fold_newlines

_TEXT_PROBE_BYTES = 8000
_CHUNK_BYTES = 1 << 20
_FILE = DerivedFile("*.json", 2, keyed_by="stamps of the files", largest_bytes=512 << 20)


@dataclass(slots=True)
class KnownDigests:
    """The digests of the last time, by shown name, each with the stamp of its file; `path` is where they are kept.

    They can be made again: what is damaged, or was made by another version, counts as not there. `links` are the names
    and paths of the links that were met.
    """

    path: Path | None
    known: Mapping[str, list[str]] = field(default_factory=dict)
    now: dict[str, list[str]] = field(default_factory=dict)
    links: list[tuple[str, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known = (self.path and _FILE.read(self.path)) or {}

    def digest(self, name: str, full: bytes) -> str | None:
        """Return the digest of the file at `full`; None where there is none.

        Raises IsADirectoryError for a folder, and OSError where it cannot be read. A device or a pipe is no file.
        """
        try:
            found = os.lstat(full)
            if S_ISLNK(found.st_mode):
                self.links.append((name, full))
                return digest_bytes(b"link:" + os.readlink(full))  # noqa: PTH115 - names are bytes here
            if S_ISDIR(found.st_mode):
                raise IsADirectoryError(full)
            if not S_ISREG(found.st_mode):
                return None
            return self._of_file(name, full, found)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def save(self) -> None:
        """Keep what is known now, if that is anything new. Where it cannot be written, the next time reads again."""
        if self.path is not None and self.now != self.known:
            _FILE.write(self.path, self.now)

    def _of_file(self, name: str, full: bytes, found: os.stat_result) -> str:
        stamp = stamp_of(found)
        known = self.known.get(name)
        if known is not None and known[0] == stamp:
            self.now[name] = known
            return known[1]
        trusted = settled(max(found.st_mtime_ns, found.st_ctime_ns))
        digest = digest_file(full)
        if trusted:
            self.now[name] = [stamp, digest]
        return digest


def digest_all(names: Iterable[tuple[str, bytes]], known: KnownDigests, root: Path) -> tuple[dict[str, str], list[str]]:
    """Return shown name → digest for the files (shown name, path) that are there, and the names of folders among them.

    Raises WorkspaceError where a file cannot be read. Two names that are shown alike share a digest of both.
    """
    digests: dict[str, str] = {}
    folders = []
    for name, full in observed("comparing files", names):
        try:
            digest = known.digest(name, full)
        except IsADirectoryError:
            folders.append(name)
            continue
        except OSError as error:
            raise WorkspaceError(f"cannot read {root / name}: {error.strerror or error}") from error
        if digest is not None:
            digests[name] = digest_bytes(f"{digests[name]} {digest}".encode()) if name in digests else digest
    return digests, folders


def digest_file(full: bytes | str) -> str:
    """Return the digest of a file's content, CRLF folded to LF in text; text has no NUL in its first 8000 bytes.

    The file is read in parts, however large it is. Raises OSError.
    """
    with open(full, "rb") as file:  # noqa: PTH123 - names are bytes here
        chunk = file.read(_CHUNK_BYTES)
        if len(chunk) < _CHUNK_BYTES:
            return digest_bytes(chunk if _is_binary(chunk) else fold_newlines(chunk))
        whole = hashlib.sha256()
        fold = not _is_binary(chunk)
        while chunk:
            following = file.read(_CHUNK_BYTES)
            if fold and chunk.endswith(b"\r") and following:
                chunk, following = chunk[:-1], b"\r" + following
            whole.update(fold_newlines(chunk) if fold else chunk)
            chunk = following
    return "sha256:" + whole.hexdigest()


def _is_binary(start: bytes) -> bool:
    return b"\0" in start[:_TEXT_PROBE_BYTES]
