"""What the checks of a memory need of each file: one that did not change is neither read nor parsed again."""

from collections.abc import Iterable

from verifflowcc.adapters.index.store import DerivedTables, summed, unsummed


class MemoryChecked(DerivedTables):
    """The files that were checked before, in the index; where they cannot be kept, `notices` says so."""

    def facts(self) -> dict[str, tuple[str, str]]:
        """Return path → its stamp and its facts, as they were kept."""
        found = {}
        for path, stamp, kept in self._read("SELECT path, stamp, facts FROM memory_checked"):
            if (facts := unsummed(kept)) is not None:
                found[path] = (stamp, facts)
        return found

    def learn(self, rows: Iterable[tuple[str, str, str]], gone: Iterable[str]) -> None:
        """Keep what was just parsed (path, stamp, facts), and forget files that are gone; all in one transaction."""
        new = [(path, stamp, summed(facts)) for path, stamp, facts in rows]
        old = [(path,) for path in gone]
        if new or old:
            self._write_rows(
                ("DELETE FROM memory_checked WHERE path = ?", old),
                ("INSERT OR REPLACE INTO memory_checked VALUES (?, ?, ?)", new),
            )
