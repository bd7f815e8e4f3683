"""A report of checks as a SARIF 2.1.0 log.

Every check is a rule, every finding a result with its file and line.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from posixpath import join
from urllib.parse import quote

from verifflowcc.base.model.findings import TRACE, Catalogue
from verifflowcc.base.model.trace_values import Finding, Severity, TraceReport

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
NO_FILE = TRACE.nowhere
"""What a finding that is about no file is shown at: readers of SARIF drop results without a place."""

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note", Severity.OFF: "none"}
Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


def sarif_text(report: TraceReport, version: str, prefix: str = "", of: Catalogue = TRACE) -> str:
    """Return the log as JSON.

    `prefix` is the folder of the project in its repository, "" at the top.

    Known findings are results that are suppressed. Paths are relative, so that the log means the same on every machine.
    """
    weights = {one.code: one.severity for one in report.asked}
    driver: dict[str, Json] = {
        "name": "vfcc",
        "fullName": of.name,
        "version": version,
        "semanticVersion": version,
        "rules": [_rule(code, weights, of) for code in of.checks],
    }
    run: dict[str, Json] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "the top of the repository"}}},
        "invocations": [{"executionSuccessful": True}],
        "results": [*_results(report.findings, report.known, prefix, of)],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, ensure_ascii=False, indent=2) + "\n"


def _rule(code: str, weights: Mapping[str, Severity], of: Catalogue) -> Json:
    check, explanation = of.checks[code], of.help[code]
    words = explanation.remedy
    return {
        "id": code,
        "name": "".join(part.title() for part in code.split("-")),
        "shortDescription": {"text": check.title},
        "fullDescription": {"text": explanation.meaning},
        "help": {"text": words, "markdown": words},
        "defaultConfiguration": _configuration(weights.get(code, check.severity)),
        "properties": {"tags": [of.tag, str(check.family)]},
    }


def _configuration(severity: Severity) -> Json:
    return {"enabled": False} if severity is Severity.OFF else {"level": _LEVELS[severity]}


def _results(findings: Iterable[Finding], known: Iterable[Finding], prefix: str, of: Catalogue) -> Iterator[Json]:
    rules = {code: index for index, code in enumerate(of.checks)}
    seen: Counter[str] = Counter()
    for suppressed, each in [*((False, one) for one in findings), *((True, one) for one in known)]:
        # A viewer takes equal fingerprints for one finding, so equal keys are numbered.
        seen[each.key] += 1
        result = _result(each, prefix, seen[each.key], of)
        if each.code in rules:
            result["ruleIndex"] = rules[each.code]
        if suppressed:
            reason = "it is in the project's list of known findings"
            result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": reason}]
        yield result


def _result(finding: Finding, prefix: str, number: int, of: Catalogue) -> dict[str, Json]:
    message = f"{finding.message}\nNext: {finding.step}" if finding.step else finding.message
    place = quote(join(prefix, finding.path or of.nowhere))
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
        "partialFingerprints": {of.fingerprint: f"{sha256(finding.key.encode()).hexdigest()[:32]}:{number}"},
    }
    if finding.item:
        result["properties"] = {"item": finding.item, "type": finding.type}
    return result
