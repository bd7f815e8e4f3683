"""Make the table of character classes by asking tiktoken's own pattern engine about every character.

Run as `python -m verifflowcc.adapters.tokens.build_characters TARGET`. The engine that cuts texts in tiktoken is the
one that must be agreed with, so it is the source, not `unicodedata`, whose Unicode version is Python's.
"""

import sys
from pathlib import Path

from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.adapters.tokens.characters import (
    BLOCK,
    LETTER,
    LOWER,
    MARK,
    NUMBER,
    OTHER,
    SPACE,
    UNASSIGNED,
    UPPER,
)

CLASS_PATTERNS = {
    UPPER: r"[\p{Lu}\p{Lt}]",
    LOWER: r"\p{Ll}",
    LETTER: r"[\p{Lm}\p{Lo}]",
    MARK: r"\p{M}",
    NUMBER: r"\p{N}",
    SPACE: r"\s",
    UNASSIGNED: r"\p{Cn}",
}


def every_character() -> str:
    """Return all code points that UTF-8 can hold, in order."""
    return "".join(map(chr, range(0xD800))) + "".join(map(chr, range(0xE000, 0x110000)))


def matching(pattern: str, text: str) -> str:
    """Return the characters of `text` that tiktoken's engine finds `pattern` to match, in order."""
    import tiktoken

    every_byte = {bytes([value]): value for value in range(256)}
    probe = tiktoken.Encoding("vfcc-probe", pat_str=pattern, mergeable_ranks=every_byte, special_tokens={})
    return bytes(probe.encode_ordinary(text)).decode("utf-8")


def class_letters() -> bytes:
    """Return one class letter per code point, surrogates among the others."""
    letters = bytearray(OTHER.encode("latin-1") * 0x110000)
    text = every_character()
    for letter, pattern in CLASS_PATTERNS.items():
        for character in matching(pattern, text):
            letters[ord(character)] = ord(letter)
    return bytes(letters)


def table_bytes(letters: bytes) -> bytes:
    """Fold equal blocks: the block number of each 256 code points, then the distinct blocks."""
    numbers: dict[bytes, int] = {}
    order = [
        numbers.setdefault(letters[start : start + BLOCK], len(numbers)) for start in range(0, len(letters), BLOCK)
    ]
    return bytes(order) + b"".join(numbers)


def main(arguments: list[str]) -> None:
    """Write the table to the path given."""
    (target,) = arguments
    write_atomic(Path(target), table_bytes(class_letters()))


if __name__ == "__main__":
    main(sys.argv[1:])
