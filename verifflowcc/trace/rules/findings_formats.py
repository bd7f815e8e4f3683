"""Findings for other programs: commands in a GitHub workflow's log, JUnit XML, SARIF 2.1.0."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from hashlib import sha256
from posixpath import join
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from verifflowcc.base.model.trace_help import TRACE, Catalogue
from verifflowcc.base.model.trace_values import RED, CheckCount, Finding, Severity, TraceReport

# A report of checks as JUnit XML: one test case for each check, so that a CI server shows what was asked.

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_text(report: TraceReport, of: Catalogue = TRACE) -> str:
    """Return the document: a suite for each family, a case for each check.

    Errors and warnings are the case's failure, notes its output. A check that was asked of nothing is skipped, not
    passed; a report with no item at all fails by its finding `nothing-to-evaluate`.
    """
    found: dict[str, list[Finding]] = {}
    for each in report.findings:
        found.setdefault(each.code, []).append(each)
    asked = _with_unasked(report.checks, found, of)
    suites = [
        _suite(family, [one for one in asked if of.checks[one.code].family is family], found, of)
        for family in of.families
    ]
    body = "".join(suite for suite in suites if suite)
    red = sum(_fails(found.get(one.code, ())) for one in asked)
    head = f'<testsuites name="{of.name}" tests="{len(asked)}" failures="{red}" errors="0">'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}\n{body}</testsuites>\n'


def _with_unasked(
    asked: Sequence[CheckCount], found: Mapping[str, Sequence[Finding]], of: Catalogue
) -> list[CheckCount]:
    """Add checks with findings and no denominator, so that no finding is lost."""
    there = {one.code for one in asked}
    more = [code for code in of.checks if code in found and code not in there]
    return [*asked, *(CheckCount(code, of.checks[code].severity, len(found[code]), len(found[code])) for code in more)]


def _suite(family: StrEnum, asked: Sequence[CheckCount], found: Mapping[str, Sequence[Finding]], of: Catalogue) -> str:
    if not asked:
        return ""
    red = sum(_fails(found.get(one.code, ())) for one in asked)
    idle = sum(_is_idle(one, found.get(one.code, ())) for one in asked)
    head = (
        f'  <testsuite name="{of.suite}.{family}" tests="{len(asked)}" failures="{red}" errors="0" skipped="{idle}">\n'
    )
    return head + "".join(_case(one, family, found.get(one.code, ()), of) for one in asked) + "  </testsuite>\n"


def _case(asked: CheckCount, family: StrEnum, found: Sequence[Finding], catalogue: Catalogue) -> str:
    head = f"    <testcase classname={_attribute(f'{catalogue.suite}.{family}')} name={_attribute(asked.code)}"
    red = [each for each in found if _is_red(each)]
    notes = [each for each in found if not _is_red(each)]
    parts = []
    if red:
        of = f"{catalogue.checks[asked.code].title}: {len(red)} of {asked.examined}"
        parts.append(f"      <failure message={_attribute(of)} type={_attribute(asked.code)}>{_lines(red)}</failure>\n")
    elif _is_idle(asked, found):
        parts.append('      <skipped message="there was nothing to ask this of"/>\n')
    if notes:
        parts.append(f"      <system-out>{_lines(notes)}</system-out>\n")
    return f"{head}>\n{''.join(parts)}    </testcase>\n" if parts else f"{head}/>\n"


def _is_idle(asked: CheckCount, found: Sequence[Finding]) -> bool:
    return asked.examined == 0 and not found


def _fails(found: Iterable[Finding]) -> bool:
    return any(_is_red(each) for each in found)


def _is_red(finding: Finding) -> bool:
    return finding.severity in RED


def _lines(found: Iterable[Finding]) -> str:
    return escape(_clean("\n".join(_line(each) for each in found)))


def _line(finding: Finding) -> str:
    step = f"\n  → {finding.step}" if finding.step else ""
    place = f"{finding.path}:{finding.line}: " if finding.path else ""
    return f"{place}{finding.severity}: {finding.message}{step}"


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    """What XML cannot hold is shown as a replacement character."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_CONTROL = dict.fromkeys(range(0x20), "\N{REPLACEMENT CHARACTER}") | {ord("\t"): " "}


def annotations(findings: Iterable[Finding], prefix: str = "", of: Catalogue = TRACE) -> str:
    """Return one line for each finding.

    `prefix` is the folder of the project in its repository, "" at the top.

    A finding that is about no file has no place in its annotation.
    """
    return "".join(f"{_annotation(each, prefix, of)}\n" for each in findings)


def _annotation(finding: Finding, prefix: str, of: Catalogue) -> str:
    title = f"{finding.code}: {of.checks[finding.code].title}" if finding.code in of.checks else finding.code
    properties = {"title": title}
    if finding.path:
        properties = {"file": join(prefix, finding.path), "line": str(max(finding.line, 1)), **properties}
    fields = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = f"{finding.message}\n→ {finding.step}" if finding.step else finding.message
    return f"::{_LEVELS[finding.severity]} {fields}::{_data(message)}"


def _data(text: str) -> str:
    """Escape line ends, and replace other control characters.

    They could steer a terminal.

    >>> _data("100 %\\nof it")
    '100 %25%0Aof it'
    """
    parts = text.replace("\r\n", "\n").replace("%", "%25").replace("\r", "%0D").split("\n")
    return "%0A".join(part.translate(_CONTROL) for part in parts)


def _property(text: str) -> str:
    """Escape what would end a property.

    >>> _property("a: b, c")
    'a%3A b%2C c'
    """
    return _data(text).replace(":", "%3A").replace(",", "%2C")


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
NO_FILE = TRACE.nowhere
"""What a finding that is about no file is shown at: readers of SARIF drop results without a place."""

_SARIF_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note", Severity.OFF: "none"}
Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


def sarif_text(report: TraceReport, version: str, prefix: str = "", of: Catalogue = TRACE) -> str:
    """Return the log as JSON.

    `prefix` is the folder of the project in its repository, "" at the top.

    Known findings are results that are suppressed. Paths are relative, so that the log means the same on every machine.
    """
    weights = {one.code: one.severity for one in report.checks}
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
    return {"enabled": False} if severity is Severity.OFF else {"level": _SARIF_LEVELS[severity]}


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
        "level": _SARIF_LEVELS[finding.severity],
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
