"""Where each layer's files lie, and the names in a configuration that stand for other names in the tree.

The configuration of the memory hierarchy decision uses names that the tree does not have. They are aliases, all in the
one table below, so that such a configuration loads as it is.
"""

import os
import sys
import time
from _blake2 import blake2b  # hashlib takes longer to import
from collections.abc import Iterable
from enum import Enum
from pathlib import Path

from verifflowcc.base.errors import ConflictError, WorkspaceError
from verifflowcc.base.model.layers import HANDOVER, LAYER_OF, Layer
from verifflowcc.base.records import dataclass, field

# No link may lead out of the memory tree: what a clone brings must not make us read or write elsewhere.


def check_inside(path: Path, memory: Path) -> None:
    """Raise WorkspaceError where `path`, with all links followed, is not below the folder `memory`."""
    if not is_inside(path, memory):
        raise WorkspaceError(f"{path} is a link that leaves {memory}", hint=f"replace {path} by what it should hold")


def is_inside(path: Path, folder: Path) -> bool:
    """Return whether `path`, with all links followed, is not outside of `folder`."""
    return _lies_plainly(os.fspath(path), os.fspath(folder)) or path.resolve().is_relative_to(folder.resolve())


def _lies_plainly(path: str, folder: str) -> bool:
    """Return whether a path begins with a folder's and has no link after it: a look at few names shows it."""
    here, rest = folder, path.removeprefix(folder)
    if os.name != "posix" or rest == path or rest[:1] not in ("", "/"):
        return False
    for name in rest.split("/")[1:]:
        here = f"{here}/{name}"
        if name in ("", ".", "..") or os.path.islink(here):  # noqa: PTH114 - in every command, for each file of a ledger
            return False
    return True


# Several item files are written as one: `item_files` says how, and readers of the trace look whether it is going on.

JOURNAL = "local/pending-items.json"
"""Where all of them are until the last one is written, below `.memory/`."""


def demand_no_journal(memory: Path) -> None:
    """Raise ConflictError while several files are being written as one, or were when their writer was killed."""
    if (memory / JOURNAL).exists():
        raise ConflictError(
            "an import is being written, or was cut off: some of its items are missing",
            hint="run the same vfcc trace import again, which finishes it",
        )


# Stamps of files and folders: what changes when a file's content may have, or when a name comes or goes in a folder.
#
# One stat each. A stamp is taken before what it speaks of is read, so that a change while reading shows the next time.

SETTLED_AFTER_NS = 2_000_000_000
"""What was touched less than this before it was read may change again under the same stamp: clocks of file systems tick
slowly. It is not trusted until it has settled."""


_NAMES_ARE_UTF8 = sys.getfilesystemencoding() == "utf-8"


def as_on_disk(path: str) -> str:
    """Return `path` as the system's calls take it: git's names are UTF-8, whatever the locale holds names to be."""
    return path if _NAMES_ARE_UTF8 else os.fsdecode(path.encode("utf-8", "surrogateescape"))


def as_in_git(name: str) -> str:
    """Return a name that the system listed as git has it: the same on every machine."""
    return name if _NAMES_ARE_UTF8 else os.fsencode(name).decode("utf-8", "surrogateescape")


def stamp_of(found: os.stat_result) -> str:
    """Return the stamp of a stat result; `fast/status.py` makes the same form, since it may import nothing."""
    return f"{found.st_mtime_ns}.{found.st_ctime_ns}.{found.st_size}.{found.st_ino}"


def stamp(path: Path | str) -> str:
    """Return the stamp of what is at `path`, links followed; empty where there is nothing."""
    try:
        return stamp_of(os.stat(path))  # noqa: PTH116 - a Path per file is too slow at 10,000
    except OSError:
        return ""


def names_stamp(names: Iterable[str]) -> str:
    """Return the stamp of the names in a folder; `fast/status.py` makes the same form of those that are not hidden."""
    listed = sorted(name for name in names if not name.startswith("."))
    digest = blake2b("\0".join(listed).encode("utf-8", "surrogateescape"), digest_size=16)
    return f"{len(listed)}.{digest.hexdigest()}"


def as_before(path: str, expected: str) -> bool:
    """Return whether what is at `path` has the stamp that it had, or a folder the names."""
    known, by_names, names = expected.partition("=")
    if not by_names:
        return stamp(path) == expected
    if known and stamp(path) == known:
        return True
    try:
        return names_stamp(os.listdir(path)) == names  # noqa: PTH208 - see `Ledger.names`
    except OSError:
        return False


def settled(touched_ns: int) -> bool:
    """Whether something touched at `touched_ns` can be trusted by its stamp."""
    return touched_ns + SETTLED_AFTER_NS < time.time_ns()


@dataclass(slots=True)
class Stamps:
    """The stamps of everything that one command looked at, by path below `root` (absolute for what lies elsewhere).

    `ordinary` has those of the project's files that are no links and had settled: whoever looks at all files of the
    project adds to them, and looks at none that is there.
    """

    root: Path
    by_path: dict[str, str] = field(default_factory=dict)
    touched_ns: int = 0
    ordinary: dict[str, str] = field(default_factory=dict)

    def take(self, paths: Iterable[str]) -> None:
        """Take the stamps of `paths`, unless they were taken before."""
        root, by_path = f"{self.root}/", self.by_path
        for path in paths:
            if path not in by_path:
                try:
                    self.note(path, os.stat(path if path[:1] == "/" else root + as_on_disk(path)))  # noqa: PTH116
                except OSError:
                    by_path[path] = ""

    def take_names(self, path: str) -> tuple[str, ...]:
        """Take the stamp of a folder of which its names are all that counts, and return these.

        It may be used at once: a stamp that has not settled is left out, and the names are compared instead.
        """
        full = f"{self.root}/{as_on_disk(path)}"
        try:
            found = os.stat(full)  # noqa: PTH116
            names = os.listdir(full)  # noqa: PTH208 - see `Ledger.names`
        except OSError:
            self.take([path])
            return ()
        known = stamp_of(found) if settled(max(found.st_mtime_ns, found.st_ctime_ns)) else ""
        self.by_path[path] = f"{known}={names_stamp(names)}"
        return tuple(sorted(map(as_in_git, names)))

    def take_fixed(self, paths: Iterable[str]) -> None:
        """Take the stamps of files whose content follows from their name: they need not settle."""
        touched = self.touched_ns
        self.take(paths)
        self.touched_ns = touched

    def hold(self) -> bool:
        """Return whether every stamp is still the same."""
        return all(as_before(f"{self.root}/{as_on_disk(path)}", found) for path, found in self.by_path.items())

    def note(self, path: str, found: os.stat_result, stamp: str = "") -> str:
        """Keep and return the stamp of a stat result that is there already, as `stamp_of` has it."""
        self.by_path[path] = stamp = stamp or stamp_of(found)
        changed, moved = found.st_mtime_ns, found.st_ctime_ns
        latest = changed if changed > moved else moved
        self.touched_ns = max(self.touched_ns, latest)
        return stamp


MEMORY = ".memory"
CORE_FILES = ("CLAUDE.md", "AGENTS.md")
"""Core project knowledge, at the project's root: the first of these that there is; both where it says `@AGENTS.md`."""


PROJECTIONS = ("sprint/*/progress.json", "stage/*/*/summary.md", "stage/*/*/metrics.json")
"""Files below `.memory/` that are made again from what is committed: git ignores them."""


def is_projection(path: str) -> bool:
    """Say whether a path below `.memory/` is that of a file that git ignores as derived.

    >>> is_projection("stage/login/design/summary.md"), is_projection("stage/login/design/artifacts/summary.md")
    (True, False)
    """
    from verifflowcc.base.text.glob import matches  # most commands ask for no pattern

    return any(matches(path, each) for each in PROJECTIONS)


class DerivedSource(Enum):
    """A source that is not a file of its own."""

    PROGRESS = "progress.json"
    FEEDBACK = "feedback.md"
    RECENT_ACTIONS = "recent_actions.json"
    HISTORY = "@history"

    @property
    def local(self) -> bool:
        """Whether other clones do not have it."""
        return self in (DerivedSource.RECENT_ACTIONS, DerivedSource.HISTORY)


@dataclass(frozen=True, slots=True)
class SourceContent:
    """What a derived source says: its path below the project's root, its text, and whose word that is."""

    path: str
    text: str
    trust: str = "tool"


@dataclass(frozen=True, slots=True)
class Place:
    """Whose prompt, in which sprint and stage.

    `preceding_stage` is the stage before `stage` in the sprint's workflow; `handed` are the stages whose artifacts it
    builds on, the most important first; `earlier_sprints` are the other sprints that were started before, oldest first.
    """

    agent: str
    sprint: str | None = None
    stage: str | None = None
    preceding_stage: str | None = None
    handed: tuple[str, ...] = ()
    earlier_sprints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FilePattern:
    """A pattern relative to a folder, which is itself relative to the project's root."""

    folder: str
    pattern: str


Source = FilePattern | DerivedSource

_ALIASES: dict[tuple[Layer, str], str] = {
    (Layer.STAGE, "current_artifacts"): "artifacts",
    (Layer.AGENT, "prompt_template.md"): "prompt.md",
    (Layer.AGENT, "tools_config.yaml"): "tools.yaml",
}


_SOURCE_NAMES = {(Layer.STAGE, "previous_stage_summary.md"): HANDOVER}


def source_of(layer: Layer, pattern: str) -> str:
    """Return the virtual source that `pattern` names; empty where it names files."""
    name = _SOURCE_NAMES.get((layer, pattern), pattern)
    return name if name in LAYER_OF else ""


def folder_of(layer: Layer, place: Place) -> str | None:
    """Return the layer's folder relative to the project's root; None where there is no sprint or stage to speak of."""
    if layer is Layer.PROJECT:
        return f"{MEMORY}/project"
    if layer is Layer.AGENT:
        return f"{MEMORY}/agent/{place.agent}"
    if place.sprint is None:
        return None
    if layer is Layer.SPRINT:
        return f"{MEMORY}/sprint/{place.sprint}"
    return f"{MEMORY}/stage/{place.sprint}/{place.stage}" if layer is Layer.STAGE and place.stage else None


def sources(layer: Layer, pattern: str, place: Place) -> tuple[Source, ...]:
    """Return what `pattern` names in a layer's strategy.

    That is nothing where the layer has no folder here.

    >>> sources(Layer.AGENT, "prompt_template.md", Place("coder"))
    (FilePattern(folder='.memory/agent/coder', pattern='prompt.md'),)
    """
    folder = folder_of(layer, place)
    if folder is None:
        return ()
    if layer is Layer.PROJECT and pattern in CORE_FILES:
        return tuple(FilePattern("", name) for name in CORE_FILES)
    if layer is Layer.SPRINT and pattern == DerivedSource.PROGRESS.value:
        return (DerivedSource.PROGRESS,)
    if layer is Layer.AGENT and pattern == DerivedSource.RECENT_ACTIONS.value:
        return (DerivedSource.RECENT_ACTIONS,)
    if layer is Layer.SPRINT and pattern.startswith("retrospectives/"):
        return tuple(FilePattern(f"{MEMORY}/sprint/{sprint}", "retrospective.md") for sprint in place.earlier_sprints)
    head, slash, tail = pattern.partition("/")
    return (FilePattern(folder, _ALIASES.get((layer, head), head) + slash + tail),)
