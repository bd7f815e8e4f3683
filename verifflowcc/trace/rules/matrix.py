"""The matrix: a row for each item, from needs down, and one for each test."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from verifflowcc.base.model.trace_values import Finding, TraceItem, TraceReport
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.glob import matches
from verifflowcc.base.text.plain_words import natural_key
from verifflowcc.trace.rules.answers import CodePlace, ItemTest, above, result_of
from verifflowcc.trace.rules.item_lines import ItemState, state_of, suspects
from verifflowcc.trace.rules.item_state import ItemCoverage, TraceCoverage
from verifflowcc.trace.rules.trace_statistics import type_order
from verifflowcc.trace.rules.trace_table import csv_text
from verifflowcc.trace.rules.trace_view import VERIFIES, TraceView


@dataclass(frozen=True, slots=True, order=True)
class LinkEnd:
    """The other end of a link. `type` and `title` are "" where there is no such item."""

    id: str
    relation: str
    type: str = ""
    """Empty if there is no such item."""
    title: str = ""


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

    seen: ItemTest
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


def parents_of(view: TraceView, item: TraceItem) -> tuple[LinkEnd, ...]:
    """Return the link ends above an item, missing ones and unknown relations too."""
    relations = view.policy.relations
    links = [link for link in item.links if link.relation in view.upward or link.relation not in relations]
    return tuple(sorted({_end(view, link.to, link.relation) for link in links}))


def children_of(view: TraceView, item: TraceItem) -> tuple[LinkEnd, ...]:
    """Return the live items directly below an item."""
    return tuple(sorted({LinkEnd(each.id, link.relation, each.type, each.title) for each, link in view.children(item)}))


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


def _end(view: TraceView, name: str, relation: str) -> LinkEnd:
    item = view.by_id.get(name)
    return LinkEnd(name, relation, item.type, item.title) if item else LinkEnd(name, relation)


def _counted(rows: Iterable[MatrixRow]) -> Mapping[str, int]:
    counts = Counter(row.state for row in rows)
    return {str(state): counts[state] for state in ItemState if counts[state]}


def _tests(view: TraceView, coverages: TraceCoverage) -> tuple[TestRow, ...]:
    """Each test once, those that belong to no item among them."""
    seen: dict[str, list[ItemTest]] = defaultdict(list)
    items: dict[str, set[str]] = defaultdict(set)
    for name, coverage in coverages.by_id.items():
        for test in coverage.tests:
            if not test.via:
                seen[test.test].append(test)
                items[test.test].add(name)
    for name in view.results_by_test:
        if name not in seen:
            seen[name].append(result_of(view, name))
    tops = _Tops(view)
    return tuple(
        TestRow(
            min(seen[name], key=lambda each: (each.path, each.line, each.report)),
            tuple(_end(view, each, VERIFIES) for each in sorted(items[name])),
            tuple(_end(view, each, "") for each in sorted({top for each in items[name] for top in tops.of(each)})),
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
    return csv_text(
        TEST_COLUMNS,
        (
            (each.seen.test, each.seen.word, _ids(each.items), _ids(each.needs), each.seen.report, each.seen.message)
            for each in matrix.tests
        ),
    )


def place_word(place: CodePlace) -> str:
    """Return `path:line symbol`, and whether it is gone."""
    symbol = f" {place.symbol}" if place.symbol else ""
    return f"{place.path}:{place.line}{symbol}" if place.there else f"{place.path}{symbol} (gone)"


def _matrix_csv_tested(test: ItemTest) -> str:
    return f"{test.test} {test.word}" + (f" (by {test.via})" if test.via else "")


def _ids(ends: Iterable[LinkEnd]) -> str:
    return _joined(end.id for end in ends)


def _joined(words: Iterable[str]) -> str:
    return "; ".join(words)
