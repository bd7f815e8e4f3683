"""What stands: supersession derived from the newer item, circles told, the withdrawn left out."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.item_values import Item
from verifflowcc.items.store.item_edits import parse_item
from verifflowcc.memory.rules.superseded import excluded_items, superseded, withdrawn

pytestmark = pytest.mark.vfcc("REQ-SUPERSEDED")

FOLDER = "project/decisions"


def decision(name: str, *, status: str = "Accepted", links: str = "", front: str = "") -> Item:
    head = f"links: [{links}]\n{front}" if links or front else "a: 1\n"
    text = f"---\n{head}---\n# {name}\n\n## Status\n\n{status}\n"
    return parse_item(f"{FOLDER}/{name}.md", text.encode()).item


def link(to: str) -> str:
    return f"{{to: {to}, relation: supersedes}}"


@pytest.mark.parametrize(
    "target",
    [
        "old-id",
        f"{FOLDER}/0001-old.md",
        f"{FOLDER}/0001-old",
        "0001-old.md",
        "0001-old",
        "./0001-old.md",
        "../decisions/0001-old.md",
        "old-key",
        "1",
        "ADR-0001",
    ],
)
def test_a_newer_item_supersedes_by_any_name_of_the_older(target: str) -> None:
    old = decision("0001-old", front="id: old-id\nkey: old-key\n")
    new = decision("0002-new", links=link(f"'{target}'"))

    found = superseded([new, old])

    assert {path: each.by for path, each in found.found.items()} == {old.path: new.path}
    assert found.found[old.path].why == f"superseded by {new.path}"
    assert found.notices == ()


def test_a_record_that_says_it_is_superseded_is_even_where_the_newer_is_not_in_view() -> None:
    old = decision("0001-old", status="Superseded by [2](0002-new.md)")

    assert excluded_items([old]).left_out == {old.path: "superseded by 0002-new.md, as its status says"}
    assert excluded_items([old, decision("0002-new")]).left_out == {old.path: f"superseded by {FOLDER}/0002-new.md"}
    assert excluded_items([decision("0001-old", status="Superseded")]).left_out == {
        old.path: "superseded, as its status says"
    }


def test_a_record_that_says_what_it_supersedes_supersedes_it() -> None:
    old, new = decision("0001-old"), decision("0002-new", status="Accepted\n\nSupersedes [1](0001-old.md)")

    assert list(excluded_items([old, new]).left_out) == [old.path]


@pytest.mark.parametrize("status", ["Proposed", "Rejected"])
def test_a_decision_that_is_not_in_force_supersedes_nothing(status: str) -> None:
    old, new = decision("0001-old"), decision("0002-new", status=status, links=link("0001-old"))

    assert superseded([old, new]).found == {}


def test_a_pending_item_supersedes_nothing_and_an_archived_one_still_does() -> None:
    old = decision("0001-old")
    pending = decision("0002-new", links=link("0001-old"), front="status: pending\n")
    archived = decision("0003-new", links=link("0001-old"), front="status: archived\n")

    assert excluded_items([old, pending]).left_out == {pending.path: "pending"}
    assert set(excluded_items([old, archived]).left_out) == {old.path, archived.path}


def test_a_chain_leaves_only_the_newest() -> None:
    chain = [decision("0001-a"), decision("0002-b", links=link("0001-a")), decision("0003-c", links=link("0002-b"))]

    assert set(excluded_items(chain).left_out) == {chain[0].path, chain[1].path}


def test_a_circle_is_told_and_not_followed() -> None:
    one = decision("0001-a", links=link("0003-c"))
    two = decision("0002-b", links=link("0001-a"))
    three = decision("0003-c", links=link("0002-b"))
    outside = decision("0004-d")
    leaving = decision("0005-e", links=f"{link('0004-d')}, {link('0001-a')}")

    found = superseded([one, two, three, outside, leaving])

    assert {path: each.by for path, each in found.found.items()} == {one.path: leaving.path, outside.path: leaving.path}
    assert len(found.notices) == 3
    assert all("supersedes and is superseded by" in notice for notice in found.notices)


def test_two_records_that_each_say_that_the_other_superseded_it_both_stand() -> None:
    one = decision("0001-a", status="Superseded by [2](0002-b.md)")
    two = decision("0002-b", status="Superseded by [1](0001-a.md)")

    assert excluded_items([one, two]).left_out == {}
    assert len(superseded([one, two]).notices) == 2


def test_an_item_that_supersedes_itself_stands() -> None:
    found = superseded([decision("0001-a", links=link("0001-a.md") + ", " + link(f"{FOLDER}/0001-a"))])

    assert found.found == {}
    assert any("supersedes itself" in notice for notice in found.notices)


def test_a_name_that_fits_several_or_none_is_told() -> None:
    twins = [parse_item(f"{folder}/items/fact/x.md", b"---\nkey: k\n---\n").item for folder in ("project", "sprint/a")]
    new = parse_item("agent/b/items/fact/y.md", f"---\nlinks: [{link('k')}, {link('gone')}]\n---\n".encode()).item

    found = superseded([*twins, new])

    assert found.found == {}
    assert found.notices == (
        "agent/b/items/fact/y.md: k can be project/items/fact/x.md or sprint/a/items/fact/x.md; it is ignored",
        "agent/b/items/fact/y.md: gone, which it supersedes, is not in view",
    )


def test_a_file_in_the_same_folder_goes_before_one_elsewhere() -> None:
    near, far = (parse_item(f"{folder}/x.md", b"x").item for folder in ("a", "b"))
    new = parse_item("a/y.md", f"---\nlinks: [{link('x.md')}]\n---\n".encode()).item

    assert list(superseded([near, far, new]).found) == ["a/x.md"]


@pytest.mark.vfcc("REQ-ITEM-STATUS")
def test_what_is_withdrawn_is_out_with_its_reason() -> None:
    items = [
        decision("1-a", status="❌ Rejected (see [2](2-b.md))"),
        decision("2-b", status="Deprecated"),
        decision("3-c", status="Proposed"),
        decision("4-d", front="status: archived\n"),
    ]

    assert withdrawn(items) == {
        f"{FOLDER}/1-a.md": "rejected; see 2-b.md",
        f"{FOLDER}/2-b.md": "deprecated",
        f"{FOLDER}/4-d.md": "archived",
    }


@settings(deadline=None, max_examples=60)
@given(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=16), st.randoms(use_true_random=False))
def test_the_order_of_the_items_changes_nothing_and_something_always_stands(
    edges: set[tuple[int, int]], chance: random.Random
) -> None:
    items = [
        decision(f"000{new}-x", links=", ".join(link(f"000{old}-x.md") for each, old in sorted(edges) if each == new))
        for new in range(8)
    ]
    expected = superseded(items)
    shuffled = items[:]
    chance.shuffle(shuffled)

    assert superseded(shuffled) == expected
    assert len(expected.found) < len(items)


@pytest.mark.vfcc("REQ-PENDING")
@pytest.mark.parametrize("was", ["pending", "'pending'", '"pending"'])
def test_what_was_put_away_while_it_waited_never_superseded_anything(was: str) -> None:
    def newer(before: str) -> Item:
        said = before.replace("'", "''")
        front = f"id: new\nstatus: archived\narchived: {{on: 2026-11-01, why: ended, was: '{said}'}}\n"
        return decision("new", front=front, links=link("old"))

    old = decision("old", front="id: old\n")

    assert "archived" in str(excluded_items([newer(was)]).left_out)
    assert superseded([old, newer(was)]).found == {}
    assert superseded([old, newer("active")]).found.keys() == {old.path}


def test_a_summary_that_tells_what_another_replaced_is_told() -> None:
    told = decision(
        "told", front="id: told\nstatus: archived\narchived: {on: 2026-11-01, why: consolidated, into: sum}\n"
    )
    summary = decision("sum", front="id: sum\n")
    newer = decision("new", front="id: new\n", links=link("told"))

    assert excluded_items([told, summary]).notices == ()
    assert excluded_items([told, summary, newer]).notices == (
        "sum summarises told, which new replaced; rebuild it: vfcc memory maintain",
    )
    assert excluded_items([told, newer]).notices == (), "the summary is not in view"
