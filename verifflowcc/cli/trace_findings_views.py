"""How the findings of a trace check are shown to a person: each with its place and the way on, then of how many."""

from collections.abc import Iterator, Sequence

from verifflowcc.cli.counted import counted
from verifflowcc.cli.folding import folded
from verifflowcc.cli.table import table
from verifflowcc.domain.trace import Asked, Family, Finding, Severity, TraceReport
from verifflowcc.domain.trace_codes import CHECKS
from verifflowcc.services.trace_checking import TraceChecked

HANG = 4
_SHOWN = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def findings_page(checked: TraceChecked, *, whole: bool) -> str:
    """Return all findings, what was asked, and the verdict.

    With `whole`, known findings too, and each check instead of each family.
    """
    report = checked.report
    parts = ["\n".join(_lines([each for each in report.findings if each.severity is one])) for one in _SHOWN]
    if whole and report.known:
        parts.append("known already:\n" + "\n".join(_lines(report.known)))
    parts.append(_by_check(report.asked) if whole else _by_family(report))
    parts.append("\n".join(_about(checked, whole=whole)))
    return "\n\n".join(part for part in parts if part)


def verdict(checked: TraceChecked) -> str:
    """Return the one line that says whether the trace is red, and of how many items."""
    report = checked.report
    items = sum(report.counts.values())
    weights = {one: sum(each.severity is one for each in report.findings) for one in _SHOWN}
    if not report.evaluable:
        return "trace: NOTHING to evaluate: there is no item"
    of = counted(items, "item")
    notes = f", {counted(weights[Severity.NOTE], 'note')}" if weights[Severity.NOTE] else ""
    if not report.red:
        left = " on what changed" if checked.changed_since is not None else ""
        return f"trace: nothing red in {of}{left}{notes}"
    told = [counted(weights[one], str(one)) for one in (Severity.ERROR, Severity.WARNING) if weights[one]]
    return f"trace: RED: {' and '.join(told)} in {of}{notes}"


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    """One line for each, and under it the next step, unless the finding after it has the same."""
    for number, each in enumerate(findings):
        place = f"{each.path}:{each.line}: " if each.path else ""
        yield folded(f"{place}{each.severity} {each.code}: {each.message}", HANG)
        following = findings[number + 1] if number + 1 < len(findings) else None
        if each.step and not (following is not None and following.step == each.step):
            yield folded(f"  → {each.step}", HANG)


def _by_family(report: TraceReport) -> str:
    rows = []
    for family in Family:
        asked = [each for each in report.asked if CHECKS[each.code].family is family]
        found = [each for each in report.findings if each.family is family]
        on = [each for each in asked if each.severity is not Severity.OFF]
        if on or found:
            counts = (sum(each.severity is one for each in found) for one in _SHOWN)
            of = max((each.asked for each in on), default=0)
            rows.append((str(family), f"{len(on)}", f"{of:,}", *(_number(one) for one in counts)))
    return table(("family", "checks", "asked of", "errors", "warnings", "notes"), rows, right=(1, 2, 3, 4, 5))


def _by_check(asked: Sequence[Asked]) -> str:
    rows = [
        (
            each.code,
            str(CHECKS[each.code].family),
            str(each.severity),
            f"{each.asked:,}",
            _number(each.found),
            _number(each.passed_over),
        )
        for each in asked
    ]
    return table(("check", "family", "weighs", "asked of", "found", "planned"), rows, right=(3, 4, 5))


def _about(checked: TraceChecked, *, whole: bool) -> Iterator[str]:
    report = checked.report
    if checked.known_list is not None:
        more = "" if whole or not report.known else "; --all shows them"
        yield folded(f"{counted(len(report.known), 'known finding')} left out ({checked.known_list}){more}", 2)
    if report.fixed:
        again = f"vfcc check trace --format baseline --output {checked.known_list}"
        yield folded(f"{counted(len(report.fixed), 'finding')} of that list found no more; take them out: {again}", 2)
        if whole:
            yield from (f"  {key}" for key in report.fixed)
    if checked.changed_since is not None:
        yield folded(f"{counted(report.outside, 'finding')} on what did not change since {checked.changed_since}", 2)
    yield verdict(checked)


def _number(number: int) -> str:
    return f"{number:,}" if number else "–"
