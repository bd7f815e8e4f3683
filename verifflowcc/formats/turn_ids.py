"""Names of what has none: a digest of a turn's words as its id, a file and its first words as a session, an origin."""

import hashlib

from verifflowcc.records import dataclass, field
from verifflowcc.text.slug import slug

_DIGITS = 12


@dataclass(slots=True)
class TurnIds:
    """The ids of one session's turns, in their order; the same words said again get another id.

    A conversation that goes on keeps the ids that its turns had.
    """

    _seen: dict[str, int] = field(default_factory=dict)

    def of(self, name: str, text: str) -> str:
        """Return the id of the next turn, said by `name`."""
        words = f"{name}\0{text}"
        number = self._seen[words] = self._seen.get(words, 0) + 1
        return short_digest(words if number == 1 else f"{words}\0{number}")


def short_digest(text: str | bytes) -> str:
    """Return twelve hexadecimal digits of a text's digest."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


def origin_of(name: str, data: bytes) -> str:
    """Return how a source is called in the items made from it: its file's name, without folders, and its digest.

    >>> origin_of("talks/monday.md", b"")
    'monday.md@e3b0c44298fc'
    """
    return f"{_file_of(name)}@{short_digest(data)}"


def session_of(name: str, first: str) -> str:
    """Return how a session is called that has no name: after its file and what is said first in it.

    >>> session_of("talks/monday.md", "Other: Hello")
    'monday-47e83946'
    """
    return f"{slug(stem_of(name), 'session')}-{short_digest(first)[:8]}"


def stem_of(name: str) -> str:
    """Return a file's name without its folders and its ending.

    >>> stem_of("talks/monday.md")
    'monday'
    """
    file = _file_of(name)
    return file.rpartition(".")[0] or file


def _file_of(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]
