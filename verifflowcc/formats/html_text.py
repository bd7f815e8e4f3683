"""Text of anybody's as text in a page: nothing in it deceives a reader about what is there."""

_SHOWN = frozenset("\n\t")


def visible_text(text: str) -> str:
    """Return a text with the number of each character that cannot be seen in its place; nothing is escaped.

    That is control characters, marks of direction and lone halves of characters.

    >>> visible_text("<b> \\u202e")
    '<b> [U+202E]'
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join(letter if _shows(letter) else f"[U+{ord(letter):04X}]" for letter in text)


def _shows(letter: str) -> bool:
    return letter.isprintable() or letter in _SHOWN or letter in "\u00a0\u2009\u202f\u3000"
