"""Whether a person looks at a stream, and whether it takes colour; a pipe gets neither."""

import os
from typing import TextIO


def person_looks(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that can redraw lines, outside of CI."""
    return stream.isatty() and os.environ.get("TERM", "dumb") != "dumb" and not os.environ.get("CI")


def wants_color(stream: TextIO) -> bool:
    """Return whether a stream is such a terminal, and the person wants colour."""
    return person_looks(stream) and not os.environ.get("NO_COLOR")
