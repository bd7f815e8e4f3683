"""What is known of each file, by its stat signature: a file that did not change is neither read nor parsed again."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from verifflowcc.adapters.files.tree import Found
from verifflowcc.adapters.index.store import Store

Matches = Mapping[str, Mapping[str, int]]
"""Path → term → how often it occurs there."""


@dataclass(frozen=True, slots=True)
class Known:
    """A file as it was read: its digest, the facts parsed from it (JSON), what the parser noticed (one notice
    a line) and the number of its terms.
    """

    path: str
    signature: str
    digest: str
    facts: str
    notices: str
    length: int
    settled: bool


@dataclass(frozen=True, slots=True)
class Learned:
    """A file that was just read, with its terms and how often each occurs."""

    known: Known
    term_counts: Mapping[str, int]


class FileIndex:
    """Facts and terms of files in the index."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def known(self, files: Sequence[Found], terms: Sequence[str]) -> tuple[dict[str, Known], Matches]:
        """Return what is known of those of `files` whose signature is unchanged and settled, by path, and how often
        each of `terms` occurs in files: path → term → count.

        Both are of one state of the index, whatever another process writes meanwhile; nothing where it is damaged.
        """
        before = self._store.replaced
        with self._store.transaction("BEGIN"):
            found, matches = self._known(files), self._matches(terms)
        return (found, matches) if self._store.replaced == before else ({}, {})

    def learn(self, files: Iterable[Learned]) -> None:
        """Replace what is known of `files`, all in one transaction."""
        with self._store.transaction("BEGIN IMMEDIATE"):
            ((number,),) = self._store.rows("SELECT coalesce(max(number), 0) FROM files")
            for number_now, file in enumerate(files, number + 1):
                self._replace(number_now, file)

    def _known(self, files: Sequence[Found]) -> dict[str, Known]:
        wanted = {file.path: file.signature for file in files}
        return {
            path: Known(path, signature, digest, facts, notices, length, True)
            for path, signature, settled, digest, facts, notices, length in self._rows(wanted)
            if settled and wanted.get(path) == signature
        }

    def _matches(self, terms: Sequence[str]) -> Matches:
        found: dict[str, dict[str, int]] = {}
        query = "SELECT path, count FROM postings JOIN files USING (number) WHERE term = ?"
        for term in terms:
            for path, count in self._store.rows(query, (term,)):
                found.setdefault(path, {})[term] = count
        return found

    def _rows(self, wanted: Mapping[str, str]) -> list[tuple[str, str, int, str, str, str, int]]:
        columns = "SELECT path, signature, settled, digest, facts, notices, length FROM files"
        if len(wanted) > 200:
            return self._store.rows(columns)
        marks = ",".join("?" * len(wanted))
        return self._store.rows(f"{columns} WHERE path IN ({marks})", tuple(wanted))

    def _replace(self, number: int, file: Learned) -> None:
        known = file.known
        for old in self._store.rows("SELECT number FROM files WHERE path = ?", (known.path,)):
            self._store.rows("DELETE FROM postings WHERE number = ?", old)
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
                known.length,
            ),
        )
        self._store.write_all(
            "INSERT INTO postings VALUES (?, ?, ?)", [(term, number, count) for term, count in file.term_counts.items()]
        )
