"""A part of the code graph: the facts of some source texts, with its own lists of which text has which name and word.

A part is made in one go, by whichever process read the texts, and never changed; what is asked is asked of all parts.
Inside of it a text is a number, its place in `units`. The lists lie in buckets, by a checksum of the name, all of which
are written: one that is not there any more is damage, not an absent name.
"""

import json
import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar
from zlib import crc32

from verifflowcc.base.records import field_names
from verifflowcc.code.rules.graph import (
    Definition,
    FileFacts,
    Head,
    Import,
    Reference,
    ReferenceKind,
    SymbolKind,
    TypeHint,
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
_NAME = field_names(Reference).index("name")
_REFERENCE_PLACES = {kind: place for place, kind in enumerate(_REFERENCES)}
_RECORDS: tuple[type, ...] = (Definition, Reference, Import, TypeHint)
FIELDS = " ".join(f"{record.__name__}({','.join(field_names(record))})" for record in _RECORDS)
"""What is written of each record; a file with other fields is of another version."""

_DEFINITION, _REFERENCE, _IMPORT, _TYPED = [[attrgetter(name) for name in field_names(each)] for each in _RECORDS]
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


def head_to_bytes(facts: FileFacts) -> bytes:
    """Return all but the references of some facts."""
    definitions = _columns(facts.definitions, _DEFINITION)
    definitions[0] = [_SYMBOL_PLACES[kind] for kind in definitions[0]]
    return packed([definitions, imports_to_columns(facts), _columns(facts.typed, _TYPED)])


def head_from_bytes(body: bytes) -> Head:
    """Read what `head_to_bytes` made. Raises DamagedError."""
    return _read(lambda: _head(*unpacked(body)))


def _head(definitions: "Columns", imports: "Columns", typed: "Columns") -> Head:
    kinds, *others = definitions
    return Head(
        tuple(map(Definition, map(_SYMBOLS.__getitem__, kinds), *others)),
        tuple(map(Import, *imports)),
        tuple(map(TypeHint, *typed)),
    )


def references_to_bytes(facts: FileFacts) -> bytes:
    """Return the references of some facts."""
    references = _columns(facts.references, _REFERENCE)
    references[0] = [_REFERENCE_PLACES[kind] for kind in references[0]]
    return packed(references)


def references_from_bytes(body: bytes, name: str = "", kind: ReferenceKind | None = None) -> tuple[Reference, ...]:
    """Read what `references_to_bytes` made: those with a name, of a kind, where one is given. Raises DamagedError."""
    columns = unpacked(body)
    if name:
        columns = _kept(columns, _NAME, name)
    if kind is not None:
        columns = _kept(columns, 0, _REFERENCE_PLACES[kind])
    kinds, *others = columns
    return _read(lambda: tuple(map(Reference, map(_REFERENCES.__getitem__, kinds), *others)))


def _kept(columns: "Columns", column: int, wanted: object) -> "Columns":
    """Return the columns with those rows alone that have `wanted` in one of them."""
    rows = [row for row, each in enumerate(columns[column]) if each == wanted]
    return [[values[row] for row in rows] for values in columns]


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
        self._note(REFERRING, {each.name for each in facts.references} | imported, number)
        self._note(IMPORTING, parts | imported, number)
        lists = self._lists[WORDS]
        for word, count in inside.items():
            lists[word] += (number, count, named.get(word, 0))

    def finish(self) -> Part:
        """Return what was added, as a part."""
        buckets = [bucketed(self._lists[name]) for name in LISTS]
        return self._units, self._facts, packed(self._imports), buckets

    def _note(self, name: str, names: Iterable[str], number: int) -> None:
        lists = self._lists[name]
        for each in names:
            lists[each].append(number)
