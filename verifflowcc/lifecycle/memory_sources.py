"""What the checks of a memory look at: its items as they were read, and what could not be read."""

from collections.abc import Mapping

from verifflowcc.domain.config import CodeNow
from verifflowcc.domain.items import Item
from verifflowcc.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Looked:
    """An item as its file says it.

    `lines` maps a key of its front matter to its line in the file; `notices` are what its parser said, each
    `path:line: sentence`; `unknown` are the keys that nobody knows. `secrets` are the kinds and places of what looks
    like a secret in it, never the secret. `says` is a digest of its title and text.
    """

    item: Item
    lines: Mapping[str, int] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    secrets: tuple[tuple[str, int, int], ...] = ()
    says: str = ""

    def line(self, key: str) -> int:
        """The line of a key; the first where it does not stand there."""
        return self.lines.get(key, 1)


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that is no item: the code of the check that says so, its line, and why."""

    code: str
    path: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class MemorySources:
    """Everything that the checks are asked of.

    `types` are all known type names, `trace_types` those whose fields and links `check trace` looks after. `elsewhere`
    maps the ids of the other memory (the person's, where this is a project's) to where they are. `code` has
    what is now at each place in the project that an item speaks of; `of_others` are the paths of
    items that speak of the code of other projects. `superseded` are the paths of items that others
    replace; `stale` maps the paths of summaries that tell what another replaced to why, as a clause. `today` is an ISO
    day in UTC; `ttl_days` are the days that the settings give to types.
    """

    items: tuple[Looked, ...]
    unread: tuple[Unread, ...]
    types: frozenset[str]
    trace_types: frozenset[str]
    today: str
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    code: Mapping[str, CodeNow] = field(default_factory=dict)
    superseded: frozenset[str] = frozenset()
    stale: Mapping[str, str] = field(default_factory=dict)
    ttl_days: Mapping[str, int | None] = field(default_factory=dict)
    of_others: frozenset[str] = frozenset()
