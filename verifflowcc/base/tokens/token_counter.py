"""The counter that the rest of vfcc uses: exact counts by chunk, remembered by content, or an estimate for a model.

Counts come from the cache, from `bpe`, or, where much is new at once, from tiktoken; all three agree. Which one it was
is kept in `statistics`, so that the output can say so.
"""

import re
from _blake2 import blake2b  # hashlib takes longer to import
from collections.abc import Callable, Iterator, MutableMapping
from heapq import heapify, heappop, heappush
from pathlib import Path

from verifflowcc.base.errors import ConfigError
from verifflowcc.base.model.config_values import TokenSettings
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.records import dataclass
from verifflowcc.base.tokens.vocabulary import (
    ENCODINGS,
    NO_RANK,
    UNASSIGNED,
    CharacterClasses,
    Encoding,
    Vocabulary,
    load_classes,
    open_vocabulary,
)

# The exact count of an encoding's tokens in a text, over a mapped vocabulary and Python's own `re`.
#
# Same pieces, same merges as tiktoken's `encode_ordinary`: special tokens in the text are text, and lone surrogates
# become U+FFFD. What it leaves to others: caching (`counter`), large texts (`delegate`).

LONG_PIECE_BYTES = 256
MEMO_LIMIT = 1 << 17
POSITION_BITS = 32


class Ranks(dict[bytes, int]):
    """The ranks asked for so far."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._rank = vocabulary.rank

    def __missing__(self, token: bytes) -> int:
        if len(self) >= MEMO_LIMIT:
            self.clear()
        rank = self[token] = self._rank(token)
        return rank


class PieceCounts(dict[str, int]):
    """Tokens per piece of text, counted when first asked for."""

    def __init__(self, ranks: Ranks) -> None:
        super().__init__()
        self._ranks = ranks

    def __missing__(self, piece: str) -> int:
        data = piece.encode("utf-8")
        if len(data) > LONG_PIECE_BYTES:
            return count_long_piece(data, self._ranks)
        if len(self) >= MEMO_LIMIT:
            self.clear()
        count = self[piece] = count_piece(data, self._ranks)
        return count


class ExactCounter:
    """Counts one encoding's tokens. `load_classes` is called once, when the first text beyond ASCII comes."""

    def __init__(
        self, vocabulary: Vocabulary, class_pattern: str, load_classes: Callable[[], CharacterClasses]
    ) -> None:
        self._pieces = re.compile(class_pattern, re.ASCII).findall
        self._load_classes = load_classes
        self._classes: CharacterClasses | None = None
        self._counts = PieceCounts(Ranks(vocabulary))

    def count(self, text: str) -> int:
        """Return the tokens in `text`."""
        pieces = self._pieces(text) if text.isascii() else self._pieces_beyond_ascii(without_surrogates(text))
        return sum(map(self._counts.__getitem__, pieces))

    def classify(self, text: str) -> str:
        """Write `text` in class letters, one for one."""
        if self._classes is None:
            self._classes = self._load_classes()
        return text.translate(self._classes)

    def _pieces_beyond_ascii(self, text: str) -> list[str]:
        pieces = []
        start = 0
        for classes in self._pieces(self.classify(text)):
            end = start + len(classes)
            pieces.append(text[start:end])
            start = end
        return pieces


def without_surrogates(text: str) -> str:
    """Join surrogate pairs and put U+FFFD for lone surrogates, as tiktoken does."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def count_piece(piece: bytes, ranks: Ranks) -> int:
    """Return the tokens in a short piece: 1 if it is a token, else merge the pair of lowest rank, leftmost first."""
    if ranks[piece] != NO_RANK:
        return 1
    size = len(piece)
    starts = list(range(size + 1))
    pairs = [ranks[piece[at : at + 2]] for at in range(size - 1)]
    while pairs and (lowest := min(pairs)) != NO_RANK:
        at = pairs.index(lowest)
        del starts[at + 1]
        del pairs[at]
        if at < len(pairs):
            pairs[at] = ranks[piece[starts[at] : starts[at + 2]]]
        if at:
            pairs[at - 1] = ranks[piece[starts[at - 1] : starts[at + 1]]]
    return len(starts) - 1


def count_long_piece(piece: bytes, ranks: Ranks) -> int:
    """As `count_piece`, in n log n: a heap of pairs over a linked list, stale pairs skipped when they come up."""
    size = len(piece)
    if size <= MEMO_LIMIT and ranks[piece] != NO_RANK:
        return 1
    pairs = [ranks[piece[at : at + 2]] for at in range(size - 1)]
    following = list(range(1, size + 2))
    preceding = list(range(-1, size))
    heap = [rank << POSITION_BITS | at for at, rank in enumerate(pairs) if rank != NO_RANK]
    heapify(heap)
    pairs.append(NO_RANK)
    count = size

    def renew(at: int) -> None:
        middle = following[at]
        rank = pairs[at] = ranks[piece[at : following[middle]]] if middle < size else NO_RANK
        if rank != NO_RANK:
            heappush(heap, rank << POSITION_BITS | at)

    while heap:
        rank, at = divmod(heappop(heap), 1 << POSITION_BITS)
        if pairs[at] != rank:
            continue
        gone = following[at]
        following[at] = following[gone]
        preceding[following[gone]] = at
        pairs[gone] = NO_RANK
        count -= 1
        renew(at)
        if preceding[at] >= 0:
            renew(preceding[at])
    return count


# Cut a text where both encodings must end a token, so that the chunks' counts add up to the text's count.
#
# Two such places are used. After a line feed, before anything but whitespace and `/`: a piece that holds a line feed
# holds after it only whitespace or (in o200k_base) `/`, and whitespace up to the last line feed before other text is
# one piece. And between an ASCII letter and a space with an ASCII letter after it: a run of letters ends its piece at
# its end. Neither pattern looks back, and none looks ahead beyond whitespace.

SMALLEST = 256
USUAL = 2048
LARGEST = 8192

_HEADING = "\n#"
PARAGRAPH = lazy_pattern(r"(?<=\n\n)(?=[^\s/])")
LINE = lazy_pattern(r"(?<=\n)(?=[^\s/])")
ANYWHERE = lazy_pattern(r"(?<=\n)(?=[^\s/])|(?<=[A-Za-z])(?= [A-Za-z])")


def split(text: str) -> Iterator[str]:
    """Yield the chunks of `text`, in order; joined they are the text.

    A chunk has at least `SMALLEST` characters, save the last. It ends before the first Markdown heading after that,
    else past `USUAL` characters at a paragraph, else a line, else between words. Cuts depend on what is near, so that
    an edit changes the chunks up to the next heading or a few more.
    """
    start = 0
    while len(text) - start > SMALLEST:
        end = _next_cut(text, start)
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _next_cut(text: str, start: int) -> int:
    heading = text.find(_HEADING, start + SMALLEST - 1, start + USUAL)
    if heading >= 0:
        return heading + 1
    if len(text) - start <= USUAL:
        return len(text)
    for pattern, reach in ((PARAGRAPH, 2 * USUAL), (LINE, LARGEST), (ANYWHERE, len(text))):
        found = pattern.search(text, start + USUAL, start + reach)
        if found:
            return found.start()
    return len(text)


# tiktoken itself, for texts so large that building its encoder pays.
#
# The encoder is made from our own vocabulary table, under a name of its own: nothing is fetched, and nothing that
# tiktoken keeps under its own names is touched.

SAFE_CHARACTERS = 50_000
_WHITESPACE = lazy_pattern(r"\s+")


def build_delegate(encoding: Encoding, vocabulary: Vocabulary) -> Callable[[str], list[int]]:
    """Return tiktoken's `encode_ordinary` for the encoding. Takes about 0.3 s."""
    import tiktoken

    encoder = tiktoken.Encoding(
        f"vfcc-{encoding.name}",
        pat_str=encoding.pattern,
        mergeable_ranks={token: rank for rank, token in enumerate(vocabulary.tokens())},
        special_tokens={},
    )
    return encoder.encode_ordinary


def survives_delegate(text: str) -> bool:
    """Return whether tiktoken can count `text`: a run of some 300,000 spaces overflows its pattern engine's stack."""
    return len(text) <= SAFE_CHARACTERS or max(map(len, _WHITESPACE.findall(text)), default=0) <= SAFE_CHARACTERS


DATA = Path(__file__).parent / "data"
FACTOR_UNIT = 1_000_000
SMALL_TEXT = 200
DELEGATE_WORK = 1_000_000
"""Work done here, in units of one ASCII character, from which building tiktoken's encoder pays; measured."""
NON_ASCII_WORK = 5
"""What each byte beyond one per character adds to the work; measured."""
CACHE_VERSION = 1
"""Raised when chunks or character classes change what a cached count means."""


@dataclass(frozen=True, slots=True)
class CountStatistics:
    """How many chunks of text came from the cache, were counted here, and were counted by tiktoken."""

    cached: int = 0
    counted: int = 0
    delegated: int = 0


class VocabularyCounter:
    """A `TokenCounter`. Its cache may be any mapping from keys of about 50 characters to counts."""

    def __init__(
        self,
        encoding: Encoding,
        vocabulary: Vocabulary,
        cache: MutableMapping[str, int],
        *,
        model: str | None = None,
        factor: int = FACTOR_UNIT,
    ) -> None:
        self.estimated = model is not None
        self.name = encoding.name if model is None else f"{encoding.name} × {_decimal(factor)} for {model}"
        self._encoding = encoding
        self._vocabulary = vocabulary
        self._factor = factor
        self._cache = cache
        self._prefix = f"{encoding.name}/{CACHE_VERSION}/"
        self._exact = ExactCounter(vocabulary, encoding.class_pattern, load_classes)
        self._delegate: Callable[[str], list[int]] | None = None
        self._work = 0
        self._cached = self._counted = self._delegated = 0

    @property
    def statistics(self) -> CountStatistics:
        """What counted so far."""
        return CountStatistics(self._cached, self._counted, self._delegated)

    def count(self, text: str) -> int:
        """Return the tokens in `text`, or the model's estimate, rounded up; 0 for the empty text."""
        tokens = self._count_exactly(text)
        return tokens if self._factor == FACTOR_UNIT else -(-tokens * self._factor // FACTOR_UNIT)

    def _count_exactly(self, text: str) -> int:
        if len(text) < SMALL_TEXT:
            self._counted += bool(text)
            return self._exact.count(text)
        total = 0
        new: dict[str, str] = {}
        keys = []
        for chunk in split(text):
            data = chunk.encode("utf-8", "surrogatepass")
            key = self._prefix + blake2b(data, digest_size=16).hexdigest()
            if key in new:
                keys.append(key)
                continue
            known = self._cache.get(key)
            if known is None:
                new[key] = chunk
                keys.append(key)
                self._work += len(chunk) + NON_ASCII_WORK * (len(data) - len(chunk))
            else:
                self._cached += 1
                total += known
        if not new:
            return total
        counts = self._count_new(new)
        return total + sum(counts[key] for key in keys)

    def _count_new(self, chunks: dict[str, str]) -> dict[str, int]:
        if self._delegate is None and self._work >= DELEGATE_WORK:
            self._delegate = build_delegate(self._encoding, self._vocabulary)
        counts = {}
        for key, chunk in chunks.items():
            if self._delegate is not None and self._may_delegate(chunk):
                counts[key] = len(self._delegate(chunk))
                self._delegated += 1
            else:
                counts[key] = self._exact.count(chunk)
                self._counted += 1
            self._cache[key] = counts[key]
        return counts

    def _may_delegate(self, chunk: str) -> bool:
        """Keep what tiktoken cannot take, and characters that a newer tiktoken may know and our table does not."""
        return survives_delegate(chunk) and (chunk.isascii() or UNASSIGNED not in self._exact.classify(chunk))


def open_counter(settings: TokenSettings, cache: MutableMapping[str, int] | None = None) -> VocabularyCounter:
    """Return the counter that the settings ask for; without `cache` it remembers for its own lifetime only.

    Raises ConfigError for an encoding that is not shipped and for a model that has no factor.
    """
    encoding = ENCODINGS.get(settings.encoding)
    if encoding is None:
        allowed = ", ".join(sorted(ENCODINGS))
        raise ConfigError((f"config.yaml: tokens.encoding: {settings.encoding!r} is unknown; allowed are {allowed}",))
    vocabulary = open_vocabulary(DATA / f"{encoding.name}.vocab", name=encoding.name, digest=encoding.digest)
    memory: MutableMapping[str, int] = {} if cache is None else cache
    if settings.model is None:
        return VocabularyCounter(encoding, vocabulary, memory)
    return VocabularyCounter(encoding, vocabulary, memory, model=settings.model, factor=_factor_for(settings))


def _factor_for(settings: TokenSettings) -> int:
    factor = settings.factors.get(settings.model or "")
    if factor is None:
        known = ", ".join(sorted(settings.factors)) or "none"
        raise ConfigError(
            (f"config.yaml: tokens.model: {settings.model!r} has no entry in tokens.factors; those that have: {known}",)
        )
    if factor <= 0:
        raise ConfigError((f"config.yaml: tokens.factors: the factor of {settings.model!r} must be above 0",))
    return factor


def _decimal(factor: int) -> str:
    """Write millionths as a decimal number without trailing zeros."""
    whole, part = divmod(factor, FACTOR_UNIT)
    return f"{whole}.{part:06d}".rstrip("0").rstrip(".")
