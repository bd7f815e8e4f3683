"""Whether a ledger's transitions form a chain, and what a person chose where they do not.

A transition counts at an event if the event's past holds it and no choice there set it aside. A choice (a
`fork_resolved`) keeps one side of a fork and sets the others aside. It moves nothing itself: what is judged is whether
the transitions that count, each with those that counted when it was made, form a chain. So two branches that made the
same choice agree; one that builds on a side which the other set aside brings that side back, and the fork shows again.

The same move, made on two branches after the same moves, is one: both events have the one bit, so that each counts
where the other does. Where a choice names two such moves as sides, they were a fork to the program that wrote it, and
remain two.

Sets of transitions are the bits of one number, so that 10,000 events cost as many small unions.
"""

from collections.abc import Iterator, Mapping, Sequence, Set

from verifflowcc.domain.events import Event, EventType
from verifflowcc.records import dataclass, field
from verifflowcc.workflow.same_move import same_move_key


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
class _Split:
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


def _split(moves: _Moves, counting: int) -> _Split:
    members = tuple(_bits(counting))
    later = [counting] * len(members)
    for place in range(len(members) - 2, -1, -1):
        later[place] = later[place + 1] & moves.counting[members[place + 1]]
    agreed = 0
    while agreed < len(members) and later[agreed] >> members[agreed] & 1:
        agreed += 1
    common = sum(1 << index for index in members[:agreed])
    rest = members[agreed:]
    return _Split(
        members[:agreed], tuple(index for index in rest if moves.counting[index] & counting == common), members
    )


def _side(moves: _Moves, split: _Split, first: int) -> tuple[Event, tuple[str, ...]]:
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
