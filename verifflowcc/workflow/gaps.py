"""Gaps: criteria that were neither met nor waived when their stage was passed, and the words for them."""

from collections.abc import Iterable

from verifflowcc.domain.gates import Verdict
from verifflowcc.domain.sprints import Outcome, StageState

_OPEN = frozenset({Verdict.FAIL, Verdict.NOT_EVALUABLE})


def gaps_in(outcomes: Iterable[Outcome]) -> int:
    """Return how many criteria were not met when a stage was passed; a waived one is no gap."""
    return sum(each.verdict in _OPEN for each in outcomes)


def with_gaps(gaps: int) -> str:
    """Return the words that follow a status or a verb; empty without a gap.

    >>> with_gaps(0), with_gaps(1), with_gaps(3)
    ('', ' with 1 gap', ' with 3 gaps')
    """
    return f" with {gaps} gap{'' if gaps == 1 else 's'}" if gaps else ""


def stage_status(stage: StageState) -> str:
    """Return a stage's status as every screen shows it: `passed with 2 gaps`."""
    return f"{stage.status}{with_gaps(stage.gaps)}"
