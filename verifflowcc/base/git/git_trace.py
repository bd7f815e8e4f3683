"""What git knows of trace items: ids that were retired and are used again, ids that another branch took too, authors.

Few calls, each about all items at once. What only commits decide (`CommitHistory`, authors) can be kept by their ids.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.write import shown_name
from verifflowcc.base.git.git_command import ask_git
from verifflowcc.base.git.git_place import in_repository
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, field

ITEMS = ".memory/project/items"
USUAL_TARGETS = ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master")
"""The branch that this one will be merged into, where the configuration names none; the first that is there."""

_PLACE = (
    *(word for name in USUAL_TARGETS for word in ("--is-shallow-repository", f"--glob={name[:-1]}[{name[-1]}]")),
    "--is-shallow-repository",
    "--show-prefix",
    "HEAD^{commit}",
)
"""Asks for all in one process: of a target that is there, its commit follows; the brackets make a pattern of a name."""
_TIP = r"(?:([0-9a-f]+)\n)?\1\n"
_ANSWER = lazy_pattern(rf"(?s)(true|false)\n{_TIP * len(USUAL_TARGETS)}(.*)\n([0-9a-f]+)\n".encode())
_COMMIT = lazy_pattern(r"[0-9a-f]{40}|[0-9a-f]{64}")
_RETIRED = lazy_pattern(rb"(?m)^-status[ \t]*:[ \t]*[\"']?(?:archived|retired)[\"']?[ \t]*(?:#.*)?\r?$")
_DELETED = ("--no-renames", "--diff-filter=D")
_SHALLOW = "the clone is shallow and its history is cut off; git fetch --unshallow brings the rest"


@dataclass(frozen=True, slots=True)
class GitPlace:
    """The branch, commit and folder of the project in git.

    `head` is the id of the commit that is checked out; `prefix` the project's folder in the repository, ending with `/`
    or empty. `target` is the name of the branch to compare with and `tip` its commit. `problem` says why git knows
    nothing, `notices` what it could not tell.
    """

    head: str = ""
    prefix: str = ""
    shallow: bool = False
    target: str | None = None
    tip: str | None = None
    problem: str = ""
    notices: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What the answers of git about items depend on."""
        return "\n".join((self.head, self.prefix, str(self.shallow), self.target or "", self.tip or "", self.problem))


@dataclass(frozen=True, slots=True)
class CommitHistory:
    """What commits decide alone.

    `deleted` maps an id (a file's name without `.md`) to the paths of files that some commit removed; `added` maps one
    to the path that the target branch added since the branches parted.
    """

    deleted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    added: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()


def find_place(root: Path, target: str | None) -> GitPlace:
    """Return the project's place in git; `target` is the configured branch, if any."""
    if not in_repository(root):
        return GitPlace(problem=f"{root} is in no git repository")
    try:
        result = ask_git(root, "rev-parse", *_PLACE)
        if result.code:
            none = "unknown revision" in result.err or "ambiguous argument" in result.err
            return GitPlace(problem="the repository has no commit yet" if none else f"git refuses: {result.first_line}")
        found = _ANSWER.fullmatch(result.out)
        if found is None:
            return GitPlace(problem="git does not say where the project is")
        shallow, *tips, prefix, head = found.groups()
        place = GitPlace(head.decode(), prefix.decode("utf-8", "surrogateescape"), shallow == b"true")
        usual = {name: tip.decode() for name, tip in zip(USUAL_TARGETS, tips, strict=True) if tip}
        return _with_target(place, target, _refs(root, target) if target else usual)
    except WorkspaceError as error:
        return GitPlace(problem=error.message)


def read_past(root: Path, place: GitPlace) -> CommitHistory:
    """Return what the history of HEAD and of the target says. Raises WorkspaceError where git cannot tell."""
    deleted: dict[str, tuple[str, ...]] = {}
    for path in _deletions(root, place):
        deleted[_id(path)] = tuple(dict.fromkeys((*deleted.get(_id(path), ()), path)))
    notices = (_SHALLOW,) if place.shallow else ()
    if place.tip in {None, place.head}:
        return CommitHistory(deleted, notices=notices)
    result = ask_git(root, "merge-base", place.head, str(place.tip))
    base = result.out.decode("ascii", "replace").strip()
    if result.code or not _COMMIT.fullmatch(base):
        reason = _SHALLOW if place.shallow else "it has no commit in common with HEAD"
        return CommitHistory(deleted, notices=(f"ids were not compared with {place.target}: {reason}",))
    return CommitHistory(deleted, {} if base == place.tip else _added(root, base, str(place.tip)), notices)


def read_authors(root: Path, place: GitPlace) -> Mapping[str, tuple[str, ...]]:
    """Return path → who committed changes to it, co-authors too. Raises WorkspaceError where git cannot tell."""
    from verifflowcc.base.git.git_log import LOG, parse_log

    result = ask_git(root, *LOG, place.head, "--", ITEMS)
    if result.code:
        raise WorkspaceError(
            f"git cannot tell the authors of the items: {result.first_line}", hint="git log -- " + ITEMS
        )
    found: dict[str, set[str]] = {}
    for one in parse_log(result.out, place.prefix.encode("utf-8", "surrogateescape")):
        for path in one.note.paths:
            found.setdefault(path, set()).update(one.authors)
    return {path: tuple(sorted(found[path])) for path in sorted(found) if path.startswith(f"{ITEMS}/")}


def read_reused(root: Path, place: GitPlace, past: CommitHistory, ids: Mapping[str, str]) -> Mapping[str, str]:
    """Return the path of each item of `ids` (id → path of the live ones) whose id a retired item had, with the path of
    that one and the commit that removed it. Raises WorkspaceError where git cannot tell.
    """
    again = {path: name for name in ids for path in past.deleted.get(name, ())}
    found: dict[str, str] = {}
    if not again:
        return found
    result = ask_git(
        root,
        "log",
        "--format=%x00%H",
        "--patch",
        "--unified=0",
        "--no-color",
        *_DELETED,
        place.head,
        "--",
        *sorted(again),
    )
    if result.code:
        raise WorkspaceError(
            f"git cannot tell which items were retired: {result.first_line}", hint="git log -- " + ITEMS
        )
    for commit in result.out.split(b"\0")[1:]:
        sha = commit[:12].decode("ascii", "replace")
        for part in commit.split(b"\ndiff --git ")[1:]:
            path = next((one for one in again if part.partition(b"\n")[0].endswith(one.encode())), None)
            if path and _RETIRED.search(part.partition(b"\n@@")[2].partition(b"\n+")[0]):
                found.setdefault(ids[again[path]], f"{path} (removed in {sha})")
    return found


def read_collisions(root: Path, place: GitPlace, past: CommitHistory, ids: Mapping[str, str]) -> Mapping[str, str]:
    """Return the ids of `ids` (id → path) that the target branch added too, each with the path there.

    A file that both hold with one content (a cherry-pick) is no collision. Raises WorkspaceError where git cannot
    tell.
    """
    both = {name: past.added[name] for name in sorted(ids) if name in past.added}
    same_path = [path for name, path in both.items() if ids[name] == path]
    if not same_path:
        return both
    from verifflowcc.base.git.work_tree import names_differing, read_work_tree

    tree = read_work_tree(root, *same_path)
    differ = set(map(shown_name, names_differing(root, tree, str(place.tip), *same_path)))
    known = set(map(shown_name, tree.tracked))
    return {name: path for name, path in both.items() if ids[name] != path or path in differ or path not in known}


def _with_target(place: GitPlace, wanted: str | None, refs: Mapping[str, str]) -> GitPlace:
    tried = _spellings(wanted) if wanted else USUAL_TARGETS
    name = next((each for each in tried if each in refs), None)
    notices: tuple[str, ...] = ()
    if wanted and name is None:
        notices = (f"ids were not compared with {wanted}, which is no branch here; git fetch brings it, if it is one",)
    shown = wanted or (name.removeprefix("refs/heads/").removeprefix("refs/remotes/") if name else None)
    tip = refs[name] if name else None
    return GitPlace(place.head, place.prefix, place.shallow, shown if tip else None, tip, "", notices)


def _spellings(name: str) -> tuple[str, ...]:
    return (f"refs/heads/{name}", f"refs/remotes/{name}", f"refs/remotes/origin/{name}", f"refs/tags/{name}", name)


def _refs(root: Path, name: str) -> Mapping[str, str]:
    result = ask_git(root, "show-ref", "--dereference", "--", name)
    rows = (line.split(" ", 1) for line in result.out.decode("utf-8", "surrogateescape").splitlines())
    return {ref.removesuffix("^{}"): sha for sha, ref in rows}


def _deletions(root: Path, place: GitPlace) -> Iterator[str]:
    """Yield the path of every item file that a commit removed, the latest first."""
    result = ask_git(root, "log", "-z", "--format=%x00", "--name-only", *_DELETED, place.head, "--", ITEMS)
    if result.code:
        raise WorkspaceError(
            f"git cannot tell the history of the items: {result.first_line}", hint="git log -- " + ITEMS
        )
    prefix = place.prefix.encode("utf-8", "surrogateescape")
    for part in result.out.split(b"\0"):
        name = part.removeprefix(b"\n")
        if name.startswith(prefix) and name.endswith(b".md"):
            yield shown_name(name.removeprefix(prefix))


def _added(root: Path, base: str, tip: str) -> Mapping[str, str]:
    """Return the ids that `tip` has and `base` has not, with their paths; one that only moved is in both."""
    result = ask_git(
        root, "diff-tree", "-r", "--name-status", "-z", "--relative", "--no-renames", base, tip, "--", ITEMS
    )
    if result.code:
        raise WorkspaceError(f"git cannot compare with the target branch: {result.first_line}")
    parts = result.out.split(b"\0")
    changes = [(status, shown_name(name)) for status, name in zip(parts[::2], parts[1::2], strict=False)]
    moved = {_id(path) for status, path in changes if status == b"D"}
    return {
        _id(path): path
        for status, path in changes
        if status == b"A" and path.endswith(".md") and _id(path) not in moved
    }


def _id(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
