"""The indefinite article before a word."""

import unicodedata
from collections.abc import Collection, Iterable, Sequence

from verifflowcc.base.model.lazy import lazy_pattern

# Names that are one on some file systems, and two on others.


def folded(name: str) -> str:
    """Return what a file system makes of a name that does not tell case or Unicode forms apart.

    >>> folded("Café") == folded("CAFE\u0301")
    True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


# The order in which people expect names with numbers: REQ-2 before REQ-10.

_NUMBER = lazy_pattern(r"([0-9]+)")


def natural_key(name: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """Return a key by which names sort with their numbers as numbers; the name itself decides between equal ones.

    >>> sorted(["R-10", "R-2", "R-1", "R", "R-02"], key=natural_key)
    ['R', 'R-1', 'R-02', 'R-2', 'R-10']
    """
    parts = enumerate(_NUMBER.split(name))
    return tuple(_of_number(each) if place % 2 else (0, each) for place, each in parts), name


def _of_number(digits: str) -> tuple[int, str]:
    plain = digits.lstrip("0") or "0"
    return len(plain), plain


# The nearest valid name to a mistyped one.


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, or None where none is near.

    >>> nearest("alway_load", ["always_load", "max_tokens"])
    'always_load'
    """
    import difflib

    matches = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def nearest_start(name: str, known: Collection[str]) -> str | None:
    """Return the known name most like `name`, else the first one that begins most like it; None where none is near.

    >>> nearest_start("REQ-Timeuot", ["REQ-Timeout-of-the-session-in-all-clients-k3f9"])
    'REQ-Timeout-of-the-session-in-all-clients-k3f9'
    """
    begun = {each[: len(name)]: each for each in sorted(known, reverse=True)}
    return nearest(name, known) or begun.get(nearest(name, begun) or "")


# A word from elsewhere as one line that a file, a terminal and a comparison take: printable, short, single spaces.


def plain_line(text: str, longest: int = 120) -> str:
    """Return a text as one printable line; what is longer is cut.

    >>> plain_line(" a\\tb\\x1b[31m "), plain_line("abc", 2)
    ('a b [31m', 'ab')
    """
    if len(text) <= longest and text.isprintable() and "  " not in text and text == text.strip():
        return text
    words = "".join(letter if letter.isprintable() else " " for letter in text).split()
    return " ".join(words)[:longest].strip()


def with_article(word: str) -> str:
    """Return a word behind `a` or `an`, as its first letter asks.

    >>> with_article("component"), with_article("interface")
    ('a component', 'an interface')
    """
    return f"{'an' if word[:1].lower() in 'aeio' else 'a'} {word}"


def either(words: Sequence[str]) -> str:
    """Return words as one of which is meant.

    >>> either(["a", "b", "c"])
    'a, b or c'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def counted(number: int, what: str) -> str:
    """Return a number with the word for so many.

    >>> counted(1, "item"), counted(1_200, "item")
    ('1 item', '1,200 items')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
