"""Checks of a sprint that turned from fail to pass make the fixes that they prove surer."""

from collections.abc import Iterable, Iterator, Sequence

from verifflowcc.domain.gates import Criterion, Verdict
from verifflowcc.domain.items import Item, Status
from verifflowcc.domain.sprints import SprintState
from verifflowcc.errors import FormatError
from verifflowcc.formats.front_matter_read import show_thousandths
from verifflowcc.lifecycle.proof import Turned, proven
from verifflowcc.services.evidence_reading import read_recorded
from verifflowcc.services.memory.maintained import Step, StepKind
from verifflowcc.services.memory.rewriting import rewritten
from verifflowcc.services.memory.shelf import Shelf
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.measured_verdict import shown_by


def turned_checks(workspace: Workspace, state: SprintState) -> tuple[Turned, ...]:
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
            was, day, told = failed.pop(place)
            command = evidence.run.command if evidence.run else _command(criterion)
            found.append(Turned(criterion.id, command, was, day, evidence.id, evidence.time[:10], told))
    return tuple(found)


def raise_confidence(shelf: Shelf, turned: Sequence[Turned]) -> Iterator[Step]:
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
            yield Step(StepKind.TOLD, shelf.scope, item.id, why)
        else:
            checks = ", ".join(f"{each.criterion} (failed {each.failed_on}, passed {each.passed_on})" for each in by)
            sure = f"{show_thousandths(item.confidence)} → {show_thousandths(after.confidence)}"
            yield Step(StepKind.RAISED, shelf.scope, item.id, f"confidence {sure}: {checks}")


def fixes(items: Iterable[Item]) -> list[Item]:
    """Return the fixes that hold."""
    return [item for item in items if item.type == "fix" and item.status is Status.ACTIVE]


def _command(criterion: Criterion) -> str | None:
    return criterion.command
