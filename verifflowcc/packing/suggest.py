"""Suggest a role's shares from the prompts that were compiled with those that it has.

Only what a layer did not need in nine of ten prompts is given away, and only to layers that lacked room in half of them
or more. Both are told from what layers wanted, which does not depend on the shares: so a suggestion that was followed
is followed by none.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from verifflowcc.domain.config import SHARE_UNIT
from verifflowcc.domain.layers import PRIORITY, Layer
from verifflowcc.domain.runs import LayerRun, Run
from verifflowcc.packing.allocate import allocate
from verifflowcc.records import dataclass

FEWEST_RUNS = 5
STEP = SHARE_UNIT // 100
"""Shares move by whole hundredths."""
FLOOR = 5 * STEP
"""No layer gives away so much that less than this is left to it."""
WASTED_PERCENT = 75
"""A layer wastes of its share where it uses less than this part of it."""
OFTEN_PERCENT, NEARLY_ALWAYS_PERCENT = 50, 90
FELT_PERCENT = 1
"""A suggestion must give a layer that lacks room at least so much more of the room; else nothing would change."""

Shares = Mapping[Layer, int]


class Outcome(StrEnum):
    """What is suggested, and why not, where it is nothing."""

    CHANGE = "change"
    TOO_FEW = "too_few_runs"
    NOTHING_LACKS = "nothing_lacks"
    NOTHING_TO_GIVE = "nothing_to_give"
    NO_EFFECT = "no_effect"


@dataclass(frozen=True, slots=True)
class LayerFindings:
    """A layer over the runs: medians in tokens (the lower of two), and in how many runs something was so.

    `own_tokens` is what its share gave it. It was starved where it dropped or trimmed what would have fitted a larger
    share, and wasted where it used less than three quarters of its share. `capped` runs offered more than `max_tokens`
    lets in, whatever its share. `lacking_tokens` is what it lacked; `replayed_now` and `replayed_then` are the same as
    far as shares decide it, with those of now and those suggested.
    """

    layer: Layer
    share: int
    own_tokens: int
    """Median of the tokens of its share."""
    used_tokens: int
    borrowed_tokens: int
    """Median of the tokens from others' leftovers."""
    starved: int
    """In how many prompts it lacked room."""
    wasted: int
    """In how many prompts it used less than three quarters of its share."""
    capped: int
    """In how many prompts `max_tokens` kept content out."""
    lacking_tokens: int
    """Median of what was dropped or trimmed and a larger share would hold."""
    suggested: int
    """The same as `share` if nothing is suggested."""
    replayed_now: int
    """Median of what it would lack with its share."""
    replayed_then: int
    """Median of what it would lack with the suggested share."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What the runs say. Shares that are `suggested` add up to as much as those of now, also where nothing changes."""

    outcome: Outcome
    layers: tuple[LayerFindings, ...]


def suggest(runs: Sequence[Run], shares: Shares, max_tokens: Mapping[Layer, int]) -> Suggestion:
    """Return what is suggested in the place of `shares` (millionths), from runs of one role that had them.

    `max_tokens` are the caps of the layers. Parts move by hundredths, from layers that have more than nine of ten runs
    wanted of them, down to `FLOOR` at the lowest, to those that have less than half of the runs wanted; they never make
    up more than that. A user layer without a share lives on leftovers by a rule of its own and gets none.
    """
    now: Shares = {layer: shares.get(layer, 0) for layer in PRIORITY}
    then, outcome = now, Outcome.TOO_FEW
    if len(runs) >= FEWEST_RUNS:
        then, outcome = _decide(runs, now)
    found = tuple(_findings(runs, layer, now, then, max_tokens) for layer in PRIORITY)
    return Suggestion(outcome, found)


def replay(run: Run, shares: Shares) -> dict[Layer, int]:
    """Return what each layer would have lacked in a run with these shares, if its entries could be cut anywhere.

    Each layer takes from its own part first; then, in the order of PRIORITY, from what all of them left over: as much
    as it used in the run, since rules come before all else there, and only then more.
    """
    wanted = {one.layer: one.wanted_tokens for one in run.layers}
    had = {one.layer: one.used_tokens for one in run.layers}
    order = [layer for layer in PRIORITY if layer in wanted]
    parts = allocate(run.room_tokens, {layer: shares.get(layer, 0) for layer in order})
    used = {layer: min(wanted[layer], parts[layer]) for layer in order}
    pool = run.room_tokens - sum(used.values())
    for most in (had, wanted):
        for layer in order:
            more = min(max(0, most[layer] - used[layer]), pool)
            used[layer], pool = used[layer] + more, pool - more
    return {layer: wanted[layer] - used[layer] for layer in order}


def _decide(runs: Sequence[Run], now: Shares) -> tuple[Shares, Outcome]:
    may_have = [layer for layer in PRIORITY if now[layer] or layer is not Layer.USER]
    starved = [layer for layer in may_have if 2 * _starved(runs, layer) >= len(runs)]
    if not starved:
        return now, Outcome.NOTHING_LACKS
    spare = {layer: _spare(runs, layer, now[layer]) for layer in PRIORITY}
    lacked = {layer: _lacked(runs, layer, now[layer]) for layer in may_have}
    if not any(spare.values()):
        return now, Outcome.NOTHING_TO_GIVE
    moved = min(sum(spare.values()), sum(lacked.values()))
    gives = allocate(moved, spare)
    gets = _dealt(moved, lacked, {layer: max(FLOOR, now[layer]) for layer in may_have})
    then = {layer: now[layer] + (gets.get(layer, 0) - gives[layer]) * STEP for layer in PRIORITY}
    return (then, Outcome.CHANGE) if _is_felt(runs, starved, now, then) else (now, Outcome.NO_EFFECT)


def _spare(runs: Sequence[Run], layer: Layer, share: int) -> int:
    """How many hundredths a layer can give away."""
    needs = _quantile((_wanted_part(run, layer) for run in runs), NEARLY_ALWAYS_PERCENT)
    return max(0, share - max(needs, FLOOR)) // STEP


def _lacked(runs: Sequence[Run], layer: Layer, share: int) -> int:
    """How many hundredths a layer could use beside its share."""
    needs = _quantile((_wanted_part(run, layer) for run in runs), OFTEN_PERCENT)
    return -(-max(0, needs - share) // STEP)


def _wanted_part(run: Run, layer: Layer) -> int:
    """What a layer wanted of a run's room, in millionths, rounded up."""
    wanted = sum(one.wanted_tokens for one in run.layers if one.layer is layer)
    return min(SHARE_UNIT, -(-wanted * SHARE_UNIT // run.room_tokens))


def _dealt(moved: int, lacked: Mapping[Layer, int], weights: Shares) -> dict[Layer, int]:
    """Deal `moved` out in proportion to the weights, to none more than it lacked; together they lacked as much."""
    got = dict.fromkeys(lacked, 0)
    while moved:
        parts = allocate(moved, {layer: weights[layer] for layer in lacked if got[layer] < lacked[layer]})
        for layer, part in parts.items():
            taken = min(part, lacked[layer] - got[layer])
            got[layer], moved = got[layer] + taken, moved - taken
    return got


def _is_felt(runs: Sequence[Run], starved: Sequence[Layer], now: Shares, then: Shares) -> bool:
    less: dict[Layer, int] = dict.fromkeys(starved, 0)
    for run in runs:
        before, after = replay(run, now), replay(run, then)
        for layer in starved:
            less[layer] += before.get(layer, 0) - after.get(layer, 0)
    return max(less.values()) * 100 >= sum(run.room_tokens for run in runs) * FELT_PERCENT


def _findings(
    runs: Sequence[Run], layer: Layer, now: Shares, then: Shares, max_tokens: Mapping[Layer, int]
) -> LayerFindings:
    pairs = [(run, one) for run in runs for one in run.layers if one.layer is layer]
    seen = [one for _, one in pairs]
    return LayerFindings(
        layer=layer,
        share=now[layer],
        own_tokens=_median(one.own_tokens for one in seen),
        used_tokens=_median(one.used_tokens for one in seen),
        borrowed_tokens=_median(one.borrowed_tokens for one in seen),
        starved=_starved(runs, layer),
        wasted=sum(_is_wasted(run, one) for run, one in pairs),
        capped=sum(_is_capped(run, one, max_tokens.get(layer)) for run, one in pairs),
        lacking_tokens=_median(one.lacking_tokens for one in seen),
        suggested=then[layer],
        replayed_now=_median(replay(run, now)[layer] for run, _ in pairs),
        replayed_then=_median(replay(run, then)[layer] for run, _ in pairs),
    )


def _starved(runs: Sequence[Run], layer: Layer) -> int:
    return sum(one.lacking_tokens > 0 for run in runs for one in run.layers if one.layer is layer)


def _is_wasted(run: Run, one: LayerRun) -> bool:
    return one.used_tokens * 100 * SHARE_UNIT < one.share * run.room_tokens * WASTED_PERCENT


def _is_capped(run: Run, one: LayerRun, most: int | None) -> bool:
    return most is not None and most < run.room_tokens and one.offered_tokens > max(most, one.wanted_tokens)


def _median(values: Iterable[int]) -> int:
    return _quantile(values, OFTEN_PERCENT)


def _quantile(values: Iterable[int], percent: int) -> int:
    """Return the least of the values that `percent` of them do not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[-(-len(ordered) * percent // 100) - 1] if ordered else 0
