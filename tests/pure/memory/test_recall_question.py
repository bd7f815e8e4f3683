"""A question taken apart: its terms with the words they were, names, and the times that it names or asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifflowcc.base.text.stems import stems
from verifflowcc.memory.rules.recall_scoring import MONTH, MONTHS, NEAR_DAY, YEAR, question_of, states_time

pytestmark = pytest.mark.vfcc("REQ-READ-LEXICAL")


@given(st.text(max_size=60))
def test_any_text_is_a_question_whose_terms_are_those_of_the_text(text: str) -> None:
    question = question_of(text)

    assert set(question.terms) <= set(stems(text))
    assert set(stems(text)) == set() or question.terms
    assert all(word in text or not text.isascii() for word in question.terms.values())
    assert question.names <= set(stems(text))


@given(st.text(max_size=40), st.text(max_size=12))
def test_a_day_adds_nothing_or_a_bounded_share(text: str, day: str) -> None:
    for each in (day, "2023-05-07", "0000-00-00", "2023-05"):
        assert 0 <= question_of(text).date_bonus(each) <= MONTH + 5 * NEAR_DAY
        assert question_of(text).is_dated or not question_of(text).date_bonus(each)


def test_each_term_is_there_once_with_the_first_word_that_it_was() -> None:
    found = question_of("Limits of the RateLimiter, and no limit").terms

    assert (found["limit"], found["rate"], set(found.values())) == ("Limits", "RateLimiter", {"Limits", "RateLimiter"})


def test_terms_beside_the_words_are_looked_for_too() -> None:
    assert question_of("the tide", ["xf1"]).terms == {"tide": "tide", "xf1": "xf1"}
    assert question_of("", ["xf1"]).terms == {"xf1": "xf1"}


def test_names_are_words_with_a_capital() -> None:
    assert question_of("Did Ann meet the Harbour Board and bob, or Élodie?").names == {
        *("ann", "harbour", "board", "élodie"),
    }


@pytest.mark.parametrize(
    ("text", "years", "months", "days"),
    [
        ("in May 2023", {2023}, {5}, ()),
        ("you may go", set(), set(), ()),
        ("it may, 3 times", set(), {5}, ()),
        ("on 7 May", set(), {5}, (7,)),
        ("on the 7th of June 2023", {2023}, {6}, (7,)),
        ("on June 7", set(), {6}, (7,)),
        ("march on, Augusta", set(), {3}, ()),
        ("issue 12023, 1850, 2150", set(), set(), ()),
        ("between 1999 and 2001", {1999, 2001}, set(), ()),
        ("in ２０23", set(), set(), ()),
    ],
)
def test_the_times_that_a_question_names(text: str, years: set[int], months: set[int], days: tuple[int, ...]) -> None:
    found = question_of(text)

    assert (set(found.years), set(found.months), found.days) == (years, months, days)


@pytest.mark.parametrize(
    ("text", "day", "added"),
    [
        ("in May 2023", "2023-05-07", MONTH),
        ("in May 2023", "2023-05-07T10:00:00+00:00", MONTH),
        ("in May 2023", "2024-05-07", 0),
        ("in May 2023", "2023-06-07", 0),
        ("in May 2023", "", 0),
        ("in May 2023", "soon", 0),
        ("in May", "2024-05-07", MONTH),
        ("in 2023", "2023-06-07", YEAR),
        ("in 2023", "2024-06-07", 0),
        ("on 7 May 2023", "2023-05-07", MONTH + 5 * NEAR_DAY),
        ("on 7 May 2023", "2023-05-05", MONTH + 3 * NEAR_DAY),
        ("on 7 May 2023", "2023-05-31", MONTH),
        ("the tide", "2023-05-07", 0),
    ],
)
def test_what_is_from_the_time_that_is_named_counts_more(text: str, day: str, added: int) -> None:
    assert question_of(text).date_bonus(day) == added


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("When did it end?", True),
        ("  when", True),
        ("And how long\ndid it take?", True),
        ("In what year?", True),
        ("Whenever it ends", False),
        ("What did it cost?", False),
        ("", False),
    ],
)
def test_whether_a_time_is_asked_for(text: str, asks: bool) -> None:
    assert question_of(text).asks_time is asks


def test_whether_a_text_tells_a_time() -> None:
    for text in ("last week", "On Friday.", f"in {MONTHS[0]}", "the 3rd", "3 days AGO"):
        assert states_time(text), text
    for text in ("", "the tide", "Fridays", "v3"):
        assert not states_time(text), text


def test_a_very_long_question_is_taken_apart() -> None:
    text = " ".join(f"{number:05}" for number in range(16_000))

    assert len(question_of(text).terms) == 16_000
    assert not question_of("?" * 100_000).terms
