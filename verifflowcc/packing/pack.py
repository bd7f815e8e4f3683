"""Choose what goes into a prompt: each layer within its share, leftovers by priority, every fate with its reason."""

from collections.abc import Callable, Sequence

from verifflowcc.domain.entries import Candidate, LayerUse, Placed
from verifflowcc.domain.layers import PRIORITY, Layer
from verifflowcc.packing.allocate import allocate
from verifflowcc.packing.fill import Filled, LayerQueue, Offer, Trim, fill, make_offer, what_fits
from verifflowcc.packing.leftovers import hand_out
from verifflowcc.packing.reasons import explain
from verifflowcc.packing.trim import Trimmed
from verifflowcc.records import dataclass

__all__ = ["LayerQueue", "Packing", "pack"]


@dataclass(frozen=True, slots=True)
class Packing:
    """Every candidate with its fate, layer by layer as given and by rank within, and each layer's account.

    A layer's `budget_tokens` is its share, as far as it may use that, and what it received of the others' leftovers.
    Every dropped entry costs more than what was left for it at the end. `available_tokens` is what was split.
    """

    placed: tuple[Placed, ...]
    layers: tuple[LayerUse, ...]
    available_tokens: int = 0


@dataclass(frozen=True, slots=True)
class _Round:
    """One way to share the tokens out: what each layer held from its own share, and in the end; what nobody used."""

    first: tuple[Filled, ...]
    final: tuple[Filled, ...]
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
    what all layers left over then goes to their entries in the turns of `Turn`, and within a turn to the layers in the
    order of PRIORITY. All that a layer takes is at most its `max_tokens`, without its always-loaded rules.

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


def _is_agent(offer: Offer) -> bool:
    return offer.queue.layer is Layer.AGENT and bool(offer.costs)


def _remembering(trim: Trim) -> Trim:
    known: dict[tuple[int, int], Trimmed | None] = {}

    def remembered(candidate: Candidate, limit_tokens: int) -> Trimmed | None:
        key = (id(candidate), limit_tokens)
        if key not in known:
            known[key] = trim(candidate, limit_tokens)
        return known[key]

    return remembered


def _share_out(offers: Sequence[Offer], shares: dict[int, int], available: int, trim: Trim) -> _Round:
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


def _has_short_forms(offer: Offer) -> bool:
    return any(one.short_form for one in offer.queue.candidates)


def _lacks(offer: Offer, filled: Filled) -> bool:
    """Whether an always-load entry is not whole; what others leave over must then reach it before any summary."""
    always = {place for place, one in enumerate(offer.queue.candidates) if one.always}
    return not always <= filled.whole


def _account(offers: Sequence[Offer], chosen: _Round, gave_up: Sequence[int], available: int) -> Packing:
    placed: list[Placed] = []
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


def _wanted(offer: Offer, final: Filled, available: int) -> int:
    """Return what the layer would use if all that is available were its own; what it has used already is the least."""
    limit = min(offer.most_tokens, available)
    if len(final.whole) == len(offer.costs) or final.limit_tokens >= limit:
        return final.used_tokens
    return max(final.used_tokens, what_fits(offer, limit))
