"""Where the file of an item can be, found without listing all: where it belongs, and where the index saw it last."""

import os
from collections.abc import Iterator
from pathlib import Path

from verifflowcc.adapters.backends.placing import is_place, is_unicode
from verifflowcc.adapters.files.item_reading import read_known, read_stored
from verifflowcc.adapters.files.layout import as_in_git, as_on_disk
from verifflowcc.adapters.files.stored import home_path
from verifflowcc.adapters.index.memory_items import MemoryItems
from verifflowcc.domain.items import FOLDERS
from verifflowcc.domain.memory import StoredItem
from verifflowcc.text.article import folded


class ItemPlaces:
    """The places of items below one folder."""

    def __init__(self, root: Path, folder: str, index: MemoryItems) -> None:
        self._root, self._folder, self._index = root, folder, index

    def is_there(self) -> bool:
        """Say whether there is anything at all: where nobody kept an item yet, looking leaves nothing behind."""
        return os.path.lexists(self._root / as_on_disk(self._folder))

    def folder_problem(self) -> str | None:
        """Return why nothing below the folder may be read or written: it is, or lies behind, a link out of the root.

        The folder of a person's own items may be such a link: it is theirs.
        """
        if self._folder == "user":
            return None
        real = os.path.realpath(self._root / as_on_disk(self._folder))
        top = os.path.realpath(self._root).rstrip("/")
        return None if real.startswith(f"{top}/") else "is a link that leaves the project"

    def is_behind_a_link(self, path: str) -> bool:
        """Say whether the file at a path would be written outside of the folder."""
        top = os.path.realpath(self._root / as_on_disk(self._folder))
        parent = os.path.realpath((self._root / as_on_disk(path)).parent)
        return not f"{parent}/".startswith(f"{top}/")

    def found(self, item_id: str) -> Iterator[StoredItem]:
        """Return the files with this id, by path, of those where it belongs or was seen last."""
        if not is_unicode(item_id) or not self.is_there() or self.folder_problem():
            return
        known = {each.path: each for each in self._index.files_of(item_id)}
        for path in sorted(self._homes(item_id) | set(known)):
            if is_place(self._folder, path):
                seen = known.get(path)
                unchanged = read_known(self._root, self._folder, seen.item, seen.stamp) if seen else None
                stored = unchanged or read_stored(self._root, self._folder, path)[0]
                if isinstance(stored, StoredItem) and stored.item.id == item_id:
                    yield stored

    def is_free(self, path: str) -> bool:
        """Say whether nothing has this path, nor one that another file system would take for it."""
        *folders, name = path.removeprefix(f"{self._folder}/").split("/")
        here = self._folder
        for part in (*folders, name):
            if any(part != other and folded(part) == folded(other) for other in self._beside(here, part)):
                return False
            here = f"{here}/{part}"
        return not os.path.lexists(self._root / as_on_disk(path))

    def _homes(self, item_id: str) -> set[str]:
        types = self._beside(f"{self._folder}/items")
        homes = {home_path(self._folder, name, item_id) for name in (*types, *FOLDERS.values())}
        return homes | {f"{item_id}.md"}

    def _beside(self, folder: str, part: str = "") -> tuple[str, ...]:
        """Return the names in a folder; none for a `part` as vfcc makes them, which differ by more than case."""
        if part and part.isascii() and part == part.lower():
            return ()
        try:
            return tuple(as_in_git(each.name) for each in (self._root / as_on_disk(folder)).iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return ()
