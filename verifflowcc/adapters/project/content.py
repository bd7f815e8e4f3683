"""What the project holds: each of its files with a digest, which is what evidence and approvals speak of.

In git these are the files that git has or would add; elsewhere all files. Never `.memory/`, and never what tools leave
behind (caches, environments, installed packages).
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from verifflowcc.adapters.git.command import ask_git
from verifflowcc.adapters.git.place import in_repository
from verifflowcc.adapters.project.digests import KnownDigests, digest_all
from verifflowcc.adapters.project.names import on_disk, shown_name
from verifflowcc.adapters.project.nested import digest_nested
from verifflowcc.errors import WorkspaceError

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
    said = ask_git(root, "ls-files", "-z", *_HAS_OR_ADDS)
    if said.code:
        if "not a git repository" in said.err:
            return None
        hint = (
            "git config --global --add safe.directory " + str(root) if "dubious ownership" in said.err else "git status"
        )
        raise WorkspaceError(f"git cannot list the files of {root}: {said.first_line}", hint=hint)
    names = list(dict.fromkeys(name.rstrip(b"/") for name in said.out.split(b"\0") if name))
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
