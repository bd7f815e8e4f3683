"""When items end."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.item_values import TYPES, Item, ScopeKind
from verifflowcc.memory.rules.lifetimes import has_ended, last_day, lifetime_days, why_ended

FACT = Item("a", "fact", "A", ".memory/project/items/fact/a.md", "project", 500, 800, created="2026-01-01")
CATEGORIES = sorted(name for name, each in TYPES.items() if each.scope is ScopeKind.USER)
DAYS = st.dates(date(2000, 1, 1), date(2100, 1, 1))
SCOPES = ["user", "project", "sprint/s", "stage/s/coding", "agent/coder", "task/t-k3f9"]


@pytest.mark.parametrize(
    ("type_name", "last"),
    [
        ("fact", "2027-01-01"),
        ("failure", "2027-01-01"),
        ("fix", "2026-06-30"),
        ("question", "2026-04-01"),
        ("decision", None),
        ("convention", None),
        ("requirement", None),
        ("note", None),
        ("of-the-project-itself", None),
    ],
)
def test_a_type_has_its_time_to_live(type_name: str, last: str | None) -> None:
    assert last_day(replace(FACT, type=type_name)) == last


YEAR = ("failure", "fact", "guideline", "insight", "summary")
NEVER = (
    *("preference", "business_fact", "work_pattern", "communication_style", "goal", "constraint", "relationship"),
    *("pattern", "decision", "convention", "note"),
    *("need", "requirement", "component", "interface", "unit", "test_spec", "hazard", "information"),
)
DAYS_OF = {
    **dict.fromkeys(YEAR, 365),
    **dict.fromkeys(NEVER, None),
    "question": 90,
    "assumption": 90,
    "fix": 180,
    "task_state": 14,
    "tool_output": None,
    "reasoning": None,
    "turn": 365,
}
"""Types and their times to live, as the record's table has them; what ends with its stage says so besides."""


@pytest.mark.vfcc("REQ-TTL")
def test_the_times_to_live_are_those_of_the_table() -> None:
    assert {name: each.ttl_days for name, each in TYPES.items()} == DAYS_OF
    assert {name for name, each in TYPES.items() if each.ends_with_stage} == {"task_state", "tool_output", "reasoning"}
    assert [last_day(replace(FACT, type=name)) for name in ("preference", "fact", "fix")] == [
        *(None, "2027-01-01", "2026-06-30")
    ]
    assert last_day(replace(FACT, type="task_state", scope="task/t-k3f9")) == "2026-01-15"


@pytest.mark.vfcc("REQ-SETTING-TTL")
@pytest.mark.parametrize("type_name", DAYS_OF)
def test_the_settings_give_each_type_its_days_before_the_table_does(type_name: str) -> None:
    item = replace(FACT, type=type_name, scope=f"{TYPES[type_name].scope}/x".replace("project/x", "project"))
    item = replace(item, scope="project") if item.scope == "user/x" else item

    assert last_day(item, {type_name: 7, "other": 1}) == "2026-01-08"
    assert last_day(item, {type_name: None}) is None


@pytest.mark.vfcc("REQ-EXPIRES")
def test_an_item_ends_after_its_last_day() -> None:
    item = replace(FACT, expires="2026-11-20")

    assert not has_ended(item, "2026-11-20")
    assert has_ended(item, "2026-11-21")
    assert why_ended(item) == "it holds until 2026-11-20, as it says"


def test_what_an_item_says_goes_before_its_type() -> None:
    assert last_day(replace(FACT, expires="2030-01-01T10:00:00Z")) == "2030-01-01"
    assert last_day(replace(FACT, type="decision", expires="2026-05-01")) == "2026-05-01"


def test_what_does_not_say_when_it_was_made_does_not_end() -> None:
    assert last_day(replace(FACT, created=None)) is None
    assert last_day(replace(FACT, created="9999-12-31")) is None


@pytest.mark.vfcc("REQ-USER-NO-EXPIRY")
@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("scope", ["user", "project"])
def test_what_is_known_of_a_person_does_not_run_out(category: str, scope: str) -> None:
    assert last_day(replace(FACT, type=category, scope=scope, created="1990-01-01")) is None


@pytest.mark.vfcc("REQ-TIERS")
def test_a_lifetime_follows_from_the_scope() -> None:
    state = replace(FACT, type="task_state", scope="task/t-k3f9")

    assert last_day(state) == "2026-01-15"
    assert last_day(replace(state, scope="project")) is None, "promoted, it is the project's"
    assert last_day(replace(FACT, scope="user")) is None, "moved to the user, a fact stays"


@given(DAYS, st.sampled_from(sorted(TYPES)), st.sampled_from(SCOPES), DAYS)
@settings(deadline=None, max_examples=120)
def test_an_item_holds_for_its_days_and_ends_once(made: date, type_name: str, scope: str, today: date) -> None:
    item = replace(FACT, type=type_name, scope=scope, created=made.isoformat())
    days = lifetime_days(item)

    assert has_ended(item, today.isoformat()) == (days is not None and today > made + timedelta(days=days))
    if has_ended(item, today.isoformat()):
        assert has_ended(item, (today + timedelta(days=1)).isoformat())
        assert str(days) in why_ended(item)
