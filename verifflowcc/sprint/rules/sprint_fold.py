"""The state of a sprint from its events.

The same events give the same state, in whatever order they are read, on whatever clock they were written. Transitions
must form a chain; where they do not, the state says so as a fork, and stands at the last move that all sides share,
until a choice between the sides is on record.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from types import MappingProxyType

from verifflowcc.base.errors import LedgerError
from verifflowcc.base.formats import event_payloads as fields
from verifflowcc.base.formats.event_bytes import events_digest
from verifflowcc.base.model.events import Event, EventType, Json, LedgerProblem
from verifflowcc.base.model.people import is_named_person
from verifflowcc.base.model.sprint_state import DONE, DiscardedMove, Fork, Move, SprintLine, SprintState, SprintStatus
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.base.text.canonical import canonical
from verifflowcc.base.text.identifiers import content_part
from verifflowcc.sprint.rules import stage_moves as moves

# When two moves that were made apart from each other are one move.

_STARTED = ("sprint", "title", "goals", "workflow", "entered", "base", "carried", "rules")
_COMPARED: Mapping[EventType, tuple[str, ...]] = {
    EventType.SPRINT_STARTED: _STARTED,
    EventType.STAGE_ENTERED: ("stage",),
    EventType.STAGE_PASSED: ("stage", "entered", "traced", "uses"),
    EventType.STAGE_REOPENED: ("stage", "reason"),
    EventType.STAGE_SKIPPED: ("stage", "entered", "expires", "reason"),
    EventType.SPRINT_CLOSED: ("title", "learnings", "unfinished"),
}
"""The type, the stage, the target and the digests of what a move is about.

Who made it, when, with which evidence and on which commit does not matter. The reason of a person who reopened or
skipped a stage does: with one of two reasons, the other one would be lost.
"""


def same_move_key(event: Event) -> bytes | None:
    """Return what two moves that saw the same moves before them have in common where they are one.

    None for a choice between the sides of a fork, which is never another one's. A gate's criteria count with verdict
    and subject: the same stage passed on other content, or with a waiver in place of a result, is another move.
    """
    names = _COMPARED.get(event.type)
    if names is None:
        return None
    found: dict[str, Json] = {name: event.payload.get(name) for name in names}
    found["artifacts"] = _of_each(event.payload.get("artifacts"), ("path", "digest"))
    found["gate"] = _of_each(event.payload.get("gate"), ("criterion", "verdict", "subject"))
    return canonical([str(event.type), found])


def _of_each(records: Json, names: Iterable[str]) -> list[Json]:
    listed = records if isinstance(records, list | tuple) else ()
    return [[each.get(name) for name in names] for each in listed if isinstance(each, Mapping)]


# Whether a ledger's transitions form a chain, and what a person chose where they do not.
#
# A transition counts at an event if the event's past holds it and no choice there set it aside. A choice (a
# `fork_resolved`) keeps one side of a fork and sets the others aside. It moves nothing itself: what is judged is
# whether the transitions that count, each with those that counted when it was made, form a chain. So two branches that
# made the same choice agree; one that builds on a side which the other set aside brings that side back, and the fork
# shows again.
#
# The same move, made on two branches after the same moves, is one: both events have the one bit, so that each counts
# where the other does. Where a choice names two such moves as sides, they were a fork to the program that wrote it,
# and remain two.
#
# Sets of transitions are the bits of one number, so that 10,000 events cost as many small unions.


@dataclass(frozen=True, slots=True)
class Chain:
    """The transitions that all sides share, in order, and, under a fork, each side: its first move and its tips.

    `aside` are the transitions that a choice set aside, in order, each with that choice. `unfounded` are choices whose
    past holds no fork between just those sides: vfcc did not write them.
    """

    agreed: tuple[Event, ...]
    sides: tuple[tuple[Event, tuple[str, ...]], ...]
    aside: tuple[tuple[Event, Event], ...] = ()
    unfounded: tuple[Event, ...] = ()


@dataclass(slots=True)
class _Moves:
    """Transitions and choices by number, parents first, as far as they were read.

    `past` are all in an event's past, choices too; `counting` the transitions that counted when it was made.
    """

    events: list[Event] = field(default_factory=list)
    past: list[int] = field(default_factory=list)
    counting: list[int] = field(default_factory=list)
    choices: int = 0
    same: dict[tuple[bytes, int], list[int]] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)

    def number(self, event: Event, counting: int, sides: Mapping[str, Set[str]]) -> int | None:
        """Return the number of the earlier move that an event is, too; None where there is none."""
        key = same_move_key(event)
        if key is None:
            return None
        apart = sides.get(event.id, frozenset())
        known = self.same.setdefault((key, counting), [])
        found = next((each for each in known if apart.isdisjoint(self._ids(each) if apart else ())), None)
        if found is None:
            known.append(len(self.events))
        return found

    def _ids(self, number: int) -> Iterator[str]:
        return (name for name, each in self.names.items() if each == number)


@dataclass(frozen=True, slots=True)
class _ForkPoint:
    """Of the transitions that count: how many first ones are in one line with all, and the first of each side."""

    agreed: tuple[int, ...]
    firsts: tuple[int, ...]
    members: tuple[int, ...]


def chain(ordered: Sequence[Event]) -> Chain:
    """Return the transitions up to the first two that count and of which neither counted when the other was made."""
    moves, everything, unfounded = _read(ordered)
    counting = _counting(moves, everything)
    split = _split(moves, counting)
    return Chain(
        tuple(moves.events[index] for index in split.agreed),
        tuple(_side(moves, split, first) for first in split.firsts),
        _aside(moves, counting),
        tuple(unfounded),
    )


def _read(ordered: Sequence[Event]) -> tuple[_Moves, int, list[Event]]:
    """Return the moves, all of them as bits, and the unfounded choices."""
    moves, unfounded, everything = _Moves(), [], 0
    seen: dict[str, int] = {}
    sides = _named_apart(ordered)
    for event in ordered:
        past = 0
        for parent in event.parents:
            past |= seen[parent]
        if event.moves:
            counting = _counting(moves, past)
            if event.type is EventType.FORK_RESOLVED:
                kept = _kept(moves, counting, event)
                if kept is None:
                    unfounded.append(event)
                    seen[event.id] = past
                    continue
                counting = kept
                moves.choices |= 1 << len(moves.events)
            number = moves.number(event, counting, sides)
            if number is None:
                number = len(moves.events)
                moves.events.append(event)
                moves.past.append(past)
                moves.counting.append(counting)
            moves.names[event.id] = number
            everything |= 1 << number
            past |= 1 << number | moves.past[number]
        seen[event.id] = past
    return moves, everything, unfounded


def _named_apart(ordered: Sequence[Event]) -> dict[str, set[str]]:
    """Return the id of each move that a choice names → the others that it names as sides of the same fork."""
    apart: dict[str, set[str]] = {}
    for event in ordered:
        if event.type is EventType.FORK_RESOLVED:
            named = set(_sides_named(event))
            for name in named:
                apart.setdefault(name, set()).update(named - {name})
    return apart


def _sides_named(choice: Event) -> list[str]:
    """Return the ids that a choice names: the one that it keeps first."""
    keep, aside = choice.payload["keep"], choice.payload["aside"]
    assert isinstance(keep, str)
    assert isinstance(aside, Sequence)
    return [keep, *map(str, aside)]


def _counting(moves: _Moves, past: int) -> int:
    """Return the transitions that count where these moves lie in the past: those of its latest moves, together."""
    if not moves.choices & past:
        return past
    found, rest = 0, past
    while rest:
        latest = rest.bit_length() - 1
        own = 1 << latest
        found |= moves.counting[latest] | own
        rest &= ~(moves.past[latest] | own)
    return found & ~moves.choices


def _kept(moves: _Moves, counting: int, choice: Event) -> int | None:
    """Return what counts after a choice, or None where its sides are not those of the fork that it saw."""
    split = _split(moves, counting)
    named = [moves.names.get(each, -1) for each in _sides_named(choice)]
    if sorted(named) != sorted(split.firsts) or len(named) < 2:
        return None
    keep = named[0]
    kept = sum(1 << index for index in split.agreed)
    for index in split.members:
        if index == keep or moves.counting[index] >> keep & 1:
            kept |= 1 << index
    return kept


def _split(moves: _Moves, counting: int) -> _ForkPoint:
    members = tuple(_bits(counting))
    later = [counting] * len(members)
    for place in range(len(members) - 2, -1, -1):
        later[place] = later[place + 1] & moves.counting[members[place + 1]]
    agreed = 0
    while agreed < len(members) and later[agreed] >> members[agreed] & 1:
        agreed += 1
    common = sum(1 << index for index in members[:agreed])
    rest = members[agreed:]
    return _ForkPoint(
        members[:agreed], tuple(index for index in rest if moves.counting[index] & counting == common), members
    )


def _side(moves: _Moves, split: _ForkPoint, first: int) -> tuple[Event, tuple[str, ...]]:
    rest = split.members[len(split.agreed) :]
    inner = 0
    for index in rest:
        inner |= moves.counting[index]
    tips = [
        moves.events[index].id
        for index in rest
        if not inner >> index & 1 and (index == first or moves.counting[index] >> first & 1)
    ]
    return moves.events[first], tuple(sorted(tips))


def _aside(moves: _Moves, counting: int) -> tuple[tuple[Event, Event], ...]:
    """Return each transition that does not count, with the first choice after it under which it does not."""
    every = (1 << len(moves.events)) - 1
    found = []
    for index in _bits(every & ~counting & ~moves.choices):
        choice = next(
            one for one in _bits(moves.choices) if moves.past[one] >> index & 1 and not moves.counting[one] >> index & 1
        )
        found.append((moves.events[index], moves.events[choice]))
    return tuple(found)


def _bits(number: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, from the lowest."""
    place = 0
    for word in number.to_bytes((number.bit_length() + 7) // 8, "little"):
        if word:
            yield from (place + bit for bit in range(8) if word >> bit & 1)
        place += 8


# What closing a sprint leaves behind: its last event, which alone tells its state, and its learnings.

GAPS = "gaps"
"""The key of a closing event that counts gaps; events of version 0.1 have none, and their gaps are in the passes."""


def closed_line(sprint: str, last: Event, ids: Sequence[str]) -> SprintLine | None:
    """Return a closed sprint as a list shows it, from its closing event and the ids of all its events.

    None where `last` does not close the sprint, or closed it over other events than there are now: then all of them
    have to be read.
    """
    if last.type is not EventType.SPRINT_CLOSED:
        return None
    before = [each for each in ids if each != last.id]
    record = last.payload["ledger"]
    if not isinstance(record, dict) or record != {"events": len(before), "digest": events_digest(before)}:
        return None
    stages = fields.records(last.payload, "stages")
    done = sum(fields.text(stage, "status") in DONE for stage in stages)
    gaps = fields.number(last.payload, GAPS) if GAPS in last.payload else 0
    title = fields.text(last.payload, "title")
    return SprintLine(sprint, title, SprintStatus.CLOSED, None, done, len(stages), gaps=gaps)


def learnings_block(title: str, learnings: str) -> str:
    """Return the section that holds a sprint's learnings, with one newline at its end."""
    return f"## Learnings — {title}\n\n{learnings.strip()}\n"


def with_block(text: str, block: str) -> str:
    """Return `text` with `block` as its last section, or unchanged where it holds exactly that section already.

    >>> with_block("a\\n", "## B\\n") == with_block(with_block("a\\n", "## B\\n"), "## B\\n") == "a\\n\\n## B\\n"
    True
    """
    if not text.strip():
        return block
    if f"\n{block}\n" in f"\n{text.rstrip()}\n\n":
        return text
    return f"{text.rstrip()}\n\n{block}"


# The graph of a ledger's events: its order, its heads, and what cannot be placed in it.
#
# Whether its transitions form a chain is in `chain.py`. The clock orders nothing. Parents come before children; where
# that leaves a choice, the content part of the id decides.

LOST_PARENT = "is missing or broken"
"""How the reason ends why an event has no place whose past is not there."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Events in order, and those that cannot be placed.

    `ordered` holds every event whose whole past is there. `heads` are the ids that no event of `ordered` names as a
    parent, sorted. `misplaced` are events with no place of their own, each with the reason; what builds on them is in
    neither.
    """

    ordered: tuple[Event, ...]
    heads: tuple[str, ...]
    misplaced: tuple[tuple[Event, str], ...]


def arrange(events: Iterable[Event]) -> Graph:
    """Return the graph of `events`; the order in which they are given does not matter."""
    known = {event.id: event for event in events}
    misplaced = [(event, reason) for event in known.values() if (reason := _misfit(event, known))]
    ordered = _in_order(known, {event.id for event, _ in misplaced})
    inner = {parent for event in ordered for parent in event.parents}
    heads = tuple(sorted(event.id for event in ordered if event.id not in inner))
    return Graph(tuple(ordered), heads, tuple(sorted(misplaced, key=lambda pair: pair[0].id)))


def _misfit(event: Event, known: Mapping[str, Event]) -> str | None:
    first = event.type is EventType.SPRINT_STARTED
    if first and event.parents:
        return "a sprint_started has no parents"
    if not first and not event.parents:
        return f"a {event.type} needs parents"
    missing = [parent for parent in event.parents if parent not in known]
    return f"its parent {missing[0]} {LOST_PARENT}" if missing else None


def _in_order(known: Mapping[str, Event], without: set[str]) -> list[Event]:
    waiting = {name: len(event.parents) for name, event in known.items()}
    children: dict[str, list[str]] = {name: [] for name in known}
    for name, event in known.items():
        for parent in event.parents:
            children.setdefault(parent, []).append(name)
    ready = [(content_part(name), name) for name, count in waiting.items() if not count and name not in without]
    heapq.heapify(ready)
    ordered = []
    while ready:
        _, name = heapq.heappop(ready)
        ordered.append(known[name])
        for child in children[name]:
            waiting[child] -= 1
            if not waiting[child] and child not in without:
                heapq.heappush(ready, (content_part(child), child))
    return ordered


# The day by which a sprint judges what ends: that of the clock, and no earlier than its ledger shows.


def ledger_day(events: Sequence[Event], today: str) -> str:
    """Return `today`, or the day of the newest event where the clock was set back behind it.

    An event that is ahead of the clock by mistake would end all waivers for good, so it no longer counts once a person
    has written an event after it with an earlier time: who may do that may also waive again.
    """
    ahead = [event for event in events if event.time[:10] > today]
    if not ahead:
        return today
    corrected = corrected_later(events)
    return max([today, *(event.time[:10] for event in ahead if event.id not in corrected)])


def corrected_later(events: Sequence[Event]) -> frozenset[str]:
    """Return the ids of the events that come before an event of a person whose time is earlier than theirs."""
    earliest: dict[str, str] = {}
    found = set[str]()
    for event in reversed(arrange(events).ordered):
        after = earliest.get(event.id, "")
        if after and after < event.time:
            found.add(event.id)
        known = [each for each in (after, event.time if is_named_person(event.actor) else "") if each]
        for parent in event.parents if known else ():
            earliest[parent] = min([*known, earliest.get(parent, known[0])])
    return frozenset(found)


def fold(sprint: str, events: Iterable[Event]) -> SprintState:
    """Return what `events` add up to; `sprint` is the id of the sprint whose folder held them.

    An event that cannot be where it is (an unknown parent, a move that its past does not allow) changes nothing
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
        set_aside=tuple(_set_aside(move, choice) for move, choice in line.aside),
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


def _set_aside(move: Event, choice: Event) -> DiscardedMove:
    reason = fields.optional_text(choice.payload, "reason")
    return DiscardedMove(
        move.id, move.type, move_in_words(move), move.actor, move.time, choice.id, choice.actor, reason
    )


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
