"""What is told of an item is the same whether all items of a scope are read, or only those that links connect."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tree.backend_conformance import Opener
from tests.tree.backend_items import make
from tests.tree.backend_openers import Files, InMemory, Sqlite
from verifflowcc.base.model.item_values import Item
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.memory.rules.superseded import superseded
from verifflowcc.memory.use.item_search import items_around

OPENERS: dict[str, Callable[[Path], Opener]] = {"files": Files, "sqlite": Sqlite, "memory": InMemory}
IDS = ("a", "b", "c", "d", "e", "0001-use-x", "0002-use-y")
NAMED = (*IDS, "k", "a.md", "1", "../fact/b.md", ".memory/project/items/fact/c.md", "nobody")
LINKS = st.lists(st.tuples(st.sampled_from(NAMED), st.sampled_from(["supersedes", "relates_to"])), max_size=2)


def _item(name: str, type_name: str, links: list[tuple[str, str]], key: str, status: str) -> StoredItem:
    fields = {"links": f"[{', '.join(f'{{to: {to!r}, relation: {relation}}}' for to, relation in links)}]"}
    fields |= {"key": key} if key else {}
    plain = status in ("superseded", "superseded by [x](0002-use-y.md)")
    body = f"# Use\n\n## Status\n\n{status.capitalize()}\n" if plain else "Something.\n"
    return make(name, type=type_name, body=body, **fields, **({} if plain else {"status": status}))


ITEMS = st.lists(
    st.builds(
        _item,
        st.sampled_from(IDS),
        st.sampled_from(["fact", "insight", "decision"]),
        LINKS,
        st.sampled_from(["", "", "k", "b"]),
        st.sampled_from(["active", "active", "pending", "archived", "superseded", "superseded by [x](0002-use-y.md)"]),
    ),
    max_size=7,
    unique_by=lambda each: each.item.id,
)


def _seen(items: list[Item], names: set[str]) -> tuple[list[Item], dict[str, object]]:
    """Return the items that are asked for, in order, and what is superseded by what."""
    asked = [item for item in items if names & {item.id, item.path, item.key or item.id}]
    return asked, dict(superseded(items).found)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", OPENERS)
def test_what_links_connect_says_all_that_is_superseded(tmp_path: Path, kind: str) -> None:
    opener = OPENERS[kind](tmp_path)

    @settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.differing_executors])
    @given(ITEMS, st.sets(st.sampled_from(NAMED), max_size=3))
    def check(items: list[StoredItem], names: set[str]) -> None:
        with closing(opener("project")) as store:
            store.clear()
            for each in items:
                store.add(each)

            assert _seen(items_around(store, names), names) == _seen(store.items(), names)

    check()


@pytest.mark.parametrize("kind", ["files", "sqlite"])
def test_items_that_nothing_connects_are_not_read(tmp_path: Path, kind: str) -> None:
    with closing(OPENERS[kind](tmp_path)("project")) as store:
        for number in range(20):
            store.add(make(f"n{number}", type="decision" if number % 2 else "fact", body='"links": "decision":\n'))
        store.add(make("new", links="[{to: n3, relation: supersedes}]"))
        store.add(make("with-key", key="k"))

        assert [item.id for item in items_around(store)] == ["n3", "new"]
        assert [item.id for item in items_around(store, ["n5", "k", "nobody"])] == ["n3", "n5", "new", "with-key"]
        by_path = items_around(store, [".memory/project/items/fact/n4.md"])
        assert [item.id for item in by_path] == ["n3", "n4", "new"]
        store.add(make("by-file", links="[{to: n6.md, relation: supersedes}]"))
        store.add(make("by-path", links="[{to: .memory/project/items/fact/n4.md, relation: supersedes}]"))
        assert [item.id for item in items_around(store)] == ["by-file", "by-path", "n3", "n4", "n6", "new"]
