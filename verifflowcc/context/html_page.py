"""A page of HTML from a shipped template: every value in it is text, and none is markup."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256

from verifflowcc.formats.html_text import visible_text


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
