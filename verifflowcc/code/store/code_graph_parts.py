"""A part of the code graph: the facts of some source texts, with its own lists of which text has which name and word.

A part is made in one go, by whichever process read the texts, and never changed; what is asked is asked of all parts.
Inside of it a text is a number, its place in `units`. The lists lie in buckets, by a checksum of the name, all of which
are written: one that is not there any more is damage, not an absent name.
"""

import json
import sqlite3
import sys
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar
from zlib import crc32

from verifflowcc.base.records import field_names
from verifflowcc.code.rules.graph import (
    Definition,
    FileFacts,
    Head,
    Import,
    RecordColumns,
    Reference,
    ReferenceKind,
    SymbolKind,
    TypeHint,
    column_of,
)

if TYPE_CHECKING:
    from typing import Any

    Columns = list[list[Any]]


# The facts of a source text as bytes and back, with a checksum against damage.
#
# What is written down is a JSON list for each field of the records, in order, compressed. `sealed` puts a checksum
# before bytes that holds for one place in one table, so that a row that is damaged, or was moved, is found.

_T = TypeVar("_T")
_SUM_BYTES = 4
_LEVEL = 1
_SYMBOLS = tuple(SymbolKind)
_REFERENCES = tuple(ReferenceKind)
_SYMBOL_PLACES = {kind: place for place, kind in enumerate(_SYMBOLS)}
_REFERENCE_PLACES = {kind: place for place, kind in enumerate(_REFERENCES)}
_RECORDS: tuple[type, ...] = (Definition, Reference, Import, TypeHint)
FIELDS = " ".join([sys.byteorder, *(f"{record.__name__}({','.join(field_names(record))})" for record in _RECORDS)])
"""What is written of each record; a file with other fields is of another version."""

_IMPORT = [attrgetter(name) for name in field_names(Import)]
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


class DamagedError(sqlite3.DatabaseError):
    """A row is not what was written."""

    def __init__(self) -> None:
        super().__init__("a row of the code graph is damaged")


def packed(value: object) -> bytes:
    """Return a value of JSON as bytes."""
    return zlib.compress(_encode(value).encode("utf-8", "surrogatepass"), _LEVEL)


def unpacked(body: bytes) -> "Any":
    """Return what `packed` made bytes of. Raises DamagedError."""
    try:
        return json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
    except (ValueError, zlib.error, RecursionError) as error:
        raise DamagedError from error


def sealed(table: str, number: int, body: bytes) -> bytes:
    """Return bytes with a checksum before them, for one place."""
    return _sum(table, number, body) + body


def unsealed(table: str, number: int, kept: object) -> bytes:
    """Return the bytes that were sealed for this place. Raises DamagedError."""
    if not isinstance(kept, bytes) or kept[:_SUM_BYTES] != _sum(table, number, kept[_SUM_BYTES:]):
        raise DamagedError
    return kept[_SUM_BYTES:]


def _sum(table: str, number: int, body: bytes) -> bytes:
    return zlib.crc32(body, zlib.crc32(f"{table} {number}".encode())).to_bytes(_SUM_BYTES, "big")


# A text's facts are bytes in segments: how long each is, then these. A column of numbers is an array of the smallest
# kind that holds them, a column of texts its lines, or a JSON list where a text has several lines, and nothing at all
# where all are empty. So who asks for one name or one field of a file reads no more than that.

_COUNTS = frozenset({"line", "end", "start", "parent", "inside"})
_HEAD_RECORDS: tuple[type, ...] = (Definition, Import, TypeHint)
_HEAD_SEGMENTS = 1 + sum(len(field_names(each)) for each in _HEAD_RECORDS)
_REFERENCE_SEGMENTS = 8
_FEW = 12
"""The names of so many references are sought one by one."""


def _joined(segments: Sequence[bytes]) -> bytes:
    return _numbers([len(each) for each in segments]) + b"".join(segments)


def _parted(body: bytes, count: int) -> list[memoryview]:
    """Return the segments that `_joined` put together."""
    whole, sizes = memoryview(body), array(chr(body[0]))
    place, found = 1 + count * sizes.itemsize, []
    sizes.frombytes(whole[1:place])
    for size in sizes:
        found.append(whole[place : place + size])
        place += size
    return found


def _numbers(values: Sequence[int]) -> bytes:
    most = max(values, default=0)
    kind = "b" if most < 1 << 7 else "h" if most < 1 << 15 else "i"
    return kind.encode() + array(kind, values).tobytes()


def _read_numbers(segment: memoryview) -> "array[int]":
    found = array(chr(segment[0]))
    found.frombytes(segment[1:])
    return found


def _texts(values: Sequence[str]) -> bytes:
    if not any(values):
        return b""
    text = "\n".join(values)
    text = f"\n{text}" if text.count("\n") == len(values) - 1 else _encode(values)
    return text.encode("utf-8", "surrogatepass")


def _read_texts(segment: memoryview, count: int) -> Sequence[str]:
    if not segment:
        return ("",) * count
    text = str(segment, "utf-8", "surrogatepass")
    if text[0] == "\n":
        return text[1:].split("\n")
    texts: list[str] = json.loads(text)
    return texts


def _segment(records: "Sequence[Any]", name: str) -> bytes:
    """Return one field of some records."""
    values = list(map(attrgetter(name), records))
    if name == "kind":
        return _numbers([_SYMBOL_PLACES[each] for each in values])
    return _numbers(values) if name in _COUNTS else _texts(values)


def _column(segment: memoryview, name: str, count: int) -> "Sequence[Any]":
    """Return the values that `_segment` was made of."""
    if name == "kind":
        return [*map(_SYMBOLS.__getitem__, _read_numbers(segment))]
    return _read_numbers(segment) if name in _COUNTS else _read_texts(segment, count)


def head_to_bytes(facts: FileFacts) -> bytes:
    """Return all but the references of some facts."""
    every: tuple[Sequence[Any], ...] = (facts.definitions, facts.imports, facts.typed)
    segments = [_numbers(list(map(len, every)))]
    for record, records in zip(_HEAD_RECORDS, every, strict=True):
        segments += [_segment(records, name) for name in field_names(record)]
    return _joined(segments)


def head_from_bytes(body: bytes) -> Head:
    """Read what `head_to_bytes` made: each field of the records when it is asked for."""
    counts, *segments = _parted(body, _HEAD_SEGMENTS)
    found: list[RecordColumns[Any]] = []
    for record, count in zip(_HEAD_RECORDS, _read_numbers(counts), strict=True):
        own = dict(zip(field_names(record), segments, strict=False))
        del segments[: len(own)]
        found.append(RecordColumns(record, count, partial(_column_of, own, count)))
    return Head(*found)


def _column_of(segments: Mapping[str, memoryview], count: int, name: str) -> "Sequence[Any]":
    return _column(segments[name], name, count)


def references_to_bytes(facts: FileFacts) -> bytes:
    """Return the references of some facts, in order, and beside them the places of each name, by name."""
    references = facts.references
    names = column_of(references, "name")
    owners = column_of(references, "receiver")
    numbered = {name: place for place, name in enumerate(dict.fromkeys(owners))}
    counts = Counter(names)
    distinct = sorted(counts)
    segments = [
        _texts(distinct),
        _numbers([counts[name] for name in distinct]),
        _numbers(sorted(range(len(names)), key=names.__getitem__)),
        _numbers([_REFERENCE_PLACES[each] for each in column_of(references, "kind")]),
        _numbers(column_of(references, "line")),
        _numbers(column_of(references, "inside")),
        _numbers([numbered[each] for each in owners]),
        _texts(list(numbered)),
    ]
    return _joined(segments)


def references_from_bytes(body: bytes, name: str = "", kind: ReferenceKind | None = None) -> tuple[Reference, ...]:
    """Read what `references_to_bytes` made: those with a name, of a kind, where one is given."""
    names, sizes, order, *columns, receivers = _parted(body, _REFERENCE_SEGMENTS)
    kinds, lines, scopes, owners = map(_read_numbers, columns)
    counts, ordered = _read_numbers(sizes), _read_numbers(order)
    places: Sequence[int] = range(len(kinds))
    if kind is not None and not name:
        places = [place for place, each in enumerate(kinds) if each == _REFERENCE_PLACES[kind]]
        if not places:
            return ()
    distinct = _read_texts(names, len(counts))
    if name:
        at = bisect_left(distinct, name)
        if at == len(distinct) or distinct[at] != name:
            return ()
        begin = sum(counts[:at])
        places = ordered[begin : begin + counts[at]]
        named = dict.fromkeys(places, name)
    elif len(places) < _FEW:
        ends = [*accumulate(counts)]
        named = {place: distinct[bisect_right(ends, ordered.index(place))] for place in places}
    else:
        named = dict(zip(ordered, chain.from_iterable(map(repeat, distinct, counts)), strict=True))
    texts = _read_texts(receivers, 1)
    return tuple(
        [
            Reference(_REFERENCES[kinds[each]], named[each], lines[each], scopes[each], texts[owners[each]])
            for each in places
            if kind is None or kinds[each] == _REFERENCE_PLACES[kind]
        ]
    )


def imports_to_columns(facts: FileFacts) -> "Columns":
    """Return the imports of some facts as values of JSON."""
    return _columns(facts.imports, _IMPORT)


def imports_from_columns(columns: "Columns") -> tuple[Import, ...]:
    """Read what `imports_to_columns` made. Raises DamagedError."""
    return _read(lambda: tuple(map(Import, *columns)))


def _columns(records: "Sequence[Any]", fields: "Sequence[Callable[[Any], Any]]") -> "Columns":
    return [list(map(field, records)) for field in fields]


def _read(read: "Callable[[], _T]") -> _T:
    try:
        return read()
    except (TypeError, LookupError) as error:
        raise DamagedError from error


# By which names a file that imports something is found.

_WITH_PATHS = frozenset({"javascript", "typescript", "tsx", "c", "cpp", "ruby", "php", "bash"})
"""Languages whose imports name files, so that a dot parts an ending from a name."""


def parts_imported(module: str, language: str) -> Iterator[str]:
    """Yield the last part of a module's name, without an ending.

    >>> list(parts_imported("..db.models", "python")), list(parts_imported("./views/login.js", "javascript"))
    (['models'], ['login.js', 'login'])
    """
    last = module.replace("\\", "/").replace(":", "/").rstrip("/").rpartition("/")[2]
    if "/" not in module and language not in _WITH_PATHS:
        last = last.rpartition(".")[2]
    if last.strip("."):
        yield last
        stem = last.rpartition(".")[0]
        if stem:
            yield stem


DEFINING, REFERRING, IMPORTING, WORDS = LISTS = ("defining", "referring", "importing", "words")
_IN_BUCKET = 48
"""About so many names share a bucket: a question unpacks one bucket of each part."""

Unit = tuple[str, str]
"""A text as a language reads it: the id of its blob, and the language."""

Lists = dict[str, list[int]]
"""Name → the numbers of the texts that have it; in the lists of words (number, in the text, in names) for each."""


UnitRow = tuple[str, str, int, int, str, str]
"""What a part keeps of a text: blob, language, lines, words, what its bytes mark it as, and a problem."""

Part = tuple[Sequence[UnitRow], Sequence[tuple[bytes, bytes]], bytes, Sequence[Sequence[bytes]]]
"""A part, ready to be written, in values that any process can hand over: its units, head and references of each, their
imports, and the buckets of each of `LISTS`."""


def bucket_of(name: str, buckets: int) -> int:
    """Return the bucket that a name is in."""
    return crc32(name.encode("utf-8", "surrogatepass")) % buckets


def bucketed(lists: Mapping[str, Sequence[int]]) -> list[bytes]:
    """Return lists as packed buckets, at least one."""
    count = len(lists) // _IN_BUCKET + 1
    buckets: list[dict[str, Sequence[int]]] = [{} for _ in range(count)]
    for name, numbers in lists.items():
        buckets[bucket_of(name, count)][name] = numbers
    return [packed(bucket) for bucket in buckets]


class GrowingPart:
    """A part in the making. `size` is how many bytes of source are in it."""

    def __init__(self) -> None:
        self.size = 0
        self._units: list[UnitRow] = []
        self._facts: list[tuple[bytes, bytes]] = []
        self._imports: list[Any] = []
        self._lists: dict[str, defaultdict[str, list[int]]] = {name: defaultdict(list) for name in LISTS}

    def __len__(self) -> int:
        return len(self._units)

    def add(
        self, row: UnitRow, facts: FileFacts, inside: Mapping[str, int], named: Mapping[str, int], size: int
    ) -> None:
        """Add a text of `size` bytes: its facts, and the counts of its words.

        The words of names are counted by themselves as well.
        """
        number = len(self._units)
        self.size += size
        self._units.append(row)
        self._facts.append((head_to_bytes(facts), references_to_bytes(facts)))
        self._imports.append(imports_to_columns(facts))
        imported = {each.name for each in facts.imports if each.name not in ("", "*")}
        parts = {part for each in facts.imports for part in parts_imported(each.module, facts.language)}
        self._note(DEFINING, {each.name for each in facts.definitions}, number)
        self._note(REFERRING, {*column_of(facts.references, "name")} | imported, number)
        self._note(IMPORTING, parts | imported, number)
        lists, named_count = self._lists[WORDS], named.get
        for word, count in inside.items():
            lists[word].extend((number, count, named_count(word, 0)))

    def finish(self) -> Part:
        """Return what was added, as a part."""
        buckets = [bucketed(self._lists[name]) for name in LISTS]
        return self._units, self._facts, packed(self._imports), buckets

    def _note(self, name: str, names: Iterable[str], number: int) -> None:
        lists = self._lists[name]
        for each in names:
            lists[each].append(number)
