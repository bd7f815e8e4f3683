"""Read trace items, and cache them and reports: only changed files are read and parsed again.

Everything here can be made again. Each text is kept with its checksum, so that what was damaged counts as not there.
"""

from collections.abc import Collection, Iterable
from hashlib import sha256
from typing import NamedTuple

from verifflowcc.base.index.index_file import DerivedTables, summed, unsummed
from verifflowcc.base.model.trace_codes import TYPES
from verifflowcc.base.model.trace_values import Flaw, TraceItem
from verifflowcc.base.text.record_codec import RecordCodec

# A trace item as one line of JSON for the index.

_CODEC: RecordCodec[TraceItem] = RecordCodec(TraceItem)
trace_item_to_text, trace_item_from_text = _CODEC.text, _CODEC.value


_ITEMS = "SELECT path, stamp, digest, facts FROM trace_items WHERE policy = ?"


class ItemRow(NamedTuple):
    """A parsed file: stamp, digest of its bytes, and facts.

    The stamp is "" where it could not be trusted.
    """

    path: str
    stamp: str
    digest: str
    facts: str


class TraceIndex(DerivedTables):
    """The trace's tables in the index.

    Where they cannot be kept, `notices` says so and everything works without.
    """

    def items(self, policy: str) -> dict[str, ItemRow]:
        """Return path → row of every file that was parsed under this policy."""
        found = {}
        for path, stamp, digest, kept in self._read(_ITEMS, (policy,)):
            if (facts := unsummed(kept)) is not None:
                found[path] = ItemRow(path, stamp, digest, facts)
        return found

    def learn(self, policy: str, rows: Iterable[ItemRow], gone: Iterable[str]) -> None:
        """Keep what was just parsed, forget files that are gone; all in one transaction."""
        new = [(row.path, row.stamp, policy, row.digest, summed(row.facts)) for row in rows]
        old = [(path,) for path in gone]
        if new or old:
            self._write_rows(
                ("DELETE FROM trace_items WHERE path = ?", old),
                ("INSERT OR REPLACE INTO trace_items VALUES (?, ?, ?, ?, ?)", new),
            )

    def recall(self, name: str, key: str) -> str | None:
        """Return what was kept under a name, if it is for this very key."""
        rows = self._read("SELECT body FROM trace_reports WHERE name = ? AND key = ?", (name, key))
        text = rows[0][0] if rows else None
        if not isinstance(text, str) or text[:64] != _digest(name, key, text[64:]):
            return None
        return text[64:]

    def keep(self, name: str, key: str, body: str) -> None:
        """Keep a text under a name, in place of what was there."""
        values = (name, key, _digest(name, key, body) + body)
        self._write_rows(("INSERT OR REPLACE INTO trace_reports VALUES (?, ?, ?)", [values]))


def _digest(name: str, key: str, body: str) -> str:
    return sha256("\0".join((name, key, body)).encode("utf-8", "surrogatepass")).hexdigest()


def parse_trace_item(path: str, data: bytes, types: Collection[str] = TYPES.keys()) -> TraceItem | None:
    """Return the trace item in a file's bytes, None for another kind of item.

    `path` begins at the project's root and uses `/`; `types` are the names of the trace types. What is wrong with the
    file is in `flaws`, front matter that is no YAML too. Raises FormatError where the bytes are not UTF-8, with file,
    line and byte.
    """
    # A command whose items are all cached parses none, and imports none of this.
    from verifflowcc.items.store.item_edits import decode, read_front
    from verifflowcc.trace.rules.trace_item import is_trace_item, read_trace_item

    parts, table, problem = read_front(decode(path, data).replace("\r\n", "\n"))
    flaws = (Flaw("bad-field", *problem),) if problem else ()
    return read_trace_item(path, parts, table, flaws) if is_trace_item(path, table, types) else None
