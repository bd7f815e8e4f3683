"""tiktoken itself, for texts so large that building its encoder pays.

The encoder is made from our own vocabulary table, under a name of its own: nothing is fetched, and nothing that
tiktoken keeps under its own names is touched.
"""

from collections.abc import Callable

from verifflowcc.adapters.tokens.encodings import Encoding
from verifflowcc.adapters.tokens.vocabulary import Vocabulary


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
