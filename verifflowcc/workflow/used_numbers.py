"""Numbers from the evidence that a gate used: tests, coverage, how much there was."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.evidence import Evidence
from verifflowcc.domain.facts import Recorded
from verifflowcc.domain.gates import Gate, Kind

BASIS_POINTS = 10_000
_SHARES = {
    "coverage_branch_bp": ("branches_hit", "branches"),
    "coverage_changed_bp": ("changed_hit", "changed"),
    "coverage_line_bp": ("lines_hit", "lines"),
}
NAMES = (*_SHARES, "evidence", "tests", "tests_failed")


def used_numbers(gate: Gate, recorded: Sequence[Recorded]) -> dict[str, int | None]:
    """Return the numbers named in `NAMES`; None for what no evidence measured.

    `evidence` counts the pieces used. `tests` and `tests_failed` (errors among them) add up over the reports used, each
    once however many criteria rest on it. Coverage is in hundredths of a percent, cut, the lowest of those used.
    """
    used = _used(gate, recorded)
    found: dict[str, int | None] = {"evidence": len(used), "tests": None, "tests_failed": None}
    reports = {one.outcome: one.measures for one in used if one.kind is Kind.JUNIT and "tests" in one.measures}
    if reports:
        found["tests"] = sum(each["tests"] for each in reports.values())
        found["tests_failed"] = sum(each.get("failed", 0) + each.get("errors", 0) for each in reports.values())
    measured = [one.measures for one in used if one.kind is Kind.COVERAGE]
    for name, (part, whole) in _SHARES.items():
        found[name] = min(
            (share for each in measured if (share := _share(each, part, whole)) is not None), default=None
        )
    return found


def _used(gate: Gate, recorded: Sequence[Recorded]) -> list[Evidence]:
    names = {name for each in gate.assessments for name in each.used}
    found = {one.evidence.id: one.evidence for one in recorded if one.evidence and one.evidence.id in names}
    return [found[name] for name in sorted(found)]


def _share(measures: Mapping[str, int], part: str, whole: str) -> int | None:
    total = measures.get(whole, 0)
    return measures.get(part, 0) * BASIS_POINTS // total if total else None
