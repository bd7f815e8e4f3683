"""A change of files between two states: which files, and the hunks of each."""

import re
from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass

ADDED, DELETED, RENAMED, CHANGED = "added", "deleted", "renamed", "changed"


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a diff that belong together, each with its first character: a space, `+`, `-` or a backslash.

    `old` and `new` are the numbers of the first line on each side; of a side without lines, where it would be.
    """

    old: int
    new: int
    lines: tuple[str, ...]

    @property
    def added(self) -> int:
        """How many lines are new."""
        return sum(line[:1] == "+" for line in self.lines)

    @property
    def removed(self) -> int:
        """How many lines are gone."""
        return sum(line[:1] == "-" for line in self.lines)

    @property
    def new_range(self) -> tuple[int, int]:
        """The first and the last line on the new side; the last is before the first where there is none."""
        return self.new, self.new + self._count(" +") - 1

    @property
    def old_range(self) -> tuple[int, int]:
        """The same of the old side."""
        return self.old, self.old + self._count(" -") - 1

    @property
    def header(self) -> str:
        """The line that begins it, as git writes it."""
        old, new = self._count(" -"), self._count(" +")
        return f"@@ -{self.old - (not old)},{old} +{self.new - (not new)},{new} @@"

    def _count(self, sides: str) -> int:
        return sum(line[:1] in tuple(sides) for line in self.lines)


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What became of a file. `was` is its former path where it was renamed.

    `added` and `removed` count lines; `unshown` says why there are no hunks, as an adjective; empty where there are.
    """

    path: str
    status: str
    hunks: tuple[Hunk, ...] = ()
    added: int = 0
    removed: int = 0
    was: str = ""
    unshown: str = ""


# The output of `git diff-tree --raw -z --patch` as files with hunks.
#
# Everything is read as text (`--text`), so that no attribute of a work tree decides what a commit's diff is; what is
# binary is seen by its NUL bytes.

LARGEST_BYTES = 1 << 20
"""The hunks of a longer diff of one file are not read."""

LONG_LINES, SHORTEST_LINES = 80, 24
"""A hunk with more lines than the first is cut at blank lines, into parts of the second at least."""

_HUNK = lazy_pattern(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_STATUS = {b"A": ADDED, b"D": DELETED, b"R": RENAMED}
_TYPE_CHANGED = b"T"


def parse_patch(out: bytes) -> tuple[tuple[bytes, bytes, FileDiff], ...]:
    """Return name, former name and diff of each file, in git's order; the diff's own paths are left empty.

    Names are bytes, as git has them. Raises FormatError where the text is no such output.
    """
    entries, patch = _entries(out)
    sections = _sections(patch)
    found = []
    for status, was, name in entries:
        count = 2 if status == _TYPE_CHANGED else 1
        mine, sections = sections[:count], sections[count:]
        if len(mine) < count:
            raise FormatError(f"the diff has no section for {name.decode('utf-8', 'replace')}")
        found.append((name, was, _diff(_STATUS.get(status, CHANGED), mine)))
    return tuple(found)


def _entries(out: bytes) -> tuple[list[tuple[bytes, bytes, bytes]], bytes]:
    """Return status, former name and name of each file, and the patch behind the list."""
    found = []
    while out.startswith(b":"):
        about, _, out = out.partition(b"\0")
        status = about.rpartition(b" ")[2][:1]
        was, _, out = out.partition(b"\0")
        name = was
        if status in (b"R", b"C"):
            name, _, out = out.partition(b"\0")
        found.append((status, was if name != was else b"", name))
    return found, out.removeprefix(b"\0")


def _sections(patch: bytes) -> list[bytes]:
    """Return the patch of each file. No line of a hunk begins with a letter, so that none looks like a section."""
    return [part for part in re.split(rb"(?m)^(?=diff --git )", patch) if part]


def _diff(status: str, sections: Sequence[bytes]) -> FileDiff:
    binary = any(b"\0" in each for each in sections)
    hunks = [hunk for each in sections for hunk in _hunks(each)] if not binary else []
    added, removed = sum(each.added for each in hunks), sum(each.removed for each in hunks)
    large = sum(map(len, sections)) > LARGEST_BYTES
    unshown = "binary" if binary else "large" if large else ""
    shown = () if unshown else tuple(part for each in hunks for part in parts_of(each))
    return FileDiff("", status, shown, added, removed, unshown=unshown)


def _hunks(section: bytes) -> Iterator[Hunk]:
    begin, lines = (0, 0), list[str]()
    for line in section.split(b"\n"):
        if found := _HUNK.match(line):
            if lines:
                yield Hunk(*begin, tuple(lines))
            begin, lines = (_first(found[1], found[2]), _first(found[3], found[4])), []
        elif begin != (0, 0) and line[:1] in (b" ", b"+", b"-", b"\\"):
            lines.append(line.decode("utf-8", "replace"))
    if lines:
        yield Hunk(*begin, tuple(lines))


def _first(number: bytes, count: bytes | None) -> int:
    """Return the line at which a side begins; of a side without lines, git names the line before."""
    return int(number) + (count == b"0")


def parts_of(hunk: Hunk) -> tuple[Hunk, ...]:
    """Return a long hunk as several that follow each other, cut at blank lines; a short one as it is.

    Together they hold the same lines in the same order, so that each is a hunk by itself.
    """
    if len(hunk.lines) <= LONG_LINES:
        return (hunk,)
    parts: list[Hunk] = []
    first, old, new = 0, hunk.old, hunk.new
    for place in _cuts(hunk.lines):
        part = Hunk(old, new, hunk.lines[first:place])
        parts.append(part)
        first, old, new = place, part.old_range[1] + 1, part.new_range[1] + 1
    return (*parts, Hunk(old, new, hunk.lines[first:]))


def _cuts(lines: Sequence[str]) -> Iterator[int]:
    """Yield the places of lines that follow a blank one: unindented where there are such, else any in a long part."""
    first = 0
    for place in range(1, len(lines) - SHORTEST_LINES):
        if place - first < SHORTEST_LINES or lines[place - 1][1:].strip():
            continue
        outer = lines[place][1:2].strip()
        if outer or place - first >= LONG_LINES:
            yield place
            first = place


# New lines in the output of `git diff --unified=0 --no-color --no-ext-diff --src-prefix=a/ --dst-prefix=b/`.

_UNIFIED_DIFF_HUNK = lazy_pattern(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@.*", re.DOTALL)
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_ESCAPED = lazy_pattern(r'\\([0-7]{3}|[abtnvfr"\\])')


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
        elif hunk := _UNIFIED_DIFF_HUNK.fullmatch(line):
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
