"""The full-text index: brought up to a store before each question, by what changed; it can be deleted at any moment."""

import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from verifflowcc.base.errors import ConflictError
from verifflowcc.base.index.index_file import DerivedTables, unsummed
from verifflowcc.base.model.item_values import Item, names_meant
from verifflowcc.base.model.memory_protocol import Changes, MemoryBackend
from verifflowcc.base.model.recall_values import FIELDS, Corpus, KeptUnit, Unit, extent_of
from verifflowcc.base.process.clock import observed
from verifflowcc.base.records import dataclass
from verifflowcc.memory.store.placing import item_from_text
from verifflowcc.memory.store.recall_vectors import (
    PreparedItem,
    Read,
    ScopeTables,
    drop_stale_vectors,
    flags_read,
    is_linking,
    lengths_read,
    lengths_text,
    prepared,
    row_sum,
)

# Which units match some words best, as SQLite's full-text search finds them, in bounded time and a stable order.
#
# A rare word says most and costs least. The rarest words are looked for alone, as long as they do not stand in too
# many units; of the others, those units are taken in which two of them stand. What is found is scored by all words
# elsewhere.

MOST_ROWS, ROWS_EACH = 4_000, 13
"""About so many rows are ranked for one question, whatever the number of units; more where more are asked for."""

SURE, FAR_BEHIND, FAR_BESIDE = 15, 0.5, 0.3
"""Of so many units that are asked for, one is a sure one; what scores less than this share of the last sure one by
full-text search is left out. The second share is for units that stand beside others, of which more is counted later."""

_DIGITS = 6
"""Scores of full-text search are compared to so many places: beyond, machines may differ."""

_APART = 0.6 * 10**-_DIGITS
"""Scores that are alike are not as far apart."""


class BestUnits(NamedTuple):
    """Numbers of units; `complete` says that no other unit holds any of the words."""

    numbers: list[int]
    complete: bool


def best_numbers(tables: ScopeTables, terms: Mapping[str, int], weights: Sequence[int], most: int) -> BestUnits:
    """Return the best units for terms with the number of units that hold each; `most`, or up to twice as many.

    `weights` are those of the fields. Units that score alike at the end are in or out together, but where they are all
    that there is: then those come first whose paths do.
    """
    asked, every = _asked(terms, max(MOST_ROWS, ROWS_EACH * most))
    if not asked:
        return BestUnits([], complete=True)
    by_weight = f"bm25({', '.join(str(weight / 100) for weight in weights)})"
    rows = tables.rows(
        "SELECT rank, rowid FROM recall_{n}_words WHERE recall_{n}_words MATCH ? AND rank MATCH ?"
        " ORDER BY rank LIMIT ?",
        (asked, by_weight, 2 * most + 1),
    )
    found = cast("list[tuple[float, int]]", rows)
    near = _near(found, most // SURE, FAR_BEHIND)
    if near < len(found):
        farther = [number for _, number in found[near : _near(found, most // SURE, FAR_BESIDE)]]
        return BestUnits([*(number for _, number in found[:near]), *_placed(tables, farther)], complete=False)
    scores = [(round(score, _DIGITS), number) for score, number in found]
    if len(scores) <= 2 * most:
        return BestUnits([number for _, number in scores], complete=every)
    last = scores[-1][0]
    sure = [number for score, number in scores if score != last]
    if len(sure) >= most:
        return BestUnits(sure, complete=False)
    alike = tables.rows(
        "SELECT u.number FROM recall_{n}_words w JOIN recall_{n}_units u ON u.number = w.rowid"
        " WHERE recall_{n}_words MATCH ? AND w.rank MATCH ? AND w.rank BETWEEN ? AND ? ORDER BY u.path, u.part LIMIT ?",
        (asked, by_weight, last - _APART, last + _APART, most),
    )
    return BestUnits([*dict.fromkeys([*sure, *(int(str(number)) for (number,) in alike)])], complete=False)


def _placed(tables: ScopeTables, numbers: Sequence[int]) -> list[int]:
    """Return those of some units that stand beside others."""
    found: list[int] = []
    for part in _parts(numbers):
        rows = tables.rows(
            "SELECT number FROM recall_{n}_units WHERE place IS NOT NULL AND number IN"
            f" ({','.join('?' * len(part))}) ORDER BY number",
            part,
        )
        found += [int(str(number)) for (number,) in rows]
    return found


def _near(found: Sequence[tuple[float, int]], sure: int, share: float) -> int:
    """Of units with their scores, best (lowest) first: how many may still be among the best few."""
    if not sure or len(found) <= sure:
        return len(found)
    last = round(found[sure - 1][0] * share, _DIGITS)
    return bisect_right(found, last, key=lambda each: round(each[0], _DIGITS))


def _asked(terms: Mapping[str, int], most_rows: int) -> tuple[str, bool]:
    """Return the expression of the search, rare words or pairs of common ones, and whether all words stand alone."""
    rarest = sorted((units, term) for term, units in terms.items() if units)
    if not rarest:
        return "", True
    alone, left = [rarest[0][1]], most_rows - rarest[0][0]
    for units, term in rarest[1:]:
        if units > left:
            break
        alone.append(term)
        left -= units
    common = rarest[len(alone) :]
    return " OR ".join([f'"{term}"' for term in alone] + list(_pairs(common, left))), not common


def _pairs(common: Sequence[tuple[int, str]], left: int) -> Iterator[str]:
    """Yield pairs of common words, rarest first, while there is room; a half of the rarer one's units is reckoned."""
    for last in range(1, len(common)):
        for first in range(last):
            reckoned = common[first][0] // 2
            if reckoned > left:
                return
            left -= reckoned
            yield f'("{common[first][1]}" AND "{common[last][1]}")'


_T = TypeVar("_T")
MOST_VALUES = 400
_DAMAGED = "a row of the index is damaged"
_UNITS = f"number, path, part, thread, place, flags, day, heading, {', '.join(FIELDS)}, sum"
_TRIES = 4

Replaced = Callable[[Sequence[Item]], Mapping[str, str]]
"""From items, path → why for those that another replaced."""


class IndexedItem(NamedTuple):
    """An item as the index has it; `replaced` says what replaced it, empty where nothing did."""

    item: Item
    replaced: str


@dataclass(frozen=True, slots=True)
class IndexRules:
    """How the index reads items: `read` takes one apart, `replaced` says which of some are replaced."""

    read: Read
    replaced: Replaced


class RecallIndex(DerivedTables):
    """The full-text tables of scopes in one index file.

    `state` brings one scope up to its store and then asks it, so that an answer is of one state.
    """

    def __init__(self, index: Path, rules: IndexRules) -> None:
        super().__init__(index)
        self._rules = rules

    def state(
        self,
        stores: Sequence[MemoryBackend],
        ask: Callable[[dict[str, "Scope"]], _T],
        others: "Sequence[tuple[RecallIndex, Sequence[MemoryBackend]]]" = (),
    ) -> _T:
        """Return what `ask` says of the scopes of some stores, by name, as they are now.

        `others` are stores whose scopes another index has. Raises BackendError, and as the stores do.
        """
        every = ((self, stores), *others)

        def once() -> _T:
            for index, theirs in every:
                index._bring_up(theirs)
            with ExitStack() as transactions:
                scopes: dict[str, Scope] = {}
                for index, theirs in every:
                    transactions.enter_context(index._store.transaction("BEGIN"))
                    scopes |= {store.scope: index._sure_scope(store.scope) for store in theirs}
                return ask(scopes)

        names = ", ".join(store.scope for _, theirs in every for store in theirs)
        return self._soundly(once, f"the items of {names}", [index for index, _ in others])

    def _bring_up(self, stores: Sequence[MemoryBackend]) -> None:
        for store in stores:
            if not any(self._brought_up(store) for _ in range(_TRIES)):
                raise ConflictError(f"the items of {store.scope} are being changed by others", hint="try again")

    def write(self, scope: str, write: Callable[[ScopeTables], None]) -> None:
        """Write to the tables of a scope, as one, where the scope is there. Raises BackendError."""

        def once() -> None:
            with self._store.transaction("BEGIN IMMEDIATE"):
                there = self._scope(scope)
                if there is not None:
                    write(there.tables)

        self._soundly(once, f"the items of {scope}")

    def _sure_scope(self, name: str) -> "Scope":
        scope = self._scope(name)
        if scope is None:
            raise sqlite3.DatabaseError("a scope is not there any more")
        return scope

    def _scope(self, name: str) -> "Scope | None":
        rows = self._store.rows("SELECT number, mark, units, lengths FROM recall_scopes WHERE scope = ?", (name,))
        if not rows:
            return None
        number, mark, units, kept = rows[0]
        lengths = lengths_read(kept, units)
        if lengths is None or not isinstance(number, int):
            raise sqlite3.DatabaseError(_DAMAGED)
        return Scope(ScopeTables(self._store, number), mark, units, lengths)

    def _brought_up(self, store: MemoryBackend) -> bool:
        """Apply the store's changes; return False where another process did so first.

        Files are read outside of the transaction, so that no other process waits for them.
        """
        scope = self._scope(store.scope)
        changes = store.changes(scope.mark if scope else None, scope.known if scope else dict)
        new = [prepared(each, self._rules.read) for each in observed("indexing items", changes.changed)]
        if scope and not changes.complete and not new and not changes.gone:
            if changes.mark != scope.mark:
                self._store.rows("UPDATE recall_scopes SET mark = ? WHERE scope = ?", (changes.mark, store.scope))
            return True
        with self._store.transaction("BEGIN IMMEDIATE"):
            there = self._scope(store.scope)
            if (there.mark if there else None) != (scope.mark if scope else None):
                return False
            if there is None or changes.complete or not there.units:
                self._fill(store.scope, there, changes, new)
            else:
                self._update(store.scope, there, changes, new)
        return True

    def _fill(self, name: str, there: "Scope | None", changes: Changes, new: Sequence[PreparedItem]) -> None:
        ((number,),) = self._store.rows("SELECT coalesce(max(number), 0) + 1 FROM recall_scopes")
        tables = there.tables if there else ScopeTables(self._store, int(number))
        tables.create()
        tables.fill(new)
        units, lengths = extent_of(unit for each in new for unit in each.units)
        self._store.rows(
            "INSERT OR REPLACE INTO recall_scopes VALUES (?, ?, ?, ?, ?)",
            (name, tables.number, changes.mark, units, lengths_text(units, lengths)),
        )
        drop_stale_vectors(tables)
        self._judge(Scope(tables, changes.mark, units, lengths))

    def _update(self, name: str, there: "Scope", changes: Changes, new: Sequence[PreparedItem]) -> None:
        touched = [*changes.gone, *(each.item.path for each in new)]
        before = list(there.items(touched).values())
        relations = any(is_linking(known.item) or there.tables.is_named(known.item) for known in before)
        gone = [unit for path in dict.fromkeys(touched) for unit in there.tables.take_out(path)]
        for each in new:
            there.tables.put_in(each)
        relations = relations or any(is_linking(each.item) or there.tables.is_named(each.item) for each in new)
        drop_stale_vectors(there.tables, touched)
        less, shorter = extent_of(gone)
        more, longer = extent_of(unit for each in new for unit in each.units)
        units = there.units - less + more
        lengths = [old - out + added for old, out, added in zip(there.lengths, shorter, longer, strict=True)]
        self._store.rows(
            "UPDATE recall_scopes SET mark = ?, units = ?, lengths = ? WHERE scope = ?",
            (changes.mark, units, lengths_text(units, lengths), name),
        )
        if relations:
            self._judge(there)

    def _judge(self, scope: "Scope") -> None:
        """Compute again, for all items of a scope, whether another one replaced them."""
        replaced = self._rules.replaced(scope.linked())
        scope.tables.rows("UPDATE recall_{n}_items SET replaced = NULL WHERE replaced IS NOT NULL")
        for path, why in replaced.items():
            scope.tables.rows("UPDATE recall_{n}_items SET replaced = ? WHERE path = ?", (why, path))


class Scope:
    """One scope in one state, while it is asked."""

    def __init__(self, tables: ScopeTables, mark: str | None, units: int, lengths: Sequence[int]) -> None:
        self.tables, self.mark, self.units, self.lengths = tables, mark, units, lengths
        self.speakers: set[str] = set()
        """Of the terms that `corpus` was asked for, those of the names of who speaks here."""

    def known(self) -> dict[str, str]:
        """Return path → digest of all items."""
        return {
            str(path): str(digest) for path, digest in self.tables.rows("SELECT path, digest FROM recall_{n}_items")
        }

    def corpus(self, terms: Iterable[str]) -> Corpus:
        """Return the statistics of these terms, none of another. A term counts where it says what a unit is about."""
        containing = {}
        for term in terms:
            rows = self.tables.rows("SELECT col, doc FROM recall_{n}_terms WHERE term = ?", (term,))
            by_field = {str(field): int(str(number)) for field, number in rows}
            containing[term] = max((by_field.get(field, 0) for field in FIELDS if field != "speaker"), default=0)
            if "speaker" in by_field:
                self.speakers.add(term)
        return Corpus(self.units, tuple(self.lengths), containing)

    def best(self, terms: Mapping[str, int], weights: Sequence[int], most: int) -> BestUnits:
        """Return the numbers of the units that match best, `most` or so; see `recall_words`."""
        return best_numbers(self.tables, terms, weights, most)

    def kept(self, numbers: Sequence[int], reach: int) -> list[KeptUnit]:
        """Return units, and those that stand up to `reach` places beside them, by number."""
        found: dict[int, KeptUnit] = {}
        for part in _parts(list(numbers)):
            marks = ",".join("?" * len(part))
            self._take(found, f"SELECT {_UNITS} FROM recall_{{n}}_units WHERE number IN ({marks})", part)
            placed = [number for number in part if number in found and found[number].unit.place is not None]
            if reach and placed:
                beside = (
                    "SELECT DISTINCT b.number FROM recall_{n}_units a JOIN recall_{n}_units b ON b.thread = a.thread"
                    f" AND b.place BETWEEN a.place - {reach} AND a.place + {reach} AND b.place IS NOT NULL"
                    f" WHERE a.place IS NOT NULL AND a.number IN ({','.join('?' * len(placed))})"
                )
                others = [int(str(number)) for (number,) in self.tables.rows(beside, placed) if number not in found]
                for more in _parts(others):
                    again = ",".join("?" * len(more))
                    self._take(found, f"SELECT {_UNITS} FROM recall_{{n}}_units WHERE number IN ({again})", more)
        return [found[number] for number in sorted(found)]

    def parts(self, paths: Iterable[str]) -> list[KeptUnit]:
        """Return all units of the items at paths, by number."""
        found: dict[int, KeptUnit] = {}
        for part in _parts(sorted(set(paths))):
            marks = ",".join("?" * len(part))
            self._take(found, f"SELECT {_UNITS} FROM recall_{{n}}_units WHERE path IN ({marks})", part)
        return [found[number] for number in sorted(found)]

    def items(self, paths: Iterable[str]) -> dict[str, IndexedItem]:
        """Return path → the item there, for those that are there."""
        found = {}
        for part in _parts(sorted(set(paths))):
            marks = ",".join("?" * len(part))
            for row in self.tables.rows(f"{_ITEMS} WHERE path IN ({marks})", part):
                known = _known(row)
                found[known.item.path] = known
        return found

    def certain(self, paths: Iterable[str]) -> dict[str, IndexedItem]:
        """Return path → the item there, for paths that the index must have.

        Raises sqlite3.DatabaseError where one is missing.
        """
        wanted = set(paths)
        found = self.items(wanted)
        if found.keys() != wanted:
            raise sqlite3.DatabaseError(_DAMAGED)
        return found

    def every(self) -> list[IndexedItem]:
        """Return all items, by path."""
        return [_known(row) for row in self.tables.rows(f"{_ITEMS} ORDER BY path")]

    def named(self, names: Iterable[str]) -> list[IndexedItem]:
        """Return the items with one of these ids, paths or keys, by path."""
        found: dict[str, IndexedItem] = {}
        for part in _parts(sorted(set(names))):
            marks = ",".join("?" * len(part))
            for column in ("id", "key", "path"):
                for row in self.tables.rows(f"{_ITEMS} WHERE {column} IN ({marks})", part):
                    known = _known(row)
                    found[known.item.path] = known
        return [found[path] for path in sorted(found)]

    def leading_to(self, names: Iterable[str]) -> list[IndexedItem]:
        """Return the items whose links name one of these, by path; there may be more."""
        paths: set[str] = set()
        for part in _parts(sorted(set(names))):
            marks = ",".join("?" * len(part))
            rows = self.tables.rows(f"SELECT path FROM recall_{{n}}_links WHERE target IN ({marks})", part)
            paths.update(str(path) for (path,) in rows)
        return [known for _, known in sorted(self.items(paths).items())]

    def linked(self) -> list[Item]:
        """Return the items that lead to others and those that they mean; all, where a name needs all to be read."""
        leading = [_known(row).item for row in self.tables.rows(f"{_ITEMS} WHERE linking")]
        meant = names_meant(leading)
        found = {item.path: item for item in leading}
        found |= {known.item.path: known.item for known in self.named(meant)}
        ids = {item.id for item in found.values()}
        if meant <= ids:
            return list(found.values())
        return [known.item for known in self.every()]

    def _take(self, found: dict[int, KeptUnit], statement: str, values: Sequence[object]) -> None:
        for row in self.tables.rows(statement, values):
            kept = _kept(row)
            found[kept.number] = kept


_ITEMS = "SELECT replaced, facts FROM recall_{n}_items"


def _known(row: Sequence[object]) -> IndexedItem:
    """Return the item of a row. Raises sqlite3.DatabaseError where the row is damaged."""
    text = unsummed(row[1])
    if text is None:
        raise sqlite3.DatabaseError(_DAMAGED)
    return IndexedItem(item_from_text(text), str(row[0] or ""))


def _kept(row: tuple[Any, ...]) -> KeptUnit:
    """Return the unit of a row. Raises sqlite3.DatabaseError where the row is damaged."""
    if row_sum(row[1:-1]) != row[-1]:
        raise sqlite3.DatabaseError(_DAMAGED)
    number, path, part, thread, place, flags, day, heading = row[:8]
    return KeptUnit(number, path, part, Unit(row[8:-1], thread, place, day, *flags_read(flags), heading))


def _parts(values: Sequence[_T]) -> list[Sequence[_T]]:
    return [values[begin : begin + MOST_VALUES] for begin in range(0, len(values), MOST_VALUES)]
