"""What held on a day: without what came later, with what has gone since, and today as it is."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.item_values import ArchiveNote, DecisionFacts, DecisionStatus, Item, Link, Relation, Status
from verifflowcc.memory.rules.lifetimes import has_ended
from verifflowcc.memory.rules.superseded import archived_on, as_of, excluded_items, status_before, superseded

START, TODAY = date(2026, 1, 1), date(2026, 11, 21)
FACT = Item("a", "fact", "A", "a.md", "project", 500, 800, created="2026-03-01")


def day(number: int) -> str:
    return (START + timedelta(days=number)).isoformat()


LAST = (TODAY - START).days


@st.composite
def histories(draw: st.DrawFn) -> list[Item]:
    """Items made one after the other, which supersede earlier ones, expire, and are put away, up to today."""
    items: list[Item] = []
    for number in range(draw(st.integers(0, 8))):
        made = draw(st.integers(0, LAST))
        older = [each for each in items if (each.created or "") <= day(made)]
        target = draw(st.none() | st.sampled_from(older)) if older else None
        away = draw(st.none() | st.integers(made, LAST))
        item = replace(
            FACT,
            id=f"i{number}",
            path=f"i{number}.md",
            created=day(made) + draw(st.sampled_from(["", "T10:00:00Z"])),
            links=(Link(target.id, Relation.SUPERSEDES),) if target else (),
            expires=draw(st.none() | st.integers(made, LAST + 50).map(day)),
            status=draw(st.sampled_from([Status.ACTIVE, Status.ACTIVE, Status.PENDING])),
        )
        if away is not None or has_ended(item, TODAY.isoformat()):
            on = day(away if away is not None else LAST)
            item = replace(
                item, status=Status.ARCHIVED, archived=ArchiveNote(on, "ended", previous_status=str(item.status))
            )
        items.append(item)
    return items


def held(items: Sequence[Item]) -> set[str]:
    gone = excluded_items(items).left_out
    return {item.id for item in items if item.path not in gone}


@given(items=histories())
@settings(deadline=None, max_examples=300)
def test_today_is_as_it_is(items: list[Item]) -> None:
    assert set(as_of(items, TODAY.isoformat())) == set(items)


@given(items=histories(), when=st.integers(0, LAST), later=st.lists(st.integers(1, 400), max_size=4))
@settings(deadline=None, max_examples=300)
def test_what_is_added_after_a_day_changes_nothing_of_that_day(items: list[Item], when: int, later: list[int]) -> None:
    added = [
        replace(
            FACT,
            id=f"n{place}",
            path=f"n{place}.md",
            created=day(when + days),
            links=tuple(Link(item.id, Relation.SUPERSEDES) for item in items),
        )
        for place, days in enumerate(later)
    ]

    before, after = as_of(items, day(when)), as_of([*items, *added], day(when))

    assert set(before) == set(after)
    assert held(before) == held(after)


@given(items=histories(), when=st.integers(0, LAST), away=st.integers(1, 300))
@settings(deadline=None, max_examples=200)
def test_what_is_put_away_after_a_day_held_on_that_day(items: list[Item], when: int, away: int) -> None:
    since = ArchiveNote(day(when + away), "consolidated", "s", "active")
    put_away = [
        item
        if item.archived
        else replace(item, status=Status.ARCHIVED, archived=replace(since, previous_status=str(item.status)))
        for item in items
    ]

    assert set(as_of(put_away, day(when))) == set(as_of(items, day(when)))


@given(items=histories(), when=st.integers(0, LAST))
@settings(deadline=None, max_examples=200)
def test_nothing_held_before_it_was_made_or_after_it_ended(items: list[Item], when: int) -> None:
    for item_id in held(as_of(items, day(when))):
        item = next(each for each in items if each.id == item_id)
        assert (item.created or "")[:10] <= day(when)
        assert item.expires is None or item.expires >= day(when)
        assert item.archived is None or item.archived.on > day(when)


@pytest.mark.vfcc("REQ-AS-OF")
def test_the_older_of_two_held_until_the_newer_was_made() -> None:
    old = FACT
    new = replace(FACT, id="b", path="b.md", created="2026-06-01", links=(Link("a", Relation.SUPERSEDES),))

    days = {when: held(as_of([old, new], when)) for when in ("2026-02-28", "2026-03-01", "2026-05-31", "2026-06-01")}

    assert days == {"2026-02-28": set(), "2026-03-01": {"a"}, "2026-05-31": {"a"}, "2026-06-01": {"b"}}


def test_a_decision_that_says_it_is_superseded_was_in_force_until_the_other_was_made() -> None:
    said = DecisionFacts(date="2026-01-05", status=DecisionStatus.SUPERSEDED, superseded_by=("b",))
    old = replace(FACT, type="decision", created=None, decision=said)
    new = replace(FACT, id="b", path="b.md", type="decision", created="2026-06-01")
    newer = {path: each.newer for path, each in superseded([old, new]).found.items()}

    assert held(as_of([old, new], "2026-05-01", newer=newer)) == {"a"}
    assert held(as_of([old, new], "2026-06-01", newer=newer)) == {"b"}
    assert held(as_of([old, new], "2026-01-04", newer=newer)) == set(), "its own date is when it was made"


def test_an_archived_item_that_says_nothing_of_it_was_always_archived() -> None:
    mute = replace(FACT, status=Status.ARCHIVED)
    edited = replace(mute, updated="2026-08-01T10:00:00Z")

    assert (archived_on(mute), archived_on(edited)) == (None, "2026-08-01")
    assert held(as_of([mute], "2026-05-01")) == set()
    assert held(as_of([edited], "2026-07-31")) == {"a"}
    assert held(as_of([edited], "2026-08-01")) == set()


def test_what_was_proposed_and_rejected_was_never_in_force() -> None:
    rejected = replace(FACT, status=Status.ARCHIVED, updated="2026-08-01", tags=("rejected",))
    waiting = replace(
        FACT, status=Status.ARCHIVED, archived=ArchiveNote("2026-08-01", "ended", previous_status='"pending"')
    )

    assert {status_before(rejected), status_before(waiting)} == {Status.PENDING}
    assert held(as_of([rejected], "2026-05-01")) == held(as_of([waiting], "2026-05-01")) == set()


def test_the_time_to_live_of_the_settings_counts_in_the_past_too() -> None:
    assert held(as_of([FACT], "2026-04-15")) == {"a"}
    assert held(as_of([FACT], "2026-04-15", ttl_days={"fact": 30})) == set()
