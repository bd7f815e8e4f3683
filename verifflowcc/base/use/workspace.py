"""The composition root: which project this is, and the adapters that serve it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.model.lazy import load
from verifflowcc.base.process.clock import SystemClock
from verifflowcc.base.records import dataclass, field

if TYPE_CHECKING:
    from verifflowcc.base.files.ledger import LedgerCache
    from verifflowcc.base.model.events import LedgerRead
    from verifflowcc.base.model.ports import Clock
    from verifflowcc.base.model.sprint_state import SprintState


# A lower capability may not import a higher one. What it asks of one is in this table, by name and place.
#
# The trace check needs the test results of gates, and a task that ends is recorded in the history. Each place is
# imported when it is first used.

PROVIDERS = {
    "test results": "verifflowcc.gates.use.trace_results:read_results",
    "process facts": "verifflowcc.gates.use.trace_results:process_facts",
    "task history": "verifflowcc.history.use.history_reading:note_task",
    "hook snapshots": "verifflowcc.clients.use.hook_settings:renew_snapshots",
    "trace item": "verifflowcc.trace.store.trace_cache:parse_trace_item",
    "repeated failures": "verifflowcc.history.use.saving:repeated_failures",
}
"""What is wanted → module and function."""


def provider(name: str) -> Callable[..., Any]:
    """Return the function that provides `name`, a key of `PROVIDERS`."""
    provided: Callable[..., Any] = load(PROVIDERS[name])
    return provided


MEMORY = ".memory"


@dataclass(frozen=True, slots=True)
class LedgerReads:
    """What was read of the ledgers, by sprint, so that a command which asks again only looks whether it still holds.

    `folded` is a reading and the state that its events add up to. `last_open` is the id of a sprint's last event, where
    that does not close it, `closed` what the files of closed sprints look like. Where they are not `cached`, every file
    is read again.
    """

    cached: bool = True
    caches: "dict[str, LedgerCache]" = field(default_factory=dict)
    folded: "dict[str, tuple[LedgerRead, SprintState]]" = field(default_factory=dict)
    last_open: dict[str, str] = field(default_factory=dict)
    closed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A project and its memory.

    `root` is the folder that holds `.memory/`; `memory` is `.memory/` itself.
    """

    root: Path
    clock: "Clock" = field(default_factory=SystemClock)
    ledgers: LedgerReads = field(default_factory=LedgerReads, compare=False, repr=False)

    @property
    def memory(self) -> Path:
        """The folder of the memory tree."""
        return self.root / MEMORY

    @property
    def local(self) -> Path:
        """The git-ignored part of the memory tree; deletable at any moment."""
        return self.memory / "local"

    def today(self) -> str:
        """Return the day, in UTC, as the ledger writes it."""
        return f"{self.clock.now():%Y-%m-%d}"


def current_folder() -> Path:
    """Return the folder that the command runs in. Raises WorkspaceError where it is gone."""
    try:
        return Path.cwd()
    except OSError as error:
        raise WorkspaceError("the current folder no longer exists", hint="cd to a folder that exists") from error


def open_workspace(start: Path | None = None, clock: "Clock | None" = None) -> Workspace:
    """Find `.memory/` in `start` (the current folder) or the nearest folder above it.

    Raises WorkspaceError where there is none, or where it is not a folder.
    """
    here = start.absolute() if start else current_folder()
    found = find_workspace(here, clock)
    if found is None:
        raise WorkspaceError(f"no {MEMORY}/ in {here} or above it", hint="vfcc init")
    return found


def find_workspace(start: Path | None = None, clock: "Clock | None" = None) -> Workspace | None:
    """Return what `open_workspace` does; None where there is no project. Raises WorkspaceError for the rest."""
    here = start.absolute() if start else current_folder()
    for folder in (here, *here.parents):
        if (folder / MEMORY).is_dir():
            return Workspace(folder, clock or SystemClock())
        if (folder / MEMORY).exists() or (folder / MEMORY).is_symlink():
            raise WorkspaceError(f"{folder / MEMORY} is not a folder", hint="vfcc init (after moving it away)")
    return None


def required(workspace: Workspace | None, hint: str = "--scope user") -> Workspace:
    """Return the project. Raises WorkspaceError where there is none, and `hint` says what can be done."""
    if workspace is None:
        raise WorkspaceError("there is no project here, and only user memory needs none", hint=hint)
    return workspace
