"""New lines in the output of `git diff --unified=0 --no-color --no-ext-diff --src-prefix=a/ --dst-prefix=b/`."""

import re
from collections.abc import Iterator, Mapping

from verifflowcc.errors import FormatError

_HUNK = re.compile(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@.*", re.DOTALL)
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_ESCAPED = re.compile(r'\\([0-7]{3}|[abtnvfr"\\])')


def new_lines(diff: str) -> Mapping[str, tuple[int, ...]]:
    """Return the numbers of the lines that are new, by the path that a file has now.

    A file from which lines only went has none, but is there; one that is gone, and one whose content git does not show
    (renamed only, binary), is not. A path that git quotes is unquoted; bytes that are not UTF-8 become what Python
    makes of such file names. Raises FormatError where the text is no such output.

    >>> dict(new_lines("--- a/x\\n+++ b/x\\n@@ -1,0 +2,2 @@ def f():\\n+one\\n+two\\n"))
    {'x': (2, 3)}
    """
    found: dict[str, list[int]] = {}
    path: str | None = None
    lines = enumerate(diff.split("\n"), start=1)
    for number, line in lines:
        if line.startswith("diff --git "):
            path = None
        elif line.startswith(("diff --cc ", "diff --combined ")):
            raise FormatError(f"line {number} of the diff compares more than two versions")
        elif line.startswith("+++ "):
            path = _path(line[4:], number)
            if path is not None:
                found.setdefault(path, [])
        elif hunk := _HUNK.fullmatch(line):
            old, new = (1 if size is None else int(size) for size in (hunk[1], hunk[3]))
            _skip(lines, old, new, number)
            if path is not None:
                found[path].extend(range(int(hunk[2]), int(hunk[2]) + new))
            elif new:
                raise FormatError(f"line {number} of the diff adds lines to no file")
    return {path: tuple(numbers) for path, numbers in found.items()}


def _skip(lines: Iterator[tuple[int, str]], old: int, new: int, start: int) -> None:
    """Pass over a hunk's own lines, which may look like anything."""
    left = {"-": old, "+": new}
    while any(left.values()):
        _, line = next(lines, (0, ""))
        if line.startswith("\\"):
            continue
        if not line[:1] or not left.get(line[:1], 0):
            raise FormatError(f"the hunk on line {start} of the diff is not as long as it says")
        left[line[:1]] -= 1


def _path(text: str, number: int) -> str | None:
    """Return the path after `+++`; None for a file that is gone."""
    # Git puts a tab behind a path with a space in it.
    spelled = text.removesuffix("\t")
    if spelled == "/dev/null":
        return None
    path = _unquoted(spelled) if spelled.startswith('"') else spelled
    if not path.startswith("b/") or path == "b/":
        raise FormatError(f"line {number} of the diff names {spelled[:80]}, which has no b/ before it")
    return path[2:]


def _unquoted(text: str) -> str:
    if len(text) < 2 or not text.endswith('"'):
        raise FormatError(f"the diff's path {text[:80]} has no end")
    raw, place = bytearray(), 0
    for escape in _ESCAPED.finditer(text, 1, len(text) - 1):
        raw += text[max(place, 1) : escape.start()].encode("utf-8", "surrogateescape")
        code = escape[1]
        raw.append(_ESCAPES[code] if code in _ESCAPES else int(code, 8) & 255)
        place = escape.end()
    raw += text[max(place, 1) : -1].encode("utf-8", "surrogateescape")
    return raw.decode("utf-8", "surrogateescape")
