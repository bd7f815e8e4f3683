"""Who takes first from what the shares leave over, and what a layer's `max_tokens` caps."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pure.prompt.test_pack import (
    BUDGETS,
    FRAMES,
    SHARES,
    TRIMS,
    careless_trim,
    exact_trim,
    fates,
    never_trim,
    no_frame,
)
from verifflowcc.base.model.entries import Candidate, Fate
from verifflowcc.base.model.layers import CODE, HANDOVER, PRIORITY, TRACE, Layer
from verifflowcc.base.records import replace
from verifflowcc.prompt.rules.fill import FillTurn, LayerQueue, TrimmedBody, turn_of
from verifflowcc.prompt.rules.pack import Packing, pack

KINDS: dict[FillTurn, dict[str, Any]] = {
    FillTurn.RULES: {"always": True, "rule": True},
    FillTurn.ALWAYS: {"always": True},
    FillTurn.IN_FORCE: {"rule": True},
    FillTurn.REST: {},
    FillTurn.EARLIER: {"origin": HANDOVER},
    FillTurn.CODE: {"origin": CODE},
}


def entry(key: str, tokens: int, layer: Layer, turn: FillTurn) -> Candidate:
    plain = Candidate(layer=layer, key=key, path=key, digest="", tokens=tokens, rank=0)
    return replace(plain, **KINDS[turn])


def queue(layer: Layer, *candidates: tuple[str, int, FillTurn], max_tokens: int = 100_000) -> LayerQueue:
    made = tuple(entry(key, tokens, layer, turn) for key, tokens, turn in candidates)
    return LayerQueue(layer, SHARES[layer], max_tokens, made)


def code(*pieces: int) -> LayerQueue:
    return queue(Layer.AGENT, *((f"piece {number}", tokens, FillTurn.CODE) for number, tokens in enumerate(pieces)))


def packed(*queues: LayerQueue, tokens: int) -> Packing:
    return pack(queues, tokens, no_frame, exact_trim)


def kept(packing: Packing) -> set[str]:
    return {key for key, fate in fates(packing).items() if fate == "kept"}


def test_each_kind_of_entry_has_its_turn() -> None:
    for turn in FillTurn:
        assert turn_of(entry("a", 10, Layer.PROJECT, turn)) is turn
    requirement = replace(entry("REQ-A", 10, Layer.SPRINT, FillTurn.REST), origin=TRACE)
    assert turn_of(requirement) is FillTurn.IN_FORCE
    recalled = replace(entry("facts", 10, Layer.PROJECT, FillTurn.RULES), origin="@recall")
    assert turn_of(recalled) is FillTurn.ALWAYS


@pytest.mark.vfcc("REQ-ALLOCATION")
def test_spare_tokens_keep_the_rules_whole_before_code_gets_any() -> None:
    rules = queue(Layer.PROJECT, ("CLAUDE.md", 789, FillTurn.RULES))

    packing = packed(rules, code(*[100] * 80), tokens=7000)

    assert fates(packing)["CLAUDE.md"] == "kept"
    assert len(kept(packing)) == 1 + (7000 - 789) // 100


@pytest.mark.vfcc("REQ-LAYER-CAPS")
def test_max_tokens_cut_no_always_loaded_rule_and_leave_the_others_what_they_allow() -> None:
    facts = [(f"fact {number}", 500, FillTurn.REST) for number in range(20)]
    project = queue(Layer.PROJECT, ("CLAUDE.md", 7179, FillTurn.RULES), *facts, max_tokens=5000)

    packing = packed(project, tokens=50_000)

    assert fates(packing)["CLAUDE.md"] == "kept"
    assert len(kept(packing)) == 1 + 5000 // 500
    assert packing.layers[0].used_tokens == 7179 + 5000


def test_files_that_are_always_loaded_and_no_rules_stay_below_the_cap() -> None:
    packing = packed(queue(Layer.STAGE, ("design.md", 20_000, FillTurn.ALWAYS), max_tokens=15_000), tokens=50_000)
    assert packing.placed[0].tokens == 15_000


def test_decisions_in_force_and_requirements_take_spare_tokens_before_code_and_notes() -> None:
    decision = queue(Layer.PROJECT, ("decision", 600, FillTurn.IN_FORCE), ("fact", 600, FillTurn.REST))
    sprint = queue(Layer.SPRINT, ("context.md", 600, FillTurn.REST))
    requirement = replace(entry("REQ-A", 600, Layer.SPRINT, FillTurn.REST), origin=TRACE)
    sprint = replace(sprint, candidates=(*sprint.candidates, requirement))

    packing = pack([decision, sprint, code(600, 600, 600, 600)], 2000, no_frame, never_trim)

    assert kept(packing) == {"piece 0", "REQ-A", "decision"}


def test_always_loaded_artifacts_take_spare_tokens_before_decisions() -> None:
    stage = queue(Layer.STAGE, ("design.md", 900, FillTurn.ALWAYS))
    decision = queue(Layer.PROJECT, ("decision", 300, FillTurn.IN_FORCE))

    assert kept(pack([decision, stage], 1000, no_frame, never_trim)) == {"design.md"}


def test_code_comes_behind_all_else_and_fills_the_rest() -> None:
    user = queue(Layer.USER, ("me", 90, FillTurn.REST), max_tokens=100)
    stage = queue(Layer.STAGE, ("plan.md", 500, FillTurn.EARLIER))

    packing = pack([user, stage, code(*[100] * 20)], 1300, no_frame, never_trim)

    assert {"me", "plan.md"} < kept(packing)
    assert len(kept(packing)) == 2 + 7


def test_a_rule_takes_no_place_of_a_better_ranked_entry_below_the_cap() -> None:
    """Room goes to rules first; who is below `max_tokens` is for rank to decide."""
    decisions = [(f"decision {number}", 400, FillTurn.IN_FORCE) for number in range(9)]
    project = queue(Layer.PROJECT, ("lesson", 500, FillTurn.REST), *decisions, max_tokens=2000)
    rules = replace(project, candidates=(entry("CLAUDE.md", 900, Layer.PROJECT, FillTurn.RULES), *project.candidates))

    assert kept(packed(rules, tokens=9000)) == {"CLAUDE.md", "lesson", "decision 0", "decision 1", "decision 2"}


def test_an_always_loaded_rule_pushes_out_what_the_share_took_in_instead() -> None:
    project = queue(Layer.PROJECT, ("CLAUDE.md", 500, FillTurn.RULES), ("small", 90, FillTurn.REST))
    stage = queue(Layer.STAGE, ("a.md", 280, FillTurn.REST))

    assert kept(pack([project, stage], 790, no_frame, never_trim)) == {"CLAUDE.md", "a.md"}


def test_a_long_decision_that_is_trimmed_leaves_better_entries_their_place_below_the_cap() -> None:
    facts = [(f"fact {number}", 250, FillTurn.REST) for number in range(4)]
    project = queue(Layer.PROJECT, ("CLAUDE.md", 3900, FillTurn.RULES), *facts, ("decision", 6000, FillTurn.IN_FORCE))

    packing = packed(replace(project, max_tokens=5000), queue(Layer.AGENT), tokens=20_000)

    assert kept(packing) == {"CLAUDE.md", "fact 0", "fact 1", "fact 2", "fact 3"}
    assert packing.placed[-1].tokens == 4000


def test_a_decision_longer_than_half_of_the_cap_is_trimmed_where_it_would_take_the_place_of_others() -> None:
    decisions = [(f"decision {number}", 400, FillTurn.IN_FORCE) for number in range(10)]
    project = queue(Layer.PROJECT, ("long", 4800, FillTurn.IN_FORCE), *decisions)

    packing = packed(replace(project, max_tokens=5000), queue(Layer.AGENT), tokens=20_000)
    alone = packed(
        replace(queue(Layer.PROJECT, ("long", 4800, FillTurn.IN_FORCE)), max_tokens=5000),
        queue(Layer.AGENT),
        tokens=20_000,
    )

    assert sum(name.startswith("decision ") for name in kept(packing)) >= 6
    assert fates(packing)["long"] == "trimmed"
    assert fates(alone) == {"long": "kept"}


def test_an_entry_longer_than_half_of_the_cap_that_cannot_be_trimmed_keeps_its_place() -> None:
    project = queue(Layer.PROJECT, ("first", 52, FillTurn.REST), ("second", 50, FillTurn.REST))

    packing = packed(replace(project, max_tokens=101), queue(Layer.AGENT), tokens=1_000)

    assert kept(packing) == {"first"}


def test_tokens_that_a_shorter_trim_gives_back_go_to_a_rule_first() -> None:
    def stubborn(candidate: Candidate, limit_tokens: int) -> TrimmedBody | None:
        return TrimmedBody("cut", 256, 0) if candidate.key == "a.md" and limit_tokens != 520 else None

    stage = queue(Layer.STAGE, ("a.md", 900, FillTurn.ALWAYS), ("b.md", 500, FillTurn.REST))
    project = queue(Layer.PROJECT, ("CLAUDE.md", 60, FillTurn.RULES))
    sprint = queue(Layer.SPRINT, ("context.md", 230, FillTurn.REST))
    shared = [replace(stage, share=520_000), replace(project, share=20_000), replace(sprint, share=0)]

    assert fates(pack(shared, 540, no_frame, stubborn)) == {
        "a.md": "trimmed",
        "b.md": "dropped",
        "CLAUDE.md": "kept",
        "context.md": "dropped",
    }


QUEUES = st.permutations(PRIORITY).flatmap(
    lambda layers: st.tuples(
        *(
            st.builds(
                lambda share, cap, made, layer=layer: LayerQueue(
                    layer,
                    share,
                    cap,
                    tuple(entry(f"{layer}{n}", tokens, layer, turn) for n, (tokens, turn) in enumerate(made)),
                ),
                st.sampled_from([0, 100_000, 333_333, 500_000]),
                st.sampled_from([0, 50, 700, 2000, 20_000]),
                st.lists(
                    st.tuples(st.one_of(st.integers(0, 60), st.integers(200, 3000)), st.sampled_from(FillTurn)),
                    max_size=8,
                ),
            )
            for layer in layers
        )
    )
)


@settings(deadline=None, max_examples=300)
@given(QUEUES, BUDGETS, FRAMES, TRIMS)
def test_the_laws_of_turns(queues: Sequence[LayerQueue], tokens: int, frame: int, every: int) -> None:
    trim = careless_trim(every)
    packing = pack(queues, tokens, lambda candidate: frame, trim)  # type: ignore[arg-type]
    rules, spare = [], max(0, tokens) - sum(use.used_tokens for use in packing.layers)
    pool = spare

    assert packing == pack(queues, tokens, lambda candidate: frame, trim)  # type: ignore[arg-type]
    assert spare >= 0
    for given_queue, use in zip(queues, packing.layers, strict=True):
        placed = [one for one in packing.placed if one.candidate.layer is use.layer]
        always = [one for one in placed if turn_of(one.candidate) is FillTurn.RULES]
        inside = [one for one in placed if one.outcome is not Fate.DROPPED]
        capped = sum(one.tokens + frame for one in inside if one not in always)
        assert use.used_tokens == sum(one.tokens + frame for one in inside)
        assert capped <= given_queue.max_tokens
        assert sum(one.outcome is Fate.TRIMMED and not one.candidate.short_form for one in placed) <= 1
        rules += [one for one in always if one.outcome is not Fate.KEPT]
        pool += max(0, capped - use.own_tokens)
        for one in placed:
            left = spare if one in always else min(spare, given_queue.max_tokens - capped)
            assert one.outcome is not Fate.DROPPED or one.candidate.tokens + frame > left
    for rule in rules:
        paid = rule.tokens + frame if rule.outcome is Fate.TRIMMED else 0
        assert rule.candidate.tokens + frame > paid + pool, (
            "the shares did not pay for this much, and the rule is not whole"
        )
