"""What maintenance does to the items of one scope, in its order: each step decides on what the one before it left."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from verifflowcc.base.errors import FormatError, WorkspaceError
from verifflowcc.base.model.config_values import MemorySettings
from verifflowcc.base.model.item_values import Item, ScopeKind, Status
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.memory.rules.consolidate import DOING, is_consolidation, originals_of
from verifflowcc.memory.rules.lifetimes import evicted, has_ended, has_faded, why_ended, why_faded
from verifflowcc.memory.rules.stale_refs import FixedCheck
from verifflowcc.memory.use.archiving import DECAYED, ENDED, EVICTED, archive_item
from verifflowcc.memory.use.consolidating import (
    ConsolidationTerms,
    MaintenanceStep,
    Shelf,
    StepKind,
    complete_interrupted,
    consolidate,
)
from verifflowcc.memory.use.proving_fixes import raise_confidence
from verifflowcc.memory.use.stage_end import Stages, end_with_stage
from verifflowcc.memory.use.task_finding import all_tasks

# The parts of a project that have items of their own, whether they are open or not.


def parts_of(workspace: Workspace) -> tuple[str, ...]:
    """Return the scopes of the project's sprints, stages, agents and active tasks.

    Raises WorkspaceError.
    """
    names = {kind: _folders(workspace.memory / kind) for kind in ("sprint", "stage", "agent")}
    stages = [
        f"stage/{sprint}/{name}" for sprint in names["stage"] for name in _folders(workspace.memory / "stage" / sprint)
    ]
    tasks = [f"task/{task.id}" for task in all_tasks(workspace) if not task.status.final]
    return (*(f"{kind}/{name}" for kind in ("sprint", "agent") for name in names[kind]), *stages, *tasks)


def _folders(folder: Path) -> tuple[str, ...]:
    try:
        with os.scandir(folder) as entries:
            return tuple(sorted(each.name for each in entries if each.is_dir(follow_symlinks=False)))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise WorkspaceError(f"cannot read {folder}: {error.strerror or error}") from error


_CONSOLIDATED = frozenset({ScopeKind.PROJECT, ScopeKind.SPRINT, ScopeKind.STAGE, ScopeKind.AGENT})


@dataclass(frozen=True, slots=True)
class Round:
    """What one round of maintenance works with: the day, the settings, and what it knows of the project.

    `consolidates` says whether it is time for it. `turned` are the checks that turned from fail to pass.
    """

    today: str
    settings: MemorySettings
    consolidates: bool = False
    apart: frozenset[str] = frozenset()
    turned: tuple[FixedCheck, ...] = ()
    stages: Stages | None = None
    workspace: Workspace | None = None


def keep_up(shelf: Shelf, now: Round) -> Iterator[MaintenanceStep]:
    """Do all that is due to the items of a scope and yield what was done. Raises as the store does."""
    kind = ScopeKind(shelf.scope.partition("/")[0])
    ttl = now.settings.ttl_days
    undone: set[str] = set()
    if kind in _CONSOLIDATED:
        yield from _completed(shelf, now, undone)
    ended = [item for item in _live(shelf) if has_ended(item, now.today, ttl)]
    yield from _archive(shelf, ended, now, (StepKind.ENDED, ENDED), [why_ended(item, ttl) for item in ended])
    if now.stages is not None and now.workspace is not None:
        yield from end_with_stage(shelf, now.workspace, now.stages, now.today)
    faded = [item for item in _live(shelf) if has_faded(item, now.today, ttl)]
    reasons = [why_faded(item, now.today, ttl) for item in faded]
    yield from _archive(shelf, faded, now, (StepKind.DECAYED, DECAYED), reasons)
    if kind in _CONSOLIDATED:
        yield from _consolidated(shelf, now, undone)
    if kind is ScopeKind.PROJECT:
        yield from _make_room(shelf, now)
    yield from raise_confidence(shelf, now.turned)


def _completed(shelf: Shelf, now: Round, undone: set[str]) -> Iterator[MaintenanceStep]:
    """Complete interrupted consolidations; add freed originals to `undone`."""
    summaries = {item.id: item for item in shelf.items() if is_consolidation(item)}
    for step in complete_interrupted(shelf, now.today):
        if step.kind is StepKind.RESTORED and DOING not in dict(summaries[step.item].details):
            undone.update(originals_of(summaries[step.item]))
        yield step


def _consolidated(shelf: Shelf, now: Round, undone: set[str]) -> Iterator[MaintenanceStep]:
    """Consolidate a scope once per interval; originals of stale summaries at once."""
    terms = ConsolidationTerms(now.today, now.settings.ttl_days, now.apart)
    if now.consolidates:
        yield from consolidate(shelf, terms)
    elif undone and now.settings.consolidation.enabled:
        yield from consolidate(shelf, replace(terms, only=frozenset(undone)))


def _make_room(shelf: Shelf, now: Round) -> Iterator[MaintenanceStep]:
    """Archive the lowest tenth, and again, until no more are there than may be."""
    most = now.settings.max_items
    why = f"more than {most:,} extracted and inferred items, and this is of the lowest tenth"
    tried: set[str] = set()
    while gone := [item for item in evicted(_live(shelf), most) if item.id not in tried]:
        tried |= {item.id for item in gone}
        yield from _archive(shelf, gone, now, (StepKind.EVICTED, EVICTED), [why] * len(gone))


def _archive(
    shelf: Shelf, items: Sequence[Item], now: Round, words: tuple[StepKind, str], reasons: Sequence[str]
) -> Iterator[MaintenanceStep]:
    kind, word = words
    for item, why in zip(items, reasons, strict=True):
        stored = shelf.get(item.id)
        try:
            if stored is not None:
                shelf.add(archive_item(stored, today=now.today, why=word))
        except FormatError as error:
            reason = f"it cannot be archived ({why}): {error.message}"
            yield MaintenanceStep(StepKind.NOT_DONE, shelf.scope, item.id, reason)
        else:
            yield MaintenanceStep(kind, shelf.scope, item.id, why)


def _live(shelf: Shelf) -> list[Item]:
    return [item for item in shelf.items() if item.status is not Status.ARCHIVED]
