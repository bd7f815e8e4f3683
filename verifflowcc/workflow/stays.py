"""The stays of a sprint in one of its stages: the event that entered it, and the move that ended it."""

from collections.abc import Iterable

from verifflowcc.domain.events import Event, EventType
from verifflowcc.records import dataclass
from verifflowcc.workflow.chain import chain
from verifflowcc.workflow.graph import arrange


@dataclass(frozen=True, slots=True)
class Stay:
    """One stay in a stage: the event that began it, and the move that ended it (None: the sprint is in it)."""

    entered_by: Event
    ended_by: Event | None

    @property
    def advanced(self) -> bool:
        """Whether an advance ended it, and neither a skip, a return to an earlier stage nor the sprint's close."""
        return self.ended_by is not None and self.ended_by.type is EventType.STAGE_PASSED


def stays_in(stage: str, events: Iterable[Event]) -> tuple[Stay, ...]:
    """Return the stays in `stage`, in order; moves that a resolved fork set aside began and ended none."""
    moves = chain(arrange(events).ordered).agreed
    return tuple(
        Stay(move, after) for move, after in zip(moves, (*moves[1:], None), strict=True) if _enters(move) == stage
    )


def _enters(move: Event) -> object:
    """Return the stage that a move enters; None where it enters none."""
    named = "stage" if move.type in {EventType.STAGE_ENTERED, EventType.STAGE_REOPENED} else "entered"
    return move.payload.get(named)
