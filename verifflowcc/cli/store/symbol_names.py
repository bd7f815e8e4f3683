"""Read the names of symbols from the index of the code, for completion: without a lock, and without a write."""

from verifflowcc.base.text import quick_json

TYPE_CHECKING = False

if TYPE_CHECKING:
    from verifflowcc.base.text.quick_json import Json


_LISTS = 4
_MOST_UNITS = 1 << 24
_SUM_BYTES = 4
_DEFINING = f"SELECT number, body FROM lists WHERE number / {_MOST_UNITS} % {_LISTS} = 0"
"""The layout is that of `code_graph_tables`, which imports too much for this."""


def symbol_names(path: str) -> list[str]:
    """Return the names of symbols in the last state of the index at `path`; none where it cannot be read.

    A write of another process at this moment is not seen: the file is opened as immutable, since SQLite would otherwise
    create files beside it.
    """
    import sqlite3
    import zlib

    # In a URI, `?` and `#` end the path, and `%` begins an escape.
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    names: set[str] = set()
    try:
        connection = sqlite3.connect(f"file:{quoted}?mode=ro&immutable=1", uri=True)
        try:
            rows = connection.execute("SELECT body FROM tree WHERE name = 'numbers'").fetchall()
            current = set(_unpacked(rows[0][0])) if rows else set()
            for number, body in connection.execute(_DEFINING):
                first = number // _MOST_UNITS // _LISTS * _MOST_UNITS
                bucket = _unpacked(body)
                names.update(each for each in bucket if not current.isdisjoint(first + text for text in bucket[each]))
        finally:
            connection.close()
    except (sqlite3.Error, zlib.error, ValueError, TypeError):
        return []  # damaged, or written by another version: pressing Tab is no place to report that
    return sorted(names)


def _unpacked(body: bytes) -> "Json":
    import zlib

    return quick_json.read(zlib.decompress(body[_SUM_BYTES:]).decode("utf-8", "replace"))
