"""Hand out what the shares of the layers leave over: turn by turn, and within a turn layer by layer."""

from collections.abc import Collection, Sequence

from verifflowcc.packing.fill import Cutting, Filled, Offer, Trim, below_cap, fill, top_up
from verifflowcc.packing.turns import Turn
from verifflowcc.records import replace


def hand_out(
    offers: Sequence[Offer], first: Sequence[Filled], by_priority: Sequence[int], pool: int, trim: Trim
) -> tuple[tuple[Filled, ...], int]:
    """Return the layers with their part of `pool`, and what of it is left: less than any dropped entry costs.

    `first` are the layers as filled from their shares. A turn decides who is paid first, never who is below the cap of
    a layer: that is decided by rank, so that a rule takes no place of a better entry.
    """
    final = list(first)
    best = [below_cap(offer) for offer in offers]
    for turn in Turn:
        for index in by_priority:
            offer, before = offers[index], final[index]
            if pool > 0 and any(offer.turns[at] is turn for at in _eligible(offer, best[index]) - before.whole):
                final[index] = _extend(offer, before, best[index], pool, turn, trim)
                pool += before.used_tokens - final[index].used_tokens
                # A trimmed entry may be shorter than what it pushed out: that is for the rules first, too.
                pool = _make_whole(offers, final, by_priority, pool, (Turn.RULES,))
    # A layer may give some back at a later turn, and its cap may have room that its best entries did not take.
    pool = _make_whole(offers, final, by_priority, pool, tuple(Turn))
    return tuple(final), pool


def _make_whole(
    offers: Sequence[Offer], final: list[Filled], by_priority: Sequence[int], pool: int, turns: Collection[Turn]
) -> int:
    """Make every entry of these turns whole that fits into `pool`; return what is left of that."""
    for index in by_priority:
        offer, before = offers[index], final[index]
        places = tuple(at for at in offer.order if offer.turns[at] in turns)
        final[index] = top_up(replace(offer, order=places), before, pool)
        pool += before.used_tokens - final[index].used_tokens
    return pool


def _eligible(offer: Offer, best: Filled) -> frozenset[int]:
    short = (at for at, one in enumerate(offer.queue.candidates) if one.short_form)
    return best.whole | best.refused | frozenset(short)


def _extend(offer: Offer, before: Filled, best: Filled, pool: int, turn: Turn, trim: Trim) -> Filled:
    """Return `before` with what the entries up to `turn` take of `pool` more tokens.

    Always-loaded entries may push out what the share of their own layer took in. The others leave that as it is, and
    what the share holds of entries whose turn comes later, too.
    """
    later = () if turn <= Turn.ALWAYS else tuple(one for one in before.cuttings if offer.turns[one.place] > turn)
    held = sum(one.trimmed.tokens + offer.frame_tokens(one.place) for one in later)
    promised = sum(offer.costs[at] for at in best.whole - before.whole if offer.turns[at] > max(turn, Turn.ALWAYS))
    limit = before.used_tokens + pool
    cap = max(before.capped_tokens, offer.max_tokens - promised)
    queue = replace(offer.queue, max_tokens=cap - held)
    order = _order(offer, before, _eligible(offer, best), turn, later)
    filled = fill(replace(offer, queue=queue, order=order), limit - held, trim, summaries=turn >= Turn.EARLIER)
    return replace(
        filled,
        limit_tokens=limit,
        used_tokens=filled.used_tokens + held,
        capped_tokens=filled.capped_tokens + held,
        cuttings=(*filled.cuttings, *later),
    )


def _order(
    offer: Offer, before: Filled, eligible: frozenset[int], turn: Turn, later: Sequence[Cutting]
) -> tuple[int, ...]:
    """Return the order in which the entries up to `turn` are tried.

    Conditional entries come behind all that is in whole already, but for those of their own turn: there rank decides.
    """
    apart = {one.place for one in later}
    open_to = [at for at in offer.order if at in eligible and offer.turns[at] <= turn and at not in apart]
    open_to.sort(key=offer.turns.__getitem__)
    if turn <= Turn.ALWAYS:
        return tuple(dict.fromkeys((*open_to, *(at for at in offer.order if at in before.whole))))
    whole = [at for at in offer.order if at in before.whole and offer.turns[at] is not turn]
    return tuple(dict.fromkeys((*whole, *open_to)))
