"""An edit keeps every byte that it does not mean, whatever a front matter says: laws under random items."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.remembered_world import LATER, ME
from verifflowcc.base.model.item_values import Link, Relation, Status
from verifflowcc.base.model.memory_protocol import StoredItem
from verifflowcc.memory.store.placing import stored_item
from verifflowcc.memory.use.editing import ItemEdits, changed_item
from verifflowcc.memory.use.item_search import ScopedItem
from verifflowcc.memory.use.recording import with_link, without_link

ENTRIES = st.lists(
    st.sampled_from(
        [
            ("title", ("title: 'It''s'  # why",)),
            ("title", ("title: >-", "  folded", "  words")),
            ("importance", ("importance: 0.7   # high",)),
            ("tags", ("tags: [a, b]",)),
            ("tags", ("tags:", "  - a  # first", "  - b")),
            ("status", ("status: archived",)),
            ("expires", ('expires: "2027-01-01"',)),
            ("team", ("team:  Core   # who",)),
            ("odd", ("odd: {a: [1, 2], 'b': ~}",)),
            ("note", ("note: |", "  two: x", "", "  lines # no comment")),
            ("list", ("list:", "- {x: 1}", "- 2")),
            ("created", ("created: 2026-01-02",)),
            ("#", ("# a comment",)),
            ("", ("",)),
        ]
    ),
    max_size=9,
    unique_by=lambda entry: entry[0],
)
CHANGES = {
    "importance": ItemEdits(importance=125),
    "title": ItemEdits(title="Said: anew # so"),
    "tags": ItemEdits(tag=("new",)),
    "status": ItemEdits(status=Status.PENDING),
    "expires": ItemEdits(expires="2030-01-01"),
    "key": ItemEdits(key="k"),
}


def _found(entries: list[tuple[str, tuple[str, ...]]], newline: str, mark: str, body: str) -> ScopedItem:
    lines = ["---", "id: held", "type: fact", *(line for _, each in entries for line in each), "---", *body.split("\n")]
    text = mark + newline.join(lines)
    return ScopedItem("project", stored_item(".memory/project/items/fact/held.md", text.encode()))


def _without(text: str, keys: set[str]) -> list[str]:
    """The lines of a text, but for those of some keys of its front matter."""
    lines = text.splitlines(keepends=True)
    end = next(place for place, line in enumerate(lines[1:], 1) if line.strip() == "---")
    left, inside = [], False
    for place, line in enumerate(lines):
        if line.strip() and not line.startswith((" ", "- ", "#")):
            inside = place < end and line.partition(":")[0] in keys
        elif line.startswith("#") or not line.strip():
            inside = inside and not line.startswith("#")
        if not inside:
            left.append(line)
    return left


@pytest.mark.vfcc("REQ-ITEM-LOSSLESS")
@settings(deadline=None, max_examples=150)
@given(
    entries=ENTRIES,
    name=st.sampled_from(sorted(CHANGES)),
    newline=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from(["", "\ufeff"]),
    body=st.text(st.sampled_from("ab#: -\n"), max_size=20),
)
def test_an_edit_changes_the_lines_meant_and_no_other(
    entries: list[tuple[str, tuple[str, ...]]], name: str, newline: str, mark: str, body: str
) -> None:
    found = _found(entries, newline, mark, body)

    after, changed = changed_item(found, CHANGES[name], actor=ME, today=LATER)

    assert name in changed
    assert set(changed) <= {name}
    keys = {name, "updated"}
    assert _without(after.text, keys) == _without(found.stored.text, keys)
    assert (after.body, after.item.updated) == (found.stored.body, LATER)


@pytest.mark.vfcc("REQ-ITEM-LOSSLESS")
@settings(deadline=None, max_examples=100)
@given(
    entries=ENTRIES,
    newline=st.sampled_from(["\n", "\r\n"]),
    body=st.text(st.sampled_from("ab#: -\n"), max_size=20),
    text=st.text(st.sampled_from("xyz #-:\n"), min_size=1, max_size=20).map(lambda text: f"w{text.strip()}"),
)
def test_another_text_and_a_link_made_and_taken_away_leave_the_rest(
    entries: list[tuple[str, tuple[str, ...]]], newline: str, body: str, text: str
) -> None:
    found = _found(entries, newline, "", body)
    after, _ = changed_item(found, ItemEdits(text=text, title="T"), actor=ME, today=LATER)
    keys = {"title", "updated", "trust"}

    def front(stored: StoredItem) -> list[str]:
        return _without(stored.text.removesuffix(stored.text.partition(f"{newline}---{newline}")[2]), keys)

    assert after.body.strip("\n") == text
    assert front(after) == front(found.stored)
    linked = with_link(found.stored, Link("other", Relation.DEPENDS_ON))
    assert _without(linked.text, {"links"}) == _without(found.stored.text, {"links"})
    assert linked.item.links == (Link("other", Relation.DEPENDS_ON),)
    assert _without(without_link(linked, "other", Relation.DEPENDS_ON).text, {"links"}) == _without(
        found.stored.text, {"links"}
    )
