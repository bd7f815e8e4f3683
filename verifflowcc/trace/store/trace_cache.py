"""Read trace items, and cache them and reports: only changed files are read and parsed again.

Everything here can be made again. Each text is kept with its checksum, so that what was damaged counts as not there.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from verifflowcc.base.index.index_file import DerivedTables, ItemRow, summed, unsummed
from verifflowcc.base.model.item_values import TYPES as ITEM_TYPES
from verifflowcc.base.model.item_values import type_of_path
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.trace_codes import TYPES
from verifflowcc.base.model.trace_values import Flaw, TraceItem
from verifflowcc.base.text.canonical import decode, sha256
from verifflowcc.base.text.record_codec import RecordCodec

# A trace item as one line of JSON for the index.

_CODEC: RecordCodec[TraceItem] = RecordCodec(TraceItem)
trace_item_to_text, trace_item_from_text = _CODEC.text, _CODEC.value


_ITEMS = "SELECT path, stamp, digest, facts FROM trace_items WHERE policy = ?"


_KINDS = "SELECT path, stamp, name IS NOT NULL FROM trace_items WHERE policy = ?"
_BY_NAME = "SELECT path FROM trace_items WHERE name = ?"
_BY_BEGINNING = "SELECT path FROM trace_items WHERE name >= ? AND name < ? LIMIT ?"
_BY_TARGET = "SELECT path FROM trace_links WHERE target = ?"
_BY_PATH = "SELECT path, stamp, digest, facts FROM trace_items WHERE path = ? AND policy = ?"


class ItemEnds(NamedTuple):
    """By what an item is found: its id, whatever its capitals, and the ids that it links to; no item has none."""

    name: str | None = None
    targets: tuple[str, ...] = ()


def ends_of(item: TraceItem | None) -> ItemEnds:
    """Return by what an item is found."""
    return ItemEnds(item.id.casefold(), tuple({link.to: None for link in item.links})) if item else ItemEnds()


class TraceIndex(DerivedTables):
    """The trace's tables in the index.

    Where they cannot be kept, `notices` says so and everything works without.
    """

    def items(self, policy: str) -> dict[str, ItemRow]:
        """Return path → row of every file that was parsed under this policy."""
        return self._sound_rows(_ITEMS, policy)

    def trace_items(self, policy: str) -> dict[str, ItemRow]:
        """Return the same of those files alone that are trace items."""
        return self._sound_rows(f"{_ITEMS} AND name IS NOT NULL", policy)

    def _sound_rows(self, statement: str, policy: str) -> dict[str, ItemRow]:
        found = {}
        for path, stamp, digest, kept in self._read(statement, (policy,)):
            if (facts := unsummed(kept)) is not None:
                found[path] = ItemRow(path, stamp, digest, facts)
        return found

    def kinds(self, policy: str) -> dict[str, tuple[str, bool]]:
        """Return path → stamp of every file that was parsed under this policy, and whether it is an item."""
        return {path: (stamp, bool(is_item)) for path, stamp, is_item in self._read(_KINDS, (policy,))}

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """Read one state of the index inside. Raises LookupError where it was not read to its end."""
        before = (self.notices, self._store.replaced)
        self._store.hold()
        try:
            yield
        finally:
            self._store.let_go()
        if (self.notices, self._store.replaced) != before:
            raise LookupError(self.unused)

    def named(self, name: str) -> list[str]:
        """Return the paths of items with an id, capitals folded."""
        return [path for (path,) in self._read(_BY_NAME, (name,))]

    def beginning(self, name: str, most: int) -> list[str]:
        """Return the paths of so many items whose ids begin so, capitals folded."""
        return [path for (path,) in self._read(_BY_BEGINNING, (name, f"{name}\U0010ffff", most))]

    def holding(self, target: str) -> list[str]:
        """Return the paths of items that link to an id."""
        return [path for (path,) in self._read(_BY_TARGET, (target,))]

    def item(self, policy: str, path: str) -> ItemRow | None:
        """Return the row of one file, None where it is not there or damaged."""
        for _, stamp, digest, kept in self._read(_BY_PATH, (path, policy)):
            if (facts := unsummed(kept)) is not None:
                return ItemRow(path, stamp, digest, facts)
        return None

    def learn(
        self,
        policy: str,
        rows: Sequence[tuple[ItemRow, ItemEnds]],
        gone: Iterable[str],
        unlinked: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Keep what was just parsed; forget files that are gone, and links (a target and a path); in one transaction.

        A link that is kept and no more there does no harm: who asks for holders looks at their links.
        """
        new = ((row.path, row.stamp, policy, row.digest, summed(row.facts), ends.name) for row, ends in rows)
        links = ((target, row.path) for row, ends in rows for target in ends.targets)
        old = [(path,) for path in gone]
        if rows or old:
            self._write_rows(
                ("DELETE FROM trace_items WHERE path = ?", old),
                ("DELETE FROM trace_links WHERE target = ? AND path = ?", list(unlinked)),
                ("INSERT OR REPLACE INTO trace_items VALUES (?, ?, ?, ?, ?, ?)", new),
                ("INSERT OR IGNORE INTO trace_links VALUES (?, ?)", links),
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
        self.keep_all([(name, key, body)])

    def keep_all(self, texts: Iterable[tuple[str, str, str]]) -> None:
        """Keep several texts, each with its name and key, in one transaction."""
        values = [(name, key, _digest(name, key, body) + body) for name, key, body in texts]
        self._write_rows(("INSERT OR REPLACE INTO trace_reports VALUES (?, ?, ?)", values))


def _digest(name: str, key: str, body: str) -> str:
    return sha256("\0".join((name, key, body)).encode("utf-8", "surrogatepass")).hexdigest()


_TYPE_LINE = lazy_pattern(r"^type: ([a-z_]+)$", re.MULTILINE)


def is_memory_plainly(path: str, text: str, types: Collection[str]) -> bool:
    """Say whether a file is an item of memory whatever else its front matter has: most items need not be read for it.

    Its folder is of a type of memory, and where the front matter has the word `type` at all, it names one, too.

    >>> text = "---\\ntype: fact\\n---\\n# Tides turn\\n"
    >>> is_memory_plainly("items/fact/a.md", text, {"need"}), is_memory_plainly("items/need/a.md", text, {"need"})
    (True, False)
    """
    end = text.find("\n---\n", 3) if text.startswith("---\n") else -1
    named = _TYPE_LINE.findall(text, 0, end + 1) if end > 0 else []
    if end < 0 or text.count("type", 0, end) > len(named) or len(named) > 1:
        return False
    return all(name in ITEM_TYPES and name not in types for name in (type_of_path(path), *named))


def parse_trace_item(path: str, data: bytes, types: Collection[str] = TYPES.keys()) -> TraceItem | None:
    """Return the trace item in a file's bytes, None for another kind of item.

    `path` begins at the project's root and uses `/`; `types` are the names of the trace types. What is wrong with the
    file is in `flaws`, front matter that is no YAML too. Raises FormatError where the bytes are not UTF-8, with file,
    line and byte.
    """
    text = decode(path, data).replace("\r\n", "\n")
    if is_memory_plainly(path, text, types):
        return None
    # A command whose items are all cached parses none, and imports none of this.
    from verifflowcc.items.store.item_edits import read_front
    from verifflowcc.trace.rules.trace_item import is_trace_item, read_trace_item

    parts, table, problem = read_front(text)
    flaws = (Flaw("bad-field", *problem),) if problem else ()
    return read_trace_item(path, parts, table, flaws) if is_trace_item(path, table, types) else None
