"""Which findings of a trace report a criterion of a gate asks about."""

from collections.abc import Sequence

from verifflowcc.domain.trace import Asked, Family, Finding, TraceReport
from verifflowcc.domain.trace_codes import CHECKS

_FAMILIES = frozenset(map(str, Family))
MISSING_CHILD = "missing-child"
"""Its findings are about one need of the workflow each, which a criterion may name alone."""


def needs_among(checks: Sequence[str]) -> tuple[str, ...]:
    """Return those of a criterion's checks that are neither a family nor a code: ids of the workflow's needs."""
    return tuple(name for name in checks if name not in CHECKS and name not in _FAMILIES)


def selected(
    report: TraceReport, checks: Sequence[str], items: Sequence[str]
) -> tuple[tuple[Finding, ...], tuple[Asked, ...]]:
    """Return the findings and the checks that `checks` (families, codes, ids of needs; none: all) and `items` select.

    A finding of no item (a report that cannot be read, say) counts whatever the types.
    """
    wanted = set(checks)

    def asks(code: str) -> bool:
        return not wanted or code in wanted or str(CHECKS[code].family) in wanted

    findings = tuple(
        each
        for each in report.findings
        if (asks(each.code) or (each.code == MISSING_CHILD and each.about in wanted))
        and (not items or not each.item or each.type in items)
    )
    needs = needs_among(checks)
    asked = tuple(each for each in report.asked if asks(each.code) or (each.code == MISSING_CHILD and needs))
    return findings, asked
