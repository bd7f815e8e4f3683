"""How much an item still counts: bounded, less with time, longer where it is used, and never for what people wrote."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.item_values import TYPES, Item, Source, SourceKind, Status, Uses, is_trace_type
from verifflowcc.memory.rules.lifetimes import FADED, GRACE_DAYS, has_ended, has_faded, idle_days, strength, why_faded

TODAY = date(2026, 11, 21)
FOUND = Source(SourceKind.EXTRACTED, "agent:coder")
FACT = Item("a", "fact", "A", "a.md", "project", 500, 800, source=FOUND, created="2026-11-21")
DAYS = st.integers(0, 2_000).map(lambda days: (TODAY - timedelta(days=days)).isoformat())
ITEMS = st.builds(
    replace,
    st.just(FACT),
    type=st.sampled_from(sorted(TYPES)),
    importance=st.integers(0, 1000),
    created=st.none() | DAYS,
    status=st.sampled_from(Status),
    source=st.builds(Source, st.sampled_from(SourceKind), st.sampled_from(["human:You", "agent:coder", "tool:x"])),
    uses=st.builds(Uses, st.integers(0, 40), st.none() | DAYS),
)


def after(days: int, item: Item = FACT) -> int:
    return strength(replace(item, created=(TODAY - timedelta(days=days)).isoformat()), TODAY.isoformat())


def test_an_item_counts_for_half_after_half_of_its_time_and_for_a_quarter_after_all_of_it() -> None:
    assert [after(days) for days in (0, 91, 182, 273, 364)] == [500, 375, 250, 187, 125]


@pytest.mark.vfcc("REQ-DECAY")
def test_what_is_used_keeps_its_worth_longer() -> None:
    used = replace(FACT, uses=Uses(3, None))
    lately = replace(FACT, created="2025-12-21", uses=Uses(1, "2026-11-20"))

    assert after(182) == 250 < after(182, used) == 333
    assert strength(lately, TODAY.isoformat()) > after(335)
    assert [after(182, replace(FACT, uses=Uses(count))) for count in (0, 1, 3, 7, 15, 10_000)] == [
        *(250, 300, 333, 357, 375, 375)
    ]


@given(item=ITEMS, days=st.integers(0, 900), more=st.integers(1, 30), life=st.none() | st.integers(1, 1_000))
@settings(deadline=None, max_examples=300)
def test_it_is_bounded_never_grows_with_time_and_never_falls_with_use(
    item: Item, days: int, more: int, life: int | None
) -> None:
    ttl = {item.type: life}
    day, later = TODAY.isoformat(), (TODAY + timedelta(days=days)).isoformat()

    now = strength(item, day, ttl)

    assert 0 <= now <= item.importance
    assert strength(item, later, ttl) <= now
    assert strength(replace(item, uses=Uses(item.uses.count + more, day)), day, ttl) >= now
    assert strength(replace(item, uses=replace(item.uses, count=item.uses.count + more)), later, ttl) >= strength(
        item, later, ttl
    )


@given(item=ITEMS)
@settings(deadline=None, max_examples=300)
def test_only_what_was_found_by_machines_and_runs_out_fades(item: Item) -> None:
    day = TODAY.isoformat()
    if not has_faded(item, day):
        return
    assert item.source.kind in (SourceKind.EXTRACTED, SourceKind.INFERRED)
    assert not item.source.actor.startswith("human")
    assert item.status is Status.ACTIVE
    assert item.type not in ("decision", "convention")
    assert not is_trace_type(item.type)
    assert TYPES[item.type].ttl_days is not None
    assert strength(item, day) < FADED
    assert (idle_days(item, day) or 0) >= GRACE_DAYS


def test_nothing_fades_in_its_first_days_however_little_it_counts() -> None:
    small = replace(FACT, importance=10)

    assert not has_faded(replace(small, created="2026-10-23"), "2026-11-21")
    assert has_faded(replace(small, created="2026-10-22"), "2026-11-21")
    assert not has_faded(replace(small, created="2026-01-01", uses=Uses(1, "2026-11-01")), "2026-11-21")


def test_what_never_runs_out_does_not_fade_and_the_settings_say_what_does() -> None:
    old = replace(FACT, created="2020-01-01", importance=300)

    assert has_faded(old, "2026-11-21")
    assert not has_faded(old, "2026-11-21", {"fact": None})
    assert strength(old, "2026-11-21", {"fact": None}) == 300
    assert not has_faded(replace(old, scope="user"), "2026-11-21")
    assert not has_faded(replace(old, created=None), "2026-11-21")


def test_the_reason_has_the_numbers() -> None:
    old = replace(FACT, created="2026-04-01", importance=300, uses=Uses(1, "2026-04-02"))

    assert has_faded(old, "2026-11-21")
    assert not has_ended(old, "2026-11-21")
    assert why_faded(old, "2026-11-21") == "it counts for 148 of 1000, below 150: used 233 days ago, 1 use"


def test_what_was_read_from_a_conversation_was_written_by_nobody() -> None:
    """A person who has a transcript read is the actor, and did not write what is found in it."""
    read = replace(FACT, created="2026-01-01", importance=200, source=Source(SourceKind.EXTRACTED, "human:You"))

    assert not has_faded(read, "2026-11-21")
    assert has_faded(replace(read, source=replace(read.source, origin="talk.md")), "2026-11-21")
