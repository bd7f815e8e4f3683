"""SARIF logs: levels as the standard has them, and no log that looked for nothing is a clean one."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.evidence_values import Measurement
from verifflowcc.sprint.rules.sarif import measure_sarif, scan_findings


def result(**fields: Any) -> dict[str, Any]:
    location = {"physicalLocation": {"artifactLocation": {"uri": "src/a.py"}, "region": {"startLine": 3}}}
    return {"ruleId": "R1", "message": {"text": "careful"}, "locations": [location]} | fields


def run(*results: Any, **fields: Any) -> dict[str, Any]:
    return {"tool": {"driver": {"name": "Lint"}}, "results": list(results)} | fields


def log(*runs: Any, **fields: Any) -> bytes:
    return json.dumps({"version": "2.1.0", "runs": list(runs)} | fields).encode()


def measured(data: bytes, baseline: bytes | None = None) -> Measurement:
    return measure_sarif(data, baseline=keys_of(baseline) if baseline else None)


def keys_of(log_then: bytes, paths: frozenset[str] = frozenset()) -> Counter[str]:
    """How often each finding of an earlier log occurs, as a baseline keeps it."""
    return Counter(key for key, _ in scan_findings(log_then, paths))


def not_listed(found: Measurement) -> dict[str, int]:
    """How many findings of each level the baseline does not list."""
    levels = ("error", "warning", "note")
    return {level: found.measures[level] - found.measures.get(f"listed_{level}", 0) for level in levels}


def levels(*results: Any, **fields: Any) -> dict[str, int]:
    found = measured(log(run(*results, **fields)))
    assert found.problem == ""
    return {name: count for name, count in found.measures.items() if count and name != "runs"}


def test_results_are_counted_by_level() -> None:
    found = measured(log(run(result(level="error"), result(level="note")), run(result(level="warning"), result())))

    assert found.measures == {"runs": 2, "error": 1, "warning": 2, "note": 1, "suppressed": 0}
    assert found.examples[0] == "error: R1 src/a.py:3: careful"


def test_a_clean_log_has_zero_of_each() -> None:
    assert measured(log(run())).measures == {"runs": 1, "error": 0, "warning": 0, "note": 0, "suppressed": 0}


RULES = [{"id": "R0"}, {"id": "R1", "defaultConfiguration": {"level": "error"}}]


@pytest.mark.parametrize(
    ("fields", "level"),
    [
        ({"ruleId": "R1"}, "error"),
        ({"ruleId": "R1/sub"}, "error"),
        ({"ruleId": "R0"}, "warning"),
        ({"ruleId": "other"}, "warning"),
        ({"ruleId": None, "ruleIndex": 1}, "error"),
        ({"ruleId": None, "rule": {"index": 1}}, "error"),
        ({"ruleId": None, "rule": {"id": "R1"}}, "error"),
        ({"ruleId": None, "rule": {"index": 0, "toolComponent": {"index": 0}}}, "note"),
        ({"ruleIndex": 99, "ruleId": "R1"}, "error"),
        ({"ruleIndex": -1, "ruleId": "R1"}, "error"),
        ({"ruleId": "R1", "level": "note"}, "note"),
        ({"ruleId": "R1", "kind": "fail"}, "error"),
    ],
)
def test_a_level_is_the_results_else_its_rules_else_warning(fields: dict[str, Any], level: str) -> None:
    extension = {"name": "X", "rules": [{"id": "X0", "defaultConfiguration": {"level": "note"}}]}
    tool = {"driver": {"name": "Lint", "rules": RULES}, "extensions": [extension]}

    assert levels(result(**fields), tool=tool) == {level: 1}


@pytest.mark.parametrize(
    ("descriptor", "level"),
    [({"index": 0}, "error"), ({"id": "R0"}, "error"), ({"id": "R1"}, "warning"), ({"id": "other"}, "warning")],
)
def test_a_call_of_the_tool_may_give_a_rule_another_level(descriptor: dict[str, Any], level: str) -> None:
    """The gravest of several counts; a result's own level goes first."""
    given = [{"descriptor": descriptor, "configuration": {"level": each}} for each in ("note", "error")]
    call = {"executionSuccessful": True, "ruleConfigurationOverrides": given}
    tool = {"driver": {"name": "Lint", "rules": RULES}}

    assert levels(result(ruleId="R0"), tool=tool, invocations=[call]) == {level: 1}
    assert levels(result(ruleId="R0", level="note"), tool=tool, invocations=[call]) == {"note": 1}


@pytest.mark.parametrize("kind", ["pass", "informational", "notApplicable", "open", "review"])
def test_what_is_no_failure_is_no_finding(kind: str) -> None:
    assert levels(result(kind=kind), result(level="none")) == {}


@pytest.mark.parametrize(
    ("suppressions", "suppressed"),
    [
        ([], False),
        ([{"kind": "inSource"}], True),
        ([{"kind": "inSource"}, {"kind": "external", "status": "accepted"}], True),
        ([{"kind": "external", "status": "accepted"}], False),
        ([{"kind": "external", "status": "underReview"}], False),
        ([{"kind": "inSource"}, {"kind": "external", "status": "rejected"}], False),
    ],
)
def test_a_result_is_suppressed_only_in_the_source_and_by_what_was_accepted(
    suppressions: list[Any], suppressed: bool
) -> None:
    assert levels(result(level="error", suppressions=suppressions)) == {"suppressed" if suppressed else "error": 1}


def test_new_is_what_the_baseline_does_not_hold_as_often() -> None:
    before = log(run(result(), result(ruleId="R2", level="error")))
    moved = {"physicalLocation": {"artifactLocation": {"uri": "src/a.py"}, "region": {"startLine": 99}}}
    now = log(run(result(locations=[moved]), result(), result(ruleId="R3", level="error")))
    found = measured(now, before)

    assert not_listed(found) == {"error": 1, "warning": 1, "note": 0}
    assert found.examples[0].startswith("error: R3")
    assert "listed_error" not in measured(now).measures


@pytest.mark.parametrize(
    "change",
    [
        {"ruleId": "R9"},
        {"message": {"text": "other"}},
        {"locations": [{"physicalLocation": {"artifactLocation": {"uri": "src/b.py"}}}]},
        {"partialFingerprints": {"x/v1": "2"}},
    ],
)
def test_another_rule_file_message_or_fingerprint_is_new(change: dict[str, Any]) -> None:
    assert not_listed(measured(log(run(result(**change))), log(run(result()))))["warning"] == 1
    assert not_listed(measured(log(run(result(**change))), log(run(result(**change)))))["warning"] == 0


def test_a_fingerprint_outlives_its_message() -> None:
    before, now = (result(partialFingerprints={"x/v1": "1"}, message={"text": text}) for text in ("a", "b"))

    assert not_listed(measured(log(run(now)), log(run(before))))["warning"] == 0


def test_another_tool_has_other_findings() -> None:
    other = run(result(), tool={"driver": {"name": "Other"}})

    assert not_listed(measured(log(run(result())), log(other)))["warning"] == 1


def test_what_no_baseline_lists_is_shown_first() -> None:
    found = measured(log(run(result(level="error"), result(ruleId="R2", level="note"))), log(run(result())))

    assert found.examples == ("note: R2 src/a.py:3: careful", "baseline error: R1 src/a.py:3: careful")


def test_a_log_does_not_decide_which_of_its_findings_are_old() -> None:
    states = ("new", "unchanged", "updated", "absent")
    found = measured(log(run(*(result(baselineState=state) for state in states)))).measures

    assert found["warning"] == 3
    assert not [name for name in found if name.startswith("new_")]


def test_a_file_named_by_its_place_in_the_run_is_found() -> None:
    located = result(locations=[{"physicalLocation": {"artifactLocation": {"index": 0}}}])
    found = measured(log(run(located, artifacts=[{"location": {"uri": "src/z.py"}}])))

    assert found.examples == ("warning: R1 src/z.py: careful",)


def test_a_path_of_another_machine_is_the_projects() -> None:
    def found_in(uri: str) -> bytes:
        return log(run(result(locations=[{"physicalLocation": {"artifactLocation": {"uri": uri}}}])))

    here, there = found_in("file:///home/ci/shop/src/a%20b.py"), found_in("file:///C:/ci/shop/src/a%20b.py")
    paths = frozenset({"src/a b.py"})
    found = measure_sarif(here, baseline=keys_of(there, paths), paths=paths)

    assert not_listed(found)["warning"] == 0
    assert found.outcome == measure_sarif(there, baseline=None, paths=paths).outcome
    assert found.examples == ("baseline warning: R1 src/a b.py: careful",)
    assert not_listed(measured(here, there))["warning"] == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\xff\xfe", "not UTF-8"),
        (b"ok", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "the log is no object"),
        (b"{}", "version"),
        (log(run(), version="2.0.0"), "version is '2.0.0'"),
        (log(), "no runs"),
        (log(runs=None), "no runs"),
        (log(runs={}), "runs is no list"),
        (log(5), "runs[0] is no object"),
        (log({"results": []}), "tool is no object"),
        (log(run(tool={"driver": {}})), "which tool"),
        (log(run(tool={"driver": {"name": 5}})), "name is no text"),
        (log(run(results=None)), "did not look for any"),
        (log(run(results={})), "results is no list"),
        (log(run(invocations=[{"executionSuccessful": False}])), "did not end well"),
        (log(run(invocations=[{"executionSuccessful": "yes"}])), "did not end well"),
        (log(run(externalPropertyFileReferences={"results": [{"location": {"uri": "x"}}]})), "files of their own"),
        (log(run(), inlineExternalProperties=[{"results": [result()]}]), "outside of the runs"),
        (log(run(5)), "results[0] is no object"),
        (log(run(result(level="fatal"))), "'fatal', which SARIF"),
        (log(run(result(level=1))), "level is no text"),
        (log(run(result(kind="odd"))), "kind is 'odd'"),
        (log(run(result(baselineState="odd"))), "baselineState is 'odd'"),
        (log(run(result(locations=[5]))), "locations[0] is no object"),
        (log(run(result(message=[1]))), "message is no object"),
        (log(run(result(suppressions=5))), "suppressions is no list"),
        (log(run(result(partialFingerprints={"a": {}}))), "is no text"),
        (log(run(result(), tool={"driver": {"name": "x", "rules": [1]}})), "rules is no object"),
        (b'{"version":"2.1.0","runs":[],"runs":[]}', "is there twice"),
    ],
)
def test_what_is_no_log_is_a_problem(data: bytes, reason: str) -> None:
    found = measured(data)

    assert reason in found.problem
    assert (found.measures, found.outcome) == ({}, "")


def test_a_byte_order_mark_does_no_harm() -> None:
    assert measured(b"\xef\xbb\xbf" + log(run(result()))).measures["warning"] == 1


def test_the_outcome_tells_of_findings_and_not_of_lines_or_order() -> None:
    one, two = result(), result(ruleId="R2")
    place = {"artifactLocation": {"uri": "src/a.py"}, "region": {"startLine": 7}}
    moved = result(locations=[{"physicalLocation": place}])

    assert measured(log(run(one, two))).outcome == measured(log(run(two, moved))).outcome
    assert measured(log(run(one))).outcome != measured(log(run(one, one))).outcome
    assert measured(log(run(one))).outcome != measured(log(run(result(level="error")))).outcome


NAMES = st.sampled_from(
    "version runs tool driver name rules results ruleId ruleIndex rule level kind message text locations suppressions "
    "physicalLocation artifactLocation uri index region startLine partialFingerprints invocations artifacts".split()
)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(NAMES, inside, max_size=4),
    max_leaves=12,
)


@given(ANY_JSON, NAMES)
@settings(deadline=None, max_examples=400)
def test_no_json_is_a_traceback(value: object, name: str) -> None:
    whole = result(**{name: value})
    logs = (log(value), log(run(value)), log(run(whole)), log(run(result(), **{name: value})))
    for data in (json.dumps(value).encode(), *logs):
        found = measured(data)
        assert found.problem or found.measures["runs"] >= 1
