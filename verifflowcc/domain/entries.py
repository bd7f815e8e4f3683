"""Candidates for a prompt, what became of each, and the compiled prompt itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from verifflowcc.domain.layers import Layer


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece of memory that a layer's strategy named, in rank order, not yet paid for.

    `key` is its name within the layer (`decisions/0007-index.md`), `path` where it lies, relative to the project's
    root, with `/`. `tokens` counts the body alone. `always` marks an always-load entry. `local` marks what other clones
    do not have. `origin`, `date` and `trust` stand beside the text in the prompt. The text itself is fetched by `path`
    when it is needed, so that a thousand candidates that do not fit cost no reading.
    """

    layer: Layer
    key: str
    path: str
    digest: str
    tokens: int
    rank: int
    always: bool = False
    local: bool = False
    kind: str = "markdown"
    title: str = ""
    date: str | None = None
    trust: str = "human"
    score: int = 0
    why: str = ""


class Fate(StrEnum):
    """What became of a candidate."""

    KEPT = "kept"
    TRIMMED = "trimmed"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Placed:
    """A candidate with its fate.

    `tokens` is what its body takes in the prompt (0 where dropped); `reason` is a short sentence; `text` is the trimmed
    body where it was trimmed, else None.
    """

    candidate: Candidate
    fate: Fate
    tokens: int
    reason: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class LayerUse:
    """One layer's account: what it was given, what it used (frames included) and what it could have used."""

    layer: Layer
    budget_tokens: int
    used_tokens: int
    offered_tokens: int
    kept: int
    trimmed: int
    dropped: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """A compiled prompt and its account.

    `tokens` counts `text` as rendered and is never above `budget_tokens`. `notices` are sentences for the reader.
    `counter` says which counter counted; `estimated` is true where the count is not exact and is shown with a `~`.
    `compression` is the tokens of the bodies in the prompt over those of all bodies offered, in thousandths.
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
    counter: str
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that a rule left out before packing: superseded, archived, empty, unreadable; with the reason."""

    layer: Layer
    key: str
    path: str
    tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class ContextPackage:
    """A prompt and its whole explanation.

    `placed` lists every candidate that took part in packing, `skipped` every other. `sources` maps each path in the
    prompt to its digest; `inputs` names the digests of what else went in: configuration, template, ledger.
    """

    prompt: Prompt
    task: str
    placed: tuple[Placed, ...]
    skipped: tuple[Skipped, ...]
    sources: Mapping[str, str]
    inputs: Mapping[str, str]

    @property
    def text(self) -> str:
        """The prompt as rendered."""
        return self.prompt.text
