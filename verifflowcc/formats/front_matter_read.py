"""Front matter as written: scalars stay text, so that `title: no` is a title and `created: 2026-11-21` a date's text.

`read_simple` reads the plain subset that nearly all items are written in, with no YAML library, and gives up on
anything else; `adapters/files/front_matter_yaml.py` reads the rest into the same values.
"""

import re

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar's text; `plain` where it stood without quotes; `line` of the block, from 1."""

    text: str
    plain: bool
    line: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list's values."""

    values: tuple["Value", ...]
    line: int


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping's pairs in their order; a key that stands twice is here twice."""

    pairs: tuple[tuple[str, "Value"], ...]
    line: int


Value = Scalar | Sequence | Table


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _or_beyond_ascii(others: str) -> str:
    """Return the class of ASCII letters, digits, some other ASCII characters, and all from U+00A0 on.

    It is written as what it leaves out: `re` fills a table for a range of so many characters, which takes longer than
    to import the rest of this module.
    """
    without = {*_LETTERS, *others}
    return f"[^{re.escape(''.join(one for one in map(chr, range(0xA0)) if one not in without))}]"


_UNUSUAL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_ENTRY = re.compile(r"([A-Za-z_][A-Za-z0-9_-]{0,99}):(?: +(.*))?")
_ITEM = re.compile(r"( *)- +(.*)")
_SKIPPED = re.compile(r" *(?:#.*)?")
_PLAIN = re.compile(rf"(?:{_or_beyond_ascii('_./(+~$^<')}|-(?=[^ ]))(?:[^ :#]|:(?! |$)|(?<! )#| +(?![ #]|$))*")
_QUOTED = re.compile(r"'((?:[^']|'')*)'|\"([^\"\\]*)\"")
_FLOW_SCALAR = re.compile(
    rf"(?:{_or_beyond_ascii('_./~')}|-(?=[A-Za-z0-9]))"
    rf"(?:{_or_beyond_ascii('_./@+-')}|:(?=[A-Za-z0-9_./])| +(?=[A-Za-z0-9_./]))*"
)
_WORD = r"[A-Za-z0-9_./][A-Za-z0-9_./@+-]*+(?::[A-Za-z0-9_./][A-Za-z0-9_./@+-]*+)*"
_PAIR = rf"[A-Za-z_][A-Za-z0-9_-]{{0,99}}: {_WORD}(?: {_WORD})*"
_FLAT = re.compile(rf"\{{{_PAIR}(?:, {_PAIR})*\}}")
"""What most mappings on one line look like: `{to: NEED-a, relation: refines}`, read in one go."""
_TAIL = re.compile(r" *(?: #.*)?")


class _Beyond(Exception):  # noqa: N818 - not an error: the text is beyond the subset
    pass


def read_simple(block: str) -> Table | None:
    """Return what a block with LF newlines says, or None where it uses more of YAML than this reads.

    Where it answers, it answers as YAML does; the tests hold it against the YAML library.

    >>> read_simple("title: no  # text\\n").pairs
    (('title', Scalar(text='no', plain=True, line=1)),)
    """
    if not (block.isascii() and block.replace("\n", "").isprintable()) and _UNUSUAL.search(block):
        return None
    try:
        return _block(block.split("\n"))
    except _Beyond:
        return None


def _block(lines: list[str]) -> Table:
    pairs: list[tuple[str, Value]] = []
    number, first = 0, 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if found := _ENTRY.fullmatch(line):
            first = first or number
            rest = found[2]
            if rest is None or _SKIPPED.fullmatch(rest):
                values, number_after = _items(lines, number)
                at = values[0].line if values else number
                pairs.append((found[1], Sequence(values, at) if values else Scalar("", True, number)))
                number = number_after
            else:
                pairs.append((found[1], _inline(rest, number)))
        elif not _SKIPPED.fullmatch(line):
            raise _Beyond
    if not pairs:
        raise _Beyond
    return Table(tuple(pairs), first)


def _items(lines: list[str], number: int) -> tuple[tuple[Value, ...], int]:
    """Return the list that begins in the lines from `number` on, and how many lines are read then."""
    values: list[Value] = []
    indent = None
    while number < len(lines):
        found = _ITEM.fullmatch(lines[number])
        if found is None:
            if _SKIPPED.fullmatch(lines[number]):
                number += 1
                continue
            break
        indent = found[1] if indent is None else indent
        if found[1] != indent or _SKIPPED.fullmatch(found[2]):
            raise _Beyond
        number += 1
        values.append(_inline(found[2], number))
    return tuple(values), number


def _inline(text: str, line: int) -> Value:
    first = text[0]
    if first == "{" and _FLAT.fullmatch(text):
        pairs = [pair.partition(": ") for pair in text[1:-1].split(", ")]
        return Table(tuple([(key, Scalar(value, True, line)) for key, _, value in pairs]), line)
    if first in "[{":
        value, end = _flow(text, 0, line)
    elif first in "\"'":
        value, end = _quoted(text, 0, line)
    elif found := _PLAIN.match(text):
        value, end = Scalar(found[0], True, line), found.end()
    else:
        raise _Beyond
    if not _TAIL.fullmatch(text, end):
        raise _Beyond
    return value


def _quoted(text: str, point: int, line: int) -> tuple[Scalar, int]:
    found = _QUOTED.match(text, point)
    if found is None:
        raise _Beyond
    return Scalar(found[2] if found[1] is None else found[1].replace("''", "'"), False, line), found.end()


def _flow(text: str, point: int, line: int, depth: int = 0) -> tuple[Value, int]:
    """Return the flow value at `point` and the offset behind it; at most eight deep, all on one line."""
    character = text[point : point + 1]
    if character in {'"', "'"}:
        return _quoted(text, point, line)
    if character not in {"[", "{"}:
        found = _FLOW_SCALAR.match(text, point)
        if found is None:
            raise _Beyond
        return Scalar(found[0], True, line), found.end()
    if depth == 8:
        raise _Beyond
    return _flow_list(text, point, line, depth) if character == "[" else _flow_table(text, point, line, depth)


def _flow_list(text: str, point: int, line: int, depth: int) -> tuple[Sequence, int]:
    values: list[Value] = []
    point = _skip(text, point + 1)
    while text[point : point + 1] != "]" or values:
        value, point = _flow(text, point, line, depth + 1)
        values.append(value)
        if (point := _next(text, point, "]")) < 0:
            return Sequence(tuple(values), line), -point
    return Sequence((), line), point + 1


def _flow_table(text: str, point: int, line: int, depth: int) -> tuple[Table, int]:
    pairs: list[tuple[str, Value]] = []
    point = _skip(text, point + 1)
    while text[point : point + 1] != "}" or pairs:
        key = _ENTRY_KEY.match(text, point)
        if key is None:
            raise _Beyond
        value, point = _flow(text, key.end(), line, depth + 1)
        pairs.append((key[1], value))
        if (point := _next(text, point, "}")) < 0:
            return Table(tuple(pairs), line), -point
    return Table((), line), point + 1


_ENTRY_KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_-]{0,99}): +")


def _skip(text: str, point: int) -> int:
    while text[point : point + 1] == " ":
        point += 1
    return point


def _next(text: str, point: int, close: str) -> int:
    """Return where the value behind a comma begins, or, negative, the offset behind the closing bracket."""
    point = _skip(text, point)
    character = text[point : point + 1]
    if character == close:
        return -(point + 1)
    if character != ",":
        raise _Beyond
    return _skip(text, point + 1)
