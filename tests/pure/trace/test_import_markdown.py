"""Requirements in plain Markdown."""

import pytest

from verifflowcc.base.errors import FormatError
from verifflowcc.items.rules.import_values import ForeignLink
from verifflowcc.trace.rules.import_markdown import read_markdown

pytestmark = pytest.mark.vfcc("REQ-TRACE-IMPORT")

TEXT = """\
# Door

Prose.

## REQ-1 Opening

It shall open.

```
## REQ-9 in code
```

- **Parent**: NEED-1, NEED-2
- Verification: test
- Verifies: REQ-7

### Details

More of it.

## Other

Not of REQ-1.

- **REQ-2**: It shall close.
**SYS_DOOR-3** It shall lock.

## UTF-8x and so on
"""


def test_headings_and_bold_ids_begin_items() -> None:
    items = read_markdown([("a.md", TEXT)]).items
    assert [(item.id, item.kind, item.title, item.place) for item in items[:3]] == [
        ("REQ-1", "REQ", "Opening", "a.md:5"),
        ("REQ-2", "REQ", "", "a.md:25"),
        ("SYS_DOOR-3", "SYS", "", "a.md:26"),
    ]
    assert items[1].text == "It shall close."


def test_an_item_ends_with_the_next_heading_of_its_level() -> None:
    first = read_markdown([("a.md", TEXT)]).items[0]
    assert first.text.startswith("It shall open.")
    assert first.text.endswith("### Details\n\nMore of it.")
    assert "## REQ-9 in code" in first.text


def test_lines_with_keys_are_fields() -> None:
    first = read_markdown([("a.md", TEXT)]).items[0]
    assert first.verification == "test"
    assert first.links == (ForeignLink("NEED-1"), ForeignLink("NEED-2"), ForeignLink("REQ-7", "verifies"))


def test_a_pattern_of_ones_own_decides() -> None:
    pattern = r"\[(?P<id>[a-z]+\d+)\] (?P<title>.*)"
    (item,) = read_markdown([("a.md", "## REQ-1 No\n\n[x1] Open\n\nIt shall.\n")], pattern).items
    assert (item.id, item.kind, item.title, item.text) == ("x1", "x", "Open", "It shall.")


@pytest.mark.parametrize("pattern", ["(", "REQ-1"])
def test_a_pattern_that_names_no_id_is_refused(pattern: str) -> None:
    with pytest.raises(FormatError, match=r"^--pattern:1: "):
        read_markdown([("a.md", "")], pattern)
