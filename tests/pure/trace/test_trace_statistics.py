"""Coverage: shares with what they are of, planned items apart, and no number where there is nothing."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trace_random import shuffled, worlds
from tests.trace_world import FORM_TEST, World, clean, item
from verifflowcc.base.model.item_values import Status
from verifflowcc.trace.rules.item_state import ItemState
from verifflowcc.trace.rules.matrix import CoverageGroup, CoverageShare, Statistics, matrix, statistics
from verifflowcc.trace.rules.trace_check import check_view
from verifflowcc.trace.rules.trace_view import TraceView

pytestmark = pytest.mark.vfcc("REQ-TRACE-COVERAGE")


def of(world: World, *types: str) -> Statistics:
    return statistics(TraceView(world.sources(), world.policy), types)


def group(world: World, name: str) -> CoverageGroup:
    found = of(world)
    return next(each for each in (*found.types, *found.methods, found.total) if each.name == name)


def shares(world: World, name: str) -> list[str]:
    one = group(world, name)
    return [f"{each.met}/{each.total}" for each in (one.shallow, one.deep, one.verified, one.proven)]


def test_a_clean_world_is_covered_all_over() -> None:
    assert shares(clean(), "all") == ["7/7", "7/7", "3/3", "7/7"]
    assert [each.name for each in of(clean()).types] == [
        *("need", "requirement", "component", "interface", "unit", "test_spec")
    ]
    assert shares(clean(), "test") == ["3/3", "3/3", "3/3", "3/3"]


def test_a_missing_test_is_missing_below_everything_above_it() -> None:
    world = clean().untold(FORM_TEST)

    assert shares(world, "unit") == ["1/1", "1/1", "0/1", "0/1"]
    assert shares(world, "need") == ["1/1", "1/1", "0/0", "0/1"]
    assert shares(clean().without("TEST-login"), "requirement") == ["0/1", "0/1", "0/1", "0/1"]


def test_an_item_with_nothing_below_is_answered_by_nothing() -> None:
    assert shares(clean().add(item("NEED-b")), "need") == ["1/2", "1/2", "0/0", "1/2"]


def test_planned_items_stand_apart_and_what_waits_for_them_is_counted() -> None:
    world = clean().edit("UNIT-a", planned="2027")

    assert (group(world, "unit").items, group(world, "unit").planned) == (0, 1)
    assert shares(world, "unit") == ["0/0", "0/0", "0/0", "0/0"]
    assert (group(world, "need").deep, group(world, "need").waiting) == (CoverageShare(0, 1), 1)


def test_nothing_to_evaluate_is_no_hundred_percent() -> None:
    found = of(World(()))

    assert not found.evaluable
    assert (found.total.shallow.per_mille, found.total.shallow.whole) == (None, False)
    assert of(clean(), "hazard").total.items == 0


def test_a_share_is_whole_only_where_all_are() -> None:
    assert [CoverageShare(met, 1999).per_mille for met in (1999, 1998, 0)] == [1000, 999, 0]


def test_retired_items_are_counted_apart() -> None:
    found = of(clean().edit("UNIT-a", status=Status.ARCHIVED))

    assert (found.retired, found.total.items) == (1, 6)


@settings(deadline=None, max_examples=150)
@given(worlds())
def test_shares_are_parts_and_proof_is_never_more_than_depth(world: World) -> None:
    found = of(world)

    live = sum(each.status is not Status.ARCHIVED for each in world.items)
    for groups in (found.types, found.methods, (found.total,)):
        assert sum(each.items + each.planned for each in groups) == live
    for each in (*found.types, *found.methods, found.total):
        assert 0 <= each.proven.met <= each.deep.met <= each.shallow.met <= each.items
        assert each.verified.met <= each.verified.total <= each.items
        assert 0 <= each.waiting <= each.shallow.met - each.deep.met


@settings(deadline=None, max_examples=150)
@given(worlds())
def test_what_is_proven_has_passed_in_the_matrix_unless_it_is_a_draft_or_suspect(world: World) -> None:
    view = TraceView(world.sources(), world.policy)
    rows = matrix(view, check_view(view)).rows
    passed = [row for row in rows if row.state in {ItemState.PASSED, ItemState.PASSED_BELOW}]
    apart = [row for row in rows if row.state in {ItemState.DRAFT, ItemState.SUSPECT, ItemState.PLANNED}]

    assert of(world).total.proven.met <= len(passed) + len(apart)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_the_order_of_files_never_changes_a_number(data: st.DataObject) -> None:
    world = data.draw(worlds())

    assert of(data.draw(shuffled(world))) == of(world)
