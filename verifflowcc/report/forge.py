"""Links from a place in a file to the forge that a repository's remote names."""

import re
from collections.abc import Callable
from urllib.parse import quote

from verifflowcc.records import dataclass

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
