"""The encodings that vfcc counts by: where each one's file has its digest from, and how each cuts a text into pieces.

`pattern` is the one that tiktoken is given. `class_pattern` says the same over the class letters of `characters`, for
Python's own `re`: `re` knows no `\\p{..}`, and what it and the `regex` module take for a letter changes with their
version of Unicode, so that counts would differ from one machine to the next.
"""

_SUFFIX = r"(?:'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE]))?"
_BEFORE_LETTER = r"[^\r\nA-Za-z\xaa0-9]?"
_UPPER = r"[A-Z\xaa\xb7]"
_LOWER = r"[a-z\xaa\xb7]"
_OTHER = r"[^\sA-Za-z\xaa0-9]"


class Encoding:
    """One encoding: its name, the SHA-256 of its `.tiktoken` file, its two patterns."""

    __slots__ = ("class_pattern", "digest", "name", "pattern")

    def __init__(self, name: str, digest: str, pattern: str, class_pattern: str) -> None:
        self.name = name
        self.digest = digest
        self.pattern = pattern
        self.class_pattern = class_pattern


ENCODINGS = {
    "o200k_base": Encoding(
        name="o200k_base",
        digest="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        pattern="|".join(
            [
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
        class_pattern="|".join(
            [
                rf"{_BEFORE_LETTER}{_UPPER}*{_LOWER}+{_SUFFIX}",
                rf"{_BEFORE_LETTER}{_UPPER}+{_LOWER}*{_SUFFIX}",
                r"[0-9]{1,3}",
                rf" ?{_OTHER}+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
    ),
    "cl100k_base": Encoding(
        name="cl100k_base",
        digest="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        pattern=r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$"
        r"|\s*[\r\n]|\s+(?!\S)|\s",
        class_pattern="|".join(
            [
                _SUFFIX[3:-2],
                rf"{_BEFORE_LETTER}[A-Za-z\xaa]+",
                r"[0-9]{1,3}",
                rf" ?{_OTHER}+[\r\n]*",
                r"\s+\Z",
                r"\s*[\r\n]",
                r"\s+(?!\S)",
                r"\s",
            ]
        ),
    ),
}
