"""What a task in words asks of the code: its words, the names and paths in it that are written as code is."""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.stems import JoinedTexts, stem
from verifflowcc.code.rules.graph import FileFacts

if TYPE_CHECKING:
    from typing import Any

# The words of source files, as a task's words are looked for: identifiers in parts and whole, forms folded.

_T = TypeVar("_T")
_WORDS_NAME = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*|[^\W\d_][^\W_]+")
_PART = lazy_pattern(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]{2,}|[^\W\d_A-Za-z]+")
_SPACED = bytes(byte if byte >= 0x80 or chr(byte).isalnum() or byte == 0x5F else 0x20 for byte in range(256))
"""Makes a space of each byte that is in no name. Splitting at these is several times faster than looking for names."""
_LONGEST = 64
"""No word is longer: what is, is data."""
_COMMON = frozenset(
    "a an and are as at be but by can do does for from has have if in into is it its me my no not of on or our out so "
    "than that the their them then there these they this to us was we were when which who will with would you "
    "your".split()
)


@dataclass(frozen=True, slots=True)
class FileWords:
    """Counts of each word in a file's text and in the names that it defines.

    `length` is the number of words of the text.
    """

    inside: Mapping[str, int]
    named: Mapping[str, int]
    length: int


def words_of(facts: FileFacts, data: bytes) -> FileWords:
    """Return the words of a source text and of the names of what it defines."""
    inside = _counted(_parts_of(data))
    named = _counted(each.name for each in facts.definitions)
    return FileWords(inside, named, sum(inside.values()))


def words_in(text: str) -> list[str]:
    """Return the words of a text in order, repeated as they occur.

    >>> words_in("Fix QuerySet.get_or_create() for the databases")
    ['fix', 'queri', 'set', 'queryset', 'get', 'creat', 'get_or_create', 'databas']
    """
    return [word for name in _WORDS_NAME.findall(text) for word in _words[name]]


@dataclass(frozen=True, slots=True)
class CountedTexts:
    """Named texts, each with how many names are in it; by word, those that have it.

    `inside` is word → number of a text and how often it has the word, in turn; `named` is word → numbers of texts whose
    name has it.
    """

    names: Sequence[str]
    lengths: Sequence[int]
    inside: Mapping[str, Sequence[int]]
    named: Mapping[str, Sequence[int]]

    def plain(self) -> "list[Any]":
        """Return the same as values of JSON."""
        return [self.names, self.lengths, self.inside, self.named]

    @classmethod
    def of(cls, plain: "list[Any]") -> "CountedTexts":
        """Read what `plain` made."""
        return cls(*plain)


def count_texts(texts: Mapping[str, str]) -> CountedTexts:
    """Return texts, given by their names, with the words of each."""
    lengths: list[int] = []
    inside: dict[str, list[int]] = {}
    named: dict[str, list[int]] = {}
    for number, (name, text) in enumerate(texts.items()):
        parts = _parts_of(text.encode("utf-8", "replace"))
        lengths.append(sum(map(len, map(_names_of, parts))))
        for word, count in _counted(parts).items():
            inside.setdefault(word, []).extend((number, count))
        for word in dict.fromkeys(words_in(name)):
            named.setdefault(word, []).append(number)
    return CountedTexts([*texts], lengths, inside, named)


class WordCounter:
    """Counts some words in many texts, without taking every name of them apart. `of` has the wanted words of a name.

    `pairs` are words that are looked for side by side, too: `show default` is in `show_default` and in a comment.
    """

    def __init__(self, words: Collection[str], pairs: Collection[tuple[str, str]] = ()) -> None:
        self._words, self._pairs = frozenset(words), frozenset(pairs)
        self._parts = _WordMemo(self._wanted_parts)
        self._begins = sorted({word[: min(_BEGINNING, max(2, len(word) - 1))] for word in words})
        self._any = re.compile("|".join(map(re.escape, self._begins)) or "(?!)", re.IGNORECASE)
        self.of = _WordMemo(self._wanted_of)
        self._of_part = _WordMemo(self._names_and_wanted)

    def may_be_in(self, text: str) -> bool:
        """Return False where no wanted word is in a text, without taking it apart."""
        return self._any.search(text) is not None

    def holding(self, paths: Sequence[str]) -> Iterator[str]:
        """Yield the paths in which `may_be_in` says that a wanted word may be: all are looked through as one text."""
        if not all(map(str.isascii, (*paths, *self._begins))):
            yield from filter(self.may_be_in, paths)
            return
        joined = JoinedTexts(list(map(str.lower, paths)))
        held = {place for begin in self._begins for place in joined.having(begin.lower())}
        yield from (paths[place] for place in sorted(held))

    def counts(self, text: str) -> tuple[dict[str, int], int]:
        """Return the count of each wanted word in a text, and its number of names."""
        counts: dict[str, int] = {}
        get, known, length = counts.get, self._of_part, 0
        for part, number in Counter(_parts_of(text.encode("utf-8", "replace"))).items():
            names, words = known[part]
            length += names * number
            for word in words:
                counts[word] = get(word, 0) + number
        return counts, length

    def wanted_in(self, text: str) -> set[str]:
        """Return the wanted words of a short text."""
        return {word for name in _WORDS_NAME.findall(text) for word in self.of[name]}

    def pairs(self, text: str, counts: Mapping[str, int]) -> dict[tuple[str, str], int]:
        """Return the count of each wanted pair in a text of which the counts of the words are known."""
        possible = {pair for pair in self._pairs if pair[0] in counts and pair[1] in counts}
        found: dict[tuple[str, str], int] = {}
        before = ""
        for name in _WORDS_NAME.findall(text) if possible else ():
            for part in self._parts[name]:
                if (before, part) in possible:
                    found[before, part] = found.get((before, part), 0) + 1
                before = part
        return found

    def _wanted_parts(self, name: str) -> tuple[str, ...]:
        """Return the parts of a name in order, an empty text for each that is not wanted."""
        if not self.may_be_in(name):
            return ("",)
        return tuple(part if part in self._words else "" for part in _parts_in_order(name))

    def _names_and_wanted(self, part: str) -> tuple[int, Sequence[str]]:
        """Return the number of names in a stretch of a text, and the wanted words of all of them."""
        names = _names_of(part)
        words = [word for name in names for word in self.of[name]] if self.may_be_in(part) else ()
        return len(names), words

    def _wanted_of(self, name: str) -> list[str]:
        words = _taken_apart(name, self._any.match) if self.may_be_in(name) else []
        return [word for word in words if word in self._words]


def paths_with(words: Collection[str], paths: Sequence[str]) -> dict[str, list[str]]:
    """Return word → the paths that have it before their ending; what a folder has is found out once."""
    counter = WordCounter(words)
    folders = _WordMemo(counter.wanted_in)
    found: dict[str, list[str]] = {}
    for path in counter.holding(paths):
        folder, _, name = path.rpartition("/")
        for word in folders[folder] | counter.wanted_in(name.rpartition(".")[0] or name):
            found.setdefault(word, []).append(path)
    return found


_BEGINNING = 4
"""Folding the forms of a word leaves so many of its first letters, or all but the last."""
_MOST_KNOWN = 200_000


class _WordMemo(dict[str, _T]):
    """What was found out for texts that come again and again."""

    def __init__(self, find: Callable[[str], _T]) -> None:
        self._find = find

    def __missing__(self, text: str) -> _T:
        if len(self) > _MOST_KNOWN:
            self.clear()
        found = self[text] = self._find(text)
        return found


def _parts_of(data: bytes) -> list[str]:
    """The stretches of a text in which names may stand: nearly all are one name."""
    return data.translate(_SPACED).decode("utf-8", "replace").split()


def _names_of(part: str) -> list[str]:
    return [part] if part.isidentifier() and part.isascii() else _WORDS_NAME.findall(part)


def _counted(names: Iterable[str]) -> dict[str, int]:
    """Count the words of names; each name is taken apart once."""
    counts: dict[str, int] = {}
    get, counted = counts.get, Counter(names)
    for words, count in zip(map(_words.__getitem__, counted), counted.values(), strict=True):
        for word in words:
            counts[word] = get(word, 0) + count
    return counts


def _words_of(text: str) -> tuple[str, ...]:
    """The words of a name, or of all names in a text without spaces."""
    if text.isascii() and text.isidentifier():
        return tuple(_taken_apart(text))
    return tuple([word for name in _WORDS_NAME.findall(text) for word in _taken_apart(name)])


def _taken_apart(name: str, worth: Callable[[str], object] | None = None) -> list[str]:
    """The parts of an identifier, those `worth` it alone where that is asked, and as one where it has several."""
    if len(name) > _LONGEST:
        return []
    lower, parts = name.lower(), _split(name)
    some = parts if worth is None else filter(worth, parts)
    words = list(filter(None, map(_folded.__getitem__, some)))
    if len(parts) > 1:
        words.append(lower.strip("_"))
    return words


def _split(name: str) -> list[str]:
    """Return the parts of an identifier in small letters."""
    if name.lower() == name and name.isascii() and name.replace("_", "").isalpha():
        return [part for part in name.split("_") if part]
    return list(map(str.lower, _PART.findall(name)))


def _parts_in_order(name: str) -> list[str]:
    return [_folded[part] for part in _split(name)] if len(name) <= _LONGEST else [""]


def _stem_of(word: str) -> str:
    """The word as it is looked for; empty where it is too short or too common for that."""
    found = stem(word) if word.isascii() and word.isalpha() else word
    return found if len(found) > 1 and found not in _COMMON else ""


_words = _WordMemo(_words_of)
_folded = _WordMemo(_stem_of)


FIRST, LATER = 1.0, 0.5
"""What a word of the first line weighs, and one that stands only further down: the first line says what it is about."""

WORK = 0.3
"""What is left of a word that says what to do or how sure, rather than where: nearly every task has one of them."""

AGAIN = 0.8
"""What a word gains where the task repeats it, by the logarithm of how often."""

MOST_LATER = 300
"""Words further down than this are left out: what is longer quotes a log, a text, or code."""

LONGEST = 20_000
"""So many characters of a task are looked at."""

_WORK = (
    "fix fixes fixed add remove update support allow use make change improve refactor handle implement drop ensure "
    "prevent avoid correct clean feat chore move rename replace introduce enable disable simplify optimize minor bug "
    "issue also instead properly new default "
    # How a requirement is put. `never` is in every second type of a TypeScript project, and says nothing of where.
    "must shall should may might could never always ever every any only just even still already whether until unless "
    "either neither both how what where why"
)

_PATH = lazy_pattern(r"(?<![\w.-])[\w.-]+(?:/[\w.-]+)+|\b[\w-]{1,128}\.[A-Za-z]{1,4}\b")
_QUOTED = lazy_pattern(r"``?([^`\n]{1,80})``?")
_NAME = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_RUN = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*|[^\sA-Za-z0-9_\-]")
_AS_CODE = lazy_pattern(
    r"(?<![A-Za-z0-9_])(?:"  # at the beginning of a word alone: a long one would cost its length again and again
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?=\()"  # called
    r"|[A-Za-z]\w*(?:\.[A-Za-z_]\w*)+"  # dotted
    r"|_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_*|_+[A-Za-z]\w*"  # with underscores
    r"|[A-Za-z]*[a-z0-9][A-Z]\w*|[A-Z]{2,}[a-z]\w+)"  # with humps
)


@dataclass(frozen=True, slots=True)
class TaskTerms:
    """Word → its weight, the identifiers of the task as they are, and what could be a path or a file's name.

    `pairs` are words side by side in the task, with the weight of the lesser one.
    """

    words: Mapping[str, float]
    names: frozenset[str]
    paths: frozenset[str]
    pairs: Mapping[tuple[str, str], float] = field(default_factory=dict)


@cache
def _work_words() -> frozenset[str]:
    return frozenset(words_in(_WORK))


def asked(task: str) -> TaskTerms:
    """Return what a task asks for.

    >>> sorted(asked("Fix `send_file` in flask/helpers.py: the ETag").names)
    ['ETag', 'send_file']
    """
    task = task.strip()[:LONGEST]
    first, _, rest = task.partition("\n")
    every = [(word, FIRST) for word in words_in(first)] + [(word, LATER) for word in words_in(rest)[:MOST_LATER]]
    times = Counter(word for word, _ in every)
    work = _work_words()
    words: dict[str, float] = {}
    for word, weight in every:
        amount = weight * (1.0 + AGAIN * round(math.log(times[word]), 3))
        words.setdefault(word, amount * WORK if word in work else amount)
    paths = frozenset(_PATH.findall(task))
    spoken = [name for quoted in _QUOTED.findall(task) for name in _NAME.findall(quoted)]
    for found in _AS_CODE.findall(task):
        spoken += [name for name in found.split(".") if name]
    inside = {part for path in paths if "/" in path for part in _NAME.findall(path)}
    names = frozenset(name for name in spoken if len(name) > 1) - inside
    return TaskTerms(words, names, paths, _side_by_side(words, first, rest))


def _side_by_side(words: Mapping[str, float], first: str, rest: str) -> dict[tuple[str, str], float]:
    """Return each pair of words with nothing but a space, a hyphen or an underscore between them."""
    found: dict[tuple[str, str], float] = {}
    for text in (first, rest):
        before = ""
        for name in _RUN.findall(text)[:MOST_LATER]:
            for part in _parts_in_order(name) if name[0] == "_" or name[0].isalpha() else [""]:
                if before in words and part in words and part != before:
                    found[before, part] = min(words[before], words[part])
                before = part
    return found


MOST_NAMED = 60
"""Names and paths of a plan beyond these are left out: what names more is a listing."""


def named_as_code(texts: Iterable[str]) -> list[str]:
    """Return the names and paths that texts have as code is written, in order, each once.

    >>> named_as_code(["`end_session` in app/session.py clears it, as `npm test` shows: see end_session()."])
    ['end_session', 'app/session.py']
    """
    named: dict[str, None] = {}
    for text in (each[:LONGEST] for each in texts):
        found = [(each.start(), each[0].strip("`")) for each in _QUOTED.finditer(text)]
        found += [(each.start(), each[0]) for each in _PATH.finditer(text)]
        found += [(each.start(), each[0]) for each in _AS_CODE.finditer(_PATH.sub(_blank, text))]
        named |= dict.fromkeys(name.removesuffix("()") for _, name in sorted(found) if len(name.split()) == 1)
    return list(named)[:MOST_NAMED]


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def files_meant(names: Collection[str], paths: Iterable[str]) -> dict[str, list[str]]:
    """Return name → the paths that it is, or is the end of after a slash.

    >>> files_meant(["views.py", "b/views.py", "c"], ["a/views.py", "b/views.py"])
    {'views.py': ['a/views.py', 'b/views.py'], 'b/views.py': ['b/views.py'], 'c': []}
    """
    by_last: dict[str, list[str]] = {name.rpartition("/")[2]: [] for name in names}
    for path in paths if names else ():
        last = path.rpartition("/")[2]
        if last in by_last:
            by_last[last].append(path)
    return {
        name: [path for path in by_last[name.rpartition("/")[2]] if f"/{path}".endswith(f"/{name}")] for name in names
    }
