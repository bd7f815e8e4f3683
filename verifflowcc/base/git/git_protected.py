"""The files that a commit has at given places, by their blobs."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.project_content import belongs, is_memory
from verifflowcc.base.files.write import on_disk, shown_name
from verifflowcc.base.git.git_command import GitResult, answered, ask_git
from verifflowcc.base.git.git_place import in_repository
from verifflowcc.base.git.work_tree import FOLDER, GONE, WorkTree, blob_ids, names_differing, read_work_tree
from verifflowcc.base.model.gate_input import Change, History
from verifflowcc.base.model.people import Contributor
from verifflowcc.base.records import dataclass

if TYPE_CHECKING:
    from verifflowcc.base.git.git_log import LoggedCommit

# What git knows of the work since a commit: changed files with their new lines, commits, tags and authors.

LARGEST_UNTRACKED_BYTES = 16 * 1024 * 1024
"""A larger file has no new lines, as a binary one: it changed as a whole."""

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_TEXT_PROBE_BYTES = 8000
_KNOWLEDGE = ".memory/project/"
_DIFF = (
    "diff-index",
    "--cached",
    "--raw",
    "-z",
    "--patch",
    "--relative",
    "--unified=0",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "--no-color",
    "--no-renames",
    "--ignore-cr-at-eol",
)
_SAME = ("diff-tree", "-r", "--quiet", "--no-renames")


@dataclass(frozen=True, slots=True)
class _HeadPlace:
    """Where HEAD is, and which folder of the repository the project is (empty: all of it)."""

    head: str
    prefix: bytes


def head_commit(root: Path) -> str | None:
    """Return the id of the commit that is checked out; None without git, and before the first commit."""
    if not in_repository(root):
        return None
    try:
        result = ask_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except WorkspaceError:
        return None
    sha = result.out.decode("ascii", "replace").strip()
    return sha if result.code == 0 and _COMMIT.fullmatch(sha) else None


def read_history(root: Path, base: str | None, entered: str | None = None) -> History:
    """Return what happened in the project since the commit `base`; where git cannot tell, `problem` says why.

    Changes are those of the working tree, of files that git has or would add, but for `.memory/`. Commits and authors
    are those of `base..HEAD`, `.memory/` included; a commit's committer, its co-authors, and who a `Vfcc-Actor:` line
    names, count as its authors. Paths are relative to `root`. With `entered`, files that differ from that commit are
    listed, too.
    """
    try:
        return answered((root, base, entered), lambda: _read(root, base, entered))
    except WorkspaceError as error:
        return History(base, error.message)


def _read(root: Path, base: str | None, entered: str | None) -> History:
    if base is None:
        return History(None, "the sprint has no base: it was started outside of git, or before the first commit")
    if not in_repository(root):
        return History(base, f"{root} is in no git repository")
    place = _find_place(root, base)
    commits, tags = _commits(root, base, place)
    tree = _work_tree(root)
    tracked = tuple(_tracked(root, base, place, tree))
    new = tree.untracked_names
    differing = names_differing(root, tree, place.head)
    unsaved = sorted(map(shown_name, (*differing, *new)))
    product = _of_product(differing, new)
    changes = tuple(_sorted((*tracked, *_untracked(root, new))))
    return History(
        base,
        changes=changes,
        commits=tuple(one.note for one in commits),
        tags=tags,
        authors=_authors(commits),
        uncommitted=tuple(sorted({*product, *(path for path in unsaved if path.startswith(_KNOWLEDGE))})),
        unsaved=tuple(unsaved),
        entered=_since(root, tree, entered, base, changes) if entered else (),
    )


def _since(root: Path, tree: WorkTree, entered: str, base: str, changes: Sequence[Change]) -> tuple[str, ...]:
    """Return the project's files that differ from the commit `entered`; nothing where git does not have it."""
    if entered == base:
        return tuple(each.path for each in changes)
    try:
        return _product_changes(root, tree, entered)
    except WorkspaceError:
        return ()


def _product_changes(root: Path, tree: WorkTree, commit: str) -> tuple[str, ...]:
    return _of_product(names_differing(root, tree, commit), tree.untracked_names)


def _of_product(tracked: Iterable[bytes], untracked: Iterable[bytes]) -> tuple[str, ...]:
    """Return the files of the product among those that git has, and among those that it would add, sorted."""
    ours = (path for path in map(shown_name, tracked) if not is_memory(path))
    return tuple(sorted({*ours, *filter(belongs, map(shown_name, untracked))}))


def authors_since(root: Path, base: str, paths: Sequence[str]) -> Mapping[str, tuple[Contributor, ...]]:
    """Return the authors and committers of commits since `base` for each of `paths` that one touches.

    Raises WorkspaceError where git cannot tell.
    """
    return _authors(commits_since(root, base, paths))


def commits_since(root: Path, commit: str, paths: Sequence[str]) -> "tuple[LoggedCommit, ...]":
    """Return the commits after `commit` that touch one of `paths`, newest first. Raises as `authors_since`."""
    place = _find_place(root, commit)
    return _log(root, place, f"{commit}..{place.head}", paths=paths)


def uncommitted_files(root: Path) -> tuple[str, ...]:
    """Return the project's files that are not as the present commit has them, new ones too, sorted.

    Raises WorkspaceError where git cannot tell, also before the first commit.
    """
    return _product_changes(root, read_work_tree(root), "HEAD")


def product_changes(root: Path, commit: str) -> tuple[str, ...]:
    """Return the project's files that differ from a commit now, new ones too, sorted.

    Raises WorkspaceError where git cannot compare.
    """
    return _product_changes(root, read_work_tree(root), commit)


def _find_place(root: Path, base: str) -> _HeadPlace:
    if not _COMMIT.fullmatch(base):
        raise WorkspaceError(f"the sprint's base {base!r} is no commit's id")
    result = ask_git(
        root, "rev-parse", "--is-shallow-repository", "--show-prefix", "HEAD^{commit}", f"{base}^{{commit}}"
    )
    if result.code or not result.out.endswith(f"\n{base}\n".encode()):
        raise WorkspaceError(why_unknown(root, base, result))
    shallow, _, rest = result.out.partition(b"\n")
    if shallow == b"true":
        raise WorkspaceError("the clone is shallow and its history is cut off; git fetch --unshallow brings the rest")
    prefix, head, _ = rest.removesuffix(b"\n").rsplit(b"\n", 2)
    return _HeadPlace(head.decode("utf-8", "replace"), prefix)


def why_unknown(root: Path, base: str, result: GitResult) -> str:
    """Return why git could not answer about the commit `base`."""
    if "not a git repository" in result.err:
        return f"{root} is in no git repository"
    if "dubious ownership" in result.err:
        return f"git refuses this folder: {result.first_line}"
    if head_commit(root) is None:
        return "the repository has no commit yet"
    shallow = ask_git(root, "rev-parse", "--is-shallow-repository").out.strip() == b"true"
    more = ": the clone is shallow; git fetch --unshallow brings the rest" if shallow else ""
    return f"git has no commit {base[:12]}, the sprint's base{more}"


def _commits(root: Path, base: str, place: _HeadPlace) -> "tuple[tuple[LoggedCommit, ...], tuple[str, ...]]":
    """Return the commits since `base` that touch the project, and the tags of the content at HEAD."""
    if base == place.head:
        return (), _tags_at(root, place)
    commits = _log(root, place, f"{base}..{place.head}")
    at_head = next((one.tags for one in commits if one.note.sha == place.head), None)
    tags = (_tags_at(root, place) if at_head is None else at_head) or _tags_before(root, place, commits)
    return tuple(one for one in commits if one.note.paths or not place.prefix), tags


def _tags_before(root: Path, place: _HeadPlace, commits: "tuple[LoggedCommit, ...]") -> tuple[str, ...]:
    """Return the tags of the last tagged commit, where nothing but `.memory/` changed after it.

    What a sprint puts on record after its tag is committed, too; the project that was tagged is the same.
    """
    for one in commits:
        if one.tags:
            same = ask_git(root, *_SAME, one.note.sha, place.head, "--", ".", ":(exclude).memory")
            return one.tags if same.code == 0 else ()
        if any(not path.startswith(".memory/") for path in one.note.paths):
            break
    return ()


def _tags_at(root: Path, place: _HeadPlace) -> tuple[str, ...]:
    return tuple(tag for one in _log(root, place, "--no-walk", place.head) for tag in one.tags)


def _log(root: Path, place: _HeadPlace, *revisions: str, paths: Sequence[str] = ()) -> "tuple[LoggedCommit, ...]":
    from verifflowcc.base.git.git_log import LOG, parse_log

    result = ask_git(root, "--literal-pathspecs", *LOG, *revisions, "--", *paths)
    if result.code:
        raise WorkspaceError(f"git cannot tell the commits since the sprint's base: {result.first_line}")
    return tuple(parse_log(result.out, place.prefix))


def _authors(commits: "Iterable[LoggedCommit]") -> Mapping[str, tuple[Contributor, ...]]:
    found: dict[str, set[Contributor]] = defaultdict(set)
    for one in commits:
        for path in one.note.paths:
            found[path].update(one.contributors)
    return {path: tuple(sorted(found[path], key=str)) for path in sorted(found)}


def _sorted(changes: Iterable[Change]) -> Iterator[Change]:
    """Return the project's own files among those that changed, each once, sorted by path."""
    changed = {each.path: each for each in changes}
    return (changed[path] for path in sorted(changed) if not is_memory(path))


def _work_tree(root: Path) -> WorkTree:
    try:
        return read_work_tree(root)
    except WorkspaceError as error:
        raise WorkspaceError(f"git cannot compare with the sprint's base: {error.message}") from error


def _tracked(root: Path, base: str, place: _HeadPlace, tree: WorkTree) -> Iterator[Change]:
    changed = {name: found for name, found in tree.changed.items() if not is_memory(shown_name(name))}
    from verifflowcc.base.git.git_patches import index_of_work_tree

    with index_of_work_tree(root, place.prefix, changed) as env:
        listed, lines = _compared(ask_git(root, *_DIFF, base, "--", ".", env=env))
        # Attributes (`-diff`, `binary`) hide the lines of a text, and a repository sets them: its content decides.
        hidden = [each.name for each in listed if each.has_lines and shown_name(each.name) not in lines]
        texts = {name for name in hidden if _count_lines(_on_disk(root, name))}
        if texts:
            names = map(os.fsdecode, sorted(texts))
            again = ask_git(root, "--literal-pathspecs", *_DIFF, "--text", base, "--", *names, env=env)
            lines |= _compared(again)[1]
    binary = set(hidden) - texts
    for each in listed:
        path = shown_name(each.name)
        whole = each.name in binary or (each.has_lines and _ends_lines_otherwise(_on_disk(root, each.name)))
        yield Change(path, lines.get(path, ()), deleted=each.status == b"D", whole=whole)
    known = {each.name for each in listed}
    inside = (name for name, found in changed.items() if found.mode == FOLDER and name not in known)
    yield from (Change(shown_name(name), ()) for name in inside)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A file in git's raw list. One that `has_lines` is there, and has another content than before."""

    status: bytes
    name: bytes
    has_lines: bool


def _compared(result: GitResult) -> tuple[list[_Listed], dict[str, tuple[int, ...]]]:
    """Return the files that git lists as different, and the new lines of those of which it shows any by shown name."""
    if result.code:
        raise WorkspaceError(f"git cannot compare with the sprint's base: {result.first_line}")
    from verifflowcc.base.model.patch import new_lines

    listed, patch = _split(result.out)
    parsed = new_lines(patch.decode("utf-8", "surrogateescape"))
    return listed, {shown_name(name.encode("utf-8", "surrogateescape")): each for name, each in parsed.items()}


def _split(out: bytes) -> tuple[list[_Listed], bytes]:
    """Return the entries of git's raw list, and the patch behind it."""
    listed = []
    while out.startswith(b":"):
        about, name, out = out.split(b"\0", 2)
        _, mode, old, new, status = about.split(b" ")
        has_lines = old != new and mode not in {GONE.encode(), FOLDER.encode()}
        listed.append(_Listed(status, name, has_lines))
    return listed, out.removeprefix(b"\0")


def _untracked(root: Path, names: Iterable[bytes]) -> Iterator[Change]:
    """Yield files that git does not know yet: all their lines are new."""
    top = os.fsencode(root)
    for name in names:
        path = shown_name(name)
        if belongs(path):
            full = os.path.join(top, name)  # noqa: PTH118
            count = _count_lines(full)
            whole = _ends_lines_otherwise(full) if count else _has_content(full)
            yield Change(path, tuple(range(1, count + 1)), whole=whole)


def _on_disk(root: Path, name: bytes) -> bytes:
    return os.path.join(os.fsencode(root), name)  # noqa: PTH118 - names are bytes here


def _ends_lines_otherwise(full: bytes) -> bool:
    """Say whether lines of a file end as git does not end them, so that its numbers are not those of a coverage tool.

    Python also ends a line at a carriage return alone, JavaScript at U+2028 and U+2029, too.
    """
    try:
        if os.path.islink(full) or not os.path.isfile(full):  # noqa: PTH113, PTH114 - names are bytes here
            return False
        with open(full, "rb") as file:  # noqa: PTH123
            data = file.read(LARGEST_UNTRACKED_BYTES)
    except OSError:
        return False
    alone = data.count(b"\r") > data.count(b"\r\n")
    return alone or b"\xe2\x80\xa8" in data or b"\xe2\x80\xa9" in data


def _has_content(full: bytes) -> bool:
    """Say whether an ordinary file holds anything."""
    try:
        found = os.lstat(full)
    except OSError:
        return False
    return S_ISREG(found.st_mode) and found.st_size > 0


def _count_lines(full: bytes) -> int:
    """Return how many lines a file has; 0 for what is no text, not an ordinary file, or not there any more."""
    try:
        if os.path.islink(full) or not os.path.isfile(full):  # noqa: PTH113, PTH114 - names are bytes here
            return 0
        with open(full, "rb") as file:  # noqa: PTH123
            data = file.read(LARGEST_UNTRACKED_BYTES + 1)
    except OSError:
        return 0
    if len(data) > LARGEST_UNTRACKED_BYTES or b"\0" in data[:_TEXT_PROBE_BYTES]:
        return 0
    return data.count(b"\n") + (data[-1:] not in (b"", b"\n"))


def blobs_at(root: Path, commit: str, places: Sequence[str]) -> Mapping[str, str]:
    """Return path → blob of each file that a commit has at or below `places`, relative to `root`.

    One git process. Raises WorkspaceError with the reason where git does not have the commit.
    """
    if not in_repository(root):
        raise WorkspaceError(f"{root} is in no git repository")
    result = ask_git(root, "--literal-pathspecs", "ls-tree", "-r", "-z", commit, "--", *places)
    if result.code:
        raise WorkspaceError(why_unknown(root, commit, result))
    found = {}
    for line in result.out.split(b"\0"):
        about, _, name = line.partition(b"\t")
        if name:
            found[shown_name(name)] = about.split(b" ")[2].decode("ascii")
    return found


def has_blob(root: Path, path: str, blob: str) -> bool:
    """Say whether the file at `path` is, on disk, the given blob; line ends count for nothing."""
    return blob in blob_ids(on_disk(root, path), len(blob))
