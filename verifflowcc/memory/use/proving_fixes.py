"""Checks of a sprint that turned from fail to pass make the fixes that they prove surer."""

import shlex
from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.front_matter_values import show_thousandths
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.model.item_values import Item, Status
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.text.plain_words import with_article
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.consolidate import is_consolidation
from verifflowcc.memory.rules.stale_refs import FixedCheck, proven
from verifflowcc.memory.rules.superseded import superseded
from verifflowcc.memory.use.consolidating import MaintenanceStep, Shelf, StepKind
from verifflowcc.memory.use.recording import rewritten
from verifflowcc.memory.use.stores import memory_settings, open_store
from verifflowcc.memory.use.task_finding import all_tasks
from verifflowcc.sprint.rules.measured_verdict import shown_by
from verifflowcc.sprint.rules.sprint_people import Learning
from verifflowcc.sprint.use.evidence_reading import read_recorded

# What a sprint has learned that is worth more than the sprint: offered at its close, with a command that keeps it.

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


def turned_checks(workspace: Workspace, state: SprintState) -> tuple[FixedCheck, ...]:
    """Return the checks of a sprint that failed and then passed, in the order of its ledger.

    Evidence that nobody vouches for as far as the criterion asks counts for nothing, as at the gate. Raises as reading
    evidence does.
    """
    criteria = {
        (stage.stage.id, each.id): each for stage in state.stages for each in (*stage.stage.enter, *stage.stage.exit)
    }
    failed: dict[tuple[str, str], tuple[str, str, tuple[str, ...]]] = {}
    found = []
    for one in sorted(read_recorded(workspace, state), key=lambda each: each.order):
        place, evidence = (one.stage, one.criterion), one.evidence
        criterion = criteria.get(place)
        if evidence is None or one.problem or criterion is None or evidence.trust.rank < criterion.trust.rank:
            continue
        verdict = shown_by(criterion, evidence).verdict
        if verdict is Verdict.FAIL:
            failed[place] = evidence.id, evidence.time[:10], evidence.examples
        elif verdict is Verdict.PASS and place in failed:
            was, day, lines = failed.pop(place)
            command = evidence.run.command if evidence.run else criterion.command
            found.append(FixedCheck(criterion.id, command, was, day, evidence.id, evidence.time[:10], lines))
    return tuple(found)


def raise_confidence(shelf: Shelf, turned: Sequence[FixedCheck]) -> Iterator[MaintenanceStep]:
    """Make the fixes of a scope surer that checks prove; each check counts once. Raises as the store does."""
    for item in fixes(shelf.items()):
        after, by = proven(item, turned)
        stored = shelf.get(item.id) if by else None
        if stored is None:
            continue
        try:
            shelf.add(rewritten(stored, after))
        except FormatError as error:
            why = f"its confidence stays: {error.message}"
            yield MaintenanceStep(StepKind.NOT_DONE, shelf.scope, item.id, why)
        else:
            checks = ", ".join(f"{each.criterion} (failed {each.failed_on}, passed {each.passed_on})" for each in by)
            sure = f"{show_thousandths(item.confidence)} → {show_thousandths(after.confidence)}"
            yield MaintenanceStep(StepKind.RAISED, shelf.scope, item.id, f"confidence {sure}: {checks}")


def fixes(items: Iterable[Item]) -> list[Item]:
    """Return the fixes that hold."""
    return [item for item in items if item.type == "fix" and item.status is Status.ACTIVE]
