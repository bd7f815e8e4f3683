"""The tools that an agent's client gets: each does what a command of `vfcc` does, as an agent.

The lists that a client asks for come from these functions: name, first line, parameters with their descriptions. No
tool approves, waives, promotes, skips or allows: these are a person's. Every schema is paid for by the model in two
clients, so the words here are few.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.files.private_files import USER
from verifflowcc.base.model.entries import Question
from verifflowcc.base.model.gate_values import Mode
from verifflowcc.base.model.item_values import is_trace_type
from verifflowcc.base.model.recall_values import RecallQuery
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.next_action import NextStep, next_step
from verifflowcc.mcp.use.tool_answers import (
    CODE_ANSWERS,
    MOST_TOKENS,
    Caller,
    ToolText,
    answer,
    hit_lines,
    place_lines,
    step_of,
)
from verifflowcc.memory.use.stores import open_store
from verifflowcc.sprint.use.sprint_reading import active_sprint, resolve_sprint

CLOSE = "close"
_STAY = 6
_MOST_BUDGET = 10_000
_MOST_HITS = 20
Request = Annotated[str, "Done once per id"]
Budget = Annotated[int, "Tokens"]
NO_PATHS: list[str] = []


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The project and who calls."""

    workspace: Workspace
    caller: Caller


def next(at: ToolContext, sprint: Annotated[str, "Default: the current one"] = "") -> ToolText:
    """Sprint, stage, what the stage owes, and the one next step."""
    step = next_step(at.workspace, sprint or None)
    lines = [*place_lines(at.workspace, step), *_owed_lines(step)]
    return answer(at.workspace, lines, _step(at.workspace, step))


def brief(
    at: ToolContext, task: str, role: Annotated[str, "Default: the stage's"] = "", budget: Budget = MOST_TOKENS
) -> ToolText:
    """Rules, decisions, artifacts and code for a task."""
    from verifflowcc.prompt.use.prompt_use import compile_prompt_only, note_prompt, role_of_stage

    tokens = _within(budget)
    question = Question(role or role_of_stage(at.workspace, None, None), task=task, budget_tokens=tokens)
    prompt = compile_prompt_only(at.workspace, question)
    note_prompt(at.workspace, question, prompt)
    return answer(at.workspace, [prompt.text], "next()", budget_tokens=tokens + 60)


def recall(
    at: ToolContext,
    query: str,
    paths: Annotated[list[str], "Files in play"] = NO_PATHS,
    limit: int = 5,
) -> ToolText:
    """What the project's memory knows about a question."""
    from verifflowcc.memory.use.access_counts import note_uses
    from verifflowcc.memory.use.scopes import scopes_recalled
    from verifflowcc.memory.use.searching import search

    wanted = RecallQuery(query[:2000], max(1, min(limit, _MOST_HITS)), paths=_inside(at, paths))
    scopes = [scope for scope in scopes_recalled(at.workspace) if scope != USER]
    found = search(at.workspace, scopes, wanted)
    if not found.hits:  # closed sprints would push out what holds now
        ended = [scope for scope in scopes_recalled(at.workspace, ended=True) if scope != USER]
        found = search(at.workspace, ended, wanted)
    used: dict[str, list[str]] = {}
    for hit in found.hits:
        if hit.scope in scopes:
            used.setdefault(hit.scope, []).append(hit.item.id)
    note_uses(at.workspace, used, "search")
    lines = hit_lines(at.workspace, found.hits)
    step = "read vfcc://item/ID for one of them whole" if lines else "recall(query=other words)"
    return answer(at.workspace, lines or ["nothing in memory matches this"], step)


def remember(
    at: ToolContext,
    type: Annotated[str, "decision, convention, failure, fact, pattern …"],
    text: str,
    paths: Annotated[list[str], "Files that it is about"] = NO_PATHS,
    request: Request = "",
) -> ToolText:
    """Propose an item for memory; it counts once a person promotes it."""
    from verifflowcc.memory.use.adding import AddOutcome, TypedItem, add_item, wanted_of

    if is_trace_type(type.strip().casefold().replace("-", "_")):
        raise UsageError(f"{type} is a trace type, not memory", hint=f'vfcc trace add {type} "TITLE"')
    today, actor = at.workspace.today(), at.caller.actor
    typed = TypedItem(type, text, scope="project", refs=_inside(at, paths), source="inferred")
    wanted = wanted_of(at.workspace, typed, actor=actor, today=today)
    with open_store(at.workspace, wanted.scope) as store:
        added = add_item(store, wanted, actor=actor, today=today, confirm=_refuse_to_ask)
    name = added.item.id
    state = "known already" if added.outcome is AddOutcome.UNCHANGED else "proposed"
    line = f"{name}: {state}, {added.item.title}"
    waits = f"only a person can promote it, at a terminal: vfcc memory promote {name}"
    return answer(at.workspace, [line, *added.notes], f"{waits}; you: next()" if added.pending else "next()")


def known(at: ToolContext, paths: list[str]) -> ToolText:
    """Past edits, rules and requirements of files; ask before you edit."""
    from verifflowcc.clients.use.hook_notes import known_of_files
    from verifflowcc.prompt.use.source_reader import SourceReader

    wanted, reader = _inside(at, paths), SourceReader(at.workspace)
    parts = known_of_files(at.workspace, wanted, reader)
    lines = [line for heading, found in parts for line in (f"{heading}:", *(f"- {each}" for each in found))]
    return answer(
        at.workspace, [*(lines or ["nothing is recorded about these files"]), *reader.notices], "edit, then check()"
    )


def code(
    at: ToolContext,
    ask: Literal["context", "find", "callers", "callees", "file", "impact", "map"],
    of: Annotated[str, "Task, symbol or path"] = "",
    budget: Budget = MOST_TOKENS,
) -> ToolText:
    """Ask the code graph: code for a task, definitions, references, outline, effect of a change."""
    if not of.strip() and ask != "map":
        raise UsageError(f"{ask} needs `of`: a task, a symbol or a path", hint=f'code(ask="{ask}", of="NAME")')
    tokens = _within(budget)
    found = CODE_ANSWERS[ask](at.workspace, of.strip()[:2000], tokens)
    return answer(at.workspace, found, "next()", budget_tokens=tokens + 60)


def put(at: ToolContext, name: str, text: str, request: Request = "") -> ToolText:
    """Store an artifact of the active stage."""
    from verifflowcc.prompt.use.artifact_drafting import put_artifact
    from verifflowcc.sprint.use.sprint_status import leave_status

    sprint = active_sprint(at.workspace)
    stored = put_artifact(at.workspace, sprint.id, name, text.encode("utf-8", "replace"), actor=at.caller.actor)
    leave_status(at.workspace)
    lines = [f"{stored.path}: {'stored' if stored.changed else 'unchanged'}, {stored.bytes} bytes", *stored.warnings]
    lines += [f"{each.criterion}: {'met' if each.met else 'not met: ' + each.reason}" for each in stored.checks]
    return answer(at.workspace, lines, _step(at.workspace, next_step(at.workspace)))


def check(
    at: ToolContext, criterion: Annotated[str, "Default: all that block the gate"] = "", request: Request = ""
) -> ToolText:
    """Run the project's commands for evidence, then show the gate."""
    from verifflowcc.gates.use.evidence_making import run_evidence
    from verifflowcc.sprint.use.sprint_status import leave_status

    sprint, lines = active_sprint(at.workspace), []
    try:
        done = run_evidence(
            at.workspace,
            sprint.id,
            (criterion,) if criterion else (),
            actor=at.caller.actor,
            progress=lambda text: None,
        )
        lines += [f"{each.criterion}: {each.verdict}, {each.reason}" for each in done.rows]
        for command in done.commands:
            if command.run.exit_code:
                lines += [f"end of `{command.run.command}`:", *(f"  {line}" for line in command.lines)]
    except WorkspaceError as error:
        lines.append(f"nothing was run: {error.message}")
    leave_status(at.workspace)
    step = next_step(at.workspace)
    head = place_lines(at.workspace, step)
    return answer(at.workspace, [*head, *lines, *_owed_lines(step)], _step(at.workspace, step))


def advance(
    at: ToolContext, stage: Annotated[str, "STAGE@EVENT as `next` names it, or close"], request: Request = ""
) -> ToolText:
    """Leave a stage that owes nothing, or close the sprint."""
    from verifflowcc.gates.use.sprints import close_sprint
    from verifflowcc.prompt.use.stages import advance_stage
    from verifflowcc.sprint.use.sprint_status import leave_status

    if not stage.strip():
        raise UsageError("name the stage to leave", hint="vfcc next")
    sprint = active_sprint(at.workspace)
    if stage == CLOSE:
        done = close_sprint(at.workspace, sprint.id, actor=at.caller.actor)
        line = f"{sprint.id}: closed"
    else:
        done = advance_stage(at.workspace, sprint.id, actor=at.caller.actor, stay=stage)
        line = f"{sprint.id}: {done.before} passed, now in {done.after or 'no stage: all are passed'}"
        line += "" if done.changed else " (an earlier call did this)"
    leave_status(at.workspace)
    step = next_step(at.workspace)
    return answer(at.workspace, [line, *done.notes, *done.warnings, *_owed_lines(step)], _step(at.workspace, step))


READING = ("next", "brief", "recall", "known", "code")
"""Tools that write nothing but caches and counts: a client may run them without asking."""
WRITING = ("remember", "put", "check", "advance")
TOOLS: Mapping[str, Callable[..., ToolText]] = {
    each.__name__: each for each in (next, brief, recall, remember, known, code, put, check, advance)
}


def _refuse_to_ask(planned: object) -> None:
    raise UsageError("only a person can confirm this")


def _owed_lines(step: NextStep) -> list[str]:
    lines = []
    for each in step.unmet:
        soft = "" if each.mode is Mode.HARD else ", soft"
        person = ", only a person can meet it" if each.person else ""
        headings = f"; headings: {', '.join(each.headings)}" if each.headings else ""
        lines.append(f"- owed{soft}{person}: {each.line}{headings}")
    return [*lines, *(f"note: {note}" for note in step.notes)]


def _step(workspace: Workspace, step: NextStep) -> str:
    """Return the next step as a call; where the first one is a person's, the first that an agent can do."""
    command = step.command
    if step.first and step.first.person:
        others = [each.command for each in step.unmet if each.command and not each.person]
        command = others[0] if others else command
    return step_of(command, _stay(workspace, step))


def _stay(workspace: Workspace, step: NextStep) -> str:
    state: SprintState | None = active_sprint(workspace, step.sprint) if step.sprint else None
    stage = state.stage(state.current) if state and state.current else None
    if stage is None or not stage.entered_by or resolve_sprint(workspace).id != step.sprint:
        return ""
    return f"{stage.stage.id}@{stage.entered_by[-_STAY:]}"


def _within(budget: int) -> int:
    return max(200, min(budget, _MOST_BUDGET))


def _inside(at: ToolContext, paths: object) -> tuple[str, ...]:
    """Return paths, relative to the project's root. Raises UsageError for one outside of it."""

    found = []
    root = at.workspace.root.resolve()
    for each in list(paths)[:20] if isinstance(paths, list | tuple) else []:
        place = (root / each).resolve()
        if not place.is_relative_to(root) or "\0" in each:
            raise UsageError(f"{each} is outside of the project", hint="name files below the project's root")
        found.append(place.relative_to(root).as_posix() if Path(each).is_absolute() or ".." in each else each)
    return tuple(found)
