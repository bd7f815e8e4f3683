"""Items: what is remembered, one Markdown file each, and the links between them.

Memory and trace share one kind of item and one shape of link; a requirement is both at once.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Literal

from verifflowcc.base.records import dataclass

# The keys of an item's front matter, one row each: reading, writing, filters, columns and screens follow the rows.
#
# A new field of items is a row here and an attribute of the same name in `Item`. Rows are in the order of a new file.


class ValueKind(StrEnum):
    """What a value is, as a person would call it."""

    TEXT = "a text"
    WORD = "a word"
    DECIMAL = "a number from 0 to 1"
    WHOLE = "a whole number from 0"
    MOMENT = "a date or date-time in ISO form"
    TEXTS = "a text of its list"
    TRUTH = "true or false"


@dataclass(frozen=True, slots=True)
class ItemKey:
    """A key of the front matter.

    `kind` says how its value is read, written and compared; None marks a value with parts, which `formats/item_fields`
    reads by a method of the key's name and `formats/item_render` writes by a function in its table.
    """

    name: str
    kind: ValueKind | None = None
    memory: bool = True
    """Whether `Item` has an attribute of this name."""
    explained: bool = True
    """Whether `memory show --explain` lists it as it is."""


KEYS = (
    ItemKey("id", ValueKind.TEXT, explained=False),
    ItemKey("type", ValueKind.TEXT, explained=False),
    ItemKey("title", ValueKind.TEXT, explained=False),
    ItemKey("key", ValueKind.TEXT),
    ItemKey("importance", ValueKind.DECIMAL, explained=False),
    ItemKey("confidence", ValueKind.DECIMAL, explained=False),
    ItemKey("status", ValueKind.WORD, explained=False),
    ItemKey("links"),
    ItemKey("source"),
    ItemKey("trust", ValueKind.WORD, explained=False),
    ItemKey("refs"),
    ItemKey("created", ValueKind.MOMENT),
    ItemKey("updated", ValueKind.MOMENT),
    ItemKey("expires", ValueKind.MOMENT),
    ItemKey("deadline", ValueKind.MOMENT),
    ItemKey("verification", ValueKind.TEXT, explained=False),
    ItemKey("tags", ValueKind.TEXTS, explained=False),
    ItemKey("uses"),
    ItemKey("tokens", ValueKind.WHOLE, explained=False),
    ItemKey("details"),
    ItemKey("archived"),
    *(ItemKey(name, ValueKind.TEXT, memory=False) for name in ("rationale", "planned", "integrity")),
    ItemKey("derived", ValueKind.TRUTH, memory=False),
    *(ItemKey(name, ValueKind.TEXTS, memory=False) for name in ("tests", "evidence")),
    *(ItemKey(name, memory=False) for name in ("reviewed", "verified")),
    ItemKey("date", ValueKind.MOMENT, memory=False),
    ItemKey("imported", memory=False),
)
"""`date` is read as `created`; `imported` holds what an older store had and an item has no place for."""

KNOWN_KEYS = tuple(row.name for row in KEYS)
MEMORY_KEYS = tuple(row for row in KEYS if row.memory)


# The table of item types: default scope, importance and time to live, and which types are trace items.
#
# A type that is not in the table is not an error (a workflow adds types of its own); it has the values of `OTHER`.

DEFAULT_CONFIDENCE = 800
"""In thousandths."""


class ScopeKind(StrEnum):
    """Whose an item is, without the name behind it."""

    USER = "user"
    PROJECT = "project"
    SPRINT = "sprint"
    STAGE = "stage"
    AGENT = "agent"
    TASK = "task"


@dataclass(frozen=True, slots=True)
class ItemType:
    """A type's defaults.

    `importance` in thousandths. `ttl_days` is None for a type that never expires; `ends_with_stage` marks one whose
    items end with their stage, at the latest after `ttl_days` where that is set too.
    """

    name: str
    scope: ScopeKind
    importance: int
    ttl_days: int | None = None
    ends_with_stage: bool = False
    trace: bool = False
    folder: str | None = None
    """The folder of its own in a scope (default: one below `items/`)."""


TRIGGER = "trigger"
"""The detail of an instruction that holds only for tasks that have these words."""
NOTE = "note"
"""The type of a Markdown file that declares none and lies in no typed folder: neutral, and it never expires."""

TURN = "turn"
"""The type of a turn of a conversation, kept word for word: a search finds it, and no prompt holds it."""

_ABOUT_A_USER = ("business_fact", "work_pattern", "communication_style", "goal", "constraint", "relationship")
_TRACE = ("need", "requirement", "component", "interface", "unit", "test_spec", "hazard", "information")

_TYPES = (
    ItemType("preference", ScopeKind.USER, 900),
    *(ItemType(name, ScopeKind.USER, 500) for name in _ABOUT_A_USER),
    ItemType("pattern", ScopeKind.USER, 700),
    ItemType("decision", ScopeKind.PROJECT, 900, folder="decisions"),
    ItemType("failure", ScopeKind.PROJECT, 850, ttl_days=365),
    ItemType("convention", ScopeKind.PROJECT, 800, folder="conventions"),
    *(ItemType(name, ScopeKind.PROJECT, 800, trace=True) for name in _TRACE),
    ItemType("fact", ScopeKind.PROJECT, 500, ttl_days=365),
    ItemType("guideline", ScopeKind.PROJECT, 600, ttl_days=365),
    ItemType("insight", ScopeKind.PROJECT, 600, ttl_days=365),
    ItemType("summary", ScopeKind.PROJECT, 600, ttl_days=365),
    ItemType("question", ScopeKind.PROJECT, 600, ttl_days=90),
    ItemType("assumption", ScopeKind.PROJECT, 600, ttl_days=90),
    ItemType("fix", ScopeKind.PROJECT, 700, ttl_days=180),
    ItemType("task_state", ScopeKind.TASK, 600, ttl_days=14, ends_with_stage=True),
    ItemType("tool_output", ScopeKind.TASK, 700, ends_with_stage=True),
    ItemType("reasoning", ScopeKind.TASK, 500, ends_with_stage=True),
    ItemType(NOTE, ScopeKind.PROJECT, 500),
    ItemType(TURN, ScopeKind.PROJECT, 300, ttl_days=365),
)

TYPES: Mapping[str, ItemType] = {each.name: each for each in _TYPES}
USER_TYPES = tuple(each.name for each in _TYPES if each.scope is ScopeKind.USER)
"""The seven categories of what is known of a person, and learned patterns."""
RULE_TYPES = ("decision", "convention", "guideline", "constraint")
"""What agents are to follow, where it is in force."""
FOLDERS: Mapping[str, str] = {each.folder: each.name for each in _TYPES if each.folder}
"""Folder → type, for types with a folder of their own."""
_ABOUT_A_FOLDER = frozenset({"readme", "index", "_index", "template", "adr-template"})
OTHER = ItemType("", ScopeKind.PROJECT, 500)


def item_type(name: str) -> ItemType:
    """Return the defaults of a type; those of `OTHER` where the table does not have it."""
    return TYPES.get(name, OTHER)


def type_of_path(path: str) -> str:
    """Return the type that a file's folder gives it; `note` where none does.

    >>> type_of_path("project/decisions/0001-x.md"), type_of_path("project/items/requirement/login.md")
    ('decision', 'requirement')
    >>> type_of_path("project/decisions/README.md"), type_of_path("sprint/login/goals.md")
    ('note', 'note')
    """
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0].lower()
    if stem in _ABOUT_A_FOLDER:
        return NOTE
    for number in reversed(range(len(folders))):
        if folders[number] in FOLDERS:
            return FOLDERS[folders[number]]
        if number and folders[number - 1] == "items":
            return folders[number]
    return NOTE


def is_trace_type(name: str) -> bool:
    """Say whether items of this type stand in the trace from need to test.

    >>> is_trace_type("requirement"), is_trace_type("decision")
    (True, False)
    """
    return item_type(name).trace


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
    return max((first, *others), key=_TRUSTED.index)


_TRUSTED = tuple(Trust)


class Relation(StrEnum):
    """How one item relates to another, read from the item that holds the link."""

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
    """Who looked at an item, when, why, and its fingerprint then.

    `on` is a day; `fingerprint.py` makes the fingerprint.
    """

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
    def words(self) -> str:
        """The relation and the other end."""
        return f"{self.relation} {self.to}"

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
class ArchiveNote:
    """When and why an item was archived, and the summary that replaces it.

    `on` is an ISO day; `why` is a word (`ended`, `decayed`, `consolidated` …).

    `into` is the summary that has its content. `previous_status` is the value of its status as it was written before,
    None where its file had no such line: with it the file is brought back byte for byte.
    """

    on: str
    why: str
    into: str | None = None
    """The summary that replaces it, or null."""
    previous_status: str | None = None
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
    """What the text of a plain decision record says about itself.

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
    archived: ArchiveNote | None = None
    """`on` which day, `why`, `into` which summary, and `was`, the status before; null unless archived."""


def scope_of(path: str) -> str:
    """Return the scope of a path in the memory tree; `project` for one outside it.

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


# Who answers for an item, and whether it still waits for a person, as far as its own file can tell.
#
# A file may say anything of itself: it may come with a merge, past all that vfcc asks. So what it claims counts no
# more than whoever wrote it, unless it names who vouches; and what a machine wrote holds only where it names who
# promoted it.

PROMOTED_BY, PROMOTED_ON = "promoted_by", "promoted_on"
VOUCHED_BY, VOUCHED_ON = "vouched_by", "vouched_on"
GUARDED = frozenset({"user", "project"})
"""The scopes whose items enter prompts far from where they were made."""
_ACTORS = {"human": Trust.HUMAN, "agent": Trust.AGENT, "external": Trust.EXTERNAL}
_SPEAKERS = {"agent": Trust.AGENT, "tool": Trust.TOOL, "outside": Trust.EXTERNAL}
MACHINES = frozenset({"agent", "external", "ci"})


def writers_trust(item: Item) -> Trust:
    """Return the trust in an item, from its writer and its source."""
    actor = _ACTORS.get(_kind(item.source.actor), Trust.TOOL)
    return least_trust(actor, _SPEAKERS.get(_kind(item.source.speaker or ""), Trust.HUMAN))


def trust_held(item: Item) -> Trust:
    """Return an item's trust, which is no more than its writer's unless it names a person who vouches."""
    return item.trust if _person(item, VOUCHED_BY) else least_trust(item.trust, writers_trust(item))


def awaits_promotion(item: Item) -> bool:
    """Say whether an item waits for a person: it says so, or a machine wrote it into the project's or the user's memory
    and nobody is named who promoted it.

    What a trace item needs is said by its review. A kept turn is in no prompt, and waits for no one.
    """
    if item.status is Status.PENDING:
        return True
    if item.status is not Status.ACTIVE or item.scope not in GUARDED:
        return False
    if is_trace_type(item.type) or item.type == TURN:
        return False
    return _kind(item.source.actor) in MACHINES and not (_person(item, PROMOTED_BY) or _person(item, VOUCHED_BY))


def _person(item: Item, name: str) -> bool:
    return bool(item.details) and _kind(dict(item.details).get(name, "")) == "human"


def _kind(actor: str) -> str:
    return actor.partition(":")[0]


def may_be_heard(item: Item) -> bool:
    """Return whether an item of a trace type was read out of a conversation, as far as memory knows it."""
    return item.status is Status.ACTIVE and is_trace_type(item.type) and item.source.turn is not None


def names_meant(items: Iterable[Item]) -> set[str]:
    """Return how items name those that they lead to: by ids, paths, keys, or otherwise."""
    found: set[str] = set()
    for item in items:
        found.update(link.to for link in item.links)
        if item.decision:
            found.update((*item.decision.supersedes, *item.decision.superseded_by))
    return found
