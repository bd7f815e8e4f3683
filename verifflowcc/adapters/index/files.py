"""What is known of each file, by its stat signature: a file that did not change is neither read nor parsed again."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from verifflowcc.adapters.files.tree import Found


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

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def known(self, files: Sequence[Found]) -> dict[str, Known]:
        """Return what is known of those of `files` whose signature is unchanged and settled, by path."""
        wanted = {file.path: file.signature for file in files}
        rows = self._rows(wanted)
        return {
            path: Known(path, signature, digest, facts, notices, length, True)
            for path, signature, settled, digest, facts, notices, length in rows
            if settled and wanted.get(path) == signature
        }

    def learn(self, files: Iterable[Learned]) -> None:
        """Replace what is known of `files`, all in one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            (number,) = self._connection.execute("SELECT coalesce(max(number), 0) FROM files").fetchone()
            for number_now, file in enumerate(files, number + 1):
                self._replace(number_now, file)
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def matches(self, terms: Sequence[str]) -> dict[str, dict[str, int]]:
        """Return how often each of `terms` occurs in each file that has any of them: path → term → count."""
        found: dict[str, dict[str, int]] = {}
        query = "SELECT path, count FROM postings JOIN files USING (number) WHERE term = ?"
        for term in terms:
            for path, count in self._connection.execute(query, (term,)):
                found.setdefault(path, {})[term] = count
        return found

    def _rows(self, wanted: Mapping[str, str]) -> Iterable[tuple[str, str, int, str, str, str, int]]:
        columns = "SELECT path, signature, settled, digest, facts, notices, length FROM files"
        if len(wanted) > 200:
            return self._connection.execute(columns).fetchall()
        marks = ",".join("?" * len(wanted))
        return self._connection.execute(f"{columns} WHERE path IN ({marks})", tuple(wanted)).fetchall()

    def _replace(self, number: int, file: Learned) -> None:
        known = file.known
        old = self._connection.execute("SELECT number FROM files WHERE path = ?", (known.path,)).fetchone()
        if old is not None:
            self._connection.execute("DELETE FROM postings WHERE number = ?", old)
        self._connection.execute(
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
        self._connection.executemany(
            "INSERT INTO postings VALUES (?, ?, ?)", [(term, number, count) for term, count in file.term_counts.items()]
        )
