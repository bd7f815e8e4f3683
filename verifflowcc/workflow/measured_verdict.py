"""What a piece of evidence shows of its criterion, from its measures alone. The verdict is computed, never stored."""

from collections.abc import Mapping

from verifflowcc.domain.baselines import NO_BASELINE, BaselineStatus
from verifflowcc.domain.evidence import Evidence
from verifflowcc.domain.gates import KINDS, Criterion, Verdict
from verifflowcc.domain.lazy import load
from verifflowcc.records import dataclass, replace
from verifflowcc.workflow.baseline_rules import compare_baseline
from verifflowcc.workflow.limits import Measure, Unmet, decimal, percent, unmet
from verifflowcc.workflow.proof_verdict import red_first, tests_kept

MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class Shown:
    """A verdict with its reason, one clause with numbers; `step` where running the command again would not help."""

    verdict: Verdict
    reason: str
    step: str = ""


def shown_by(criterion: Criterion, evidence: Evidence, status: BaselineStatus = NO_BASELINE) -> Shown:
    """Return what the evidence shows, whether or not it is stale, and whosever word it is.

    Faults that the baseline lists do not count, while `status` says that it holds.
    """
    if evidence.kind is not criterion.kind:
        return _open(f"the evidence is of the kind {evidence.kind}, not {criterion.kind}")
    if not evidence.inputs.count:
        patterns = ", ".join(evidence.inputs.patterns)
        what = f"no file matches {patterns}" if patterns else "there is no file that it could speak of"
        return _open(what, "write the files that are to be checked, or correct the patterns")
    run = evidence.run
    if run and run.exit_code is None:
        return _fail(f"the command {run.command} did not end by itself: {run.failure}")
    if evidence.problem:
        return _no_report(evidence)
    known = compare_baseline(evidence, status)
    shown: Shown = load(KINDS[evidence.kind].judge)(criterion, known.evidence)
    return replace(shown, reason=f"{shown.reason}{known.clause(passed=shown.verdict is Verdict.PASS)}")


def _no_report(evidence: Evidence) -> Shown:
    run = evidence.run
    if run and run.exit_code:
        return _fail(f"the command {run.command} ended with exit code {run.exit_code}; {evidence.problem}")
    return _open(evidence.problem)


def judge_command(criterion: Criterion, evidence: Evidence) -> Shown:
    """Judge a command by its exit code."""
    run = evidence.run
    if run is None:
        return _open("no command was run")
    if run.exit_code:
        return _fail(f"the command {run.command} ended with exit code {run.exit_code}")
    return _pass(f"the command {run.command} ended with exit code 0")


def judge_junit(criterion: Criterion, evidence: Evidence) -> Shown:
    """Judge test results: none failed, some ran."""
    counts = evidence.measures
    tests, skipped = counts.get("tests", 0), counts.get("skipped", 0)
    if not tests and not counts.get("errors"):
        return _open("no test ran", "write a test, or correct the command so that it finds them")
    if tests and skipped >= tests:
        all_of_them = "the one test was skipped" if tests == 1 else f"all {tests} tests were skipped"
        return _open(all_of_them, "let the tests run")
    wrong = unmet(criterion, _counts(counts), {"tests": 1_000_000}, dict.fromkeys(_TEST_FAULTS, 0))
    if wrong:
        words = [_EXAMPLES.get(one.measure, "") for one in wrong]
        return _fail(_told([_test_clause(one, counts) for one in wrong], _named(evidence.examples, words)))
    if _exit_code(evidence):
        return _fail(f"{_many(tests, 'test')} and none of them failed, but {_ended(evidence)}")
    if counts.get("listed") and not counts.get("passed"):
        return _open("no test passed", "let the other tests run")
    passed = _many(counts.get("passed", tests - skipped), "test") + " passed"
    return _pass(f"{passed}, {skipped} skipped" if skipped else passed)


_TEST_FAULTS: Mapping[str, str] = {
    "failed": "failed",
    "errors": "",
    "flaky": "failed at first",
    "unknown": "not in the tree",
}
_EXAMPLES: Mapping[str, str] = {
    "failed": "failed: ",
    "errors": "error",
    "flaky": "flaky: ",
    "unknown": "not of this tree: ",
    "skipped": "skipped: ",
    "line": " lines: ",
    "changed": "changed, not covered: ",
    "missing_files": "not in the report: ",
}
"""How the lines about a measure begin, or what stands in them; `formats/` writes them."""


def _test_clause(one: Unmet, counts: Mapping[str, int]) -> str:
    if one.measure not in counts or one.measure not in _TEST_FAULTS:
        return one.said
    if one.measure == "errors":  # a suite may have one outside of any test
        return _many(counts["errors"], "error")
    return f"{counts[one.measure]} of {_many(counts.get('tests', 0), 'test')} {_TEST_FAULTS[one.measure]}"


def judge_coverage(criterion: Criterion, evidence: Evidence) -> Shown:
    """Judge coverage by the limits of the criterion."""
    counts = evidence.measures
    if not counts.get("files"):
        if counts.get("unknown_files"):
            other = _named(evidence.examples, ["not in the project: "])
            return _fail(_told(["the report speaks of other files"], other))
        return _open("the report speaks of no file", "let the command measure the product's files")
    wanted = {*criterion.at_least, *criterion.at_most}
    if not wanted:
        return _open("the criterion states no limit", "vfcc check workflow")
    for name in sorted(wanted & set(_SHARES)):
        share = _SHARES[name]
        if not counts.get(share.whole):
            why = _named(evidence.examples, ["changes not known: "]) if share.whole not in counts else ()
            return _open(_told([share.missing], why), share.step)
    measures = _counts(counts) | {
        name: percent(share.title, counts.get(share.part, 0), counts[share.whole])
        for name, share in _SHARES.items()
        if counts.get(share.whole)
    }
    wrong = unmet(criterion, measures, {}, {"missing_files": 0} if criterion.files else {})
    if wrong:
        words = [_EXAMPLES.get(one.measure, "") for one in wrong]
        return _fail(_told([_coverage_clause(one, counts) for one in wrong], _named(evidence.examples, words)))
    if _exit_code(evidence):
        return _fail(f"the coverage is sufficient, but {_ended(evidence)}")
    told = [f"{measures[name].name} {measures[name]}" for name in sorted(wanted) if name in _SHARES]
    left_out = counts.get("missing_files", 0)
    return _pass(", ".join(told) + (f"; the report lacks {_many(left_out, 'file')}" if left_out else ""))


def _coverage_clause(one: Unmet, counts: Mapping[str, int]) -> str:
    if one.measure == "missing_files" and one.measure in counts:
        return f"the report lacks {_many(counts['missing_files'], 'file')}"
    return one.said


@dataclass(frozen=True, slots=True)
class _Share:
    title: str
    part: str
    whole: str
    missing: str
    step: str


_SHARES: Mapping[str, _Share] = {
    "line": _Share("line coverage", "lines_hit", "lines", "no line was measured", "let the command measure lines"),
    "branch": _Share(
        "branch coverage", "branches_hit", "branches", "branches were not measured", "run coverage with --branch"
    ),
    "changed": _Share(
        "coverage of changed lines",
        "changed_hit",
        "changed",
        "no line that was measured is known to have changed since the sprint began",
        "let the command measure the files that change",
    ),
}


def judge_findings(criterion: Criterion, evidence: Evidence) -> Shown:
    """Judge the findings of a scan: without limits, no new error and no new warning."""
    counts = {**dict.fromkeys(_LEVELS, 0), **evidence.measures}
    # New is what no baseline of a person lists. What a tool says of a baseline of its own, as older evidence has it,
    # is not believed: anybody can drop such a file into the tree.
    counts |= {f"new_{level}": counts[level] for level in _LEVELS}
    found = sum(counts[level] for level in _LEVELS)
    new_ones_only = any(name.startswith("new_") for name in (*criterion.at_least, *criterion.at_most))
    limits = {} if new_ones_only else {"error": 0, "warning": 0}
    wrong = unmet(criterion, _counts(counts), {}, limits)
    if wrong:
        names = [one.measure.replace("_", " ") for one in wrong]
        words = [f"{name.removeprefix('new ')}: " for name in names]
        return _fail(_told([_finding_clause(one, counts) for one in wrong], _named(evidence.examples, words)))
    if _exit_code(evidence) and not found:
        return _fail(f"there is no finding, but {_ended(evidence)}")
    return _pass(_within(found, evidence))


_LEVELS = ("error", "warning", "note")


def _finding_clause(one: Unmet, counts: Mapping[str, int]) -> str:
    return _many(counts[one.measure], one.measure.replace("_", " ")) if one.measure in counts else one.said


def judge_lint(criterion: Criterion, evidence: Evidence) -> Shown:
    """Judge findings in lines of text: without a limit, there are none."""
    found = evidence.measures.get("findings", 0)
    wrong = unmet(criterion, _counts(evidence.measures), {}, {"findings": 0})
    if wrong:
        said = [_many(found, "finding") if one.measure == "findings" else one.said for one in wrong]
        return _fail(_told(said, evidence.examples))
    if _exit_code(evidence) and not found:
        return _fail(f"there is no finding, but {_ended(evidence)}")
    return _pass(_within(found, evidence))


def _within(found: int, evidence: Evidence) -> str:
    other = "other " if evidence.measures.get("listed") else ""
    return f"{_many(found, f'{other}finding')}, within the limits" if found else f"no {other}finding"


def judge_metric(criterion: Criterion, evidence: Evidence) -> Shown:
    """Judge one number by its limits."""
    name = criterion.metric
    if name is None or not (criterion.at_least or criterion.at_most):
        return _open("the criterion states no limit", "vfcc check workflow")
    if name not in evidence.measures:
        there = ", ".join(sorted(evidence.measures)) or "nothing"
        return _open(f"{name} was not measured; there is {there}")
    one = Measure(name, evidence.measures[name], 1_000_000)
    wrong = unmet(criterion, {"value": one, name: one}, {}, {})
    if wrong:
        return _fail(_told([one.said for one in wrong], ()))
    if _exit_code(evidence):
        return _fail(f"{name} is {decimal(evidence.measures[name])}, but {_ended(evidence)}")
    return _pass(f"{name} is {decimal(evidence.measures[name])}")


def judge_baseline(criterion: Criterion, evidence: Evidence) -> Shown:
    """Judge frozen files: as they were, and tagged where that is asked."""
    files = _many(evidence.inputs.count, "file")
    if criterion.tagged and not evidence.measures.get("tags"):
        return _fail(f"no tag pointed at the commit of the {files}", "git tag NAME, then take the baseline again")
    return _pass(f"{files} as they were")


def judge_red_first(criterion: Criterion, evidence: Evidence) -> Shown:
    """Judge whether the tests of a change fail without it."""
    return Shown(*red_first(criterion, evidence))


def judge_tests_kept(criterion: Criterion, evidence: Evidence) -> Shown:
    """Judge whether tests were removed, skipped or weakened."""
    return Shown(*tests_kept(criterion, evidence))


def judge_limits(criterion: Criterion, evidence: Evidence) -> Shown:
    """Judge counts by the limits of the criterion alone, and the command by its exit code."""
    if not (criterion.at_least or criterion.at_most):
        return _open("the criterion states no limit", "vfcc check workflow")
    if not evidence.measures:
        return _open("nothing was measured")
    wrong = unmet(criterion, _counts(evidence.measures), {}, {})
    if wrong:
        return _fail(_told([one.said for one in wrong], evidence.examples))
    if _exit_code(evidence):
        return _fail(f"the limits are kept, but {_ended(evidence)}")
    listed = ", ".join(f"{number} {name}" for name, number in sorted(evidence.measures.items()))
    return _pass(listed)


def _counts(measures: Mapping[str, int]) -> dict[str, Measure]:
    return {name: Measure(name, number) for name, number in measures.items()}


def _exit_code(evidence: Evidence) -> int:
    return evidence.run.exit_code or 0 if evidence.run else 0


def _ended(evidence: Evidence) -> str:
    name = evidence.run.command if evidence.run else ""
    return f"the command {name} ended with exit code {_exit_code(evidence)}"


def _told(clauses: list[str], examples: tuple[str, ...]) -> str:
    return ", ".join(clauses) + (f": {'; '.join(examples[:MOST_EXAMPLES])}" if examples else "")


def _named(examples: tuple[str, ...], words: list[str]) -> tuple[str, ...]:
    """Return the examples that speak of what is wrong, without the word that says what."""
    told = []
    for one in examples:
        word = next((word for word in words if word and (one.startswith(word) or (word[0] == " " and word in one))), "")
        if word:
            told.append(one.removeprefix(word).removeprefix(":").strip())
    return tuple(told)


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _pass(reason: str) -> Shown:
    return Shown(Verdict.PASS, reason)


def _fail(reason: str, step: str = "") -> Shown:
    return Shown(Verdict.FAIL, reason, step)


def _open(reason: str, step: str = "") -> Shown:
    return Shown(Verdict.NOT_EVALUABLE, reason, step)
