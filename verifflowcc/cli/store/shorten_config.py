"""Take out of a `config.yaml` the values that an earlier `vfcc init` wrote, so that today's defaults apply.

Format 1 held every default. Those files come with vfcc (`templates/earlier-configs/`): a value that equals one of them
was not chosen by anybody. Values are taken out by whole lines; every other byte stays.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import yaml

from verifflowcc.base.config.yaml_values import Lines, Loc, Value, read_yaml
from verifflowcc.base.records import dataclass

CHOSEN = ("format", "workflow")
"""Keys that a new file has, too, whatever their values."""
_WHOLE: tuple[Loc, ...] = (("token_allocation",),)
"""Mappings that count as one value: what a role gets depends on the other roles."""
_KEY_LINE = re.compile(r"format[ \t]*:")
_EXAMPLE = "#   "
"""A comment that begins so shows more of the key above it; it does not introduce the key below."""


@dataclass(frozen=True, slots=True)
class ShortConfig:
    """A file without what is no choice; `taken` are the places that went, each without the places below it."""

    text: str
    taken: tuple[Loc, ...]


def shorten(text: str, earlier: Sequence[str], head: str) -> ShortConfig:
    """Return the text without the values and comments that one of the `earlier` files has at the same place.

    A value stays where it, or a key above it, has a comment that no earlier file has: somebody chose it. Where the
    file's form does not allow it by whole lines (aliases, mappings in braces over several lines), everything stays.
    `head` replaces the comment at the top of an earlier file.
    """
    value = read_yaml(text, "", exact=True).value
    if not isinstance(value, dict) or _has_aliases(text):
        return ShortConfig(text, ())
    page = _Page(text, earlier)
    taken = page.taken(value)
    shorter = page.without(taken, head)
    if read_yaml(shorter, "", exact=True).value != (_pruned(value, (), taken) or {}):
        return ShortConfig(text, ())
    return ShortConfig(shorter, tuple(loc for loc in taken if loc[:-1] not in taken))


def _has_aliases(text: str) -> bool:
    return any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader))


def _pruned(value: Value, loc: Loc, taken: Sequence[Loc]) -> Value:
    if not isinstance(value, dict) or loc in _WHOLE:
        return value
    return {key: _pruned(child, (*loc, key), taken) for key, child in value.items() if (*loc, key) not in taken}


class _Page:
    """A file as lines, and whose each comment is."""

    def __init__(self, text: str, earlier: Sequence[str]) -> None:
        self.lines = text.splitlines(keepends=True)
        self.places: Lines = {
            loc: line - 1 for loc, line in read_yaml(text, "", exact=True).lines.items() if loc and _is_key(loc)
        }
        self.shipped = [read_yaml(each, "", exact=True).value for each in earlier]
        self.heads = [_head(each.splitlines()) for each in earlier]
        self.known = {line.strip() for each in earlier for line in each.splitlines()}
        self.keys = sorted({*self.places.values()})
        self.owned = dict(self._owned())

    def taken(self, value: Mapping[str, Value]) -> list[Loc]:
        """Return the places that go: values, and mappings of which nothing is left."""
        found: list[Loc] = []
        for key, child in value.items():
            if key not in CHOSEN:
                self._take(child, (key,), found)
        return found

    def _take(self, value: Value, loc: Loc, found: list[Loc]) -> None:
        if isinstance(value, dict) and value and loc not in _WHOLE and not self._in_braces(value, loc):
            for key, child in value.items():
                self._take(child, (*loc, key), found)
            if all((*loc, key) in found for key in value):
                found.append(loc)
        elif any(_same(_at(each, loc), value) for each in self.shipped) and not self._has_own_comment(loc):
            found.append(loc)

    def _in_braces(self, value: Mapping[str, Value], loc: Loc) -> bool:
        return any(self.places.get((*loc, key)) == self.places[loc] for key in value)

    def _has_own_comment(self, loc: Loc) -> bool:
        keys = [self.places[loc[:depth]] for depth in range(1, len(loc) + 1)]
        lines = [*keys, *self._span(loc), *(line for line, key in self.owned.items() if key in keys)]
        return any("#" in self.lines[line] and self._strip(line) not in self.known for line in lines)

    def _span(self, loc: Loc) -> range:
        """The lines of a key and its value, without the comments and empty lines after it."""
        start = self.places[loc]
        others = [line for place, line in self.places.items() if line > start and place[: len(loc)] != loc]
        end = min(others, default=len(self.lines))
        while end > start + 1 and (not self._strip(end - 1) or self._is_comment(end - 1)):
            end -= 1
        return range(start, end)

    def without(self, taken: Sequence[Loc], head: str) -> str:
        """Return the text without these places, and with `head` for that of an earlier file."""
        gone = {line for loc in taken for line in ([self.places[loc]] if self._is_parent(loc) else self._span(loc))}
        keys = {self.places[loc] for loc in taken}
        gone |= {line for line, key in self.owned.items() if key in keys and self._strip(line) in self.known}
        kept: list[str] = []
        cut = False
        for number, line in enumerate(self.lines):
            if number in gone:
                cut = True
            elif line.strip() or not (cut and (not kept or not kept[-1].strip() or kept[-1].rstrip().endswith(":"))):
                kept.append(line)
                cut = cut and not line.strip()
        while cut and kept and not kept[-1].strip():
            kept.pop()
        return "".join(self._with_head(kept, head))

    def _is_parent(self, loc: Loc) -> bool:
        below = (line for place, line in self.places.items() if place[:-1] == loc)
        return loc not in _WHOLE and any(line > self.places[loc] for line in below)

    def _with_head(self, kept: list[str], head: str) -> list[str]:
        old = _head([line.strip("\r\n") for line in kept])
        if old not in self.heads or not old:
            return kept
        end = "\r\n" if kept[0].endswith("\r\n") else "\n"
        return [*(f"{line}{end}" for line in _head(head.splitlines())), *kept[len(old) :]]

    def _owned(self) -> Iterator[tuple[int, int]]:
        """Yield each comment line with the line of the key that it is about; comments that stand alone are left out."""
        number = 0
        while number < len(self.lines):
            end = number
            while end < len(self.lines) and self._is_comment(end):
                end += 1
            owner = self._owner(number, end) if end > number else None
            if owner is not None:
                yield from ((line, owner) for line in range(number, end))
            number = end + 1

    def _owner(self, start: int, end: int) -> int | None:
        """The key that comment lines introduce, or else the one that they follow without an empty line between."""
        indent = self._indent(start)
        after = next((key for key in self.keys if key >= end), None)
        introduces = after is not None and self._indent(after) == indent
        if introduces and after == end and not self._strip(start).startswith(_EXAMPLE):
            return after
        before = [key for key in self.keys if key < start]
        if before and self._strip(start - 1) and indent >= self._indent(before[-1]):
            return before[-1]
        shipped = all(self._strip(line) in self.known for line in range(start, end))
        return after if introduces and shipped else None

    def _is_comment(self, number: int) -> bool:
        return self._strip(number).startswith("#")

    def _strip(self, number: int) -> str:
        return self.lines[number].strip()

    def _indent(self, number: int) -> int:
        return len(self.lines[number]) - len(self.lines[number].lstrip(" "))


def _is_key(loc: Loc) -> bool:
    return all(isinstance(part, str) for part in loc)


def _head(lines: Sequence[str]) -> list[str]:
    """The comment at the top of a file, up to its format; nothing where there is anything else before that."""
    for number, line in enumerate(lines):
        if _KEY_LINE.match(line):
            return [*lines[:number]]
        if line.strip() and not line.startswith("#"):
            return []
    return []


def _at(value: Value, loc: Loc) -> Value:
    for part in loc:
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[str(part)]
    return value


def _same(shipped: Value, given: Value) -> bool:
    return shipped is not None and type(shipped) is type(given) and shipped == given
