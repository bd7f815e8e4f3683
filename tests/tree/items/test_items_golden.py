"""The bytes of new items, their ids and the shape of links: what users commit and what can no longer change."""

import dataclasses
from pathlib import Path

import pytest

from verifflowcc.base.formats.item_render import render_item, render_links
from verifflowcc.base.model.item_query import Condition, Operator, asked_in_sql
from verifflowcc.base.model.item_values import (
    DecisionFacts,
    Item,
    Link,
    Recency,
    Ref,
    Relation,
    Source,
    SourceKind,
    Stamp,
    Status,
    Trust,
)
from verifflowcc.base.text.identifiers import item_id
from verifflowcc.items.store.item_edits import edit_item, parse_item
from verifflowcc.memory.store.postgres import where

GOLDEN = Path(__file__).parents[2] / "golden" / "items"

DECISION = Item(
    id=item_id("Index with FTS5", "k3f9"),
    type="decision",
    title="Index with FTS5",
    path="project/decisions/index-with-fts5-k3f9.md",
    scope="project",
    importance=900,
    confidence=800,
    key="search-index",
    links=(Link("drop-grep-7q2m", Relation.SUPERSEDES),),
    source=Source(SourceKind.EXPLICIT, "human", "vfcc"),
    refs=(Ref("src/search.py", "Index.query", "sha256:" + "ab" * 32),),
    created="2026-11-21",
    recency=Recency("date", "2026-11-21"),
    decision=DecisionFacts(title="Index with FTS5"),
)
REQUIREMENT = Item(
    id=item_id("The session ends after 30 minutes", "0a1b"),
    type="requirement",
    title="The session ends after 30 minutes: always",
    path="project/items/requirement/the-session-ends-after-30-minutes-0a1b.md",
    scope="project",
    importance=850,
    confidence=1000,
    status=Status.PENDING,
    links=(
        Link("safe-accounts-9x8y", Relation.REFINES, stamp=Stamp("sha256:" + "0f" * 32)),
        Link("no", Relation.DEPENDS_ON),
    ),
    source=Source(SourceKind.EXTRACTED, "agent:analyst", "vfcc", "s-01"),
    trust=Trust.AGENT,
    created="2026-11-21T10:00:00Z",
    updated="2026-11-22",
    expires="2027-11-21",
    deadline="2026-12-31",
    verification="test",
    tags=("login", "two words", "010", "größe"),
    recency=Recency("date", "2026-11-22"),
)
MINIMAL = Item(
    id="fact-zzzz",
    type="fact",
    title='Say "no", don\'t say: maybe # ever',
    path="project/items/fact/fact-zzzz.md",
    scope="project",
    importance=500,
    confidence=800,
)
CASES = {
    "decision.md": (DECISION, "# Index with FTS5\n\nGrep reads every file at each query.\n"),
    "requirement.md": (REQUIREMENT, "After 30 minutes without a request the session shall end.\n"),
    "minimal.md": (MINIMAL, ""),
}


@pytest.mark.parametrize("name", CASES)
def test_a_new_item_has_the_bytes_that_it_always_had(name: str) -> None:
    item, body = CASES[name]

    assert render_item(item, body).encode("utf-8") == (GOLDEN / name).read_bytes()


@pytest.mark.parametrize("name", CASES)
def test_the_bytes_read_as_the_item(name: str) -> None:
    item, body = CASES[name]

    found = parse_item(item.path, (GOLDEN / name).read_bytes())

    assert found.item == item
    assert found.body.strip() == body.strip()
    assert found.notices == ()


@pytest.mark.vfcc("REQ-ITEM-LINKS")
def test_links_of_memory_and_trace_have_one_shape() -> None:
    links = [Link(f"to-{number}", relation) for number, relation in enumerate(Relation)]

    assert render_links(links).encode() == (GOLDEN / "links.yaml").read_bytes().rstrip(b"\n")
    item = parse_item("x.md", f"---\nlinks: {render_links(links)}\n---\n".encode()).item
    assert item.links == tuple(links)


def test_a_field_that_databases_have_no_column_for_is_compared_in_python() -> None:
    conditions = [Condition("owner", Operator.ANY, ("ada",)), Condition("key", Operator.ANY, ("port",))]

    assert asked_in_sql(conditions).rest == (conditions[0],)
    assert where(conditions).left == (conditions[0],)


def test_a_link_is_added_by_one_line(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes((GOLDEN / "decision.md").read_bytes())
    more = (*DECISION.links, Link("safe-accounts-9x8y", Relation.DEPENDS_ON))

    after = edit_item("x.md", path.read_bytes(), {"links": render_links(more)})

    before_lines, after_lines = path.read_bytes().split(b"\n"), after.split(b"\n")
    assert [one for one, other in zip(before_lines, after_lines, strict=True) if one != other] == [
        b"links: [{to: drop-grep-7q2m, relation: supersedes}]"
    ]
    assert parse_item(DECISION.path, after).item == dataclasses.replace(DECISION, links=more)
