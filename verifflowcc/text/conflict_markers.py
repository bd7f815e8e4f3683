"""What a merge leaves in a file where both sides changed the same lines."""

import re

_MARKERS = re.compile(rb"(?ms)^<{7} [^\n]*\n.*?^={7}\r?\n.*?^>{7} ")


def conflict_line(data: bytes) -> int | None:
    """Return the line of the first conflict that a merge left open; None where there is none.

    >>> conflict_line(b"title: x\\n<<<<<<< HEAD\\na\\n=======\\nb\\n>>>>>>> other\\n")
    2
    """
    found = _MARKERS.search(data) if b"<<<<<<< " in data else None
    return data.count(b"\n", 0, found.start()) + 1 if found else None
