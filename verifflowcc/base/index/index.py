"""What is known of each file, by its stat signature: a file that did not change is neither read nor parsed again."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path

from verifflowcc.base.files.write import ProjectFile
from verifflowcc.base.index.index_file import DerivedTables, Store, among, summed, unsummed
from verifflowcc.base.model.recall_values import Extent, Traits, Unit
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.record_codec import RecordCodec

# Token counts by content digest, kept between commands and written in one go.


class CountCache(MutableMapping[str, int]):
    """A mapping that reads from the index when asked and writes what is new at `save`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._here: dict[str, int] = {}
        self.new: dict[str, int] = {}

    def __getitem__(self, key: str) -> int:
        if key not in self._here:
            rows = self._store.rows("SELECT tokens FROM counts WHERE key = ?", (key,))
            if not rows:
                raise KeyError(key)
            self._here[key] = rows[0][0]
        return self._here[key]

    def __setitem__(self, key: str, tokens: int) -> None:
        self._here[key] = self.new[key] = tokens

    def __delitem__(self, key: str) -> None:
        raise TypeError("a count by content digest never becomes wrong")

    def __iter__(self) -> Iterator[str]:
        return iter(self._here)

    def __len__(self) -> int:
        return len(self._here)

    def prefetch(self, prefix: str) -> None:
        """Read every count whose key begins with `prefix`, in one go."""
        range_ = "SELECT key, tokens FROM counts WHERE key >= ? AND key < ?"
        self._here.update(self._store.rows(range_, (prefix, prefix + "\U0010ffff")))

    def fetch(self, keys: Sequence[str]) -> None:
        """Read the counts of so many keys, in one go."""
        marks = ",".join("?" * len(keys))
        self._here.update(self._store.rows(f"SELECT key, tokens FROM counts WHERE key IN ({marks})", tuple(keys)))

    def save(self) -> None:
        """Write the new counts, within a transaction."""
        self._store.write_all("INSERT OR REPLACE INTO counts VALUES (?, ?)", self.new.items())
        self.new.clear()


_MOST_VALUES = 500
_FEW = 200
"""So many files at most are asked for by name; of more, all rows are read."""
_TRAITS = """
SELECT number, path, signature, kind, importance, confidence, recency, units, length FROM file_traits
"""
_HOLDING = "SELECT group_concat(number), group_concat(count) FROM postings WHERE term = ?"
_UNITS_OF = "SELECT path, units FROM files JOIN file_units USING (number)"
_UNITS: RecordCodec[tuple[Unit, ...]] = RecordCodec(tuple[Unit, ...])

Matches = Mapping[str, tuple[Unit, ...]]
"""Path → what of a file is searched, for files that hold any of the terms asked for."""

Row = tuple[int, str, str, int, int, int, str | int | None, int, int]
"""The traits of a file: number, path, signature, kind, importance, confidence, recency, units, weighted length."""


Postings = Mapping[str, tuple[Sequence[int], Sequence[int]]]
"""Term → the numbers of the files that hold it, and its weighted number in each of them."""


@dataclass(frozen=True, slots=True)
class TraitRows:
    """The traits of all files that have any, by path, and of each of the terms asked for where and how often it is."""

    rows: Mapping[str, Row] = field(default_factory=dict)
    postings: Postings = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file as it was read: its digest, the facts parsed from it (JSON), and what the parser noticed (one a line).

    `extent` is the number of its units, and of their terms by field.
    """

    path: str
    signature: str
    digest: str
    facts: str
    notices: str
    extent: Extent
    settled: bool


@dataclass(frozen=True, slots=True)
class FileReading:
    """A file that was just read, with what of it is searched."""

    known: IndexedFile
    units: tuple[Unit, ...]
    traits: Traits | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    """For each term in it, its weighted number."""


class Index(DerivedTables):
    """Facts by file and token counts by chunk. Everything in it can be made again, and a command works without."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.counts = CountCache(self._store)

    def known(self, files: Sequence[ProjectFile], terms: Sequence[str]) -> tuple[dict[str, IndexedFile], Matches]:
        """Return what is known of those of `files` whose signature is unchanged and settled, by path, and what is
        searched of the files that hold any of `terms`, by path.

        Both are of one state of the index, whatever another process writes; nothing where it is damaged.
        """
        before = self._store.replaced
        try:
            with self._store.transaction("BEGIN"):
                found = self._known(files)
                matches = self._matches(terms, found.keys())
        except sqlite3.OperationalError as error:
            self._notices.append(f"the index was not read: {error}")
            return {}, {}
        return (found, matches) if self._store.replaced == before else ({}, {})

    def traits(self, terms: Sequence[str]) -> TraitRows:
        """Return the traits of all files that have any, gone ones too, and in which of them the terms are, how often.

        Both are of one state of the index; nothing where it is damaged or cannot be read.
        """
        before = self._store.replaced
        try:
            with self._store.transaction("BEGIN"):
                rows = self._store.rows(_TRAITS)
                postings = {term: self._holding(term) for term in terms}
        except sqlite3.OperationalError as error:
            self._notices.append(f"the index was not read: {error}")
            return TraitRows()
        return TraitRows({row[1]: row for row in rows}, postings) if self._store.replaced == before else TraitRows()

    def _holding(self, term: str) -> tuple[Sequence[int], Sequence[int]]:
        """Return what holds a term. SQLite joins the numbers: ten thousand rows take longer to make than to read."""
        ((numbers, counts),) = self._store.rows(_HOLDING, (term,))
        return (json.loads(f"[{numbers}]"), json.loads(f"[{counts}]")) if numbers else ((), ())

    def times(self, numbers: Collection[int]) -> dict[int, tuple[str, bool]]:
        """Return of files with traits the day of their unit, and whether it names a time."""
        wanted = frozenset(numbers)
        rows = self._read("SELECT number, day, timed FROM file_traits")
        return {number: (day, bool(timed)) for number, day, timed in rows if number in wanted}

    def named(self, names: Collection[str], numbers: Collection[int]) -> set[str]:
        """Return the paths of files with traits that have one of the names, subjects, or numbers of decisions."""
        asked: Sequence[tuple[str, Collection[str | int]]] = (("name", names), ("subject", names), ("decided", numbers))
        found: list[tuple[str, Sequence[str | int]]] = []
        for column, wanted in asked:
            those = [each for each in wanted if isinstance(each, int) or each.isascii()]
            found += among(column, those, _MOST_VALUES)
        if sum(len(part) for _, part in found) <= _MOST_VALUES and found:  # in one pass over the rows
            every = [each for _, part in found for each in part]
            found = [(" OR ".join(condition for condition, _ in found), every)]
        paths = (self._read(f"SELECT path FROM file_traits WHERE {condition}", part) for condition, part in found)
        return {path for rows in paths for (path,) in rows}

    def units(self, files: Sequence[ProjectFile]) -> dict[str, tuple[Unit, ...]]:
        """Return what is searched of those of `files` that are known as they are, by path."""
        wanted = {file.path: file.signature for file in files}
        columns = "SELECT path, signature, units FROM files JOIN file_units USING (number)"
        rows = list[tuple[str, str, str]]()
        if len(wanted) > _FEW * 5:
            rows = self._read(columns)
        else:
            for condition, part in among("path", [file.path for file in files], _MOST_VALUES):
                rows += self._read(f"{columns} WHERE {condition}", part)
        return {path: _UNITS.value(units) for path, signature, units in rows if wanted.get(path) == signature}

    def learn(self, files: Sequence[FileReading]) -> None:
        """Replace what is known of `files`, all in one transaction."""

        def write(store: Store) -> None:
            ((number,),) = store.rows("SELECT coalesce(max(number), 0) FROM files")
            for number_now, file in enumerate(files, number + 1):
                self._replace(number_now, file)

        if files:
            self._write(write)

    def save(self) -> None:
        """Keep the counts that are new."""
        if self.counts.new:
            self._write(lambda _: self.counts.save())

    def _known(self, files: Sequence[ProjectFile]) -> dict[str, IndexedFile]:
        wanted = {file.path: file.signature for file in files}
        return {
            path: IndexedFile(path, signature, digest, facts, notices, Extent(*json.loads(extent)), True)
            for path, signature, settled, digest, kept, notices, extent in self._rows(wanted)
            if settled and wanted.get(path) == signature and (facts := unsummed(kept)) is not None
        }

    def _matches(self, terms: Sequence[str], paths: Collection[str]) -> Matches:
        found: dict[str, tuple[Unit, ...]] = {}
        if not paths:
            return found
        for condition, part in among("term", terms, _MOST_VALUES):
            if len(paths) <= _FEW:
                own = f"path IN ({','.join('?' * len(paths))})"
                holds = f"EXISTS (SELECT 1 FROM postings WHERE number = files.number AND {condition})"
                rows = self._store.rows(f"{_UNITS_OF} WHERE {own} AND {holds}", (*paths, *part))
            else:
                numbers = f"SELECT DISTINCT number FROM postings WHERE {condition}"
                rows = self._store.rows(f"{_UNITS_OF} WHERE number IN ({numbers})", tuple(part))
            for path, units in rows:
                if path not in found and path in paths:
                    found[path] = _UNITS.value(units)
        return found

    def _rows(self, wanted: Mapping[str, str]) -> list[tuple[str, str, int, str, str, str, str]]:
        columns = "SELECT path, signature, settled, digest, facts, notices, extent FROM files"
        if len(wanted) > _FEW:
            return self._store.rows(columns)
        marks = ",".join("?" * len(wanted))
        return self._store.rows(f"{columns} WHERE path IN ({marks})", tuple(wanted))

    def _replace(self, number: int, file: FileReading) -> None:
        known = file.known
        for old in self._store.rows("SELECT number FROM files WHERE path = ?", (known.path,)):
            self._store.rows("DELETE FROM postings WHERE number = ?", old)
            self._store.rows("DELETE FROM file_units WHERE number = ?", old)
            self._store.rows("DELETE FROM file_traits WHERE number = ?", old)
        self._store.rows(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                known.path,
                number,
                known.signature,
                int(known.settled),
                known.digest,
                summed(known.facts),
                known.notices,
                json.dumps(known.extent),
            ),
        )
        self._store.rows("INSERT INTO file_units VALUES (?, ?)", (number, _UNITS.text(file.units)))
        postings = [(term, number, file.counts[term]) for term in sorted(file.counts)]
        self._store.write_all("INSERT INTO postings VALUES (?, ?, ?)", postings)
        if file.traits is not None and known.settled:
            kind, importance, confidence, recency, length, *names = file.traits
            self._store.rows(
                f"INSERT INTO file_traits VALUES ({','.join('?' * 14)})",
                (
                    number,
                    known.path,
                    known.signature,
                    kind,
                    importance,
                    confidence,
                    recency,
                    len(file.units),
                    length,
                    *names,
                ),
            )
