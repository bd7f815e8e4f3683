"""The facts of a source text as bytes and back, and bytes that tell of damage to them.

What is written down is a JSON list for each record, its fields in order, compressed. `sealed` puts a checksum before
bytes that holds for one place in one table, so that a row that is damaged, or stands elsewhere, is found.
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from verifflowcc.domain.graph import Definition, FileFacts, Head, Import, Reference, ReferenceKind, SymbolKind, Typed
from verifflowcc.records import field_names

if TYPE_CHECKING:
    from typing import Any

_T = TypeVar("_T")
_SUM_BYTES = 4
_LEVEL = 1
_SYMBOLS = tuple(SymbolKind)
_REFERENCES = tuple(ReferenceKind)
_SYMBOL_PLACES = {kind: place for place, kind in enumerate(_SYMBOLS)}
_REFERENCE_PLACES = {kind: place for place, kind in enumerate(_REFERENCES)}
_RECORDS = (Definition, Reference, Import, Typed)
FIELDS = " ".join(f"{record.__name__}({','.join(field_names(record))})" for record in _RECORDS)
"""What a row of each record holds; a file with other rows is of another version."""

_of_definition = attrgetter(*field_names(Definition)[1:])
_of_reference = attrgetter(*field_names(Reference)[1:])
_of_import = attrgetter(*field_names(Import))
_of_typed = attrgetter(*field_names(Typed))
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
    definitions = [(_SYMBOL_PLACES[each.kind], *_of_definition(each)) for each in facts.definitions]
    return packed([definitions, imports_to_rows(facts), list(map(_of_typed, facts.typed))])


def head_from_bytes(body: bytes) -> Head:
    """Read what `head_to_bytes` made. Raises DamagedError."""
    return _read(lambda: _head(*unpacked(body)))


def _head(definitions: "list[Any]", imports: "list[Any]", typed: "list[Any]") -> Head:
    return Head(
        tuple([Definition(_SYMBOLS[row[0]], *row[1:]) for row in definitions]),
        tuple([Import(*row) for row in imports]),
        tuple([Typed(*row) for row in typed]),
    )


def references_to_bytes(facts: FileFacts) -> bytes:
    """Return the references of some facts."""
    return packed([(_REFERENCE_PLACES[each.kind], *_of_reference(each)) for each in facts.references])


def references_from_bytes(body: bytes) -> tuple[Reference, ...]:
    """Read what `references_to_bytes` made. Raises DamagedError."""
    return _read(lambda: tuple([Reference(_REFERENCES[row[0]], *row[1:]) for row in unpacked(body)]))


def imports_to_rows(facts: FileFacts) -> "list[Any]":
    """Return the imports of some facts as values of JSON."""
    return list(map(_of_import, facts.imports))


def imports_from_rows(rows: "Iterable[Any]") -> tuple[Import, ...]:
    """Read what `imports_to_rows` made. Raises DamagedError."""
    return _read(lambda: tuple([Import(*row) for row in rows]))


def _read(read: "Callable[[], _T]") -> _T:
    try:
        return read()
    except (TypeError, LookupError) as error:
        raise DamagedError from error
