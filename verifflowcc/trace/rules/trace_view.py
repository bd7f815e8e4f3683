"""The items of a trace as a graph: by id, above, below, and with their tests."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

from verifflowcc.base.errors import ConflictError, FormatError, UsageError
from verifflowcc.base.model.item_values import Link, Status
from verifflowcc.base.model.trace_codes import TracePolicy
from verifflowcc.base.model.trace_values import (
    CodeFile,
    CodeMark,
    Outcome,
    ResultReport,
    Results,
    TestResult,
    TraceItem,
    TraceSources,
)
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.identifiers import ambiguous
from verifflowcc.base.text.plain_words import nearest_start

if TYPE_CHECKING:
    from verifflowcc.base.formats.trace_tests import TestNames

# One verdict for each test, over all reports; reports on other content than the present one do not count.

_BROKEN = (Outcome.ERROR, Outcome.FAILED)
_VERDICTS_WORST_FIRST = tuple(Outcome)


@dataclass(frozen=True, slots=True)
class ResultVerdict:
    """The verdict on a test, over all reports.

    `outcome` is None where no report counts; `reports` are then those that do not, being of other content. Of a test
    that passed, `reports` are the ones that say so, and `trusted` is whether one of them is worth enough.
    """

    test: str
    outcome: Outcome | None
    reports: tuple[str, ...]
    trusted: bool
    message: str = ""

    @property
    def failed(self) -> bool:
        """Whether a valid report says that it failed; passed after a retry is no failure."""
        return self.outcome in {Outcome.ERROR, Outcome.FAILED, Outcome.CONFLICTING}


def verdicts(results: Results) -> Mapping[str, ResultVerdict]:
    """Return the verdict on each test; a result without its report does not count."""
    fresh = {each.name for each in results.reports if not each.stale and not each.problem}
    worth = {each.name for each in results.reports if each.trust.rank >= results.least_trust.rank}
    by_test: dict[str, list[TestResult]] = defaultdict(list)
    for result in results.tests:
        by_test[result.test].append(result)
    return {test: _verdict(test, each, fresh, worth) for test, each in by_test.items()}


def _verdict(test: str, results: list[TestResult], fresh: set[str], worth: set[str]) -> ResultVerdict:
    if len(results) == 1 and results[0].report in fresh:
        one = results[0]
        return ResultVerdict(test, one.outcome, (one.report,), one.report in worth, one.message)
    counting = [each for each in results if each.report in fresh]
    if not counting:
        return ResultVerdict(test, None, _reports(results), False)
    outcome = _merged(counting)
    saying = [each for each in counting if each.outcome is outcome] or counting
    message = min((each.message for each in saying if each.message), default="")
    return ResultVerdict(test, outcome, _reports(saying), any(each.report in worth for each in saying), message)


def _merged(counting: list[TestResult]) -> Outcome:
    """Return the worst outcome; passed here and failed there is `conflicting`."""
    outcomes = {each.outcome for each in counting}
    if len(outcomes) == 1:
        return counting[0].outcome
    if Outcome.PASSED in outcomes and not outcomes.isdisjoint(_BROKEN):
        return Outcome.CONFLICTING
    outcomes.discard(Outcome.SKIPPED)
    return next(each for each in _VERDICTS_WORST_FIRST if each in outcomes)


def _reports(results: Iterable[TestResult]) -> tuple[str, ...]:
    return tuple(sorted({each.report for each in results}))


# The graph: items by id, above and below each other, with their tests.

VERIFIES = "verifies"
"""The relation by which a specification hands its tests to what it verifies."""


@dataclass(frozen=True, slots=True)
class NamedTest:
    """A test that is there but has no result: its name, and the place that names it."""

    test: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class JoinedTests:
    """An item's tests: with a verdict, without a result, and patterns without a match."""

    verdicts: tuple[ResultVerdict, ...]
    unrun: tuple[NamedTest, ...]
    lost: tuple[str, ...]

    @property
    def any(self) -> bool:
        """Whether there is a test at all."""
        return bool(self.verdicts or self.unrun)


NONE = JoinedTests((), (), ())


class TraceView:
    """Sources and policy, and everything that follows from them.

    All orders are by id or path, whatever that of the sources.
    """

    def __init__(self, sources: TraceSources, policy: TracePolicy) -> None:
        self.sources, self.policy = sources, policy

    @cached_property
    def items(self) -> tuple[TraceItem, ...]:
        """All items, retired ones too, by id and path."""
        return tuple(sorted(self.sources.items, key=attrgetter("id", "path")))

    @cached_property
    def by_id(self) -> Mapping[str, TraceItem]:
        """Id → item; of several with one id an active one, the first by its path."""
        found: dict[str, TraceItem] = {}
        archived = Status.ARCHIVED
        for item in self.items:
            held = found.get(item.id)
            if held is None or (held.status is archived and item.status is not archived):
                found[item.id] = item
        return found

    @cached_property
    def live(self) -> tuple[TraceItem, ...]:
        """The items that are not retired."""
        archived = Status.ARCHIVED
        return tuple([item for item in self.items if item.status is not archived])

    @cached_property
    def below(self) -> Mapping[str, tuple[tuple[TraceItem, Link], ...]]:
        """Id → the live items that link to it, with the link."""
        found: dict[str, list[tuple[TraceItem, Link]]] = defaultdict(list)
        for item in self.live:
            for link in item.links:
                found[link.to].append((item, link))
        return {name: tuple(each) for name, each in found.items()}

    @cached_property
    def upward(self) -> frozenset[str]:
        """The relations whose target is above the item."""
        return frozenset(rule.name for rule in self.policy.relations.values() if rule.upward)

    @cached_property
    def ties(self) -> tuple[tuple[TraceItem, Link, TraceItem], ...]:
        """The links of live items to existing items, retired ones too.

        Each is holder, link, target.
        """
        by_id = self.by_id
        found = []
        for item in self.live:
            for link in item.links:
                target = by_id.get(link.to)
                if target is not None and link.to != item.id:
                    found.append((item, link, target))
        return tuple(found)

    @cached_property
    def above(self) -> Mapping[str, tuple[str, ...]]:
        """Id → the ids of the live items directly above it; each once, sorted."""
        upward, archived = self.upward, Status.ARCHIVED
        found: dict[str, tuple[str, ...]] = {}
        for item, link, target in self.ties:
            if link.relation in upward and target.status is not archived:
                held = found.get(item.id, ())
                if target.id not in held:
                    found[item.id] = (*held, target.id)
        return {name: tuple(sorted(each)) if len(each) > 1 else each for name, each in found.items()}

    @cached_property
    def code(self) -> Mapping[str, CodeFile]:
        """Path → the file, of those that hold marks, are tests, or are spoken of."""
        return {file.path: file for file in self.sources.code}

    @cached_property
    def reports(self) -> Mapping[str, ResultReport]:
        """Name → the report of results."""
        return {report.name: report for report in self.sources.results.reports}

    @cached_property
    def results_by_test(self) -> Mapping[str, tuple[TestResult, ...]]:
        """Test → its results, by report."""
        found: dict[str, list[TestResult]] = defaultdict(list)
        for result in sorted(self.sources.results.tests, key=lambda each: (each.test, each.report)):
            found[result.test].append(result)
        return {name: tuple(each) for name, each in found.items()}

    @cached_property
    def joins(self) -> "TestJoins":
        """The tests of each item."""
        return TestJoins(self)

    @cached_property
    def marks(self) -> Mapping[str, tuple[tuple[CodeFile, CodeMark], ...]]:
        """Id → where code or tests name it, by path and line."""
        found: dict[str, list[tuple[CodeFile, CodeMark]]] = defaultdict(list)
        for file in sorted(self.sources.code, key=lambda each: each.path):
            for mark in sorted(file.marks, key=lambda each: each.line):
                for name in mark.ids:
                    found[name].append((file, mark))
        return {name: tuple(each) for name, each in found.items()}

    @cached_property
    def results(self) -> Mapping[str, tuple[TestResult, ...]]:
        """Id → the results of its tests, by mark, property or the item's `tests`."""
        results = sorted(self.sources.results.tests, key=lambda each: (each.test, each.report))
        found: dict[str, list[int]] = defaultdict(list)
        for number, result in enumerate(results):
            for name in result.items:
                found[name].append(number)
        patterns = {item.id: item.tests for item in self.live if item.tests}
        if patterns and results:
            from verifflowcc.base.formats.trace_tests import TestNames, by_item

            numbers: dict[str, list[int]] = defaultdict(list)
            for number, result in enumerate(results):
                numbers[result.test].append(number)
            for name, tests in by_item(patterns, TestNames(numbers)).items():
                found[name] += [number for test in tests for number in numbers[test]]
        return {name: tuple([results[number] for number in sorted(set(each))]) for name, each in found.items()}

    def parents(self, item: TraceItem) -> Iterator[tuple[TraceItem, Link]]:
        """Yield the items above that an item links to and that are there."""
        for link in item.links:
            above = self.by_id.get(link.to)
            if link.relation in self.upward and above is not None:
                yield above, link

    def children(self, item: TraceItem) -> Iterator[tuple[TraceItem, Link]]:
        """Yield the live items below that link to an item by a relation that leads up."""
        return ((child, link) for child, link in self.below.get(item.id, ()) if link.relation in self.upward)


class TestJoins:
    """The tests of all live items of a view."""

    def __init__(self, view: TraceView) -> None:
        self.view = view

    @cached_property
    def verdicts(self) -> Mapping[str, ResultVerdict]:
        """Test → the verdict of all reports on it."""
        return verdicts(self.view.sources.results)

    @cached_property
    def by_id(self) -> Mapping[str, JoinedTests]:
        """Id → the item's tests, for items that have or name any."""
        view, found = self.view, {}
        results, marks = view.results, self._test_marks
        for item in view.live:
            if item.id in results or item.id in marks or item.tests:
                found[item.id] = self._join(item, marks.get(item.id, ()))
        return found

    @cached_property
    def specifications(self) -> Mapping[str, tuple[TraceItem, ...]]:
        """Id → the live specifications that verify the item and are not only planned."""
        found: dict[str, list[TraceItem]] = {}
        for item, link, target in self.view.ties:
            if link.relation == VERIFIES and item.planned is None:
                held = found.get(target.id)
                if held is None:
                    found[target.id] = [item]
                else:
                    held.append(item)
        return {name: tuple(each) for name, each in found.items()}

    @cached_property
    def _test_marks(self) -> Mapping[str, tuple[tuple[CodeFile, CodeMark], ...]]:
        return {
            name: tuple([each for each in places if each[0].test])
            for name, places in self.view.marks.items()
            if any(file.test for file, _ in places)
        }

    @cached_property
    def _with_results(self) -> "TestNames":
        from verifflowcc.base.formats.trace_tests import TestNames

        return TestNames(self.verdicts)

    @cached_property
    def _in_tree(self) -> "TestNames":
        from verifflowcc.base.formats.trace_tests import TestNames

        files = [file for file in self.view.code.values() if file.test]
        symbols = [f"{file.path}::{symbol.name}" for file in files for symbol in file.symbols]
        return TestNames([*symbols, *(file.path for file in files if not file.symbols)])

    def _join(self, item: TraceItem, marks: Iterable[tuple[CodeFile, CodeMark]]) -> JoinedTests:
        names = sorted({each.test for each in self.view.results.get(item.id, ()) if not self._gone(each)})
        unrun, lost = _unrun(marks, names) if marks else [], []
        for pattern in item.tests:
            if self._with_results.named_by(pattern):
                continue
            if self._in_tree.named_by(pattern) or self._unseen(pattern):
                unrun.append(NamedTest(pattern, item.path, item.line("tests")))
            else:
                lost.append(pattern)
        return JoinedTests(tuple(self.verdicts[name] for name in names), tuple(dict.fromkeys(unrun)), tuple(lost))

    def _gone(self, result: TestResult) -> bool:
        """Whether the tree has lost the test, and only outdated reports have it.

        A report says so whose other tests the tree has: of one in which none is found, no name can be resolved.
        """
        file, named, _ = result.test.partition("::")
        # Evidence keeps what was found when it was made; its files may have moved since.
        lost = not result.known or (bool(named) and file not in self.view.code)
        return lost and result.report in self._located and self.verdicts[result.test].outcome is None

    @cached_property
    def _located(self) -> frozenset[str]:
        return frozenset(each.report for each in self.view.sources.results.tests if each.known)

    def _unseen(self, pattern: str) -> bool:
        """Whether a pattern names a symbol in a test file whose symbols are unknown."""
        file = pattern.strip().partition("::")[0].removeprefix("./")
        known = self.view.code.get(file)
        return known is not None and known.test and not known.symbols


def _unrun(marks: Iterable[tuple[CodeFile, CodeMark]], names: Sequence[str]) -> list[NamedTest]:
    """Return the tests that marks name and that none of these is."""
    named = [
        NamedTest(f"{file.path}::{mark.symbol}" if mark.symbol else file.path, file.path, mark.line)
        for file, mark in marks
    ]
    left = [each for each in named if each.test not in names] if len(names) < 10 else named
    if not left:
        return []
    covered = _covered(names)
    return [each for each in left if not _answered(each.test, covered)]


def _covered(tests: Iterable[str]) -> frozenset[str]:
    """Return all names by which marks may mean one of these tests, or enclose it."""
    found: set[str] = set()
    for test in tests:
        path, joint, symbol = test.partition("::")
        if not joint:
            found.update(("", f"::{test.rpartition('.')[2]}"))
            continue
        found.add(path)
        parts = symbol.replace("::", ".").split(".")
        found.update(f"{path}::{'.'.join(parts[:count])}" for count in range(1, len(parts) + 1))
    return frozenset(found)


def _answered(test: str, covered: frozenset[str]) -> bool:
    """Whether a test has a result.

    Of results without a file, the last name of a test must do.
    """
    _, joint, symbol = test.partition("::")
    return test in covered or (f"::{symbol.rpartition('.')[2]}" if joint else "") in covered


# What a statement on one item depends on: the items above and below it, and what these link to.

MOST_AROUND = 1000
"""Items around one; where there are more, it takes less time to read all."""
Found = Callable[[str], Iterable[TraceItem]]


def around(item: TraceItem, policy: TracePolicy, named: Found, holding: Found) -> tuple[TraceItem, ...]:
    """Return the items that a statement on an item depends on, by path, itself among them.

    `named` gives all items with an id, `holding` those that link to it. Raises LookupError where there are too many.
    """
    upward = {VERIFIES, *(rule.name for rule in policy.relations.values() if rule.upward)}

    def ends(each: TraceItem, relations: Collection[str] | None = None) -> Iterator[TraceItem]:
        names = (link.to for link in each.links if relations is None or link.relation in relations)
        return (other for name in dict.fromkeys((each.id, *names)) for other in named(name))

    def below(each: TraceItem) -> Iterator[TraceItem]:
        held = ((other, link) for other in holding(each.id) for link in other.links if link.to == each.id)
        return (other for other, link in held if link.relation in upward)

    found = _reached(item, lambda each: ends(each, upward)) | _reached(item, below)
    for each in [*found.values()]:
        found.update((other.path, other) for other in ends(each))
    found.update((other.path, other) for other in holding(item.id))
    return tuple(found[path] for path in sorted(found))


def _reached(start: TraceItem, step: Callable[[TraceItem], Iterable[TraceItem]]) -> dict[str, TraceItem]:
    found, left = {start.path: start}, [start]
    while left:
        for other in step(left.pop()):
            if other.path not in found:
                found[other.path] = other
                left.append(other)
        if len(found) > MOST_AROUND:
            raise LookupError(start.id)
    return found


_LIST = "vfcc trace list"


def find_item(view: TraceView, name: str) -> TraceItem:
    """Return the item with an id, or the only one whose id begins with it.

    Capitals do not matter.

    Raises UsageError where there is none (with the nearest id) or there are several, ConflictError where two files have
    this id, and FormatError where the file of that name cannot be read.
    """
    wanted = name.strip().removesuffix(".md").rpartition("/")[2].casefold()
    same = [item for item in view.items if item.id.casefold() == wanted]
    found = same or [item for item in view.items if wanted and item.id.casefold().startswith(wanted)]
    ids = sorted({item.id for item in found})
    if len(ids) == 1 and len(found) == 1:
        return found[0]
    if not found:
        raise _unknown(view, name, wanted)
    if len(ids) == 1:
        paths = " and ".join(item.path for item in found)
        raise ConflictError(f"two files have the id {ids[0]}: {paths}", hint="vfcc check trace")
    raise UsageError(ambiguous(name, ids, "items"), hint=f"vfcc trace show {ids[0]}")


def _unknown(view: TraceView, name: str, wanted: str) -> UsageError | FormatError:
    for path, reason in view.sources.unreadable.items():
        if path.rpartition("/")[2].removesuffix(".md").casefold() == wanted:
            return FormatError(f"{path}:{reason}", hint=f"edit {path} by hand")
    ids = {item.id.casefold(): item.id for item in view.items}
    if not ids:
        return UsageError(f"there is no item {name}: there is none at all", hint='vfcc trace add need "What is needed"')
    near = nearest_start(wanted, ids)
    more = f"; did you mean {ids[near]}?" if near else ""
    return UsageError(f"there is no item {name}{more}", hint=f"vfcc trace show {ids[near]}" if near else _LIST)


# How an item is to be verified.

TEST, METRIC = "test", "metric"


def method_of(view: TraceView, item: TraceItem) -> str | None:
    """Return how an item is to be verified, None where nothing asks for it.

    As it declares, else by test where its type must be.
    """
    if item.verification:
        return item.verification
    rule = view.policy.types.get(item.type)
    return TEST if rule is not None and rule.verified else None
