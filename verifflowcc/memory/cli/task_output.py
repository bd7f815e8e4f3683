"""How tasks are shown to a person: as they begin and end, as a table, as a page."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.text.hidden_text import printable

if TYPE_CHECKING:
    from verifflowcc.base.model.item_values import Item
    from verifflowcc.memory.rules.tasks import Task
    from verifflowcc.memory.use.task_ending import EndedTask, TaskEndPlan
    from verifflowcc.memory.use.task_filling import NoteResult
    from verifflowcc.memory.use.task_finding import TaskLine, TaskPage


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
    if done.gone:
        yield f"  gone: {len(done.gone)} {'item' if len(done.gone) == 1 else 'items'}"


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
