"""The counter that the rest of vfcc uses: exact counts by chunk, remembered by content, or an estimate for a model.

Counts come from the cache, from `bpe`, or, where much is new at once, from tiktoken; all three agree. Which one it was
is kept in `statistics`, so that the output can say so.
"""

from collections.abc import Callable, MutableMapping
from hashlib import blake2b
from pathlib import Path

from verifflowcc.adapters.tokens.bpe import ExactCounter
from verifflowcc.adapters.tokens.characters import UNASSIGNED, load_classes
from verifflowcc.adapters.tokens.chunks import split
from verifflowcc.adapters.tokens.delegate import build_delegate, survives_delegate
from verifflowcc.adapters.tokens.encodings import ENCODINGS, Encoding
from verifflowcc.adapters.tokens.vocabulary import Vocabulary, open_vocabulary
from verifflowcc.domain.config import TokenSettings
from verifflowcc.errors import ConfigError
from verifflowcc.records import dataclass

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
