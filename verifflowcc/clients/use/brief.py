"""What a session begins with: where the sprint is, what the stage owes, what is allowed, known, tested and done.

Facts alone, a line each, the most important first, within a budget that is counted on the text as it goes out. What
agents and clients wrote is quoted as their words, on one line, without invisible characters and without secrets.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from verifflowcc.base.model.command_classes import class_of
from verifflowcc.base.model.config_values import ToolTable
from verifflowcc.base.model.sprint_state import DONE, Edits, SprintState, artifacts_folder
from verifflowcc.base.process.clock import OutOfTimeError, within
from verifflowcc.base.records import replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.clients.rules.brief_seen import OVER, OWED, RULE, SeenBrief
from verifflowcc.clients.use.brief_memory import (
    BriefRequest,
    before_compaction,
    done_last,
    ids_in_force,
    line_of,
    open_work,
    proposals,
    recalled,
    rules,
)
from verifflowcc.clients.use.brief_text import (
    BriefEntry,
    BriefPart,
    FittedBrief,
    Part,
    entries,
    fit,
    fitted,
    left_out,
    shown,
)
from verifflowcc.clients.use.hook_settings import AgentState
from verifflowcc.history.rules.permission_line import permission_line, subagent_permission_line
from verifflowcc.memory.use.scopes import is_role
from verifflowcc.prompt.use.source_reader import SourceReader
from verifflowcc.sprint.use.configuration import effective_config
from verifflowcc.sprint.use.sprint_reading import command_in

# What a session that goes on has not seen yet: new entries of its brief, and what it was shown and holds no more.

_ALWAYS = ("place", "failed", "late")


def changes_since(
    seen: SeenBrief, found: Mapping[str, BriefPart], request: BriefRequest, reader: SourceReader
) -> dict[str, BriefPart]:
    """Return the parts of a brief without the entries that the session has seen.

    What was owed and is not, and rules that no longer hold, have a line each. A part that could not be asked ends
    nothing.
    """
    place = found["place"]
    parts = {name: _unseen(part, seen) for name, part in found.items() if name not in _ALWAYS}
    if parts.get("gate", BriefPart()).entries:
        parts["gate"] = found["gate"]  # a part of what is owed, under its heading, reads as all of it
    over = [*_no_longer_owed(seen, found, reader), *_withdrawn(seen, request, reader)]
    new = any(part.entries for part in parts.values()) or over
    heading = (
        "Since the last brief of this session:" if new else "Nothing changed since the last brief of this session."
    )
    kept = {name: found[name] for name in _ALWAYS if name in found}
    first = place.entries[:1]
    unseen = tuple(entry for entry in place.entries[1:] if not seen.holds(entry.identity))
    return parts | kept | {"place": BriefPart(entries=(*first, *unseen, BriefEntry(heading), *over))}


def _unseen(part: BriefPart, seen: SeenBrief) -> BriefPart:
    return replace(part, entries=tuple(entry for entry in part.entries if not seen.holds(entry.identity)), hidden=0)


def _no_longer_owed(seen: SeenBrief, found: Mapping[str, BriefPart], reader: SourceReader) -> list[BriefEntry]:
    gate = found.get("gate")
    if gate is None or reader.has_failed("gate") or gate.hidden:
        return []
    owed = {entry.identity.split(" ")[1] for entry in gate.entries if entry.identity.startswith(OWED)}
    return _line("No longer owed", OWED, seen.owed - owed)


def _withdrawn(seen: SeenBrief, request: BriefRequest, reader: SourceReader) -> list[BriefEntry]:
    if not seen.rules:
        return []
    held = reader.read("memory", lambda: ids_in_force(request), seen.rules)
    return _line("No longer in force", RULE, seen.rules - held)


def _line(what: str, kind: str, names: frozenset[str]) -> list[BriefEntry]:
    found = sorted(names)
    return [BriefEntry(f"{what}: {', '.join(found)}.", f"{OVER}{kind}{' '.join(found)}")] if found else []


# The first lines of a brief: sprint and goals, what the role may do, and commands for it.

_COMMANDS, _ARTIFACTS = 5, 6
SKILL = ".agents/skills/vfcc-stage/SKILL.md"
_LONGEST_GOALS = 400


def place(agent: AgentState) -> BriefPart:
    """Return the sprint, its stage and its goals; else how to choose a sprint."""
    sprint = agent.sprint
    if sprint is None:
        return BriefPart(entries=entries(_not_chosen(agent)))
    passed = sum(stage.status in DONE for stage in sprint.stages)
    where = f"in stage {agent.stage}" if agent.stage else "between two stages"
    if sprint.complete:
        where = "at its end (`vfcc sprint close`)"
    found = sprint.stage(agent.stage) if agent.stage else None
    role = f", whose role is {found.stage.role}" if found else ""
    yours = f" You act as {agent.role}." if found and agent.role != found.stage.role else ""
    count = f"{passed} of {len(sprint.stages)} stages passed"
    title = f"Sprint {sprint.id}{agent.choice.label} “{shown(sprint.title, 80)}”"
    return BriefPart(entries=entries([f"{title} is {where}{role}; {count}.{yours}", *goals(sprint)]))


def goals(sprint: SprintState) -> list[str]:
    """Return the goals of a sprint on one line; nothing where it has none."""
    return [f"Goals: {shown('; '.join(sprint.goals), _LONGEST_GOALS)}"] if sprint.goals else []


def asked_artifacts(request: BriefRequest) -> list[str]:
    """Return a line with the artifacts that the active stage asks for, by its workflow alone; nothing for none.

    It reads no file, and so it is known where there was no time to see which of them are there.
    """
    sprint, stage = request.agent.sprint, request.agent.stage
    found = sprint.stage(stage) if sprint and stage else None
    names = (
        [f"{artifacts_folder(sprint.id, found.stage.id)}/{each}" for each in found.stage.artifacts]
        if sprint and found
        else []
    )
    return [f"The gate of {stage} asks for {', '.join(names[:_ARTIFACTS])}."] if names else []


def permissions(request: BriefRequest) -> BriefPart:
    """Return what the acting role may do with its tools; nothing where hooks judge no calls."""
    settings = request.agent.settings
    line = "" if settings.tools is ToolTable.OFF else permission_line(request.agent.rules)
    if line and settings.tools is ToolTable.ASK:
        line = f"{line} A call beyond that is put to the person."
    return BriefPart(entries=entries([line] if line else []))


def commands(request: BriefRequest) -> BriefPart:
    """Return a few commands of vfcc that help the role here, of those that it may run.

    Where the project has the skills, these and the answers of `next` say as much.
    """
    if (request.workspace.root / SKILL).exists():
        return _NOTHING
    rules = request.agent.rules
    tools = (
        rules.get("tools") if isinstance(rules, dict) and request.agent.settings.tools is not ToolTable.OFF else None
    )
    table = tools.get("vfcc") if isinstance(tools, dict) else None
    allowed = table.get("classes") if isinstance(table, dict) else None
    lines = [
        f"`{command}`: {use}"
        for command, use in _commands(request)
        if tools is None or (isinstance(allowed, list) and class_of(command.split()[1:]) in allowed)
    ]
    return BriefPart("Commands", entries(lines[:_COMMANDS]), name="commands", command="vfcc help --all")


def _commands(request: BriefRequest) -> Iterator[tuple[str, str]]:
    agent, role = request.agent, request.reader_role
    sprint = agent.sprint
    stage = sprint.stage(agent.stage) if sprint and agent.stage else None
    named = command_in(request.workspace, sprint.id) if sprint else str
    if agent.choice.ambiguous:
        yield "vfcc status", "the open sprints, each with its stage and its next step"
    else:
        yield named("vfcc next"), "the next step of the sprint" if sprint else "how to begin"
    if role:
        show = named(f'vfcc context show --agent {role} --task "…"')
        yield show, "the rules, requirements and code for a task, as one prompt"
    yield 'vfcc memory search "…"', "decisions, conventions and failures that concern it"
    if stage is None:
        return
    own = stage.stage.role == agent.role == role
    if own and stage.stage.artifacts:
        name = stage.stage.artifacts[0].replace("*", "md")
        yield named(f"vfcc stage put {name} --file -"), "hand in an artifact of the stage, its text on stdin"
    names = sorted(effective_config(request.workspace).config.gates.commands)
    if stage.stage.edits is not Edits.NONE and names:
        yield named("vfcc evidence run"), f"run what the gate asks for ({', '.join(map(shown, names))})"
    else:
        yield 'vfcc memory add decision "…"', "propose a decision, which a person approves"


def _not_chosen(agent: AgentState) -> list[str]:
    """Return that no sprint is open, or which are open and how to choose one of them."""
    choice = agent.choice
    if not choice.ambiguous:
        return [f"This project uses vfcc; {choice.fault or 'no sprint is open'}."]
    return [
        f"This project uses vfcc; {choice.problem}. Until then the rules of each hold for every call.",
        *(f"- {one.id} “{shown(one.title, 80)}”: {_stage_of(one)}{_started_on(one)}" for one in agent.open),
        f"Choose: {choice.hint_for_client}. For one command: --sprint ID.",
    ]


def _stage_of(sprint: SprintState) -> str:
    return f"in stage {sprint.current}" if sprint.current else "in no stage"


def _started_on(sprint: SprintState) -> str:
    return f", started on branch {shown(sprint.branch, 80)}" if sprint.branch else ""


__all__ = ["PARTS", "BriefRequest", "Part", "fitted", "left_out", "line_of", "made_brief", "recalled", "shown"]

PATIENCE_S, RESERVE_S = 1.0, 0.4
"""Seconds of processor time for the parts of a brief, and of wall time kept for writing it.

On a loaded machine wall time passes while other processes compute: it would drop the gate although little was done for
it. A client waits for wall time, so that the hook's own limit stays: near it, the parts that are known go out.
"""
_ORDER = (
    *("place", "failed", "window", "gate", "late", "permissions", "tests", "tasks", "memory", "handover"),
    *("commands", "done", "proposals"),
)
_NOTHING = BriefPart()
_LEAST_HANDOVER = 4
"""The artifacts of earlier stages have this part of the budget at the least, and all that the other parts leave."""
_MARGIN = 60
"""What their heading and a line about what is left out may take of that."""


def made_brief(request: BriefRequest, reader: SourceReader, seen: SeenBrief | None = None) -> FittedBrief:
    """Return the brief with the entries that it holds; with `seen`, only what the session has not seen of it."""
    found = gathered(request, reader, PARTS)
    if seen is not None:
        found = changes_since(seen, found, request, reader)
    return fit([found[name] for name in _ORDER if name in found], request.budget_tokens, request.count)


def gathered(
    request: BriefRequest, reader: SourceReader, parts: Mapping[str, Callable[[BriefRequest], BriefPart]]
) -> dict[str, BriefPart]:
    """Return the parts of a brief by their names.

    A part that fails is left out with a line that says so. What may take long is asked last, and left out with a word
    where its time is over: on a machine that has read nothing of a project yet, the gate alone takes seconds. The
    earlier stages' artifacts come after the others, since they fill the room that these leave.
    """
    found = {"place": place(request.agent)}
    try:
        with within(PATIENCE_S, RESERVE_S):
            for name, part in parts.items():
                found[name] = reader.read(name, partial(part, request), _NOTHING)
    except OutOfTimeError:
        late = [name for name in parts if name not in found]
        missed = f"Not asked, for want of time: {', '.join(late)}. `vfcc next` names what the stage owes."
        found["late"] = BriefPart(entries=entries([missed, *(asked_artifacts(request) if "gate" in late else [])]))
    if found.get("handover", _NOTHING).entries:
        others = [part for name, part in found.items() if name != "handover"]
        used = request.count(fit(others, request.budget_tokens, request.count).text)
        room = max(request.budget_tokens - used - _MARGIN, request.budget_tokens // _LEAST_HANDOVER)
        found["handover"] = reader.read("handover", partial(handover, request, room), _NOTHING)
    found["failed"] = BriefPart(entries=entries(left_out(reader)[1]))
    return found


def handover(request: BriefRequest, room_tokens: int = 0) -> BriefPart:
    """Return what earlier stages left, in a part of the budget; without room each artifact is only named."""
    sprint, stage = request.agent.sprint, request.agent.stage
    if not (sprint and stage):
        return _NOTHING
    from verifflowcc.clients.use.handover_brief import handover_entries

    lines = handover_entries(request.artifacts(), sprint, stage, room_tokens, request.count)
    return BriefPart("Earlier stages' artifacts, quoted", lines, name="artifacts", command="read the files")


def owed(request: BriefRequest) -> BriefPart:
    """Return what the current stage owes. All that gates are made of is imported only where a stage is active."""
    if not request.agent.stage:
        return _NOTHING
    from verifflowcc.clients.use.gate_asks import owed

    return owed(request)


def tests(request: BriefRequest) -> BriefPart:
    """Return the newest results of tests that the current stage asks for."""
    if not request.agent.stage:
        return _NOTHING
    from verifflowcc.clients.use.gate_asks import tests

    return tests(request)


PARTS: Mapping[str, Callable[[BriefRequest], BriefPart]] = {
    "handover": handover,
    "permissions": permissions,
    "commands": commands,
    "tasks": open_work,
    "window": before_compaction,
    "done": done_last,
    "memory": rules,
    "proposals": proposals,
    "tests": tests,
    "gate": owed,
}
"""Every part of a brief that is read from somewhere, in the order in which they are asked."""


# What a subagent begins with: the sprint's goals, what it may do, and where to find more, in a third of a brief.

SHARE = 3
"""A subagent's brief has this part of the budget of a session's."""
_SUBAGENT_RULES = 4
_SUBAGENT_ORDER = ("place", "failed", "permissions", "gate", "late", "memory", "handover", "commands")


def subagent_role(workspace: Workspace, kind: str) -> str | None:
    """Return the role that a subagent of this type has here, as hooks judge it; None where its name is no role."""
    name = kind.rpartition(":")[2].lower().removeprefix("vfcc-")
    return name if name and is_role(workspace, name) else None


def subagent_brief(request: BriefRequest, reader: SourceReader) -> FittedBrief:
    """Return the brief of a subagent, for its own role where its type names one, else for that of the session."""
    found = gathered(request, reader, SUBAGENT_PARTS)
    return fit([found[name] for name in _SUBAGENT_ORDER if name in found], request.budget_tokens, request.count)


def _subagent_permissions(request: BriefRequest) -> BriefPart:
    """Return what the session's role and the subagent's own may do: a call needs the permission of both."""
    if request.agent.settings.tools is ToolTable.OFF:
        return BriefPart()
    own = subagent_permission_line(request.agent.rules, request.role or "")
    lines = [permission_line(request.agent.rules), own]
    return BriefPart(entries=entries([line for line in lines if line]))


def _subagent_rules(request: BriefRequest) -> BriefPart:
    found = rules(request)
    hidden = found.hidden + max(0, len(found.entries) - _SUBAGENT_RULES)
    return replace(found, entries=found.entries[:_SUBAGENT_RULES], hidden=hidden)


def _subagent_owed(request: BriefRequest) -> BriefPart:
    """Return what the stage owes, where the subagent acts in the stage's own role."""
    sprint, stage = request.agent.sprint, request.agent.stage
    state = sprint.stage(stage) if sprint and stage else None
    return owed(request) if state and request.reader_role == state.stage.role else BriefPart()


SUBAGENT_PARTS: Mapping[str, Callable[[BriefRequest], BriefPart]] = {
    "handover": handover,
    "permissions": _subagent_permissions,
    "commands": commands,
    "memory": _subagent_rules,
    "gate": _subagent_owed,
}
