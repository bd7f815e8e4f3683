"""Where an item came from: the text, the place in it and who said it, in the file and back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.formats.item_render import render_item
from verifflowcc.base.model.item_values import Item, Source, SourceKind
from verifflowcc.base.text.plain_words import plain_line
from verifflowcc.memory.store.placing import item_from_text, item_to_text, stored_item

WORDS = st.none() | st.text(min_size=1, max_size=40).map(plain_line).filter(bool)


def item(source: Source) -> Item:
    return Item("a", "fact", "A", "user/items/fact/a.md", "user", 500, 800, source=source)


@settings(deadline=None, max_examples=150)
@given(WORDS, WORDS, WORDS, WORDS, WORDS)
def test_a_source_is_read_as_it_was_written(
    project: str | None, session: str | None, origin: str | None, turn: str | None, speaker: str | None
) -> None:
    source = Source(SourceKind.EXTRACTED, "human:You", project, session, origin, turn, speaker)
    made = stored_item("user/items/fact/a.md", render_item(item(source), "A.").encode())

    assert made.item.source == source
    assert item_from_text(item_to_text(made.item)).source == source


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("source: explicit", Source()),
        ("source: {kind: imported, actor: ci, project: p}", Source(SourceKind.IMPORTED, "ci", "p")),
        ("source: {kind: extracted, actor: human, session: s}", Source(SourceKind.EXTRACTED, "human", None, "s")),
        ("type: fact", Source()),
    ],
)
def test_older_items_are_read_as_before(line: str, source: Source) -> None:
    made = stored_item("user/items/fact/a.md", f"---\n{line}\n---\nA.\n".encode())
    assert made.item.source == source
    assert "origin" not in render_item(made.item, "A.")


def test_a_row_that_an_older_index_or_database_wrote_is_read() -> None:
    made = item_from_text(
        '{"id":"a","type":"fact","title":"A","path":"user/items/fact/a.md","scope":"user","importance":500,'
        '"confidence":800,"source":["extracted","human:You",null,"s"]}'
    )
    assert made.source == Source(SourceKind.EXTRACTED, "human:You", None, "s")
