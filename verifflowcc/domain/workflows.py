"""A workflow: the stages of a V in their order, each with its leg, its pair, its role and its artifacts."""

from dataclasses import dataclass
from enum import StrEnum


class Leg(StrEnum):
    """A stage's side of the V: it specifies (left), builds (apex) or verifies (right)."""

    LEFT = "left"
    APEX = "apex"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the V.

    `pair` is the stage on the other leg that answers it, or None. `artifacts` are patterns of file names below the
    stage's `artifacts/` folder (`plan.*`; a `*` does not cross a `/`): each must match at least one file that is not
    empty before the stage is left. With no pattern, any one file that is not empty will do.
    """

    id: str
    title: str
    leg: Leg
    pair: str | None
    role: str
    artifacts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Workflow:
    """The stages in order. `digest` is that of the file from which it was read."""

    name: str
    title: str
    stages: tuple[Stage, ...]
    digest: str

    def stage(self, stage_id: str) -> Stage | None:
        """Return the stage of that id, or None."""
        return next((stage for stage in self.stages if stage.id == stage_id), None)

    def after(self, stage_id: str) -> Stage | None:
        """Return the stage that follows, or None after the last."""
        ids = [stage.id for stage in self.stages]
        place = ids.index(stage_id) + 1
        return self.stages[place] if place < len(ids) else None
