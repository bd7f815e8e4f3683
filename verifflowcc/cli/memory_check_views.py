"""How the findings on a memory are shown to a person: what matters on one screen, then of how many."""

from verifflowcc.cli.finding_lines import finding_lines, overview
from verifflowcc.cli.options import counted
from verifflowcc.domain.trace import Severity
from verifflowcc.services.memory.checking import CheckedMemory
from verifflowcc.text.invisible import printable

ALL = "vfcc check memory --all"
_SHOWN = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def whole_page(checked: CheckedMemory) -> str:
    """Return each finding, by weight, and the verdict."""
    findings = checked.report.findings
    parts = ["\n".join(finding_lines([each for each in findings if each.severity is one])) for one in _SHOWN]
    return "\n\n".join(part for part in (*parts, verdict(checked)) if part)


def short_page(checked: CheckedMemory, room: int) -> str:
    """Return the findings, in groups where they are many, and the verdict, in about `room` lines."""
    lines = overview(checked.report.findings, f"{ALL}{f' --scope {checked.scope}' if checked.scope else ''}", room - 2)
    return "\n\n".join(part for part in ("\n".join(lines), verdict(checked)) if part)


def verdict(checked: CheckedMemory) -> str:
    """Return the one line that says whether the memory is sound, and of how many items."""
    report = checked.report
    whose = f" of {printable(checked.scope)}" if checked.scope else ""
    if not checked.anything:
        return f"memory{whose}: NOTHING to read: there is no item"
    weights = {one: sum(each.severity is one for each in report.findings) for one in _SHOWN}
    items = counted(sum(report.counts.values()) - report.counts.get("unread", 0), "item")
    notes = f", {counted(weights[Severity.NOTE], 'note')}" if weights[Severity.NOTE] else ""
    if checked.new_since is not None and report.known:
        notes += f" ({len(report.known):,} older left out: {checked.new_since})"
    told = [counted(weights[one], str(one)) for one in (Severity.ERROR, Severity.WARNING) if weights[one]]
    if not told:
        return f"memory{whose}: nothing wrong in {items}{notes}"
    return f"memory{whose}: {' and '.join(told)} in {items}{notes}"
