"""The matrix as CSV: a line for each item, or for each test; several ends in one cell are parted by `; `."""

from collections.abc import Iterable

from verifflowcc.formats.csv_table import csv_text
from verifflowcc.trace.answers import CodePlace, TestSeen
from verifflowcc.trace.matrix import LinkEnd, Matrix

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
                _joined(map(_tested, row.tests)),
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


def _tested(test: TestSeen) -> str:
    return f"{test.test} {test.word}" + (f" (by {test.via})" if test.via else "")


def _ids(ends: Iterable[LinkEnd]) -> str:
    return _joined(end.id for end in ends)


def _joined(words: Iterable[str]) -> str:
    return "; ".join(words)
