"""Which units match some words best, as SQLite's full-text search finds them, in bounded time and a stable order.

A rare word says most and costs least. The rarest words are looked for alone, as long as they do not stand in too many
units; of the others, those units are taken in which two of them stand. What is found is scored by all words elsewhere.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from verifflowcc.adapters.index.recall_tables import ScopeTables

MOST_ROWS, ROWS_EACH = 4_000, 13
"""About so many rows are ranked for one question, whatever the number of units; more where more are asked for."""

SURE, FAR_BEHIND = 15, 0.5
"""Of so many units that are asked for, one is a sure one; what scores less than this share of the last sure one by
full-text search is left out."""

_DIGITS = 6
"""Scores of full-text search are compared to so many places: beyond, machines may differ."""

_APART = 0.6 * 10**-_DIGITS
"""Scores that are alike are not as far apart."""


class Best(NamedTuple):
    """Numbers of units; `complete` says that no other unit holds any of the words."""

    numbers: list[int]
    complete: bool


def best_numbers(tables: ScopeTables, terms: Mapping[str, int], weights: Sequence[int], most: int) -> Best:
    """Return the best units for terms with the number of units that hold each; `most`, or up to twice as many.

    `weights` are those of the fields. Units that score alike at the end are in or out together, but where they are all
    that there is: then those come first whose paths do.
    """
    asked, every = _asked(terms, max(MOST_ROWS, ROWS_EACH * most))
    if not asked:
        return Best([], complete=True)
    by_weight = f"bm25({', '.join(str(weight / 100) for weight in weights)})"
    rows = tables.rows(
        "SELECT rank, rowid FROM recall_{n}_words WHERE recall_{n}_words MATCH ? AND rank MATCH ?"
        " ORDER BY rank LIMIT ?",
        (asked, by_weight, 2 * most + 1),
    )
    found = cast("list[tuple[float, int]]", rows)
    near = _near(found, most // SURE)
    if near < len(found):
        return Best([number for _, number in found[:near]], complete=False)
    scores = [(round(score, _DIGITS), number) for score, number in found]
    if len(scores) <= 2 * most:
        return Best([number for _, number in scores], complete=every)
    last = scores[-1][0]
    sure = [number for score, number in scores if score != last]
    if len(sure) >= most:
        return Best(sure, complete=False)
    alike = tables.rows(
        "SELECT u.number FROM recall_{n}_words w JOIN recall_{n}_units u ON u.number = w.rowid"
        " WHERE recall_{n}_words MATCH ? AND w.rank MATCH ? AND w.rank BETWEEN ? AND ? ORDER BY u.path, u.part LIMIT ?",
        (asked, by_weight, last - _APART, last + _APART, most),
    )
    return Best([*dict.fromkeys([*sure, *(int(str(number)) for (number,) in alike)])], complete=False)


def _near(found: Sequence[tuple[float, int]], sure: int) -> int:
    """Of units with their scores, best (lowest) first: how many may still be among the best few."""
    if not sure or len(found) <= sure:
        return len(found)
    last = round(found[sure - 1][0] * FAR_BEHIND, _DIGITS)
    return bisect_right(found, last, key=lambda each: round(each[0], _DIGITS))


def _asked(terms: Mapping[str, int], most_rows: int) -> tuple[str, bool]:
    """Return the expression of the search, rare words or pairs of common ones, and whether all words stand alone."""
    rarest = sorted((units, term) for term, units in terms.items() if units)
    if not rarest:
        return "", True
    alone, left = [rarest[0][1]], most_rows - rarest[0][0]
    for units, term in rarest[1:]:
        if units > left:
            break
        alone.append(term)
        left -= units
    common = rarest[len(alone) :]
    return " OR ".join([f'"{term}"' for term in alone] + list(_pairs(common, left))), not common


def _pairs(common: Sequence[tuple[int, str]], left: int) -> Iterator[str]:
    """Yield pairs of common words, rarest first, while there is room; a half of the rarer one's units is reckoned."""
    for last in range(1, len(common)):
        for first in range(last):
            reckoned = common[first][0] // 2
            if reckoned > left:
                return
            left -= reckoned
            yield f'("{common[first][1]}" AND "{common[last][1]}")'
