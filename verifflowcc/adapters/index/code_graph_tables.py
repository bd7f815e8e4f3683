"""The tables of the code graph: parts, their facts and lists, and the last state of the working tree.

Whatever is read is what was written, or DamagedError is raised; parts come and go as wholes, under numbers that are
never given twice.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from verifflowcc.adapters.index.code_graph_coded import FIELDS, DamagedError, packed, sealed, unpacked, unsealed
from verifflowcc.adapters.index.code_graph_parts import LISTS, Part, UnitRow, bucket_of
from verifflowcc.adapters.index.store import Form, Store
from verifflowcc.records import dataclass

if TYPE_CHECKING:
    from typing import Any

LAYOUT = 4
_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE parts (
    number INTEGER PRIMARY KEY AUTOINCREMENT, buckets BLOB NOT NULL, units BLOB NOT NULL, imports BLOB NOT NULL
);
CREATE TABLE facts (number INTEGER PRIMARY KEY, head BLOB NOT NULL, refs BLOB NOT NULL);
CREATE TABLE lists (number INTEGER PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE tree (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
"""
MOST_UNITS = 1 << 24
"""A part has fewer texts, and fewer buckets of each list."""
_TREE = ("listing", "names", "stamps", "numbers", "states")


def form(readers: str) -> Form:
    """Return the form of the file; what other readers wrote is not what these would."""
    return Form(_SCHEMA, LAYOUT, f" {readers} {FIELDS}")


@dataclass(frozen=True, slots=True)
class Tree:
    """The working tree as it was last: the listing, the names of the files that may be source files, their stamps, and
    of these the packed numbers of their texts, and the packed rest of what is known of them."""

    listing: bytes
    names: bytes
    stamps: bytes
    numbers: bytes
    states: bytes


class Tables:
    """The tables, in one store. Every method raises sqlite3.DatabaseError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._buckets: dict[int, list[int]] = {}
        self._kept: dict[int, dict[str, list[int]]] = {}

    def parts(self) -> list[int]:
        """Return the numbers of the parts, in the order in which they came."""
        return [number for (number,) in self._store.rows("SELECT number FROM parts ORDER BY number")]

    def units(self, part: int) -> list[UnitRow]:
        """Return what is kept at hand of each text of a part."""
        return [tuple(row) for row in unpacked(self._column("units", part))]

    def imports(self, part: int) -> "list[list[Any]]":
        """Return the imports of each text of a part, as columns."""
        rows: list[list[Any]] = unpacked(self._column("imports", part))
        return rows

    def facts(self, column: str, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return `head` or `refs` of texts, each by its number in all parts (`number_of`)."""
        found: dict[int, bytes] = {}
        for start in range(0, len(numbers), 500):
            some = numbers[start : start + 500]
            marks = ",".join("?" * len(some))
            found.update(self._store.rows(f"SELECT number, {column} FROM facts WHERE number IN ({marks})", some))
        if len(found) < len(numbers):
            raise DamagedError
        return {number: unsealed(column, number, body) for number, body in found.items()}

    def listed(self, kind: int, name: str, parts: Iterable[int]) -> dict[int, list[int]]:
        """Return part → what one of `LISTS` has for a name, in those parts that have it."""
        found = {}
        for part in parts:
            bucket = self._bucket(part, kind, bucket_of(name, self._counts(part)[kind]))
            if name in bucket:
                found[part] = bucket[name]
        return found

    def lists(self, kind: int, part: int) -> dict[str, list[int]]:
        """Return one of `LISTS` of a part, whole."""
        lists: dict[str, list[int]] = {}
        first, count = _list_number(part, kind, 0), self._counts(part)[kind]
        rows = self._store.rows(
            "SELECT number, body FROM lists WHERE number >= ? AND number < ?", (first, first + count)
        )
        if len(rows) != count:
            raise DamagedError
        for number, body in rows:
            lists.update(unpacked(unsealed("lists", number, body)))
        return lists

    def add(self, part: Part) -> int:
        """Write a part, inside of a transaction, and return its number."""
        units, facts, imports, buckets = part
        ((number,),) = self._store.rows(
            "INSERT INTO parts (buckets, units, imports) VALUES (x'', x'', x'') RETURNING number"
        )
        counts = packed([len(each) for each in buckets])
        columns = {"buckets": counts, "units": packed(units), "imports": imports}
        self._store.rows(
            "UPDATE parts SET buckets = ?, units = ?, imports = ? WHERE number = ?",
            (*[sealed(name, number, body) for name, body in columns.items()], number),
        )
        numbered = ((number_of(number, place), *each) for place, each in enumerate(facts))
        self._store.write_all(
            "INSERT INTO facts VALUES (?, ?, ?)",
            ((place, sealed("head", place, head), sealed("refs", place, refs)) for place, head, refs in numbered),
        )
        for kind, bodies in enumerate(buckets):
            self._store.write_all(
                "INSERT INTO lists VALUES (?, ?)",
                [
                    (place, sealed("lists", place, body))
                    for place, body in enumerate(bodies, _list_number(number, kind, 0))
                ],
            )
        return int(number)

    def remove(self, part: int) -> None:
        """Delete a part, inside of a transaction."""
        self._store.rows("DELETE FROM parts WHERE number = ?", (part,))
        first, after = number_of(part, 0), number_of(part + 1, 0)
        self._store.rows("DELETE FROM facts WHERE number >= ? AND number < ?", (first, after))
        first, after = _list_number(part, 0, 0), _list_number(part + 1, 0, 0)
        self._store.rows("DELETE FROM lists WHERE number >= ? AND number < ?", (first, after))

    def tree(self) -> Tree | None:
        """Return the last state of the working tree, if one is kept."""
        kept = dict(self._store.rows("SELECT name, body FROM tree"))
        return Tree(*[unsealed(name, 0, kept.get(name)) for name in _TREE]) if kept else None

    def keep_tree(self, tree: Tree) -> None:
        """Write the state of the working tree, inside of a transaction."""
        bodies: Mapping[str, bytes] = {name: getattr(tree, name) for name in _TREE}
        self._store.write_all(
            "INSERT OR REPLACE INTO tree VALUES (?, ?)",
            [(name, sealed(name, 0, body)) for name, body in bodies.items()],
        )

    def forget(self) -> None:
        """Forget what was read: parts may have come or gone since."""
        self._buckets.clear()
        self._kept.clear()

    def _counts(self, part: int) -> list[int]:
        counts = self._buckets.get(part)
        if counts is None:
            counts = self._buckets[part] = unpacked(self._column("buckets", part))
        if len(counts) != len(LISTS):
            raise DamagedError
        return counts

    def _bucket(self, part: int, kind: int, place: int) -> dict[str, list[int]]:
        number = _list_number(part, kind, place)
        bucket = self._kept.get(number)
        if bucket is None:
            rows = self._store.rows("SELECT body FROM lists WHERE number = ?", (number,))
            bucket = self._kept[number] = unpacked(unsealed("lists", number, rows[0][0] if rows else None))
        return bucket

    def _column(self, name: str, part: int) -> bytes:
        rows = self._store.rows(f"SELECT {name} FROM parts WHERE number = ?", (part,))
        return unsealed(name, part, rows[0][0] if rows else None)


def number_of(part: int, place: int) -> int:
    """Return the number of a text in all parts: its part, and its place in it."""
    return part * MOST_UNITS + place


def part_and_place(number: int) -> tuple[int, int]:
    """Return what `number_of` was made of."""
    return divmod(number, MOST_UNITS)


def _list_number(part: int, kind: int, bucket: int) -> int:
    return (part * len(LISTS) + kind) * MOST_UNITS + bucket
