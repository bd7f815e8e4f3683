"""`vfcc task`: start and end tasks, and record what they find out."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from verifflowcc.base.terminal import declared as typer
from verifflowcc.base.terminal.options import JsonFlag, SprintOption, StageOption, StdinFlag, YesFlag
from verifflowcc.base.text.hidden_text import printable

if TYPE_CHECKING:
    from verifflowcc.base.model.item_values import Item
    from verifflowcc.memory.rules.tasks import Task, TaskStatus
    from verifflowcc.memory.use.task_ending import EndedTask, TaskEndPlan
    from verifflowcc.memory.use.task_filling import NoteResult
    from verifflowcc.memory.use.task_finding import TaskLine, TaskPage
    from verifflowcc.sprint.cli.move_output import ActingContext


app = typer.Typer(help="Start and end tasks, and record what they find out.", no_args_is_help=True)

TaskArgument = Annotated[
    str | None, typer.Argument(metavar="[ID]", help="Task id, or the beginning of it (default: the open one).")
]
OutcomeOption = Annotated[str, typer.Option("--outcome", metavar="TEXT", help="Outcome of the task.")]
PromoteOption = Annotated[
    list[str] | None,
    typer.Option("--promote", metavar="ITEM", help="An item of it that the project keeps; may be repeated."),
]


@app.command()
def start(
    about: Annotated[str, typer.Argument(metavar="TEXT", help="Task on one line.")],
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="ROLE", help="The role that has it (default: the one acting).")
    ] = None,
    sprint: SprintOption = None,
    stage: StageOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Start a task.

    What is recorded in it is in the prompts of its role until it ends.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.use.task_filling import start_task
    from verifflowcc.sprint.cli import move_output as moves

    acting = moves.acting_here()
    task = start_task(acting.workspace, about, actor=acting.actor, agent=agent, sprint=sprint, stage=stage)
    out.emit_json(task) if as_json else out.emit(started(task))


@app.command()
def note(
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="Text of the finding.")] = None,
    type_: Annotated[
        str, typer.Option("--type", metavar="TYPE", help="reasoning, tool_output or task_state.")
    ] = "reasoning",
    stage: StageOption = None,
    tool: Annotated[str | None, typer.Option("--tool", metavar="NAME", help="The tool whose output it is.")] = None,
    key: Annotated[
        str | None, typer.Option("--key", metavar="KEY", help="It takes the place of the item with this key.")
    ] = None,
    task: Annotated[
        str | None, typer.Option("--task", metavar="ID", help="Task id (default: the newest open one).")
    ] = None,
    stdin: StdinFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Record a finding of a task.

    A thought, the output of a tool, or the state of the task.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.terminal.output import read_stdin
    from verifflowcc.memory.use.task_filling import Note, note_in_task
    from verifflowcc.sprint.cli import move_output as moves

    if (text is None) is not stdin:
        raise UsageError("say a text or --stdin, one of the two", hint='vfcc task note "What was found out"')
    wanted = Note(read_stdin() if text is None else text, type_, stage, tool, key)
    acting = moves.acting_here()
    done = note_in_task(acting.workspace, wanted, actor=acting.actor, task=task)
    out.emit_json(done) if as_json else out.emit(noted(done))


@app.command()
def finish(
    task: TaskArgument = None,
    outcome: OutcomeOption = "",
    promote: PromoteOption = None,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Close a task that is done.

    Its items are gone then, but for those that are promoted to the project.
    """
    from verifflowcc.memory.rules.tasks import TaskStatus

    _end(task, TaskStatus.COMPLETED, outcome, promote or [], yes=yes, as_json=as_json)


@app.command()
def fail(
    task: TaskArgument = None,
    outcome: OutcomeOption = "",
    promote: PromoteOption = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="It is not tried again; also removes what is left of an ended task.")
    ] = False,
    yes: YesFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Close a task that failed.

    Its items are gone then, but for those that are promoted to the project.
    """
    from verifflowcc.base.errors import UsageError
    from verifflowcc.memory.rules.tasks import TaskStatus

    if not forget:
        _end(task, TaskStatus.FAILED, outcome, promote or [], yes=yes, as_json=as_json)
        return
    if outcome or promote:
        raise UsageError("--forget keeps nothing, so it goes without --outcome and --promote", hint="vfcc task fail")
    _forget(task, yes=yes, as_json=as_json)


def _forget(task: str | None, *, yes: bool, as_json: bool) -> None:
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.use.task_ending import clear_task
    from verifflowcc.sprint.cli import move_output as moves

    acting = moves.acting_here()
    name = _meant(acting, task, "vfcc task fail --forget")
    _tell(acting, name, "fail", [], yes=yes)
    done = clear_task(acting.workspace, name, actor=acting.actor)
    out.emit_json(done) if as_json else out.emit(ended(done))


@app.command("list")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Those that have ended, too.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """List the active tasks, newest first."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.memory.use.task_finding import list_tasks

    found = list_tasks(open_workspace(), everything=everything)
    out.emit_json(found) if as_json else out.emit(lines(found, everything=everything))


@app.command()
def show(task: TaskArgument = None, as_json: JsonFlag = False) -> None:
    """Show a task and all that it remembers."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.use.scopes import agent_of
    from verifflowcc.memory.use.task_finding import show_task
    from verifflowcc.sprint.cli import move_output as moves

    acting = moves.acting_here()
    shown = show_task(acting.workspace, task, agent_of(acting.actor))
    for problem in shown.problems:
        out.warn(problem)
    out.emit_json(shown) if as_json else out.emit(page(shown))


def _end(task: str | None, status: "TaskStatus", outcome: str, promote: list[str], *, yes: bool, as_json: bool) -> None:
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.use.task_ending import end_task
    from verifflowcc.sprint.cli import move_output as moves

    acting = moves.acting_here()
    verb = "finish" if status == "completed" else "fail"
    name = _meant(acting, task, f"vfcc task {verb}")
    _tell(acting, name, verb, promote, yes=yes)
    done = end_task(acting.workspace, name, status, actor=acting.actor, outcome=outcome, promote=promote)
    out.emit_json(done) if as_json else out.emit(ended(done))


def _meant(acting: "ActingContext", task: str | None, command: str) -> str:
    from verifflowcc.memory.use.scopes import agent_of
    from verifflowcc.memory.use.task_finding import active_task

    return active_task(acting.workspace, task, agent_of(acting.actor), command=command).id


def _tell(acting: "ActingContext", name: str, verb: str, promote: list[str], *, yes: bool) -> None:
    """Show what the end of a task removes and how to keep it; ask a person to confirm.

    Anybody else is not asked: an agent has no terminal to answer at.
    """
    from verifflowcc.base.terminal import output as out
    from verifflowcc.memory.use.task_ending import plan_end
    from verifflowcc.sprint.cli import move_output as asking

    ending = plan_end(acting.workspace, name, promote)
    if not ending.go:
        return
    shown = to_end(ending, verb)
    if acting.actor.startswith("human:"):
        asking.confirm(shown, f"End {name}, and let {'it' if len(ending.go) == 1 else 'them'} go?", yes=yes)
    else:
        out.say("\n".join(shown))


def started(task: "Task") -> str:
    """Return what was started, and the next commands."""
    return printable(
        f"{task.id}: {task.description}\n  {_where(task)}\nnext: vfcc task note …, vfcc task finish {task.id}"
    )


def noted(done: "NoteResult") -> str:
    """Return what was noted, and what it counts."""
    item = done.item
    return printable(f"{item.id}: {item.title}\n  {item.type} of {done.task}, {_tokens(item)}")


def to_end(ending: "TaskEndPlan", verb: str) -> list[str]:
    """Return what goes with the end of a task, and how to keep it."""
    from verifflowcc.sprint.cli.move_output import listed

    count = len(ending.go)
    return [
        f"the end of {ending.task.id} removes {count} {'item' if count == 1 else 'items'}:",
        *listed([f"  {item.id}: {item.title}" for item in ending.go]),
        f"to keep one: vfcc task {verb} {ending.task.id} --promote {ending.go[0].id}",
    ]


def ended(done: "EndedTask") -> str:
    """Return how a task ended, what stays of it and what is gone."""
    return printable("\n".join(_ended(done)))


def lines(found: Sequence["TaskLine"], *, everything: bool) -> str:
    """Return tasks as a table."""
    from verifflowcc.base.terminal.table import table

    if not found:
        return "there is no task" if everything else "no task is active"
    rows = [
        (
            line.task.id,
            str(line.task.status),
            line.task.agent or "–",
            "/".join(filter(None, (line.task.sprint, line.task.stage))) or "–",
            str(line.notes),
            str(line.tokens),
            line.task.description,
        )
        for line in found
    ]
    return table(("task", "is", "agent", "in", "items", "tokens", "about"), rows, right=(4, 5))


def page(shown: "TaskPage") -> str:
    """Return a task with the texts of its items."""
    return printable("\n".join(_page(shown)))


def _ended(done: "EndedTask") -> Iterator[str]:
    outcome = f": {done.task.outcome}" if done.task.outcome else ""
    yield f"{done.task.id}: {done.task.status}{outcome}"
    for item in done.promoted:
        waits = f" (waits for a person: vfcc memory promote {item.id})" if item.pending else ""
        yield f"  kept in the project: {item.id}{waits}"
    if done.removed:
        yield f"  gone: {len(done.removed)} {'item' if len(done.removed) == 1 else 'items'}"


def _page(shown: "TaskPage") -> Iterator[str]:
    task = shown.task
    yield f"{task.id}: {task.description}"
    yield f"  {task.status}, {_where(task)}, begun {task.started} by {task.actor}"
    if task.ended:
        yield f"  ended {task.ended}{f': {task.outcome}' if task.outcome else ''}"
    if task.promoted:
        yield f"  kept in the project: {', '.join(task.promoted)}"
    for stored in shown.notes:
        item = stored.item
        of = ", ".join(f"{name} {word}" for name, word in item.details)
        yield f"\n{item.id}: {item.type}{f' ({of})' if of else ''}, {_tokens(item)}"
        yield from (f"  {line}" for line in stored.body.strip("\n").split("\n"))


def _where(task: "Task") -> str:
    sprint = f"in {task.sprint}{f', {task.stage}' if task.stage else ''}" if task.sprint else "in no sprint"
    return f"{f'of {task.agent}' if task.agent else 'of no agent'}, {sprint}"


def _tokens(item: "Item") -> str:
    return "1 token" if item.tokens == 1 else f"{item.tokens or 0} tokens"
