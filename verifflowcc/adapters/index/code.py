"""What is known of source files by their content: a text that was read once is not read again, wherever it lies."""

from collections.abc import Collection, Mapping

from verifflowcc.adapters.index.store import DerivedTables, Store, summed, unsummed

_FEW = 200
SPARE = 1_000

Key = tuple[str, str]
"""The digest of a file's content, and the kind of reading."""


class CodeIndex(DerivedTables):
    """The table `code` of the index; where it cannot be kept, `notices` says so and everything works without."""

    def known(self, keys: Collection[Key]) -> dict[Key, str]:
        """Return the facts that are kept under these keys; what was damaged counts as not there."""
        statement, values = "SELECT digest, kind, facts FROM code", tuple({digest for digest, _ in keys})
        if len(values) <= _FEW:
            statement += f" WHERE digest IN ({','.join('?' * len(values))})"
        wanted = set(keys)
        return {
            (digest, kind): facts
            for digest, kind, kept in self._read(statement, values if len(values) <= _FEW else ())
            if (digest, kind) in wanted and (facts := unsummed(kept)) is not None
        }

    def learn(self, new: Mapping[Key, str], present: Collection[Key], spare: int = SPARE) -> None:
        """Keep what was just read; forget what is not `present` once that is more than the rest and `spare` more."""

        def write(store: Store) -> None:
            values = [(digest, kind, summed(facts)) for (digest, kind), facts in new.items()]
            store.write_all("INSERT OR REPLACE INTO code VALUES (?, ?, ?)", values)
            ((count,),) = store.rows("SELECT count(*) FROM code")
            if count > 2 * len(present) + spare:
                known = store.rows("SELECT digest, kind FROM code")
                gone = [(digest, kind) for digest, kind in known if (digest, kind) not in present]
                store.write_all("DELETE FROM code WHERE digest = ? AND kind = ?", gone)

        if new:
            self._write(write)
