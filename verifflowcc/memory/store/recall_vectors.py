"""The vectors of the units of a scope, beside its full-text tables; there only where meanings are compared.

A vector belongs to a text: it stays where an item is indexed anew with the same one, and goes with it. Those of another
model are as if they were not there, until they are made anew.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple
from zlib import crc32

from verifflowcc.base.index.index_file import Store, summed, unsummed
from verifflowcc.base.model.item_values import DecisionStatus, Item
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.base.model.recall_values import FIELDS, Unit
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.memory.store.placing import item_to_text

# The full-text tables of one scope: its items, their units and words, and what links to what.
#
# Each scope has tables of its own, so that none moves the ranking of another.

Read = Callable[[StoredItem], Sequence[Unit]]
"""Takes an item apart into what is searched."""

_COLUMNS = ", ".join(FIELDS)
_TABLES = f"""
CREATE TABLE recall_{{n}}_items (
    path TEXT PRIMARY KEY, id TEXT NOT NULL, key TEXT, digest TEXT NOT NULL, linking INTEGER NOT NULL, replaced TEXT,
    facts TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX recall_{{n}}_items_by_id ON recall_{{n}}_items (id);
CREATE INDEX recall_{{n}}_items_by_key ON recall_{{n}}_items (key) WHERE key IS NOT NULL;
CREATE INDEX recall_{{n}}_items_linking ON recall_{{n}}_items (path) WHERE linking;
CREATE INDEX recall_{{n}}_items_replaced ON recall_{{n}}_items (path) WHERE replaced IS NOT NULL;
CREATE TABLE recall_{{n}}_links (target TEXT, path TEXT, PRIMARY KEY (target, path)) WITHOUT ROWID;
CREATE INDEX recall_{{n}}_links_by_path ON recall_{{n}}_links (path);
CREATE TABLE recall_{{n}}_units (
    number INTEGER PRIMARY KEY, path TEXT, part INTEGER, thread TEXT, place INTEGER, flags INTEGER, day TEXT,
    heading TEXT, {_COLUMNS}, sum INTEGER
);
CREATE INDEX recall_{{n}}_units_by_path ON recall_{{n}}_units (path);
CREATE INDEX recall_{{n}}_units_by_place ON recall_{{n}}_units (thread, place) WHERE place IS NOT NULL;
CREATE VIRTUAL TABLE recall_{{n}}_words USING fts5(
    {_COLUMNS}, content='recall_{{n}}_units', content_rowid='number', tokenize='ascii'
);
CREATE VIRTUAL TABLE recall_{{n}}_terms USING fts5vocab('recall_{{n}}_words', 'col');
"""
_DROPPED = ("terms", "words", "units", "links", "items")
_MARKS = ", ".join("?" * (8 + len(FIELDS) + 1))


@dataclass(frozen=True, slots=True)
class PreparedItem:
    """An item made ready for the tables: its row, its units, and the names by which it leads to others."""

    item: Item
    digest: str
    facts: str
    units: tuple[Unit, ...]
    targets: tuple[str, ...]


def prepared(stored: StoredItem, read: Read) -> PreparedItem:
    """Make an item ready, which takes longer than writing it."""
    item = stored.item
    digest = digest_text(stored.text.encode())
    return PreparedItem(
        item, digest, summed(item_to_text(item)), tuple(read(stored)), tuple(sorted(set(_targets(item))))
    )


def row_sum(row: tuple[object, ...]) -> int:
    """Return the checksum of a unit's row: all columns after its number."""
    return crc32("\0".join(map(str, row)).encode("utf-8", "surrogatepass"))


class ScopeTables:
    """The tables of one scope, by its number in the index; used inside of a transaction."""

    def __init__(self, store: Store, number: int) -> None:
        self._store, self.number = store, number

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """Run a statement; `{n}` in it becomes the scope's number."""
        return self._store.rows(statement.replace("{n}", str(self.number)), values)

    def create(self) -> None:
        """Make the tables, empty."""
        for name in _DROPPED:
            self.rows(f"DROP TABLE IF EXISTS recall_{{n}}_{name}")
        for statement in _TABLES.split(";")[:-1]:
            self.rows(statement)

    def fill(self, items: Iterable[PreparedItem]) -> None:
        """Put all items into empty tables."""
        number = 0
        for each in items:
            self._put_item(each)
            for part, unit in enumerate(each.units):
                number += 1
                self._put_unit(number, each.item.path, part, unit)
        self.rows("INSERT INTO recall_{n}_words (recall_{n}_words) VALUES ('rebuild')")

    def take_out(self, path: str) -> Iterator[Unit]:
        """Remove the item at a path; yield its units."""
        gone = self.rows("DELETE FROM recall_{n}_items WHERE path = ? RETURNING 1", (path,))
        if not gone:
            return
        self.rows("DELETE FROM recall_{n}_links WHERE path = ?", (path,))
        marks = ", ".join("?" * len(FIELDS))
        delete = f"INSERT INTO recall_{{n}}_words (recall_{{n}}_words, rowid, {_COLUMNS}) VALUES ('delete', ?, {marks})"
        for number, *terms in self.rows(f"SELECT number, {_COLUMNS} FROM recall_{{n}}_units WHERE path = ?", (path,)):
            self.rows(delete, (number, *terms))
            yield Unit(tuple(map(str, terms)))
        self.rows("DELETE FROM recall_{n}_units WHERE path = ?", (path,))

    def put_in(self, each: PreparedItem) -> None:
        """Add an item whose path is not there."""
        self._put_item(each)
        ((number,),) = self.rows("SELECT coalesce(max(number), 0) FROM recall_{n}_units")
        insert = f"INSERT INTO recall_{{n}}_words (rowid, {_COLUMNS}) VALUES (?, {', '.join('?' * len(FIELDS))})"
        for part, unit in enumerate(each.units):
            place = int(str(number)) + part + 1
            self._put_unit(place, each.item.path, part, unit)
            self.rows(insert, (place, *unit.terms))

    def is_named(self, item: Item) -> bool:
        """Say whether a link of any item may mean this one."""
        names = sorted(_names(item))
        marks = ", ".join("?" * len(names))
        return bool(self.rows(f"SELECT 1 FROM recall_{{n}}_links WHERE target IN ({marks}) LIMIT 1", names))

    def _put_item(self, each: PreparedItem) -> None:
        item = each.item
        self.rows(
            "INSERT INTO recall_{n}_items VALUES (?, ?, ?, ?, ?, NULL, ?)",
            (item.path, item.id, item.key, each.digest, int(is_linking(item)), each.facts),
        )
        for target in each.targets:
            self.rows("INSERT INTO recall_{n}_links VALUES (?, ?)", (target, item.path))

    def _put_unit(self, number: int, path: str, part: int, unit: Unit) -> None:
        row = (path, part, unit.thread, unit.place, _flags(unit), unit.day, unit.heading, *unit.terms)
        self.rows(f"INSERT INTO recall_{{n}}_units VALUES ({_MARKS})", (number, *row, row_sum(row)))


def _flags(unit: Unit) -> int:
    return unit.asks + 2 * unit.ends_asking + 4 * unit.timed


def flags_read(flags: int) -> tuple[bool, bool, bool]:
    """Unpack a row's flags: asks, ends with a question, names a time."""
    return bool(flags & 1), bool(flags & 2), bool(flags & 4)


def is_linking(item: Item) -> bool:
    """Say whether an item leads to another, or says that another replaced it."""
    decision = item.decision
    replaced = decision is not None and bool(
        decision.supersedes or decision.superseded_by or decision.status is _SUPERSEDED
    )
    return bool(item.links) or replaced


_SUPERSEDED = DecisionStatus.SUPERSEDED


def _targets(item: Item) -> Iterator[str]:
    """Yield what an item's links name, as written and as a file's name: enough to know whom they may mean."""
    for link in item.links:
        yield from _variants(link.to)
    if item.decision:
        for target in (*item.decision.supersedes, *item.decision.superseded_by):
            yield from _variants(target)


def _variants(target: str) -> Iterator[str]:
    file = target.rpartition("/")[2]
    yield from (target, file, file.rpartition(".")[0] or file)
    digits = "".join(each for each in target if each in "0123456789")
    if digits:
        yield f"#{digits.lstrip('0') or '0'}"


def _names(item: Item) -> set[str]:
    file = item.path.rpartition("/")[2]
    names = {item.id, item.path, file, file.rpartition(".")[0] or file}
    if item.key:
        names.add(item.key)
    if item.decision and item.decision.number is not None:
        names.add(f"#{item.decision.number}")
    return names


def lengths_text(units: int, lengths: Sequence[int]) -> str:
    """Return the lengths of so many units as they are kept."""
    return summed(json.dumps([units, *lengths]))


def lengths_read(kept: object, units: object) -> list[int] | None:
    """Return the lengths that `lengths_text` wrote for so many units; None for what is damaged."""
    text = unsummed(kept)
    held: list[int] = json.loads(text) if text is not None else []
    return held[1:] if held and held[0] == units else None


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


class UnitWithoutVector(NamedTuple):
    """A unit without a vector: its number, its item's path, which part of it, and the item's id and digest."""

    number: int
    path: str
    part: int
    id: str
    digest: str


class UnitVector(NamedTuple):
    """A unit with its vector, thread and place in it; None without neighbours."""

    number: int
    thread: str
    place: int | None
    vector: bytes


class MissingVectorsError(Exception):
    """A unit has no sound vector: nothing is answered until it has one."""


def bare_units(tables: ScopeTables, model: str) -> list[UnitWithoutVector]:
    """Return the units of a scope that have no sound vector of a model, those of one item together."""
    held = {each.number for each in _held(tables, model)}
    every = (
        UnitWithoutVector(_whole(number), str(path), _whole(part), str(item_id), str(digest))
        for number, path, part, item_id, digest in tables.rows(_UNITS)
    )
    return [unit for unit in every if unit.number not in held]


def held_vectors(tables: ScopeTables, model: str, units: int) -> list[UnitVector]:
    """Return the units of a scope, of which there are so many, with their vectors of a model.

    Raises MissingVectorsError where one has none.
    """
    held = list(_held(tables, model))
    if len(held) != units:
        raise MissingVectorsError
    return held


def put_vectors(tables: ScopeTables, model: str, made: Iterable[tuple[UnitWithoutVector, bytes]]) -> None:
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


def _held(tables: ScopeTables, model: str) -> Iterator[UnitVector]:
    for number, thread, place, vector, checksum in tables.rows(_HELD, (model,)) if _is_there(tables) else ():
        if isinstance(vector, bytes) and crc32(vector) == checksum:
            yield UnitVector(_whole(number), str(thread), None if place is None else _whole(place), vector)


def _is_there(tables: ScopeTables) -> bool:
    return bool(tables.rows(_IS_THERE))


def _whole(value: object) -> int:
    return value if isinstance(value, int) else int(str(value))
