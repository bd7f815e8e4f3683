"""What recall is compared with: plain BM25 over turns, alone and with the turns beside them at half weight.

Robertson and Zaragoza (2009): k1 = 1.2, b = 0.75, words in lower case without the endings of plurals and verbs, without
a few dozen common words. The name of who speaks stands before the text, as in a transcript. No name, date or question
is treated in a way of its own.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

from benchmarks.recall_locomo import DEEPEST, Ask, Said, Talk

K1, B, BESIDE = 1.2, 0.75, 0.5
_WORD = re.compile(r"[a-z0-9]+")
_COMMON = frozenset(
    "a an the of to in on at for and or but is are was were be been do does did has have had with as by it its that "
    "this these those he she his her him they them their i you we me my your our what when where which who why how s t"
    .split()
)  # fmt: skip
_ENDINGS = (("ies", "y"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", ""))


def words(text: str) -> list[str]:
    """Return the words of a text.

    >>> words("The painted cities, and painting")
    ['paint', 'city', 'paint']
    """
    return [_plain(word) for word in _WORD.findall(text.casefold()) if word not in _COMMON]


def _plain(word: str) -> str:
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            return word.removesuffix(ending) + instead
    return word


def plain(talk: Talk) -> Ask:
    """Return the turns of a conversation by BM25."""
    return _asked(talk.turns, _scorer(talk.turns))


def with_neighbours(talk: Talk) -> Ask:
    """Return them with half of the score of the turns before and after, in the same session, added to each."""
    score = _scorer(talk.turns)

    def beside(question: str) -> list[float]:
        alone = score(question)
        return [
            alone[place]
            + BESIDE
            * sum(
                alone[other]
                for other in (place - 1, place + 1)
                if 0 <= other < len(alone) and talk.turns[other].session == turn.session
            )
            for place, turn in enumerate(talk.turns)
        ]

    return _asked(talk.turns, beside)


def _asked(turns: Sequence[Said], score: Callable[[str], list[float]]) -> Ask:
    def ask(question: str) -> list[str]:
        scores = score(question)
        best = sorted(range(len(turns)), key=lambda place: (-scores[place], place))[:DEEPEST]
        return [turns[place].id for place in best if scores[place] > 0]

    return ask


def _scorer(turns: Sequence[Said]) -> Callable[[str], list[float]]:
    counts = [Counter(words(f"{turn.speaker}: {turn.text}")) for turn in turns]
    lengths = [each.total() for each in counts]
    mean = sum(lengths) / max(1, len(turns)) or 1
    holding = Counter(word for each in counts for word in each)

    def score(question: str) -> list[float]:
        scores = [0.0] * len(turns)
        for word in set(words(question)) & holding.keys():
            rare = math.log(1 + (len(turns) - holding[word] + 0.5) / (holding[word] + 0.5))
            for place, each in enumerate(counts):
                if count := each[word]:
                    long = 1 - B + B * lengths[place] / mean
                    scores[place] += rare * count * (K1 + 1) / (count + K1 * long)
        return scores

    return score
