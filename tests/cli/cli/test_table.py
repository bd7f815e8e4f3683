"""The layout of tables: nothing is lost at any width, and lines keep to it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from verifflowcc.base.terminal.table import LONG_WORD, table
from verifflowcc.base.terminal.terminal import UNBOUNDED

HEADINGS = ("", "name", "kept", "reason")
WORDS = st.lists(st.text("ab/.字🎉é", min_size=1, max_size=40), max_size=6).map(" ".join)
ROWS = st.lists(st.tuples(st.sampled_from(["", ">"]), WORDS, st.integers(0, 10**9).map(str), WORDS), max_size=4)


def _letters(text: str) -> str:
    return "".join(text.split())


@given(ROWS, st.integers(20, 200))
@settings(deadline=None)
def test_every_letter_of_every_cell_is_there(rows: list[tuple[str, ...]], width: int) -> None:
    for row in rows:
        shown = table(HEADINGS, [row], right=(2,), width=width)
        lines = shown.splitlines()[1:] if shown.startswith(" ") and "name:" not in shown else [shown]
        assert sorted(_letters("".join(lines)).replace("kept:", "").replace("reason:", "")) == sorted(
            _letters("".join(row))
        )


@given(ROWS, st.integers(20, 200))
@settings(deadline=None)
def test_a_line_is_no_wider_than_the_terminal_unless_each_row_is_a_block(
    rows: list[tuple[str, ...]], width: int
) -> None:
    shown = table(HEADINGS, rows, right=(2,), width=width)

    if "reason:" not in shown:
        assert all(cell_len(line) <= width for line in shown.splitlines())


@given(ROWS)
@settings(deadline=None)
def test_in_a_pipe_a_row_is_a_line(rows: list[tuple[str, ...]]) -> None:
    assert len(table(HEADINGS, rows, right=(2,), width=UNBOUNDED).splitlines()) == len(rows) + 1


def test_numbers_stand_to_the_right_and_wide_letters_count_twice() -> None:
    assert table(("entry", "tokens", "x"), [("字字", "5", "a"), ("b", "1,000", "c")], right=(1,), width=80) == (
        "entry  tokens  x\n字字        5  a\nb       1,000  c"
    )


def test_a_word_is_cut_only_where_it_is_long_and_there_is_no_room() -> None:
    shown = table(("a", "b"), [("k", "one two conventions/python.md")], width=3 + LONG_WORD)

    assert shown.splitlines() == ["a  b", "k  one two", "   conventions/pyth", "   on.md"]


@pytest.mark.vfcc("REQ-TERMINAL")
def test_what_could_steer_a_terminal_is_taken_out() -> None:
    assert table(("a",), [("x\x1b[31m\n",)], width=80) == "a\nx<U+001B>[31m<U+000A>"
