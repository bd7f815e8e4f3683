"""Names that are safe as a folder on every system, as a word in a command and in a URL."""

import re
import unicodedata

LONGEST = 40
_SHAPE = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}
)


def slug(title: str, otherwise: str) -> str:
    """Return a lower-case ASCII name of at most 40 characters for `title`; `otherwise` where nothing of it remains.

    >>> slug("Café: log in!", "sprint"), slug("登录", "sprint"), slug("CON", "sprint")
    ('cafe-log-in', 'sprint', 'sprint-con')
    """
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode("ascii")
    name = _shorten("-".join(re.findall(r"[a-z0-9]+", plain.lower().replace("'", ""))), LONGEST)
    if not name:
        return otherwise
    return f"{otherwise}-{name}" if name in _RESERVED else name


def numbered(name: str, number: int) -> str:
    """Return `name` with `-number` behind it, shortened so that both fit.

    >>> numbered("login", 2)
    'login-2'
    """
    tail = f"-{number}"
    return name[: LONGEST - len(tail)].rstrip("-") + tail


def is_slug(name: str) -> bool:
    """Say whether `name` could be a slug: the pattern, the length, and no name that some system reserves."""
    return len(name) <= LONGEST and _SHAPE.fullmatch(name) is not None and name not in _RESERVED


def _shorten(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    head = name[: longest + 1].rpartition("-")[0]
    return head if len(head) >= longest // 2 else name[:longest].rstrip("-")
