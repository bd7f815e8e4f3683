"""The words of source files, as a task's words are looked for: identifiers in parts and whole, forms folded."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from verifflowcc.domain.graph import FileFacts
from verifflowcc.records import dataclass
from verifflowcc.text.porter2 import stem

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[^\W\d_][^\W_]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]{2,}|[^\W\d_A-Za-z]+")
_LONGEST = 64
"""No word is longer: what is, is data."""
_COMMON = frozenset(
    "a an and are as at be but by can do does for from has have if in into is it its me my no not of on or our out so "
    "than that the their them then there these they this to us was we were when which who will with would you "
    "your".split()
)


@dataclass(frozen=True, slots=True)
class FileWords:
    """Each word of a file with how often it stands in the text and how often in the names of what it defines.

    `length` is the number of words of the text.
    """

    counts: Mapping[str, tuple[int, int]]
    length: int


def words_of(facts: FileFacts, text: str) -> FileWords:
    """Return the words of a source text and of the names of what it defines."""
    body = _counted(_NAME.findall(text))
    names = _counted(each.name for each in facts.definitions)
    counts = {word: (count, names.get(word, 0)) for word, count in body.items()}
    return FileWords(counts, sum(body.values()))


def words_in(text: str) -> list[str]:
    """Return the words of a text in order, repeated as they occur.

    >>> words_in("Fix QuerySet.get_or_create() for the databases")
    ['fix', 'queri', 'set', 'queryset', 'get', 'creat', 'get_or_create', 'databas']
    """
    return [word for name in _NAME.findall(text) for word in _words(name)]


class Wanted:
    """Counts some words in many texts, without taking every name of them apart."""

    def __init__(self, words: Collection[str]) -> None:
        self._words = frozenset(words)
        begins = sorted({word[: min(_BEGINNING, max(2, len(word) - 1))] for word in words})
        self._any = re.compile("|".join(map(re.escape, begins)) or "(?!)", re.IGNORECASE)

    def may_be_in(self, text: str) -> bool:
        """Return False where no wanted word is in a text, without taking it apart."""
        return self._any.search(text) is not None

    def counts(self, text: str) -> tuple[dict[str, int], int]:
        """Return how often each wanted word stands in a text, and how many names the text has in all."""
        names = Counter(_NAME.findall(text))
        counts: dict[str, int] = {}
        for name, number in names.items():
            if self._any.search(name):
                for word in _words(name):
                    if word in self._words:
                        counts[word] = counts.get(word, 0) + number
        return counts, names.total()


_BEGINNING = 4
"""Folding the forms of a word leaves so many of its first letters, or all but the last."""

_known: dict[str, tuple[str, ...]] = {}
_stems: dict[str, str] = {}
_MOST_KNOWN = 200_000


def _counted(names: Iterable[str]) -> dict[str, int]:
    """Count the words of names; each name is taken apart once."""
    counts: dict[str, int] = {}
    for name, count in Counter(names).items():
        for word in _words(name):
            counts[word] = counts.get(word, 0) + count
    return counts


def _words(name: str) -> tuple[str, ...]:
    found = _known.get(name)
    if found is None:
        if len(_known) > _MOST_KNOWN:
            _known.clear()
        found = _known[name] = _taken_apart(name)
    return found


def _taken_apart(name: str) -> tuple[str, ...]:
    """The parts of an identifier, and as one where it has several."""
    if len(name) > _LONGEST:
        return ()
    parts = _PART.findall(name)
    folded = [_folded(part.lower()) for part in parts]
    words = [word for word in folded if len(word) > 1 and word not in _COMMON]
    if len(parts) > 1:
        words.append(name.lower().strip("_"))
    return tuple(words)


def _folded(word: str) -> str:
    found = _stems.get(word)
    if found is None:
        if len(_stems) > _MOST_KNOWN:
            _stems.clear()
        found = _stems[word] = stem(word) if word.isascii() and word.isalpha() else word
    return found
