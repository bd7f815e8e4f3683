"""What the project holds: each of its files with a digest, which is what evidence and approvals speak of.

In git these are the files that git has, whatever their names, and those that it would add; elsewhere all files. Never
`.memory/`, and of what git does not have never what tools leave behind (caches, environments, installed packages).
"""

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.place import in_repository
from verifflowcc.adapters.project.digests import KnownDigests, digest_all
from verifflowcc.adapters.project.names import on_disk, shown_name
from verifflowcc.adapters.project.nested import digest_nested
from verifflowcc.errors import WorkspaceError
from verifflowcc.text.digest import digest_text

MEMORY = ".memory"
_HAS_OR_ADDS = ("--cached", "--others", "--exclude-standard")
LARGEST_READ_BYTES = 256 * 1024 * 1024
MOST_LINKED_FILES = 5_000
_LEFT_BEHIND = re.compile(
    r"(?:.*/)?(?:\.git|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|\.coverage(?:\.[^/]*)?|\.tox|\.venv"
    r"|node_modules|[^/]*\.egg-info|[^/]*\.pyc)(?:/.*)?",
    re.DOTALL,
)


def project_content(root: Path, local: Path | None) -> Mapping[str, str]:
    """Return path → digest of every file of the project, sorted; paths are relative to `root`, joined by `/`.

    A link's digest is that of the text `link:` and where it leads; where that is none of these files, their contents
    are a part of it. A repository inside, such as a submodule, counts as one file. Digests are kept in
    `local/content.json` and taken from there while a file's stamp is the same. Raises WorkspaceError where a file
    cannot be read, git cannot list them, or a link leads to more than `MOST_LINKED_FILES` files outside.
    """
    known = KnownDigests(local / "content.json" if local else None)
    top = os.fsencode(root)
    names = ((shown_name(name), name, tracked) for name, tracked in _names(root))
    ours = ((shown, os.path.join(top, name)) for shown, name, tracked in names if _is_ours(shown, tracked=tracked))  # noqa: PTH118 - names are bytes here
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

    Tests read through a link, so content behind one is content that they run on. A link to the project itself, or to a
    folder around it, is none of these.
    """
    top = os.path.realpath(os.fsencode(root))

    def counts(real: bytes) -> bool:
        shown = shown_name(os.path.relpath(real, top))
        return is_around(top, real) or shown in names or any(each.startswith(f"{shown}/") for each in names)

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


def _is_ours(name: str, *, tracked: bool) -> bool:
    return not is_memory(name) if tracked else belongs(name)


def is_memory(name: str) -> bool:
    """Say whether a path is `.memory/`, or below it."""
    return name == MEMORY or name.startswith(f"{MEMORY}/")


def belongs(name: str) -> bool:
    """Say whether a path that git does not have is one of the project's own, by its name alone.

    >>> belongs("src/a.py"), belongs(".memory/config.yaml"), belongs("src/__pycache__/a.pyc")
    (True, False, False)
    """
    return not (is_memory(name) or _LEFT_BEHIND.fullmatch(name))


def _names(root: Path) -> Iterator[tuple[bytes, bool]]:
    """Yield the names of files, each with whether git has it."""
    listed = _listed_by_git(root) if in_repository(root) else None
    yield from ((name, False) for name in walk(os.fsencode(root))) if listed is None else listed.items()


def _listed_by_git(root: Path) -> Mapping[bytes, bool] | None:
    """Return the files that git has (True) or would add; None where it has nothing to do with this folder."""
    said = ask_git(root, "ls-files", "-z", "-t", *_HAS_OR_ADDS)
    if said.code:
        if "not a git repository" in said.err:
            return None
        hint = (
            "git config --global --add safe.directory " + str(root) if "dubious ownership" in said.err else "git status"
        )
        raise WorkspaceError(f"git cannot list the files of {root}: {said.first_line}", hint=hint)
    names: dict[bytes, bool] = {}
    for line in said.out.split(b"\0"):
        tag, _, name = line.partition(b" ")
        if name:
            path = name.rstrip(b"/")
            names[path] = names.get(path, False) or tag != b"?"
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
