"""Help at a terminal: its headings stand out, and so do commands, options and examples. In a pipe it is plain."""

import re

from verifflowcc.cli.terminal import CODES, wants_color

_HEADING = re.compile(r"^(Usage|[A-Z][A-Za-z ,]*):(?=$| )", re.MULTILINE)
_ENTRY = re.compile(r"^  ((?:-[\w-]+(?:, )?)+|[a-z][\w-]*)(?=  +\S|$| [A-Z\[<])", re.MULTILINE)
_EXAMPLE = re.compile(r"^  (vfcc .*)$", re.MULTILINE)


def colored_help(text: str) -> str:
    """Return a page of help as stdout gets it."""
    if not wants_color():
        return text
    text = _EXAMPLE.sub(_in("accent", "  "), text)
    return _HEADING.sub(_in("strong", "", ":"), _ENTRY.sub(_in("accent", "  "), text))


def _in(style: str, before: str, after: str = "") -> str:
    return f"{before}\x1b[{CODES[style]}m\\1{after}\x1b[0m"
