"""Settings, role, stage and rules for hooks, and their snapshot for `fast/`.

The snapshot (`.memory/local/hook.json`) carries stamps of all that it depends on: where one of them changed, the whole
program answers the next hook, and leaves a new one.
"""

import json
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from verifflowcc.base.errors import VfccError, WorkspaceError
from verifflowcc.base.files.layout import MEMORY, Stamps, settled
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.config_values import HookSettings, ToolTable, TraceSettings
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.sprint_state import SPRINT_VARIABLE, SprintState
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import canonical, digest_bytes
from verifflowcc.base.text.quick_json import read
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.stage_moves import pinned_digest
from verifflowcc.sprint.use.configuration import effective_config
from verifflowcc.sprint.use.sprint_reading import (
    NO_SPRINT,
    CurrentSprint,
    choice_files,
    open_sprints,
    resolve_sprint,
    watch_ledgers,
)

FORMAT = 5
FILES = (f"{MEMORY}/config.yaml", f"{MEMORY}/workflow.yaml")
"""What a snapshot depends on beside the ledgers and the tables of tools."""
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
    def ledgers_say(self) -> str:
        """A digest of all that a snapshot holds of the ledgers: the open sprints, their stages, and which is chosen."""
        stages = [[one.id, one.current or "", pinned_digest(one.workflow)] for one in self.open]
        return digest_bytes(canonical([self.choice.id or "", self.choice.ambiguous, stages]))

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
    stamps.take(FILES)
    watch_ledgers(workspace, stamps)
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
    found = _snapshot_at(snapshot_path(workspace, role))
    if found and not faults and _renewed(workspace, found, place, stamps):
        place = replace(place, rules=found["rules"])
        if found["stamps"] != stamps.by_path:
            _leave(snapshot_path(workspace, role), {**found, "stamps": stamps.by_path})
    else:
        rules = _rules(workspace, place, trace.tests, stamps, faults) or place.closed
        place = replace(place, rules=rules, faults=tuple(faults))
        if not faults and _trusted(place, stamps):
            _leave(snapshot_path(workspace, role), _snapshot_of(place, stamps))
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
    sprint = os.environ.get(SPRINT_VARIABLE)
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


def renew_snapshots(workspace: Workspace, ledgers: Stamps) -> None:
    """Give the snapshots of hooks the stamps of ledgers that have moved on and still say the same of the place.

    `ledgers` are stamps that were taken before the ledgers were read.
    """
    sprint = os.environ.get(SPRINT_VARIABLE, "")
    paths = [path for path in workspace.local.glob("hook*.json") if path.stem.partition("@")[2] == sprint]
    states = open_sprints(workspace)
    place = AgentState(HookSettings(), choice=resolve_sprint(workspace, states), open=states)
    for path in paths:
        found = _snapshot_at(path)
        stamps = Stamps(workspace.root, _of_ledgers(ledgers.by_path), ledgers.touched_ns)
        if (
            found
            and settled(stamps.touched_ns)
            and not place.choice.fault
            and _renewed(workspace, found, place, stamps)
        ):
            _leave(path, {**found, "stamps": stamps.by_path})


def _renewed(workspace: Workspace, found: Mapping[str, Any], place: AgentState, stamps: Stamps) -> bool:
    """Return whether a snapshot still holds, as the ledgers are now; `stamps`, those of the ledgers, get its others."""
    # Reading the tables of tools again, which are YAML, takes longer than all the rest.
    ledgers = _of_ledgers(found["stamps"])
    others = {path: each for path, each in found["stamps"].items() if path not in ledgers}
    if found.get("ledgers") != place.ledgers_say or any(each.problems for each in place.open):
        return False
    if not Stamps(workspace.root, others).hold():
        return False
    stamps.by_path.update(others)
    return True


def _trusted(agent: AgentState, stamps: Stamps) -> bool:
    """Return whether stamps stay true of what was read; of an event that is not sound, its name does not say it all."""
    if any(each.problems for each in agent.open):
        known = {path: each.partition("=")[0] for path, each in stamps.by_path.items() if "=" in each}
        stamps.by_path.update(known)
        return all(known.values()) and settled(stamps.touched_ns)
    return settled(stamps.touched_ns)


def _of_ledgers(stamps: Mapping[str, str]) -> dict[str, str]:
    below = f"{MEMORY}/sprint"
    return {path: each for path, each in stamps.items() if path == below or path.startswith(f"{below}/")}


def _snapshot_at(path: Path) -> dict[str, Any] | None:
    """Return the snapshot that an earlier hook wrote; None where there is none of this form."""
    try:
        found = read(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    sound = isinstance(found, dict) and found.get("format") == FORMAT and isinstance(found.get("stamps"), dict)
    return found if sound else None


def _snapshot_of(agent: AgentState, stamps: Stamps) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "stamps": stamps.by_path,
        "record": agent.settings.record,
        "files": agent.settings.files,
        "recall": agent.settings.recall,
        "room": agent.room_tokens,
        "events": [*_ALWAYS, *(["Stop"] if agent.settings.hold else [])],
        "rules": agent.rules,
        "several": agent.several,
        "ledgers": agent.ledgers_say,
        **agent.place,
    }


def _leave(path: Path, snapshot: Mapping[str, Any]) -> None:
    try:
        write_atomic(path, json.dumps(snapshot, ensure_ascii=False) + "\n")
    except WorkspaceError:
        return  # recording an event reports a tree that cannot be written; once is enough


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
