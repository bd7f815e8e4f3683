"""Uses of items, added up, and the lines and plans that tell of them."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.item_values import Uses
from verifflowcc.memory.rules.access_lines import (
    UsePlan,
    access_line,
    at_least,
    merged,
    plan_bytes,
    read_accesses,
    read_plan_bytes,
    uses_of,
)

DAYS = st.dates().map(str)
USES = st.builds(Uses, st.integers(0, 10**6), st.none() | DAYS)
PRINTABLE = st.characters(exclude_categories=("C", "Z"), include_characters=" ")
NAMES = st.text(PRINTABLE, min_size=1, max_size=8)


@given(USES, USES, USES)
def test_merging_does_not_mind_the_order(one: Uses, two: Uses, three: Uses) -> None:
    assert merged(one, two) == merged(two, one)
    assert merged(merged(one, two), three) == merged(one, merged(two, three))
    assert merged(one, Uses()) == one


@given(USES, USES)
def test_a_plan_carried_out_twice_counts_once(before: Uses, noted: Uses) -> None:
    planned = merged(before, noted)
    once = at_least(before, planned)

    assert once == planned
    assert at_least(once, planned) == once


@given(st.lists(st.tuples(st.sampled_from("abc"), DAYS), max_size=30))
def test_each_use_counts_once_and_the_last_day_is_the_latest(noted: list[tuple[str, str]]) -> None:
    found = uses_of(noted)

    assert {name: uses.count for name, uses in found.items()} == Counter(name for name, _ in noted)
    assert all(uses.last == max(day for each, day in noted if each == name) for name, uses in found.items())


@pytest.mark.vfcc("REQ-ACCESS-MERGE")
@given(st.lists(st.tuples(st.sampled_from(["project", "sprint/s", "agent/coder"]), st.lists(NAMES, max_size=4))))
@settings(deadline=None)
def test_a_line_says_what_was_noted(noted: list[tuple[str, list[str]]]) -> None:
    lines = b"".join(access_line("2026-11-21T14:00:00Z", "show", scope, ids) for scope, ids in noted)
    found, bad = read_accesses(lines, "project")

    assert bad == 0
    assert [(each.scope, each.ids) for each in found] == [(scope, tuple(dict.fromkeys(ids))) for scope, ids in noted]
    assert {each.day for each in found} <= {"2026-11-21"}


@pytest.mark.parametrize(
    "line",
    [
        b'{"at":"2026-11-21","by":"x","ids":["a"',
        b"[]",
        b'{"at":"soon","ids":["a"]}',
        b'{"at":"2026-11-21","ids":[1]}',
        b'{"at":"2026-11-21","ids":"a"}',
        b'{"at":"2026-11-21","ids":["a"],"scope":1}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_a_line_that_says_nothing_costs_no_other(line: bytes) -> None:
    good = access_line("2026-11-21T14:00:00Z", "show", "user", ["a"])

    found, bad = read_accesses(good + line + b"\n\n" + good, "user")

    assert (len(found), bad) == (2, 1)


@given(st.lists(st.builds(UsePlan, NAMES, NAMES, USES, st.integers(0, 9)), max_size=8))
def test_a_plan_is_read_as_it_was_written(plan: list[UsePlan]) -> None:
    assert read_plan_bytes(plan_bytes(plan)) == tuple(plan)


@pytest.mark.parametrize("value", [{}, [], {"format": 2, "uses": []}, {"format": 1, "uses": [["a"]]}])
def test_what_is_no_plan_is_refused(value: object) -> None:
    with pytest.raises(FormatError):
        read_plan_bytes(json.dumps(value, separators=(",", ":")).encode())
