"""Trace reports as SARIF, JUnit, GitHub's annotations and lists of known findings: each read again by other means."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from enum import StrEnum
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.trace_codes import CHECKS
from verifflowcc.base.model.trace_help import HELP
from verifflowcc.base.model.trace_values import CheckCount, Family, Finding, Severity, TraceReport
from verifflowcc.base.text.canonical import conflict_line
from verifflowcc.base.text.record_codec import RecordCodec
from verifflowcc.sprint.rules.junit_claims import ProjectPaths
from verifflowcc.sprint.rules.metric_json import read_json
from verifflowcc.sprint.rules.sarif import read_log
from verifflowcc.trace.rules.findings_formats import NO_FILE, annotations, junit_text, sarif_text

pytestmark = pytest.mark.vfcc("REQ-CHECK-TRACE")

PATH = ".memory/project/items/requirement/REQ-a.md"
TOLD = (Severity.ERROR, Severity.WARNING, Severity.NOTE)


def finding(code: str = "dangling-link", severity: Severity | None = None, **fields: str) -> Finding:
    """A finding with the family and, if nothing else is said, the weight of its code."""
    check = CHECKS[code]
    values = {"item": "REQ-a", "type": "requirement", "path": PATH, "message": "it is so", "step": "vfcc trace list"}
    values |= fields
    weight = severity or check.severity
    return Finding(
        code,
        check.family,
        weight,
        values["item"],
        values["type"],
        values["path"],
        7,
        values["message"],
        values["step"],
        values.get("about", ""),
    )


def report(*findings: Finding, **fields: object) -> TraceReport:
    """A report of one item, with every check asked of three things."""
    asked = tuple(CheckCount(code, check.severity, 3, 0) for code, check in CHECKS.items())
    return TraceReport(tuple(findings), asked, {"requirement": 1}, **fields)  # type: ignore[arg-type]


texts = st.text(max_size=40)
findings = st.builds(
    finding,
    st.sampled_from(sorted(CHECKS)),
    st.sampled_from(TOLD),
    message=texts,
    step=texts,
    item=texts,
    about=texts,
    path=st.one_of(st.just(""), texts),
)
reports = st.lists(findings, max_size=6).map(lambda each: report(*each))


def sarif(one: TraceReport, prefix: str = "") -> dict[str, Any]:
    run: dict[str, Any] = json.loads(sarif_text(one, "1.2.3", prefix))["runs"][0]
    return run


def test_every_code_has_its_help_and_no_other() -> None:
    assert list(HELP) == list(CHECKS)
    assert all(each.meaning.endswith(".") and each.remedy.endswith(".") for each in HELP.values())


@pytest.mark.vfcc("REQ-TRACE-OUTPUTS")
@given(reports)
@settings(deadline=None, max_examples=60)
def test_a_sarif_log_has_the_structure_that_the_standard_asks_for(one: TraceReport) -> None:
    log = json.loads(sarif_text(one, "1.2.3"))
    assert (log["version"], [*log]) == ("2.1.0", ["$schema", "version", "runs"])
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(CHECKS)
    assert all(rule["shortDescription"]["text"] and rule["help"]["text"] for rule in rules)
    assert len(run["results"]) == len(one.findings)
    for each, told in zip(run["results"], one.findings, strict=True):
        assert rules[each["ruleIndex"]]["id"] == each["ruleId"] == told.code
        assert each["level"] == str(told.severity)
        place = each["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        assert re.fullmatch(r"[A-Za-z0-9._~/%-]*", place["artifactLocation"]["uri"])
        assert unquote(place["artifactLocation"]["uri"]) == (told.path or NO_FILE)
        assert place["region"]["startLine"] >= 1
        assert each["message"]["text"].startswith(told.message)


def test_the_fingerprint_of_a_finding_outlives_its_line_and_tells_two_of_one_key_apart() -> None:
    one, same = finding(about="NEED-x"), finding(about="NEED-x")
    moved = replace(one, line=99)
    prints = [each["partialFingerprints"] for each in sarif(report(one, same))["results"]]
    (again,) = sarif(report(moved))["results"]

    assert prints[0] != prints[1]
    assert again["partialFingerprints"] == prints[0]


def test_a_known_finding_is_suppressed_in_sarif_and_an_unasked_check_is_off() -> None:
    one = TraceReport((), (CheckCount("weak-wording", Severity.OFF, 0, 0),), {"need": 1}, known=(finding(),))
    run = sarif(one)
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}

    assert [each["suppressions"][0]["kind"] for each in run["results"]] == ["external"]
    assert rules["weak-wording"]["defaultConfiguration"] == {"enabled": False}
    assert rules["dangling-link"]["defaultConfiguration"] == {"level": "error"}


def test_paths_begin_at_the_top_of_the_repository() -> None:
    one = report(finding())
    (result,) = sarif(one, "sub/")["results"]

    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == f"sub/{PATH}"
    assert annotations(one.findings, "sub/").startswith(f"::error file=sub/{PATH},line=7,")


def test_our_own_reader_of_sarif_reads_what_is_written() -> None:
    one = report(finding(), finding("unknown-field"), finding("placeholder"))
    log = read_log(sarif_text(one, "1.2.3").encode(), ProjectPaths({PATH}))

    assert [each.level for each in log.findings] == ["error", "note", "warning"]
    assert isinstance(read_json(sarif_text(one, "1").encode()), dict)


@pytest.mark.vfcc("REQ-TRACE-OUTPUTS")
@given(reports)
@settings(deadline=None, max_examples=60)
def test_a_junit_report_has_a_case_for_each_check_and_counts_what_fails(one: TraceReport) -> None:
    root = ET.fromstring(junit_text(one))
    cases = list(root.iter("testcase"))
    red = {each.code for each in one.red}

    assert sorted(case.get("name", "") for case in cases) == sorted(CHECKS)
    assert {case.get("name") for case in cases if case.find("failure") is not None} == red
    assert root.get("failures") == str(len(red))
    assert root.get("tests") == str(len(cases))
    assert [suite.get("name") for suite in root] == [f"trace.{family}" for family in Family]
    for suite in root:
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
        assert suite.get("skipped") == str(len(suite.findall("testcase/skipped")))


def test_notes_are_output_and_a_check_that_was_asked_of_nothing_is_skipped() -> None:
    one = TraceReport(
        (finding("unknown-field"),),
        (CheckCount("unknown-field", Severity.NOTE, 1, 1), CheckCount("self-link", Severity.ERROR, 0, 0)),
        {"need": 1},
    )
    cases = {case.get("name"): case for case in ET.fromstring(junit_text(one)).iter("testcase")}

    assert f"{PATH}:7: note: it is so" in (cases["unknown-field"].findtext("system-out") or "")
    assert cases["unknown-field"].find("failure") is None
    assert cases["self-link"].find("skipped") is not None


def test_a_finding_of_a_check_with_no_denominator_still_fails_in_junit() -> None:
    root = ET.fromstring(junit_text(TraceReport((finding(),), (), {"need": 1})))

    assert root.get("failures") == "1"


@pytest.mark.vfcc("REQ-TRACE-OUTPUTS")
@given(st.lists(findings, max_size=5))
@settings(deadline=None, max_examples=60)
def test_an_annotation_is_one_line_whatever_the_message_says(some: list[Finding]) -> None:
    lines = annotations(some).split("\n")
    pattern = r"::(error|warning|notice) (?:file=([^:,]*),line=(\d+),)?title=([^:,]*)::(.*)"

    assert lines.pop() == ""
    assert len(lines) == len(some)
    for line, each in zip(lines, some, strict=True):
        found = re.fullmatch(pattern, line)
        assert found, line
        assert (found[2] is None) == (not each.path)


def test_an_annotation_escapes_as_the_runner_reads() -> None:
    line = annotations([finding(message="a: 100 %\r\nb, c", step="", path="a,b:c.md")])

    assert line == (
        "::error file=a%2Cb%3Ac.md,line=7,title=dangling-link%3A a link leads to no item::a: 100 %25%0Ab, c\n"
    )


@given(reports)
@settings(deadline=None, max_examples=60)
def test_a_report_comes_out_of_the_index_as_it_went_in(one: TraceReport) -> None:
    codec = RecordCodec[TraceReport](TraceReport, {StrEnum: Family})
    assert codec.value(codec.text(one)) == one


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n", 2),
        ("<<<<<<< HEAD\r\nb\r\n=======\r\nc\r\n>>>>>>> other\r\n", 1),
        ("A heading\n=======\n", None),
        ("<<<<<<< HEAD\nb\n>>>>>>> other\n", None),
        ("    <<<<<<< HEAD\n    =======\n    >>>>>>> other\n", None),
    ],
)
def test_conflict_markers_are_those_of_git(text: str, line: int | None) -> None:
    assert conflict_line(text.encode()) == line
