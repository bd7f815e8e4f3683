"""Front matter as written: scalars stay text, so that `title: no` is a title and `created: 2026-11-21` a date's text.

`read_simple` reads the plain subset that nearly all items are written in, with no YAML library, and gives up on
anything else; `adapters/files/front_matter_yaml.py` reads the rest into the same values.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from operator import methodcaller
from typing import NamedTuple, TypeVar

from verifflowcc.base.model.item_values import (
    ArchiveNote,
    ItemKey,
    Link,
    Ref,
    Relation,
    Source,
    SourceKind,
    Stamp,
    Uses,
    ValueKind,
)
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.dates import read_moment
from verifflowcc.base.text.plain_words import nearest


class FieldScalar(NamedTuple):
    """A scalar's text; `plain` where it stood without quotes; `line` of the block, from 1.

    A tuple, since an item has twenty and a record takes twice as long to make.
    """

    text: str
    plain: bool
    line: int


@dataclass(frozen=True, slots=True)
class FieldList:
    """A list's values."""

    values: tuple["Value", ...]
    line: int


@dataclass(frozen=True, slots=True)
class FieldTable:
    """The pairs of a mapping in their order; a repeated key is here twice."""

    pairs: tuple[tuple[str, "Value"], ...]
    line: int


Value = FieldScalar | FieldList | FieldTable


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _or_beyond_ascii(others: str) -> str:
    """Return the class of ASCII letters, digits, some other ASCII characters, and all from U+00A0 on.

    It is written as what it leaves out: `re` fills a table for a range of so many characters, which takes longer than
    to import the rest of this module.
    """
    without = {*_LETTERS, *others}
    return f"[^{re.escape(''.join(one for one in map(chr, range(0xA0)) if one not in without))}]"


_UNUSUAL = lazy_pattern("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_ENTRY = lazy_pattern(r"([A-Za-z_][A-Za-z0-9_-]{0,99}):(?: +(.*))?")
_ITEM = lazy_pattern(r"( *)- +(.*)")
_SKIPPED = lazy_pattern(r" *(?:#.*)?")
_PLAIN = lazy_pattern(rf"(?:{_or_beyond_ascii('_./(+~$^<')}|-(?=[^ ]))(?:[^ :#]|:(?! |$)|(?<! )#| +(?![ #]|$))*")
_QUOTED = lazy_pattern(r"'((?:[^']|'')*)'|\"([^\"\\]*)\"")
_FLOW_SCALAR = lazy_pattern(
    rf"(?:{_or_beyond_ascii('_./~')}|-(?=[A-Za-z0-9]))"
    rf"(?:{_or_beyond_ascii('_./@+-')}|:(?=[A-Za-z0-9_./])| +(?=[A-Za-z0-9_./]))*"
)
_WORD = r"[A-Za-z0-9_./][A-Za-z0-9_./@+-]*+(?::[A-Za-z0-9_./][A-Za-z0-9_./@+-]*+)*"
_PAIR = rf"[A-Za-z_][A-Za-z0-9_-]{{0,99}}: {_WORD}(?: {_WORD})*"
_FLAT = lazy_pattern(rf"\{{{_PAIR}(?:, {_PAIR})*\}}")
"""What most mappings on one line look like: `{to: NEED-a, relation: refines}`, read in one go."""
_TAIL = lazy_pattern(r" *(?: #.*)?")


class _Beyond(Exception):  # noqa: N818 - not an error: the text is beyond the subset
    pass


def read_simple(block: str) -> FieldTable | None:
    """Return what a block with LF newlines says, or None where it uses more of YAML than this reads.

    Where it answers, it answers as YAML does; the tests hold it against the YAML library.

    >>> read_simple("title: no  # text\\n").pairs
    (('title', FieldScalar(text='no', plain=True, line=1)),)
    """
    if not (block.isascii() and block.replace("\n", "").isprintable()) and _UNUSUAL.search(block):
        return None
    try:
        return _block(block.split("\n"))
    except _Beyond:
        return None


def _block(lines: list[str]) -> FieldTable:
    pairs: list[tuple[str, Value]] = []
    number, first = 0, 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if found := _ENTRY.fullmatch(line):
            first = first or number
            rest = found[2]
            if not rest or rest[0] == "#":
                values, number_after = _items(lines, number)
                at = values[0].line if values else number
                pairs.append((found[1], FieldList(values, at) if values else FieldScalar("", True, number)))
                number = number_after
            else:
                pairs.append((found[1], _inline(rest, number)))
        elif not _SKIPPED.fullmatch(line):
            raise _Beyond
    if not pairs:
        raise _Beyond
    return FieldTable(tuple(pairs), first)


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
        if found[1] != indent or not found[2] or found[2][0] == "#":
            raise _Beyond
        number += 1
        values.append(_inline(found[2], number))
    return tuple(values), number


def _inline(text: str, line: int) -> Value:
    first = text[0]
    if first == "{" and _FLAT.fullmatch(text):
        pairs = [pair.partition(": ") for pair in text[1:-1].split(", ")]
        return FieldTable(tuple([(key, FieldScalar(value, True, line)) for key, _, value in pairs]), line)
    if first in "[{":
        value, end = _flow(text, 0, line)
    elif first in "\"'":
        value, end = _quoted(text, 0, line)
    elif found := _PLAIN.match(text):
        value, end = FieldScalar(found[0], True, line), found.end()
    else:
        raise _Beyond
    if end < len(text) and not _TAIL.fullmatch(text, end):
        raise _Beyond
    return value


def _quoted(text: str, point: int, line: int) -> tuple[FieldScalar, int]:
    found = _QUOTED.match(text, point)
    if found is None:
        raise _Beyond
    return FieldScalar(found[2] if found[1] is None else found[1].replace("''", "'"), False, line), found.end()


def _flow(text: str, point: int, line: int, depth: int = 0) -> tuple[Value, int]:
    """Return the flow value at `point` and the offset behind it; at most eight deep, all on one line."""
    character = text[point : point + 1]
    if character in {'"', "'"}:
        return _quoted(text, point, line)
    if character not in {"[", "{"}:
        found = _FLOW_SCALAR.match(text, point)
        if found is None:
            raise _Beyond
        return FieldScalar(found[0], True, line), found.end()
    if depth == 8:
        raise _Beyond
    return _flow_list(text, point, line, depth) if character == "[" else _flow_table(text, point, line, depth)


def _flow_list(text: str, point: int, line: int, depth: int) -> tuple[FieldList, int]:
    values: list[Value] = []
    point = _skip(text, point + 1)
    while text[point : point + 1] != "]" or values:
        value, point = _flow(text, point, line, depth + 1)
        values.append(value)
        if (point := _next(text, point, "]")) < 0:
            return FieldList(tuple(values), line), -point
    return FieldList((), line), point + 1


def _flow_table(text: str, point: int, line: int, depth: int) -> tuple[FieldTable, int]:
    pairs: list[tuple[str, Value]] = []
    point = _skip(text, point + 1)
    while text[point : point + 1] != "}" or pairs:
        key = _ENTRY_KEY.match(text, point)
        if key is None:
            raise _Beyond
        value, point = _flow(text, key.end(), line, depth + 1)
        pairs.append((key[1], value))
        if (point := _next(text, point, "}")) < 0:
            return FieldTable(tuple(pairs), line), -point
    return FieldTable((), line), point + 1


_ENTRY_KEY = lazy_pattern(r"([A-Za-z_][A-Za-z0-9_-]{0,99}): +")


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


# One field of an item at a time: from front matter's values to ours, with a notice where a value cannot be used.
#
# Nothing here raises: a prompt must still compile when somebody wrote `importance: high`, and the person must be told.

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_SOURCE_KINDS = frozenset(SourceKind)
_NUMBER = lazy_pattern(r"\+?(\d*)(?:\.(\d*))?")
_T = TypeVar("_T")


@dataclass(slots=True)
class Fields:
    """The front matter of one file; `line_shift` turns a line of the block into one of the file."""

    path: str
    values: Mapping[str, Value]
    line_shift: int = 1
    notices: list[str] = field(default_factory=list)

    def note(self, value: Value, sentence: str) -> None:
        """Add a notice that begins with the file and the value's line."""
        self.notices.append(f"{self.path}:{value.line + self.line_shift}: {sentence}")

    def text(self, name: str) -> str | None:
        """Return a scalar's text as written; None where it is missing, null or no scalar."""
        value = self.values.get(name)
        if value is None or is_null(value):
            return None
        if isinstance(value, FieldScalar):
            return " ".join(value.text.split())
        self.note(value, f"{name} is {_shape(value)}, not a text; it is ignored")
        return None

    def word(self, name: str, known: Callable[[str], _T], default: _T, allowed: tuple[str, ...]) -> _T:
        """Return one of the allowed words as `known` makes it a value, else the default."""
        text = self.text(name)
        if text is None:
            return default
        try:
            return known(text)
        except ValueError:
            self.note(
                self.values[name], f"{name} {quoted(text)} is not one of {_choice(text, allowed)}; {default} is used"
            )
            return default

    def thousandths(self, name: str, default: int) -> int:
        """Return a number from 0 to 1 in thousandths, else the default."""
        text = self.text(name)
        if text is None:
            return default
        value = read_thousandths(text)
        if value is None:
            problem = f"{name} {quoted(text)} is not a number from 0 to 1"
            self.note(self.values[name], f"{problem}; {show_thousandths(default)} is used")
            return default
        return value

    def moment(self, name: str) -> str | None:
        """Return an ISO date or date-time, else None."""
        text = self.text(name)
        moment = read_moment(text) if text else None
        if text and moment is None:
            self.note(self.values[name], f"{name} {quoted(text)} is not a date; it is ignored")
        return moment

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; a scalar is a list of what its commas part."""
        value = self.values.get(name)
        if isinstance(value, FieldScalar):
            return tuple(part.strip() for part in (self.text(name) or "").split(",") if part.strip())
        texts = [each.text for each in self._list(name) if isinstance(each, FieldScalar) and not is_null(each)]
        if isinstance(value, FieldList) and len(texts) < len(value.values):
            self.note(value, f"{name} holds what is no text; that is ignored")
        return tuple(" ".join(text.split()) for text in texts)

    def links(self) -> tuple[Link, ...]:
        """Return the links that are whole and whose relation is known."""
        found = []
        for value, to, relation, parts in self.whole_links():
            mark = parts.get("fingerprint")
            if relation not in set(Relation):
                near = f"relation {quoted(relation)} is not one of {_choice(relation, tuple(Relation))}"
                self.note(value, f"{near}; the link is ignored")
            else:
                found.append(Link(to, relation, stamp=Stamp(mark) if mark else None))
        return tuple(found)

    def whole_links(self) -> Iterator[tuple[Value, str, str, Mapping[str, str | None]]]:
        """Yield each link that has both parts: the value, its end, its relation, and the texts of all its keys."""
        for value in self._list("links"):
            parts = texts_of(value)
            to, relation = parts.get("to"), parts.get("relation")
            if to and relation:
                yield value, to, relation, parts
            else:
                self.note(value, "a link needs `to` and `relation`; it is ignored")

    def refs(self) -> tuple[Ref, ...]:
        """Return the places in code; a plain text is a path."""
        found = []
        for value in self._list("refs"):
            path = value.text.strip() if isinstance(value, FieldScalar) else member(value, "path")
            if path:
                found.append(Ref(path, member(value, "symbol"), member(value, "digest")))
            else:
                self.note(value, "a ref needs `path`; it is ignored")
        return tuple(found)

    def source(self) -> Source:
        """Return where the item came from (default: explicit, by a human)."""
        value = self.values.get("source")
        if value is None or is_null(value):
            return Source()
        texts = texts_of(value)
        kind = value.text.strip() if isinstance(value, FieldScalar) else texts.get("kind")
        if isinstance(value, FieldList) or (kind is not None and kind not in _SOURCE_KINDS):
            shown = quoted(kind) if kind else "a list"
            self.note(value, f"source {shown} is not one of {_choice(kind or '', tuple(SourceKind))}; explicit is used")
            kind = None
        names = (texts.get(name) for name in ("project", "session", "origin", "turn", "speaker"))
        return Source(SourceKind(kind or "explicit"), texts.get("actor") or "human", *names)

    def uses(self) -> Uses:
        """Return how often the item was used and when last (default: never)."""
        value = self.values.get("uses")
        if value is None or is_null(value):
            return Uses()
        count, last = member(value, "count"), member(value, "last")
        day = read_moment(last) if last else None
        if not isinstance(value, FieldTable) or not whole_number(count or "0") or (last and day is None):
            self.note(value, "uses needs a whole `count` and a date `last`; it is ignored")
            return Uses()
        return Uses(int(count or "0"), day)

    def archived(self) -> ArchiveNote | None:
        """Return when and why the item was archived; None if it was not.

        None too where `archived` is a key of a person's own.
        """
        value = self.values.get("archived")
        on = member(value, "on") if value is not None else None
        day = read_moment(on) if on else None
        if value is None or day is None:
            return None
        return ArchiveNote(day[:10], member(value, "why") or "", member(value, "into"), member(value, "was"))

    def truth(self, name: str) -> bool:
        """Return true or false; false where the key is missing."""
        text = self.text(name)
        if text not in {None, "true", "false"}:
            self.note(self.values[name], f"{name} {quoted(text or '')} is not true or false; false is used")
        return text == "true"

    def whole(self, name: str) -> int | None:
        """Return a whole number from 0 up, else None."""
        text = self.text(name)
        if text is not None and not whole_number(text):
            self.note(self.values[name], f"{name} {quoted(text)} is no whole number; it is ignored")
            return None
        return None if text is None else int(text)

    def details(self) -> tuple[tuple[str, str], ...]:
        """Return the texts of the mapping `details`, in order; the last of a repeated key."""
        value = self.values.get("details")
        if value is None or is_null(value):
            return ()
        if not isinstance(value, FieldTable):
            self.note(value, f"details is {_shape(value)}, not a mapping; it is ignored")
            return ()
        found = {key: text for key, _ in value.pairs if (text := member(value, key)) is not None}
        if any(not isinstance(each, FieldScalar) for _, each in value.pairs):
            self.note(value, "details holds what is no text; that is ignored")
        return tuple(found.items())

    def _list(self, name: str) -> tuple[Value, ...]:
        value = self.values.get(name)
        if value is None or is_null(value):
            return ()
        if isinstance(value, FieldList):
            return value.values
        self.note(value, f"{name} is {_shape(value)}, not a list; it is ignored")
        return ()


_READERS: Mapping[ValueKind, Callable[[Fields, str], object]] = {
    ValueKind.TEXT: Fields.text,
    ValueKind.WHOLE: Fields.whole,
    ValueKind.MOMENT: Fields.moment,
    ValueKind.TEXTS: Fields.words,
    ValueKind.TRUTH: Fields.truth,
}


def reader_of(key: ItemKey) -> Callable[[Fields], object]:
    """Return what reads the value of a key whose default depends on nothing else."""
    if key.kind is None:
        return methodcaller(key.name)
    read, name = _READERS[key.kind], key.name
    return lambda fields: read(fields, name)


def whole_number(text: str) -> bool:
    """Say whether a text is a whole number from 0 up, in at most 18 digits.

    >>> whole_number("12"), whole_number("-1"), whole_number("1.0")
    (True, False, False)
    """
    return text.isascii() and text.isdecimal() and len(text) <= 18


def read_thousandths(text: str) -> int | None:
    """Return a number from 0 to 1, written in decimals, in thousandths; None where it is not that.

    >>> read_thousandths("0.9"), read_thousandths("1"), read_thousandths(".8555"), read_thousandths("high")
    (900, 1000, 856, None)
    """
    found = _NUMBER.fullmatch(text)
    if found is None or not (found[1] or found[2]) or len(found[1]) > 20 or not text.isascii():
        return None
    decimals = (found[2] or "") + "0000"
    value = int(found[1] or "0") * 1000 + int(decimals[:3]) + (decimals[3] >= "5")
    return value if value <= 1000 and int(found[1] or "0") <= 1 else None


def show_thousandths(value: int) -> str:
    """Return thousandths as the shortest decimal.

    >>> show_thousandths(850), show_thousandths(1000), show_thousandths(0)
    ('0.85', '1', '0')
    """
    return f"{value // 1000}.{value % 1000:03d}".rstrip("0").rstrip(".")


def is_null(value: Value) -> bool:
    """Say whether YAML means nothing by this value."""
    return isinstance(value, FieldScalar) and value.plain and value.text in _NULL


def member(value: Value, name: str) -> str | None:
    """Return the text of one key of a mapping; None where it is missing, null or no text."""
    if not isinstance(value, FieldTable):
        return None
    found = [each for key, each in value.pairs if key == name]
    return _text(found[-1]) if found else None


def texts_of(value: Value) -> dict[str, str | None]:
    """Return the texts of a mapping; None for a key whose value is null or no text. Empty where it is no mapping."""
    if not isinstance(value, FieldTable):
        return {}
    return {key: _text(each) for key, each in value.pairs}


def _text(value: Value) -> str | None:
    if not isinstance(value, FieldScalar) or (value.plain and value.text in _NULL):
        return None
    return value.text.strip() or None


def quoted(text: str) -> str:
    """Return a text for a notice: in quotes, at most 60 characters."""
    return f'"{text}"' if len(text) <= 60 else f'"{text[:59]}…"'


def _shape(value: Value) -> str:
    return {FieldScalar: "a text", FieldList: "a list", FieldTable: "a mapping"}[type(value)]


def _choice(text: str, allowed: tuple[str, ...]) -> str:
    near = nearest(text, allowed)
    return ", ".join(allowed) + (f" (did you mean {near}?)" if near else "")
