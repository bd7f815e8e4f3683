"""Where a running text may be cut: after a sentence, or between two words, never inside a word or a character.

Scripts that are written without spaces (Han, kana) and emoji may be cut between any two of their characters.
"""

import re
from functools import cache
from unicodedata import category

SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]»]*(?=\s|\Z)|[。！？]+[」』”’）]*")
SPACELESS = (
    "\u2e80-\u2fdf\u3001-\u3003\u3008-\u3011\u3041-\u3098\u309b-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff66-\uff9d"
    "\u2600-\u27bf\U0001f000-\U0001faff\U00020000-\U000323af"
)
_WORD_END = rf"(?<=\S)(?=\s)|(?<=[{SPACELESS}])(?=\S)|(?<=\S)(?=[{SPACELESS}])|(?<=[,;}}\]])(?=[^\s\d,;.}}\]])"


@cache
def _word_end() -> re.Pattern[str]:
    """Return the pattern of the ends of words; it has large classes, and only a text that is cut needs it."""
    return re.compile(_WORD_END)


ZERO_WIDTH_JOINERS = "\u200c\u200d"


def sentence_ends(text: str, start: int, end: int) -> list[int]:
    """Return the positions in `text[start:end]`, ascending, that stand right behind a sentence."""
    return [found.end() for found in SENTENCE_END.finditer(text, start, end) if not _joined(text, found.end())]


def word_ends(text: str, start: int, end: int) -> list[int]:
    """Return the positions in `text[start:end]`, ascending, that stand right behind a word.

    >>> word_ends("one, two", 0, 8)
    [4]
    """
    return [found.start() for found in _word_end().finditer(text, start, end) if not _joined(text, found.start())]


def _joined(text: str, at: int) -> bool:
    """Say whether the characters around position `at` make one: combining marks, joined emoji, flags."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return (
        after in ZERO_WIDTH_JOINERS
        or before in ZERO_WIDTH_JOINERS
        or category(after).startswith("M")
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or "\U000e0020" <= after <= "\U000e007f"
        or (_is_flag_half(before) and _is_flag_half(after))
    )


def _is_flag_half(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"
