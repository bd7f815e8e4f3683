"""The matrix: a row for each item, from needs down, and one for each test."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from verifflowcc.base.model.item_values import Status
from verifflowcc.base.model.trace_codes import TracePolicy
from verifflowcc.base.model.trace_values import Finding, TraceReport
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.glob import matches
from verifflowcc.base.text.plain_words import natural_key
from verifflowcc.trace.rules.answers import (
    CodePlace,
    ItemTest,
    LinkEnd,
    above,
    children_of,
    end_of,
    parents_of,
    place_word,
    result_of,
)
from verifflowcc.trace.rules.item_state import ItemCoverage, ItemState, TraceCoverage, state_of, suspects
from verifflowcc.trace.rules.trace_view import VERIFIES, TraceView

# The order in which types are shown: from the top of the V down, then those that have no level.


def type_order(policy: TracePolicy, name: str) -> tuple[int, int, str]:
    """Return a sort key of types: level, workflow order, name; unknown ones last."""
    rule = policy.types.get(name)
    if rule is None:
        return (1_000_001, 0, name)
    place = list(policy.types).index(name)
    return (1_000_000 if rule.level is None else rule.level, place, name)


NO_METHOD = "none asked"


@dataclass(frozen=True, slots=True)
class CoverageShare:
    """`met` of `total`."""

    met: int
    total: int

    @property
    def per_mille(self) -> int | None:
        """Thousandths, rounded down, so that only all is 1000.

        None where there is nothing to evaluate.

        >>> [CoverageShare(met, 3).per_mille for met in (0, 2, 3)], CoverageShare(0, 0).per_mille
        ([0, 666, 1000], None)
        """
        return self.met * 1000 // self.total if self.total else None

    @property
    def whole(self) -> bool:
        """Whether there is something, and all of it is met."""
        return 0 < self.total == self.met


@dataclass(frozen=True, slots=True)
class CoverageGroup:
    """The items of a type, of a method, or all.

    `items` counts those that are asked: neither retired nor `planned`; `drafts` are among them. `shallow` have what
    they need right below them, and something that could show them; `deep` have it all the way down, `waiting` counts
    those that lack only what is planned below. `verified` are shown by their declared method, on this content, out of
    those that have one. `proven` hold all the way down: they and all below them are shown, out of all `items`.
    """

    name: str
    items: int
    planned: int
    """Excluded because they are planned."""
    drafts: int
    """How many of the counted ones are drafts."""
    shallow: CoverageShare
    """Items with an answer directly below."""
    deep: CoverageShare
    """Items answered all the way down."""
    waiting: int
    """Items not deep only because of planned ones."""
    verified: CoverageShare
    """Items that are shown."""
    proven: CoverageShare
    """Items shown all the way down."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Coverage per type, per method, and of all items.

    Types begin at the top of the V, methods are by name; `retired` items are in none.
    """

    types: tuple[CoverageGroup, ...]
    methods: tuple[CoverageGroup, ...]
    total: CoverageGroup
    retired: int

    @property
    def evaluable(self) -> bool:
        """Whether there is any item that is not retired, planned or not."""
        return self.total.items + self.total.planned > 0


def statistics(view: TraceView, types: Iterable[str] = ()) -> Statistics:
    """Return the coverage of all items, or of those of some types.

    What is below them counts whatever its type.
    """
    wanted = frozenset(types)
    coverages = TraceCoverage(view)
    live = [coverages.of(item) for item in view.live if not wanted or item.type in wanted]
    by_type = _split(live, lambda each: each.item.type)
    by_method = _split(live, lambda each: each.method or NO_METHOD)
    return Statistics(
        tuple(
            _group(name, by_type[name], coverages)
            for name in sorted(by_type, key=lambda name: type_order(view.policy, name))
        ),
        tuple(_group(name, by_method[name], coverages) for name in sorted(by_method)),
        _group("all", live, coverages),
        sum(item.status is Status.ARCHIVED and (not wanted or item.type in wanted) for item in view.items),
    )


def _group(name: str, members: list[ItemCoverage], coverages: TraceCoverage) -> CoverageGroup:
    asked = [each for each in members if not each.planned]
    answered = [each for each in asked if each.answered]
    deep = [each for each in answered if each.item.id not in coverages.open_below]
    methodical = [each for each in asked if each.method is not None]
    return CoverageGroup(
        name,
        items=len(asked),
        planned=len(members) - len(asked),
        drafts=sum(each.item.status is Status.PENDING for each in asked),
        shallow=CoverageShare(len(answered), len(asked)),
        deep=CoverageShare(len(deep), len(asked)),
        waiting=sum(each.item.id not in coverages.lacking_below for each in answered) - len(deep),
        verified=CoverageShare(sum(each.shown for each in methodical), len(methodical)),
        proven=CoverageShare(sum(coverages.proven(each) for each in asked), len(asked)),
    )


def _split(members: Iterable[ItemCoverage], name: Callable[[ItemCoverage], str]) -> dict[str, list[ItemCoverage]]:
    found: dict[str, list[ItemCoverage]] = defaultdict(list)
    for each in members:
        found[name(each)].append(each)
    return found


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """The row of an item: its parents, children, code, tests and state.

    `tests` are its own, then those of the specifications that verify it. `findings` are all that a check says of it,
    the known ones, too.
    """

    id: str
    type: str
    title: str
    path: str
    text: str
    method: str | None
    """How it is to be verified, or null."""
    planned: str | None
    """When it will be built, or null."""
    parents: tuple[LinkEnd, ...]
    children: tuple[LinkEnd, ...]
    code: tuple[CodePlace, ...]
    tests: tuple[ItemTest, ...]
    state: ItemState
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class TestRow:
    """The row of a test: its items, and the needs (items without a parent) above them."""

    __test__ = False

    test: ItemTest
    items: tuple[LinkEnd, ...]
    """Items that the test belongs to."""
    needs: tuple[LinkEnd, ...]
    """Items above all of these."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """The rows of items, by level, type and id, and of tests, by name.

    `states` counts the rows in each state, the worst first.

    `total` is how many items there were before anything was filtered.
    """

    rows: tuple[MatrixRow, ...]
    tests: tuple[TestRow, ...]
    states: Mapping[str, int]
    """How many rows have each state."""
    total: int
    """How many items there are without a filter."""


def matrix(view: TraceView, report: TraceReport) -> Matrix:
    """Return the matrix of all live items; the findings in it are those of `report`."""
    coverages, suspect = TraceCoverage(view), suspects(report)
    found: dict[str, list[Finding]] = defaultdict(list)
    for each in (*report.findings, *report.known):
        found[each.item].append(each)
    rows = sorted(
        (_row(coverages.of(item), coverages, suspect, found.get(item.id, [])) for item in view.live),
        key=lambda row: (type_order(view.policy, row.type), natural_key(row.id), row.path),
    )
    return Matrix(tuple(rows), _tests(view, coverages), _counted(rows), len(rows))


def narrowed(
    whole: Matrix, *, types: Collection[str] = (), states: Collection[str] = (), items: Collection[str] = ()
) -> Matrix:
    """Return the rows of some types, states and ids, and their tests.

    Ids may be patterns (`REQ-login-*`).
    """
    if not (types or states or items):
        return whole
    rows = tuple(
        row
        for row in whole.rows
        if (not types or row.type in types)
        and (not states or row.state in states)
        and (not items or any(matches(row.id, each) for each in items))
    )
    ids = {row.id for row in rows}
    tests = tuple(each for each in whole.tests if any(end.id in ids for end in each.items))
    return Matrix(rows, tests, _counted(rows), whole.total)


def _row(
    coverage: ItemCoverage, coverages: TraceCoverage, suspect: Collection[str], findings: list[Finding]
) -> MatrixRow:
    item, view = coverage.item, coverages.view
    return MatrixRow(
        item.id,
        item.type,
        item.title,
        item.path,
        item.text,
        coverage.method,
        item.planned,
        parents_of(view, item),
        children_of(view, item),
        coverage.code,
        coverage.tests,
        state_of(coverage, coverages, suspect),
        tuple(findings),
    )


def _counted(rows: Iterable[MatrixRow]) -> Mapping[str, int]:
    counts = Counter(row.state for row in rows)
    return {str(state): counts[state] for state in ItemState if counts[state]}


def _tests(view: TraceView, coverages: TraceCoverage) -> tuple[TestRow, ...]:
    """Each test once, those that belong to no item among them."""
    seen: dict[str, list[ItemTest]] = defaultdict(list)
    items: dict[str, set[str]] = defaultdict(set)
    for name, coverage in coverages.by_id.items():
        for test in coverage.tests:
            if not test.specification:
                seen[test.test].append(test)
                items[test.test].add(name)
    for name in view.results_by_test:
        if name not in seen:
            seen[name].append(result_of(view, name))
    tops = _Tops(view)
    return tuple(
        TestRow(
            min(seen[name], key=lambda each: (each.path, each.line, each.report)),
            tuple(end_of(view, each, VERIFIES) for each in sorted(items[name])),
            tuple(end_of(view, each, "") for each in sorted({top for each in items[name] for top in tops.of(each)})),
        )
        for name in sorted(seen)
    )


class _Tops:
    """The topmost items above an item; the item itself where it has no parent."""

    def __init__(self, view: TraceView) -> None:
        self._view = view
        self._found: dict[str, tuple[str, ...]] = {}

    def of(self, name: str) -> tuple[str, ...]:
        if name not in self._found:
            ends = [each.id for each in above(self._view, self._view.by_id[name])] or [name]
            self._found[name] = tuple(each for each in ends if not self._has_parents(each))
        return self._found[name]

    def _has_parents(self, name: str) -> bool:
        return any(True for _ in self._view.parents(self._view.by_id[name]))


# The matrix as CSV: a line for each item, or for each test; several ends in one cell are parted by `; `.

ITEM_COLUMNS = (
    *("id", "type", "title", "state", "method", "planned", "stands on", "answered by", "implemented by"),
    *("verified by", "findings", "path"),
)
TEST_COLUMNS = ("test", "outcome", "items", "needs", "report", "message")


def csv_of_items(matrix: Matrix) -> str:
    """Return a line for each item."""
    from verifflowcc.trace.rules.trace_table import csv_text

    return csv_text(
        ITEM_COLUMNS,
        (
            (
                *(row.id, row.type, row.title, row.state, row.method or "", row.planned or ""),
                _joined(f"{end.relation} {end.id}" for end in row.parents),
                _joined(f"{end.id} {end.relation}" for end in row.children),
                _joined(dict.fromkeys(map(place_word, row.code))),
                _joined(map(_matrix_csv_tested, row.tests)),
                _joined(dict.fromkeys(each.code for each in row.findings)),
                row.path,
            )
            for row in matrix.rows
        ),
    )


def csv_of_tests(matrix: Matrix) -> str:
    """Return a line for each test."""
    from verifflowcc.trace.rules.trace_table import csv_text

    return csv_text(
        TEST_COLUMNS,
        (
            (each.test.test, each.test.word, _ids(each.items), _ids(each.needs), each.test.report, each.test.message)
            for each in matrix.tests
        ),
    )


def _matrix_csv_tested(test: ItemTest) -> str:
    return f"{test.test} {test.word}" + (f" (by {test.specification})" if test.specification else "")


def _ids(ends: Iterable[LinkEnd]) -> str:
    return _joined(end.id for end in ends)


def _joined(words: Iterable[str]) -> str:
    return "; ".join(words)
