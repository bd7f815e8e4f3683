"""Fill one layer: greedily by rank, trimming at most one entry, and with summaries where entries have a short form."""

from collections.abc import Callable, Collection, Iterator, Sequence
from enum import IntEnum

from verifflowcc.base.model.entries import Candidate
from verifflowcc.base.model.layers import CODE, TRACE, Layer
from verifflowcc.base.records import dataclass, replace

# What the shares of the layers leave over is given out in turns, the most important entries first.


class FillTurn(IntEnum):
    """The turns, first to last; within each, layers follow one another in the order of PRIORITY.

    `RULES` are always-loaded files that a person wrote as rules, and no `max_tokens` caps them. `ALWAYS` are other
    always-loaded entries. `IN_FORCE` are decisions, conventions, guidelines and constraints in force, and requirements.
    `REST` is all else, but for artifacts of earlier stages (`EARLIER`) and `CODE`, which fills what nothing else needs.
    """

    RULES = 0
    ALWAYS = 1
    IN_FORCE = 2
    REST = 3
    EARLIER = 4
    CODE = 5


def turn_of(candidate: Candidate) -> FillTurn:
    """Return the turn at which a candidate takes from what is left over."""
    if candidate.origin == CODE:
        return FillTurn.CODE
    if candidate.always:
        return FillTurn.RULES if candidate.rule and not candidate.origin else FillTurn.ALWAYS
    if candidate.rule or candidate.origin == TRACE:
        return FillTurn.IN_FORCE
    return FillTurn.EARLIER if candidate.short_form else FillTurn.REST


SUMMARY_TOKENS = 128
"""What a trimmed entry leaves, as far as there is room, for the summary of each entry behind it with a short form."""

LEAST_SUMMARY_TOKENS = 64
"""With less room than this, the frame around a summary would cost as much as what it says."""

MINIMUM_TRIMMED_TOKENS = 256
"""Less than this of an entry is not worth its place."""


@dataclass(frozen=True, slots=True)
class TrimmedBody:
    """A trimmed body, its tokens (the mark included), and how many tokens of the entry it leaves out.

    `summary` says that it is the short form: pieces from all of the text, in place of its beginning.
    """

    text: str
    tokens: int
    left_out_tokens: int
    summary: bool = False


Trim = Callable[[Candidate, int], TrimmedBody | None]
"""Cuts a candidate's body to at most so many tokens, or says that it cannot."""


@dataclass(frozen=True, slots=True)
class LayerQueue:
    """What one layer offers, in rank order, and what it may take.

    `share` is in millionths of the budget; `max_tokens` caps all but the always-loaded rules of the layer, whatever its
    share and the leftovers of others. With `head_tail_preserve` N the first and the last N of those that are not
    always-load are tried before the rest.
    """

    layer: Layer
    share: int
    max_tokens: int
    candidates: tuple[Candidate, ...]
    head_tail_preserve: int = 0


@dataclass(frozen=True, slots=True)
class LayerOffer:
    """A queue made ready: the candidates' costs, their frames included, their turns, and the order of trying."""

    queue: LayerQueue
    costs: tuple[int, ...]
    turns: tuple[FillTurn, ...]
    order: tuple[int, ...]

    @property
    def max_tokens(self) -> int:
        """The cap of all but the always-loaded rules, never below zero."""
        return max(0, self.queue.max_tokens)

    @property
    def most_tokens(self) -> int:
        """The most that the layer can take, its always-loaded rules included."""
        return self.max_tokens + sum(cost for cost, turn in zip(self.costs, self.turns, strict=True) if not turn)

    def room(self, place: int, left: int, capped_tokens: int) -> int:
        """Return what of `left` is open to the candidate at `place`, where those under the cap have `capped_tokens`."""
        return left if self.turns[place] is FillTurn.RULES else min(left, self.max_tokens - capped_tokens)

    def frame_tokens(self, place: int) -> int:
        """Return what the frame around the candidate at `place` costs."""
        return self.costs[place] - max(0, self.queue.candidates[place].tokens)


@dataclass(frozen=True, slots=True)
class TrimmedEntry:
    """A trimmed entry of a layer: its place in the queue, and the tokens that were left when its turn came."""

    place: int
    trimmed: TrimmedBody
    left_tokens: int


@dataclass(frozen=True, slots=True)
class LayerFill:
    """A layer filled up to `limit_tokens`: the places of entries kept whole, the trimmed ones, those that could not be.

    `used_tokens` includes frames; `capped_tokens` are those of them that count against the layer's cap.
    """

    limit_tokens: int
    used_tokens: int
    capped_tokens: int
    whole: frozenset[int]
    cuttings: tuple[TrimmedEntry, ...] = ()
    refused: frozenset[int] = frozenset()

    @property
    def kept(self) -> int:
        """How many entries are in, whole or trimmed."""
        return len(self.whole) + len(self.cuttings)

    def cutting_of(self, place: int) -> TrimmedEntry | None:
        """Return how the entry at `place` was trimmed, or None."""
        return next((one for one in self.cuttings if one.place == place), None)


class _Account:
    """What a layer has taken of a limit, in all and under its cap."""

    def __init__(self, offer: LayerOffer, limit_tokens: int) -> None:
        self._offer, self.left, self.capped_tokens = offer, limit_tokens, 0

    def room(self, place: int) -> int:
        return self._offer.room(place, self.left, self.capped_tokens)

    def pay(self, place: int, tokens: int) -> None:
        self.left -= tokens
        self.capped_tokens += 0 if self._offer.turns[place] is FillTurn.RULES else tokens


def make_offer(queue: LayerQueue, frame: Callable[[Candidate], int]) -> LayerOffer:
    """Return the queue with each candidate's cost; always-load entries are tried first, rules before the others."""
    costs = tuple(max(0, one.tokens) + max(0, frame(one)) for one in queue.candidates)
    turns = tuple(map(turn_of, queue.candidates))
    always = [place for place, one in enumerate(queue.candidates) if one.always]
    ranked = [place for place, one in enumerate(queue.candidates) if not one.always]
    ends = max(0, queue.head_tail_preserve)
    if 0 < ends < len(ranked) - ends:
        ranked = ranked[:ends] + ranked[-ends:] + ranked[ends:-ends]
    return LayerOffer(queue, costs, turns, tuple(sorted(always, key=turns.__getitem__) + ranked))


def fill(offer: LayerOffer, limit_tokens: int, trim: Trim | None, *, summaries: bool = True) -> LayerFill:
    """Return what of `offer` goes into `limit_tokens`.

    An entry that does not fit hides no smaller one. At most one is trimmed: the first always-load entry that does not
    fit, else the best-ranked other one, because a second would cut what the first has already filled up. `trim` is
    called at most three times, so that thousands of entries that do not fit cost no reading. A trimmed always-load
    entry leaves room for the always-load entries behind it, where it can be trimmed so far; another one leaves up to
    half of the room for the whole entries behind it, since one long record would else hide several short ones; so does
    an entry that takes more than half of the layer's cap, even where it fits, unless it cannot be trimmed. Entries that
    have a short form and are not in by then share what is left for their summaries, where `summaries` says so. Without
    `trim` the first entry that might be trimmed is refused.
    """
    account, whole, cutting = _Account(offer, limit_tokens), set[int](), None
    tried = dict[bool, int]()
    for turn, place in enumerate(offer.order):
        cost, always, room = offer.costs[place], offer.queue.candidates[place].always, account.room(place)
        may_cut = cutting is None and always not in tried and _trimmable(offer, place, min(room, cost))
        cut = None
        if may_cut and (cost > room or _hides_others(offer, turn, room)):
            tried[always] = place
            if trim is None:
                continue
            cut = _cut(offer, turn, room, trim)
        if cut is not None:
            cutting = cut
            account.pay(place, cut.trimmed.tokens + offer.frame_tokens(place))
        elif cost <= room:
            whole.add(place)
            account.pay(place, cost)
    short = tuple(_summaries(offer, whole, cutting, account, trim)) if summaries and trim else ()
    cuttings = (*([cutting] if cutting else []), *short)
    refused = frozenset(tried.values()) - {one.place for one in cuttings} - whole
    used = limit_tokens - account.left
    return LayerFill(limit_tokens, used, account.capped_tokens, frozenset(whole), cuttings, refused)


def _summaries(
    offer: LayerOffer, whole: Collection[int], cutting: TrimmedEntry | None, account: _Account, trim: Trim
) -> Iterator[TrimmedEntry]:
    """Yield a summary for each entry that has one and is not in; each may take an equal part of what is left."""
    out = [place for place in offer.order if place not in whole and _has_short_form(offer, place)]
    waiting = [place for place in out if cutting is None or place != cutting.place]
    for turn, place in enumerate(waiting):
        frame = offer.frame_tokens(place)
        limit = account.room(place) // (len(waiting) - turn) - frame
        trimmed = trim(offer.queue.candidates[place], limit) if limit >= LEAST_SUMMARY_TOKENS else None
        if trimmed is not None and trimmed.tokens <= limit:
            account.pay(place, trimmed.tokens + frame)
            yield TrimmedEntry(place, trimmed, limit + frame)


def _has_short_form(offer: LayerOffer, place: int) -> bool:
    return offer.queue.candidates[place].short_form


def top_up(offer: LayerOffer, filled: LayerFill, room: int) -> LayerFill:
    """Return `filled` with every entry made whole that fits into `room` more tokens, in the order of trying."""
    whole, cuttings = set(filled.whole), {one.place: one for one in filled.cuttings}
    account = _Account(offer, room)
    account.capped_tokens = filled.capped_tokens
    for place in offer.order:
        if place in whole:
            continue
        cutting = cuttings.get(place)
        paid = cutting.trimmed.tokens + offer.frame_tokens(place) if cutting else 0
        more = offer.costs[place] - paid
        if more <= account.room(place):
            whole.add(place)
            account.pay(place, more)
            cuttings.pop(place, None)
    return replace(
        filled,
        used_tokens=filled.used_tokens + room - account.left,
        capped_tokens=account.capped_tokens,
        whole=frozenset(whole),
        cuttings=tuple(cuttings.values()),
        refused=filled.refused - whole,
    )


def below_cap(offer: LayerOffer) -> LayerFill:
    """Return the layer filled by rank where its cap alone is the limit; `refused` are those that might be trimmed."""
    return fill(offer, max(0, sum(offer.costs)), None)


def what_fits(offer: LayerOffer, limit_tokens: int) -> int:
    """Return how many of `limit_tokens` the queue takes, whole entries best first, the rest where one can be trimmed.

    Nothing is read or trimmed for it, so an entry counts as one that can be.
    """
    account, trims = _Account(offer, limit_tokens), set[int]()
    for place in offer.order:
        if offer.costs[place] <= account.room(place):
            account.pay(place, offer.costs[place])
        elif _trimmable(offer, place, account.room(place)):
            trims.add(place)
    return limit_tokens - account.left + max(map(account.room, trims), default=0)


def _hides_others(offer: LayerOffer, turn: int, room: int) -> bool:
    """Return whether an entry would take more than half of what its layer may hold, and so the place of others."""
    place = offer.order[turn]
    if offer.turns[place] not in (FillTurn.IN_FORCE, FillTurn.REST) or 2 * offer.costs[place] <= offer.max_tokens:
        return False
    return offer.costs[place] > room - _half_behind(offer, offer.order[turn + 1 :], room)


def _trimmable(offer: LayerOffer, place: int, room: int) -> bool:
    return room - offer.frame_tokens(place) >= MINIMUM_TRIMMED_TOKENS


def _cut(offer: LayerOffer, turn: int, room: int, trim: Trim) -> TrimmedEntry | None:
    place = offer.order[turn]
    candidate, frame = offer.queue.candidates[place], offer.frame_tokens(place)
    behind = offer.order[turn + 1 :]
    reserve = _always_behind(offer, place, behind, room) if candidate.always else _half_behind(offer, behind, room)
    for limit in dict.fromkeys((room - frame - reserve, room - frame)):
        trimmed = trim(candidate, limit) if limit >= MINIMUM_TRIMMED_TOKENS else None
        if trimmed is not None and MINIMUM_TRIMMED_TOKENS <= trimmed.tokens <= limit:
            return TrimmedEntry(place, trimmed, limit + frame)
    return None


def _always_behind(offer: LayerOffer, place: int, behind: Sequence[int], room: int) -> int:
    """What the always-load entries behind cost that fit; for others a rule is not cut shorter."""
    of_its_kind = (at for at in behind if offer.queue.candidates[at].always and offer.turns[at] is offer.turns[place])
    return sum(offer.costs[at] for at in of_its_kind if offer.costs[at] <= room)


def _half_behind(offer: LayerOffer, places: Sequence[int], room: int) -> int:
    """What the entries behind, taken as they come, would use of half the room."""
    left = room // 2
    for place in places:
        if offer.costs[place] <= left:
            left -= offer.costs[place]
        elif _has_short_form(offer, place):
            left -= min(left, SUMMARY_TOKENS + offer.frame_tokens(place))
    return room // 2 - left
