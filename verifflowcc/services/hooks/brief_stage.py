"""The first lines of a brief: sprint and goals, what the role may do, and commands for it."""

from collections.abc import Iterator

from verifflowcc.domain.command_classes import class_of
from verifflowcc.domain.config import ToolTable
from verifflowcc.domain.sprints import DONE, Edits, SprintState, artifacts_folder
from verifflowcc.episodes.permission_line import permission_line
from verifflowcc.services.configuration import effective_config
from verifflowcc.services.hooks.brief_request import BriefRequest
from verifflowcc.services.hooks.brief_text import BriefPart, entries, shown
from verifflowcc.services.hooks.settings import Standing
from verifflowcc.services.sprint_reading import command_in

_COMMANDS, _ARTIFACTS = 5, 6
_LONGEST_GOALS = 400


def place(standing: Standing) -> BriefPart:
    """Return the sprint, its stage and its goals; else how to choose a sprint."""
    sprint = standing.sprint
    if sprint is None:
        return BriefPart(entries=entries(_not_chosen(standing)))
    passed = sum(stage.status in DONE for stage in sprint.stages)
    where = f"in stage {standing.stage}" if standing.stage else "between two stages"
    if sprint.complete:
        where = "at its end (`vfcc sprint close`)"
    found = sprint.stage(standing.stage) if standing.stage else None
    role = f", whose role is {found.stage.role}" if found else ""
    yours = f" You act as {standing.role}." if found and standing.role != found.stage.role else ""
    count = f"{passed} of {len(sprint.stages)} stages passed"
    title = f"Sprint {sprint.id}{standing.choice.label} “{shown(sprint.title, 80)}”"
    return BriefPart(entries=entries([f"{title} is {where}{role}; {count}.{yours}", *goals(sprint)]))


def goals(sprint: SprintState) -> list[str]:
    """Return the goals of a sprint on one line; nothing where it has none."""
    return [f"Goals: {shown('; '.join(sprint.goals), _LONGEST_GOALS)}"] if sprint.goals else []


def asked_artifacts(request: BriefRequest) -> list[str]:
    """Return a line with the artifacts that the active stage asks for, by its workflow alone; nothing for none.

    It reads no file, and so it is known where there was no time to see which of them are there.
    """
    sprint, stage = request.standing.sprint, request.standing.stage
    found = sprint.stage(stage) if sprint and stage else None
    names = (
        [f"{artifacts_folder(sprint.id, found.stage.id)}/{each}" for each in found.stage.artifacts]
        if sprint and found
        else []
    )
    return [f"The gate of {stage} asks for {', '.join(names[:_ARTIFACTS])}."] if names else []


def permissions(request: BriefRequest) -> BriefPart:
    """Return what the acting role may do with its tools; nothing where hooks judge no calls."""
    settings = request.standing.settings
    line = "" if settings.tools is ToolTable.OFF else permission_line(request.standing.rules)
    if line and settings.tools is ToolTable.ASK:
        line = f"{line} A call beyond that is put to the person."
    return BriefPart(entries=entries([line] if line else []))


def commands(request: BriefRequest) -> BriefPart:
    """Return a few commands of vfcc that help the role here, of those that it may run."""
    rules = request.standing.rules
    tools = (
        rules.get("tools") if isinstance(rules, dict) and request.standing.settings.tools is not ToolTable.OFF else None
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
    standing, role = request.standing, request.reader_role
    sprint = standing.sprint
    stage = sprint.stage(standing.stage) if sprint and standing.stage else None
    named = command_in(request.workspace, sprint.id) if sprint else str
    if standing.choice.ambiguous:
        yield "vfcc status", "the open sprints, each with its stage and its next step"
    else:
        yield named("vfcc next"), "the next step of the sprint" if sprint else "how to begin"
    if role:
        show = named(f'vfcc context show --agent {role} --task "…"')
        yield show, "the rules, requirements and code for a task, as one prompt"
    yield 'vfcc memory search "…"', "decisions, conventions and failures that concern it"
    if stage is None:
        return
    own = stage.stage.role == standing.role == role
    if own and stage.stage.artifacts:
        name = stage.stage.artifacts[0].replace("*", "md")
        yield named(f"vfcc stage put {name} --file -"), "hand in an artifact of the stage, its text on stdin"
    names = sorted(effective_config(request.workspace).config.gates.commands)
    if stage.stage.edits is not Edits.NONE and names:
        yield named("vfcc evidence run"), f"run what the gate asks for ({', '.join(map(shown, names))})"
    else:
        yield 'vfcc memory add decision "…"', "propose a decision, which a person approves"


def _not_chosen(standing: Standing) -> list[str]:
    """Return that no sprint is open, or which are open and how to choose one of them."""
    choice = standing.choice
    if not choice.ambiguous:
        return [f"This project uses vfcc; {choice.fault or 'no sprint is open'}."]
    return [
        f"This project uses vfcc; {choice.problem}. Until then the rules of each hold for every call.",
        *(f"- {one.id} “{shown(one.title, 80)}”: {_stage_of(one)}{_started_on(one)}" for one in standing.open),
        f"Choose: {choice.hint_for_client}. For one command: --sprint ID.",
    ]


def _stage_of(sprint: SprintState) -> str:
    return f"in stage {sprint.current}" if sprint.current else "in no stage"


def _started_on(sprint: SprintState) -> str:
    return f", started on branch {shown(sprint.branch, 80)}" if sprint.branch else ""
