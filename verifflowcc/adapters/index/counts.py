"""Token counts by content digest, kept between commands and written in one go."""

from collections.abc import Iterator, MutableMapping

from verifflowcc.adapters.index.store import Store


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
