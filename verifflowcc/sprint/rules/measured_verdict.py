"""What a piece of evidence shows of its criterion, from its measures alone. The verdict is computed, never stored."""

from collections.abc import Iterator, Mapping

from verifflowcc.base.model.baseline_rules import compare_baseline
from verifflowcc.base.model.baselines import NO_BASELINE, BaselineStatus
from verifflowcc.base.model.evidence_values import Command, Evidence
from verifflowcc.base.model.gate_values import KINDS, REPORTS, Criterion, CriterionKind, Verdict
from verifflowcc.base.model.lazy import load
from verifflowcc.base.model.testcases import Loss
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.command_placeholders import fill, placeholders

# Where a command writes its reports.

REPORT_FOLDER = ".memory/local/reports"


def report_path(command: Command, kind: str) -> str | None:
    """Return where the command writes the report of that kind, relative to the project's root.

    None where it neither names a path for it nor has its placeholder in a word.

    >>> report_path(Command("test", ("pytest", "--junitxml={junit}"), 600, {}), "junit")
    '.memory/local/reports/test.junit.xml'
    """
    given = command.reports.get(kind)
    if given is not None or not any(kind in placeholders(word) for word in command.argv):
        return given
    return f"{REPORT_FOLDER}/{command.name}.{kind}.{REPORTS[kind].ending}"


def report_paths(command: Command) -> dict[str, str]:
    """Return the path of each report that the command writes, by kind."""
    return {kind: path for kind in REPORTS if (path := report_path(command, kind)) is not None}


def filled(command: Command) -> tuple[str, ...]:
    """Return the words of the command as they run: with the paths of its reports in place."""
    paths = report_paths(command)
    return tuple(fill(word, paths) for word in command.argv)


# Limits on measures, in whole numbers: a count against millionths, a share against millionths of a percent.

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Measure:
    """A number as an exact fraction, with its name: `line coverage`, `12.5 %`."""

    name: str
    number: int
    of: int = 1
    unit: str = ""

    def __str__(self) -> str:
        return decimal(self.number * MILLION // self.of, self.unit)


@dataclass(frozen=True, slots=True)
class UnmetLimit:
    """A limit that a measure does not keep; `clause` puts it into words."""

    measure: str
    clause: str


def percent(name: str, part: int, whole: int) -> Measure:
    """Return a share as a measure in percent; `whole` is above 0."""
    return Measure(name, part * 100, whole, " %")


def unmet(
    criterion: Criterion, measures: Mapping[str, Measure], at_least: Mapping[str, int], at_most: Mapping[str, int]
) -> tuple[UnmetLimit, ...]:
    """Return the limits that are not kept: those given, and those of the criterion, which replace them by name.

    A limit on what was not measured is not kept.
    """
    found = []
    for name, limit in sorted({**at_least, **criterion.at_least}.items()):
        one = measures.get(name)
        if one is None:
            found.append(UnmetLimit(name, f"{name} was not measured"))
        elif one.number * MILLION < limit * one.of:
            found.append(UnmetLimit(name, f"{one.name} is {_below(one)}, {decimal(limit, one.unit)} is needed"))
    for name, limit in sorted({**at_most, **criterion.at_most}.items()):
        one = measures.get(name)
        if one is None:
            found.append(UnmetLimit(name, f"{name} was not measured"))
        elif one.number * MILLION > limit * one.of:
            found.append(UnmetLimit(name, f"{one.name} is {_above(one)}, {decimal(limit, one.unit)} is allowed"))
    return tuple(found)


def _below(one: Measure) -> str:
    """A share that misses its limit by a hair is not shown as the limit: cut, to two places."""
    return str(one) if not one.unit else decimal(one.number * 100 // one.of * 10_000, one.unit)


def _above(one: Measure) -> str:
    return str(one) if not one.unit else decimal(-(-one.number * 100 // one.of) * 10_000, one.unit)


def decimal(millionths: int, unit: str = "") -> str:
    """Return a number of millionths as people write it.

    >>> decimal(12_500_000), decimal(-80_000_000, " %"), decimal(1)
    ('12.5', '-80 %', '0.000001')
    """
    whole, rest = divmod(abs(millionths), MILLION)
    digits = f".{rest:06d}".rstrip("0") if rest else ""
    return f"{'-' if millionths < 0 else ''}{whole}{digits}{unit}"


# What the evidence of `red-first` and `tests-kept` shows of its criterion, from its measures alone.

PROOF_VERDICT_MOST_EXAMPLES = 3
_MOST_NAMED = 20
"""Where more tests ran, the change altered none of them: three of their names say nothing."""
REFACTORING = "refactoring"
"""The measure that is 1 where a person stated that behaviour stays; the example of that name has the reason."""
_Shown = tuple[Verdict, str, str]


def red_first(criterion: Criterion, evidence: Evidence) -> _Shown:
    """Return verdict, reason and step: whether the tests of the change fail without it."""
    counts = evidence.measures
    again = f"vfcc evidence run {criterion.id}"
    if counts.get("broken"):
        broken = _listed(evidence, "broken")
        return (
            Verdict.FAIL,
            f"{_tests(counts['broken'])} failed with the change{broken}",
            f"correct it, then: {again}",
        )
    if not counts.get("product"):
        return Verdict.PASS, "nothing to prove: no product file changed", ""
    if counts.get(REFACTORING):
        return _refactoring(counts, evidence, again)
    if not counts.get("tests"):
        files = _proof_verdict_many(counts["product"], "product file")
        step = (
            f'write a test that fails without the change, then: {again}  # a refactoring: {again} --refactoring "why"'
        )
        return Verdict.FAIL, f"{files} changed, and no test was added or altered", step
    if not counts.get("proven"):
        return _unproven(counts, evidence, again)
    wrong = unmet(criterion, {name: Measure(name.replace("_", " "), number) for name, number in counts.items()}, {}, {})
    if wrong:
        return Verdict.FAIL, f"{'; '.join(each.clause for each in wrong)}{_rest(evidence)}", again
    red = f"{counts['proven']} of {_tests(counts['tests'])}"
    return Verdict.PASS, f"red without the change, green with it: {red}{_rest(evidence)}", ""


def _refactoring(counts: Mapping[str, int], evidence: Evidence, again: str) -> _Shown:
    reason = next(iter(_of(evidence, REFACTORING)), "")
    differing = counts.get("proven", 0) + counts.get("inconclusive", 0)
    if differing:
        words = f"stated as a refactoring ({reason}), and {_tests(differing)} did not pass without it"
        return Verdict.FAIL, f"{words}{_listed(evidence, 'proven') or _listed(evidence, 'inconclusive')}", again
    if not counts.get("tests"):
        return Verdict.NOT_EVALUABLE, f"stated as a refactoring ({reason}), and no test ran", again
    return Verdict.PASS, f"a refactoring ({reason}): {_tests(counts['tests'])} passed with it and without it", ""


def _unproven(counts: Mapping[str, int], evidence: Evidence, again: str) -> _Shown:
    if counts.get("inconclusive"):
        number = counts["inconclusive"]
        words = f"inconclusive: {_tests(number)} show{'s' if number == 1 else ''} nothing of the change"
        step = f"assert what the change does, then: {again}"
        return Verdict.NOT_EVALUABLE, f"{words}{_listed(evidence, 'inconclusive')}", step
    count = counts["tests"]
    still = "its test still passes" if count == 1 else f"all {count:,} tests still pass"
    named = _listed(evidence, "not discriminating") if count <= _MOST_NAMED else ""
    lines = _of(evidence, "unguarded")
    places = f"; no test guards {_few(lines)}" if lines else ""
    step = f"write a test that fails without the change, then: {again}"
    return Verdict.FAIL, f"with your change removed, {still}{named}{places}", step


def _rest(evidence: Evidence) -> str:
    parts = [
        f"; {words} {_few(found)}"
        for name, words in (("not discriminating", "green without it as well:"), ("unguarded", "no test guards"))
        if (found := _of(evidence, name))
    ]
    return "".join(parts)


def reason_of_refactoring(evidence: Evidence) -> str:
    """Return why a person stated that behaviour stays; "" where the evidence rests on no such word."""
    mark = f"{REFACTORING}: "
    stated = evidence.kind is CriterionKind.RED_FIRST and evidence.measures.get(REFACTORING)
    return next((each.removeprefix(mark) for each in evidence.examples if stated and each.startswith(mark)), "")


def tests_kept(criterion: Criterion, evidence: Evidence) -> _Shown:
    """Return verdict, reason and step: what the tests lost since the base."""
    counts = evidence.measures
    measures = {str(loss): Measure(str(loss), counts.get(str(loss), 0)) for loss in Loss}
    wrong = unmet(criterion, measures, {}, dict.fromkeys(map(str, Loss), 0))
    if not wrong:
        found = sum(counts.get(str(loss), 0) for loss in Loss)
        files = _proof_verdict_many(counts.get("files", 0), "changed file")
        kept = (
            f"{_proof_verdict_many(found, 'loss', 'losses')}, within the limits" if found else "no test lost anything"
        )
        return Verdict.PASS, f"{kept} ({files} compared)", ""
    clauses = ", ".join(f"{counts.get(one.measure, 0)} {one.measure}" for one in wrong)
    examples = [each for one in wrong for each in _of(evidence, one.measure)]
    named = f": {_few(examples, '; ')}" if examples else ""
    waive = f'; or a person: vfcc waive {criterion.id} --reason "why"' if criterion.waivable else ""
    step = f"restore the tests, then: vfcc evidence run {criterion.id}{waive}"
    return Verdict.FAIL, f"since the sprint's base tests lost something ({clauses}){named}", step


def _of(evidence: Evidence, name: str) -> list[str]:
    """Return the examples of one name, without it."""
    return [each.removeprefix(f"{name}: ") for each in evidence.examples if each.startswith(f"{name}: ")]


def _listed(evidence: Evidence, name: str) -> str:
    found = _of(evidence, name)
    return f": {_few(found, of=evidence.measures.get(name.replace(' ', '_'), 0))}" if found else ""


def _few(found: list[str], joint: str = ", ", of: int = 0) -> str:
    """The first of some examples, and how many more there are: evidence keeps only so many of them."""
    more = max(len(found), of) - PROOF_VERDICT_MOST_EXAMPLES
    return f"{joint.join(found[:PROOF_VERDICT_MOST_EXAMPLES])}{f'{joint}and {more:,} more' if more > 0 else ''}"


def _tests(number: int) -> str:
    return _proof_verdict_many(number, "test")


def _proof_verdict_many(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def examples_of(pairs: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the examples of a piece of evidence, of each name in turn, so that the first ones name each.

    >>> list(examples_of({"removed": ["a", "b"], "skipped": ["c"]}))
    ['removed: a', 'skipped: c', 'removed: b']
    """
    for place in range(max(map(len, pairs.values()), default=0)):
        yield from (f"{name}: {found[place]}" for name, found in pairs.items() if place < len(found))


MOST_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class MeasuredVerdict:
    """A verdict with its reason, one clause with numbers; `step` where running the command again would not help."""

    verdict: Verdict
    reason: str
    step: str = ""


def shown_by(criterion: Criterion, evidence: Evidence, status: BaselineStatus = NO_BASELINE) -> MeasuredVerdict:
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
    shown: MeasuredVerdict = load(KINDS[evidence.kind].judge)(criterion, known.evidence)
    return replace(shown, reason=f"{shown.reason}{known.clause(passed=shown.verdict is Verdict.PASS)}")


def _no_report(evidence: Evidence) -> MeasuredVerdict:
    run = evidence.run
    if run and run.exit_code:
        return _fail(f"the command {run.command} ended with exit code {run.exit_code}; {evidence.problem}")
    return _open(evidence.problem)


def judge_command(criterion: Criterion, evidence: Evidence) -> MeasuredVerdict:
    """Judge a command by its exit code."""
    run = evidence.run
    if run is None:
        return _open("no command was run")
    if run.exit_code:
        return _fail(f"the command {run.command} ended with exit code {run.exit_code}")
    return _pass(f"the command {run.command} ended with exit code 0")


def judge_junit(criterion: Criterion, evidence: Evidence) -> MeasuredVerdict:
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
        return _fail(_with_examples([_test_clause(one, counts) for one in wrong], _named(evidence.examples, words)))
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
"""How the lines about a measure begin, or what is in them; `formats/` writes them."""


def _test_clause(one: UnmetLimit, counts: Mapping[str, int]) -> str:
    if one.measure not in counts or one.measure not in _TEST_FAULTS:
        return one.clause
    if one.measure == "errors":  # a suite may have one outside of any test
        return _many(counts["errors"], "error")
    return f"{counts[one.measure]} of {_many(counts.get('tests', 0), 'test')} {_TEST_FAULTS[one.measure]}"


def judge_coverage(criterion: Criterion, evidence: Evidence) -> MeasuredVerdict:
    """Judge coverage by the limits of the criterion."""
    counts = evidence.measures
    if not counts.get("files"):
        if counts.get("unknown_files"):
            other = _named(evidence.examples, ["not in the project: "])
            return _fail(_with_examples(["the report speaks of other files"], other))
        return _open("the report speaks of no file", "let the command measure the product's files")
    wanted = {*criterion.at_least, *criterion.at_most}
    if not wanted:
        return _open("the criterion states no limit", "vfcc check workflow")
    for name in sorted(wanted & set(_SHARES)):
        share = _SHARES[name]
        if not counts.get(share.whole):
            why = _named(evidence.examples, ["changes not known: "]) if share.whole not in counts else ()
            return _open(_with_examples([share.missing], why), share.step)
    measures = _counts(counts) | {
        name: percent(share.title, counts.get(share.part, 0), counts[share.whole])
        for name, share in _SHARES.items()
        if counts.get(share.whole)
    }
    wrong = unmet(criterion, measures, {}, {"missing_files": 0} if criterion.files else {})
    if wrong:
        words = [_EXAMPLES.get(one.measure, "") for one in wrong]
        return _fail(_with_examples([_coverage_clause(one, counts) for one in wrong], _named(evidence.examples, words)))
    if _exit_code(evidence):
        return _fail(f"the coverage is sufficient, but {_ended(evidence)}")
    shares = [f"{measures[name].name} {measures[name]}" for name in sorted(wanted) if name in _SHARES]
    left_out = counts.get("missing_files", 0)
    return _pass(", ".join(shares) + (f"; the report lacks {_many(left_out, 'file')}" if left_out else ""))


def _coverage_clause(one: UnmetLimit, counts: Mapping[str, int]) -> str:
    if one.measure == "missing_files" and one.measure in counts:
        return f"the report lacks {_many(counts['missing_files'], 'file')}"
    return one.clause


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


def judge_findings(criterion: Criterion, evidence: Evidence) -> MeasuredVerdict:
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
        return _fail(_with_examples([_finding_clause(one, counts) for one in wrong], _named(evidence.examples, words)))
    if _exit_code(evidence) and not found:
        return _fail(f"there is no finding, but {_ended(evidence)}")
    return _pass(_within(found, evidence))


_LEVELS = ("error", "warning", "note")


def _finding_clause(one: UnmetLimit, counts: Mapping[str, int]) -> str:
    return _many(counts[one.measure], one.measure.replace("_", " ")) if one.measure in counts else one.clause


def judge_lint(criterion: Criterion, evidence: Evidence) -> MeasuredVerdict:
    """Judge findings in lines of text: without a limit, there are none."""
    found = evidence.measures.get("findings", 0)
    wrong = unmet(criterion, _counts(evidence.measures), {}, {"findings": 0})
    if wrong:
        clauses = [_many(found, "finding") if one.measure == "findings" else one.clause for one in wrong]
        return _fail(_with_examples(clauses, evidence.examples))
    if _exit_code(evidence) and not found:
        return _fail(f"there is no finding, but {_ended(evidence)}")
    return _pass(_within(found, evidence))


def _within(found: int, evidence: Evidence) -> str:
    other = "other " if evidence.measures.get("listed") else ""
    return f"{_many(found, f'{other}finding')}, within the limits" if found else f"no {other}finding"


def judge_metric(criterion: Criterion, evidence: Evidence) -> MeasuredVerdict:
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
        return _fail(_with_examples([one.clause for one in wrong], ()))
    if _exit_code(evidence):
        return _fail(f"{name} is {decimal(evidence.measures[name])}, but {_ended(evidence)}")
    return _pass(f"{name} is {decimal(evidence.measures[name])}")


def judge_baseline(criterion: Criterion, evidence: Evidence) -> MeasuredVerdict:
    """Judge frozen files: as they were, and tagged where that is asked."""
    files = _many(evidence.inputs.count, "file")
    if criterion.tagged and not evidence.measures.get("tags"):
        return _fail(f"no tag pointed at the commit of the {files}", "git tag NAME, then take the baseline again")
    return _pass(f"{files} as they were")


def judge_red_first(criterion: Criterion, evidence: Evidence) -> MeasuredVerdict:
    """Judge whether the tests of a change fail without it."""
    return MeasuredVerdict(*red_first(criterion, evidence))


def judge_tests_kept(criterion: Criterion, evidence: Evidence) -> MeasuredVerdict:
    """Judge whether tests were removed, skipped or weakened."""
    return MeasuredVerdict(*tests_kept(criterion, evidence))


def judge_limits(criterion: Criterion, evidence: Evidence) -> MeasuredVerdict:
    """Judge counts by the limits of the criterion alone, and the command by its exit code."""
    if not (criterion.at_least or criterion.at_most):
        return _open("the criterion states no limit", "vfcc check workflow")
    if not evidence.measures:
        return _open("nothing was measured")
    wrong = unmet(criterion, _counts(evidence.measures), {}, {})
    if wrong:
        return _fail(_with_examples([one.clause for one in wrong], evidence.examples))
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


def _with_examples(clauses: list[str], examples: tuple[str, ...]) -> str:
    return ", ".join(clauses) + (f": {'; '.join(examples[:MOST_EXAMPLES])}" if examples else "")


def _named(examples: tuple[str, ...], words: list[str]) -> tuple[str, ...]:
    """Return the examples that speak of what is wrong, without the word that says what."""
    found = []
    for one in examples:
        word = next((word for word in words if word and (one.startswith(word) or (word[0] == " " and word in one))), "")
        if word:
            found.append(one.removeprefix(word).removeprefix(":").strip())
    return tuple(found)


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _pass(reason: str) -> MeasuredVerdict:
    return MeasuredVerdict(Verdict.PASS, reason)


def _fail(reason: str, step: str = "") -> MeasuredVerdict:
    return MeasuredVerdict(Verdict.FAIL, reason, step)


def _open(reason: str, step: str = "") -> MeasuredVerdict:
    return MeasuredVerdict(Verdict.NOT_EVALUABLE, reason, step)
