"""Names that are one on some file systems, and two on others."""

import unicodedata


def folded(name: str) -> str:
    """Return what a file system makes of a name that does not tell case or Unicode forms apart.

    >>> folded("Café") == folded("CAFE\u0301")
    True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())
