"""Findings as lines for a person: each with its place and next step, or in groups where they are many."""

from collections.abc import Iterator, Sequence

from verifflowcc.cli.folding import folded
from verifflowcc.domain.finding_groups import FindingGroup, group_findings
from verifflowcc.domain.trace import Finding, Severity

HANG = 4
MOST = 10
"""So many findings are listed each; of more, so many groups with one example each."""


def finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield one line for each, and under it the next step, unless the finding after it has the same."""
    for number, each in enumerate(findings):
        place = f"{each.path}:{each.line}: " if each.path else ""
        yield folded(f"{place}{each.severity} {each.code}: {each.message}", HANG)
        following = findings[number + 1] if number + 1 < len(findings) else None
        if each.step and not (following is not None and following.step == each.step):
            yield folded(f"  → {each.step}", HANG)


def grouped_lines(findings: Sequence[Finding], command: str) -> Iterator[tuple[str, ...]]:
    """Yield the lines of blocks that are separated: the findings of each weight, or of many the groups.

    `command` lists all of the findings; of many, the last line says how many it adds.
    """
    if len(findings) <= MOST:
        for weight in Severity:
            if of_weight := [each for each in findings if each.severity is weight]:
                yield tuple(finding_lines(of_weight))
        return
    shown = group_findings(findings)[:MOST]
    more = f"and {len(findings) - len(shown):,} more: {command}"
    yield (*(line for group in shown for line in _group(group)), *([more] if len(findings) > len(shown) else []))


def _group(group: FindingGroup) -> Iterator[str]:
    yield from finding_lines([group.example])
    if len(group.findings) > 1:
        yield f"  the first of {len(group.findings):,} {group.code}"
