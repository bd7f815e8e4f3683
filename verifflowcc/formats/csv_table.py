"""Rows as CSV (RFC 4180), safe to open in a spreadsheet.

Lines end with CRLF; a cell with a comma, a quote or a line end is quoted, quotes are doubled. A cell that begins with
`=`, `+`, `-`, `@`, a tab or a line end, which a spreadsheet would run as a formula, gets a `'` before it; so does one
whose first letter is `'`, so that taking one `'` away always gives back what was written.
"""

from collections.abc import Iterable, Sequence

_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "'")
_QUOTED = frozenset(',"\r\n')


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Return headings and rows as CSV.

    >>> csv_text(["id", "text"], [["REQ-a", "=1, 2"]])
    'id,text\r\nREQ-a,"\'=1, 2"\r\n'
    """
    return "".join(f"{','.join(map(_cell, row))}\r\n" for row in (headings, *rows))


def unguarded(cell: str) -> str:
    """Return what a cell said before it was made safe for spreadsheets."""
    return cell[1:] if cell.startswith("'") and cell[1:].lstrip(" ").startswith(_RUN) else cell


def _cell(text: str) -> str:
    safe = f"'{text}" if text.lstrip(" ").startswith(_RUN) else text
    return '"{}"'.format(safe.replace('"', '""')) if not _QUOTED.isdisjoint(safe) or safe != safe.strip() else safe
