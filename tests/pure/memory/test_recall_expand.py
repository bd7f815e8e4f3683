"""One step along links: behind the direct hits, each item once, no more than the quota, none that is doubtful."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.model.config_values import ExpansionSettings
from verifflowcc.base.model.item_values import Item, Link, Relation
from verifflowcc.base.model.recall_values import Edge
from verifflowcc.memory.rules.recall_ranking import FROM_BEST, Neighbour, edge_between, expanded

pytestmark = pytest.mark.vfcc("REQ-READ-EXPANSION")

USUAL = ExpansionSettings()
NAMES = [f"i{number}" for number in range(9)]
Around = dict[str, list[tuple[str, str]]]


def item(name: str, confidence: int = 800, *links: Link, key: str | None = None) -> Item:
    return Item(name, "fact", name, f"{name}.md", "project", 500, confidence, key=key, links=links)


def brought(
    hits: list[str], around: Around, settings: ExpansionSettings = USUAL, *, doubted: Iterable[str] = ()
) -> list[tuple[str, str, str]]:
    """Return (what was brought in, by which relation, from which hit); `around` tells (relation, item) by hit."""

    def beside(hit: str) -> list[Neighbour]:
        return [
            Neighbour(item(name, 499 if name in doubted else 500), "project", Edge(hit, relation, outward=True))
            for relation, name in around.get(hit, [])
        ]

    known = [("project", f"{name}.md") for name in hits]
    return [(each.item.id, each.edge.relation, hit) for each, hit in expanded(hits, known, beside, settings)]


RELATIONS = st.sampled_from([str(each) for each in Relation])
links = st.lists(st.lists(st.tuples(RELATIONS, st.sampled_from(NAMES)), max_size=4), min_size=9, max_size=9).map(
    lambda found: dict(zip(NAMES, found, strict=True))
)


@given(
    st.lists(st.sampled_from(NAMES), unique=True),
    links,
    st.integers(0, 5),
    st.booleans(),
    st.sets(st.sampled_from(NAMES)),
)
def test_never_more_than_the_quota_each_once_no_direct_hit_and_none_that_is_doubtful(
    hits: list[str], around: Around, most: int, enabled: bool, doubted: set[str]
) -> None:
    found = brought(hits, around, ExpansionSettings(enabled, most), doubted=doubted)
    names = [name for name, _, _ in found]
    reached = {name for hit in hits[:FROM_BEST] for _, name in around.get(hit, [])} - set(hits) - doubted

    assert len(names) == len(set(names)) == (min(most, len(reached)) if enabled else 0)
    assert set(names) <= reached
    assert [hits.index(hit) for _, _, hit in found] == sorted(hits.index(hit) for _, _, hit in found)


@given(st.lists(st.sampled_from(NAMES), unique=True), links, st.randoms())
def test_the_order_in_which_neighbours_are_told_says_nothing(hits: list[str], around: Around, chance: object) -> None:
    shuffled = {name: list(found) for name, found in around.items()}
    for found in shuffled.values():
        chance.shuffle(found)  # type: ignore[attr-defined]

    assert brought(hits, shuffled) == brought(hits, around)


def test_the_quota_and_the_least_confidence_are_kept_to() -> None:
    around = {"i0": [("depends_on", name) for name in NAMES[1:]]}

    assert [name for name, _, _ in brought(["i0"], around)] == ["i1", "i2", "i3"]
    assert brought(["i0"], around, ExpansionSettings(max_items=0)) == []
    assert [name for name, _, _ in brought(["i0"], around, doubted=["i1", "i3"])] == ["i2", "i4", "i5"]
    assert brought(["i0"], around, ExpansionSettings(enabled=False)) == []


def test_one_step_and_no_further() -> None:
    around = {"i0": [("depends_on", "i1")], "i1": [("depends_on", "i2")]}

    assert brought(["i0"], around) == [("i1", "depends_on", "i0")]


def test_links_of_the_best_hits_alone_are_followed() -> None:
    hits = NAMES[: FROM_BEST + 1]
    around = {hits[-1]: [("depends_on", "i8")]}

    assert brought(hits, around) == []
    assert brought(hits[1:], around) == [("i8", "depends_on", hits[-1])]


def test_a_link_that_the_hit_holds_goes_before_one_that_leads_to_it() -> None:
    one = item("one", 800, Link("other", Relation.CAUSED_BY))
    other = item("other", 800, Link("one", Relation.RESOLVED_BY))

    assert edge_between(one, other) == Edge("one", "caused_by", outward=True)
    assert edge_between(item("one"), other) == Edge("one", "resolved_by", outward=False)
    assert edge_between(item("one"), item("other")) is None


@pytest.mark.parametrize("name", ["other", "other.md", "k"])
def test_a_link_means_an_item_by_id_path_or_key(name: str) -> None:
    one = item("one", 800, Link(name, Relation.DEPENDS_ON))

    assert edge_between(one, item("other", key="k")) == Edge("one", "depends_on", outward=True)
    assert edge_between(item("other", key="k"), one) == Edge("other", "depends_on", outward=False)
