"""A file in pieces: each line that is not blank stands in just one of them, whatever the definitions say."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.code.rules.grammars import read_facts
from verifflowcc.code.rules.graph import CALLABLE, FILE, Definition, SymbolKind
from verifflowcc.code.rules.rank_units import units_of

SOURCE = '''\
"""A module."""

import os


class Gate:
    """Closes."""

    width = 3

    # said above
    @property
    def height(self):
        def inner():
            return 1

        return inner()


def shut():
    return os.getcwd()


LAST = 1
'''


def spans(source: str) -> list[tuple[int, int, str]]:
    facts = read_facts("python", source.encode())
    return [
        (each.first, each.last, facts.definitions[each.place].name if each.place != FILE else "")
        for each in units_of(facts.definitions, source.splitlines())
    ]


def test_functions_stand_whole_and_what_is_between_them_stays_together() -> None:
    assert spans(SOURCE) == [
        (1, 3, ""),
        (6, 9, "Gate"),
        (11, 17, "height"),
        (20, 24, "shut"),
    ]


def test_an_empty_text_has_no_pieces() -> None:
    assert units_of((), ()) == ()
    assert units_of((), ("", "  ", "\t")) == ()


@st.composite
def files(draw: st.DrawFn) -> tuple[list[Definition], list[str]]:
    """Lines, some blank, and definitions whose spans may overlap, be empty, or go beyond the text."""
    lines = draw(st.lists(st.sampled_from(["", "  ", "x", "  y"]), max_size=30))
    definitions: list[Definition] = []
    for place in range(draw(st.integers(0, 8))):
        start = draw(st.integers(1, 35))
        line = draw(st.integers(start, start + 3))
        end = draw(st.integers(line, line + 20))
        parent = draw(st.integers(-1, place - 1))
        kind = draw(st.sampled_from(list(SymbolKind)))
        definitions.append(Definition(kind, f"n{place}", line, end, parent, start=draw(st.sampled_from([0, start]))))
    return definitions, lines


@given(files())
def test_each_line_that_is_not_blank_is_in_just_one_piece(file: tuple[list[Definition], list[str]]) -> None:
    definitions, lines = file
    found = units_of(definitions, lines)
    held = [number for each in found for number in range(each.first, each.last + 1)]

    assert held == sorted(set(held))
    assert {number for number, line in enumerate(lines, start=1) if line.strip()} <= set(held)
    assert all(lines[each.first - 1].strip() and lines[each.last - 1].strip() for each in found)
    assert all(each.place == FILE or 0 <= each.place < len(definitions) for each in found)


@pytest.mark.parametrize("language", ["python", "javascript", "go", "rust", "ruby", "c"])
@settings(deadline=None)
@given(text=st.text(alphabet="def class(){}:;\n #/'\"xf1= ", max_size=200))
def test_so_it_is_with_what_is_read_of_any_text(language: str, text: str) -> None:
    facts = read_facts(language, text.encode())
    lines = text.split("\n")
    held = [number for each in units_of(facts.definitions, lines) for number in range(each.first, each.last + 1)]

    assert held == sorted(set(held))
    assert {number for number, line in enumerate(lines, start=1) if line.strip()} <= set(held)
    assert all(each.kind not in CALLABLE or each.line <= each.end for each in facts.definitions)


def test_a_long_stretch_without_functions_is_cut_at_blank_lines_that_end_a_statement() -> None:
    lines = [line for number in range(20) for line in (f"NAME_{number} = (", "", "    1,", ")", "")]

    found = units_of([], lines)

    assert len(found) > 3
    assert all(lines[each.first - 1].startswith("NAME_") and lines[each.last - 1] == ")" for each in found)


def test_a_comment_before_a_function_and_a_word_about_it_after_belong_to_it() -> None:
    lines = ["# Twice.", "def f(x):", "    return 2 * x", "f.pure = True", "", "", "def g():", "    pass"]
    facts = read_facts("python", "\n".join(lines).encode())

    assert [(each.first, each.last) for each in units_of(facts.definitions, lines)] == [(1, 4), (7, 8)]
