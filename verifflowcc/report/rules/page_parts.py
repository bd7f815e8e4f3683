"""A page of HTML from shipped templates: every value in it is text, and none is markup."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import quote

from verifflowcc.base.formats.item_render import visible_text
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.secrets import withhold
from verifflowcc.trace.rules.item_state import ItemState

if TYPE_CHECKING:
    from jinja2 import Environment


# Links from a place in a file to the forge that a repository's remote names.

_SCP = re.compile(r"(?:[A-Za-z0-9._-]+@)?([A-Za-z0-9.-]+):(?!//)([^\s?#]+)")
_URL = re.compile(r"(?:https?|ssh|git)://(?:[^\s/@]*@)?([A-Za-z0-9.-]+)(?::\d+)?/([^\s?#]+)")
_SHAPES = (
    ("gitlab", "/-/blob/{commit}/{path}#L{line}"),
    ("bitbucket", "/src/{commit}/{path}#lines-{line}"),
    ("gitea", "/src/commit/{commit}/{path}#L{line}"),
    ("forgejo", "/src/commit/{commit}/{path}#L{line}"),
    ("codeberg", "/src/commit/{commit}/{path}#L{line}"),
    ("github", "/blob/{commit}/{path}#L{line}"),
)
"""A word in the name of a host, and how its pages of files are named. A host of another name gets no link."""


@dataclass(frozen=True, slots=True)
class Forge:
    """Where a forge shows the files of one commit. `prefix` is the project's folder in the repository, with `/`."""

    base: str
    shape: str
    commit: str
    prefix: str = ""

    def link(self, path: str, line: int = 1) -> str:
        """Return the address of a line of a file."""
        place = quote(f"{self.prefix}{path}", safe="/")
        return self.base + self.shape.format(commit=self.commit, path=place, line=max(line, 1))

    @property
    def commit_link(self) -> str:
        """The address of the commit."""
        word = {"/-/": "/-/commit/", "/src/": "/commits/" if "bitbucket" in self.base else "/commit/"}
        return self.base + next((each for key, each in word.items() if key in self.shape), "/commit/") + self.commit


Links = Callable[[str, int], str]
"""Path and line → address, or an empty text where nothing is known."""


def forge_of(remote: str, commit: str, prefix: str = "") -> Forge | None:
    """Return the forge that a remote's address names; None for a path, an unknown host and anything odd.

    A name and a password in the address never enter a link.

    >>> forge_of("git@github.com:acme/shop.git", "a1b2").link("src/a.py", 3)
    'https://github.com/acme/shop/blob/a1b2/src/a.py#L3'
    >>> forge_of("https://me:secret@gitlab.example.org/team/shop", "a1b2").base
    'https://gitlab.example.org/team/shop'
    >>> forge_of("/srv/git/shop.git", "a1b2") is None, forge_of("javascript:alert(1)", "a1b2") is None
    (True, True)
    """
    found = _URL.fullmatch(remote.strip()) or _SCP.fullmatch(remote.strip())
    if found is None:
        return None
    host, path = found[1].lower(), found[2].strip("/").removesuffix(".git")
    shape = next((each for word, each in _SHAPES if word in host), "")
    if not shape or not re.fullmatch(r"[A-Za-z0-9._~/-]+", path) or ".." in path:
        return None
    return Forge(f"https://{host}/{path}", shape, commit, prefix)


# How a status looks on a page: a symbol and a tone beside its word, so that colour never speaks alone.

GOOD, BAD, OPEN, GAP, CALM, BUSY = "good", "bad", "open", "gap", "calm", "busy"
TONES = {
    GOOD: "shown",
    BUSY: "in part",
    OPEN: "outdated",
    GAP: "without proof",
    BAD: "failed",
    CALM: "not due",
}
"""The tones of trace items, the best first, each with its meaning."""


@dataclass(frozen=True, slots=True)
class StatusMark:
    """A word as people read it, its symbol, and its tone: a key of `TONES`."""

    word: str
    symbol: str
    tone: str


_SYMBOLS = {GOOD: "✓", BAD: "✗", OPEN: "~", GAP: "!", CALM: "·", BUSY: "◐"}
_MARKS = {
    "passed": ("passed", "✓", GOOD),
    "pass": ("passed", "✓", GOOD),
    "failed": ("failed", "✗", BAD),
    "fail": ("failed", "✗", BAD),
    "error": ("error", "✗", BAD),
    "blocked": ("blocked", "■", BAD),
    "broken": ("broken", "✗", BAD),
    "forked": ("forked", "✗", BAD),
    "rejected": ("rejected", "✗", BAD),
    "dropped": ("dropped", "✗", OPEN),
    "stale": ("stale", "~", OPEN),
    "warning": ("warning", "!", OPEN),
    "missing": ("missing", "!", GAP),
    "trimmed": ("trimmed", "~", OPEN),
    "expired": ("expired", "~", OPEN),
    "not_evaluable": ("nothing to evaluate", "!", GAP),
    "waived": ("waived", "◇", OPEN),
    "pending": ("pending", "·", CALM),
    "skipped": ("skipped", "×", CALM),
    "closed": ("closed", "●", CALM),
    "archived": ("archived", "●", CALM),
    "superseded": ("superseded", "●", CALM),
    "note": ("note", "·", CALM),
    "requested": ("requested", "○", BUSY),
    "open": ("open", "○", BUSY),
    "active": ("active", "▶", BUSY),
    "working": ("working", "▶", BUSY),
    "waiting": ("waits for a person", "○", BUSY),
    "crashed": ("crashed", "✗", BAD),
    "limit": ("limit reached", "!", OPEN),
    "done": ("done", "✓", GOOD),
    "out_of_bounds": ("out of bounds", "✗", BAD),
    "conflict": ("conflict", "✗", BAD),
    "approved": ("approved", "✓", GOOD),
    "kept": ("kept", "✓", GOOD),
}
_STATES = {
    ItemState.FAILED: BAD,
    ItemState.FAILED_BELOW: BAD,
    ItemState.SUSPECT: OPEN,
    ItemState.FLAKY: OPEN,
    ItemState.STALE: OPEN,
    ItemState.SKIPPED: OPEN,
    ItemState.NOT_RUN: OPEN,
    ItemState.UNTESTED: GAP,
    ItemState.UNSHOWN: GAP,
    ItemState.UNANSWERED: GAP,
    ItemState.INCOMPLETE: BUSY,
    ItemState.DRAFT: CALM,
    ItemState.PLANNED: CALM,
    ItemState.RETIRED: CALM,
    ItemState.PASSED: GOOD,
    ItemState.PASSED_BELOW: GOOD,
}
_STATE_TONES = {str(state): tone for state, tone in _STATES.items()}


def mark_of(word: object) -> StatusMark:
    """Return how a status looks; a word that no table knows is calm.

    >>> mark_of("fail")
    StatusMark(word='failed', symbol='✗', tone='bad')
    """
    name = str(word)
    if name in _MARKS and not isinstance(word, ItemState):
        return StatusMark(*_MARKS[name])
    tone = _STATE_TONES.get(name, CALM)
    return StatusMark(name, _SYMBOLS[tone], tone)


def mark_of_test(word: str, *, passed: bool, broke: bool) -> StatusMark:
    """Return how the outcome of a test looks: good only where it passed on this content."""
    tone = GOOD if passed else BAD if broke else OPEN
    return StatusMark(word, _SYMBOLS[tone], tone)


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
