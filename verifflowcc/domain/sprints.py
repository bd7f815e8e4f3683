"""The state of a sprint, as its events add up to it."""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.domain.contributors import Contributor
from verifflowcc.domain.events import Event, EventType, LedgerProblem
from verifflowcc.domain.gates import Verdict
from verifflowcc.domain.workflows import Stage, Workflow
from verifflowcc.records import dataclass, field


class SprintStatus(StrEnum):
    """Whether a sprint can move: `forked` waits for a decision, `broken` has no start that can be read."""

    OPEN = "open"
    CLOSED = "closed"
    FORKED = "forked"
    BROKEN = "broken"


class StageStatus(StrEnum):
    """Where a stage stands; `stale` was passed on artifacts of an earlier stage that changed or is being redone."""

    PENDING = "pending"
    ACTIVE = "active"
    PASSED = "passed"
    SKIPPED = "skipped"
    STALE = "stale"


DONE = frozenset({StageStatus.PASSED, StageStatus.SKIPPED})


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that a stage left behind.

    `path` is relative to the stage's `artifacts/` folder, with `/`; `bytes` is its size with CRLF folded to LF where it
    is text, so that it is the same on every clone, as is `digest`.
    """

    path: str
    digest: str
    bytes: int


@dataclass(frozen=True, slots=True)
class ArtifactFile:
    """A file found in `artifacts/` now; `empty` where it holds nothing but white space."""

    artifact: Artifact
    empty: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one criterion when its stage was passed; `used` names the evidence."""

    criterion: str
    verdict: Verdict
    reason: str
    used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skip:
    """Why a stage was left out, on whose word, and the last day on which that holds (None: no end)."""

    event: str
    reason: str
    actor: str
    expires: str | None
    email: str = ""

    @property
    def by(self) -> Contributor:
        """Who skipped it."""
        return Contributor(self.actor, self.email)


@dataclass(frozen=True, slots=True)
class StageEntry:
    """What lay there when a stage was entered: git's commit, and files that were not as it has them (None: gone).

    `uncommitted` is None where there were too many of them, or nothing is recorded.
    """

    head: str
    uncommitted: Mapping[str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class StageState:
    """A stage and what became of it.

    `artifacts`, `traced` (each type of trace items that it specifies → digest of all of them), `summary` (a digest),
    `outcomes`, `metrics` and `handover` (a text) are those of the latest pass, the last two None where its event is
    older than they are; `used` maps each stage that it builds on to the digest of what that stage
    had specified then. `entered_at` is the time on the event that last entered it, and `entered_by` that event's id;
    `entry` is what it says of the files then, None where it says nothing.
    `passes` and `reopened` count. `gaps` are the criteria that were neither met nor waived at the pass that counts.
    """

    stage: Stage
    status: StageStatus = StageStatus.PENDING
    entered_at: str | None = None
    entered_by: str | None = None
    entry: StageEntry | None = None
    passes: int = 0
    reopened: int = 0
    artifacts: tuple[Artifact, ...] = ()
    traced: Mapping[str, str] = field(default_factory=dict)
    summary: str | None = None
    outcomes: tuple[Outcome, ...] = ()
    metrics: Mapping[str, int | None] | None = None
    handover: str | None = None
    used: Mapping[str, str] = field(default_factory=dict)
    skip: Skip | None = None
    gaps: int = 0


@dataclass(frozen=True, slots=True)
class Move:
    """One side of a fork: the first event on it, what it did, and by whom. `tips` are the ids of its latest moves."""

    event: str
    type: EventType
    does: str
    actor: str
    time: str
    tips: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fork:
    """Two or more moves of which none knew the others; sorted by the content part of their ids."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class SetAside:
    """A move that no longer counts: another side of its fork was kept. `choice` is the id of the event that says so."""

    event: str
    type: EventType
    does: str
    actor: str
    time: str
    choice: str
    decided_by: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class SprintState:
    """What a sprint's events add up to.

    `current` is the stage in work, or None before the first, between two, and after the last. `heads` are the ids that
    the next event must name as its parents, sorted. `notes` are the additive events in order. `base` is the git commit
    from which it started, `branch` the git branch on which it started; `carried` are comments of earlier sprints
    (`sprint/event`). `counts` maps each event type that occurs to its number. Under a fork, stages and `current` are
    those of the last event that all sides share. `aside` are the moves of sides that were not kept. `gaps` are those of
    all stages. `packed` maps the id of each event that has no file of its own to the path of the pack that holds it,
    relative to the project's root. `rules` are the digests of the protected files that were not as `base` has them at
    the start (None: gone); it is None for a sprint that an older version started.
    """

    id: str
    title: str
    goals: tuple[str, ...] = ()
    workflow: Workflow | None = None
    base: str | None = None
    branch: str | None = None
    rules: Mapping[str, str | None] | None = None
    carried: tuple[str, ...] = ()
    status: SprintStatus = SprintStatus.BROKEN
    stages: tuple[StageState, ...] = ()
    current: str | None = None
    heads: tuple[str, ...] = ()
    notes: tuple[Event, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    fork: Fork | None = None
    aside: tuple[SetAside, ...] = ()
    unfinished: str | None = None
    problems: tuple[LedgerProblem, ...] = ()
    packed: Mapping[str, str] = field(default_factory=dict)
    gaps: int = 0

    @property
    def complete(self) -> bool:
        """Whether every stage is passed or skipped."""
        return bool(self.stages) and all(stage.status in DONE for stage in self.stages)

    def stage(self, stage_id: str) -> StageState | None:
        """Return the stage of that id, or None."""
        return next((stage for stage in self.stages if stage.stage.id == stage_id), None)


@dataclass(frozen=True, slots=True)
class SprintLine:
    """A sprint in a list: `done` of `total` stages are passed or skipped; `problems` counts its broken event files.

    `gaps` are the criteria that its stages were passed without.
    """

    id: str
    title: str
    status: SprintStatus
    current: str | None
    done: int
    total: int
    problems: int = 0
    gaps: int = 0
