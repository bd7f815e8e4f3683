"""What a change of an item touches: all below it by a shortest way, its code and tests, and what it stands on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trace_random import shuffled, worlds
from tests.trace_world import FORM_TEST, LOGIN_TEST, World, clean, item
from verifflowcc.base.model.item_values import Status
from verifflowcc.trace.rules.impact import Impact, impact
from verifflowcc.trace.rules.trace_view import TraceView

pytestmark = pytest.mark.vfcc("REQ-TRACE-IMPACT")


def of(world: World, item_id: str) -> Impact:
    return impact(TraceView(world.sources(), world.policy), item_id)


def test_everything_below_is_touched_with_the_way_to_it() -> None:
    found = of(clean(), "NEED-a")

    assert [(each.id, each.route[1:-1]) for each in found.below] == [
        ("REQ-login", ()),
        ("COMP-a", ("REQ-login",)),
        ("COMP-b", ("REQ-login",)),
        ("TEST-login", ("REQ-login",)),
        ("IF-ab", ("REQ-login", "COMP-a")),
        ("UNIT-a", ("REQ-login", "COMP-a")),
    ]
    assert found.below[-1].relations == ("refines", "allocates", "implements")
    assert found.above == ()


def test_code_and_tests_are_touched_through_the_items_below() -> None:
    found = of(clean(), "COMP-a")

    assert {(each.place.path, each.items) for each in found.code} == {("src/login.py", ("UNIT-a",))}
    assert [(each.test.test, each.test.word, each.items) for each in found.tests] == [
        (FORM_TEST, "passed", ("IF-ab", "UNIT-a"))
    ]
    assert LOGIN_TEST in [each.test.test for each in of(clean(), "REQ-login").tests]


def test_what_it_stands_on_is_told_up_to_the_need() -> None:
    assert [(each.id, each.relations) for each in of(clean(), "COMP-b").above] == [
        ("REQ-login", ("allocates",)),
        ("NEED-a", ("allocates", "refines")),
    ]


def test_a_retired_item_is_not_touched() -> None:
    assert "UNIT-a" not in [each.id for each in of(clean().edit("UNIT-a", status=Status.ARCHIVED), "NEED-a").below]


def test_of_several_ways_the_shortest_and_first_is_told_whatever_the_order_of_links() -> None:
    needs = (item("NEED-a"), item("NEED-b"))
    middle = (item("REQ-a", "refines NEED-a"), item("REQ-b", "refines NEED-a", "refines NEED-b"))
    for links in (("refines REQ-a", "refines REQ-b"), ("refines REQ-b", "refines REQ-a")):
        found = of(World((*needs, *middle, item("REQ-c", *links))), "REQ-c")
        assert [each.route[1:] for each in found.above] == [
            *(("REQ-a",), ("REQ-b",), ("REQ-a", "NEED-a"), ("REQ-b", "NEED-b"))
        ]


def test_a_circle_ends() -> None:
    world = World((item("REQ-a", "refines REQ-c"), item("REQ-b", "refines REQ-a"), item("REQ-c", "refines REQ-b")))

    assert [each.id for each in of(world, "REQ-a").below] == ["REQ-b", "REQ-c"]
    assert [each.id for each in of(world, "REQ-a").above] == ["REQ-c", "REQ-b"]


def test_a_long_chain_needs_no_deep_stack() -> None:
    chain = [item("REQ-0")] + [item(f"REQ-{number}", f"refines REQ-{number - 1}") for number in range(1, 3000)]

    assert of(World(tuple(chain)), "REQ-0").below[-1].steps == 2999


@settings(deadline=None, max_examples=150)
@given(worlds())
def test_what_is_touched_is_what_links_reach(world: World) -> None:
    view = TraceView(world.sources(), world.policy)
    live = [each for each in world.items if each.status is not Status.ARCHIVED]
    for start in view.by_id:
        reached: set[str] = set()
        for _ in world.items:
            reached |= {
                each.id
                for each in live
                if any(link.relation in view.upward and link.to in reached | {start} for link in each.links)
            }
        found = impact(view, start)
        assert {each.id for each in found.below} == reached - {start}
        for each in found.below:
            assert (each.route[0], each.route[-1], len(each.route)) == (start, each.id, each.steps + 1)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_the_order_of_files_never_changes_an_impact(data: st.DataObject) -> None:
    world = data.draw(worlds())
    other = data.draw(shuffled(world))

    for name in {each.id for each in world.items}:
        assert of(other, name) == of(world, name)
