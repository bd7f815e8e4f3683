"""Words of a text for matching: lower case, identifiers taken apart, common words left out."""

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_COMMON = frozenset(
    "a about above after all also an and any are as at be because been but by can could did do does for from had has "
    "have how if in into is it its may more most must no not of on one only or other our out over should so some such "
    "than that the their them then there these they this to up us use used using was we were what when where which who "
    "why will with would you your".split()
)


def terms(text: str) -> list[str]:
    """Return the terms of `text` in order, repeated as they occur.

    >>> terms("Use the HTTPServer in rate_limits.py")
    ['http', 'server', 'rate', 'limit', 'py']
    """
    return [term for word in _WORD.findall(text) for term in _terms_of(word)]


@lru_cache(maxsize=65_536)
def _terms_of(word: str) -> tuple[str, ...]:
    """A word's terms; texts repeat their words, so most are known."""
    parts = _HUMP.findall(word) if word.isascii() else [word]
    stems = (_stem(part.casefold()) for part in parts)
    return tuple(stem for stem in stems if len(stem) > 1 and stem not in _COMMON)


def _stem(word: str) -> str:
    """Fold the plural: enough for names and headings; recall proper stems further."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
