"""Make the tables of `verifflowcc/base/tokens/data`: a vocabulary, or the classes of characters.

    python -m tests.token_tables vocabulary SOURCE TARGET
    python -m tests.token_tables characters TARGET

SOURCE is an encoding's `.tiktoken` file, which may be gzipped; one whose SHA-256 is not the one that tiktoken pins is
refused. Classes come from tiktoken's own pattern engine, with which ours must agree, and not from `unicodedata`, whose
Unicode version is Python's.
"""

import sys
from array import array
from base64 import b64decode
from gzip import decompress
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import tiktoken

from verifflowcc.base.errors import FormatError
from verifflowcc.base.tokens.vocabulary import (
    BLOCK,
    ENCODINGS,
    HEADER,
    LETTER,
    LOWER,
    MAGIC,
    MARK,
    NUMBER,
    OTHER,
    RANK_BITS,
    RANK_MASK,
    SPACE,
    UNASSIGNED,
    UPPER,
    VERSION,
    Encoding,
)

GZIP_MAGIC = b"\x1f\x8b"


def encoding_of(source: bytes) -> Encoding:
    """Return the encoding whose file this is, by its digest."""
    digest = sha256(source).hexdigest()
    for encoding in ENCODINGS.values():
        if encoding.digest == digest:
            return encoding
    known = ", ".join(f"{encoding.name} ({encoding.digest[:12]}…)" for encoding in ENCODINGS.values())
    raise FormatError(f"the source has SHA-256 {digest[:12]}…, which is none of {known}")


def tokens_in_order(source: bytes) -> list[bytes]:
    """Return the tokens by rank; the ranks must be 0, 1, 2 … in the order of the lines."""
    tokens = []
    for number, line in enumerate(source.splitlines()):
        token, rank = line.split(b" ")
        if int(rank) != number:
            raise FormatError(f"line {number + 1}: rank {int(rank)} is out of order")
        tokens.append(b64decode(token))
    return tokens


def hash_index(tokens: list[bytes]) -> "array[int]":
    """Return the open-addressing index, at most half full."""
    slots = 1 << (2 * len(tokens) - 1).bit_length()
    index = array("I", bytes(4 * slots))
    for rank, token in enumerate(tokens):
        code = crc32(token)
        slot = code & (slots - 1)
        while index[slot]:
            slot = (slot + 1) & (slots - 1)
        index[slot] = (code & ~RANK_MASK) | (rank + 1)
    return index


def vocabulary_table(source: bytes) -> bytes:
    """Return the whole table for the `.tiktoken` file `source`."""
    encoding = encoding_of(source)
    tokens = tokens_in_order(source)
    if len(tokens) >= RANK_MASK:
        raise FormatError(f"{len(tokens)} tokens are more than the index's {RANK_BITS} bits can number")
    offsets = array("I", [0])
    for token in tokens:
        offsets.append(offsets[-1] + len(token))
    index = hash_index(tokens)
    header = HEADER.pack(
        MAGIC, VERSION, len(tokens), len(index), offsets[-1], encoding.name.encode(), bytes.fromhex(encoding.digest)
    )
    if sys.byteorder == "big":
        offsets.byteswap()
        index.byteswap()
    return b"".join([header, offsets.tobytes(), index.tobytes(), *tokens])


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


def character_table(letters: bytes) -> bytes:
    """Fold equal blocks: the block number of each 256 code points, then the distinct blocks."""
    numbers: dict[bytes, int] = {}
    order = [
        numbers.setdefault(letters[start : start + BLOCK], len(numbers)) for start in range(0, len(letters), BLOCK)
    ]
    return bytes(order) + b"".join(numbers)


def main(arguments: list[str]) -> None:
    """Write one of the tables."""
    match arguments:
        case ["vocabulary", source, target]:
            data = Path(source).read_bytes()
            table = vocabulary_table(decompress(data) if data.startswith(GZIP_MAGIC) else data)
        case ["characters", target]:
            table = character_table(class_letters())
        case _:
            raise SystemExit("usage: python -m tests.token_tables vocabulary SOURCE TARGET | characters TARGET")
    Path(target).write_bytes(table)


if __name__ == "__main__":
    main(sys.argv[1:])
