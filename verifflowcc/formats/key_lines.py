"""Where the keys of front matter stand in a file, for messages about them."""

import re

from verifflowcc.formats.front_matter import split

_KEY = re.compile(r"[ ]*([A-Za-z_][A-Za-z0-9_-]{0,99})[ ]*:(?: |$)")


def key_lines(text: str) -> dict[str, int]:
    """Return each key that begins a line of the front matter, and its line in the file; of several the first.

    Keys inside of another's value stand deeper, and are left out.

    >>> key_lines("---\\nid: a\\nsource:\\n  kind: explicit\\nlinks: []\\n---\\n")
    {'id': 2, 'source': 3, 'links': 5}
    """
    block = split(text.replace("\r\n", "\n")).block
    found: dict[str, int] = {}
    indent = None
    for number, line in enumerate((block or "").split("\n"), 2):
        match = _KEY.match(line)
        if match is None:
            continue
        depth = match.start(1)
        indent = depth if indent is None else indent
        if depth == indent:
            found.setdefault(match[1], number)
    return found
