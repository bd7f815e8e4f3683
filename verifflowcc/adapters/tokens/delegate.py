"""tiktoken itself, for texts so large that building its encoder pays.

The encoder is made from our own vocabulary table, under a name of its own: nothing is fetched, and nothing that
tiktoken keeps under its own names is touched.
"""

import re
from collections.abc import Callable

from verifflowcc.adapters.tokens.encodings import Encoding
from verifflowcc.adapters.tokens.vocabulary import Vocabulary

SAFE_CHARACTERS = 50_000
_WHITESPACE = re.compile(r"\s+")


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
