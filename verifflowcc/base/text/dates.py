"""Dates as people write them, read as ISO dates; day first where a number could be either."""

import datetime
import re
from functools import lru_cache

from verifflowcc.base.model.lazy import lazy_pattern

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR_FIRST = lazy_pattern(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_DAY_FIRST = lazy_pattern(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)")
_DAY_NAMED = lazy_pattern(r"(\d{1,2})(?:st|nd|rd|th)?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})(?!\d)")
_MONTH_NAMED = lazy_pattern(r"([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")
_IN_NAME = lazy_pattern(r"(?<!\d)(\d{4})(-?)(\d{2})\2(\d{2})(?!\d)")


@lru_cache(maxsize=1024)
def read_date(text: str) -> str | None:
    """Return the date at the beginning of `text` as `YYYY-MM-DD`, or None where none is there.

    What is ambiguous is read day first; a month that cannot be is read the other way round.

    >>> [read_date(text) for text in ("2021-05-11", "05/02/2018", "10/04/18", "May 1st, 2020", "soon")]
    ['2021-05-11', '2018-02-05', '2018-04-10', '2020-05-01', None]
    """
    text = text.strip()
    if found := _YEAR_FIRST.match(text):
        return _iso(int(found[1]), int(found[3]), int(found[4]))
    if found := _DAY_FIRST.match(text):
        year = int(found[4]) + (2000 if len(found[4]) == 2 else 0)
        return _iso(year, int(found[3]), int(found[1])) or _iso(year, int(found[1]), int(found[3]))
    if found := _DAY_NAMED.match(text):
        return _iso(int(found[3]), _month(found[2]), int(found[1]))
    if found := _MONTH_NAMED.match(text):
        return _iso(int(found[3]), _month(found[1]), int(found[2]))
    return None


def read_moment(text: str) -> str | None:
    """Return an ISO date-time unchanged, another date as `YYYY-MM-DD`, else None.

    >>> read_moment("2026-11-21T10:00:00Z"), read_moment("21/11/2026"), read_moment("soon")
    ('2026-11-21T10:00:00Z', '2026-11-21', None)
    """
    text = text.strip()
    if len(text) > 10 and _YEAR_FIRST.match(text):
        try:
            datetime.datetime.fromisoformat(text)
        except ValueError:
            return read_date(text)
        return text
    return read_date(text)


def date_in_name(name: str) -> str | None:
    """Return the date in a file's name, or None.

    >>> date_in_name("2021-05-11-multi-cluster"), date_in_name("notes-20210511"), date_in_name("0036-x")
    ('2021-05-11', '2021-05-11', None)
    """
    for found in _IN_NAME.finditer(name):
        if date := _iso(int(found[1]), int(found[3]), int(found[4])):
            return date
    return None


def number_in_name(name: str) -> int | None:
    """Return the number at the head of a file's name, or None; a date is no number.

    >>> number_in_name("0036-multi-cluster"), number_in_name("ADR-7_x"), number_in_name("2021-05-11-x")
    (36, 7, None)
    """
    if date_in_name(name):
        return None
    found = re.match(r"(?:adr|dr|rfc|decision|record)?[-_ ]*(\d{1,6})(?![\dA-Za-z])", name, re.IGNORECASE)
    return int(found[1]) if found else None


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1 if name[:3].lower() in _MONTHS else 0


def _iso(year: int, month: int, day: int) -> str | None:
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        return None
