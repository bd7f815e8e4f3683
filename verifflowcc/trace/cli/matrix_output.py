"""The matrix as tables for the terminal."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.terminal.table import table
from verifflowcc.base.terminal.terminal import width_of

if TYPE_CHECKING:
    from verifflowcc.trace.rules.answers import ItemTest, LinkEnd
    from verifflowcc.trace.rules.matrix import Matrix, MatrixRow
    from verifflowcc.trace.use.trace_narrowing import CheckedTrace


# Read the trace for a command that shows it, and say what could not be read.


def see(junit: Sequence[str] | None, name: str | None = None) -> "CheckedTrace":
    """Return the trace of the current project, or what is around an item; print each notice as a warning."""
    from verifflowcc.base.terminal import output as out
    from verifflowcc.base.use.workspace import open_workspace
    from verifflowcc.trace.use.trace_narrowing import see_trace

    seen = see_trace(open_workspace(), junit or (), name)
    for notice in seen.notices:
        out.warn(notice)
    return seen


MOST_IDS = 3
MIDDLE_COLUMNS, WIDE_COLUMNS = 110, 160
NARROW = ("item", "state", "traces to", "below", "tests")
MIDDLE = ("item", "state", "traces to", "below", "files", "tests", "title")
WIDE = ("item", "state", "traces to", "answered by", "files", "tests", "title")


def items_table(matrix: "Matrix") -> str:
    """Return a row for each item, and the counts of the states below."""
    if not matrix.rows:
        return f"none of {matrix.total} items fits"
    width = width_of(sys.stdout)
    columns = WIDE if width >= WIDE_COLUMNS else MIDDLE if width >= MIDDLE_COLUMNS else NARROW
    rows = [tuple(_CELLS[column](row) for column in columns) for row in matrix.rows]
    part = f" of {matrix.total}" if len(rows) != matrix.total else ""
    states = ", ".join(f"{count} {state}" for state, count in matrix.states.items())
    right = [columns.index(each) for each in ("below", "files") if each in columns]
    return f"{table(columns, rows, right=right)}\n\n{len(rows)}{part} item{_s(len(rows))}: {states}"


def tests_table(matrix: "Matrix") -> str:
    """Return a row for each test, and the counts of the outcomes below."""
    if not matrix.tests:
        return "there is no test of these items"
    rows = [
        (each.test.test, each.test.word, ids(each.items), ids(each.needs), each.test.report or "–")
        for each in matrix.tests
    ]
    counts = Counter(each.test.word for each in matrix.tests)
    words = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
    return f"{table(('test', 'outcome', 'items', 'needs', 'report'), rows)}\n\n{len(rows)} test{_s(len(rows))}: {words}"


def ids(ends: Sequence["LinkEnd"]) -> str:
    """Return the first ids and how many more there are; one that is not there says so."""
    names = list(dict.fromkeys(end.id if end.type else f"{end.id} (not there)" for end in ends))
    more = f" and {len(names) - MOST_IDS} more" if len(names) > MOST_IDS else ""
    return ", ".join(names[:MOST_IDS]) + more or "–"


def outcomes(tests: Sequence["ItemTest"]) -> str:
    """Return how many tests there are of each outcome."""
    words = Counter(each.word for each in tests)
    return ", ".join(f"{count} {word}" for word, count in sorted(words.items())) or "–"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _number(number: int) -> str:
    return str(number) if number else "–"


_CELLS: "Mapping[str, Callable[[MatrixRow], str]]" = {
    "item": lambda row: row.id,
    "state": lambda row: str(row.state),
    "traces to": lambda row: ids(row.parents),
    "answered by": lambda row: ids(row.children),
    "below": lambda row: _number(len({end.id for end in row.children})),
    "files": lambda row: _number(len({place.path for place in row.code})),
    "tests": lambda row: outcomes(row.tests),
    "title": lambda row: row.title,
}
