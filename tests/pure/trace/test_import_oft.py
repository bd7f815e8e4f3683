"""OpenFastTrace's Markdown."""

import pytest

from verifflowcc.items.rules.import_values import ForeignLink
from verifflowcc.trace.rules.import_oft import read_oft

pytestmark = pytest.mark.vfcc("REQ-TRACE-IMPORT")

TEXT = """\
# Door

Prose.

## Open
`req~open~2`

The door shall open.

```
req~not-this~1
```

Rationale:

People walk in.

Comment:

Ask Ann.

Covers:

* `feat~door~1`
* [old](#feat~house~1)

Depends:
- req~hinge~1

Status: draft

Tags: a, b

Needs: impl, utest

Close
-----

<a id="req~close~1"></a>
**`req~close~1`**

It shall close.

Covers: feat~door~1

arch --> dsn : req~other~1

# The house
feat~house~2
"""


def test_an_item_is_read_with_all_its_parts() -> None:
    item = read_oft([("a.md", TEXT)]).items[0]
    assert (item.id, item.kind, item.place, item.title) == ("req-open", "req", "a.md:6", "Open")
    assert item.text == "\nThe door shall open.\n\n```\nreq~not-this~1\n```".lstrip("\n")
    assert (item.rationale, item.comments) == ("People walk in.", ("Ask Ann.",))
    assert (item.status, item.tags, item.attributes) == ("draft", ("a", "b"), {"Needs": "impl"})
    assert item.verification == "test"


def test_a_revision_is_a_stamp_that_holds_while_it_is_the_same() -> None:
    links = read_oft([("a.md", TEXT), ("b.md", "feat~door~1\n")]).items[0].links
    assert links == (
        ForeignLink("feat-door", "", "1", holds=True),
        ForeignLink("feat-house", "", "1", holds=False),
        ForeignLink("req-hinge", "depends_on", "1", holds=None),
    )


def test_items_end_where_the_next_heading_begins() -> None:
    tree = read_oft([("a.md", TEXT)])
    assert [(item.id, item.title) for item in tree.items] == [
        ("req-open", "Open"),
        ("req-close", "Close"),
        ("feat-house", "The house"),
    ]
    assert tree.items[1].text == "It shall close."


def test_forwarded_items_are_told() -> None:
    assert read_oft([("a.md", TEXT)]).left == (
        f"a.md:{TEXT.split(chr(10)).index('arch --> dsn : req~other~1') + 1}: an item is forwarded to another type",
    )


def test_a_line_that_covers_no_item_is_skipped_and_named() -> None:
    tree = read_oft([("a.md", "req~a~1\n\nCovers:\n* everything\n* req~b~1\n\nreq~b~1\n")])

    assert tree.malformed == ("a.md:4: `Covers` lists items such as req~login~1, and this is none: * everything",)
    assert tree.items[0].links == (ForeignLink("req-b", "", "1", holds=True),)


def test_nothing_between_off_and_on_is_an_item() -> None:
    text = "req~a~1\nIt ends.\n<!-- oft:off -->\nreq~b~1\n<!-- oft:on -->\nreq~c~1\n.. OFT:OFF\nreq~d~1\n"

    assert [(item.id, item.text) for item in read_oft([("a.md", text)]).items] == [("req-a", "It ends."), ("req-c", "")]


def test_an_item_goes_on_after_a_part_that_is_switched_off() -> None:
    """As for OpenFastTrace, which passes over such lines alone: what the item covers may come behind them."""
    text = "req~a~1\nSuch as\n<!-- oft:off -->\nreq~b~1\n<!-- oft:on -->\n\nCovers:\n- feat~c~1\n\nNeeds: utest\n"

    (item,) = read_oft([("a.md", text)]).items

    assert (item.text, [link.to for link in item.links], item.verification) == ("Such as", ["feat-c"], "test")


def test_an_indented_line_is_code_and_no_item() -> None:
    assert [item.id for item in read_oft([("a.md", "   req~a~1\n\n    req~b~1\n")]).items] == ["req-a"]
