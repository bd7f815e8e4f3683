"""Hand out what the shares of the layers leave over: turn by turn, and within a turn layer by layer."""

from collections.abc import Collection, Sequence

from verifflowcc.packing.fill import Filled, Offer, Trim, below_cap, fill, top_up
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
    """Return `before` with what the entries of `turn` take of `pool` more tokens.

    Always-loaded entries may push out what the share of their own layer took in of later turns. The others leave that
    as it is. A trimmed entry of another turn stays as long as it is, and the layer then trims no second one.
    """
    kept = [one for one in before.cuttings if _is_kept(offer.turns[one.place], turn)]
    held = sum(one.trimmed.tokens + offer.frame_tokens(one.place) for one in kept)
    under_cap = sum(
        one.trimmed.tokens + offer.frame_tokens(one.place) for one in kept if offer.turns[one.place] is not Turn.RULES
    )
    promised = sum(offer.costs[at] for at in best.whole - before.whole if offer.turns[at] > max(turn, Turn.ALWAYS))
    cap = max(before.capped_tokens, offer.max_tokens - promised)
    queue = replace(offer.queue, max_tokens=cap - under_cap)
    order = _order(offer, before, _eligible(offer, best), turn)
    if any(not offer.queue.candidates[one.place].short_form for one in kept):
        trim = _of_short_forms(trim)
    limit = before.used_tokens + pool
    filled = fill(replace(offer, queue=queue, order=order), limit - held, trim, summaries=turn >= Turn.EARLIER)
    return replace(
        filled,
        limit_tokens=limit,
        used_tokens=filled.used_tokens + held,
        capped_tokens=filled.capped_tokens + under_cap,
        cuttings=(*filled.cuttings, *kept),
    )


def _is_kept(of: Turn, turn: Turn) -> bool:
    return of < turn or (of > turn > Turn.ALWAYS)


def _of_short_forms(trim: Trim) -> Trim:
    return lambda candidate, limit_tokens: trim(candidate, limit_tokens) if candidate.short_form else None


def _order(offer: Offer, before: Filled, eligible: frozenset[int], turn: Turn) -> tuple[int, ...]:
    """Return the order in which what is in and the entries of `turn` are tried; among the latter rank decides."""
    own = [at for at in offer.order if offer.turns[at] is turn and (at in eligible or at in before.whole)]
    others = [at for at in offer.order if offer.turns[at] is not turn and at in before.whole]
    first = [at for at in others if _is_kept(offer.turns[at], turn)]
    return tuple(dict.fromkeys((*first, *own, *others)))
