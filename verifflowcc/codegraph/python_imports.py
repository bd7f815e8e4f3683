"""Python's import statements, read from their text."""

import re
from collections.abc import Iterator

_NOISE = re.compile(r"#[^\n]*|\\\r?\n|[()]")
_TAKEN = re.compile(r"(\*|[^\W\d][\w.]*)(?:\s+as\s+([^\W\d]\w*))?")
_FROM = re.compile(r"from\s*([\w.\s]+?)\s+import\b|from\s*(\.+)\s*import\b")


def imports_in(text: str) -> Iterator[tuple[str, str, str, int]]:
    """Yield module, name, alias and offset of each name that a statement takes.

    >>> list(imports_in("import a.b, c as d")), list(imports_in("from .m import (x as y)"))
    ([('a.b', '', 'a', 7), ('c', '', 'd', 12)], [('.m', 'x', 'y', 16)])
    """
    text = _NOISE.sub(lambda noise: " " * len(noise[0]), text)
    if text.startswith("import"):
        for match in _TAKEN.finditer(text, 6):
            yield match[1], "", match[2] or match[1].partition(".")[0], match.start()
        return
    head = _FROM.match(text)
    if head is None:
        return
    module = "".join((head[1] or head[2]).split())
    for match in _TAKEN.finditer(text, head.end()):
        yield module, match[1], "" if match[1] == "*" else match[2] or match[1], match.start()
