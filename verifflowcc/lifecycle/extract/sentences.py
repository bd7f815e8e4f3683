"""A turn's text as sentences: without code blocks, quoted lines, markup and the quotation marks of direct speech."""

import re

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"^[ \t]*>[^\n]*$", re.MULTILINE)
_MARKUP = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t]+|\*\*|__(?=\w[^_\n]*__)", re.MULTILINE)
_CURLY = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z0-9@`_])|\n+|(?<=[a-z]{2}[.!?])(?=[A-Z][a-z])")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|Mr|Mrs|Ms|Dr|St|No)|\b[A-Z])\.$")
LONGEST = 700
"""Characters of the longest sentence that is looked at; what is longer is no statement that somebody made."""


def without_code(text: str) -> str:
    """Return a text without its fenced code blocks and quoted lines."""
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("\n", text)
    return _QUOTED.sub("", text) if ">" in text else text


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, each on one line, with straight quotes.

    >>> sentences("Use Vim, e.g. Neovim. Why? “It is fast.”")
    ['Use Vim, e.g. Neovim.', 'Why?', 'It is fast.']
    """
    plain = _MARKUP.sub("", without_code(text).translate(_CURLY))
    found: list[str] = []
    for part in _END.split(plain):
        piece = part.strip()
        if not piece:
            continue
        if found and _ABBREVIATED.search(found[-1]):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return [_unquoted(each) for each in found if len(each) <= LONGEST]


def _unquoted(sentence: str) -> str:
    """Return a sentence without the quotation marks of speech; those around a word within it stay."""
    if sentence.count('"') % 2:
        sentence = sentence.removeprefix('"') if sentence.startswith('"') else sentence.removesuffix('"')
    if len(sentence) > 1 and sentence[0] == sentence[-1] == '"' and sentence.count('"') == 2:
        sentence = sentence[1:-1]
    return " ".join(sentence.split())
