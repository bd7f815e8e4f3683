"""Lines folded between words to the terminal's width; in a pipe they stay as they are."""

import sys

from verifflowcc.cli.output import without_secrets
from verifflowcc.cli.table import UNBOUNDED, width_of


def folded(line: str, hang: int) -> str:
    """Return `line` folded to the width of stdout, further lines indented by `hang` columns; no word is cut."""
    width = width_of(sys.stdout)
    if width >= UNBOUNDED or len(line) <= width:
        return line
    import textwrap

    return textwrap.fill(
        without_secrets(line),
        width,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )
