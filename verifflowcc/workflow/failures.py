"""How often a stage's evidence failed since the stage was entered."""

from collections.abc import Iterable, Iterator

from verifflowcc.domain.evidence import Evidence
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Criterion
from verifflowcc.domain.sprints import StageState
from verifflowcc.workflow.assess_recorded import judge
from verifflowcc.workflow.baseline_rules import baseline_for


def failures_of(stage: StageState, facts: Facts) -> int:
    """Return how many runs, made since `stage` was entered, left evidence that did not meet its criterion.

    One run of a command may fail several criteria; that is one failure. Since when is told by the events' clocks, which
    inform and decide nothing: a fail route is advice.
    """
    criteria = {each.id: each for each in (*stage.stage.enter, *stage.stage.exit)}
    since = stage.entered_at or ""
    failed = [
        one.evidence
        for one in sorted(facts.recorded, key=lambda one: one.order)
        if one.evidence
        and not one.problem
        and one.evidence.stage == stage.stage.id
        and one.evidence.time >= since
        and one.evidence.criterion in criteria
        and not _met(criteria[one.evidence.criterion], one.evidence, facts)
    ]
    return len(list(_runs(failed)))


def _met(criterion: Criterion, evidence: Evidence, facts: Facts) -> bool:
    return judge(criterion, evidence, baseline_for(criterion, facts)).met


def _runs(found: Iterable[Evidence]) -> Iterator[list[Evidence]]:
    """Yield the pieces that one run left: the same run, and no criterion twice."""
    group: list[Evidence] = []
    for one in found:
        same = bool(group) and one.run is not None and one.run == group[-1].run
        if group and (not same or one.criterion in {each.criterion for each in group}):
            yield group
            group = []
        group.append(one)
    if group:
        yield group
