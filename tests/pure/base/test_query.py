"""Filters and orders, without any store."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.item_query import SCALARS, conditions, matches, moment, order_of, ordered, value_of
from verifflowcc.base.model.item_values import Item, Source, SourceKind, Status, Trust, Uses
from verifflowcc.base.model.memory_protocol import Filters

PLAIN = Item("a", "fact", "Port", ".memory/project/a.md", "project", 500, 800)
FULL = replace(
    PLAIN,
    id="b",
    key="port",
    status=Status.PENDING,
    source=Source(SourceKind.INFERRED, "agent:coder", "harbour@1", "s1"),
    trust=Trust.AGENT,
    created="2026-01-02T10:00:00+01:00",
    updated="2026-01-03",
    expires="2027-01-01",
    deadline="2026-06-01",
    verification="test",
    tags=("net", "db"),
    uses=Uses(3, "2026-02-01"),
    tokens=12,
    details=(("stage", "coding"),),
)
SAID: dict[str, str | int | float] = {
    "id": "b",
    "type": "fact",
    "title": "Port",
    "key": "port",
    "path": ".memory/project/a.md",
    "scope": "project",
    "status": "pending",
    "importance": 0.5,
    "confidence": 0.8,
    "trust": "agent",
    "created": "2026-01-02T09:00:00Z",
    "updated": "2026-01-03",
    "expires": "2027-01-01",
    "deadline": "2026-06-01",
    "uses": 3,
    "last_used": "2026-02-01",
    "source": "inferred",
    "actor": "agent:coder",
    "project": "harbour@1",
    "session": "s1",
    "verification": "test",
    "tokens": 12,
}


def holds(item: Item, filters: Filters) -> bool:
    return matches(item, conditions(filters))


def test_each_field_is_asked_for_as_a_person_says_it() -> None:
    assert set(SAID) == set(SCALARS)
    for field, value in SAID.items():
        assert holds(FULL, {field: value}), field
        assert holds(FULL, {field: {"$gte": value, "$lte": value}}), field
        assert not holds(FULL, {field: {"$ne": value}}), field
        assert not holds(FULL, {field: {"$gt": value}}), field


def test_what_an_item_lacks_differs_from_all_and_is_below_and_above_nothing() -> None:
    lacking = [field for field in SCALARS if value_of(PLAIN, field) is None]
    assert set(lacking) >= {"key", "created", "last_used", "tokens", "verification", "session"}
    for field in lacking:
        assert holds(PLAIN, {field: {"$ne": SAID[field]}})
        assert holds(PLAIN, {field: None})
        assert holds(PLAIN, {field: [SAID[field], None]})
        assert not any(holds(PLAIN, {field: {word: SAID[field]}}) for word in ("$gt", "$gte", "$lt", "$lte"))


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_decimals_are_compared_in_thousandths(one: int, other: int) -> None:
    item = replace(PLAIN, importance=one)
    assert holds(item, {"importance": {"$lt": other / 1000}}) is (one < other)
    assert holds(item, {"importance": f"{other / 1000:.3f}"}) is (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-01-02", "2026-01-02T00:00:00Z"),
        ("2026-01-02T10:30", "2026-01-02T10:30:00Z"),
        ("2026-01-02T00:00", "2026-01-02T02:00:00+02:00"),
        ("2026-01-01T23:59:59.999999-00:00", "2026-01-01T23:59:59.999999Z"),
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00"),
    ],
)
def test_two_ways_to_say_one_moment_are_equal(one: str, other: str) -> None:
    assert moment(one) == moment(other) is not None
    assert holds(replace(PLAIN, created=one), {"created": other})


def test_what_is_no_date_counts_as_missing() -> None:
    assert moment("soon") is moment(None) is moment("") is None


@pytest.mark.parametrize("value", [True, "nan", "-0.1", "1e9", float("inf"), "", [None, "x"]])
def test_what_is_no_decimal_is_refused(value: str | float | list[str | None]) -> None:
    with pytest.raises(UsageError, match="importance is a number from 0 to 1, not"):
        conditions({"importance": value})


@pytest.mark.parametrize("value", ["1" * 5000, -1, "1.0", "²", 1.0, "soon"])
def test_what_is_no_whole_number_is_refused(value: str | float) -> None:
    with pytest.raises(UsageError, match="uses is a whole number from 0, not"):
        conditions({"uses": value})


def test_half_a_surrogate_pair_is_refused_and_told_in_letters_that_can_be_printed() -> None:
    with pytest.raises(UsageError, match="title is a text, not") as told:
        conditions({"title": "\ud800"})
    told.value.message.encode("utf-8")


@pytest.mark.vfcc("REQ-BACKEND-ORDER")
@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from([None, "2026-01-01", "2026-01-02"]))), st.randoms()
)
def test_order_is_total_and_does_not_depend_on_the_order_given(
    rows: list[tuple[str, str | None]], any_order: object
) -> None:
    items = [replace(PLAIN, id=name, created=day) for name, day in dict(rows).items()]
    mixed = list(items)
    any_order.shuffle(mixed)  # type: ignore[attr-defined]
    down, up = ordered(items, "created"), ordered(items, "-created")

    assert (ordered(mixed, "created"), ordered(mixed, "-created")) == (down, up)
    dates = [item.created for item in down if item.created]
    assert dates == sorted(dates, reverse=True)
    assert [item.created for item in up if item.created] == sorted(dates)
    missing = sorted(item.id for item in items if item.created is None)
    assert missing == [item.id for item in down][len(dates) :] == [item.id for item in up][len(dates) :]
    for answer in (down, up):
        for day in set(dates):
            tied = [item.id for item in answer if item.created == day]
            assert tied == sorted(tied)


def test_an_order_is_a_field_and_a_direction() -> None:
    assert (order_of("created"), order_of("-details.stage")) == (("created", False), ("details.stage", True))
    with pytest.raises(UsageError, match="did you mean importance"):
        order_of("importanc")
    with pytest.raises(UsageError, match="cannot be ordered by tags"):
        order_of("-tags")
