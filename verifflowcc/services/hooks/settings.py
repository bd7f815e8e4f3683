"""What hooks go by here, and the snapshot of it from which `fast/` answers most of them.

The snapshot (`.memory/local/hook.json`) carries stamps of all that it depends on: where one of them changed, the whole
program answers the next hook, and leaves a new one.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from verifflowcc.adapters.files.layout import MEMORY
from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.adapters.stamps import Stamps, settled
from verifflowcc.domain.config import HookSettings, ToolTable, TraceSettings
from verifflowcc.domain.events import Json
from verifflowcc.domain.sprints import SprintState, SprintStatus
from verifflowcc.errors import VfccError, WorkspaceError
from verifflowcc.records import dataclass, replace
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.hooks.rules import rules_of
from verifflowcc.services.sprints import list_sprints, show_sprint
from verifflowcc.services.transitions import ledger_of
from verifflowcc.services.workspace import Workspace

FORMAT = 2
_ALWAYS = ("SessionStart", "PreCompact", "SessionEnd")
"""The events that are answered, or acted upon, by the whole program."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an agent stands: the settings, the role that it acts in, and the sprint and the stage that are in work.

    `rules` are what the role may do, None where nothing says so; `faults` are sentences for the log. `as_of` is the
    latest moment at which all this is known to be true.
    """

    settings: HookSettings
    role: str | None = None
    sprint: SprintState | None = None
    stage: str | None = None
    rules: Mapping[str, Json] | None = None
    faults: tuple[str, ...] = ()
    as_of: datetime | None = None

    @property
    def place(self) -> dict[str, str]:
        """What each event says of where it was: role, sprint and stage, as far as they are known."""
        said = {"role": self.role, "sprint": self.sprint.id if self.sprint else None, "stage": self.stage}
        return {name: value for name, value in said.items() if value}


def standing_of(workspace: Workspace, role: str | None) -> Standing:
    """Return where an agent stands, and leave the snapshot. `role` is the one that it says it has, if it says any.

    A file that is not what it should be is a fault, and the defaults hold: no agent is stopped by it.
    """
    as_of = workspace.clock.now()
    stamps = Stamps(workspace.root)
    stamps.take(_depends_on(workspace))
    faults: list[str] = []
    settings, trace = HookSettings(), TraceSettings()
    try:
        config = effective_config(workspace).config
        settings, trace = config.hooks, config.trace
    except VfccError as error:
        faults.append(error.message.splitlines()[0])
    sprint, stage = _in_work(workspace, faults)
    whose = role or _role_of(sprint, stage)
    rules: Mapping[str, Json] | None = {"closed": [trace.baseline]} if trace.baseline else None
    if whose and sprint and stage and settings.tools is not ToolTable.OFF:
        rules = {**(rules or {}), **rules_of(workspace, whose, (sprint, stage), trace.tests, stamps, faults)}
    standing = Standing(settings, whose, sprint, stage, rules, tuple(faults))
    if not faults and settled(stamps.touched_ns):
        _leave(workspace, role, standing, stamps)
    # Hooks that found no fresh snapshot until now began before this moment, so that it is one for their events, too.
    now = workspace.clock.now()
    return replace(standing, as_of=now if stamps.hold() else as_of)


def snapshot_path(workspace: Workspace, role: str | None) -> Path:
    """Return where the snapshot for a role lies that an agent says it has; without one, that of the stage's role."""
    return workspace.local / (f"hook-{role}.json" if role else "hook.json")


def _leave(workspace: Workspace, role: str | None, standing: Standing, stamps: Stamps) -> None:
    events = [*_ALWAYS]
    events += ["UserPromptSubmit"] if standing.settings.recall else []
    events += ["Stop"] if standing.settings.hold else []
    snapshot = {
        "format": FORMAT,
        "stamps": stamps.by_path,
        "record": standing.settings.record,
        "files": standing.settings.files,
        "events": events,
        "rules": standing.rules,
        **standing.place,
    }
    try:
        write_atomic(snapshot_path(workspace, role), json.dumps(snapshot, ensure_ascii=False) + "\n")
    except WorkspaceError:
        return  # a tree that cannot be written is told of where an event is to be recorded


def _depends_on(workspace: Workspace) -> Iterator[str]:
    """Yield the files and folders that say what hooks go by. An event of a ledger is a new name in its folder."""
    yield from (f"{MEMORY}/config.yaml", f"{MEMORY}/workflow.yaml", f"{MEMORY}/sprint")
    for path in sorted((workspace.memory / "sprint").glob("*/")):
        yield from (f"{MEMORY}/sprint/{path.name}", f"{MEMORY}/sprint/{path.name}/events")


def _in_work(workspace: Workspace, faults: list[str]) -> tuple[SprintState | None, str | None]:
    """Return the only open sprint and its stage in work; of several, none is meant."""
    try:
        if not ledger_of(workspace).sprint_ids():
            return None, None
        open_ = [line for line in list_sprints(workspace) if line.status is not SprintStatus.CLOSED]
        if len(open_) != 1:
            return None, None
        state = show_sprint(workspace, open_[0].id)
    except VfccError as error:
        faults.append(error.message.splitlines()[0])
        return None, None
    return state, state.current


def _role_of(sprint: SprintState | None, stage: str | None) -> str | None:
    found = sprint.stage(stage) if sprint and stage else None
    return found.stage.role if found else None
