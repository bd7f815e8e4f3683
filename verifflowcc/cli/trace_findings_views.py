"""How the findings of a trace check are shown to a person: what matters on one screen, then of how many."""

from collections.abc import Iterator, Sequence

from verifflowcc.cli.counted import counted
from verifflowcc.cli.finding_lines import finding_lines, grouped_lines
from verifflowcc.cli.folding import folded
from verifflowcc.cli.table import table
from verifflowcc.domain.missing_results import MissingResults, missing_results
from verifflowcc.domain.trace import Asked, Family, Severity, TraceReport
from verifflowcc.domain.trace_codes import CHECKS
from verifflowcc.services.trace_checking import TraceChecked

ALL = "vfcc check trace --all"
_NAMED = 3
_SHOWN = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def whole_page(checked: TraceChecked) -> str:
    """Return every finding, known ones too, each check with its denominator, and the verdict."""
    report = checked.report
    parts = ["\n".join(finding_lines([each for each in report.findings if each.severity is one])) for one in _SHOWN]
    if report.known:
        parts.append("known already:\n" + "\n".join(finding_lines(report.known)))
    parts += [_by_check(report.asked), "\n".join(_about(checked, whole=True))]
    return "\n\n".join(part for part in parts if part)


def short_page(checked: TraceChecked, hint: str, *, families: bool) -> str:
    """Return what is missing, the other findings in groups where they are many, and the verdict.

    `hint` says how test results get here. With `families`, how much each family of checks was asked.
    """
    report = checked.report
    missing = missing_results(report.findings, report.asked)
    others = report.findings if missing is None else missing.listed
    parts = ["\n".join(_missing(missing, hint, checked))] if missing else []
    parts += ["\n".join(lines) for lines in grouped_lines(others, ALL)]
    if families:
        parts.append(_by_family(report))
    parts.append("\n".join(_about(checked, whole=False)))
    return "\n\n".join(part for part in parts if part)


def _missing(missing: MissingResults, hint: str, checked: TraceChecked) -> Iterator[str]:
    """Yield what is missing and how to get it, then how much it is."""
    in_report = {each.name: each.tests for each in checked.looked_at.reports}
    yield folded(f"{missing.sentence(in_report)}; {hint}", 2)
    if missing.nothing and missing.tests:
        yield folded(f"  {missing.unrun} none", 4)
    if missing.unnamed:
        more = f" and {len(missing.unnamed) - _NAMED:,} more" if len(missing.unnamed) > _NAMED else ""
        names = ", ".join(missing.unnamed[:_NAMED])
        yield folded(f"  no test in the source names {counted(len(missing.unnamed), 'more item')}: {names}{more}", 4)


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
    return f"trace: RED: {' and '.join(told)} in {of}{_of_results(report)}{notes}"


def _of_results(report: TraceReport) -> str:
    """Say how many of the red findings are there only because test results are missing."""
    missing = missing_results(report.red, report.asked)
    if missing is None:
        return ""
    count = len(report.red) - len(missing.others)
    return f" ({f'{count:,}' if missing.others else 'all'} for missing test results)"


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
        yield folded(f"{counted(len(report.known), 'old finding')} left out ({checked.known_list}){more}", 2)
    if report.fixed:
        again = "vfcc baseline trace"
        yield folded(f"{counted(len(report.fixed), 'finding')} of the baseline found no more: {again}", 2)
        if whole:
            yield from (f"  {key}" for key in report.fixed)
    if checked.changed_since is not None:
        yield folded(f"{counted(report.outside, 'finding')} on what did not change since {checked.changed_since}", 2)
    yield verdict(checked)


def _number(number: int) -> str:
    return f"{number:,}" if number else "–"
