"""The state of a sprint from its events.

The same events give the same state, in whatever order they are read, on whatever clock they were written. Transitions
must form a chain; where they do not, the state says so as a fork, and stands at the last move that all sides share,
until a choice between the sides is on record.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from verifflowcc.domain.events import Event, EventType, LedgerProblem
from verifflowcc.domain.sprints import Fork, Move, SetAside, SprintState, SprintStatus
from verifflowcc.errors import LedgerError
from verifflowcc.formats import events_payload as fields
from verifflowcc.records import replace
from verifflowcc.text.slug import content_part
from verifflowcc.workflow import moves
from verifflowcc.workflow.chain import Chain, chain
from verifflowcc.workflow.graph import Graph, arrange


def fold(sprint: str, events: Iterable[Event]) -> SprintState:
    """Return what `events` add up to; `sprint` is the id of the sprint whose folder held them.

    An event that cannot stand where it stands (an unknown parent, a move that its past does not allow) changes nothing
    and is told among the state's problems.
    """
    graph = arrange(events)
    line = chain(graph.ordered)
    state, impossible = _walk(SprintState(sprint, sprint), line)
    counts = Counter(str(event.type) for event in graph.ordered)
    fork = _fork(line)
    return replace(
        state,
        status=SprintStatus.FORKED if fork else state.status,
        heads=graph.heads,
        notes=tuple(event for event in graph.ordered if not event.moves),
        counts={kind: counts[kind] for kind in sorted(counts)},
        fork=fork,
        aside=tuple(_set_aside(move, choice) for move, choice in line.aside),
        problems=_problems(sprint, graph, impossible),
    )


def event_file(sprint: str, event_id: str, packed: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the path of the file that holds an event, relative to the project's root.

    `packed` maps the ids of events that have no file of their own to the packs that hold them.
    """
    return packed.get(event_id) or f".memory/sprint/{sprint}/events/{event_id}.json"


def _walk(state: SprintState, line: Chain) -> tuple[SprintState, list[tuple[Event, str]]]:
    impossible = [(event, "it resolves a fork that is not there") for event in line.unfounded]
    for event in line.agreed:
        try:
            state = moves.apply(state, event)
        except LedgerError as error:
            impossible.append((event, f"an impossible move: {error}"))
    return state, impossible


def _problems(sprint: str, graph: Graph, impossible: list[tuple[Event, str]]) -> tuple[LedgerProblem, ...]:
    wrong = [*graph.misplaced, *impossible]
    return tuple(sorted(LedgerProblem(event_file(sprint, event.id), reason) for event, reason in wrong))


def _fork(line: Chain) -> Fork | None:
    if not line.sides:
        return None
    sides = sorted(line.sides, key=lambda side: content_part(side[0].id))
    return Fork(
        tuple(Move(first.id, first.type, move_in_words(first), first.actor, first.time, tips) for first, tips in sides)
    )


def _set_aside(move: Event, choice: Event) -> SetAside:
    reason = fields.optional_text(choice.payload, "reason")
    return SetAside(move.id, move.type, move_in_words(move), move.actor, move.time, choice.id, choice.actor, reason)


def move_in_words(event: Event) -> str:
    """Return the transition in words: `passed planning and entered design`."""
    stage = str(event.payload.get("stage"))
    entered = event.payload.get("entered")
    then = f" and entered {entered}" if entered else ""
    match event.type:
        case EventType.SPRINT_STARTED:
            return f"started the sprint {fields.text(event.payload, 'title')!r}"
        case EventType.SPRINT_CLOSED:
            return "closed the sprint"
        case EventType.STAGE_ENTERED:
            return f"entered {stage}"
        case EventType.STAGE_REOPENED:
            return f"reopened {stage}"
        case EventType.STAGE_SKIPPED:
            return f"skipped {stage}{then}"
        case _:
            return f"passed {stage}{then}"
