"""Findings of one weight and code as one group, in the order of the checks."""

from collections.abc import Iterable

from verifflowcc.domain.trace import Finding, Severity
from verifflowcc.records import dataclass

_WEIGHTS = tuple(Severity)


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """At least one finding, all of one weight and code, in the order of their report."""

    findings: tuple[Finding, ...]

    @property
    def code(self) -> str:
        """The code that they share."""
        return self.example.code

    @property
    def example(self) -> Finding:
        """The first of them."""
        return self.findings[0]


def group_findings(findings: Iterable[Finding]) -> tuple[FindingGroup, ...]:
    """Return the findings in groups: by weight, then in the order in which their codes first come.

    No finding is in two groups, and none is left out.
    """
    found: dict[tuple[Severity, str], list[Finding]] = {}
    for each in findings:
        found.setdefault((each.severity, each.code), []).append(each)
    groups = (FindingGroup(tuple(each)) for each in found.values())
    return tuple(sorted(groups, key=lambda group: _WEIGHTS.index(group.example.severity)))
