"""What the project holds: each of its files with a digest, which is what evidence and approvals speak of.

In git these are the files that git has or would add; elsewhere all files. Never `.memory/`, and never what tools leave
behind (caches, environments, installed packages).
"""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.layout import settled, stamp_of
from verifflowcc.base.files.write import DerivedFile, on_disk, shown_name
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_place import in_repository
from verifflowcc.base.git.work_tree import status_lines
from verifflowcc.base.process.clock import observed
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import digest_bytes, fold_newlines

# Digests of files by their stamps: a file whose stamp is known is not read again.

_TEXT_PROBE_BYTES = 8000
_CHUNK_BYTES = 1 << 20
_FILE = DerivedFile("*.json", 2, keyed_by="stamps of the files", largest_bytes=512 << 20)


@dataclass(slots=True)
class KnownDigests:
    """The digests of the last time, by shown name, each with the stamp of its file; `path` is where they are kept.

    They can be made again: what is damaged, or was made by another version, counts as not there.
    """

    path: Path | None
    known: Mapping[str, list[str]] = field(default_factory=dict)
    now: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known = (self.path and _FILE.read(self.path)) or {}

    def digest(self, name: str, full: bytes) -> str | None:
        """Return the digest of the file at `full`; None where there is none.

        Raises IsADirectoryError for a folder, and OSError where it cannot be read. A device or a pipe is no file.
        """
        try:
            found = os.lstat(full)
            if S_ISLNK(found.st_mode):
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


# A git repository inside the project is a submodule, or a clone. Git does not list its files, so its commit is used.


def digest_nested(root: Path, name: str) -> str | None:
    """Return a digest of the commit that is checked out there, and of every file that differs from it.

    None where there is no repository: a submodule that is not fetched holds nothing. Raises WorkspaceError where git
    cannot tell.
    """
    folder = Path(on_disk(root, name).decode("utf-8", "surrogateescape"))
    if not (folder / ".git").exists():
        return None
    try:
        commit, lines = status_lines(folder)
    except WorkspaceError as error:
        hint = f"git -C {name} status"
        raise WorkspaceError(f"git cannot tell the state of {name}: {error.message}", hint=hint) from error
    whole = hashlib.sha256(f"commit:{commit}\n".encode())
    for line, changed in sorted(lines):
        path = shown_name(changed)
        whole.update(line[:1] + path.encode() + b"\0" + _content(folder, path).encode() + b"\n")
    return "sha256:" + whole.hexdigest()


def _content(folder: Path, path: str) -> str:
    try:
        return KnownDigests(None).digest(path, on_disk(folder, path)) or "gone"
    except IsADirectoryError:
        return digest_nested(folder, path) or "nothing"
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder / path}: {error.strerror or error}") from error


MEMORY = ".memory"
_HAS_OR_ADDS = ("--cached", "--others", "--exclude-standard")
LARGEST_READ_BYTES = 256 * 1024 * 1024
_LEFT_BEHIND = re.compile(
    r"(?:.*/)?(?:\.git|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|\.coverage(?:\.[^/]*)?|\.tox|\.venv"
    r"|node_modules|[^/]*\.egg-info|[^/]*\.pyc)(?:/.*)?",
    re.DOTALL,
)


def project_content(root: Path, local: Path | None) -> Mapping[str, str]:
    """Return path → digest of every file of the project, sorted; paths are relative to `root`, joined by `/`.

    A link's digest is that of the text `link:` and where it leads; it is never followed. A repository inside, such as a
    submodule, counts as one file. Digests are kept in `local/content.json` and taken from there while a file's stamp is
    the same. Raises WorkspaceError where a file cannot be read, or git cannot list them.
    """
    known = KnownDigests(local / "content.json" if local else None)
    top = os.fsencode(root)
    named = ((shown_name(name), os.path.join(top, name)) for name in _names(root))  # noqa: PTH118 - names are bytes here
    digests, folders = digest_all((each for each in named if belongs(each[0])), known, root)
    known.save()
    nested = ((name, digest_nested(root, name)) for name in folders)
    digests |= {name: digest for name, digest in nested if digest is not None}
    return {name: digests[name] for name in sorted(digests)}


def memory_content(root: Path) -> Mapping[str, str]:
    """Return path → digest of every file below `.memory/project/`, sorted; paths are relative to `root`.

    Digests are kept in `.memory/local/memory-content.json`. Raises WorkspaceError where a file cannot be read.
    """
    known = KnownDigests(root / MEMORY / "local" / "memory-content.json")
    top = os.fsencode(root)
    names = walk(top, b".memory/project")
    named = ((shown_name(name), os.path.join(top, name)) for name in names)  # noqa: PTH118
    digests, _ = digest_all((each for each in named if not _LEFT_BEHIND.fullmatch(each[0])), known, root)
    known.save()
    return {name: digests[name] for name in sorted(digests)}


def read_project_file(root: Path, path: str) -> bytes | None:
    """Return the bytes of a file of the project; None where there is no ordinary file of that name.

    Raises WorkspaceError where it lies outside (also by a link), cannot be read, or is larger than 256 MiB.
    """
    full = on_disk(root, path)
    try:
        real = os.path.realpath(full)
        if not os.path.isfile(real):  # noqa: PTH113 - names are bytes here
            return None
        if not real.startswith(os.path.join(os.path.realpath(os.fsencode(root)), b"")):  # noqa: PTH118
            raise WorkspaceError(
                f"{path} lies outside of the project {root}", hint=f"replace {path} by what it should hold"
            )
        with open(real, "rb") as file:  # noqa: PTH123
            data = file.read(LARGEST_READ_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WorkspaceError(f"cannot read {root / path}: {error.strerror or error}") from error
    if len(data) > LARGEST_READ_BYTES:
        raise WorkspaceError(f"{path} is larger than {LARGEST_READ_BYTES // 1_048_576} MiB")
    return data


def belongs(name: str) -> bool:
    """Say whether a path is one of the project's own, by its name alone.

    >>> belongs("src/a.py"), belongs(".memory/config.yaml"), belongs("src/__pycache__/a.pyc")
    (True, False, False)
    """
    return not (name == MEMORY or name.startswith(f"{MEMORY}/") or _LEFT_BEHIND.fullmatch(name))


def _names(root: Path) -> Iterator[bytes]:
    listed = _listed_by_git(root) if in_repository(root) else None
    return walk(os.fsencode(root)) if listed is None else iter(listed)


def _listed_by_git(root: Path) -> list[bytes] | None:
    """Return the files that git has or would add; None where it has nothing to do with this folder."""
    answer = ask_git(root, "ls-files", "-z", *_HAS_OR_ADDS)
    if answer.code:
        if "not a git repository" in answer.err:
            return None
        hint = (
            "git config --global --add safe.directory " + str(root)
            if "dubious ownership" in answer.err
            else "git status"
        )
        raise WorkspaceError(f"git cannot list the files of {root}: {answer.first_line}", hint=hint)
    names = list(dict.fromkeys(name.rstrip(b"/") for name in answer.out.split(b"\0") if name))
    return None if not names and is_ignored(root) else names


def listed_at(root: Path, paths: Sequence[str]) -> tuple[str, ...]:
    """Return those of some paths at which the project has a file: one that git has or would add, else any."""
    if in_repository(root):
        listed = ask_git(root, "--literal-pathspecs", "ls-files", "-z", *_HAS_OR_ADDS, "--", *paths)
        if listed.code == 0:
            return tuple(sorted({shown_name(name) for name in listed.out.split(b"\0") if name}))
    return tuple(path for path in paths if (root / path).is_file())


def is_ignored(root: Path) -> bool:
    """Say whether the repository around the project ignores all of it; git then does not know its files."""
    return not (root / ".git").exists() and ask_git(root.parent, "check-ignore", "--quiet", "--", root.name).code == 0


def walk(top: bytes, below: bytes = b"", *, nested: bool = True) -> Iterator[bytes]:
    """Yield the paths of all files, relative to `top`, in folders that belong to the project; no link is followed.

    Without `nested`, repositories inside are left out. Raises WorkspaceError where a folder cannot be read.
    """
    pending = [below]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(os.path.join(top, folder)) as entries:  # noqa: PTH118
                listed = sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise WorkspaceError(f"cannot read the folder {os.fsdecode(error.filename)}: {error.strerror}") from error
        if not nested and folder and any(entry.name == b".git" for entry in listed):
            continue
        for entry in listed:
            name = os.path.join(folder, entry.name)  # noqa: PTH118
            if not entry.is_dir(follow_symlinks=False):
                yield name
            elif not _LEFT_BEHIND.fullmatch(shown_name(name)) and name != MEMORY.encode():
                pending.append(name)
