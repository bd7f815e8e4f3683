"""The exact count of an encoding's tokens in a text, over a mapped vocabulary and Python's own `re`.

Same pieces, same merges as tiktoken's `encode_ordinary`: special tokens in the text are text, and lone surrogates
become U+FFFD. What it leaves to others: caching (`counter`), large texts (`delegate`).
"""

import re
from collections.abc import Callable
from heapq import heapify, heappop, heappush

from verifflowcc.adapters.tokens.characters import CharacterClasses
from verifflowcc.adapters.tokens.vocabulary import NO_RANK, Vocabulary

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
