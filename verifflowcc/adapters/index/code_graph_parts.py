"""A part of the code graph: the facts of some source texts, with its own lists of which text has which name and word.

A part is made in one go, by whichever process read the texts, and never changed; what is asked is asked of all parts.
Inside of it a text is a number, its place in `units`. The lists lie in buckets, by a checksum of the name, all of which
are written: one that is not there any more is damage, not an absent name.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING
from zlib import crc32

from verifflowcc.adapters.index.code_graph_coded import (
    head_to_bytes,
    imports_to_columns,
    packed,
    references_to_bytes,
)
from verifflowcc.adapters.index.code_graph_names import parts_imported
from verifflowcc.domain.graph import FileFacts

if TYPE_CHECKING:
    from typing import Any

DEFINING, REFERRING, IMPORTING, WORDS = LISTS = ("defining", "referring", "importing", "words")
_IN_BUCKET = 48
"""About so many names share a bucket: a question unpacks one bucket of each part."""

Unit = tuple[str, str]
"""A text as a language reads it: the id of its blob, and the language."""

Lists = dict[str, list[int]]
"""Name → the numbers of the texts that have it; in the lists of words (number, in the text, in names) for each."""


UnitRow = tuple[str, str, int, int, str, str]
"""What a part keeps at hand of a text: blob, language, lines, words, what its bytes mark it as, and a problem."""

Part = tuple[Sequence[UnitRow], Sequence[tuple[bytes, bytes]], bytes, Sequence[Sequence[bytes]]]
"""A part, ready to be written, in values that any process can hand over: its units, head and references of each, their
imports, and the buckets of each of `LISTS`."""


def bucket_of(name: str, buckets: int) -> int:
    """Return the bucket that a name is in."""
    return crc32(name.encode("utf-8", "surrogatepass")) % buckets


def bucketed(lists: Mapping[str, Sequence[int]]) -> list[bytes]:
    """Return lists as packed buckets, at least one."""
    count = len(lists) // _IN_BUCKET + 1
    buckets: list[dict[str, Sequence[int]]] = [{} for _ in range(count)]
    for name, numbers in lists.items():
        buckets[bucket_of(name, count)][name] = numbers
    return [packed(bucket) for bucket in buckets]


class GrowingPart:
    """A part in the making. `size` is how many bytes of source are in it."""

    def __init__(self) -> None:
        self.size = 0
        self._units: list[UnitRow] = []
        self._facts: list[tuple[bytes, bytes]] = []
        self._imports: list[Any] = []
        self._lists: dict[str, defaultdict[str, list[int]]] = {name: defaultdict(list) for name in LISTS}

    def __len__(self) -> int:
        return len(self._units)

    def add(
        self, row: UnitRow, facts: FileFacts, inside: Mapping[str, int], named: Mapping[str, int], size: int
    ) -> None:
        """Add a text of `size` bytes: its facts, how often each word stands in the text, and how often in names."""
        number = len(self._units)
        self.size += size
        self._units.append(row)
        self._facts.append((head_to_bytes(facts), references_to_bytes(facts)))
        self._imports.append(imports_to_columns(facts))
        imported = {each.name for each in facts.imports if each.name not in ("", "*")}
        parts = {part for each in facts.imports for part in parts_imported(each.module, facts.language)}
        self._note(DEFINING, {each.name for each in facts.definitions}, number)
        self._note(REFERRING, {each.name for each in facts.references} | imported, number)
        self._note(IMPORTING, parts | imported, number)
        lists = self._lists[WORDS]
        for word, count in inside.items():
            lists[word] += (number, count, named.get(word, 0))

    def finish(self) -> Part:
        """Return what was added, as a part."""
        buckets = [bucketed(self._lists[name]) for name in LISTS]
        return self._units, self._facts, packed(self._imports), buckets

    def _note(self, name: str, names: Iterable[str], number: int) -> None:
        lists = self._lists[name]
        for each in names:
            lists[each].append(number)
