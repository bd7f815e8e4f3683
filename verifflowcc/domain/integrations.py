"""What vfcc remembers of a file of a client that it wrote into."""

from verifflowcc.records import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """What vfcc wrote into a file, so that it can be undone to the byte.

    `written` is the digest of the file after it, and `before` that of the file before: empty where there was none, None
    where nobody knows. `spans` are the places of what was inserted, in characters: from, up to. `made` are the keys
    that were not there before, `folders` those made for the file.
    """

    client: str
    written: str
    before: str | None = None
    spans: tuple[tuple[int, int], ...] = ()
    made: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
