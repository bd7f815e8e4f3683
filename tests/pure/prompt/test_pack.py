"""Packing: what fits, what is trimmed, what goes, and why."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.entries import Candidate, Fate, PlacedCandidate
from verifflowcc.base.model.layers import PRIORITY, Layer
from verifflowcc.prompt.rules.fill import LayerQueue, TrimmedBody
from verifflowcc.prompt.rules.pack import Packing, pack

SHARES = {Layer.AGENT: 400_000, Layer.STAGE: 300_000, Layer.SPRINT: 200_000, Layer.PROJECT: 100_000, Layer.USER: 0}


def entry(key: str, tokens: int, layer: Layer = Layer.PROJECT, *, always: bool = False) -> Candidate:
    return Candidate(layer=layer, key=key, path=key, digest="", tokens=tokens, rank=0, always=always)


def queue(layer: Layer, *candidates: Candidate, max_tokens: int = 100_000, ends: int = 0) -> LayerQueue:
    return LayerQueue(layer, SHARES[layer], max_tokens, candidates, ends)


def exact_trim(candidate: Candidate, limit_tokens: int) -> TrimmedBody | None:
    return TrimmedBody(f"{candidate.key} cut", limit_tokens, candidate.tokens - limit_tokens)


def never_trim(candidate: Candidate, limit_tokens: int) -> TrimmedBody | None:
    return None


def no_frame(candidate: Candidate) -> int:
    return 0


def packed(*queues: LayerQueue, tokens: int) -> Packing:
    return pack(queues, tokens, no_frame, exact_trim)


def fates(packing: Packing) -> dict[str, str]:
    return {one.candidate.key: one.outcome.value for one in packing.placed}


def reasons(packing: Packing) -> dict[str, str]:
    return {one.candidate.key: one.reason for one in packing.placed}


@pytest.mark.vfcc("REQ-TRIM")
def test_an_entry_too_large_does_not_hide_smaller_ones() -> None:
    small, large = entry("goals.md", 10), entry("log.md", 500)

    packing = packed(queue(Layer.PROJECT, large, small), tokens=100)

    assert fates(packing) == {"log.md": "dropped", "goals.md": "kept"}
    assert reasons(packing) == {"log.md": "dropped: needs 500 tokens, 90 left in the project layer", "goals.md": "fits"}


@pytest.mark.vfcc("REQ-TRIM")
def test_an_entry_that_does_not_fit_is_trimmed_where_256_tokens_of_it_remain() -> None:
    for tokens, fate in [(255, "dropped"), (256, "trimmed")]:
        assert fates(packed(queue(Layer.PROJECT, entry("a", 2040)), tokens=tokens)) == {"a": fate}

    packing = packed(queue(Layer.PROJECT, entry("a", 2040)), tokens=540)

    assert packing.placed[0].text == "a cut"
    assert reasons(packing) == {"a": "trimmed to 540 of 2,040 tokens: the project layer has 540 left"}


def test_the_frame_is_paid_by_whole_and_by_trimmed_entries() -> None:
    both = queue(Layer.PROJECT, entry("a", 300), entry("b", 2000))

    packing = pack([both], 1000, lambda candidate: 40, exact_trim)

    assert [one.tokens for one in packing.placed] == [300, 620]
    assert (packing.layers[0].used_tokens, packing.layers[0].offered_tokens) == (1000, 2380)


def test_an_entry_whose_frame_leaves_too_little_does_not_use_up_the_trim() -> None:
    both = queue(Layer.PROJECT, entry("wide frame", 900), entry("narrow frame", 900))

    packing = pack([both], 400, lambda one: 200 if one.key == "wide frame" else 20, exact_trim)

    assert fates(packing) == {"wide frame": "dropped", "narrow frame": "trimmed"}


def test_one_entry_of_a_layer_is_trimmed_at_most() -> None:
    def half(candidate: Candidate, limit_tokens: int) -> TrimmedBody | None:
        return TrimmedBody("cut", limit_tokens // 2, 0)

    packing = pack([queue(Layer.PROJECT, entry("a", 9000), entry("b", 9000), entry("c", 100))], 2000, no_frame, half)

    assert fates(packing) == {"a": "trimmed", "b": "dropped", "c": "kept"}


def test_a_trimmed_always_load_entry_leaves_room_for_those_behind_it() -> None:
    large, small = entry("CLAUDE.md", 8000, always=True), entry("python.md", 300, always=True)
    huge = entry("huge.md", 7000, always=True)

    packing = packed(queue(Layer.PROJECT, large, small, huge, entry("later", 50)), tokens=5000)

    assert fates(packing) == {"CLAUDE.md": "trimmed", "python.md": "kept", "huge.md": "dropped", "later": "dropped"}
    assert packing.placed[0].tokens == 4700


def test_always_load_entries_come_first_whatever_their_place() -> None:
    packing = packed(queue(Layer.PROJECT, entry("ranked", 80), entry("always", 80, always=True)), tokens=100)
    assert fates(packing) == {"ranked": "dropped", "always": "kept"}


def test_an_entry_that_cannot_be_trimmed_is_dropped_and_says_so() -> None:
    packing = pack([queue(Layer.PROJECT, entry("a", 900), entry("b", 20))], 300, no_frame, never_trim)

    assert reasons(packing) == {
        "a": "dropped: below the smallest trim of 256 tokens: needs 900, 280 left in the project layer",
        "b": "fits",
    }


@pytest.mark.vfcc("REQ-ALLOCATION")
def test_what_a_layer_leaves_over_goes_to_the_others_in_the_order_of_priority() -> None:
    stage = queue(Layer.STAGE, entry("stage", 700, Layer.STAGE))
    sprint = queue(Layer.SPRINT, entry("sprint", 250, Layer.SPRINT))

    packing = packed(sprint, stage, queue(Layer.AGENT), tokens=900)

    assert fates(packing) == {"sprint": "dropped", "stage": "kept"}
    assert reasons(packing)["stage"] == "fits with 400 tokens left over by other layers"


@pytest.mark.vfcc("REQ-ALLOCATION", "REQ-LAYER-CAPS")
def test_a_layer_never_takes_more_than_its_max_tokens() -> None:
    packing = packed(queue(Layer.AGENT, entry("a", 100, Layer.AGENT), max_tokens=99), tokens=50_000)
    assert fates(packing) == {"a": "dropped"}
    assert packing.layers[0].budget_tokens == 99


def test_an_entry_trimmed_for_its_share_becomes_whole_with_leftovers() -> None:
    agent = queue(Layer.AGENT, entry("agent", 1500, Layer.AGENT))

    packing = packed(queue(Layer.STAGE), queue(Layer.PROJECT), agent, tokens=2000)

    assert fates(packing) == {"agent": "kept"}


def test_leftovers_serve_the_better_ranked_entry_first() -> None:
    project = queue(Layer.PROJECT, entry("better", 300), entry("worse", 80))

    packing = packed(project, queue(Layer.AGENT, entry("a", 500, Layer.AGENT)), tokens=830)

    assert fates(packing) == {"better": "kept", "worse": "dropped", "a": "kept"}


def test_leftovers_may_trim_what_the_share_could_only_drop() -> None:
    packing = packed(queue(Layer.PROJECT, entry("p", 3000)), queue(Layer.AGENT), tokens=1000)
    assert reasons(packing) == {"p": "trimmed to 1,000 of 3,000 tokens: the project layer has 1,000 left"}


def test_what_a_layer_gives_back_late_still_reaches_those_before_it() -> None:
    def less_for_more(candidate: Candidate, limit_tokens: int) -> TrimmedBody | None:
        return TrimmedBody("cut", limit_tokens if limit_tokens < 430 else 256, 0)

    agent = queue(Layer.AGENT, entry("a", 560, Layer.AGENT), entry("b", 100, Layer.AGENT))
    stage = queue(Layer.STAGE, entry("log", 9000, Layer.STAGE))

    packing = pack([agent, stage], 1000, no_frame, less_for_more)

    assert fates(packing) == {"a": "kept", "b": "kept", "log": "trimmed"}


def test_an_always_load_and_another_entry_are_not_both_trimmed() -> None:
    def half(candidate: Candidate, limit_tokens: int) -> TrimmedBody | None:
        return TrimmedBody("cut", limit_tokens // 2, 0)

    both = queue(Layer.PROJECT, entry("a", 9000, always=True), entry("b", 9000))

    assert fates(pack([both], 2000, no_frame, half)) == {"a": "trimmed", "b": "dropped"}


def test_a_layer_without_a_share_lives_on_leftovers() -> None:
    packing = packed(queue(Layer.USER, entry("me", 50, Layer.USER), max_tokens=100), tokens=1000)
    assert fates(packing) == {"me": "kept"}


@pytest.mark.vfcc("REQ-SMALL-BUDGET")
def test_with_a_small_budget_the_agent_layer_survives_and_the_project_layer_goes_first() -> None:
    def layers(tokens: int) -> set[str]:
        four = [queue(layer, entry(layer.value, 200, layer)) for layer in reversed(PRIORITY[:4])]
        packing = pack(four, tokens, no_frame, never_trim)
        return {key for key, fate in fates(packing).items() if fate == "kept"}

    assert layers(800) == {"agent", "stage", "sprint", "project"}
    assert layers(799) == {"agent", "stage", "sprint"}
    assert layers(599) == {"agent", "stage"}
    assert layers(399) == {"agent"}
    assert layers(200) == {"agent"}
    assert layers(199) == set()


def test_the_lowest_layers_give_up_their_shares_when_nothing_of_the_agent_layer_fits() -> None:
    agent = queue(Layer.AGENT, entry("agent", 900, Layer.AGENT))
    project = queue(Layer.PROJECT, entry("p", 80))
    stage = queue(Layer.STAGE, entry("s", 90, Layer.STAGE))

    packing = pack([project, stage, agent], 1000, no_frame, never_trim)

    assert fates(packing) == {"p": "dropped", "s": "kept", "agent": "kept"}
    assert reasons(packing)["p"] == (
        "dropped: needs 80 tokens, 10 left in the project layer; its share went to the agent layer"
    )


def test_an_agent_layer_that_cannot_be_saved_costs_the_others_nothing() -> None:
    agent = queue(Layer.AGENT, entry("agent", 9000, Layer.AGENT))
    stage = queue(Layer.STAGE, entry("s", 750, Layer.STAGE))

    packing = pack([queue(Layer.PROJECT, entry("p", 80)), stage, agent], 800, no_frame, never_trim)

    assert fates(packing) == {"p": "kept", "s": "dropped", "agent": "dropped"}


@pytest.mark.vfcc("REQ-HEAD-TAIL")
def test_the_ends_of_a_ranked_list_are_tried_first_and_reported_in_rank_order() -> None:
    ranked = [entry(str(number), 10) for number in range(7)]

    packing = packed(queue(Layer.PROJECT, *ranked, ends=2), tokens=50)

    assert list(fates(packing)) == list("0123456")
    assert [one.candidate.key for one in packing.placed if one.outcome is Fate.KEPT] == ["0", "1", "2", "5", "6"]


def test_thousands_that_do_not_fit_are_trimmed_three_times_at_most_per_fill() -> None:
    calls = []

    def counting(candidate: Candidate, limit_tokens: int) -> TrimmedBody | None:
        calls.append(candidate.key)
        return None

    many = [entry(str(number), 5000, always=number < 50) for number in range(10_000)]
    packing = pack([queue(Layer.PROJECT, *many)], 1000, no_frame, counting)

    assert packing.layers[0].dropped == 10_000
    assert len(calls) <= 3


TOKENS = st.one_of(st.integers(0, 60), st.integers(200, 3000), st.integers(-3, 0))
CANDIDATES = st.lists(st.tuples(TOKENS, st.booleans()), max_size=8)
QUEUES = st.permutations(PRIORITY).flatmap(
    lambda layers: st.tuples(
        *(
            st.builds(
                lambda share, cap, made, ends, layer=layer: LayerQueue(
                    layer,
                    share,
                    cap,
                    tuple(
                        entry(f"{layer}{n}", tokens, layer, always=always) for n, (tokens, always) in enumerate(made)
                    ),
                    ends,
                ),
                st.sampled_from([0, 100_000, 333_333, 500_000]),
                st.sampled_from([0, 50, 700, 2000, 20_000]),
                CANDIDATES,
                st.integers(0, 3),
            )
            for layer in layers
        )
    )
)
FRAMES = st.sampled_from([0, 7, 400])
BUDGETS = st.one_of(st.integers(-5, 300), st.integers(300, 12_000))
TRIMS = st.sampled_from([0, 1, 3, 10])


def careless_trim(every: int) -> object:
    """Return a trim that fails, keeps half, a little less than it may or, against its promise, more than that."""

    def trim(candidate: Candidate, limit_tokens: int) -> TrimmedBody | None:
        if every == 0 or candidate.tokens % 7 == 1:
            return None
        return TrimmedBody("cut", {1: limit_tokens - 1, 3: limit_tokens // 2, 10: limit_tokens + 5}[every], 1)

    return trim


def cost(one: PlacedCandidate, frame: int) -> int:
    return max(0, one.candidate.tokens) + frame


@settings(deadline=None, max_examples=300)
@given(QUEUES, BUDGETS, FRAMES, TRIMS)
def test_the_laws_of_packing(queues: Sequence[LayerQueue], tokens: int, frame: int, every: int) -> None:
    trim = careless_trim(every)
    packing = pack(queues, tokens, lambda candidate: frame, trim)  # type: ignore[arg-type]

    assert packing == pack(queues, tokens, lambda candidate: frame, trim)  # type: ignore[arg-type]
    assert [one.candidate for one in packing.placed] == [one for queue in queues for one in queue.candidates]
    assert sum(use.used_tokens for use in packing.layers) <= max(0, tokens)
    pool = max(0, tokens) - sum(use.used_tokens for use in packing.layers)
    for given_queue, use in zip(queues, packing.layers, strict=True):
        placed = [one for one in packing.placed if one.candidate.layer is use.layer]
        kept = [one for one in placed if one.outcome is not Fate.DROPPED]
        assert use.layer is given_queue.layer
        assert use.used_tokens == sum(one.tokens + frame for one in kept)
        assert use.used_tokens <= use.budget_tokens <= given_queue.max_tokens
        assert use.offered_tokens == sum(cost(one, frame) for one in placed)
        assert use.kept + use.trimmed + use.dropped == len(placed)
        assert use.trimmed <= 1
        left = min(given_queue.max_tokens - use.used_tokens, pool)
        for one in placed:
            assert one.reason
            assert (one.text is None) == (one.outcome is not Fate.TRIMMED)
            assert one.outcome is not Fate.TRIMMED or one.tokens >= 256
            assert one.outcome is not Fate.DROPPED or cost(one, frame) > left


@settings(deadline=None, max_examples=100)
@given(QUEUES, FRAMES)
def test_when_everything_fits_everything_is_whole(queues: Sequence[LayerQueue], frame: int) -> None:
    roomy = [LayerQueue(one.layer, one.share, 100_000, one.candidates, one.head_tail_preserve) for one in queues]

    packing = pack(roomy, 200_000, lambda candidate: frame, exact_trim)

    assert all(one.outcome is Fate.KEPT and one.reason.startswith("fits") for one in packing.placed)


@settings(deadline=None, max_examples=150)
@given(QUEUES, BUDGETS, FRAMES)
def test_the_agent_layer_is_in_whenever_any_of_its_entries_could_be(
    queues: Sequence[LayerQueue], tokens: int, frame: int
) -> None:
    packing = pack(queues, tokens, lambda candidate: frame, never_trim)
    for given_queue, use in zip(queues, packing.layers, strict=True):
        if use.layer is Layer.AGENT and given_queue.candidates:
            cheapest = min(max(0, one.tokens) + frame for one in given_queue.candidates)
            assert use.kept or cheapest > min(given_queue.max_tokens, tokens)


def test_a_long_record_that_is_trimmed_leaves_half_the_room_to_short_ones() -> None:
    short = [entry(f"04{number}-short.md", 200) for number in range(9)]

    packing = pack([LayerQueue(Layer.PROJECT, 1, 1200, (entry("022.md", 5000), *short))], 1200, no_frame, exact_trim)

    assert [placed.tokens for placed in packing.placed[:5]] == [600, 200, 200, 200, 0]


def test_a_long_record_takes_the_whole_room_where_nothing_behind_it_fits() -> None:
    packing = packed(queue(Layer.PROJECT, entry("022.md", 5000), entry("023.md", 4000)), tokens=1200)

    assert [placed.tokens for placed in packing.placed] == [1200, 0]
