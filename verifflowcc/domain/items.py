"""Items: what is remembered, one Markdown file each, and the links between them.

Memory and trace share one kind of item and one shape of link; a requirement is both at once.
"""

from enum import StrEnum
from typing import Literal

from verifflowcc.records import dataclass


class Status(StrEnum):
    """Where an item is in its life. That it is superseded is derived from the newer item's link, never stored."""

    ACTIVE = "active"
    PENDING = "pending"
    ARCHIVED = "archived"


class Trust(StrEnum):
    """Who vouches for an item, the most trusted first."""

    HUMAN = "human"
    TOOL = "tool"
    AGENT = "agent"
    EXTERNAL = "external"


def least_trust(first: Trust, *others: Trust) -> Trust:
    """Return the minimum: what is made from several items is trusted as the least of them.

    >>> least_trust(Trust.HUMAN, Trust.AGENT, Trust.TOOL).value
    'agent'
    """
    return max((first, *others), key=list(Trust).index)


class Relation(StrEnum):
    """How one item stands to another, read from the item that holds the link."""

    CAUSED_BY = "caused_by"
    RESOLVED_BY = "resolved_by"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    DEPENDS_ON = "depends_on"
    REFINES = "refines"
    DERIVES = "derives"
    ALLOCATES = "allocates"
    IMPLEMENTS = "implements"
    SATISFIES = "satisfies"
    VERIFIES = "verifies"


MEMORY_RELATIONS = frozenset(
    {Relation.CAUSED_BY, Relation.RESOLVED_BY, Relation.SUPERSEDES, Relation.CONTRADICTS, Relation.DEPENDS_ON}
)
TRACE_RELATIONS = frozenset(Relation) - MEMORY_RELATIONS


@dataclass(frozen=True, slots=True)
class Stamp:
    """Who looked at an item, when (a day), why, and what it said then (see `formats/fingerprint.py`)."""

    fingerprint: str
    by: str | None = None
    on: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A typed relation to another item; `stamp` holds the fingerprints of both ends when it was last looked at.

    `relation` is the word of a `Relation` in memory; in the trace it is any word, since the policy says which there
    are. `line` is that of the file, 0 in memory.
    """

    to: str
    relation: str
    line: int = 0
    stamp: Stamp | None = None

    @property
    def fingerprint(self) -> str | None:
        """The digest of what was reviewed at its other end."""
        return self.stamp.fingerprint if self.stamp else None


@dataclass(frozen=True, slots=True)
class Ref:
    """Code that an item speaks of: a path from the project's root, a symbol in it, the digest it then had."""

    path: str
    symbol: str | None = None
    digest: str | None = None


class SourceKind(StrEnum):
    """How an item came to be."""

    EXPLICIT = "explicit"
    EXTRACTED = "extracted"
    INFERRED = "inferred"
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Source:
    """Where an item came from: how, by whom, in which project and session.

    `origin` names the text that it was read from and `turn` the place in it; `speaker` is who said it there.
    """

    kind: SourceKind = SourceKind.EXPLICIT
    actor: str = "human"
    project: str | None = None
    session: str | None = None
    origin: str | None = None
    turn: str | None = None
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Uses:
    """How often prompts held an item, or somebody looked at it; `last` is a day or date-time, None before the first."""

    count: int = 0
    last: str | None = None


@dataclass(frozen=True, slots=True)
class Archived:
    """When and why an item was put away: an ISO day, a word (`ended`, `decayed`, `consolidated` …), and where to.

    `into` is the summary that tells what it says. `was` is the value of its status as it was written before, None where
    its file had no such line: with it the file is brought back byte for byte.
    """

    on: str
    why: str
    into: str | None = None
    """The summary that replaces it, or null."""
    was: str | None = None
    """The status before, as written."""


@dataclass(frozen=True, slots=True)
class Recency:
    """How new an item is, by its own word: an ISO date or a number in its name. Compared within a kind only."""

    kind: Literal["date", "number"] | None = None
    value: str | int | None = None


class DecisionStatus(StrEnum):
    """What a decision record says of itself."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DEPRECATED = "deprecated"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class DecisionFacts:
    """What a plain decision record tells in its text.

    `title` has no number; `number` comes from the file's name, else from the heading. `date` is ISO. Targets are as
    written: a relative link, a record's name or a number. `instead` names what a rejected or deprecated record points
    to.
    """

    title: str | None = None
    number: int | None = None
    date: str | None = None
    status: DecisionStatus | None = None
    superseded_by: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    amended_by: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A memory record with a type and a life cycle.

    `importance` and `confidence` in thousandths, 0 to 1000; `created`, `updated`, `expires` and `deadline` as ISO dates
    or date-times. `path` is as the caller gave it, with `/`; `scope` follows from it. `key` is what an upsert matches
    within scope and type. `tokens` counts what a task's item says; None elsewhere. `details` are what a type of item
    has beside its text, in the order of the file: the stage and tool of a task's item, the scope of a convention, the
    code of a failure, the domain of a pattern, the category of a preference. `decision` is there for decisions alone,
    and `archived` for an archived item that says when it was put away.
    """

    id: str
    """Unique in its scope (default: the path without `.md`)."""
    type: str
    """By default that of its folder."""
    title: str
    """By default the first heading, else the file's name."""
    path: str
    scope: str
    importance: int
    """0 to 1; by default that of its type."""
    confidence: int
    """0 to 1 (default: 0.8)."""
    key: str | None = None
    """The subject; a scope has one active item per type and key."""
    status: Status = Status.ACTIVE
    """`active` (default), `pending` (in no prompt) or `archived`."""
    links: tuple[Link, ...] = ()
    """`{to, relation}`: `supersedes`, `contradicts`, `depends_on`, `caused_by`, `resolved_by`, or one of the trace."""
    source: Source = Source()
    """`{kind, actor, project, session}`; kinds are `explicit` (default), `extracted`, `inferred`, `imported`."""
    trust: Trust = Trust.HUMAN
    """`human`, `tool`, `agent` or `external`; by default by its actor."""
    refs: tuple[Ref, ...] = ()
    """Cited code: `{path, symbol, digest}`."""
    created: str | None = None
    """A day or date-time."""
    updated: str | None = None
    """A day or date-time."""
    expires: str | None = None
    """The last day."""
    deadline: str | None = None
    """A day or date-time."""
    verification: str | None = None
    tags: tuple[str, ...] = ()
    """Free words."""
    uses: Uses = Uses()
    """`{count, last}`, merged by `vfcc memory maintain`."""
    tokens: int | None = None
    """Its size; only for a task's items."""
    details: tuple[tuple[str, str], ...] = ()
    """Pairs by type: a convention's `scope`, a failure's `code`, a preference's `category`, a task item's `stage`."""
    recency: Recency = Recency()
    """The date or number that gives its age."""
    decision: DecisionFacts | None = None
    """The facts of a decision record, or null."""
    archived: Archived | None = None
    """`on` which day, `why`, `into` which summary, and `was`, the status before; null unless archived."""


def scope_of(path: str) -> str:
    """Return the scope that a path in the memory tree stands for; `project` for what lies outside it.

    What a person has beyond all projects lies in a folder `user`, outside of every project's `.memory/`.

    >>> scope_of(".memory/stage/login/coding/summary.md"), scope_of("CLAUDE.md")
    ('stage/login/coding', 'project')
    >>> scope_of("user/items/preference/editor.md"), scope_of(".memory/local/tasks/fix-it-k3f9/items/reasoning/a.md")
    ('user', 'task/fix-it-k3f9')
    """
    parts = path.removeprefix(".memory/").split("/")[:-1]
    if path.startswith("user/"):
        return "user"
    if parts[:2] == ["local", "tasks"] and len(parts) > 2:
        return f"task/{parts[2]}"
    names = {"sprint": 2, "stage": 3, "agent": 2}.get(parts[0] if parts else "", 0)
    return "/".join(parts[:names]) if 0 < names <= len(parts) else "project"
