"""Settings, role, stage and rules for hooks, and their snapshot for `fast/`.

The snapshot (`.memory/local/hook.json`) carries stamps of all that it depends on: where one of them changed, the whole
program answers the next hook, and leaves a new one.
"""

import json
import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from verifflowcc.base.errors import VfccError, WorkspaceError
from verifflowcc.base.files.layout import MEMORY, Stamps, settled
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.config_values import HookSettings, ToolTable, TraceSettings
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.quick_json import read
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.sprint_people import VARIABLE
from verifflowcc.sprint.use.configuration import effective_config
from verifflowcc.sprint.use.sprint_reading import NO_SPRINT, CurrentSprint, choice_files, open_sprints, resolve_sprint

FORMAT = 4
_ALWAYS = ("SessionStart", "SubagentStart", "PreCompact", "SessionEnd")
"""The events that are answered, or acted upon, by the whole program."""


@dataclass(frozen=True, slots=True)
class AgentState:
    """The settings, role, sprint, stage and rules that hold for an agent now.

    `rules` are what the role may do, None where nothing says so; where no sprint is chosen of the `open` ones, a list
    with the rules in each. `faults` are sentences for the log. `as_of` is the latest moment at which all this is known
    to be true. `choice` says what chose the sprint, or why none is chosen. `closed` are the rules that hold for every
    role. `named` is the role that the agent names, None where it is that of the stage.
    """

    settings: HookSettings
    role: str | None = None
    sprint: SprintState | None = None
    stage: str | None = None
    rules: Json = None
    faults: tuple[str, ...] = ()
    as_of: datetime | None = None
    choice: CurrentSprint = NO_SPRINT
    open: tuple[SprintState, ...] = ()
    closed: Json = None
    named: str | None = None

    @property
    def room_tokens(self) -> int:
        """The most that a hook adds in the middle of a session."""
        return self.settings.brief_tokens // 3

    @property
    def several(self) -> str:
        """The ids of the open sprints, with spaces between, where none of them is chosen; else empty."""
        return " ".join(self.choice.branches) if self.choice.ambiguous else ""

    @property
    def briefed_on(self) -> tuple[str | None, str | None]:
        """The sprint and stage of a brief, or the open sprints where none is chosen."""
        return (self.sprint.id if self.sprint else self.several or None), self.stage

    @property
    def advice(self) -> str:
        """What a denial adds where no sprint is chosen of the open ones: their names, and how to choose one."""
        if not self.choice.ambiguous:
            return ""
        ways = f"{self.choice.hint_for_client}; for one command: --sprint ID"
        return f". The rules of each open sprint hold until one is chosen; {self.choice.problem}: {ways}"

    @property
    def in_stage(self) -> tuple[SprintState, ...]:
        """The sprints whose active stage the agent is in: the current one, or all open ones where none is chosen."""
        meant = self.open if self.choice.ambiguous else (self.sprint,) if self.sprint else ()
        return tuple(sprint for sprint in meant if sprint.current)

    @property
    def place(self) -> dict[str, str]:
        """Role, sprint and stage as an event records them, as far as they are known."""
        names = {"role": self.role, "sprint": self.sprint.id if self.sprint else None, "stage": self.stage}
        return {name: value for name, value in names.items() if value}


def agent_state(workspace: Workspace, role: str | None) -> AgentState:
    """Return the state of an agent in the role that it names, and write the snapshot.

    A file that is not what it should be is a fault, and the defaults hold: no agent is stopped by it.
    """
    as_of = workspace.clock.now()
    stamps = Stamps(workspace.root)
    stamps.take(depends_on(workspace))
    faults: list[str] = []
    settings, trace = HookSettings(), TraceSettings()
    try:
        config = effective_config(workspace).config
        settings, trace = config.hooks, config.trace
    except VfccError as error:
        faults.append(error.message.splitlines()[0])
    states, choice = _open_sprints(workspace, stamps, faults)
    sprint = next((state for state in states if state.id == choice.id), None)
    stage = sprint.current if sprint else None
    whose = role or _role_of(sprint, stage)
    place = AgentState(settings, whose, sprint, stage, choice=choice, open=states, named=role)
    place = replace(place, closed={"closed": [trace.baseline]} if trace.baseline else None)
    left = None if faults else _left_before(workspace, place)
    if left is not None:
        place = replace(place, rules=left["rules"])
        stamps = Stamps(workspace.root, left["stamps"])
    else:
        rules = _rules(workspace, place, trace.tests, stamps, faults) or place.closed
        place = replace(place, rules=rules, faults=tuple(faults))
        if not faults and settled(stamps.touched_ns):
            _leave(workspace, role, place, stamps)
    # Hooks that found no fresh snapshot until now began before this moment, so that it is one for their events, too.
    now = workspace.clock.now()
    return replace(place, as_of=now if stamps.hold() else as_of)


def snapshot_path(workspace: Workspace, role: str | None) -> Path:
    """Return the file of the snapshot for the role that an agent names, and for the sprint that `VFCC_SPRINT` names.

    Without a named role it is that of the stage's role.
    """
    return local_file(workspace, "hook", role)


def local_file(workspace: Workspace, name: str, role: str | None) -> Path:
    """Return a file that the full program leaves for hooks, for a role and the sprint that `VFCC_SPRINT` names."""
    sprint = os.environ.get(VARIABLE)
    return workspace.local / f"{name}{f'-{role}' if role else ''}{f'@{sprint}' if sprint else ''}.json"


def _rules(workspace: Workspace, place: AgentState, tests: tuple[str, ...], stamps: Stamps, faults: list[str]) -> Json:
    """Return what the agent may do in the current sprint; where none is chosen, the rules in each of the open ones."""
    if place.settings.tools is ToolTable.OFF or not place.in_stage:
        return None
    from verifflowcc.clients.use.hook_rules import rules_of  # reads YAML

    closed = place.closed if isinstance(place.closed, dict) else {}
    found = [
        (one.id, {**closed, **rules_of(workspace, acting, (one, one.current), tests, stamps, faults)})
        for one in place.in_stage
        if one.current and (acting := place.named or _role_of(one, one.current))
    ]
    return _of_each(found) if place.choice.ambiguous else next((each for _, each in found), None)


def _left_before(workspace: Workspace, place: AgentState) -> dict[str, Any] | None:
    """Return the snapshot that an earlier hook wrote for this place; None if stale."""
    # Reading the tables of tools again, which are YAML, takes longer than all the rest.
    try:
        found = read(snapshot_path(workspace, place.named).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        return None
    named = {name: value for name in ("role", "sprint", "stage") if (value := found.get(name))}
    if named != place.place or found.get("several") != place.several:
        return None
    stamps = found.get("stamps")
    return found if isinstance(stamps, dict) and stamps and Stamps(workspace.root, stamps).hold() else None


def _leave(workspace: Workspace, role: str | None, agent: AgentState, stamps: Stamps) -> None:
    events = [*_ALWAYS]
    events += ["Stop"] if agent.settings.hold else []
    snapshot = {
        "format": FORMAT,
        "stamps": stamps.by_path,
        "record": agent.settings.record,
        "files": agent.settings.files,
        "recall": agent.settings.recall,
        "room": agent.room_tokens,
        "events": events,
        "rules": agent.rules,
        "several": agent.several,
        **agent.place,
    }
    try:
        write_atomic(snapshot_path(workspace, role), json.dumps(snapshot, ensure_ascii=False) + "\n")
    except WorkspaceError:
        return  # recording an event reports a tree that cannot be written; once is enough


def depends_on(workspace: Workspace) -> Iterator[str]:
    """Yield the files and folders that a snapshot depends on."""
    # A new event of a ledger is a new name in its folder, so that the folder's stamp covers all of its files.
    yield from (f"{MEMORY}/config.yaml", f"{MEMORY}/workflow.yaml", f"{MEMORY}/sprint")
    for path in sorted((workspace.memory / "sprint").glob("*/")):
        yield from (f"{MEMORY}/sprint/{path.name}", f"{MEMORY}/sprint/{path.name}/events")


def _open_sprints(
    workspace: Workspace, stamps: Stamps, faults: list[str]
) -> tuple[tuple[SprintState, ...], CurrentSprint]:
    """Return the open sprints and the current one; unreadable ones become faults."""
    try:
        states = open_sprints(workspace)
        stamps.take(choice_files(workspace))
        choice = resolve_sprint(workspace, states)
    except VfccError as error:
        faults.append(error.message.splitlines()[0])
        return (), NO_SPRINT
    if choice.fault:
        faults.append(choice.fault)
    return states, choice


def _of_each(found: Sequence[tuple[str, dict[str, Json]]]) -> Json:
    """Return the rules of all open sprints, each naming its sprint."""
    return [{**rules, "stage": f"{rules['stage']} of {sprint}"} for sprint, rules in found] or None


def _role_of(sprint: SprintState | None, stage: str | None) -> str | None:
    found = sprint.stage(stage) if sprint and stage else None
    return found.stage.role if found else None
