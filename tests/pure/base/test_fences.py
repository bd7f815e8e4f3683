"""Fences that hold any text, and fences left open, checked against a CommonMark parser."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from verifflowcc.base.text.markdown import LineKind, close_fences, fence_for, open_fence, read_lines, split_lines

pytestmark = pytest.mark.vfcc("REQ-FENCES")

LINES = [
    *("", "text", "more", "# Head", "   ### three", "    # code", "===", "---", "* * *", "> quote", "`` x ``"),
    *("- item", "  cont", "  - sub", "    deep", "1. one", "2. two", "10. ten", "+ plus", "-   three"),
    *("```", "   ```", "```py", "````", "~~~", "~~~~ x", "  ```", "    ```", "- ```", "\t```", "``` a`b", "``` ~"),
]
DOCUMENTS = st.lists(st.sampled_from(LINES), max_size=10).map("\n".join)


@settings(deadline=None)
@given(st.text(alphabet="`~a \n", max_size=40))
def test_nothing_in_a_text_closes_the_fence_made_for_it(text: str) -> None:
    fence = fence_for(text)
    tokens = MarkdownIt("commonmark").parse(f"{fence}\n{text}\n{fence}\n")
    assert [token.type for token in tokens] == ["fence"]
    assert tokens[0].content == text + "\n"


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("", ""),
        ("```\nx\n```\n", "```\nx\n```\n"),
        ("```py\nx", "```py\nx\n```\n"),
        ("~~~~\n~~~\n```\n", "~~~~\n~~~\n```\n~~~~\n"),
        ("  ````\n```\n", "  ````\n```\n  ````\n"),
        ("``` a`b\n", "``` a`b\n"),
        ("    ```\n", "    ```\n"),
        ("- item\n  ```\n  x\n", "- item\n  ```\n  x\n  ```\n"),
        ("- ```\n  x\n", "- ```\n  x\n  ```\n"),
        ("- item\n  ```\n  x\n\nafter the list\n", "- item\n  ```\n  x\n\nafter the list\n"),
        ("```\nx\n``` py\n", "```\nx\n``` py\n```\n"),
        ("```\r\nx\r\n```\r\n", "```\r\nx\r\n```\r\n"),
        ("<!--\n```\n-->\n", "<!--\n```\n-->\n"),
    ],
)
def test_only_a_fence_that_is_open_is_closed(text: str, closed: str) -> None:
    assert close_fences(text) == closed


@settings(deadline=None, max_examples=300)
@given(DOCUMENTS)
def test_fences_begin_where_commonmark_says(text: str) -> None:
    wanted = {token.map[0] for token in MarkdownIt("commonmark").parse(text) if token.type == "fence" and token.map}
    found = {number for number, line in enumerate(read_lines(split_lines(text))) if line.kind is LineKind.OPENS}
    assert found == wanted


@settings(deadline=None, max_examples=200)
@given(DOCUMENTS)
def test_a_closed_text_is_closed_and_only_longer_at_its_end(text: str) -> None:
    closed = close_fences(text)
    assert open_fence(split_lines(closed)) is None
    assert closed.startswith(text)
    assert close_fences(closed) == closed


@settings(deadline=None)
@given(st.text(alphabet="a\n\r\x0b\u2028", max_size=20))
def test_only_a_line_feed_ends_a_line(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all("\n" not in line[:-1] for line in lines)
    assert len(lines) == text.count("\n") + (not text.endswith("\n") and text != "")
