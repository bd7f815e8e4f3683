"""The class of every character, as the encodings' patterns see it, frozen at one version of Unicode.

The table is a file beside the code: 4,352 block numbers (one byte for each 256 code points), then the blocks (one class
letter per code point, in Latin-1). `classify` writes a text in class letters, one for one, so that Python's own `re`
can cut it and the cuts can be read off. `tests/token_tables.py` makes the table.
"""

from pathlib import Path

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
    from verifflowcc.errors import FormatError

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
