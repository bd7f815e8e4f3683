"""Text of anybody's as text in an HTML page: nothing in it is markup, and nothing in it moves other text about."""

from html import escape

_SHOWN = frozenset("\n\t")


def html_text(text: str) -> str:
    """Return text that is safe between tags and in quoted attributes.

    What cannot be seen and could deceive (control characters, marks of direction, lone halves of characters) is told by
    its number.

    >>> html_text("<b> & \\u202e")
    '&lt;b&gt; &amp; [U+202E]'
    """
    return escape(visible_text(text), quote=True)


def visible_text(text: str) -> str:
    """Return a text with the number of each character that cannot be seen in its place; nothing is escaped.

    >>> visible_text("<b> \\u202e")
    '<b> [U+202E]'
    """
    if text.isprintable() and text.isascii():
        return text
    return "".join(letter if _shows(letter) else f"[U+{ord(letter):04X}]" for letter in text)


def _shows(letter: str) -> bool:
    return letter.isprintable() or letter in _SHOWN or letter in "\u00a0\u2009\u202f\u3000"
