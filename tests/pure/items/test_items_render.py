"""A new item as a file: it reads back as itself, whatever is in it."""

import dataclasses

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.formats.front_matter_values import read_thousandths, show_thousandths
from verifflowcc.base.formats.item_render import render_item, scalar
from verifflowcc.base.model.item_values import (
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
from verifflowcc.items.rules.front_matter import inline_value, split
from verifflowcc.items.store.item_edits import parse_item

WORDS = st.text(min_size=1, max_size=20).map(lambda text: " ".join(text.split())).filter(bool)
MAYBE = st.none() | WORDS
DATES = st.none() | st.dates().filter(lambda date: date.year > 999).map(lambda date: date.isoformat())
STAMPS = st.none() | st.builds(Stamp, WORDS)
ITEMS = st.builds(
    Item,
    id=WORDS,
    type=st.sampled_from(["fact", "requirement"]),
    title=WORDS,
    path=st.just("project/items/fact/x.md"),
    scope=st.just("project"),
    importance=st.integers(0, 1000),
    confidence=st.integers(0, 1000),
    key=MAYBE,
    status=st.sampled_from(Status),
    links=st.lists(
        st.builds(Link, WORDS, st.sampled_from(Relation), stamp=st.none() | st.builds(Stamp, WORDS)), max_size=3
    ).map(tuple),
    source=st.builds(Source, st.sampled_from(SourceKind), WORDS, MAYBE, MAYBE),
    trust=st.sampled_from(Trust),
    refs=st.lists(st.builds(Ref, WORDS, MAYBE, MAYBE), max_size=2).map(tuple),
    created=DATES,
    updated=DATES,
    expires=DATES,
    deadline=DATES,
    verification=MAYBE,
    tags=st.lists(WORDS, max_size=3).map(tuple),
)


@settings(deadline=None, max_examples=250)
@given(ITEMS, st.text(max_size=60))
def test_a_rendered_item_reads_back_as_itself(item: Item, body: str) -> None:
    found = parse_item(item.path, render_item(item, body).encode("utf-8", "replace"))

    assert found.notices == ()
    assert dataclasses.replace(found.item, recency=Recency()) == item


@settings(deadline=None, max_examples=400)
@given(
    st.text(max_size=30)
    | st.sampled_from(["no", "010", "1_000", "1:30", ".inf", "0x1F", "=", "<<", "~", "2026-11-21", "-", "a: b"])
)
def test_a_scalar_is_the_same_text_for_every_reader_of_yaml(text: str) -> None:
    assert yaml.safe_load(f"a: {scalar(text)}\n") == {"a": text}
    assert yaml.safe_load(f"[{scalar(text)}]\n") == [text]
    assert inline_value(scalar(text))


def test_thousandths_read_back() -> None:
    assert all(read_thousandths(show_thousandths(value)) == value for value in range(1001))


def test_the_body_stands_behind_one_empty_line() -> None:
    item = parse_item("project/items/fact/x.md", b"x").item

    assert split(render_item(item, "\n\n# T\r\ntext\n\n")).body == "\n# T\ntext\n"
    assert split(render_item(item, "")).body == ""
