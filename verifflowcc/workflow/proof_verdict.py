"""What the evidence of `red-first` and `tests-kept` shows of its criterion, from its measures alone."""

from collections.abc import Iterator, Mapping

from verifflowcc.domain.evidence import Evidence
from verifflowcc.domain.gates import Criterion, Kind, Verdict
from verifflowcc.domain.testcases import Loss
from verifflowcc.workflow.limits import Measure, unmet

MOST_EXAMPLES = 3
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
        files = _many(counts["product"], "product file")
        step = (
            f'write a test that fails without the change, then: {again}  # a refactoring: {again} --refactoring "why"'
        )
        return Verdict.FAIL, f"{files} changed, and no test was added or altered", step
    if not counts.get("proven"):
        return _unproven(counts, evidence, again)
    wrong = unmet(criterion, {name: Measure(name.replace("_", " "), number) for name, number in counts.items()}, {}, {})
    if wrong:
        return Verdict.FAIL, f"{'; '.join(each.said for each in wrong)}{_rest(evidence)}", again
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
    still = "its test still passes" if count == 1 else f"all {count} tests still pass"
    lines = _of(evidence, "unguarded")
    places = f"; no test guards {_few(lines)}" if lines else ""
    step = f"write a test that fails without the change, then: {again}"
    return Verdict.FAIL, f"with your change removed, {still}{_listed(evidence, 'not discriminating')}{places}", step


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
    stated = evidence.kind is Kind.RED_FIRST and evidence.measures.get(REFACTORING)
    return next((each.removeprefix(mark) for each in evidence.examples if stated and each.startswith(mark)), "")


def tests_kept(criterion: Criterion, evidence: Evidence) -> _Shown:
    """Return verdict, reason and step: what the tests lost since the base."""
    counts = evidence.measures
    measures = {str(loss): Measure(str(loss), counts.get(str(loss), 0)) for loss in Loss}
    wrong = unmet(criterion, measures, {}, dict.fromkeys(map(str, Loss), 0))
    if not wrong:
        found = sum(counts.get(str(loss), 0) for loss in Loss)
        files = _many(counts.get("files", 0), "changed file")
        kept = f"{_many(found, 'loss', 'losses')}, within the limits" if found else "no test lost anything"
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
    return f": {_few(found)}" if found else ""


def _few(found: list[str], joint: str = ", ") -> str:
    more = f"{joint}and {len(found) - MOST_EXAMPLES} more" if len(found) > MOST_EXAMPLES else ""
    return f"{joint.join(found[:MOST_EXAMPLES])}{more}"


def _tests(number: int) -> str:
    return _many(number, "test")


def _many(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def examples_of(pairs: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield the examples of a piece of evidence, of each name in turn, so that the first ones name each.

    >>> list(examples_of({"removed": ["a", "b"], "skipped": ["c"]}))
    ['removed: a', 'skipped: c', 'removed: b']
    """
    for place in range(max(map(len, pairs.values()), default=0)):
        yield from (f"{name}: {found[place]}" for name, found in pairs.items() if place < len(found))
