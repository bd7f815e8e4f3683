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
from functools import partial, reduce
from itertools import accumulate, chain, repeat
from operator import attrgetter, or_
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
    parts_imported,
)

if TYPE_CHECKING:
    from typing import Any

    from verifflowcc.base.index.index_file import Store

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
        return json.loads(text_packed(body))
    except (ValueError, RecursionError) as error:
        raise DamagedError from error


def text_packed(body: bytes) -> str:
    """Return the JSON that `packed` made bytes of. Raises DamagedError."""
    try:
        return zlib.decompress(body).decode("utf-8", "surrogatepass")
    except (ValueError, zlib.error) as error:
        raise DamagedError from error


def list_in(text: str, name: str) -> list[int] | None:
    """Return the numbers that JSON of `bucketed` has for a name, without reading those of other names.

    >>> list_in('{"a":[1,2],"b":[3]}', "b"), list_in('{"a":[1,2],"b":[3]}', "c")
    ([3], None)
    """
    key = _encode(name) + ":["
    place = text.find("," + key) if not text.startswith("{" + key) else 0
    if place < 0:
        return None
    begin = place + 1 + len(key)
    inside = text[begin : text.index("]", begin)]
    return list(map(int, inside.split(","))) if inside else []


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
_HEAD_PLACES: list[dict[str, int]] = []
"""Of each record: which segment each of its fields is."""
for _each in _HEAD_RECORDS:
    _first = 1 + sum(map(len, _HEAD_PLACES))
    _HEAD_PLACES.append({name: place for place, name in enumerate(field_names(_each), _first)})
_REFERENCE_SEGMENTS = 8
_FEW = 12
"""The names of so many references are sought one by one."""


def _joined(segments: Sequence[bytes]) -> bytes:
    return _numbers([len(each) for each in segments]) + b"".join(segments)


def _begins(body: bytes, count: int) -> tuple[memoryview, Sequence[int]]:
    """Return bytes that `_joined` put together, and where each segment begins; at last where they end."""
    whole, sizes = memoryview(body), array(chr(body[0]))
    first = 1 + count * sizes.itemsize
    sizes.frombytes(whole[1:first])
    return whole, [*accumulate(sizes, initial=first)]


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
    whole, begins = _begins(body, _HEAD_SEGMENTS)
    counts = _read_numbers(whole[begins[0] : begins[1]])

    def column(places: Mapping[str, int], count: int, name: str) -> "Sequence[Any]":
        place = places[name]
        return _column(whole[begins[place] : begins[place + 1]], name, count)

    found: list[RecordColumns[Any]] = [
        RecordColumns(record, count, partial(column, places, count))
        for record, places, count in zip(_HEAD_RECORDS, _HEAD_PLACES, counts, strict=True)
    ]
    return Head(*found)


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


class ReferenceColumns:
    """The references of a text, read from what `references_to_bytes` made, each column when it is asked for."""

    __slots__ = ("_begins", "_columns", "_receivers", "_whole")

    def __init__(self, body: bytes) -> None:
        self._whole, self._begins = _begins(body, _REFERENCE_SEGMENTS)
        self._columns: Sequence[Sequence[int]] = ()
        self._receivers: Sequence[str] | None = None

    @property
    def size(self) -> int:
        """How many bytes they are."""
        return len(self._whole)

    def names(self) -> Sequence[str]:
        """Return each name once, sorted."""
        return _read_texts(self._segment(0), len(self._counts()))

    def chosen(self, name: str = "", kind: ReferenceKind | None = None) -> tuple[Reference, ...]:
        """Return the references with a name, of a kind, where one is given, in their order."""
        if kind is not None and not name:
            return self._of_kind(kind)
        if not name:
            return self._made(range(len(self._column(1))), self._names_in_order())
        counts = self._counts()
        at = _place_of(self._segment(0), name, len(counts))
        if at is None:
            return ()
        begin = sum(counts[:at])
        places = self._column(0)[begin : begin + counts[at]]
        if kind is not None:
            kinds, wanted = self._column(1), _REFERENCE_PLACES[kind]
            places = [place for place in places if kinds[place] == wanted]
        return self._made(places, dict.fromkeys(places, name))

    def _of_kind(self, kind: ReferenceKind) -> tuple[Reference, ...]:
        """Return the references of a kind: few are searched for in the column's bytes."""
        kinds, wanted = bytes(self._segment(3)[1:]), _REFERENCE_PLACES[kind]
        count = kinds.count(wanted)
        if count >= _FEW:
            places = [place for place, each in enumerate(kinds) if each == wanted]
            return self._made(places, self._names_in_order())
        places, place = [], -1
        for _ in range(count):
            place = kinds.index(wanted, place + 1)
            places.append(place)
        ordered = self._column(0) if places else ()
        ends = [*accumulate(self._counts())] if places else []
        names = self.names() if places else ()
        return self._made(places, {each: names[bisect_right(ends, ordered.index(each))] for each in places})

    def _made(self, places: Sequence[int], named: Mapping[int, str]) -> tuple[Reference, ...]:
        if not places:
            return ()
        if self._receivers is None:
            self._receivers = _read_texts(self._segment(7), 1)
        texts = self._receivers
        kinds, lines, scopes, owners = [self._column(number) for number in (1, 2, 3, 4)]
        return tuple(
            [
                Reference(_REFERENCES[kinds[each]], named[each], lines[each], scopes[each], texts[owners[each]])
                for each in places
            ]
        )

    def _names_in_order(self) -> Mapping[int, str]:
        names = chain.from_iterable(map(repeat, self.names(), self._counts()))
        return dict(zip(self._column(0), names, strict=True))

    def _counts(self) -> "array[int]":
        return _read_numbers(self._segment(1))

    def _column(self, number: int) -> Sequence[int]:
        """Return the order by name, kinds, lines, scopes or receivers."""
        if not self._columns:
            self._columns = [_read_numbers(self._segment(place)) for place in range(2, 7)]
        return self._columns[number]

    def _segment(self, place: int) -> memoryview:
        return self._whole[self._begins[place] : self._begins[place + 1]]


def _place_of(segment: memoryview, name: str, count: int) -> int | None:
    """Return the place of a name among sorted texts; None where it is not one of them."""
    text = bytes(segment)
    if text[:1] == b"\n":
        place = text.find(b"\n" + name.encode("utf-8", "surrogatepass") + b"\n")
        if place < 0 and text.endswith(end := b"\n" + name.encode("utf-8", "surrogatepass")):
            place = len(text) - len(end)
        return text.count(b"\n", 0, place) if place >= 0 else None
    names = _read_texts(segment, count)
    at = bisect_left(names, name)
    return at if at < len(names) and names[at] == name else None


def references_from_bytes(body: bytes, name: str = "", kind: ReferenceKind | None = None) -> tuple[Reference, ...]:
    """Read what `references_to_bytes` made: those with a name, of a kind, where one is given."""
    return ReferenceColumns(body).chosen(name, kind)


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


# Answers of the graph, kept from one question to the next with what they rest on: the texts of files, and which files
# have some names. They hold in any state of the same files in which none of these is another.

ANSWERS_SCHEMA = """
CREATE TABLE states (number INTEGER PRIMARY KEY AUTOINCREMENT, shape TEXT NOT NULL, texts BLOB NOT NULL);
CREATE TABLE answers (key TEXT PRIMARY KEY, state INTEGER NOT NULL, body BLOB NOT NULL) WITHOUT ROWID;
"""
MOST_CHANGED = 40
"""Where more files than this are other ones than in a state, nothing is taken from it."""
MOST_STATES = 12
MOST_ANSWERS = 40_000


class AnswersInIndex:
    """The kept answers for one state of the code: `numbers` of its texts by path, `manifests` beside them.

    `names_of` returns the names in some texts, by number, that files are found by; None where a text is gone.
    """

    def __init__(
        self,
        store: "Store",
        numbers: Mapping[str, int],
        manifests: Mapping[str, int],
        names_of: Callable[[Sequence[int]], frozenset[str] | None],
    ) -> None:
        self._store, self._numbers, self._names_of = store, [*numbers.values()], names_of
        self._files, self._shape = (numbers, manifests), ""
        self._replaced = store.replaced
        self._same: int | None = None
        self._live: dict[int, tuple[int, frozenset[str]]] | None = None
        self._new: dict[str, bytes] = {}
        self._moved: list[str] = []

    def recall(self, key: str) -> "tuple[Any, int, Sequence[str]] | None":
        """Return an answer, with the bits of the files and the names that it rests on; None where it is not known."""
        try:
            if self._live is None:
                self._live = self._states()
            found = self._store.rows("SELECT state, body FROM answers WHERE key = ?", (key,)) if self._live else []
            for state, body in found:
                bits, asked, answer = unpacked(unsealed(key, 0, body))
                read = int(bits, 16)
                if self._holds(key, state, read, asked):
                    return answer, read, asked
        except sqlite3.DatabaseError:
            self._live = {}
        return None

    def _holds(self, key: str, state: int, read: int, asked: Sequence[str]) -> bool:
        if self._live is None or state not in self._live:
            return False
        changed, names = self._live[state]
        if read & changed or not names.isdisjoint(asked):
            return False
        if state != self._same:
            self._moved.append(key)
        return True

    def note(self, key: str, answer: "Any", read: int, asked: Sequence[str]) -> None:
        """Note an answer, to be written by `save`."""
        self._new[key] = sealed(key, 0, packed([f"{read:x}", asked, answer]))

    def save(self) -> None:
        """Write what was noted. The index is held no longer; where it cannot be written now, nothing is kept."""
        if not self._new and not self._moved:
            return
        self._store.let_go()
        try:
            with self._store.transaction("BEGIN IMMEDIATE"):
                if self._store.replaced == self._replaced:
                    self._write()
        except sqlite3.DatabaseError:
            return

    def _write(self) -> None:
        state = self._same
        if state is None:
            body = sealed(self._shape, 0, packed(self._numbers))
            ((state,),) = self._store.rows(
                "INSERT INTO states (shape, texts) VALUES (?, ?) RETURNING number", (self._shape, body)
            )
            live = sorted({*(self._live or ()), state})[-MOST_STATES:]
            kept = ", ".join(map(str, live))
            self._store.rows(f"DELETE FROM states WHERE number NOT IN ({kept})")
            self._store.rows(f"DELETE FROM answers WHERE state NOT IN ({kept})")
        ((count,),) = self._store.rows("SELECT count(*) FROM answers")
        if count > MOST_ANSWERS:
            self._store.rows("DELETE FROM answers WHERE state <> ?", (state,))
        self._store.write_all("UPDATE answers SET state = ? WHERE key = ?", [(state, key) for key in self._moved])
        self._store.write_all(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", [(key, state, body) for key, body in self._new.items()]
        )

    def _states(self) -> dict[int, tuple[int, frozenset[str]]]:
        """Return of each state that answers may be taken from the bits of files that changed since, and their names."""
        from hashlib import sha256

        from verifflowcc.code.rules.bind_names import bit_of

        paths, manifests = self._files
        listed = "\n".join([*paths, "", *(f"{path} {number}" for path, number in manifests.items())])
        self._shape = sha256(listed.encode("utf-8", "surrogatepass")).hexdigest()
        found: dict[int, tuple[int, frozenset[str]]] = {}
        count = len(self._numbers)
        for state, shape, texts in self._store.rows("SELECT number, shape, texts FROM states ORDER BY number DESC"):
            if shape != self._shape:
                continue
            before = unpacked(unsealed(shape, 0, texts))
            places = [place for place, pair in enumerate(zip(before, self._numbers, strict=True)) if pair[0] != pair[1]]
            if not places:
                self._same = self._same or state
                found[state] = (0, frozenset())
            elif len(places) <= MOST_CHANGED:
                names = self._names_of([each for place in places for each in (before[place], self._numbers[place])])
                if names is not None:
                    found[state] = (reduce(or_, [bit_of(place, count) for place in places]), names)
        return found


def names_found_by(head: Head, references: ReferenceColumns) -> Iterator[str]:
    """Yield the names that a text is found by: those that it defines, speaks of and imports, and parts of modules."""
    yield from head.definitions.column("name") if isinstance(head.definitions, RecordColumns) else ()
    yield from references.names()
    for each in head.imports:
        if each.name not in ("", "*"):
            yield each.name
        for language in ("python", "c"):
            yield from parts_imported(each.module, language)
