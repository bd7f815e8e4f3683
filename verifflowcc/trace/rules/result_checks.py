"""Checks of results: each test of an item ran on the present content, and passed."""

from collections import defaultdict
from typing import TYPE_CHECKING

from verifflowcc.base.model.gate_values import EvidenceTrust
from verifflowcc.base.model.trace_values import NOT_DISCRIMINATING, Outcome, ResultReport, TraceItem
from verifflowcc.trace.rules import check_steps as steps
from verifflowcc.trace.rules.trace_view import (
    METRIC,
    NONE,
    TEST,
    JoinedTests,
    NamedTest,
    ResultVerdict,
    TestJoins,
    TraceView,
    method_of,
)

if TYPE_CHECKING:
    from verifflowcc.base.model.findings import FindingCollector

# The check that each item is verified by the method that it declares; whether that went well is for the results.


def check_verified(view: TraceView, joins: TestJoins, tell: "FindingCollector") -> None:
    """Tell of items that nothing verifies.

    By test: a test that is there names the item by a mark, a result or a pattern, or belongs to a specification that
    verifies it; a specification of another method answers for itself. By another method: a person's word, or a
    criterion that the item names; a metric has only the latter.
    """
    verified = {name for name, rule in view.policy.types.items() if rule.verified}
    asked = passed_over = 0
    joined = joins.by_id
    for item in view.live:
        if not item.verification and item.type not in verified:
            continue
        if item.planned is not None:
            passed_over += 1
            continue
        asked += 1
        method = item.verification or TEST
        if method != TEST:
            _by_word(item, method, tell)
        elif not (item.id in joined and joined[item.id].any) and not _specified(view, item, joins):
            _untested(item, joins, tell)
    tell.ask(("not-verified",), asked, passed_over)


def _specified(view: TraceView, item: TraceItem, joins: TestJoins) -> bool:
    """Whether a specification that verifies the item has a test, or another method."""
    for each in joins.specifications.get(item.id, ()):
        if joins.by_id.get(each.id, NONE).any or (method_of(view, each) or TEST) != TEST:
            return True
    return False


def _untested(item: TraceItem, joins: TestJoins, tell: "FindingCollector") -> None:
    own: JoinedTests = joins.by_id.get(item.id, NONE)
    specifications = joins.specifications.get(item.id, ())
    if own.lost:
        message = f"{item.id} is to be verified by test, and {', '.join(own.lost)} names no test"
        line, step = item.line("tests"), steps.edit(item.path, item.line("tests"))
    elif specifications:
        first = specifications[0]
        message = f"{item.id} is to be verified by test, and no test of {first.id}, which verifies it, is there"
        line, step = 1, steps.mark(first.id)
    else:
        how = "is to be verified by test, and" if item.verification else "states no method, so by test, and"
        message = f"{item.id} {how} no test names it"
        line, step = item.line("verification"), steps.mark(item.id)
    tell.item("not-verified", item, line, message, step, also=[each.path for each in specifications])


def _by_word(item: TraceItem, method: str, tell: "FindingCollector") -> None:
    if item.evidence or (method != METRIC and item.verified is not None and item.verified.method == method):
        return
    line = item.line("verification")
    if method == METRIC:
        message = f"{item.id} is to be verified by metric, and names no criterion that shows it"
        tell.item("not-verified", item, line, message, f"add evidence: [stage/criterion] to {item.path}")
    elif item.verified is not None and item.verified.method != method:
        message = f"{item.id} is to be verified by {method}, and was by {item.verified.method}"
        tell.item("not-verified", item, line, message, steps.verify(item.id))
    else:
        message = f"{item.id} is to be verified by {method}, but no verification is recorded"
        tell.item("not-verified", item, line, message, steps.verify(item.id))


ITEMS = ".memory/project/items"
PROVE = "vfcc evidence run red-first"
_OF_TESTS = ("failed-result", "skipped-result", "flaky-result", "conflicting-result", "untrusted-result")
_CODES = {
    Outcome.ERROR: "failed-result",
    Outcome.FAILED: "failed-result",
    Outcome.CONFLICTING: "conflicting-result",
    Outcome.FLAKY: "flaky-result",
    Outcome.SKIPPED: "skipped-result",
}
_WORDS = {
    Outcome.ERROR: "broke down",
    Outcome.FAILED: "failed",
    Outcome.CONFLICTING: "passed by one report and failed by another",
    Outcome.FLAKY: "failed and passed",
    Outcome.SKIPPED: "was skipped",
}
_LONGEST = 200


def check_results(view: TraceView, joins: TestJoins, tell: "FindingCollector") -> None:
    """Report tests that did not pass, and items without a result.

    Planned items are skipped.

    A report that does not count is reported once, with the number of items that rely on it alone, not once for each.
    """
    waived, proofs = view.sources.results.waived_skips, view.sources.results.proofs
    stale: dict[str, list[str]] = defaultdict(list)
    untrusted: dict[str, list[str]] = defaultdict(list)
    items = tests = passed_over = 0
    for name, joined in joins.by_id.items():
        item = view.by_id[name]
        if item.planned is not None:
            passed_over += 1
            continue
        items += joined.any
        tests += len(joined.verdicts)
        if joined.unrun:
            _unrun(item, joined, tell)
        for test in joined.verdicts:
            if test.outcome is None:
                for report in test.reports:
                    stale[report].append(name)
            elif test.outcome is Outcome.PASSED:
                for report in () if test.trusted else test.reports:
                    untrusted[report].append(name)
            elif not (test.outcome is Outcome.SKIPPED and test.test in waived):
                _broken(view, item, test, tell)
            if proofs.get(test.test) == NOT_DISCRIMINATING:
                message = f"{test.test}, a test of {item.id}, passes without the change as well"
                step = f"assert what the change does, then: {PROVE}"
                tell.item("weak-test", item, 1, message, step, test.test, [test.test.partition("::")[0]])
    tell.ask(("no-result",), items, passed_over)
    tell.ask(_OF_TESTS, tests, passed_over)
    tell.ask(("weak-test",), len(proofs))
    tell.ask(("stale-result",), tests, passed_over)
    _reports(view, stale, untrusted, tell)
    _unknown(view, joins, tell)


def _unrun(item: TraceItem, joined: JoinedTests, tell: "FindingCollector") -> None:
    for each in joined.unrun:
        message = f"{each.test}, a test of {item.id}, has no result"
        tell.item("no-result", item, 1, message, _run(each), each.test, [each.path])


def _run(named: NamedTest) -> str:
    return f"run {named.test} and look again: vfcc check trace --junit FILE"


def _broken(view: TraceView, item: TraceItem, test: ResultVerdict, tell: "FindingCollector") -> None:
    why = f": {' '.join(test.message.split())[:_LONGEST]}" if test.message else ""
    message = f"{test.test}, a test of {item.id}, {_WORDS[test.outcome or Outcome.ERROR]}{why}"
    code = _CODES[test.outcome or Outcome.ERROR]
    report = view.reports.get(test.reports[0]) if test.reports else None
    step = _again(report) if code != "failed-result" else f"correct it, then {_again(report)}"
    tell.item(code, item, 1, message, step, test.test, [test.test.partition("::")[0]])


def _again(report: ResultReport | None) -> str:
    """Return the command that makes a new report."""
    if report is not None and report.stage and report.criterion:
        return f"vfcc evidence run {report.criterion} --stage {report.stage}"
    again = "vfcc check trace --junit FILE"
    return f"{report.remedy}; then: {again}" if report and report.remedy else f"run the tests again and look: {again}"


def _reports(
    view: TraceView, stale: dict[str, list[str]], untrusted: dict[str, list[str]], tell: "FindingCollector"
) -> None:
    reports = view.reports
    tell.ask(("unreadable-report",), len(reports))
    for name in sorted(reports):
        report = reports[name]
        if report.problem:
            message = f"{_called(name, report)} cannot be read as a report of results: {report.problem}"
            tell.place("unreadable-report", name, 1, message, _again(report))
        elif not report.tests:
            tell.place("nothing-to-evaluate", name, 1, f"{_called(name, report)} contains no test", _again(report))
    for name, ids in sorted(stale.items()):
        found = reports.get(name)
        if found is None or not found.problem:
            why = found.stale if found else "no such report is there"
            message = f"{_called(name, found)} is of other content ({why}); {_relying(ids)} it alone"
            tell.place("stale-result", name, 1, message, _again(found))
    least = view.sources.results.least_trust
    for name, ids in sorted(untrusted.items()):
        found = reports.get(name)
        worth = found.trust if found else EvidenceTrust.ASSERTED
        message = f"{_called(name, found)} is {_word(worth)}, and {_word(least)} is asked; {_relying(ids)} it alone"
        tell.place("untrusted-result", name, 1, message, _again(found))


def _called(name: str, report: ResultReport | None) -> str:
    """Return the name of a report for people: its criterion and id, else its path."""
    return f"{report.stage}/{report.criterion} ({name})" if report and report.stage and report.criterion else name


def _relying(ids: list[str]) -> str:
    names = sorted(set(ids))
    return f"{names[0]} relies on" if len(names) == 1 else f"{len(names)} items, {names[0]} among them, rely on"


def _word(trust: EvidenceTrust) -> str:
    return str(trust).replace("_", " ")


def _unknown(view: TraceView, joins: TestJoins, tell: "FindingCollector") -> None:
    """Report tests in valid reports that the tree does not contain."""
    count = 0
    reported = set()
    for result in sorted(view.sources.results.tests, key=lambda each: (each.test, each.report)):
        verdict = joins.verdicts[result.test]
        if verdict.outcome is None:
            continue
        count += 1
        if not result.known and result.test not in reported:
            reported.add(result.test)
            message = f"{result.report} names {result.test}, which the tree does not contain"
            tell.place("unknown-test", result.report, 1, message, _again(view.reports.get(result.report)), result.test)
    tell.ask(("unknown-test",), count)


def check_anything(view: TraceView, joins: TestJoins, tell: "FindingCollector") -> None:
    """Report that there is no item, or no test where items need one."""
    tell.ask(("nothing-to-evaluate",), 1 + len(view.reports))
    if not view.live:
        message = f"there is no item below {ITEMS}"
        tell.place("nothing-to-evaluate", ITEMS, 1, message, steps.add("requirement"), "items")
    elif not any(each.any for each in joins.by_id.values()) and not view.sources.results.tests:
        asked = [each.id for each in view.live if each.planned is None and method_of(view, each) == TEST]
        if asked:
            count = "1 item is" if len(asked) == 1 else f"{len(asked)} items are"
            message = f"there is no test of any item, and {count} to be verified by test"
            tell.place("nothing-to-evaluate", ITEMS, 1, message, steps.mark(asked[0]), "tests")
