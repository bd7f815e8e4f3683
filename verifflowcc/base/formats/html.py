"""Text of anybody's as text in an HTML page: nothing in it is markup, and nothing in it moves other text about."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
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


# A page of HTML from a shipped template: every value in it is text, and none is markup.


def html_page(template: str, css: str, values: Mapping[str, object]) -> str:
    """Return the page that a template makes of values, with its style sheet in it; equal arguments give equal pages.

    What could deceive a reader, such as a mark of direction, is written as its number. The template names the style
    sheet by its digest (`style_digest`), so that a browser applies no other.
    """
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True,
        trim_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible_text(value) if type(value) is str else value,
    )
    digest = b64encode(sha256(css.encode("utf-8")).digest()).decode("ascii")
    return environment.from_string(template).render(css=css, style_digest=f"sha256-{digest}", **values)
