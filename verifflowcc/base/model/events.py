"""A sprint's events: the envelope, the types, and what can be wrong with an event file.

How an event becomes bytes and an id is in `formats/events.py`; what the events add up to is in `workflow/fold.py`.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

from verifflowcc.base.model.gate_values import NEWER
from verifflowcc.base.records import dataclass, field

Json: TypeAlias = "bool | int | str | Sequence[Json] | Mapping[str, Json] | None"
"""JSON without fractions: what may stand in an event."""

EVENT_FORMAT = 2
"""The newest `v` that this program reads."""


LARGEST_EVENT_BYTES = 256 * 1024
"""The size of an event's file, or of its line in a pack, above which it is refused."""


class EventType(StrEnum):
    """What happened."""

    SPRINT_STARTED = "sprint_started"
    STAGE_ENTERED = "stage_entered"
    STAGE_PASSED = "stage_passed"
    STAGE_REOPENED = "stage_reopened"
    STAGE_SKIPPED = "stage_skipped"
    EVIDENCE_ADDED = "evidence_added"
    REVIEW_RECORDED = "review_recorded"
    ATTESTED = "attested"
    WAIVED = "waived"
    FEEDBACK_ADDED = "feedback_added"
    SPRINT_CLOSED = "sprint_closed"
    FORK_RESOLVED = "fork_resolved"
    ARTIFACT_PUT = "artifact_put"
    BASELINE_SET = "baseline_set"
    EVIDENCE_REDACTED = "evidence_redacted"
    RUN_OPENED = "run_opened"
    ATTEMPT_STARTED = "attempt_started"
    ATTEMPT_ENDED = "attempt_ended"
    ATTEMPT_MERGED = "attempt_merged"
    RUN_GATE = "run_gate"
    RUN_ASKED = "run_asked"
    RUN_ANSWERED = "run_answered"
    RUN_STOPPED = "run_stopped"
    RUN_CLOSED = "run_closed"


OF_RUNS = frozenset(
    {
        EventType.RUN_OPENED,
        EventType.ATTEMPT_STARTED,
        EventType.ATTEMPT_ENDED,
        EventType.ATTEMPT_MERGED,
        EventType.RUN_GATE,
        EventType.RUN_ASKED,
        EventType.RUN_ANSWERED,
        EventType.RUN_STOPPED,
        EventType.RUN_CLOSED,
    }
)
"""What a driver of agents did; the payload of each names its `run`. They move no sprint."""

_SINCE_V2 = frozenset({EventType.ARTIFACT_PUT, EventType.BASELINE_SET, EventType.EVIDENCE_REDACTED, *OF_RUNS})


def format_of(event_type: EventType, payload: Json) -> int:
    """Return the `v` of an event: that of the format in which its type, or a kind of criterion in it, was added.

    What the first format can say is written as it always was, so that older programs read it; of the rest they say
    that a newer one is needed.
    """
    started = event_type is EventType.SPRINT_STARTED and _asks_newer(payload)
    return 2 if started or event_type in _SINCE_V2 else 1


def _asks_newer(payload: Json) -> bool:
    """Whether the workflow in a payload has a criterion of a kind that version 0.1 does not know."""
    workflow = payload.get("workflow") if isinstance(payload, Mapping) else None
    stages = workflow.get("stages") if isinstance(workflow, Mapping) else None
    for stage in stages if isinstance(stages, list | tuple) else ():
        for side in ("enter", "exit"):
            listed = stage.get(side) if isinstance(stage, Mapping) else None
            for each in listed if isinstance(listed, list | tuple) else ():
                if isinstance(each, Mapping) and each.get("kind") in NEWER:
                    return True
    return False


TRANSITIONS = frozenset(
    {
        EventType.SPRINT_STARTED,
        EventType.STAGE_ENTERED,
        EventType.STAGE_PASSED,
        EventType.STAGE_REOPENED,
        EventType.STAGE_SKIPPED,
        EventType.SPRINT_CLOSED,
        EventType.FORK_RESOLVED,
    }
)
"""Events that move the sprint and so must form a chain, or choose between chains; all others only add, and commute."""


@dataclass(frozen=True, slots=True)
class Event:
    """One immutable event.

    `id` is a ULID made of `time` and of the content. `parents` are the ids of the heads that the writer saw, sorted.
    `actor` is `human:NAME`, `agent:ROLE`, `tool:NAME` or `ci`. `time` is UTC with milliseconds
    (`2026-11-21T03:31:00.123Z`); it informs and orders nothing. Fields of `payload` that this version does not know
    are kept. `v` is that of `format_of`.
    """

    id: str
    parents: tuple[str, ...]
    actor: str
    time: str
    type: EventType
    payload: Mapping[str, Json]
    v: int = 1

    @property
    def moves(self) -> bool:
        """Whether the event is a transition."""
        return self.type in TRANSITIONS


@dataclass(frozen=True, slots=True, order=True)
class LedgerProblem:
    """An event file that vfcc did not write, or whose place in the ledger is impossible.

    `file` is relative to the project's root, with `/`; `reason` is a clause without it; `line` counts in a pack.
    """

    file: str
    reason: str
    line: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class LedgerRead:
    """What a sprint's `events/` held when it was read.

    `events` are the sound ones, `problems` those of the others. `names` are the names of all event files, sorted: while
    they stay the same, no event was added. `packed` maps the id of each event that has no file of its own to the pack
    that holds it, relative to the project's root, and the line.
    """

    sprint: str
    events: tuple[Event, ...]
    problems: tuple[LedgerProblem, ...]
    names: tuple[str, ...]
    packed: Mapping[str, tuple[str, int]] = field(default_factory=dict)
