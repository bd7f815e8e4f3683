"""The vectors of the units of a scope, beside its full-text tables; there only where meanings are compared.

A vector belongs to a text: it stays where an item is indexed anew with the same one, and goes with it. Those of another
model are as if they were not there, until they are made anew.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from zlib import crc32

from verifflowcc.adapters.index.recall_tables import ScopeTables

_TABLE = """
CREATE TABLE IF NOT EXISTS recall_{n}_vectors (
    path TEXT, part INTEGER, digest TEXT, model TEXT, vector BLOB, sum INTEGER, PRIMARY KEY (path, part)
) WITHOUT ROWID
"""
_IS_THERE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'recall_{n}_vectors'"
_HELD = """
SELECT u.number, u.thread, u.place, v.vector, v.sum
FROM recall_{n}_vectors v JOIN recall_{n}_units u ON u.path = v.path AND u.part = v.part WHERE v.model = ?
"""
_UNITS = """
SELECT u.number, u.path, u.part, i.id, i.digest FROM recall_{n}_units u JOIN recall_{n}_items i ON i.path = u.path
ORDER BY u.path, u.part
"""
_PUT = """
INSERT OR REPLACE INTO recall_{n}_vectors SELECT ?, ?, ?, ?, ?, ?
WHERE EXISTS (SELECT 1 FROM recall_{n}_items WHERE path = ? AND digest = ?)
"""
_STALE = """
DELETE FROM recall_{n}_vectors
WHERE digest IS NOT (SELECT i.digest FROM recall_{n}_items i WHERE i.path = recall_{n}_vectors.path)
"""


class Bare(NamedTuple):
    """A unit without a vector: its number, its item's path, which part of it, and the item's id and digest."""

    number: int
    path: str
    part: int
    id: str
    digest: str


class Held(NamedTuple):
    """A unit with its vector, and where it stands: its thread and its place there, None where it has no neighbours."""

    number: int
    thread: str
    place: int | None
    vector: bytes


class MissingVectorsError(Exception):
    """A unit has no sound vector: nothing is answered until it has one."""


def bare_units(tables: ScopeTables, model: str) -> list[Bare]:
    """Return the units of a scope that have no sound vector of a model, those of one item together."""
    held = {each.number for each in _held(tables, model)}
    every = (
        Bare(_whole(number), str(path), _whole(part), str(item_id), str(digest))
        for number, path, part, item_id, digest in tables.rows(_UNITS)
    )
    return [unit for unit in every if unit.number not in held]


def held_vectors(tables: ScopeTables, model: str, units: int) -> list[Held]:
    """Return the units of a scope, of which there are so many, with their vectors of a model.

    Raises MissingVectorsError where one has none.
    """
    held = list(_held(tables, model))
    if len(held) != units:
        raise MissingVectorsError
    return held


def put_vectors(tables: ScopeTables, model: str, made: Iterable[tuple[Bare, bytes]]) -> None:
    """Keep the vectors of units whose items are still there with the same text."""
    tables.rows(_TABLE)
    for unit, vector in made:
        row = (unit.path, unit.part, unit.digest, model, vector, crc32(vector))
        tables.rows(_PUT, (*row, unit.path, unit.digest))


def drop_stale_vectors(tables: ScopeTables, paths: Iterable[str] | None = None) -> None:
    """Remove the vectors of texts that the items, or those at `paths`, do not have any more."""
    if not _is_there(tables):
        return
    if paths is None:
        tables.rows(_STALE)
    for path in paths or ():
        tables.rows(f"{_STALE} AND path = ?", (path,))


def _held(tables: ScopeTables, model: str) -> Iterator[Held]:
    for number, thread, place, vector, checksum in tables.rows(_HELD, (model,)) if _is_there(tables) else ():
        if isinstance(vector, bytes) and crc32(vector) == checksum:
            yield Held(_whole(number), str(thread), None if place is None else _whole(place), vector)


def _is_there(tables: ScopeTables) -> bool:
    return bool(tables.rows(_IS_THERE))


def _whole(value: object) -> int:
    return value if isinstance(value, int) else int(str(value))
