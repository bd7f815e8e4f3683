"""The output of `git diff-tree --raw -z --patch` as files with hunks.

Everything is read as text (`--text`), so that no attribute of a work tree decides what a commit's diff is; what is
binary is seen by its NUL bytes.
"""

import re
from collections.abc import Iterator, Sequence

from verifflowcc.domain.patches import ADDED, CHANGED, DELETED, RENAMED, FileDiff, Hunk
from verifflowcc.errors import FormatError

LARGEST_BYTES = 1 << 20
"""The hunks of a longer diff of one file are not read."""

LONG_LINES, SHORTEST_LINES = 80, 24
"""A hunk with more lines than the first is cut at blank lines, into parts of the second at least."""

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
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
