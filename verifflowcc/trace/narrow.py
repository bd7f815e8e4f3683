"""A report narrowed to what concerns its reader: findings that are new, in what changed."""

from collections import Counter
from collections.abc import Collection, Iterable

from verifflowcc.domain.trace import EarlierFindings, Family, Finding, TraceReport
from verifflowcc.records import replace

_OF_THE_WHOLE = frozenset({Family.RESULTS, Family.PROCESS})
"""Families whose findings about no item speak of the whole project, whatever changed."""


def narrow(report: TraceReport, known: Iterable[str] = (), changed: Collection[str] | None = None) -> TraceReport:
    """Return the report without the findings whose keys are `known`, and those outside of the paths that changed.

    Known ones are kept in `known`; a key of which there is nothing any more, in any file, is in `fixed`. A finding is
    inside where its own file changed or one that it is about, too (`Finding.also`); `outside` counts the others. With
    None nothing is outside. A check's `found` is what is left of it.
    """
    keys, paths = set(known), frozenset(changed or ())
    new = [each for each in report.findings if each.key not in keys]
    old = [each for each in report.findings if each.key in keys]
    inside = new if changed is None else [each for each in new if _inside(each, paths)]
    found = Counter(each.code for each in inside)
    fixed = keys.difference(each.key for each in (*report.findings, *report.known))
    return replace(
        report,
        findings=tuple(inside),
        asked=tuple(replace(each, found=found[each.code]) for each in report.asked),
        known=(*report.known, *old),
        fixed=tuple(sorted({*report.fixed, *fixed})),
        outside=report.outside + len(new) - len(inside),
    )


def only_new(report: TraceReport, earlier: EarlierFindings | None) -> TraceReport:
    """Return the report without the findings that were there earlier; those are `known`."""
    return report if earlier is None else replace(narrow(report, known=earlier.keys), fixed=report.fixed)


def _inside(finding: Finding, changed: frozenset[str]) -> bool:
    if finding.path in changed or any(path in changed for path in finding.also):
        return True
    return not finding.item and finding.family in _OF_THE_WHOLE
