"""Findings as lines for a person: each with its place and next step, or in groups that fit one screen."""

from collections.abc import Iterator, Sequence

from verifflowcc.base.model.findings import FindingGroup, group_findings
from verifflowcc.base.model.trace_values import Finding, Severity
from verifflowcc.base.terminal.output import cut, folded, height, shortened
from verifflowcc.base.terminal.terminal import painted
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.text.plain_words import counted
from verifflowcc.cli.use.memory_checking import MemoryCheck

HANG = 4
MOST = 10
"""So many findings are listed each; of more, so many groups with one example each."""
_FOLDERS = 3
_STYLES = {Severity.ERROR: "bad", Severity.WARNING: "warn"}
_EDIT = "edit "


def finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield one line for each, and under it the next step, unless the finding after it has the same."""
    for number, each in enumerate(findings):
        place = f"{each.path}:{each.line}: " if each.path else ""
        yield _painted(folded(printable(f"{place}{each.severity} {each.code}: {each.message}"), HANG), each)
        following = findings[number + 1] if number + 1 < len(findings) else None
        if each.step and not (following is not None and following.step == each.step):
            yield painted(folded(printable(f"  → {each.step}"), HANG), "accent")


def overview(findings: Sequence[Finding], command: str, room: int) -> tuple[str, ...]:
    """Return the findings as at most `room` lines: each of them, or of many the groups, the most useful first.

    Each of the first `MOST` groups has one line, if there are so many; where there is room, it has its folders, an
    example and the next step. Where anything is left out, the last line says how much; `command` lists all of it.
    """
    every = group_findings(findings)
    if len(findings) <= MOST:
        ranked = [each for group in every for each in group.findings]
        weights = ([each for each in ranked if each.severity is weight] for weight in Severity)
        listed = "\n\n".join("\n".join(finding_lines(each)) for each in weights if each)
        if height(listed) <= room:
            return tuple(listed.split("\n")) if findings else ()
    groups = every[: max(1, min(MOST, room - 1))]
    left, shown = room - len(groups) - 1, list[str]()
    for group in groups:
        block = "\n".join(_group(group))
        if height(block) - 1 > left:
            block = _line(group)
        left -= height(block) - 1
        shown += block.split("\n")
    hidden = len(findings) - len(groups)
    return (*shown, f"and {hidden:,} more, with the next steps: {command}" if hidden else f"next steps: {command}")


def _line(group: FindingGroup) -> str:
    """Return a group as one line, cut to the width of stdout; its place is left out where its message names it."""
    example = group.example
    count = f" ×{len(group.findings):,}" if len(group.findings) > 1 else ""
    named = (example.item or example.path) in example.message
    place = "" if named else f"{example.path.rpartition('/')[2]}:{example.line}: "
    message = " ".join(example.message.split())
    return _painted(cut(printable(f"{example.severity} {example.code}{count}: {place}{message}")), example)


def _group(group: FindingGroup) -> Iterator[str]:
    """Yield what a group is, where it is, and its example, by its path below the folder that they share."""
    if len(group.findings) == 1:
        yield from _alone(group.example)
        return
    example = group.example
    codes = ", ".join(dict.fromkeys(each.code for each in group.findings))
    shared, where = _where(group)
    yield _painted(folded(printable(f"{example.severity} {codes}: {len(group.findings):,}{where}"), HANG), example)
    place = f"{example.path.removeprefix(shared)}:{example.line}: " if example.path else ""
    yield folded(printable(f"  {place}{shortened(example.message)}"), HANG)
    yield from _step(example)


def _alone(finding: Finding) -> Iterator[str]:
    place = f"{finding.path}:{finding.line}: " if finding.path else ""
    line = folded(printable(f"{place}{finding.severity} {finding.code}: {shortened(finding.message)}"), HANG)
    yield _painted(line, finding)
    yield from _step(finding)


def _step(finding: Finding) -> Iterator[str]:
    """Yield the next step, unless it is to edit the very line that is named already."""
    if finding.step and finding.step != f"{_EDIT}{finding.path}:{finding.line}":
        yield painted(folded(printable(f"  → {finding.step}"), HANG), "accent")


def _painted(line: str, finding: Finding) -> str:
    """Return a line with the weight of its finding in colour."""
    weight = str(finding.severity)
    return line.replace(weight, painted(weight, _STYLES.get(finding.severity, "quiet")), 1)


def _where(group: FindingGroup) -> tuple[str, str]:
    """Return the folder that all share, with its slash, and a clause with the folders and their numbers."""
    folders = group.folders
    first = folders[0][0]
    if len(folders) == 1:
        return (f"{first}/", f" in {first}") if first else ("", "")
    shared = _shared([f"{name}/" if name else "" for name, _ in folders])
    shown = ", ".join(
        f"{f'{name}/'.removeprefix(shared).rstrip('/') or '.'} {count:,}" for name, count in folders[:_FOLDERS]
    )
    more = f", and {counted(len(folders) - _FOLDERS, 'more folder')}" if len(folders) > _FOLDERS else ""
    return shared, f" in {shared.rstrip('/')} ({shown}{more})" if shared else f" in {shown}{more}"


def _shared(folders: Sequence[str]) -> str:
    """Return the folder that holds all of these; each ends with a slash, or is "" for the top."""
    parts = [each.split("/")[:-1] for each in folders]
    shared = []
    for names in zip(*parts, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return "".join(f"{each}/" for each in shared)


# How the findings on a memory are shown to a person: what matters on one screen, then of how many.

ALL = "vfcc check memory --all"
_SHOWN = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def whole_page(checked: MemoryCheck) -> str:
    """Return each finding, by weight, and the verdict."""
    findings = checked.report.findings
    parts = ["\n".join(finding_lines([each for each in findings if each.severity is one])) for one in _SHOWN]
    return "\n\n".join(part for part in (*parts, verdict(checked)) if part)


def short_page(checked: MemoryCheck, room: int) -> str:
    """Return the findings, in groups where they are many, and the verdict, in about `room` lines."""
    lines = overview(checked.report.findings, f"{ALL}{f' --scope {checked.scope}' if checked.scope else ''}", room - 2)
    return "\n\n".join(part for part in ("\n".join(lines), verdict(checked)) if part)


def verdict(checked: MemoryCheck) -> str:
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
    counts = [counted(weights[one], str(one)) for one in (Severity.ERROR, Severity.WARNING) if weights[one]]
    if not counts:
        return f"memory{whose}: nothing wrong in {items}{notes}"
    return f"memory{whose}: {' and '.join(counts)} in {items}{notes}"
