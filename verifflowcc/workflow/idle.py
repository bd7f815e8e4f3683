"""Soft criteria that are not asked, because the project has nothing that they could look at."""

from collections.abc import Iterable

from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Criterion, Kind, Mode
from verifflowcc.workflow.assess_trace import waits_for_items
from verifflowcc.workflow.evidence_wanted import Wanted


def idle(criterion: Criterion, facts: Facts) -> bool:
    """Whether a gate leaves a criterion out; a hard one is never left out, and closes its gate."""
    return waits_for_items(criterion, facts) or _is_unreadable(criterion, facts)


def without_idle(wanted: Iterable[Wanted], facts: Facts) -> tuple[Wanted, ...]:
    """Return the criteria that gates ask, of those that need evidence."""
    return tuple(one for one in wanted if not idle(one.criterion, facts))


def _is_unreadable(criterion: Criterion, facts: Facts) -> bool:
    """Whether a proof needs outcomes that no runner can read.

    The words of the command are a rule of the project: to change them takes a person's approval.
    """
    soft = criterion.kind is Kind.RED_FIRST and criterion.mode is Mode.SOFT
    return soft and criterion.command in facts.unreadable
