"""What a prompt says before and behind the memory: goal, what is owed, commands, permission and how to hand in.

All of it comes from the configuration, the ledger, the artifacts and `tools.yaml`, which are committed files, and what
was read is stamped: the same commit gives the same words.
"""

import shlex
from collections.abc import Iterator, Mapping

from verifflowcc.adapters.config.tools_yaml import WITHOUT_A_FILE, parse_tools
from verifflowcc.adapters.files.evidence import read_artifact_texts
from verifflowcc.adapters.files.layout import MEMORY, Place
from verifflowcc.adapters.files.write import Tree
from verifflowcc.context.data_sentences import progress_text, sprint_text
from verifflowcc.context.permission import edits_everything, permission_text, stage_text
from verifflowcc.context.view import one_line
from verifflowcc.domain.config import Config
from verifflowcc.domain.entries import Question
from verifflowcc.domain.events import Json
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.sprints import SprintState, StageState, artifacts_folder
from verifflowcc.domain.trace_codes import TEST_FILES
from verifflowcc.records import dataclass
from verifflowcc.services.data_texts import prompt_text
from verifflowcc.services.role_files import TOOLS
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.assess_artifact import artifact_criteria_of, assess_artifact, requires_of, suggested_for
from verifflowcc.workflow.people import progress_document


@dataclass(frozen=True, slots=True)
class OwedFile:
    """An artifact that a stage still owes: its name, its path from the project's root, and what it must fill."""

    name: str
    path: str
    requires: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptFacts:
    """The facts of one prompt, each ready to print; what there is nothing to say of is empty.

    `on_tools` are the sentences of `permission` that the role's `tools.yaml` is shown as, `on_sprint` those that the
    sprint's `progress.json` is shown as, and `sprint_line` these without the goals.
    """

    goal: str = ""
    owed: tuple[OwedFile, ...] = ()
    opening: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    permission: str = ""
    on_tools: str = ""
    on_sprint: str = ""
    sprint_line: str = ""
    hand_in: tuple[str, ...] = ()


def prompt_facts(
    source: Workspace, config: Config, question: Question, place: Place, state: SprintState | None, tree: Tree
) -> PromptFacts:
    """Return the facts of a prompt; `tree` takes the stamps of what is read for it."""
    stage = state.stage(place.stage) if state and place.stage else None
    owed = owed_files(source, state, stage, tree) if state and stage else ()
    own = stage is not None and stage.stage.role == question.agent
    goal = goal_of(state)
    tools, on_tools = _tools(source, question.agent, tree)
    progress = progress_document(state) if state else ""
    return PromptFacts(
        goal=goal,
        owed=owed,
        opening=tuple(_opening(question, place, state, stage, goal, owed)),
        commands=tuple(_commands(config)) if "run" in tools else (),
        permission=" ".join(filter(None, [on_tools, *_of_stage(config, state, stage, tools, own=own)])),
        on_tools=on_tools,
        on_sprint=progress_text(progress).partition("\n")[0],
        sprint_line=one_line(sprint_text(progress)),
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
    goals = "Goals" if state and len(state.goals) > 1 else "Goal"
    yield f"{where} {goals}: {goal}" if goal else where
    if stage is not None:
        yield _owed_line(stage, owed, own=stage.stage.role == question.agent)


def _owed_line(stage: StageState, owed: tuple[OwedFile, ...], *, own: bool) -> str:
    who = "You owe" if own else f"The {one_line(stage.stage.role)} owes"
    if not owed:
        return f"{who} no artifact of this stage any more."
    if len(owed) == 1:
        return f"{who} {_described(owed[0].path, owed[0])}."
    folder = owed[0].path.removesuffix(owed[0].name)
    return f"{who} in `{folder}`: {'; '.join(_described(each.name, each) for each in owed)}."


def _described(name: str, owed: OwedFile) -> str:
    parts = ", ".join(f"“{one_line(part)}”" for part in owed.requires)
    return f"`{name}`{f' with text under {parts}' if parts else ''}"


def _commands(config: Config) -> Iterator[str]:
    """Yield the project's commands as a person would run them, and how to record what they show."""
    for name, command in sorted(config.gates.commands.items()):
        words = [word for word in command.argv if "{" not in word]
        yield one_line(f"{name}: `{shlex.join(words)}`; `vfcc evidence run {name}` records the result.")


def _tools(source: Workspace, agent: str, tree: Tree) -> tuple[dict[str, Json], str]:
    """Return a role's table of tools, and the sentences on it; none where a prompt shows its file as it is written."""
    found = tree.find(f"{MEMORY}/agent/{agent}", TOOLS)
    if not found:
        return dict(WITHOUT_A_FILE), permission_text(WITHOUT_A_FILE)
    if found[0].problem:
        return dict(WITHOUT_A_FILE), ""
    path = found[0].path
    data = tree.read(path)
    text = data.decode("utf-8", "replace")
    shown = prompt_text(path, text)
    return parse_tools(data, path)[0], shown.partition("\n")[0] if shown != text else ""


def _of_stage(
    config: Config, state: SprintState | None, stage: StageState | None, tools: Mapping[str, Json], *, own: bool
) -> Iterator[str]:
    """Yield what the stage adds to a role's own tools, and what it takes away from them."""
    if state is None or stage is None:
        return
    if own and tools and not edits_everything(tools):
        yield "You may always write this stage's artifacts."
    if "edit" in tools:
        tests = config.trace.tests or (state.workflow.trace.tests if state.workflow else TEST_FILES)
        yield stage_text(one_line(stage.stage.title), stage.stage.edits, tests)


def _hand_in(
    question: Question, state: SprintState | None, stage: StageState | None, owed: tuple[OwedFile, ...]
) -> Iterator[str]:
    if state is None or stage is None:
        return
    other = f" --stage {stage.stage.id}" if stage.stage.id != state.current else ""
    other += f" --sprint {state.id}" if question.sprint else ""
    after = f"`vfcc next{f' --sprint {state.id}' if question.sprint else ''}`"
    if not owed:
        yield f"Ask {after} what the gate still needs."
    elif len(owed) == 1:
        yield one_line(f"Hand in: `vfcc stage put {owed[0].name} --file FILE{other}`, then {after}.")
    else:
        yield one_line(f"Hand in each: `vfcc stage put NAME --file FILE{other}`, then {after}.")
