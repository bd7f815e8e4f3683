"""What a sprint has learned that is worth more than the sprint: offered at its close, with a command that keeps it."""

import shlex
from collections.abc import Iterator

from verifflowcc.context.standing import superseded
from verifflowcc.domain.items import Item, Status
from verifflowcc.domain.sprints import SprintState
from verifflowcc.lifecycle.consolidate import is_consolidation
from verifflowcc.services.memory.opening import memory_settings, open_store
from verifflowcc.services.memory.tasks import all_tasks
from verifflowcc.services.workspace import Workspace
from verifflowcc.text.article import with_article
from verifflowcc.workflow.people import Learning

LEARNED = ("failure", "fix", "insight")


def learnings_of(workspace: Workspace, state: SprintState) -> tuple[Learning, ...]:
    """Return the failures, fixes, insights, summaries and proposals of a sprint, by scope, type and id.

    Those of the sprint, its stages and its tasks can be promoted; what the project has from its days can be promoted
    where it waits, and else written to the sprint's retrospective. Nothing is written. Raises as the stores do.
    """
    if not memory_settings(workspace).enabled:
        return ()
    started = min((stage.entered_at for stage in state.stages if stage.entered_at), default="")[:10]
    found = [each for scope in _scopes(workspace, state) for each in _of_scope(workspace, scope, state, started)]
    return tuple(found)


def _scopes(workspace: Workspace, state: SprintState) -> Iterator[str]:
    yield f"sprint/{state.id}"
    yield from (f"stage/{state.id}/{stage.stage.id}" for stage in state.stages)
    yield from (f"task/{task.id}" for task in all_tasks(workspace) if not task.status.final and task.sprint == state.id)
    yield "project"


def _of_scope(workspace: Workspace, scope: str, state: SprintState, started: str) -> Iterator[Learning]:
    with open_store(workspace, scope) as store:
        items = store.items()
    gone = superseded(items).found
    for item in sorted(items, key=lambda each: (each.type, each.id)):
        late = scope != "project" or (started and (item.created or "")[:10] >= started)
        if late and item.status is not Status.ARCHIVED and item.path not in gone:
            offered = _in_project(item, state) if scope == "project" else _below(item, scope)
            if offered is not None:
                yield Learning(item.id, scope, item.type, item.title, *offered)


def _below(item: Item, scope: str) -> tuple[str, str] | None:
    """Return why an item of the sprint is offered, and the command; None where it is not."""
    pending = item.status is Status.PENDING
    if not pending and item.type not in LEARNED and not is_consolidation(item):
        return None
    why = f"{with_article(item.type)} that was proposed" if pending else f"{with_article(item.type)} of {scope}"
    return why, f"vfcc memory promote {item.id} --to project --scope {scope}"


def _in_project(item: Item, state: SprintState) -> tuple[str, str] | None:
    if item.status is Status.PENDING:
        return f"{with_article(item.type)} that was proposed during the sprint", f"vfcc memory promote {item.id}"
    if item.type not in LEARNED:
        return None
    page = shlex.quote(f".memory/sprint/{state.id}/retrospective.md")
    return f"{with_article(item.type)} made during the sprint", f"vfcc memory show {item.id} >> {page}"
