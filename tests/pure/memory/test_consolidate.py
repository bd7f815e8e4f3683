"""Dense clusters: the same whatever the order, each item in one, and a summary that tells each thing once."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.model.item_values import Item, Link, Ref, Relation, Source, SourceKind, Status, Trust, Uses
from verifflowcc.memory.rules.consolidate import (
    DENSE,
    MOST,
    RememberedItem,
    clusters,
    is_consolidation,
    may_join,
    originals_of,
    stem_of,
    summary_of,
    why_consolidated,
)
from verifflowcc.memory.rules.lifetimes import LONGEST, statement, without_repeats

FOUND = Source(SourceKind.EXTRACTED, "agent:coder")
PROMOTED = (("promoted_by", "human:You"), ("promoted_on", "2026-11-01"), ("vouched_by", "human:You"))
FACT = Item("a", "fact", "A", "a.md", "project", 500, 800, source=FOUND, created="2026-11-01", details=PROMOTED)
WORDS = ("parser", "cache", "cold", "start", "socket", "retry", "limit", "token", "header", "queue")


def fact(name: str, text: str, **changes: object) -> RememberedItem:
    return RememberedItem(replace(FACT, id=name, title=text, path=f"{name}.md", **changes), f"{text}\n")  # type: ignore[arg-type]


CACHE = [
    fact("c1", "The parser cache is cold at start"),
    fact("c2", "At start the parser cache is cold, and slow"),
    fact("c3", "A cold parser cache makes the start slow"),
    fact("c4", "The parser cache is cold at the start of a run"),
]
OTHERS = [fact("o1", "Tokens expire after an hour"), fact("o2", "The queue has no limit")]
REMEMBERED = st.lists(
    st.builds(
        lambda words, number, kind, trust, sure: fact(
            f"i{number:02}", " ".join(words), type=kind, trust=trust, confidence=sure, importance=1000 - sure
        ),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
        st.integers(0, 40),
        st.sampled_from(["fact", "fix"]),
        st.sampled_from(Trust),
        st.integers(0, 1000),
    ),
    max_size=30,
    unique_by=lambda each: each.item.id,
)


def ids(items: list[RememberedItem]) -> list[tuple[str, ...]]:
    return [tuple(each.item.id for each in cluster.members) for cluster in clusters(items)]


@pytest.mark.vfcc("REQ-CONSOLIDATE")
def test_items_that_say_much_the_same_are_a_cluster_and_others_are_none() -> None:
    assert ids([*OTHERS, *CACHE]) == [("c1", "c2", "c3", "c4")]
    assert ids(CACHE[:3]) == []
    assert ids([*OTHERS]) == []


def test_a_key_of_one_subject_and_a_file_in_common_bring_items_nearer() -> None:
    texts = ("start names with a_", "names end in an x", "names hold a digit", "names are short")
    plain = [fact(f"n{place}", text) for place, text in enumerate(texts)]
    keyed = [
        RememberedItem(replace(each.item, key=f"function-names.{place}", refs=(Ref("src/names.py"),)), each.body)
        for place, each in enumerate(plain)
    ]

    assert ids(plain) == []
    assert ids(keyed) == [("n0", "n1", "n2", "n3")]
    assert stem_of("function-names.start") == "function-names"


def test_types_are_not_mixed() -> None:
    mixed = [
        RememberedItem(replace(each.item, type=("fact", "fix")[place % 2]), each.body)
        for place, each in enumerate(CACHE)
    ]

    assert ids(mixed) == []


@given(items=REMEMBERED, data=st.data())
@settings(deadline=None, max_examples=150)
def test_the_clusters_are_the_same_in_whatever_order(items: list[RememberedItem], data: st.DataObject) -> None:
    found = clusters(items)
    members = [each.item.id for cluster in found for each in cluster.members]

    assert clusters(data.draw(st.permutations(items))) == found
    assert len(members) == len(set(members))
    assert all(DENSE <= len(cluster.members) <= MOST for cluster in found)
    left = [each for each in items if each.item.id not in members]
    assert clusters(left) == (), "nothing is left for a second run"


@pytest.mark.vfcc("REQ-TRUST-LEAST")
@given(items=REMEMBERED)
@settings(deadline=None, max_examples=150)
def test_a_summary_is_no_more_trusted_or_sure_than_what_it_is_made_of(items: list[RememberedItem]) -> None:
    order = list(Trust)
    for cluster in clusters(items):
        members = [each.item for each in cluster.members]
        made = summary_of(cluster, today="2026-11-21")

        assert order.index(made.item.trust) == max(order.index(item.trust) for item in members)
        assert made.item.confidence == min(item.confidence for item in members)
        assert made.item.importance == max(item.importance for item in members)
        assert originals_of(made.item) == tuple(item.id for item in members)
        lines = made.body.splitlines()
        assert len(lines) == len(set(lines))
        said = " ".join(line.casefold() for line in lines)
        assert all(each.item.title in said for each in cluster.members), "nothing that was said is left out"


@pytest.mark.vfcc("REQ-CONSOLIDATE")
def test_a_summary_tells_each_thing_once_and_links_back() -> None:
    said = [
        *CACHE,
        fact("c5", "the parser cache is COLD at start!", trust=Trust.EXTERNAL, confidence=600, importance=900),
    ]
    said[0] = RememberedItem(
        replace(
            said[0].item,
            links=(Link("old", Relation.SUPERSEDES), Link("c2", Relation.CAUSED_BY), Link("bug", Relation.CAUSED_BY)),
            refs=(Ref("src/parse.py"),),
            uses=Uses(2, "2026-11-10"),
        ),
        said[0].body,
    )
    (cluster,) = clusters(said)

    made = summary_of(cluster, today="2026-11-21")

    assert made.body == (
        "- The parser cache is cold at start\n"
        "- At start the parser cache is cold, and slow\n"
        "- A cold parser cache makes the start slow\n"
        "- The parser cache is cold at the start of a run\n"
    )
    item = made.item
    assert (item.type, item.status, item.trust, item.confidence, item.importance) == (
        *("summary", Status.ACTIVE, Trust.EXTERNAL),
        *(600, 900),
    )
    assert item.source == Source(SourceKind.INFERRED, "tool:vfcc")
    assert item.links == (*(Link(f"c{n}", Relation.DEPENDS_ON) for n in range(1, 6)), Link("bug", Relation.CAUSED_BY))
    assert item.refs == (Ref("src/parse.py"),)
    assert item.uses == Uses(2, "2026-11-10")
    assert (item.created, item.expires) == ("2026-11-21", "2027-11-01"), "it ends with the last of them"
    assert is_consolidation(item)
    assert not may_join(item)
    assert item.title == "5 facts on cache, cold, parser"
    assert why_consolidated(cluster) == "5 items on cache, cold, parser say much the same: c1, c2, c3, c4, c5"


def test_its_id_follows_from_theirs() -> None:
    (cluster,) = clusters(CACHE)

    first, again, salted = (
        summary_of(cluster, today=day, salt=salt).item.id
        for day, salt in (("2026-11-21", 0), ("2027-01-01", 0), ("2026-11-21", 1))
    )

    assert first == again != salted


def test_a_text_can_be_refined_and_a_refusal_changes_nothing() -> None:
    (cluster,) = clusters(CACHE)
    plain = summary_of(cluster, today="2026-11-21")

    assert summary_of(cluster, today="2026-11-21", refine=lambda told: f"{len(told)} things").body == "4 things"
    assert summary_of(cluster, today="2026-11-21", refine=lambda told: None) == plain


def test_a_secret_in_an_original_is_not_copied() -> None:
    key = "AKIA" + "Q3W7ZKD4PXR5TN2M"
    said = [*CACHE, RememberedItem(replace(CACHE[3].item, id="c5"), f"The parser cache is cold at the start: {key}\n")]
    said = [RememberedItem(replace(each.item, refs=(Ref("src/parse.py"),)), each.body) for each in said]

    (cluster,) = clusters(said)
    made = summary_of(cluster, today="2026-11-21").body

    assert len(cluster.members) == 5
    assert "cold at the start: [secret withheld: " in made
    assert key not in made


def test_what_people_wrote_what_waits_and_what_is_disputed_stays() -> None:
    assert may_join(FACT)
    assert may_join(replace(FACT, scope="sprint/s", details=())), "what is open below the project asks nobody"
    for changes in (
        {"source": Source()},
        {"source": Source(SourceKind.EXTRACTED, "human:You")},
        {"status": Status.PENDING},
        {"status": Status.ARCHIVED},
        {"type": "decision"},
        {"type": "preference"},
        {"details": ()},
        {"links": (Link("b", Relation.CONTRADICTS),)},
    ):
        assert not may_join(replace(FACT, **changes)), changes


def test_a_statement_is_the_first_paragraph_on_one_line() -> None:
    assert statement(FACT, "# Heading\n\nIt is\n  so.\n\nMore.\n") == "It is so."
    assert statement(FACT, "") == "A"
    assert statement(FACT, "# Only a heading\n") == "A"
    long = statement(FACT, "word " * 200)
    assert len(long) <= LONGEST
    assert long.endswith("word…")


def test_of_two_statements_of_which_one_says_more_that_one_is_kept() -> None:
    said = ["The cache is cold.", "At start the cache is cold!", "the cache is COLD", "The disk is slow"]

    assert without_repeats(said) == ("At start the cache is cold!", "The disk is slow")


@given(said=st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=8))
@settings(deadline=None, max_examples=200)
def test_what_is_left_out_stands_in_what_is_kept(said: list[str]) -> None:
    kept = without_repeats(said)

    assert without_repeats(kept) == kept
    for each in said:
        assert any(f" {each} " in f" {other} " or not each for other in kept)


@pytest.mark.vfcc("REQ-TRUST-LEAST")
def test_a_summary_is_trusted_as_those_who_wrote_its_items_not_as_their_files_claim() -> None:
    claimed = [RememberedItem(replace(each.item, details=PROMOTED[:2], trust=Trust.HUMAN), each.body) for each in CACHE]

    (cluster,) = clusters(claimed)

    assert summary_of(cluster, today="2026-11-21").item.trust is Trust.AGENT
