"""Whether a person looks at a stream, and whether it takes colour; a pipe gets neither."""

import os
from typing import TextIO


def person_looks(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that can redraw lines, outside of CI."""
    if os.environ.get("TERM", "") in ("", "dumb") or os.environ.get("CI", "").lower() not in ("", "0", "false"):
        return False
    return stream.isatty()


def wants_color(stream: TextIO) -> bool:
    """Return whether a stream is such a terminal, and the person wants colour."""
    return person_looks(stream) and not os.environ.get("NO_COLOR")
