"""What is known of each file, by its stat signature: a file that did not change is neither read nor parsed again."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path

from verifflowcc.base.files.write import ProjectFile
from verifflowcc.base.index.index_file import DerivedTables, Store
from verifflowcc.base.model.recall_values import Extent, Unit
from verifflowcc.base.records import dataclass
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

    def save(self) -> None:
        """Write the new counts, within a transaction."""
        self._store.write_all("INSERT OR REPLACE INTO counts VALUES (?, ?)", self.new.items())
        self.new.clear()


_MOST_VALUES = 500
_UNITS: RecordCodec[tuple[Unit, ...]] = RecordCodec(tuple[Unit, ...])

Matches = Mapping[str, tuple[Unit, ...]]
"""Path → what of a file is searched, for files that hold any of the terms asked for."""


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

    @property
    def terms(self) -> set[str]:
        """All terms in it."""
        return {term for unit in self.units for field in unit.terms for term in field.split()}


class Index(DerivedTables):
    """Facts by file and token counts by chunk. Everything in it can be made again, and a command works without."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.counts = CountCache(self._store)

    def known(self, files: Sequence[ProjectFile], terms: Sequence[str]) -> tuple[dict[str, IndexedFile], Matches]:
        """Return what is known of those of `files` whose signature is unchanged and settled, by path, and what is
        searched of the files that hold any of `terms`, by path.

        Both are of one state of the index, whatever another process writes meanwhile; nothing where it is damaged.
        """
        before = self._store.replaced
        try:
            with self._store.transaction("BEGIN"):
                found, matches = self._known(files), self._matches(terms)
        except sqlite3.OperationalError as error:
            self._notices.append(f"the index was not read: {error}")
            return {}, {}
        return (found, matches) if self._store.replaced == before else ({}, {})

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
            for path, signature, settled, digest, facts, notices, extent in self._rows(wanted)
            if settled and wanted.get(path) == signature
        }

    def _matches(self, terms: Sequence[str]) -> Matches:
        found: dict[str, tuple[Unit, ...]] = {}
        for begin in range(0, len(terms), _MOST_VALUES):
            part = terms[begin : begin + _MOST_VALUES]
            numbers = f"SELECT DISTINCT number FROM postings WHERE term IN ({','.join('?' * len(part))})"
            query = f"SELECT path, units FROM files JOIN file_units USING (number) WHERE number IN ({numbers})"
            for path, units in self._store.rows(query, tuple(part)):
                if path not in found:
                    found[path] = _UNITS.value(units)
        return found

    def _rows(self, wanted: Mapping[str, str]) -> list[tuple[str, str, int, str, str, str, str]]:
        columns = "SELECT path, signature, settled, digest, facts, notices, extent FROM files"
        if len(wanted) > 200:
            return self._store.rows(columns)
        marks = ",".join("?" * len(wanted))
        return self._store.rows(f"{columns} WHERE path IN ({marks})", tuple(wanted))

    def _replace(self, number: int, file: FileReading) -> None:
        known = file.known
        for old in self._store.rows("SELECT number FROM files WHERE path = ?", (known.path,)):
            self._store.rows("DELETE FROM postings WHERE number = ?", old)
            self._store.rows("DELETE FROM file_units WHERE number = ?", old)
        self._store.rows(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                known.path,
                number,
                known.signature,
                int(known.settled),
                known.digest,
                known.facts,
                known.notices,
                json.dumps(known.extent),
            ),
        )
        self._store.rows("INSERT INTO file_units VALUES (?, ?)", (number, _UNITS.text(file.units)))
        self._store.write_all("INSERT INTO postings VALUES (?, ?)", [(term, number) for term in sorted(file.terms)])
