"""How the findings of a trace check are shown to a person: what matters on one screen, then of how many."""

from collections.abc import Iterator, Sequence

from verifflowcc.base.model.findings import MissingResults, missing_results
from verifflowcc.base.model.trace_codes import CHECKS
from verifflowcc.base.model.trace_values import CheckCount, Finding, Severity, TraceReport
from verifflowcc.base.terminal.output import folded, height
from verifflowcc.base.terminal.table import table
from verifflowcc.base.text.plain_words import counted
from verifflowcc.cli.cli.findings_output import finding_lines, overview
from verifflowcc.trace.use.trace_checking import TraceCheckResult

ALL = "vfcc check trace --all"
_NAMED = 3
_SHOWN = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def whole_page(checked: TraceCheckResult) -> str:
    """Return every finding, known ones too, each check with its denominator, and the verdict."""
    report = checked.report
    parts = ["\n".join(finding_lines([each for each in report.findings if each.severity is one])) for one in _SHOWN]
    if report.known:
        parts.append("known already:\n" + "\n".join(finding_lines(report.known)))
    parts += [_by_check(report.checks), "\n".join(_about(checked, whole=True))]
    return "\n\n".join(part for part in parts if part)


def short_page(checked: TraceCheckResult, hint: str, room: int) -> str:
    """Return what is missing, the other findings, and the verdict, in about `room` lines.

    `hint` says how test results get here.
    """
    missing, others = parted(checked)
    head = missing_lines(missing, hint, checked) if missing else ()
    tail = about_lines(checked)
    left = room - sum(map(height, (*head, *tail))) - bool(head) - 1
    parts = (head, overview(others, ALL, left), tail)
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def parted(checked: TraceCheckResult) -> tuple[MissingResults | None, Sequence[Finding]]:
    """Return what test results are missing, and the findings to list beside that."""
    missing = missing_results(checked.report.findings, checked.report.checks)
    return missing, checked.report.findings if missing is None else missing.listed


def missing_lines(missing: MissingResults, hint: str, checked: TraceCheckResult) -> tuple[str, ...]:
    """Return what is missing and how to get it, then how much it is."""
    return tuple(_missing(missing, hint, checked))


def about_lines(checked: TraceCheckResult) -> tuple[str, ...]:
    """Return what was left out of the findings, and the verdict."""
    return tuple(_about(checked, whole=False))


def _missing(missing: MissingResults, hint: str, checked: TraceCheckResult) -> Iterator[str]:
    in_report = {each.name: each.tests for each in checked.examined.reports}
    yield folded(f"{missing.sentence(in_report)}; {hint}", 2)
    if missing.nothing and missing.tests:
        yield folded(f"  {missing.unrun} none", 4)
    if missing.unnamed:
        more = f" and {len(missing.unnamed) - _NAMED:,} more" if len(missing.unnamed) > _NAMED else ""
        names = ", ".join(missing.unnamed[:_NAMED])
        yield folded(f"  no test in the source names {counted(len(missing.unnamed), 'more item')}: {names}{more}", 4)


def verdict(checked: TraceCheckResult) -> str:
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
    counts = [counted(weights[one], str(one)) for one in (Severity.ERROR, Severity.WARNING) if weights[one]]
    return f"trace: RED: {' and '.join(counts)} in {of}{_of_results(report)}{notes}"


def _of_results(report: TraceReport) -> str:
    """Say how many of the red findings are there only because test results are missing."""
    missing = missing_results(report.red, report.checks)
    if missing is None:
        return ""
    count = len(report.red) - len(missing.others)
    return f" ({f'{count:,}' if missing.others else 'all'} for missing test results)"


def _by_check(asked: Sequence[CheckCount]) -> str:
    rows = [
        (
            each.code,
            str(CHECKS[each.code].family),
            str(each.severity),
            f"{each.examined:,}",
            _number(each.found),
            _number(each.skipped),
        )
        for each in asked
    ]
    return table(("check", "family", "weighs", "asked of", "found", "planned"), rows, right=(3, 4, 5))


def _about(checked: TraceCheckResult, *, whole: bool) -> Iterator[str]:
    report = checked.report
    why = [each for each in (checked.known_list, checked.new_since) if each is not None]
    if why:
        more = "" if whole or not report.known else "; --all shows them"
        yield folded(f"{counted(len(report.known), 'old finding')} left out ({'; '.join(why)}){more}", 2)
    if report.fixed:
        again = "vfcc baseline trace"
        yield folded(f"{counted(len(report.fixed), 'finding')} of the baseline found no more: {again}", 2)
        if whole:
            yield from (f"  {key}" for key in report.fixed)
    if checked.changed_since is not None:
        yield folded(
            f"{counted(report.outside_changes, 'finding')} on what did not change since {checked.changed_since}", 2
        )
    yield folded(verdict(checked), 2)


def _number(number: int) -> str:
    return f"{number:,}" if number else "–"
