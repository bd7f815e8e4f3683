"""A workflow: the stages of a V in their order, each with its leg, its pair, its role and the criteria of its gates."""

from collections.abc import Iterable
from enum import StrEnum

from verifflowcc.domain.gates import Criterion, Kind, Mode
from verifflowcc.domain.trace_defaults import DEFAULT_POLICY
from verifflowcc.domain.trace_policy import TracePolicy
from verifflowcc.records import dataclass


class Leg(StrEnum):
    """A stage's side of the V: it specifies (left), builds (apex) or verifies (right)."""

    LEFT = "left"
    APEX = "apex"
    RIGHT = "right"


class Edits(StrEnum):
    """What may be edited outside of `.memory/` while a stage is in work."""

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
            _criterion_id(pattern), Kind.ARTIFACT, f"{pattern} is there and says something", mode, files=(pattern,)
        )
        for pattern in patterns
    )
    return found or (Criterion(ANY_ARTIFACT, Kind.ARTIFACT, "any file that says something", mode, files=("**",)),)


UPSTREAM = "upstream"


def upstream_criterion(mode: Mode) -> Criterion:
    """Return the criterion that the exit of every stage but the first has."""
    return Criterion(UPSTREAM, Kind.UPSTREAM, "the stages before still hold", mode)


def asks_nothing(stage: Stage) -> bool:
    """Whether nothing of the stage's own is asked before it is left: such a gate would be open whatever was done."""
    own = [each for each in stage.exit if each.kind is not Kind.UPSTREAM]
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
