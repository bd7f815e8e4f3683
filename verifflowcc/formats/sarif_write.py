"""A trace report as a SARIF 2.1.0 log: every check is a rule, every finding a result with its file and line."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from posixpath import join
from urllib.parse import quote

from verifflowcc.domain.trace import Finding, Severity, TraceReport
from verifflowcc.domain.trace_codes import CHECKS
from verifflowcc.domain.trace_help import HELP

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "vfccTrace/v1"
NO_FILE = ".memory/project/items"
"""What a finding that is about no file is shown at: readers of SARIF drop results without a place."""

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note", Severity.OFF: "none"}
Json = None | bool | int | str | list["Json"] | dict[str, "Json"]
_RULES = {code: index for index, code in enumerate(CHECKS)}


def sarif_text(report: TraceReport, version: str, prefix: str = "") -> str:
    """Return the log as JSON; `prefix` is the folder of the project in its repository, "" at the top.

    Known findings are results that are suppressed. Paths are relative, so that the log means the same on every machine.
    """
    weights = {one.code: one.severity for one in report.asked}
    driver: dict[str, Json] = {
        "name": "vfcc",
        "fullName": "vfcc check trace",
        "version": version,
        "semanticVersion": version,
        "rules": [_rule(code, weights) for code in CHECKS],
    }
    run: dict[str, Json] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "the top of the repository"}}},
        "invocations": [{"executionSuccessful": True}],
        "results": [*_results(report.findings, report.known, prefix)],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _rule(code: str, weights: Mapping[str, Severity]) -> Json:
    check, told = CHECKS[code], HELP[code]
    words = told.remedy
    return {
        "id": code,
        "name": "".join(part.title() for part in code.split("-")),
        "shortDescription": {"text": check.title},
        "fullDescription": {"text": told.meaning},
        "help": {"text": words, "markdown": words},
        "defaultConfiguration": _configuration(weights.get(code, check.severity)),
        "properties": {"tags": ["traceability", str(check.family)]},
    }


def _configuration(severity: Severity) -> Json:
    return {"enabled": False} if severity is Severity.OFF else {"level": _LEVELS[severity]}


def _results(findings: Iterable[Finding], known: Iterable[Finding], prefix: str) -> Iterator[Json]:
    seen: Counter[str] = Counter()
    for suppressed, each in [*((False, one) for one in findings), *((True, one) for one in known)]:
        seen[each.key] += 1
        result = _result(each, prefix, seen[each.key])
        if suppressed:
            reason = "it is in the project's list of known findings"
            result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": reason}]
        yield result


def _result(finding: Finding, prefix: str, number: int) -> dict[str, Json]:
    message = f"{finding.message}\nNext: {finding.step}" if finding.step else finding.message
    place = quote(join(prefix, finding.path or NO_FILE))
    result: dict[str, Json] = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": place, "uriBaseId": "SRCROOT"},
                    "region": {"startLine": max(finding.line, 1)},
                }
            }
        ],
        "partialFingerprints": {FINGERPRINT: f"{sha256(finding.key.encode()).hexdigest()[:32]}:{number}"},
    }
    if finding.code in _RULES:
        result["ruleIndex"] = _RULES[finding.code]
    if finding.item:
        result["properties"] = {"item": finding.item, "type": finding.type}
    return result
