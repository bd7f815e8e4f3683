"""A list in front matter is changed entry by entry: all else stays, byte for byte, and no comment is lost."""

import pytest

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.front_matter_values import FieldList, FieldScalar, FieldTable, Value
from verifflowcc.items.rules.front_matter_list import ListEdit, edit_list, entry


def link(to: str, **more: str) -> FieldTable:
    """A link to an item."""
    pairs = {"to": to, "relation": "refines", **more}
    return FieldTable(tuple((key, FieldScalar(value, True, 1)) for key, value in pairs.items()), 1)


A, B, NEW = link("NEED-a"), link("NEED-b"), link("NEED-new")
STAMPED = link("NEED-a", on="2026-11-21")


def edited(text: str, values: tuple[Value, ...], change: ListEdit) -> str:
    """The text with its links changed."""
    return edit_list(text, "links", values, change, path="REQ-x.md")


BLOCK = """\
---
id: REQ-x
links:  # to what stands above
  # the first need
  - {to: NEED-a, relation: refines}  # agreed on Monday
  # the second need
  - {to: NEED-b, relation: refines}

# about tags
tags: [a]
---
body
"""


def test_of_a_list_with_one_entry_per_line_only_the_lines_of_what_changes_are_others() -> None:
    after = edited(BLOCK, (A, B), ListEdit({0: STAMPED}, (NEW,)))

    expected = BLOCK.replace(
        "  - {to: NEED-a, relation: refines}  #", "  - {to: NEED-a, relation: refines, on: 2026-11-21}  #"
    ).replace(
        "  - {to: NEED-b, relation: refines}\n",
        "  - {to: NEED-b, relation: refines}\n  - {to: NEED-new, relation: refines}\n",
    )
    assert after == expected


def test_an_entry_is_taken_out_with_its_line_alone() -> None:
    after = edited(BLOCK, (A, B), ListEdit({1: None}))

    assert after == BLOCK.replace("  - {to: NEED-b, relation: refines}\n", "")


def test_the_last_entry_leaves_an_empty_list_and_the_comment_of_the_key() -> None:
    text = "---\nlinks:  # above\n  - {to: NEED-a, relation: refines}\nid: x\n---\n"

    assert edited(text, (A,), ListEdit({0: None})) == "---\nlinks: [] # above\nid: x\n---\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("before", "values", "after"),
    [
        ("id: x\n", (), "id: x\nlinks:\n  - {to: NEED-new, relation: refines}\n"),
        ("links:\nid: x\n", (), "links:\n  - {to: NEED-new, relation: refines}\nid: x\n"),
        ("links: []  # none\nid: x\n", (), "links: # none\n  - {to: NEED-new, relation: refines}\nid: x\n"),
        (
            "links: [{to: NEED-a, relation: refines}]\nid: x\n",
            (A,),
            "links:\n  - {to: NEED-a, relation: refines}\n  - {to: NEED-new, relation: refines}\nid: x\n",
        ),
        (
            "links: [\n  {to: NEED-a, relation: refines},\n]\nid: x\n",
            (A,),
            "links:\n  - {to: NEED-a, relation: refines}\n  - {to: NEED-new, relation: refines}\nid: x\n",
        ),
        (
            "links:\n- to: NEED-a\n  relation: refines\nid: x\n",
            (A,),
            "links:\n- to: NEED-a\n  relation: refines\n- {to: NEED-new, relation: refines}\nid: x\n",
        ),
    ],
)
def test_an_entry_is_added_to_a_list_however_it_is_written(
    before: str, values: tuple[Value, ...], after: str, newline: str
) -> None:
    text = f"---\n{before}---\nbody\n".replace("\n", newline)

    assert edited(text, values, ListEdit({}, (NEW,))) == f"---\n{after}---\nbody\n".replace("\n", newline)


@pytest.mark.parametrize(
    ("block", "line", "change"),
    [
        ("links:\n  - to: NEED-a  # why\n    relation: refines\n", 3, ListEdit({0: STAMPED})),
        ("links:\n  - {to: NEED-a, relation: refines}  # why\n", 3, ListEdit({0: None}, (NEW,))),
        ("links: [\n  {to: NEED-a, relation: refines},  # why\n]\n", 2, ListEdit({0: STAMPED})),
        ("id: x\nlinks: []\nlinks: []\n", 4, ListEdit({}, (NEW,))),
    ],
)
def test_what_would_lose_a_comment_or_a_key_is_refused_with_its_line(block: str, line: int, change: ListEdit) -> None:
    with pytest.raises(FormatError, match=rf"^REQ-x\.md:{line}: links cannot be edited: ") as caught:
        edited(f"---\n{block}---\n", (A,), change)

    assert caught.value.hint == "edit the file by hand"


def test_a_file_without_front_matter_is_refused() -> None:
    with pytest.raises(FormatError, match="no front matter"):
        edited("# Title\n", (), ListEdit({}, (NEW,)))


def test_an_entry_stays_on_one_line_and_reads_as_it_was_meant() -> None:
    value = FieldTable(
        (
            ("by", FieldScalar("human:Jo Doe", False, 1)),
            ("reason", FieldScalar("it's: {fine}\n, really", False, 1)),
            ("none", FieldScalar("", True, 1)),
            ("no", FieldScalar("no", False, 1)),
            ("all", FieldList((FieldScalar("a, b", False, 1),), 1)),
        ),
        1,
    )

    assert entry(value) == (
        "{by: 'human:Jo Doe', reason: \"it's: {fine}\\n, really\", none: null, no: 'no', all: ['a, b']}"
    )
