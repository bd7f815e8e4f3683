"""Pairs of items that stand and cannot both hold."""

from itertools import permutations

from verifflowcc.base.model.item_values import Item, Link, Relation
from verifflowcc.prompt.rules.data_sentences import conflicts


def item(name: str, key: str | None = None, *, scope: str = "project", type_: str = "fact", against: str = "") -> Item:
    links = (Link(against, Relation.CONTRADICTS),) if against else ()
    return Item(name, type_, name, f"{scope}/{name}.md", scope, 500, 800, key=key, links=links)


def test_two_of_one_key_conflict_and_three_are_three_pairs() -> None:
    a, b, c = item("a", "k"), item("b", "k"), item("c", "k")
    assert conflicts([b, a]) == (("project/a.md", "project/b.md"),)
    assert len(conflicts([a, b, c])) == 3


def test_another_scope_or_type_or_no_key_is_no_conflict() -> None:
    assert conflicts([item("a", "k"), item("b", "k", scope="user"), item("c", "k", type_="goal")]) == ()
    assert conflicts([item("a"), item("b")]) == ()


def test_a_link_that_says_so_is_a_conflict_once_whoever_holds_it() -> None:
    pair = (("project/a.md", "project/b.md"),)
    assert conflicts([item("a", against="b"), item("b")]) == pair
    assert conflicts([item("a", "k", against="b"), item("b", "k", against="a")]) == pair
    assert conflicts([item("a", against="gone"), item("b", against="b")]) == ()


def test_the_order_of_the_items_changes_nothing() -> None:
    items = [item("a", "k"), item("b", "k", against="c"), item("c")]
    assert {conflicts(each) for each in permutations(items)} == {
        (("project/a.md", "project/b.md"), ("project/b.md", "project/c.md"))
    }
