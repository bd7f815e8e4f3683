"""Sections of a Markdown text, checked against a CommonMark parser."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.pure.base.test_fences import DOCUMENTS
from verifflowcc.base.text.markdown import sections


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("no heading\n", [(0, "")]),
        ("# One\n\n## Two ##\n", [(1, "One"), (2, "Two")]),
        ("intro\n\n#\n", [(0, ""), (1, "")]),
        ("One\n===\nTwo\nlines\n---\n", [(1, "One"), (2, "Two lines")]),
        ("```\n# not one\n```\n# One\n", [(0, ""), (1, "One")]),
        ("```\n# never closed\n", [(0, "")]),
        ("- # in a list\n\n  # too\n\n# One\n", [(0, ""), (1, "One")]),
        ("> # quoted\n\n# One\n", [(0, ""), (1, "One")]),
        ("<!--\n# comment\n-->\n# One\n", [(0, ""), (1, "One")]),
        ("---\ntitle: x\n# comment\n---\n# One\n", [(0, ""), (1, "One")]),
        ("# CRLF #\r\n\r\nText\r\n---\r\n", [(1, "CRLF"), (2, "Text")]),
        ("text\n2. two\n---\n", [(2, "text 2. two")]),
        ("- a\n  b\n  ---\n\n- c\n  ===\n", [(0, "")]),
        ("#tag\n    # code\n####### seven\n", [(0, "")]),
        ("| a |\n|---|\n| b |\n", [(0, "")]),
    ],
)
def test_headings_are_those_that_a_reader_sees(text: str, found: list[tuple[int, str]]) -> None:
    assert [(part.level, part.title) for part in sections(text)] == found


@settings(deadline=None, max_examples=300)
@given(DOCUMENTS)
def test_headings_are_those_of_commonmark(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(text)
    wanted = [
        (token.map[0], int(token.tag[1]))
        for token in tokens
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    assert [(text[: part.start].count("\n"), part.level) for part in sections(text) if part.level] == wanted


@settings(deadline=None)
@given(st.one_of(DOCUMENTS, st.text()))
def test_sections_put_together_are_the_text(text: str) -> None:
    parts = sections(text)
    assert "".join(text[part.start : part.end] for part in parts) == text
    assert all(part.start < part.end for part in parts)
    assert all(part.level > 0 for part in parts[1:])
