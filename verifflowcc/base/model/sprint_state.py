"""The state of a sprint, as its events add up to it."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from verifflowcc.base.model.events import Event, EventType, LedgerProblem
from verifflowcc.base.model.gate_values import Criterion, CriterionKind, Mode, Verdict
from verifflowcc.base.model.people import Contributor
from verifflowcc.base.model.trace_codes import DEFAULT_POLICY, TracePolicy
from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.canonical import digest_text

# A workflow: the stages of a V in their order, each with its leg, its pair, its role and the criteria of its gates.


class Leg(StrEnum):
    """A stage's side of the V: it specifies (left), builds (apex) or verifies (right)."""

    LEFT = "left"
    APEX = "apex"
    RIGHT = "right"


class Edits(StrEnum):
    """What may be edited outside of `.memory/` during a stage."""

    NONE = "none"
    TESTS = "tests"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Route:
    """Where to go back to once a stage's evidence has failed `after` times since it was entered."""

    after: int
    """After how many failures."""
    to: str


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the V.

    `pair` is the stage on the other leg that answers it, or None. `artifacts` are patterns of file names below the
    stage's `artifacts/` folder (`plan.*`; a `*` does not cross a `/`); each is a criterion of `exit`. `uses` are the
    stages whose artifacts this one builds on: where they change, this one is stale. `enter` and `exit` are the criteria
    of its gates.
    """

    id: str
    """Its name in commands: lower-case letters, digits, `_`, `-`."""
    title: str
    """Its name for people."""
    leg: Leg
    """`left` (specifies), `apex` (builds; exactly one) or `right` (verifies), in this order."""
    pair: str | None
    """The stage on the other leg that answers it; required on the left; pairs must not cross."""
    role: str
    """The role of its agent."""
    artifacts: tuple[str, ...]
    """Patterns below the stage's `artifacts/`, each a criterion of `exit`; without any, any file will do."""
    edits: Edits = Edits.ALL
    """What may be edited outside of `.memory/`: `none` (default on the left), `all` (apex), `tests` (right)."""
    uses: tuple[str, ...] = ()
    """Earlier stages whose artifacts it builds on (default: the previous one and its pair), first in prompts."""
    enter: tuple[Criterion, ...] = ()
    """Criteria to enter it."""
    exit: tuple[Criterion, ...] = ()
    """Criteria to leave it."""
    route: Route | None = None
    """After so many failures, which earlier stage to go back to."""


@dataclass(frozen=True, slots=True)
class Workflow:
    """The stages in order. `digest` is that of the file from which it was read.

    `gates` is the mode of each criterion that states none. `strict` workflows let no configuration soften a gate.
    `trace` is what it asks of trace items.
    """

    name: str
    title: str
    stages: tuple[Stage, ...]
    digest: str
    gates: Mode = Mode.HARD
    """The mode of criteria that state none."""
    strict: bool = False
    trace: TracePolicy = DEFAULT_POLICY

    def stage(self, stage_id: str) -> Stage | None:
        """Return the stage of that id, or None."""
        return next((stage for stage in self.stages if stage.id == stage_id), None)

    def after(self, stage_id: str) -> Stage | None:
        """Return the stage that follows, or None after the last."""
        ids = [stage.id for stage in self.stages]
        place = ids.index(stage_id) + 1
        return self.stages[place] if place < len(ids) else None


ANY_ARTIFACT = "any-artifact"


def artifact_criteria(patterns: Iterable[str], mode: Mode) -> tuple[Criterion, ...]:
    """Return the criteria that a stage's declared artifacts stand for; with none declared, any one file will do.

    >>> [one.id for one in artifact_criteria(["plan.*", "notes/*.md"], Mode.HARD)]
    ['plan', 'notes-md']
    """
    found = tuple(
        Criterion(
            _criterion_id(pattern),
            CriterionKind.ARTIFACT,
            f"{pattern} is there and says something",
            mode,
            files=(pattern,),
        )
        for pattern in patterns
    )
    return found or (
        Criterion(ANY_ARTIFACT, CriterionKind.ARTIFACT, "any file that says something", mode, files=("**",)),
    )


UPSTREAM = "upstream"


def upstream_criterion(mode: Mode) -> Criterion:
    """Return the criterion that the exit of every stage but the first has."""
    return Criterion(UPSTREAM, CriterionKind.UPSTREAM, "the stages before still hold", mode)


def asks_nothing(stage: Stage) -> bool:
    """Whether nothing of the stage's own is asked before it is left: such a gate would be open whatever was done."""
    own = [each for each in stage.exit if each.kind is not CriterionKind.UPSTREAM]
    return all(each.mode is Mode.OFF for each in own)


def default_uses(stage: Stage, before: Stage | None) -> tuple[str, ...]:
    """Return what a stage uses where its workflow does not say: the stage before, and its pair if that is earlier."""
    found = [before.id] if before else []
    if stage.leg is Leg.RIGHT and stage.pair and stage.pair not in found:
        found.append(stage.pair)
    return tuple(found)


def _criterion_id(pattern: str) -> str:
    words = "".join(letter if letter.isalnum() else " " for letter in pattern.removesuffix(".*")).split()
    return "-".join(words).lower() or ANY_ARTIFACT


SPRINT_VARIABLE = "VFCC_SPRINT"
"""The variable of the environment that names the current sprint."""


class SprintStatus(StrEnum):
    """Whether a sprint can move: `forked` waits for a decision, `broken` has no start that can be read."""

    OPEN = "open"
    CLOSED = "closed"
    FORKED = "forked"
    BROKEN = "broken"


class StageStatus(StrEnum):
    """The status of a stage in a sprint.

    `stale` was passed on artifacts of an earlier stage that changed or is being redone.
    """

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
    """Whether it has no content."""


@dataclass(frozen=True, slots=True)
class ArtifactText:
    """An artifact as it lies there now; `text` is None where it is not text (or too large to be read as one)."""

    artifact: Artifact
    text: str | None


@dataclass(frozen=True, slots=True)
class CriterionOutcome:
    """What became of one criterion when its stage was passed; `used` names the evidence."""

    criterion: str
    verdict: Verdict
    reason: str
    used: tuple[str, ...] = ()
    """Ids of evidence and events, or paths."""


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
    """The git commit at entry."""
    uncommitted: Mapping[str, str | None] | None = None
    """Digests of files that were not in it."""


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
    """`pending`, `active`, `passed`, `skipped` or `stale`."""
    entered_at: str | None = None
    entered_by: str | None = None
    """The event that began this stay."""
    entry: StageEntry | None = None
    """Null if the stage edits everything, or if nothing is recorded."""
    passes: int = 0
    reopened: int = 0
    artifacts: tuple[Artifact, ...] = ()
    """Files at the last pass."""
    traced: Mapping[str, str] = field(default_factory=dict)
    """A digest of all items for each type that the stage specifies."""
    summary: str | None = None
    """The digest of the summary."""
    outcomes: tuple[CriterionOutcome, ...] = ()
    metrics: Mapping[str, int | None] | None = None
    """Null for an event of version 0.1."""
    handover: str | None = None
    """The hand-over to the next stage; null for an event of version 0.1."""
    used: Mapping[str, str] = field(default_factory=dict)
    """The digest of each earlier stage's hand-over."""
    skip: Skip | None = None
    gaps: int = 0
    """Criteria neither met nor waived at the pass that counts."""


@dataclass(frozen=True, slots=True)
class Move:
    """One side of a fork: the first event on it, what it did, and by whom. `tips` are the ids of its latest moves."""

    event: str
    type: EventType
    action: str
    actor: str
    time: str
    tips: tuple[str, ...]
    """Ids of the side's latest moves."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Two or more moves of which none knew the others; sorted by the content part of their ids."""

    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class DiscardedMove:
    """A move that no longer counts: another side of its fork was kept. `choice` is the id of the event that says so."""

    event: str
    type: EventType
    action: str
    actor: str
    time: str
    choice: str
    """The event that chose the other side."""
    decided_by: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class SprintState:
    """What a sprint's events add up to.

    `current` is the stage in work, or None before the first, between two, and after the last. `heads` are the ids that
    the next event must name as its parents, sorted. `notes` are the additive events in order. `base` is the git commit
    from which it started, `branch` the git branch on which it started; `carried_comments` are comments of earlier
    sprints (`sprint/event`). `counts` maps each event type that occurs to its number. Under a fork, stages and
    `current` are those of the last event that all sides share. `set_aside` are the moves of sides that were not kept.
    `gaps` are those of all stages. `packed` maps the id of each event that has no file of its own to the path of the
    pack that holds it, relative to the project's root. `rules` are the digests of the protected files that were not as
    `base` has them at the start (None: gone); it is None for a sprint that an older version started.
    """

    id: str
    title: str
    goals: tuple[str, ...] = ()
    workflow: Workflow | None = None
    """As stored at the start."""
    base: str | None = None
    """The git commit from which it started, or null."""
    branch: str | None = None
    """The git branch on which it started, or null."""
    rules: Mapping[str, str | None] | None = None
    """Digests of protected files that differed from `base`, null if removed; null for a sprint of version 0.1."""
    carried_comments: tuple[str, ...] = ()
    """Comments of earlier sprints, as `sprint/event`."""
    status: SprintStatus = SprintStatus.BROKEN
    """`open`, `closed`, `forked` or `broken`."""
    stages: tuple[StageState, ...] = ()
    current: str | None = None
    heads: tuple[str, ...] = ()
    """Ids of the latest events."""
    notes: tuple[Event, ...] = ()
    """Events that only add something."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Events by type."""
    fork: Fork | None = None
    """The diverging moves, or null."""
    set_aside: tuple[DiscardedMove, ...] = ()
    """Moves that a choice set aside."""
    unfinished: str | None = None
    """Why it was closed early, or null."""
    problems: tuple[LedgerProblem, ...] = ()
    """Invalid event files."""
    packed: Mapping[str, str] = field(default_factory=dict)
    """For each event without a file of its own, the file that holds it."""
    gaps: int = 0
    """Criteria neither met nor waived at the pass that counts."""

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
    """Stages passed or skipped."""
    total: int
    problems: int = 0
    """How many event files are invalid."""
    gaps: int = 0
    """Criteria neither met nor waived at the pass that counts."""


# What a stage specifies, its artifacts and its trace items: their digest, and what changed since it passed.


def artifacts_folder(sprint_id: str, stage_id: str) -> str:
    """Return where a stage's artifacts go, relative to the project's root."""
    return f".memory/stage/{sprint_id}/{stage_id}/artifacts"


def artifacts_digest(artifacts: Iterable[Artifact]) -> str:
    """Return the digest over the paths and digests of artifacts, in the order given."""
    return output_digest(artifacts, {})


def output_digest(artifacts: Iterable[Artifact], traced: Mapping[str, str]) -> str:
    """Return the digest over a stage's artifacts and, where it specifies any, the digests of its trace items."""
    items = "".join(f"items of type {name}\0{traced[name]}\n" for name in sorted(traced))
    return digest_text("".join(f"{one.path}\0{one.digest}\n" for one in artifacts) + items)


def drifted(passed: Iterable[Artifact], present: Iterable[Artifact]) -> Iterator[tuple[str, bool]]:
    """Yield the path of each artifact of a pass that is not there now as it was, and whether it is gone."""
    now = {one.path: one.digest for one in present}
    for was in passed:
        if now.get(was.path) != was.digest:
            yield was.path, was.path not in now


# Gaps: criteria that were neither met nor waived when their stage was passed, and the words for them.

_OPEN = frozenset({Verdict.FAIL, Verdict.NOT_EVALUABLE})


def gaps_in(outcomes: Iterable[CriterionOutcome]) -> int:
    """Return how many criteria were not met when a stage was passed; a waived one is no gap."""
    return sum(each.verdict in _OPEN for each in outcomes)


def with_gaps(gaps: int) -> str:
    """Return the words that follow a status or a verb; empty without a gap.

    >>> with_gaps(0), with_gaps(1), with_gaps(3)
    ('', ' with 1 gap', ' with 3 gaps')
    """
    return f" with {gaps} gap{'' if gaps == 1 else 's'}" if gaps else ""


def stage_status(stage: StageState) -> str:
    """Return a stage's status as every screen shows it: `passed with 2 gaps`."""
    return f"{stage.status}{with_gaps(stage.gaps)}"
