"""A vocabulary as one memory-mapped file: opened in microseconds, read where it is touched.

Layout, little-endian: a header of 96 bytes (magic, version, number of tokens, slots in the index, bytes of text, name,
SHA-256 of the original `.tiktoken` file), the offsets (one more than there are tokens), the index, and the tokens'
bytes in the order of their ranks. The index is a hash table with open addressing over CRC-32: a slot holds 0, or the
rank + 1 in its low 18 bits and the top 14 bits of the hash above them, so that most misses never touch the text.
"""

import mmap
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from verifflowcc.base.errors import FormatError

# The class of every character, as the encodings' patterns see it, frozen at one version of Unicode.
#
# The table is a file beside the code: 4,352 block numbers (one byte for each 256 code points), then the blocks (one
# class letter per code point, in Latin-1). `classify` writes a text in class letters, one for one, so that Python's
# own `re` can cut it and the cuts can be read off. `tests/token_tables.py` makes the table.

UPPER, LOWER, LETTER, MARK, NUMBER, SPACE, OTHER, UNASSIGNED = "Aa\xaa\xb70\t!\xbf"
BLOCK = 256
BLOCKS = 0x110000 // BLOCK
LONG_S = 0x17F

TABLE_PATH = Path(__file__).parent / "data" / "characters.table"


class CharacterClasses(dict[int, str]):
    """A mapping for `str.translate` that fills itself from the table as characters turn up.

    ASCII stays as it is; so does, in effect, the long s, which is an s to the contractions' case-blind match.
    """

    def __init__(self, table: bytes) -> None:
        super().__init__({code: chr(code) for code in range(128)})
        self[LONG_S] = "s"
        self._table = table

    def __missing__(self, code: int) -> str:
        block = self._table[code // BLOCK]
        letter = self[code] = chr(self._table[BLOCKS + block * BLOCK + code % BLOCK])
        return letter


def load_classes(path: Path = TABLE_PATH) -> CharacterClasses:
    """Read the table; its size is checked, its content by a test."""

    try:
        table = path.read_bytes()
    except OSError as error:
        raise FormatError(
            f"{path}: the character table cannot be read: {error.strerror}",
            hint="pip install --force-reinstall verifflowcc",
        ) from error
    if len(table) < BLOCKS or len(table) != BLOCKS + (max(table[:BLOCKS]) + 1) * BLOCK:
        raise FormatError(f"{path}: the character table is damaged", hint="pip install --force-reinstall verifflowcc")
    return CharacterClasses(table)


# The encodings that vfcc counts by: where each one's file has its digest from, and how each cuts a text into pieces.
#
# `pattern` is the one that tiktoken is given. `class_pattern` says the same over the class letters of `characters`,
# for Python's own `re`: `re` knows no `\p{..}`, and what it and the `regex` module take for a letter changes with
# their version of Unicode, so that counts would differ from one machine to the next.

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


MAGIC = b"VFCCVOC\n"
VERSION = 1
HEADER = struct.Struct("<8sIIII40s32s")
RANK_BITS = 18
RANK_MASK = (1 << RANK_BITS) - 1
NO_RANK = 1 << 32
REINSTALL = "pip install --force-reinstall verifflowcc"


class Vocabulary:
    """A mapped vocabulary. `rank` finds a token's rank; `tokens` lists all of them."""

    __slots__ = ("_blob", "_index", "_map", "_mask", "_offsets", "_start", "count", "digest", "name", "path")

    def __init__(self, path: Path, mapped: mmap.mmap) -> None:
        header: tuple[bytes, int, int, int, int, bytes, bytes] = HEADER.unpack_from(mapped)
        magic, version, count, slots, blob_bytes, name, digest = header
        if magic != MAGIC or version != VERSION:
            raise FormatError(f"{path}: not a vocabulary that this vfcc reads", hint=REINSTALL)
        start = HEADER.size + 4 * (count + 1 + slots)
        if len(mapped) != start + blob_bytes or slots & (slots - 1) or not 0 < count < slots:
            raise FormatError(f"{path}: the vocabulary is cut short or damaged", hint=REINSTALL)
        view = memoryview(mapped)
        middle = HEADER.size + 4 * (count + 1)
        self._offsets = _integers(view[HEADER.size : middle])
        self._index = _integers(view[middle:start])
        if self._offsets[count] != blob_bytes:
            raise FormatError(f"{path}: the vocabulary is damaged: its offsets do not end at its end", hint=REINSTALL)
        self._mask = slots - 1
        self._map = mapped
        self._start = start
        self._blob = view[start:]
        self.path = path
        self.count = count
        self.name = name.rstrip(b"\0").decode("ascii", "replace")
        self.digest = digest.hex()

    def rank(self, token: bytes) -> int:
        """Return the token's rank, or `NO_RANK` where it is not in the vocabulary."""
        code = crc32(token)
        mask, index = self._mask, self._index
        slot = code & mask
        while entry := index[slot]:
            if not (entry ^ code) >> RANK_BITS:
                rank = (entry & RANK_MASK) - 1
                if self._blob[self._offsets[rank] : self._offsets[rank + 1]] == token:
                    return rank
            slot = (slot + 1) & mask
        return NO_RANK

    def tokens(self) -> Iterator[bytes]:
        """Yield the tokens in the order of their ranks."""
        text = bytes(self._blob)
        offsets = list(self._offsets)
        for rank in range(self.count):
            yield text[offsets[rank] : offsets[rank + 1]]

    def tiktoken_file(self) -> bytes:
        """Return the original `.tiktoken` file, byte for byte: a token in base 64 and its rank on each line."""
        from base64 import b64encode

        return b"".join(b"%s %d\n" % (b64encode(token), rank) for rank, token in enumerate(self.tokens()))

    def verify(self) -> None:
        """Read everything: the original file's digest, and that the index finds every token. About half a second."""
        from hashlib import sha256

        if sha256(self.tiktoken_file()).hexdigest() != self.digest:
            raise FormatError(
                f"{self.path}: the vocabulary's content does not have the digest it names", hint=REINSTALL
            )
        if any(self.rank(token) != rank for rank, token in enumerate(self.tokens())):
            raise FormatError(f"{self.path}: the vocabulary's index is damaged", hint=REINSTALL)


def open_vocabulary(path: Path, *, name: str, digest: str) -> Vocabulary:
    """Map the vocabulary `name`, made from the `.tiktoken` file with SHA-256 `digest`.

    Sizes, name and the recorded digest are checked here; the content by `Vocabulary.verify`.
    """
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise FormatError(f"{path}: the vocabulary cannot be read: {error}", hint=REINSTALL) from error
    if len(mapped) < HEADER.size:
        raise FormatError(f"{path}: the vocabulary is cut short or damaged", hint=REINSTALL)
    vocabulary = Vocabulary(path, mapped)
    if (vocabulary.name, vocabulary.digest) != (name, digest):
        raise FormatError(f"{path}: holds {vocabulary.name}, another vocabulary than {name}", hint=REINSTALL)
    return vocabulary


def _integers(part: memoryview) -> memoryview:
    """Read 32-bit little-endian integers in place, or from a swapped copy where the machine is big-endian."""
    if sys.byteorder == "little":
        return part.cast("I")
    from array import array

    swapped = array("I", part.tobytes())
    swapped.byteswap()
    return memoryview(swapped)
