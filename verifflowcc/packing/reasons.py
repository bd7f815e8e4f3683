"""Why an entry is in the prompt, cut, or out: one short sentence each, with the numbers."""

from collections.abc import Iterator

from verifflowcc.domain.entries import Fate, Placed
from verifflowcc.packing.fill import Filled, Offer
from verifflowcc.packing.trim import MINIMUM_TRIMMED_TOKENS


def explain(offer: Offer, first: Filled, final: Filled, pool: int, gave_up_share: bool) -> Iterator[Placed]:
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
            yield Placed(candidate, Fate.KEPT, max(0, candidate.tokens), f"fits{with_what}")
        elif cutting := final.cutting_of(place):
            trimmed, left = cutting.trimmed, cutting.left_tokens
            done = "summarised in" if trimmed.summary else "trimmed to"
            size = f"{trimmed.tokens:,} of {_tokens(candidate.tokens)}"
            reason = f"{done} {size}: the {layer} layer has {left:,} left"
            yield Placed(candidate, Fate.TRIMMED, trimmed.tokens, reason, trimmed.text)
        elif place in final.refused:
            small = f"dropped: below the smallest trim of {MINIMUM_TRIMMED_TOKENS} tokens"
            yield Placed(candidate, Fate.DROPPED, 0, f"{small}: needs {needs}, {left_tokens:,}{out}")
        else:
            needed = _tokens(offer.costs[place])
            yield Placed(candidate, Fate.DROPPED, 0, f"dropped: needs {needed}, {left_tokens:,}{out}")


def _tokens(number: int) -> str:
    return f"{number:,} token" + ("" if number == 1 else "s")
