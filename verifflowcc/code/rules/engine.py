"""A source text, what a query captures in it, and the definition around a place.

Places are offsets in bytes. The text is held as one letter for each byte, so that offsets are those of the grammar;
names are decoded when they are taken out.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate, count
from operator import add
from typing import TYPE_CHECKING

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.code.rules.graph import FILE

if TYPE_CHECKING:
    from tree_sitter import Language, Node


# One name of the text of a type, in languages with braces.

_WORDS = lazy_pattern(
    r"\b(?:const|mut|dyn|impl|ref|struct|enum|union|class|readonly|typename|unsigned|in|out|final|volatile|static|"
    r"keyof|asserts|async|scoped)\b(?!\s*[.:<\[])|'[a-z_]\w*\b"
)
_NAME = lazy_pattern(r"[^\W\d][\w.]*")
_NOTHING = frozenset({"null", "undefined", "None", "nil", "void", "var", "auto", "let", "any", "unknown", "never"})


def type_namer(wrappers: Collection[str]) -> Callable[[str], str]:
    """Return what takes the one name from a type's text, its parts joined by dots; "" where there are several or none.

    Of a generic type with arguments the name counts, unless it is one of `wrappers`, whose first argument does then.

    >>> namer = type_namer({"Promise"})
    >>> namer(": Promise<a.Foo>"), namer("*Foo"), namer("Foo | null"), namer("Foo[]"), namer("&'a mut m::Foo<u8>")
    ('a.Foo', 'Foo', 'Foo', '', 'm.Foo')
    """
    kept = frozenset(wrappers)

    def type_name(text: str) -> str:
        if len(text) > 400:
            return ""
        text = text.strip()
        text = text if text.startswith("::") else text.removeprefix(":")
        for _ in range(6):
            text = _WORDS.sub("", text).replace("::", ".").replace("\\", ".").strip().lstrip("*&?(.@ ").rstrip("*&?!) ")
            if "|" in text:
                parts = [part.strip() for part in _outside(text, "|")]
                parts = [part for part in parts if part and part not in _NOTHING]
                if len(parts) != 1:
                    return ""
                text = parts[0]
            match = _NAME.match(text)
            if match is None:
                return ""
            head, rest = match[0].rstrip("."), text[match.end() :].strip()
            if not rest:
                return "" if head in _NOTHING else head
            if rest[0] == "<" and rest[-1] == ">":
                if head.rpartition(".")[2] not in kept:
                    return head
                text = _outside(rest[1:-1], ",")[0]
            elif rest[0] == "[" and rest != "[]" and rest[-1] == "]":
                return head
            else:
                return ""
        return ""

    return type_name


def _outside(text: str, at: str) -> list[str]:
    """Return the parts of a text between marks that stand in no brackets."""
    parts, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        if letter in "<[(":
            depth += 1
        elif letter in ">])":
            depth -= 1
        elif letter == at and depth <= 0:
            parts.append(text[begin:place])
            begin = place + 1
    return [*parts, text[begin:]]


LEAST_STEPS, BYTES_PER_STEP = 2_000, 16
"""How many hundreds of steps a parser may take; usual texts need one for 100 bytes, some strange ones never end."""
MOST_WRONG = 10_000
"""So many parts of what could not be parsed are looked at; a query's time grows with the square of them."""
LONGEST_SIGNATURE = 200
LAST = 1 << 62
"""After every place."""
_COMMENTS = ("#", "//", "/*", "*")
"""What a line above a definition begins with that belongs to it: a comment."""
_DIRECTIVES = tuple(
    "#!|#include|#define|#if|#endif|#else|#elif|#undef|#pragma|#error|#line|#region|#endregion".split("|")
)


class SourceText:
    """A text by offsets in bytes. Of a plain one, parts need not be decoded."""

    __slots__ = ("ends", "is_plain", "text")

    def __init__(self, data: bytes) -> None:
        self.text = data.decode("latin-1")
        self.is_plain = data.isascii()
        self.ends = list(map(add, accumulate(map(len, data.split(b"\n")[:-1])), count()))

    def line(self, place: int) -> int:
        """Return the line of a place, from 1."""
        return bisect_right(self.ends, place - 1) + 1

    def __getitem__(self, part: slice) -> str:
        """Return a part of the text."""
        return decoded(self.text[part])

    def of(self, node: "Node") -> str:
        """Return the text of a node."""
        start, end = node.byte_range
        return decoded(self.text[start:end])

    def first_line(self, place: int) -> int:
        """Return the first line of the comment right above the line that a place begins, else the line of the place."""
        line, text, ends = self.line(place), self.text, self.ends
        if line > 1 and text[ends[line - 2] + 1 : place].strip():
            return line
        while line > 1:
            above = text[ends[line - 3] + 1 if line > 2 else 0 : ends[line - 2]].strip()
            if not above.startswith(_COMMENTS) or above.startswith(_DIRECTIVES):
                return line
            line -= 1
        return line


def as_utf8(data: bytes) -> bytes:
    """Return a text in UTF-8; what is in something else is taken as Latin-1, so that its lines stay the same."""
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1").encode()
    return data


def decoded(part: str) -> str:
    """Return a part of a text that was held by bytes as what it says; wrong bytes are replaced."""
    return part if part.isascii() else part.encode("latin-1").decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class QueryMatches:
    """A text and the nodes that a query captured in it, by the names of the captures, in no order."""

    source: SourceText
    captures: "dict[str, list[Node]]"

    def nodes(self, name: str) -> "list[Node]":
        """Return the nodes of a capture, in no order."""
        return self.captures.get(name, [])

    def ordered(self, name: str) -> "list[Node]":
        """Return the nodes of a capture, in order."""
        return sorted(self.captures.get(name, ()), key=lambda node: node.byte_range)

    def ranges(self, name: str) -> list[tuple[int, int]]:
        """Return where the nodes of a capture stand, in order."""
        ranges = [node.byte_range for node in self.captures.get(name, ())]
        ranges.sort()
        return ranges


def parsed(language: "Language", data: bytes) -> "Node | str":
    """Return the root of a text's tree, or why it cannot be parsed, as a clause."""
    from tree_sitter import Parser

    most, steps = LEAST_STEPS + len(data) // BYTES_PER_STEP, 0

    def too_long(*_: object) -> bool:
        nonlocal steps
        steps += 1
        return steps > most

    try:
        tree = Parser(language).parse(lambda place, _: data[place : place + 65536], progress_callback=too_long)
    except ValueError:
        return "it is too hard to parse"
    root = tree.root_node
    return "it is no text of its language" if root.has_error and _is_noise(root) else root


def _is_noise(root: "Node") -> bool:
    """Say whether something that could not be parsed holds so much that a query over it would take seconds."""
    wrong = [root]
    for _ in range(MOST_WRONG):
        if not wrong:
            return False
        node = wrong.pop()
        if node.is_error and node.child_count > MOST_WRONG:
            return True
        wrong += [child for child in node.children if child.has_error]
    return True


def first_child(node: "Node") -> "Node | None":
    """Return the first named child of a node; there may be none in broken text."""
    children = node.named_children
    return children[0] if children else None


class Scopes:
    """Find the innermost of nested ranges around a place.

    `ranges` are (start, end) in the order of their places in a list of definitions: by start, the longer ones first.
    What is in one of `outer` belongs to the range around the one that it is in (a default value, say).
    """

    __slots__ = ("_inside", "_starts", "parents")

    def __init__(self, ranges: Sequence[tuple[int, int]], outer: Iterable[tuple[int, int]] = ()) -> None:
        marked = [(start, -end, 0, place) for place, (start, end) in enumerate(ranges)]
        marked += [(start, -end, 1, FILE) for start, end in outer]
        marked.sort()
        self.parents = [FILE] * len(ranges)
        self._starts, self._inside = [0], [FILE]
        open_ranges: list[tuple[int, int]] = []
        for start, minus_end, is_outer, number in marked:
            self._close(open_ranges, start)
            place = around = open_ranges[-1][1] if open_ranges else FILE
            if not is_outer:
                place, self.parents[number] = number, around
            elif around != FILE:
                place = self.parents[around]
            end = min(-minus_end, open_ranges[-1][0]) if open_ranges else -minus_end
            open_ranges.append((end, place))
            self._note(start, place)
        self._close(open_ranges, None)

    def _close(self, open_ranges: list[tuple[int, int]], start: int | None) -> None:
        while open_ranges and (start is None or open_ranges[-1][0] <= start):
            end, _ = open_ranges.pop()
            self._note(end, open_ranges[-1][1] if open_ranges else FILE)

    def _note(self, place: int, inside: int) -> None:
        if self._starts[-1] == place:
            self._inside[-1] = inside
        else:
            self._starts.append(place)
            self._inside.append(inside)

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Yield where the stretches of text end that have the same innermost range, and the range's place."""
        return zip([*self._starts[1:], LAST], self._inside, strict=True)

    def inside(self, place: int) -> int:
        """Return the place in the list of the innermost range around an offset, `FILE` where there is none."""
        return self._inside[bisect_right(self._starts, place) - 1]


def one_line(text: str) -> str:
    """Return a text on one line, cut where it is longer than a signature may be."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_SIGNATURE else line[: LONGEST_SIGNATURE - 1] + "…"


def first_of(line: int, first: int) -> int:
    """Return a definition's `start`: the first of its lines where that is not the one of its name, else 0."""
    return first if first < line else 0
