"""Which kinds of rules can have anything to say of a sentence, told from its single words: most have not."""

import re
from collections.abc import Mapping
from functools import lru_cache

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


class Spotter:
    """Kinds of rules, each with a pattern of single words of which one stands in every sentence that it speaks of."""

    def __init__(self, words: Mapping[str, str]) -> None:
        patterns = {kind: re.compile(pattern) for kind, pattern in words.items()}

        @lru_cache(maxsize=20_000)
        def kinds_of(word: str) -> frozenset[str]:
            return frozenset(kind for kind, pattern in patterns.items() if pattern.fullmatch(word))

        self._kinds_of = kinds_of

    def kinds(self, sentence: str) -> frozenset[str]:
        """Return the kinds that may have something to say of a sentence.

        >>> Spotter({"goal": "hop(?:e|ing)", "size": "big"}).kinds("I hope so")
        frozenset({'goal'})
        """
        return frozenset().union(*map(self._kinds_of, set(_WORD.findall(sentence.casefold()))))
