"""A page of HTML from shipped templates: every value in it is text, and none is markup."""

from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from verifflowcc.formats.item_render import visible_text
from verifflowcc.text.secrets import withhold

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST = 4_000
"""Characters of one value; what is longer is cut, and says by how much."""
_BEYOND = 400
"""Characters past a cut in which a secret is still looked for, so that half of one is no secret that gets out."""


@lru_cache(maxsize=20_000)
def page_text(text: str, most: int = LONGEST) -> str:
    """Return a value as a page shows it: without secrets, with invisible characters by their numbers, cut to `most`.

    >>> page_text("a\\u202eb"), page_text("abcdef", 3)
    ('a[U+202E]b', 'abc … 3 more characters')
    """
    if len(text) <= most:
        return visible_text(withhold(text))
    shown = visible_text(withhold(text[: most + _BEYOND])[:most])
    return f"{shown} … {len(text) - most:,} more characters"


class PageTemplates:
    """The shipped templates, a style sheet and a script; each page carries the last two, and names their digests."""

    def __init__(self, templates: Mapping[str, str], css: str, script: str) -> None:
        self._templates, self._css, self._script = templates, css, script
        self._environment: Environment | None = None

    def page(self, name: str, values: Mapping[str, object], *, reloads: bool = False) -> str:
        """Return a page; equal arguments give equal pages. One that `reloads` may load the script that asks it to."""
        scripts = f"'sha256-{_digest(self._script)}'" + (" 'strict-dynamic'" if reloads else "")
        policy = (
            f"default-src 'none'; style-src 'sha256-{_digest(self._css)}'; script-src {scripts}; "
            "base-uri 'none'; form-action 'none'"
        )
        given = {"css": self._css, "script": self._script, "policy": policy, "reloads": reloads, **values}
        return self._ready().get_template(name).render(given)

    def _ready(self) -> "Environment":
        if self._environment is None:
            self._environment = _environment(self._templates)
        return self._environment


def _environment(templates: Mapping[str, str]) -> "Environment":
    from jinja2 import DictLoader, Environment, StrictUndefined
    from markupsafe import Markup

    def finalize(value: object) -> object:
        if isinstance(value, Markup) or not isinstance(value, str):
            return value
        return page_text(str(value))

    environment = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        finalize=finalize,
        loader=DictLoader(templates),
    )
    environment.filters["cut"] = lambda value, most: page_text(str(value), most)
    environment.filters["trusted"] = Markup
    return environment


def _digest(text: str) -> str:
    return b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")
