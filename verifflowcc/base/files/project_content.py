"""What the project holds: each of its files with a digest, which is what evidence and approvals speak of.

In git these are the files that git has, whatever their names, and those that it would add; elsewhere all files. Never
`.memory/`, and of what git does not have never what tools leave behind (caches, environments, installed packages).
"""

import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from operator import attrgetter
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import TYPE_CHECKING

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files import layout
from verifflowcc.base.files.layout import Stamps, settled, stamp_of
from verifflowcc.base.files.write import DerivedFile, on_disk, shown_name
from verifflowcc.base.git.git_command import BegunListing, ask_git, listing_words
from verifflowcc.base.git.git_place import in_repository
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.process.clock import observed
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import digest_bytes, digest_text, fold_newlines, sha256

if TYPE_CHECKING:
    from verifflowcc.base.git.work_tree import WorkTree

# Digests of files by their stamps: a file whose stamp is known is not read again.

_NAME = attrgetter("name")
_TEXT_PROBE_BYTES = 8000
_CHUNK_BYTES = 1 << 20
_FILE = DerivedFile("*.json", 2, keyed_by="stamps of the files", largest_bytes=512 << 20)
_UNKEPT_PART, _UNKEPT_BYTES = 200, 1 << 20
"""While no more than one file in so many was read, and no more than so many bytes, it takes less time to read these
again than to write what is known of all."""


@dataclass(slots=True)
class KnownDigests:
    """The digests of the last time, by shown name, each with the stamp of its file; `path` is where they are kept.

    They can be made again: what is damaged, or was made by another version, counts as not there. `links` are the names
    and paths of the links that were met; `stamps` takes the stamps of the files, where it is given. `learned` counts
    the digests that are not of the last time, `learned_bytes` what was read for them.
    """

    path: Path | None
    known: Mapping[str, list[str]] = field(default_factory=dict)
    now: dict[str, list[str]] = field(default_factory=dict)
    links: list[tuple[str, bytes]] = field(default_factory=list)
    stamps: Stamps | None = None
    trusted_ns: int = 0
    learned: int = 0
    learned_bytes: int = 0

    def __post_init__(self) -> None:
        self.trusted_ns = time.time_ns() - layout.SETTLED_AFTER_NS
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
        """Keep what is known now, if enough of it is new. Where it cannot be written, the next time reads again."""
        if self.path is not None and self._is_worth_a_write():
            _FILE.write(self.path, self.now)

    def _is_worth_a_write(self) -> bool:
        gone = len(self.known) + self.learned - len(self.now)
        few = len(self.known) // _UNKEPT_PART
        return self.learned > few or self.learned_bytes > _UNKEPT_BYTES or gone > self.learned + few

    def take(self, name: str, found: os.stat_result, stamp: str) -> None:
        """Take the stamp of an ordinary file, where stamps are taken and its name is as it is on the disk."""
        if self.stamps is not None and "\\" not in name:
            if name not in self.stamps.by_path:
                self.stamps.note(name, found, stamp)
            if found.st_mtime_ns < self.trusted_ns and found.st_ctime_ns < self.trusted_ns:
                self.stamps.ordinary[name] = stamp

    def _of_file(self, name: str, full: bytes, found: os.stat_result) -> str:
        stamp = stamp_of(found)
        self.take(name, found, stamp)
        known = self.known.get(name)
        if known is not None and known[0] == stamp:
            self.now[name] = known
            return known[1]
        trusted = settled(max(found.st_mtime_ns, found.st_ctime_ns))
        digest = digest_file(full)
        if trusted:
            self.now[name] = [stamp, digest]
            self.learned, self.learned_bytes = self.learned + 1, self.learned_bytes + found.st_size
        return digest


def digest_all(names: Iterable[tuple[str, bytes]], known: KnownDigests, root: Path) -> tuple[dict[str, str], list[str]]:
    """Return shown name → digest for the files (shown name, path below `root`) that are there, and names of folders.

    Raises WorkspaceError where a file cannot be read. Two names that are shown alike share a digest of both.
    """
    digests: dict[str, str] = {}
    folders = []
    top, rows, now, stamps = os.fsencode(root), known.known, known.now, known.stamps
    ordinary, by_path = (stamps.ordinary, stamps.by_path) if stamps is not None else ({}, {})
    with _looking(root) as look:
        for name, path in observed("comparing files", names):
            row = rows.get(name)
            digest: str | None = None
            if row is not None and ordinary.get(name) == row[0]:  # this command looked at it already
                now[name], digest = row, row[1]
                if name not in by_path:
                    by_path[name] = row[0]
            elif row is not None:
                digest = look(path, known, name, row)
            if digest is None:
                try:
                    digest = known.digest(name, os.path.join(top, path))  # noqa: PTH118 - names are bytes here
                except IsADirectoryError:
                    folders.append(name)
                    continue
                except OSError as error:
                    raise WorkspaceError(f"cannot read {root / name}: {error.strerror or error}") from error
            if digest is not None:
                digests[name] = digest_bytes(f"{digests[name]} {digest}".encode()) if name in digests else digest
    return digests, folders


@contextmanager
def _looking(root: Path) -> Iterator[Callable[[bytes, KnownDigests, str, list[str]], str | None]]:
    """Yield what returns the digest of an ordinary file that is as its row has it; None for any other."""
    if os.stat not in os.supports_dir_fd:
        yield lambda path, known, name, row: None
        return
    # Names below an open folder save the kernel the walk from `/` to the root, for each of thousands of files.
    handle, lstat, regular = os.open(root, os.O_RDONLY), os.lstat, S_ISREG

    def look(path: bytes, known: KnownDigests, name: str, row: list[str]) -> str | None:
        try:
            found = lstat(path, dir_fd=handle)
        except OSError:
            return None
        stamp = f"{found.st_mtime_ns}.{found.st_ctime_ns}.{found.st_size}.{found.st_ino}"  # as `stamp_of`, uncalled
        if row[0] != stamp or not regular(found.st_mode):
            return None
        if known.stamps is not None:
            known.take(name, found, stamp)
        known.now[name] = row
        return row[1]

    try:
        yield look
    finally:
        os.close(handle)


def digest_file(full: bytes | str) -> str:
    """Return the digest of a file's content, CRLF folded to LF in text; text has no NUL in its first 8000 bytes.

    The file is read in parts, however large it is. Raises OSError.
    """
    with open(full, "rb") as file:  # noqa: PTH123 - names are bytes here
        chunk = file.read(_CHUNK_BYTES)
        if len(chunk) < _CHUNK_BYTES:
            return digest_content(chunk)
        import hashlib  # of a large file

        whole = hashlib.sha256()
        fold = not _is_binary(chunk)
        while chunk:
            following = file.read(_CHUNK_BYTES)
            if fold and chunk.endswith(b"\r") and following:
                chunk, following = chunk[:-1], b"\r" + following
            whole.update(fold_newlines(chunk) if fold else chunk)
            chunk = following
    return "sha256:" + whole.hexdigest()


def digest_content(data: bytes) -> str:
    """Return the digest of the whole content of a file, as `digest_file` does."""
    return digest_bytes(data if _is_binary(data) else fold_newlines(data))


def _is_binary(start: bytes) -> bool:
    return b"\0" in start[:_TEXT_PROBE_BYTES]


# A git repository inside the project is a submodule, or a clone. Git does not list its files, so its commit is used.

Follow = Callable[[Sequence[tuple[str, bytes]], Collection[str]], Iterator[tuple[str, str]]]
"""Takes links (name, path) and the names of files that count already; yields each link that leads elsewhere, with the
digests of what is there."""


def digest_nested(root: Path, name: str, follow: Follow) -> str | None:
    """Return a digest of the commit that is checked out there, and of every file that differs from it.

    Content behind its links is a part of it, where that is no file of the project. None where there is no repository:
    a submodule that is not fetched holds nothing. Raises WorkspaceError where git cannot tell.
    """
    from verifflowcc.base.git.work_tree import repository_status

    folder = Path(on_disk(root, name).decode("utf-8", "surrogateescape"))
    if not (folder / ".git").exists():
        return None
    try:
        now = repository_status(folder)
    except WorkspaceError as error:
        hint = f"git -C {name} status"
        raise WorkspaceError(f"git cannot tell the state of {name}: {error.message}", hint=hint) from error
    whole = sha256(f"commit:{now.commit}\n".encode())
    for line, changed in sorted(now.lines):
        path = shown_name(changed)
        whole.update(line[:1] + path.encode() + b"\0" + _content(root, f"{name}/{path}", follow).encode() + b"\n")
    names = {f"{name}/{shown_name(each)}" for each in (*now.tree.tracked, *now.tree.untracked_names)}
    for link, parts in follow([(f"{name}/{path}", on_disk(folder, path)) for path in _links(folder, now.tree)], names):
        whole.update(f"{link}\0{parts}".encode())
    return "sha256:" + whole.hexdigest()


def _links(folder: Path, tree: "WorkTree") -> list[str]:
    """Return the names of the links that git has, or would add."""
    from verifflowcc.base.git.work_tree import LINK

    kept = [name for name, entry in tree.tracked.items() if entry.mode == LINK or name in tree.changed]
    listed = sorted(shown_name(name) for name in (*kept, *tree.untracked_names))
    return [name for name in listed if Path(on_disk(folder, name).decode("utf-8", "surrogateescape")).is_symlink()]


def _content(root: Path, name: str, follow: Follow) -> str:
    try:
        return KnownDigests(None).digest(name, on_disk(root, name)) or "gone"
    except IsADirectoryError:
        return digest_nested(root, name, follow) or "nothing"
    except OSError as error:
        raise WorkspaceError(f"cannot read {root / name}: {error.strerror or error}") from error


MEMORY = ".memory"
_HAS_OR_ADDS = ("--cached", "--others", "--exclude-standard")
LARGEST_READ_BYTES = 256 * 1024 * 1024
MOST_LINKED_FILES = 5_000
_LEFT_BEHIND = lazy_pattern(
    r"(?:.*/)?(?:\.git|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|\.coverage(?:\.[^/]*)?|\.tox|\.venv"
    r"|node_modules|[^/]*\.egg-info|[^/]*\.pyc)(?:/.*)?",
    re.DOTALL,
)


@contextmanager
def listing_begun(root: Path) -> Iterator[BegunListing | None]:
    """Have git list a project's files beside other work; None where it cannot, which `project_content` looks into."""
    begun = None
    if in_repository(root):
        with suppress(WorkspaceError):  # who needs the list asks again, and says what is wrong
            begun = BegunListing(root)
    try:
        yield begun
    finally:
        if begun is not None:
            begun.drop()


def project_content(
    root: Path, local: Path | None, stamps: Stamps | None = None, begun: BegunListing | None = None
) -> Mapping[str, str]:
    """Return path → digest of every file of the project, sorted; paths are relative to `root`, joined by `/`.

    A link's digest is that of the text `link:` and where it leads; where that is none of these files, their contents
    are a part of it. A repository inside, such as a submodule, counts as one file. Digests are kept in
    `local/content.json` and taken from there while a file's stamp is the same; `stamps` takes those of ordinary files.
    Raises WorkspaceError where a file cannot be read, git cannot list them, or a link leads to more than
    `MOST_LINKED_FILES` files outside. `begun` is the list of its files, where git was asked for it before.
    """
    known = KnownDigests(local / "content.json" if local else None, stamps=stamps)
    names = _names(root, begun)
    ours = [(shown, name) for name, tracked in names if _is_ours(shown := shown_name(name), tracked=tracked)]
    digests, folders = digest_all(ours, known, root)
    links = tuple(known.links)
    followed = {
        name: digest_text(f"{digests[name]}\n{parts}") for name, parts in _followed(root, links, digests, known)
    }

    def follow(inner: Sequence[tuple[str, bytes]], names: Collection[str]) -> Iterator[tuple[str, str]]:
        return _followed(root, inner, {*digests, *names} if inner else names, known)

    nested = ((name, digest_nested(root, name, follow)) for name in folders)
    found = {name: digest for name, digest in nested if digest is not None}
    known.save()
    digests |= followed | found
    return {name: digests[name] for name in sorted(digests)}


def _followed(
    root: Path, links: Sequence[tuple[str, bytes]], names: Collection[str], known: KnownDigests
) -> Iterator[tuple[str, str]]:
    """Yield those of `links` that lead to files which are not among `names`, each with the digests of these files.

    Tests read through a link, so content behind one is content that they run on. A link to the project itself, to a
    folder around it, or to what the kernel makes up is none of these.
    """
    top = os.path.realpath(os.fsencode(root))

    def counts(real: bytes) -> bool:
        shown = shown_name(os.path.relpath(real, top))
        return (
            is_around(top, real)
            or is_of_kernel(real)
            or shown in names
            or any(each.startswith(f"{shown}/") for each in names)
        )

    for name, full in links:
        real = os.path.realpath(full)
        parts = []
        for below, path in () if counts(real) else _linked_files(name, real, counts):
            try:
                found = known.digest(f"{name}\0{shown_name(below)}", path)
            except OSError as error:
                raise WorkspaceError(f"cannot read what {name} leads to: {error.strerror or error}") from error
            parts.append(f"{shown_name(below)}\0{found}\n")
        if parts:
            yield name, "".join(sorted(parts))


def is_around(top: bytes, real: bytes) -> bool:
    """Say whether `real` is the folder `top` or one around it."""
    return os.path.join(top, b"").startswith(os.path.join(real, b""))  # noqa: PTH118 - names are bytes here


def is_of_kernel(real: bytes) -> bool:
    """Say whether `real` is made up by the kernel: it may be other content each time, and its dates say nothing."""
    return real.startswith((b"/proc/", b"/sys/", b"/dev/")) and not real.startswith(b"/dev/shm/")


def _linked_files(name: str, real: bytes, counts: Callable[[bytes], bool]) -> list[tuple[bytes, bytes]]:
    """Return the files to which a link leads, each with a name for it, and what links among them lead to in turn."""
    found = list(islice(_behind(real, counts), MOST_LINKED_FILES + 1))
    if len(found) > MOST_LINKED_FILES:
        raise WorkspaceError(
            f"{name} leads to more than {MOST_LINKED_FILES:,} files that are not the project's, so nothing can be "
            "shown of its content",
            hint=f"git rm --cached {name}  # and ignore it, or put what it should hold in its place",
        )
    return found


def _behind(real: bytes, counts: Callable[[bytes], bool]) -> Iterator[tuple[bytes, bytes]]:
    pending, seen = [(b"", real)], {real}
    while pending:
        below, place = pending.pop()
        if not os.path.isdir(place):  # noqa: PTH112 - names are bytes here
            yield from [(below, place)] if os.path.isfile(place) else []  # noqa: PTH113
            continue
        for each in walk(place):
            name, full = os.path.join(below, each), os.path.join(place, each)  # noqa: PTH118
            yield name, full
            target = os.path.realpath(full) if os.path.islink(full) else full  # noqa: PTH114
            if target != full and target not in seen and not counts(target):
                seen.add(target)
                pending.append((name + b" ->", target))


def memory_content(root: Path) -> Mapping[str, str]:
    """Return path → digest of every file below `.memory/project/`, sorted; paths are relative to `root`.

    Digests are kept in `.memory/local/memory-content.json`. Raises WorkspaceError where a file cannot be read.
    """
    known = KnownDigests(root / MEMORY / "local" / "memory-content.json")
    named = ((shown_name(name), name) for name in walk(os.fsencode(root), b".memory/project"))
    digests, _ = digest_all((each for each in named if not _is_left_behind(each[0])), known, root)
    known.save()
    return {name: digests[name] for name in sorted(digests)}


class MemoryDigests(Mapping[str, str]):
    """What `memory_content` returns, read when it is first looked at: most gates ask nothing of it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: Mapping[str, str] | None = None

    def _known(self) -> Mapping[str, str]:
        if self._read is None:
            self._read = memory_content(self._root)
        return self._read

    def __getitem__(self, path: str) -> str:
        return self._known()[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())


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


def _is_ours(name: str, *, tracked: bool) -> bool:
    return not is_memory(name) if tracked else belongs(name)


def is_memory(name: str) -> bool:
    """Say whether a path is `.memory/`, or below it."""
    return name.startswith(MEMORY) and (name == MEMORY or name.startswith(f"{MEMORY}/"))


def belongs(name: str) -> bool:
    """Say whether a path that git does not have is one of the project's own, by its name alone.

    >>> belongs("src/a.py"), belongs(".memory/config.yaml"), belongs("src/__pycache__/a.pyc")
    (True, False, False)
    """
    return not (is_memory(name) or _LEFT_BEHIND.fullmatch(name))


def _is_left_behind(name: str) -> bool:
    """Say it of a file in a folder that tools did not leave: few names have to be taken apart."""
    last = name.rpartition("/")[2]
    return (last[0] in "._n" or not last.endswith((".md", ".json"))) and _LEFT_BEHIND.fullmatch(name) is not None


def _names(root: Path, begun: BegunListing | None) -> Iterator[tuple[bytes, bool]]:
    """Yield the names of files, each with whether git has it."""
    listed = _listed_by_git(root, begun) if in_repository(root) else None
    yield from ((name, False) for name in walk(os.fsencode(root))) if listed is None else listed.items()


def _listed_by_git(root: Path, begun: BegunListing | None) -> Mapping[bytes, bool] | None:
    """Return the files that git has (True) or would add, none of `.memory/`; None where it does not know the folder."""
    answer = begun.answer() if begun is not None else ask_git(root, *listing_words(root))
    if answer.code:
        if "not a git repository" in answer.err:
            return None
        hint = (
            "git config --global --add safe.directory " + str(root)
            if "dubious ownership" in answer.err
            else "git status"
        )
        raise WorkspaceError(f"git cannot list the files of {root}: {answer.first_line}", hint=hint)
    names: dict[bytes, bool] = {}
    for line in answer.out.split(b"\0"):
        tag, _, name = line.partition(b" ")
        if name:
            path = name.rstrip(b"/")
            names[path] = names.get(path, False) or tag != b"?"
    return None if not answer.out and is_ignored(root) else names


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
                listed = sorted(entries, key=_NAME)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise WorkspaceError(f"cannot read the folder {os.fsdecode(error.filename)}: {error.strerror}") from error
        if not nested and folder and any(entry.name == b".git" for entry in listed):
            continue
        before = folder and folder + b"/"
        for entry in listed:
            name = before + entry.name
            if not entry.is_dir(follow_symlinks=False):
                yield name
            elif not _LEFT_BEHIND.fullmatch(shown_name(name)) and name != MEMORY.encode():
                pending.append(name)
