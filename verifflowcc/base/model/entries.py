"""Candidates for a prompt, what became of each, and the compiled prompt itself."""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.base.model.layers import HANDOVER, Layer
from verifflowcc.base.records import dataclass, field

# What is asked of the prompt compiler.


@dataclass(frozen=True, slots=True)
class Question:
    """Whose prompt is wanted, for which sprint and stage, for what task, within how many tokens.

    `committed` takes everything from `revision`; otherwise from the working tree, without local sources unless
    `with_local`. `allocation` goes before the role's: the name of a preset or a role, or shares such as
    `agent=0.6,project=0.4`. `with_past` takes in what is superseded or withdrawn, marked as such.
    `as_of` is an ISO day: what held then goes in, as far as items say so, and counts as no use.
    """

    agent: str
    sprint: str | None = None
    stage: str | None = None
    task: str = ""
    budget_tokens: int | None = None
    strict: bool = False
    committed: bool = False
    revision: str = "HEAD"
    with_local: bool = True
    allocation: str | None = None
    with_past: bool = False
    as_of: str | None = None


# Trace items as a prompt shows them.


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """A trace item in a prompt: `text` is one complete Markdown list item with its tests and its state.

    `path` is the item's file. `why` says why it is there; `in_scope` whether the sprint is about it, or it only comes
    near to the task. `trust` is who vouches for it.
    """

    id: str
    path: str
    title: str
    text: str
    why: str
    in_scope: bool
    trust: str = "human"


@dataclass(frozen=True, slots=True)
class OmittedTraceItem:
    """A trace item that no prompt of this sprint and task offers, and why."""

    id: str
    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece of memory that a layer's strategy named, in rank order, not yet paid for.

    `key` is its name within the layer (`decisions/0007-index.md`), `path` where it lies, relative to the project's
    root, with `/`. `tokens` counts the body alone. `always` marks an always-load entry. `local` marks what other clones
    do not have. `date`, `trust`, `invalid_reason` (why it is no longer in force) and `stale` (how the code that it
    cites changed) are shown beside the text in the prompt. The text itself is fetched by `path` when it is needed, so
    that a thousand candidates that do not fit cost no reading.
    `relevance` is how well the task's words match it: 0 where none is in it, 1,000 for the best of its layer.
    `origin` is the virtual source that named it, empty for a pattern of files. `tier` is its lifetime: `task`,
    `project` or `global`. `item` is a typed item's id within its `scope`, and `type` its type; empty for other
    files. `subject` is the key that two items share of which only one can hold, `error` a failure's error code.
    `conflict` says what a person has not decided yet: a proposed decision, a requirement that was heard.
    `in_scope` is false for trace items that the sprint is not about. `rule`
    marks an always-loaded file that a person wrote for the project or a role, and a decision, convention, guideline or
    constraint in force.
    """

    layer: Layer
    key: str
    path: str
    digest: str
    tokens: int
    rank: int
    always: bool = False
    local: bool = False
    """Whether only this machine has it."""
    kind: str = "markdown"
    title: str = ""
    date: str | None = None
    trust: str = "human"
    score: int = 0
    why: str = ""
    relevance: int = 0
    """How well the task's words match, from 0 to 1,000."""
    origin: str = ""
    """The source that offered it, such as `@recall`; empty for a file."""
    tier: str = "project"
    """Its lifetime: `task`, `project` or `global`."""
    item: str = ""
    """Its id as a typed item, or empty."""
    type: str = ""
    scope: str = ""
    invalid_reason: str = ""
    """Why it is no longer in force, or empty."""
    stale: str = ""
    """How the code that it cites changed, or empty."""
    rule: bool = False
    """Whether it is paid for as a rule."""
    subject: str = ""
    """The key of items of which only one can hold, or empty."""
    error: str = ""
    """The error code of a failure, or empty."""
    conflict: str = ""
    """A decision that no person made yet, or empty."""
    in_scope: bool = True
    """False for a trace item that is not about the sprint."""

    @property
    def short_form(self) -> bool:
        """Whether a summary may stand in its place where there is no room for more."""
        return self.origin == HANDOVER


class Fate(StrEnum):
    """What became of a candidate."""

    KEPT = "kept"
    TRIMMED = "trimmed"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class PlacedCandidate:
    """A candidate with its fate.

    `tokens` is what its body takes in the prompt (0 where dropped); `reason` is a short sentence; `text` is the trimmed
    body where it was trimmed, else None.
    """

    candidate: Candidate
    outcome: Fate
    """`kept`, `trimmed` or `dropped`."""
    tokens: int
    reason: str
    text: str | None = None
    """The text if it was trimmed."""


@dataclass(frozen=True, slots=True)
class LayerUse:
    """One layer's account: what it was given, what it used (frames included) and what it could have used.

    `share` is in millionths; `own_tokens` is what that gave it, at most its `max_tokens`, before what others left over.
    `wanted_tokens` is what it would use, at most its `max_tokens`, if all the room in the prompt were its own.
    """

    layer: Layer
    budget_tokens: int
    """Its share, and what it got of the others' leftovers."""
    used_tokens: int
    offered_tokens: int
    kept: int
    trimmed: int
    dropped: int
    share: int
    own_tokens: int
    """The tokens of its share alone."""
    wanted_tokens: int
    """What it would use if all room were its own."""


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """What typed items are in a prompt, in numbers.

    `tokens` are those of their bodies. `candidates` were offered by the virtual sources, `final` of them are in it,
    and `filtered` were left out since their scope or type is none of this role's. `conflicts` are pairs of items in it
    that cannot both hold.
    """

    tokens: int = 0
    candidates: int = 0
    """Typed items that were offered."""
    final: int = 0
    """Typed items in the prompt."""
    filtered: int = 0
    """Items left out because they belong to another role."""
    conflicts: int = 0
    """Pairs of contradicting items in the prompt."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A compiled prompt and its account.

    `tokens` counts `text` as rendered and is never above `budget_tokens`. `notices` are sentences for the reader.
    `counter` says which counter counted; `estimated` is true where the count is not exact and is shown with a `~`.
    `compression` is the tokens of the bodies in the prompt over those of all bodies offered, in thousandths. `items`
    are the ids of the typed items in it, by scope; `memory` is their account. `room_tokens` is what was split among the
    layers: the budget without what the template takes. `cached` says that it is as it was compiled before.
    """

    agent: str
    sprint: str | None
    stage: str | None
    text: str
    tokens: int
    budget_tokens: int
    layers: tuple[LayerUse, ...]
    notices: tuple[str, ...]
    compression: int
    """Tokens of the bodies in the prompt, divided by those offered."""
    counter: str
    estimated: bool = False
    """Whether the counts are estimates."""
    items: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ids of the typed items in the prompt, by scope."""
    memory: MemoryUse = MemoryUse()
    room_tokens: int = 0
    """The budget without the template: what was split among the layers."""
    cached: bool = False
    """Whether the prompt came from the cache."""


@dataclass(frozen=True, slots=True)
class SkippedEntry:
    """A file that a rule left out before packing: superseded, archived, empty, unreadable; with the reason."""

    layer: Layer
    key: str
    path: str
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class PartUse:
    """The tokens of code in a prompt that belong to one part of a mix, and its share of the mix in millionths."""

    tokens: int
    share: int


@dataclass(frozen=True, slots=True)
class ContextPackage:
    """A prompt and its whole explanation.

    `placed` lists every candidate that took part in packing, `skipped` every other. `sources` maps each path in the
    prompt to its digest; `inputs` names the digests of what else went in: configuration, template, ledger, all that a
    virtual source offered, and the code that items speak of. `caps` are the most items of a kind that were offered to
    this role, `tiers` the tokens in the prompt by lifetime, `code` the use of each part of the role's mix of code.
    """

    prompt: Prompt
    task: str
    placed: tuple[PlacedCandidate, ...]
    """Every candidate with its outcome."""
    skipped: tuple[SkippedEntry, ...]
    """Files that a rule left out."""
    sources: Mapping[str, str]
    """Digests of the files in the prompt."""
    inputs: Mapping[str, str]
    """Digests of configuration, template, ledger, sources and cited code."""
    caps: Mapping[str, int] = field(default_factory=dict)
    """How many `user_items` and `project_items` the role is offered."""
    tiers: Mapping[str, int] = field(default_factory=dict)
    """Tokens in the prompt by lifetime: `task`, `project`, `global`."""
    code: Mapping[str, PartUse] = field(default_factory=dict)
    """Tokens and share of each part of the role's code mix; empty without code."""

    @property
    def text(self) -> str:
        """The prompt as rendered."""
        return self.prompt.text
