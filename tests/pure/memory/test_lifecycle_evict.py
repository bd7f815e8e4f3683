"""Which items make room when a project remembers too much."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.item_values import TYPES, Item, Source, SourceKind, Status, is_trace_type
from verifflowcc.memory.rules.lifetimes import evictable, evicted

FOUND = Source(SourceKind.EXTRACTED, "agent:coder")
FACT = Item("a", "fact", "A", ".memory/project/items/fact/a.md", "project", 500, 800, source=FOUND)
ITEMS = st.lists(
    st.builds(
        replace,
        st.just(FACT),
        id=st.text("abcdef", min_size=1, max_size=6),
        type=st.sampled_from(sorted(TYPES)),
        importance=st.integers(0, 1000),
        status=st.sampled_from(Status),
        created=st.sampled_from([None, "2026-01-01", "2026-05-01", "2026-05-01T10:00:00Z", "2026-11-21"]),
        source=st.builds(
            Source, st.sampled_from(SourceKind), st.sampled_from(["human", "human:You", "agent:coder", "ci", "tool:x"])
        ),
    ),
    max_size=60,
    unique_by=lambda item: item.id,
)


def many(count: int, importance: int = 500) -> list[Item]:
    return [replace(FACT, id=f"item-{number:04}", importance=importance) for number in range(count)]


def gone(items: list[Item], most: int) -> list[str]:
    return [item.id for item in evicted(items, most)]


@pytest.mark.vfcc("REQ-EVICTION")
def test_above_a_thousand_the_lowest_tenth_makes_room() -> None:
    items = many(1_001)

    assert gone(items[:1_000], 1_000) == []
    assert gone(items, 1_000) == [item.id for item in items[:100]]


@pytest.mark.vfcc("REQ-EVICTION")
def test_importance_goes_before_age_and_age_before_the_id() -> None:
    items = [
        replace(FACT, id="new", importance=100, created="2026-11-21"),
        replace(FACT, id="old", importance=100, created="2026-01-01"),
        replace(FACT, id="b-undated", importance=100),
        replace(FACT, id="a-undated", importance=100),
        replace(FACT, id="oldest", importance=900, created="2020-01-01"),
        *many(45, importance=950),
    ]

    assert gone(items, 10) == ["a-undated", "b-undated", "old", "new", "oldest"]


def test_of_a_few_at_least_one_makes_room() -> None:
    assert gone(many(3), 2) == ["item-0000"]


@pytest.mark.vfcc("REQ-EVICTION-SPARES")
@pytest.mark.parametrize(
    "spared",
    [
        replace(FACT, source=Source(SourceKind.EXTRACTED, "human:You")),
        replace(FACT, source=Source(SourceKind.INFERRED, "human")),
        replace(FACT, source=Source(SourceKind.EXPLICIT, "agent:coder")),
        replace(FACT, source=Source(SourceKind.IMPORTED, "agent:coder")),
        replace(FACT, type="decision"),
        replace(FACT, type="convention"),
        *(replace(FACT, type=name) for name in sorted(TYPES) if is_trace_type(name)),
        replace(FACT, status=Status.PENDING),
        replace(FACT, status=Status.ARCHIVED),
    ],
    ids=lambda item: f"{item.type}-{item.source.kind}-{item.source.actor}-{item.status}",
)
def test_what_is_spared_neither_counts_nor_goes(spared: Item) -> None:
    spared_ones = [replace(spared, id=f"s{number}", importance=0) for number in range(20)]

    assert gone(spared_ones, 1) == []
    assert gone([*spared_ones, *many(10)], 10) == []
    assert gone([*spared_ones, *many(11)], 10) == ["item-0000"]


@pytest.mark.vfcc("REQ-EVICTION", "REQ-EVICTION-SPARES")
@given(ITEMS, st.integers(0, 30))
@settings(deadline=None, max_examples=150)
def test_what_goes_is_a_tenth_of_what_counts_and_its_lowest(items: list[Item], most: int) -> None:
    counting = [item for item in items if evictable(item)]
    out = evicted(items, most)

    assert len(out) == (max(1, len(counting) // 10) if len(counting) > most else 0)
    assert set(out) <= set(counting)
    assert all(low.importance <= high.importance for low in out for high in counting if high not in out)


@given(ITEMS, st.integers(0, 30), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_the_order_in_which_items_are_given_decides_nothing(items: list[Item], most: int, chance: object) -> None:
    shuffled = list(items)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]

    assert evicted(shuffled, most) == evicted(items, most)
