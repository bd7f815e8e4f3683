"""Wording of requirements: what is told, and, above all, what is not."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.trace.rules import item_wording as wording
from verifflowcc.trace.rules.item_wording import demands, gaps, weak_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The tool shall be user-friendly.", ["user-friendly"]),
        ("It must answer as fast as possible.", ["as fast as possible", "fast"]),
        ("It shall log, where appropriate.", ["where appropriate"]),
        ("It shall read CSV, JSON, etc.", ["etc."]),
        ("It shall read:\n\n- CSV\n- etc.\n", ["etc."]),
        ("It shall support a large number of users.", ["large number of"]),
    ],
)
def test_words_that_leave_the_measure_open_are_told(text: str, words: list[str]) -> None:
    assert [each.words for each in weak_words(text)] == words


@pytest.mark.parametrize(
    "text",
    [
        "It shall answer fast: within 200 ms.",
        "It is fast.",
        "It shall end.\n\nNOTE: It must be easy to use, as fast as possible.",
        "It shall end. For speed, it is fast.",
        'It shall show "easy to use".',
        "It shall call `make fast`.",
        "It shall do a fast-forward merge.",
        "It shall show breakfast.",
        "It shall read formats (e.g., CSV, JSON, etc.).",
        "It shall end.\n\n```\nit must be user-friendly\n```\n",
        "> It shall be user-friendly.",
        "# It shall be user-friendly\n\nIt shall end.",
    ],
)
def test_words_that_ask_for_nothing_or_are_measured_are_not_told(text: str) -> None:
    assert weak_words(text) == ()


def test_a_weak_word_has_its_line() -> None:
    assert [each.line for each in weak_words("One.\n\nIt shall end and\nbe user-friendly.")] == [4]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("It shall start.", 0),
        ("It shall start. The log shall be kept.", 2),
        ("It shall start, and the log shall be kept.", 2),
        ("It shall start.\n\nThe log must be kept.", 2),
        ("It shall start. This shall hold for restarts too.", 1),
        ("If A, it shall start. Otherwise it shall stop.", 1),
        ("It shall do:\n\n- The tool shall start.\n- The log shall stop.", 1),
        ("It shall start.\n\nNote: the log must be kept.", 1),
        ("It shall start.\n\nExample: it shall start at 5.", 1),
        ("It shall find\n\n```\nx shall y. It shall z.\n```\n\nshall be found.", 1),
        ("It shall accept what shall be shown.", 1),
        ("It shall use a format, e.g. JSON, which shall be read.", 1),
    ],
)
def test_only_things_asked_for_by_themselves_are_counted(text: str, lines: int) -> None:
    assert len(demands(text)) == lines


@pytest.mark.parametrize("text", ["It shall list TBD/TBC.", "It shall count TBD markers.", "It shall find `TBD`."])
def test_a_word_for_gaps_is_no_gap(text: str) -> None:
    assert gaps(text) == ()


@pytest.mark.parametrize("text", ["It shall end in TBD s.", "It shall end (TBD).", "It shall end in ??? s.", "TODO: x"])
def test_a_gap_is_told(text: str) -> None:
    assert len(gaps(text)) == 1


def _compiled(pattern: re.Pattern[str]) -> re.Pattern[str]:
    return re.compile(pattern.pattern, pattern.flags)


@settings(deadline=None, max_examples=300)
@given(
    st.from_regex(_compiled(wording._WEAK), fullmatch=True, alphabet=st.characters(max_codepoint=126))
    | st.from_regex(_compiled(wording._UNMEASURED), fullmatch=True, alphabet=st.characters(max_codepoint=126))
)
def test_each_weak_wording_has_one_of_the_stems_that_are_looked_for_first(words: str) -> None:
    assert any(stem in words.lower() for stem in wording._STEMS), words
