"""What changed since a copy of a store was made, where the store itself cannot tell: told by the digests of texts."""

from collections.abc import Mapping
from typing import NamedTuple


class Compared(NamedTuple):
    """Paths whose item is new or has another text, and those where there is none any more, both as they came.

    `complete` says that the copy holds nothing, so that what changed is all that there is.
    """

    changed: tuple[str, ...]
    gone: tuple[str, ...]
    complete: bool


def compared(digests: Mapping[str, str], known: Mapping[str, str]) -> Compared:
    """Compare what there is (path → digest, by `text.digest.digest_text` of the whole text) with what a copy holds.

    >>> compared({"a": "1", "b": "2", "c": "3"}, {"b": "2", "c": "4", "d": "5"})
    Compared(changed=('a', 'c'), gone=('d',), complete=False)
    """
    changed = tuple(path for path, digest in digests.items() if known.get(path) != digest)
    return Compared(changed, tuple(path for path in known if path not in digests), not known)
