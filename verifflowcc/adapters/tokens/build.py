"""Make a vocabulary table from an encoding's `.tiktoken` file.

Run as `python -m verifflowcc.adapters.tokens.build SOURCE TARGET`; SOURCE may be gzipped. A file whose SHA-256 is not
the one that tiktoken pins for one of the encodings in `encodings` is refused.
"""

import sys
from array import array
from base64 import b64decode
from hashlib import sha256
from pathlib import Path
from zlib import crc32

from verifflowcc.adapters.files.write import write_atomic
from verifflowcc.adapters.tokens.encodings import ENCODINGS, Encoding
from verifflowcc.adapters.tokens.vocabulary import HEADER, MAGIC, RANK_BITS, RANK_MASK, VERSION
from verifflowcc.errors import FormatError, UsageError

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


def table_bytes(source: bytes) -> bytes:
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


def main(arguments: list[str]) -> None:
    """Read SOURCE, write TARGET."""
    if len(arguments) != 2:
        raise UsageError("usage: python -m verifflowcc.adapters.tokens.build SOURCE TARGET")
    source = Path(arguments[0]).read_bytes()
    if source.startswith(GZIP_MAGIC):
        from gzip import decompress

        source = decompress(source)
    write_atomic(Path(arguments[1]), table_bytes(source))


if __name__ == "__main__":
    main(sys.argv[1:])
