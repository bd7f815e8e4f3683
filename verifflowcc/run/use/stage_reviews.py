"""Reviews by agents: which criteria they can be about, their evidence, and their findings as blockers."""

from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.base.errors import UsageError, VfccError
from verifflowcc.base.model.gate_values import CriterionKind, EvidenceTrust
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import replace
from verifflowcc.gates.use.evidence_making import add_evidence
from verifflowcc.run.rules.agent_answers import REVIEWER
from verifflowcc.run.rules.run_fold import RunAttempt, RunBlocker, RunState
from verifflowcc.run.store.run_tree import commit_of, committed_changes
from verifflowcc.run.use.run_machinery import RunDriver

_MOST_LINES = 5
_RECORDS = (".memory/sprint/", ".memory/stage/")


def require_reviewable(state: SprintState, criteria: Iterable[str]) -> None:
    """Raise UsageError for a criterion that no review by an agent can be about.

    It is a metric that takes a stated value, so that a review counts as itself, and never in the place of a test or of
    a person's approval.
    """
    stages = state.workflow.stages if state.workflow else ()
    known = {each.id: each for stage in stages for each in stage.exit}
    for name in criteria:
        found = known.get(name)
        if found is None:
            raise UsageError(f"{name} is no exit criterion of the workflow", hint="vfcc workflow show")
        if found.kind is not CriterionKind.METRIC or found.trust is not EvidenceTrust.ASSERTED:
            raise UsageError(
                f"an agent reviews a criterion of the kind metric with trust: asserted; {name} is of the kind"
                f" {found.kind}",
                hint="vfcc help --topic workflows",
            )


def record_review(driver: RunDriver, stage: str, review: RunAttempt) -> None:
    """Put the number of a review's findings on record, unless what it read has changed since.

    It is the word of the reviewing agent, so that a criterion which asks for more trust does not count it.
    """
    top = driver.place.tree()
    head = commit_of(top, "HEAD")
    moved = [each.path for each in committed_changes(top, review.base, str(head)) if not _is_record(driver, each.path)]
    if moved:
        driver.tools.say(f"{stage}: {moved[0]} changed during {review.id}, whose answer does not count")
        return
    value = str(len(review.findings))
    try:
        add_evidence(
            driver.workspace, driver.sprint, review.review, value=value, stage=stage, actor=f"agent:{REVIEWER}"
        )
    except VfccError as error:  # the gate says what it lacks
        driver.tools.say(f"{stage}: {error.message.splitlines()[0]}")


def _is_record(driver: RunDriver, path: str) -> bool:
    below = f"{driver.place.below}/" if driver.place.below else ""
    return path.startswith(tuple(f"{below}{each}" for each in _RECORDS))


def with_findings(blockers: Sequence[RunBlocker], run: RunState, stay: str) -> tuple[RunBlocker, ...]:
    """Return blockers with what the last review of each found, for the next attempt to mend."""
    last: Mapping[str, RunAttempt] = {each.review: each for each in run.all_in_stay(stay) if each.review}
    return tuple(_with(each, last.get(each.criterion)) for each in blockers)


def _with(blocker: RunBlocker, review: RunAttempt | None) -> RunBlocker:
    if review is None or not review.findings:
        return blocker
    more = len(review.findings) - _MOST_LINES
    lines = [blocker.reason, *review.findings[:_MOST_LINES], *([f"and {more} more"] if more > 0 else [])]
    return replace(blocker, reason="\n".join(lines))
