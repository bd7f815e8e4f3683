"""Terms of a text: whole for full-text search, found again whatever the text, and alike for the forms of a word."""

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from verifflowcc.base.text.stems import alike, stems, words_of

pytestmark = pytest.mark.vfcc("REQ-READ-LEXICAL")

ANY_TEXT = st.text(st.characters(), max_size=80)
WORDY = st.text(st.sampled_from("aAbZsS09_-.'’/ éÉßİıﬁŉ²½Ⅷ数かא ा̈\u0301\u200b\0"), max_size=40)


@pytest.fixture(scope="module")
def table() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(terms, tokenize='ascii')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab('t', 'row')")
    yield connection
    connection.close()


@given(st.one_of(ANY_TEXT, WORDY))
@example("\ud800 \udcff")
@example("ﬁshing ŉ İstanbul ẞ")
def test_terms_hold_nothing_that_full_text_search_would_take_apart_or_fold(text: str) -> None:
    for term in stems(text):
        assert term
        assert term.split() == [term]
        assert all(not letter.isascii() or letter.isalnum() for letter in term), term
        assert not any("A" <= letter <= "Z" for letter in term), term


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(ANY_TEXT, WORDY))
@example("数据库 naïve Ärger ²")
def test_full_text_search_finds_each_term_and_knows_no_other(table: sqlite3.Connection, text: str) -> None:
    terms = stems(text)
    with table:
        table.execute("DELETE FROM t")
        table.execute("INSERT INTO t (rowid, terms) VALUES (1, ?)", (" ".join(terms),))

    assert {row[0] for row in table.execute("SELECT term FROM v")} == set(terms)
    for term in set(terms):
        assert table.execute("SELECT rowid FROM t WHERE t MATCH ?", (f'"{term}"',)).fetchall() == [(1,)], term


@given(st.one_of(ANY_TEXT, WORDY))
def test_the_words_of_a_text_have_no_term_that_the_text_has_not(text: str) -> None:
    assert {term for word in words_of(text) for term in stems(word)} <= set(stems(text))


@given(WORDY, WORDY)
def test_texts_with_a_blank_between_have_the_terms_of_both(first: str, second: str) -> None:
    assert sorted(stems(f"{first} {second}")) == sorted(stems(first) + stems(second))


@given(st.one_of(ANY_TEXT, WORDY))
def test_a_term_is_not_taken_apart_further(text: str) -> None:
    """But for what only its small letters make an English word with a number, or with a mark that stands alone."""
    for term in stems(text):
        if term.isascii() and term.isalpha():
            assert len(stems(term)) <= 1, term


@pytest.mark.parametrize(
    "one", ["RateLimiter", "rate_limiter", "rate-limiter", "rate limiter", "src/rate/limiter", "RATE_LIMITER"]
)
def test_a_name_is_found_by_its_parts_however_it_is_written(one: str) -> None:
    assert {"rate", "limit"} <= set(stems(one))


@pytest.mark.parametrize(
    ("written", "looked_for"),
    [
        ("HTTPServer", "server http"),
        ("src/app/parse_config.py", "parse config"),
        ("the set-up of it", "setup"),
        ("e-mail", "email"),
        ("utf8Decoder", "decoder"),
        ("we decided", "deciding"),
        ("indices", "index"),
        ("she wrote", "writing"),
        ("Ann's mice", "ann mouse"),
        ("Größe", "GRÖSSE"),
        ("ÉTÉ", "été"),
        ("the URLs", "url"),
        ("two IDs", "id"),
        ("our APIs", "API"),
        ("cafe\u0301", "café"),
    ],
)
def test_what_is_written_is_found_by_another_form_of_it(written: str, looked_for: str) -> None:
    assert set(stems(looked_for)) <= set(stems(written))


@pytest.mark.parametrize("text", ["", " ", "the of and", "!?.,;", "\0\0", "👩‍💻 🎉", "\u200b\u202e", "___ --- '’"])
def test_what_says_nothing_has_no_terms(text: str) -> None:
    assert stems(text) == []


def test_a_long_text_takes_no_longer_for_each_letter() -> None:
    """A word of a hundred thousand letters, and as many signs that begin a word and do not end it."""
    for part in ("a", "-", "a-", "_", "'", "A", "aA", "a'", "1", "é"):
        assert len(stems(part * 100_000)) <= 100_000


def test_words_alike_are_terms_that_texts_have_and_lead_both_ways_within_a_group() -> None:
    assert "brother" in alike(*stems("siblings"))
    assert "guitar" in alike(*stems("instruments"))
    assert set(stems("mom mum")) <= set(alike(*stems("mothers")))
    assert "instrument" not in alike("trumpet")
    assert not alike("sqlite")
    for word in ("photographs", "families", "vacation", "activities", "children", "counselor", "jewelry"):
        (term,) = stems(word)
        assert alike(term)
        assert term not in alike(term)


def test_everyday_words_are_kept_as_the_terms_that_they_are_found_by() -> None:
    from verifflowcc.base.text.stems import EVERYDAY

    said = stems("They keep changing things; somebody called about another problem, and nobody knows the reason.")
    assert {"keep", "chang", "thing", "call", "anoth", "problem", "know", "reason"} <= EVERYDAY.intersection(said)
    assert EVERYDAY.isdisjoint(stems("cluster terraform sqlite gate sluice invoice ledger"))
