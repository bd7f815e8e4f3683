"""What a prompt says before and behind the memory: goal, what is owed, commands, permission and how to hand in.

All of it comes from the configuration, the ledger, the artifacts and `tools.yaml`, which are committed files, and what
was read is stamped: the same commit gives the same words.
"""

import re
import shlex
from collections.abc import Iterator, Mapping

from verifflowcc.adapters.config.tools_yaml import WITHOUT_A_FILE, parse_tools
from verifflowcc.adapters.files.artifacts import read_artifact_texts
from verifflowcc.adapters.files.layout import MEMORY, Place
from verifflowcc.adapters.files.tree import Tree
from verifflowcc.context.permission import edits_everything, permission_text, stage_text
from verifflowcc.context.view import one_line
from verifflowcc.domain.config import Config
from verifflowcc.domain.events import Json
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.question import Question
from verifflowcc.domain.sprints import SprintState, StageState
from verifflowcc.domain.trace_defaults import TEST_FILES
from verifflowcc.records import dataclass
from verifflowcc.services.role_files import TOOLS
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.artifacts import artifacts_folder
from verifflowcc.workflow.assess_artifact import assess_artifact
from verifflowcc.workflow.owed_artifacts import artifact_criteria_of, requires_of, suggested_for

_VERSION = re.compile(rb"^version:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OwedFile:
    """An artifact that a stage still owes: its name, its path from the project's root, and what it must fill."""

    name: str
    path: str
    requires: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """The facts of one prompt, each ready to print; what there is nothing to say of is empty.

    `tools_stated` says that `permission` holds all that the role's `tools.yaml` says.
    """

    goal: str = ""
    owed: tuple[OwedFile, ...] = ()
    opening: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    permission: str = ""
    tools_stated: bool = False
    hand_in: tuple[str, ...] = ()


def prompt_facts(
    source: Workspace, config: Config, question: Question, place: Place, state: SprintState | None, tree: Tree
) -> PromptFacts:
    """Return the facts of a prompt; `tree` takes the stamps of what is read for it."""
    stage = state.stage(place.stage) if state and place.stage else None
    owed = owed_files(source, state, stage, tree) if state and stage else ()
    own = stage is not None and stage.stage.role == question.agent
    goal = goal_of(state)
    tools, stated = _tools(source, question.agent, tree)
    may = [permission_text(tools)] if stated else []
    may += _of_stage(config, state, stage, tools if own else {})
    return PromptFacts(
        goal=goal,
        owed=owed,
        opening=tuple(_opening(question, place, state, stage, goal, owed)),
        commands=tuple(_commands(config)) if "run" in tools else (),
        permission=" ".join(filter(None, may)),
        tools_stated=stated,
        hand_in=tuple(_hand_in(question, state, stage, owed)) if own else (),
    )


def goal_of(state: SprintState | None) -> str:
    """Return the goals of a sprint, its title where it names none; empty without one."""
    return "; ".join(one_line(goal) for goal in state.goals or (state.title,)) if state else ""


def owed_files(source: Workspace, state: SprintState, stage: StageState, tree: Tree) -> tuple[OwedFile, ...]:
    """Return the artifacts that a stage's gates ask for and that are missing, or say too little."""
    folder = artifacts_folder(state.id, stage.stage.id)
    tree.find(folder, "**")
    present = {stage.stage.id: read_artifact_texts(source.root / folder, source.memory)}
    facts = Facts(state, source.today(), artifacts=present)
    criteria = artifact_criteria_of(stage.stage)
    open_ = [each for each in criteria if not assess_artifact(each, stage.stage.id, facts, folder).met]
    names = dict.fromkeys(suggested_for(each) for each in open_)
    return tuple(OwedFile(name, f"{folder}/{name}", requires_of(stage.stage, name)) for name in names)


def _opening(
    question: Question,
    place: Place,
    state: SprintState | None,
    stage: StageState | None,
    goal: str,
    owed: tuple[OwedFile, ...],
) -> Iterator[str]:
    """Yield the two lines that a prompt opens with; one where no sprint is open."""
    agent = one_line(question.agent)
    if place.sprint is None:
        # The task is not quoted here: all that comes before it must be the same for every task.
        aim = " The task at the end of this page is the goal." if question.task else ""
        yield f"You are the {agent}. No sprint is open.{aim}"
        return
    own = stage is None or stage.stage.role == question.agent
    sprint, name = f"the sprint {one_line(place.sprint)}", one_line(place.stage or "")
    if not name:
        where = f"You are the {agent} in {sprint}."
    elif own:
        where = f"You are the {agent} in the stage {name} of {sprint}."
    else:
        where = f"You are the {agent}. {sprint[:1].upper()}{sprint[1:]} is in the stage {name}."
    yield f"{where}{f' Goal: {goal}' if goal else ''}"
    if stage is not None:
        yield _owed_line(stage, owed, own=stage.stage.role == question.agent)


def _owed_line(stage: StageState, owed: tuple[OwedFile, ...], *, own: bool) -> str:
    who = "You owe" if own else f"The {one_line(stage.stage.role)} owes"
    if not owed:
        return f"{who} no artifact of this stage any more."
    return f"{who} {', '.join(_described(each) for each in owed)}."


def _described(owed: OwedFile) -> str:
    parts = ", ".join(f"“{one_line(part)}”" for part in owed.requires)
    return f"`{owed.path}`{f' with text under {parts}' if parts else ''}"


def _commands(config: Config) -> Iterator[str]:
    """Yield the project's commands as a person would run them, and how to record what they show."""
    for name, command in sorted(config.gates.commands.items()):
        words = [word for word in command.argv if "{" not in word]
        yield one_line(f"{name}: `{shlex.join(words)}`; `vfcc evidence run {name}` records the result.")


def _tools(source: Workspace, agent: str, tree: Tree) -> tuple[dict[str, Json], bool]:
    """Return a role's table of tools, and whether a sentence can say all that its file does."""
    found = tree.find(f"{MEMORY}/agent/{agent}", TOOLS)
    if not found:
        return dict(WITHOUT_A_FILE), True
    if found[0].problem:
        return dict(WITHOUT_A_FILE), False
    data = tree.read(found[0].path)
    table, problems = parse_tools(data, found[0].path)
    whole = not problems and _VERSION.search(data) is not None and b"network" not in data
    return table, whole


def _of_stage(
    config: Config, state: SprintState | None, stage: StageState | None, tools: Mapping[str, Json]
) -> list[str]:
    """Return what the stage adds to a role's own tools, and what it takes away from them."""
    if state is None or stage is None:
        return []
    tests = config.trace.tests or (state.workflow.trace.tests if state.workflow else TEST_FILES)
    own = "You write the artifacts of this stage." if tools and not edits_everything(tools) else ""
    return [own, stage_text(one_line(stage.stage.title), stage.stage.edits, tests)]


def _hand_in(
    question: Question, state: SprintState | None, stage: StageState | None, owed: tuple[OwedFile, ...]
) -> Iterator[str]:
    if state is None or stage is None:
        return
    other = f" --stage {stage.stage.id}" if stage.stage.id != state.current else ""
    other += f" --sprint {state.id}" if question.sprint else ""
    puts = [f"`vfcc stage put {each.name} --file FILE{other}`" for each in owed]
    after = f"`vfcc next{f' --sprint {state.id}' if question.sprint else ''}`"
    yield from (one_line(f"Hand in: {put}, then {after}.") for put in puts)
    if not puts:
        yield f"Ask {after} what the gate still needs."
