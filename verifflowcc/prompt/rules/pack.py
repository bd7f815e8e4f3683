"""Choose what goes into a prompt: each layer within its share, leftovers by priority, every fate with its reason."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from verifflowcc.base.model.entries import Candidate, Fate, LayerUse, PlacedCandidate
from verifflowcc.base.model.layers import PRIORITY, Layer
from verifflowcc.base.records import dataclass, replace
from verifflowcc.prompt.rules.fill import (
    MINIMUM_TRIMMED_TOKENS,
    FillTurn,
    LayerFill,
    LayerOffer,
    LayerQueue,
    Trim,
    TrimmedBody,
    below_cap,
    fill,
    make_offer,
    top_up,
    what_fits,
)

# Split a budget into whole parts in proportion to weights.

K = TypeVar("K")


def allocate(budget: int, weights: Mapping[K, int]) -> dict[K, int]:
    """Split `budget` in proportion to `weights`, by largest remainder; the parts add up to it.

    Equal remainders are served in the order of the mapping, so give it in the order of `layers.PRIORITY`. A weight of
    zero or less gets 0; where no weight is above zero, or the budget is not, every part is 0.

    >>> allocate(100, {"agent": 5, "stage": 3, "project": 1})
    {'agent': 56, 'stage': 33, 'project': 11}
    """
    counted = {key: max(0, weight) for key, weight in weights.items()}
    total = sum(counted.values())
    if total == 0 or budget <= 0:
        return dict.fromkeys(counted, 0)
    parts = {key: budget * weight // total for key, weight in counted.items()}
    left = budget - sum(parts.values())
    by_remainder = sorted(counted, key=lambda key: budget * counted[key] % total, reverse=True)
    for key in by_remainder[:left]:
        parts[key] += 1
    return parts


# Hand out what the shares of the layers leave over: turn by turn, and within a turn layer by layer.


def hand_out(
    offers: Sequence[LayerOffer], first: Sequence[LayerFill], by_priority: Sequence[int], pool: int, trim: Trim
) -> tuple[tuple[LayerFill, ...], int]:
    """Return the layers with their part of `pool`, and what of it is left: less than any dropped entry costs.

    `first` are the layers as filled from their shares. A turn decides who is paid first, never who is below the cap of
    a layer: that is decided by rank, so that a rule takes no place of a better entry.
    """
    final = list(first)
    best = [below_cap(offer) for offer in offers]
    for turn in FillTurn:
        for index in by_priority:
            offer, before = offers[index], final[index]
            if pool > 0 and any(offer.turns[at] is turn for at in _eligible(offer, best[index]) - before.whole):
                final[index] = _extend(offer, before, best[index], pool, turn, trim)
                pool += before.used_tokens - final[index].used_tokens
                # A trimmed entry may be shorter than what it pushed out: that is for the rules first, too.
                pool = _make_whole(offers, final, by_priority, pool, (FillTurn.RULES,))
    # A layer may give some back at a later turn, and its cap may have room that its best entries did not take.
    pool = _make_whole(offers, final, by_priority, pool, tuple(FillTurn))
    return tuple(final), pool


def _make_whole(
    offers: Sequence[LayerOffer],
    final: list[LayerFill],
    by_priority: Sequence[int],
    pool: int,
    turns: Collection[FillTurn],
) -> int:
    """Make every entry of these turns whole that fits into `pool`; return what is left of that."""
    for index in by_priority:
        offer, before = offers[index], final[index]
        places = tuple(at for at in offer.order if offer.turns[at] in turns)
        final[index] = top_up(replace(offer, order=places), before, pool)
        pool += before.used_tokens - final[index].used_tokens
    return pool


def _eligible(offer: LayerOffer, best: LayerFill) -> frozenset[int]:
    short = (at for at, one in enumerate(offer.queue.candidates) if one.short_form)
    return best.whole | best.refused | frozenset(short)


def _extend(offer: LayerOffer, before: LayerFill, best: LayerFill, pool: int, turn: FillTurn, trim: Trim) -> LayerFill:
    """Return `before` with what the entries of `turn` take of `pool` more tokens.

    Always-loaded entries may push out what the share of their own layer took in of later turns. The others leave that
    as it is. A trimmed entry of another turn stays as long as it is, and the layer then trims no second one.
    """
    kept = [one for one in before.cuttings if _is_kept(offer.turns[one.place], turn)]
    held = sum(one.trimmed.tokens + offer.frame_tokens(one.place) for one in kept)
    under_cap = sum(
        one.trimmed.tokens + offer.frame_tokens(one.place)
        for one in kept
        if offer.turns[one.place] is not FillTurn.RULES
    )
    promised = sum(offer.costs[at] for at in best.whole - before.whole if offer.turns[at] > max(turn, FillTurn.ALWAYS))
    cap = max(before.capped_tokens, offer.max_tokens - promised)
    queue = replace(offer.queue, max_tokens=cap - under_cap)
    order = _order(offer, before, _eligible(offer, best), turn)
    if any(not offer.queue.candidates[one.place].short_form for one in kept):
        trim = _of_short_forms(trim)
    limit = before.used_tokens + pool
    filled = fill(replace(offer, queue=queue, order=order), limit - held, trim, summaries=turn >= FillTurn.EARLIER)
    return replace(
        filled,
        limit_tokens=limit,
        used_tokens=filled.used_tokens + held,
        capped_tokens=filled.capped_tokens + under_cap,
        cuttings=(*filled.cuttings, *kept),
    )


def _is_kept(of: FillTurn, turn: FillTurn) -> bool:
    return of < turn or (of > turn > FillTurn.ALWAYS)


def _of_short_forms(trim: Trim) -> Trim:
    return lambda candidate, limit_tokens: trim(candidate, limit_tokens) if candidate.short_form else None


def _order(offer: LayerOffer, before: LayerFill, eligible: frozenset[int], turn: FillTurn) -> tuple[int, ...]:
    """Return the order in which what is in and the entries of `turn` are tried; among the latter rank decides."""
    own = [at for at in offer.order if offer.turns[at] is turn and (at in eligible or at in before.whole)]
    others = [at for at in offer.order if offer.turns[at] is not turn and at in before.whole]
    first = [at for at in others if _is_kept(offer.turns[at], turn)]
    return tuple(dict.fromkeys((*first, *own, *others)))


# Why an entry is in the prompt, cut, or out: one short sentence each, with the numbers.


def explain(
    offer: LayerOffer, first: LayerFill, final: LayerFill, pool: int, gave_up_share: bool
) -> Iterator[PlacedCandidate]:
    """Yield every candidate of a layer, in rank order, with its fate and the reason.

    `first` is the layer filled from its own share, `final` from what others left over too; `pool` is what no layer took
    in the end. `gave_up_share` says that its share went to the agent layer.
    """
    layer = offer.queue.layer
    borrowed = max(0, final.used_tokens - first.limit_tokens)
    out = f" left in the {layer} layer" + ("; its share went to the agent layer" if gave_up_share else "")
    for place, candidate in enumerate(offer.queue.candidates):
        needs = f"{offer.costs[place]:,}"
        left_tokens = offer.room(place, pool, final.capped_tokens)
        if place in final.whole:
            on_leftovers = borrowed and place not in first.whole
            with_what = f" with {_tokens(borrowed)} left over by other layers" if on_leftovers else ""
            yield PlacedCandidate(candidate, Fate.KEPT, max(0, candidate.tokens), f"fits{with_what}")
        elif cutting := final.cutting_of(place):
            trimmed, left = cutting.trimmed, cutting.left_tokens
            done = "summarised in" if trimmed.summary else "trimmed to"
            size = f"{trimmed.tokens:,} of {_tokens(candidate.tokens)}"
            reason = f"{done} {size}: the {layer} layer has {left:,} left"
            yield PlacedCandidate(candidate, Fate.TRIMMED, trimmed.tokens, reason, trimmed.text)
        elif place in final.refused:
            small = f"dropped: below the smallest trim of {MINIMUM_TRIMMED_TOKENS} tokens"
            yield PlacedCandidate(candidate, Fate.DROPPED, 0, f"{small}: needs {needs}, {left_tokens:,}{out}")
        else:
            needed = _tokens(offer.costs[place])
            yield PlacedCandidate(candidate, Fate.DROPPED, 0, f"dropped: needs {needed}, {left_tokens:,}{out}")


def _tokens(number: int) -> str:
    return f"{number:,} token" + ("" if number == 1 else "s")


__all__ = ["LayerQueue", "Packing", "pack"]


@dataclass(frozen=True, slots=True)
class Packing:
    """Every candidate with its fate, layer by layer as given and by rank within, and each layer's account.

    A layer's `budget_tokens` is its share, as far as it may use that, and what it received of the others' leftovers.
    Every dropped entry costs more than what was left for it at the end. `available_tokens` is what was split.
    """

    placed: tuple[PlacedCandidate, ...]
    layers: tuple[LayerUse, ...]
    available_tokens: int = 0


@dataclass(frozen=True, slots=True)
class _Round:
    """One way to share the tokens: first and final fill by layer, and the unused rest."""

    first: tuple[LayerFill, ...]
    final: tuple[LayerFill, ...]
    pool: int


def pack(
    queues: Sequence[LayerQueue],
    available_tokens: int,
    frame: Callable[[Candidate], int],
    trim: Trim,
) -> Packing:
    """Return what fits in `available_tokens`, and why.

    A candidate costs its tokens and `frame(candidate)`, what its heading and fence take. `trim(candidate, limit)`
    returns its body in at most `limit` tokens and at least 256, or None. Each layer is filled by rank from its share;
    what all layers left over then goes to their entries in the turns of `FillTurn`,
    and within a turn to the layers in the order of PRIORITY. All that a layer takes is at most its `max_tokens`,
    without its always-loaded rules.

    So no always-loaded rule is trimmed or dropped while anything is in that the shares of the layers did not pay for.

    Where nothing of the agent layer was kept, the layers of lowest priority give up their shares to it, one by one, and
    live on leftovers. Where even that keeps nothing, they get them back. Nothing is raised, for any numbers.
    """
    offers = [make_offer(queue, frame) for queue in queues]
    available = max(0, available_tokens)
    order = sorted(range(len(offers)), key=lambda index: PRIORITY.index(offers[index].queue.layer))
    shares = {index: max(0, offers[index].queue.share) for index in order}
    trim = _remembering(trim)
    chosen = plain = _share_out(offers, shares, available, trim)
    gave_up: list[int] = []
    agent = next((index for index in order if _is_agent(offers[index])), None)
    for index in reversed(order):
        if agent is None or chosen.final[agent].kept or offers[index].queue.layer is Layer.AGENT:
            break
        if shares[index] == 0:
            continue
        shares[agent], shares[index] = shares[agent] + shares[index], 0
        gave_up.append(index)
        chosen = _share_out(offers, shares, available, trim)
    if agent is not None and not chosen.final[agent].kept:
        chosen, gave_up = plain, []
    return _account(offers, chosen, gave_up, available)


def _is_agent(offer: LayerOffer) -> bool:
    return offer.queue.layer is Layer.AGENT and bool(offer.costs)


def _remembering(trim: Trim) -> Trim:
    known: dict[tuple[int, int], TrimmedBody | None] = {}

    def remembered(candidate: Candidate, limit_tokens: int) -> TrimmedBody | None:
        key = (id(candidate), limit_tokens)
        if key not in known:
            known[key] = trim(candidate, limit_tokens)
        return known[key]

    return remembered


def _share_out(offers: Sequence[LayerOffer], shares: dict[int, int], available: int, trim: Trim) -> _Round:
    """Fill every layer from its share, then hand out what is left over; `shares` is in the order of priority."""
    parts = allocate(available, shares)
    limits = [min(parts[index], offer.most_tokens) for index, offer in enumerate(offers)]
    first = [fill(offer, limit, trim, summaries=False) for offer, limit in zip(offers, limits, strict=True)]
    if not any(_is_agent(offer) and _lacks(offer, filled) for offer, filled in zip(offers, first, strict=True)):
        for index, offer in enumerate(offers):
            if _has_short_forms(offer):
                first[index] = fill(offer, limits[index], trim)
    pool = available - sum(one.used_tokens for one in first)
    final, pool = hand_out(offers, first, tuple(shares), pool, trim)
    return _Round(tuple(first), final, pool)


def _has_short_forms(offer: LayerOffer) -> bool:
    return any(one.short_form for one in offer.queue.candidates)


def _lacks(offer: LayerOffer, filled: LayerFill) -> bool:
    """Whether an always-load entry is not whole; what others leave over must then reach it before any summary."""
    always = {place for place, one in enumerate(offer.queue.candidates) if one.always}
    return not always <= filled.whole


def _account(offers: Sequence[LayerOffer], chosen: _Round, gave_up: Sequence[int], available: int) -> Packing:
    placed: list[PlacedCandidate] = []
    layers: list[LayerUse] = []
    for index, (offer, first, final) in enumerate(zip(offers, chosen.first, chosen.final, strict=True)):
        placed += explain(offer, first, final, chosen.pool, index in gave_up)
        layers.append(
            LayerUse(
                layer=offer.queue.layer,
                budget_tokens=max(first.limit_tokens, final.used_tokens),
                used_tokens=final.used_tokens,
                offered_tokens=sum(offer.costs),
                kept=len(final.whole),
                trimmed=final.kept - len(final.whole),
                dropped=len(offer.costs) - final.kept,
                share=offer.queue.share,
                own_tokens=first.limit_tokens,
                wanted_tokens=_wanted(offer, final, available),
            )
        )
    return Packing(tuple(placed), tuple(layers), available)


def _wanted(offer: LayerOffer, final: LayerFill, available: int) -> int:
    """Return what the layer would use if all that is available were its own; what it has used already is the least."""
    limit = min(offer.most_tokens, available)
    if len(final.whole) == len(offer.costs) or final.limit_tokens >= limit:
        return final.used_tokens
    return max(final.used_tokens, what_fits(offer, limit))
