"""Suggested shares: what is given away was not needed, what was followed is followed by nothing, nothing is made up."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.domain.config import SHARE_UNIT
from verifflowcc.domain.entries import Candidate, LayerUse
from verifflowcc.domain.layers import PRIORITY, Layer
from verifflowcc.domain.runs import LayerRun, Run
from verifflowcc.packing.allocate import allocate
from verifflowcc.packing.pack import LayerQueue, pack
from verifflowcc.packing.suggest import FEWEST_RUNS, FLOOR, LayerFindings, Outcome, Suggestion, replay, suggest

pytestmark = pytest.mark.vfcc("REQ-TUNE")

AGENT, STAGE, SPRINT, PROJECT, USER = PRIORITY
CODER = {AGENT: 500_000, STAGE: 300_000, SPRINT: 100_000, PROJECT: 100_000}
BOUNDLESS = dict.fromkeys(PRIORITY, 1 << 40)
Wanted = Mapping[Layer, int]


def run(wanted: Wanted, shares: Mapping[Layer, int], room: int = 10_000, offered: Wanted | None = None) -> Run:
    """A prompt of these shares, of layers whose entries could be cut anywhere."""
    parts = allocate(room, {layer: shares.get(layer, 0) for layer in PRIORITY})
    empty = Run("2026-11-21", "coder", room, room, tuple(LayerRun(each, 0, 0, 0, wanted[each], 0) for each in wanted))
    lacking = replay(empty, shares)
    layers = tuple(
        LayerRun(
            each,
            shares.get(each, 0),
            parts[each],
            wanted[each] - lacking[each],
            wanted[each],
            (offered or wanted).get(each, wanted[each]),
        )
        for each in wanted
    )
    return Run("2026-11-21", "coder", room, room, layers)


def runs(wanted: Wanted, shares: Mapping[Layer, int], many: int = 10) -> list[Run]:
    return [run({layer: wanted.get(layer, 0) for layer in PRIORITY}, shares)] * many


def of(found: Suggestion, layer: Layer) -> LayerFindings:
    return next(one for one in found.layers if one.layer is layer)


def shares_of(found: Suggestion) -> dict[Layer, int]:
    return {one.layer: one.suggested for one in found.layers}


def test_what_one_layer_never_needs_goes_to_those_that_lack_room_in_proportion_to_their_shares() -> None:
    found = suggest(runs({AGENT: 1_000, STAGE: 9_000, SPRINT: 1_000, PROJECT: 9_000}, CODER), CODER, BOUNDLESS)

    assert found.outcome is Outcome.CHANGE
    assert shares_of(found) == {AGENT: 100_000, STAGE: 600_000, SPRINT: 100_000, PROJECT: 200_000, USER: 0}
    assert (of(found, PROJECT).replayed_now, of(found, PROJECT).replayed_then) == (8_000, 7_000)
    assert (of(found, AGENT).wasted, of(found, AGENT).starved) == (10, 0)
    assert (of(found, STAGE).borrowed_tokens, of(found, STAGE).starved) == (4_000, 10)


def test_what_lacks_little_gets_no_more_than_that() -> None:
    found = suggest(runs({AGENT: 1_000, STAGE: 9_000, PROJECT: 1_234}, CODER), CODER, BOUNDLESS)

    assert shares_of(found)[PROJECT] == 130_000, "in whole hundredths, and enough"


def test_a_layer_that_needs_nothing_keeps_the_floor_or_what_it_has() -> None:
    now = {AGENT: 570_000, STAGE: 300_000, SPRINT: 30_000, PROJECT: 100_000}
    found = suggest(runs({STAGE: 9_000, PROJECT: 9_000}, now), now, BOUNDLESS)

    assert found.outcome is Outcome.CHANGE
    assert (shares_of(found)[AGENT], shares_of(found)[SPRINT]) == (FLOOR, 30_000)


def test_nothing_is_suggested_where_no_layer_lacks_room_whatever_is_wasted() -> None:
    found = suggest(runs({AGENT: 100, PROJECT: 3_000}, CODER), CODER, BOUNDLESS)

    assert (found.outcome, of(found, AGENT).wasted) == (Outcome.NOTHING_LACKS, 10)
    assert shares_of(found) == {**CODER, USER: 0}


def test_nothing_is_suggested_where_no_layer_has_anything_to_give() -> None:
    everything = dict.fromkeys(CODER, 10_000)

    assert suggest(runs(everything, CODER), CODER, BOUNDLESS).outcome is Outcome.NOTHING_TO_GIVE


def test_nothing_is_suggested_where_leftovers_go_to_the_one_that_lacks_already() -> None:
    found = suggest(runs({AGENT: 1_000, STAGE: 3_000, SPRINT: 1_000, PROJECT: 9_000}, CODER), CODER, BOUNDLESS)

    assert (found.outcome, of(found, PROJECT).starved) == (Outcome.NO_EFFECT, 10)


def test_too_few_runs_suggest_nothing() -> None:
    starved = {AGENT: 1_000, STAGE: 9_000, PROJECT: 9_000}

    assert suggest([], CODER, BOUNDLESS).outcome is Outcome.TOO_FEW
    assert suggest(runs(starved, CODER, FEWEST_RUNS - 1), CODER, BOUNDLESS).outcome is Outcome.TOO_FEW
    assert suggest(runs(starved, CODER, FEWEST_RUNS), CODER, BOUNDLESS).outcome is Outcome.CHANGE


def test_one_prompt_in_ten_takes_nothing_from_a_layer_and_two_keep_what_they_need() -> None:
    usual, large = {AGENT: 1_000, STAGE: 9_000, PROJECT: 9_000}, {AGENT: 4_000, STAGE: 9_000, PROJECT: 9_000}

    one = suggest([*runs(usual, CODER, 9), *runs(large, CODER, 1)], CODER, BOUNDLESS)
    two = suggest([*runs(usual, CODER, 8), *runs(large, CODER, 2)], CODER, BOUNDLESS)
    assert (shares_of(one)[AGENT], shares_of(two)[AGENT]) == (100_000, 400_000)


def test_a_layer_that_lacks_in_less_than_half_of_the_prompts_gets_nothing() -> None:
    usual, large = {AGENT: 1_000, STAGE: 9_000}, {AGENT: 1_000, STAGE: 9_000, PROJECT: 9_000}

    found = suggest([*runs(usual, CODER, 6), *runs(large, CODER, 4)], CODER, BOUNDLESS)
    assert (found.outcome, of(found, PROJECT).starved) == (Outcome.NOTHING_LACKS, 4)
    half = suggest([*runs(usual, CODER, 4), *runs(large, CODER, 6)], CODER, BOUNDLESS)
    assert shares_of(half)[PROJECT] > 100_000


def test_a_user_layer_without_a_share_gets_none() -> None:
    found = suggest(runs({AGENT: 1_000, STAGE: 9_000, PROJECT: 9_000, USER: 1_000}, CODER), CODER, BOUNDLESS)

    assert (of(found, USER).starved, shares_of(found)[USER]) == (10, 0)
    alone = suggest(runs({AGENT: 9_999, STAGE: 1, USER: 1_000}, CODER), CODER, BOUNDLESS)
    assert (of(alone, USER).starved, alone.outcome) == (10, Outcome.NOTHING_LACKS)


def test_a_layer_without_a_share_gets_one_where_it_lacks_room() -> None:
    shares = {AGENT: 700_000, STAGE: 300_000}

    found = suggest(runs({AGENT: 1_000, STAGE: 9_000, PROJECT: 9_000}, shares), shares, BOUNDLESS)
    assert shares_of(found)[PROJECT] >= FLOOR


def test_a_layer_at_its_cap_is_capped_and_not_starved() -> None:
    wanted = {AGENT: 1_000, STAGE: 0, SPRINT: 0, PROJECT: 900, USER: 0}
    many = [run(wanted, CODER, offered={PROJECT: 50_000})] * 6
    found = suggest(many, CODER, {**BOUNDLESS, PROJECT: 900})

    assert (of(found, PROJECT).capped, of(found, PROJECT).starved, found.outcome) == (6, 0, Outcome.NOTHING_LACKS)
    without = suggest(many, CODER, {**BOUNDLESS, PROJECT: 10_000})
    assert of(without, PROJECT).capped == 0, "the whole room was its limit"


@st.composite
def shares(draw: st.DrawFn) -> dict[Layer, int]:
    weights = {layer: draw(st.integers(0, 100)) for layer in PRIORITY}
    weights[draw(st.sampled_from(PRIORITY))] += 1
    return allocate(SHARE_UNIT, weights)


NEEDS = st.fixed_dictionaries({layer: st.integers(0, 3_000) | st.integers(0, 60_000) for layer in PRIORITY})
LAWS = settings(deadline=None, max_examples=150)
DEMAND = st.lists(st.tuples(NEEDS, st.integers(1, 30_000)), min_size=FEWEST_RUNS, max_size=12)


def packed(demand: Sequence[tuple[Wanted, int]], given_shares: Mapping[Layer, int]) -> list[Run]:
    return [run(wanted_in(wanted, room), given_shares, room) for wanted, room in demand]


def wanted_in(wanted: Wanted, room: int) -> dict[Layer, int]:
    return {layer: min(tokens, room) for layer, tokens in wanted.items()}


@LAWS
@given(DEMAND, shares())
def test_suggested_shares_add_up_to_one_and_no_layer_falls_below_the_floor(
    demand: list[tuple[Wanted, int]], now: dict[Layer, int]
) -> None:
    found = suggest(packed(demand, now), now, BOUNDLESS)

    assert sum(shares_of(found).values()) == SHARE_UNIT
    assert all(one.suggested >= min(one.share, FLOOR) for one in found.layers)
    assert (shares_of(found) != now) is (found.outcome is Outcome.CHANGE)
    assert found == suggest(packed(demand, dict(reversed(now.items()))), dict(reversed(now.items())), BOUNDLESS)


@LAWS
@given(DEMAND, shares())
def test_a_suggestion_that_was_followed_is_followed_by_none(
    demand: list[tuple[Wanted, int]], now: dict[Layer, int]
) -> None:
    then = shares_of(suggest(packed(demand, now), now, BOUNDLESS))
    again = suggest(packed(demand, then), then, BOUNDLESS)

    assert shares_of(again) == then
    assert again.outcome is not Outcome.CHANGE


@LAWS
@given(DEMAND, shares())
def test_no_more_is_lacking_in_any_prompt_and_what_gives_needs_it_in_one_of_ten_at_most(
    demand: list[tuple[Wanted, int]], now: dict[Layer, int]
) -> None:
    found = suggest(packed(demand, now), now, BOUNDLESS)
    then = shares_of(found)

    for before, after in zip(packed(demand, now), packed(demand, then), strict=True):
        assert sum(one.lacking_tokens for one in after.layers) <= sum(one.lacking_tokens for one in before.layers)
    for layer in (each for each in PRIORITY if then[each] < now[each]):
        short = sum(wanted_in(wanted, room)[layer] * SHARE_UNIT > then[layer] * room for wanted, room in demand)
        assert short * 10 <= len(demand)
    if found.outcome is Outcome.CHANGE:
        assert any(one.replayed_then < one.replayed_now or one.starved < len(demand) for one in found.layers)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(10, 200), max_size=40), st.integers(1_000, 9_000), st.integers(0, 9_000))
def test_what_a_layer_wants_is_what_it_holds_once_all_the_room_is_its_own(
    sizes: list[int], room: int, most: int
) -> None:
    """Entries too small to be trimmed; beside them a layer that uses all of its own share."""
    entries = tuple(Candidate(PROJECT, f"{index}", f"{index}", "", size, 0) for index, size in enumerate(sizes))

    def use(share: int) -> LayerUse:
        rest = allocate(room, {STAGE: SHARE_UNIT - share, PROJECT: share})[STAGE]
        other = LayerQueue(STAGE, SHARE_UNIT - share, room, (Candidate(STAGE, "a", "a", "", rest, 0),))
        found = pack([LayerQueue(PROJECT, share, most, entries), other], room, lambda _: 0, lambda *_: None)
        assert found.available_tokens == room
        return found.layers[0]

    some, everything = use(100_000), use(SHARE_UNIT)
    assert (everything.own_tokens, everything.share) == (min(room, most), SHARE_UNIT)
    assert some.own_tokens == min(allocate(room, {STAGE: 9, PROJECT: 1})[PROJECT], most)
    assert everything.wanted_tokens == everything.used_tokens
    assert some.wanted_tokens == max(some.used_tokens, everything.used_tokens)


def test_an_entry_that_could_be_trimmed_is_wanted_up_to_the_room_or_the_cap() -> None:
    large = Candidate(PROJECT, "a", "a", "", 5_000, 0)
    other = LayerQueue(STAGE, 900_000, 9_000, (Candidate(STAGE, "b", "b", "", 1_800, 0),))

    def wanted(most: int) -> tuple[int, int]:
        use = pack([LayerQueue(PROJECT, 100_000, most, (large,)), other], 2_000, lambda _: 0, lambda *_: None).layers[0]
        return use.used_tokens, use.wanted_tokens

    assert wanted(9_000) == (0, 2_000)
    assert wanted(700) == (0, 700)
    assert wanted(200) == (0, 0), "its share gives it as much as it may have"
    alone = LayerQueue(PROJECT, SHARE_UNIT, 700, (large,))
    use = pack([alone], 2_000, lambda _: 0, lambda *_: None).layers[0]
    assert use.wanted_tokens == 0, "it had all that it may have, and could not be trimmed to that"


def test_what_others_left_over_is_none_of_a_layers_own() -> None:
    entry = Candidate(PROJECT, "a", "a", "", 900, 0)
    use = pack([LayerQueue(PROJECT, 100_000, 9_000, (entry,))], 1_000, lambda _: 0, lambda *_: None).layers[0]
    assert (use.own_tokens, use.used_tokens) == (1_000, 900), "shares of one layer alone are all there is"

    both = [LayerQueue(PROJECT, 100_000, 9_000, (entry,)), LayerQueue(STAGE, 900_000, 9_000, ())]
    use = pack(both, 1_000, lambda _: 0, lambda *_: None).layers[0]
    assert (use.share, use.own_tokens, use.used_tokens, use.wanted_tokens) == (100_000, 100, 900, 900)
