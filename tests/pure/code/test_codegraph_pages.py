"""Pieces of one file as one text: every line is shown as it is, or inside a gap that says so."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.code.rules.snippets import page

pytestmark = pytest.mark.vfcc("REQ-CODE-IN-PROMPT")

GAP = re.compile(r"…(\d+)(?:-(\d+))?")
LINES = st.lists(st.sampled_from(["", "  ", "a = 1", "    b = 2", "def f():", "x" * 30]), min_size=1, max_size=30)


@given(
    LINES,
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 6)), max_size=5),
    st.sets(st.tuples(st.integers(1, 30), st.integers(1, 30)), max_size=3),
)
def test_each_line_is_shown_in_order_or_in_a_stated_gap(
    lines: list[str], pieces: list[tuple[int, int]], definitions: set[tuple[int, int]]
) -> None:
    ranges = [(first, min(first + more, len(lines))) for first, more in pieces if first <= len(lines)]
    wanted = {number for first, last in ranges for number in range(first, last + 1)}
    wanted |= {line for line, end in definitions if any(line < first and last <= end for first, last in ranges)}
    number, shown = 1, set[int]()
    for line in page(ranges, definitions, lines).split("\n"):
        if found := GAP.fullmatch(line):
            first, last = int(found[1]), int(found[2] or found[1])
            assert all(not each.strip() for each in lines[number - 1 : first - 1])
            assert lines[first - 1].strip()
            assert lines[last - 1].strip()
            number = last + 1
        elif wanted:
            while lines[number - 1] != line:
                assert not lines[number - 1].strip()
                number += 1
            shown.add(number)
            number += 1
    assert all(not lines[each - 1].strip() or each in shown for each in wanted)
    assert all(not each.strip() for each in lines[number - 1 :])


def test_neighbouring_pieces_are_joined_without_a_mark() -> None:
    lines = ["def a():", "    pass", "", "", "def b():", "    pass", "", "limit = 3"]

    assert page([(1, 2), (5, 6)], [], lines) == "def a():\n    pass\n\n\ndef b():\n    pass\n…8"


def test_a_single_line_between_two_pieces_is_shown() -> None:
    assert page([(1, 1), (3, 3)], [], ["a = 1", "b = 2", "c = 3"]) == "a = 1\nb = 2\nc = 3"


def test_a_body_of_one_line_stays_out_of_a_page_without_bodies() -> None:
    lines = ["def a():", "    return 1", "", "", "def b():", "    return 2"]

    assert page([(1, 1), (5, 5)], [], lines, bodies=False) == "def a():\n…2\ndef b():\n…6"
    assert page([(1, 2), (5, 6)], [], lines, bodies=False) == "\n".join(lines)
