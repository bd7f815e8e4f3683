"""A trace report as JSON for the index."""

import json
from collections.abc import Iterable
from typing import Any

from verifflowcc.domain.trace import Asked, Family, Finding, Severity, TraceReport

_FAMILY = {str(each): each for each in Family}
_SEVERITY = {str(each): each for each in Severity}


def report_to_text(report: TraceReport) -> str:
    """Return the report as JSON."""
    value = {
        "findings": _plain(report.findings),
        "asked": [[each.code, each.severity, each.asked, each.found, each.passed_over] for each in report.asked],
        "counts": dict(report.counts),
        "known": _plain(report.known),
        "fixed": report.fixed,
        "outside": report.outside,
        "notices": report.notices,
        "planned": dict(report.planned),
        "digests": dict(report.digests),
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def report_from_text(text: str) -> TraceReport:
    """Return the report that `report_to_text` wrote."""
    value = json.loads(text)
    return TraceReport(
        _findings(value["findings"]),
        tuple([Asked(code, _SEVERITY[severity], *rest) for code, severity, *rest in value["asked"]]),
        value["counts"],
        _findings(value["known"]),
        tuple(value["fixed"]),
        value["outside"],
        tuple(value["notices"]),
        value["planned"],
        value["digests"],
    )


def _plain(findings: Iterable[Finding]) -> list[list[object]]:
    return [
        [f.code, f.family, f.severity, f.item, f.type, f.path, f.line, f.message, f.step, f.about, f.also]
        for f in findings
    ]


def _findings(rows: Iterable[Any]) -> tuple[Finding, ...]:
    return tuple([_finding(row) for row in rows])


def _finding(row: Any) -> Finding:
    code, family, severity, item, kind, path, line, message, step, about, also = row
    weight = _SEVERITY[severity]
    return Finding(code, _FAMILY[family], weight, item, kind, path, line, message, step, about, tuple(also))
