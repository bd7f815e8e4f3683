"""Circles in a graph: one for each group that leads round, the same whatever the order, at any depth."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.trace.rules.link_checks import circles

NODES = st.sampled_from("abcdefg")
GRAPHS = st.dictionaries(NODES, st.lists(NODES, max_size=4))


def reaches(edges: dict[str, list[str]], start: str) -> set[str]:
    """All nodes that one leads to over at least one edge to another node."""
    found: set[str] = set()
    left = [each for each in edges.get(start, ()) if each != start]
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            left += [each for each in edges.get(node, ()) if each != node]
    return found


@settings(deadline=None, max_examples=300)
@given(GRAPHS)
def test_each_group_that_leads_round_has_one_circle_and_nothing_else_has(edges: dict[str, list[str]]) -> None:
    there = {node: reaches(edges, node) for node in "abcdefg"}
    groups = {frozenset(b for b in "abcdefg" if b in there[a] and a in there[b]) for a in "abcdefg"} - {frozenset()}

    found = circles(edges)

    assert len(found) == len(groups)
    for circle in found:
        assert len(set(circle)) == len(circle) >= 2
        assert all(b in edges[a] for a, b in zip(circle, (*circle[1:], circle[0]), strict=True))
        assert any(set(circle) <= group and circle[0] == min(group) for group in groups)


@given(GRAPHS)
def test_order_changes_no_circle(edges: dict[str, list[str]]) -> None:
    turned = {node: edges[node][::-1] for node in sorted(edges, reverse=True)}

    assert circles(turned) == circles(edges)


def test_a_circle_is_one_of_the_shortest_through_its_first_node() -> None:
    assert circles({"a": ["b", "c"], "b": ["c"], "c": ["d"], "d": ["a"]}) == (("a", "c", "d"),)


def test_what_only_leads_into_a_circle_or_out_of_it_is_not_in_it() -> None:
    assert circles({"x": ["a"], "a": ["b"], "b": ["a", "y"], "y": ["z"]}) == (("a", "b"),)


def test_a_node_that_leads_to_itself_is_no_circle() -> None:
    assert circles({"a": ["a", "b"], "b": ["b"]}) == ()


@pytest.mark.sweep
def test_depth_is_no_limit() -> None:
    depth = 100_000
    ring = {str(number): [str((number + 1) % depth)] for number in range(depth)}

    assert [len(each) for each in circles(ring)] == [depth]
