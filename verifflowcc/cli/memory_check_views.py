"""How the findings on a memory are shown to a person: each with its place and the way on, then of how many."""

from collections.abc import Iterator, Sequence

from verifflowcc.cli.counted import counted
from verifflowcc.cli.finding_lines import grouped_lines
from verifflowcc.cli.folding import folded
from verifflowcc.domain.trace import Finding, Severity
from verifflowcc.services.memory.checking import CheckedMemory
from verifflowcc.text.invisible import printable

HANG = 4
_SHOWN = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def findings_page(checked: CheckedMemory) -> str:
    """Return all findings by weight, and the verdict."""
    parts = ["\n".join(_lines([each for each in checked.report.findings if each.severity is one])) for one in _SHOWN]
    return "\n\n".join(part for part in (*parts, verdict(checked)) if part)


def short_page(checked: CheckedMemory) -> str:
    """Return the findings, in groups where they are many, and the verdict."""
    parts = ["\n".join(map(printable, lines)) for lines in grouped_lines(checked.report.findings, "vfcc check memory")]
    return "\n\n".join((*parts, verdict(checked)))


def verdict(checked: CheckedMemory) -> str:
    """Return the one line that says whether the memory is sound, and of how many items."""
    report = checked.report
    whose = f" of {printable(checked.scope)}" if checked.scope else ""
    if not checked.anything:
        return f"memory{whose}: NOTHING to read: there is no item"
    weights = {one: sum(each.severity is one for each in report.findings) for one in _SHOWN}
    items = counted(sum(report.counts.values()) - report.counts.get("unread", 0), "item")
    notes = f", {counted(weights[Severity.NOTE], 'note')}" if weights[Severity.NOTE] else ""
    told = [counted(weights[one], str(one)) for one in (Severity.ERROR, Severity.WARNING) if weights[one]]
    if not told:
        return f"memory{whose}: nothing wrong in {items}{notes}"
    return f"memory{whose}: {' and '.join(told)} in {items}{notes}"


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    for each in findings:
        place = f"{each.path}:{each.line}: " if each.path else ""
        yield folded(printable(f"{place}{each.severity} {each.code}: {each.message}"), HANG)
        if each.step:
            yield folded(printable(f"  → {each.step}"), HANG)
