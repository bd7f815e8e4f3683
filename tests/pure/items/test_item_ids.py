"""Ids of items: golden vectors, and the shape of every id."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.text.identifiers import ALPHABET, item_id

GOLDEN = {
    ("Index with FTS5", "k3f9"): "index-with-fts5-k3f9",
    ("Drop grep", "7q2m"): "drop-grep-7q2m",
    ("Café: log in!", "0000"): "cafe-log-in-0000",
    ("登录", "zzzz"): "item-zzzz",
    ("CON", "abcd"): "item-con-abcd",
    ("The parser reads every line of every file that the user may have written", "1234"): (
        "the-parser-reads-every-line-of-every-1234"
    ),
    ("", "1234"): "item-1234",
    ("../../etc/passwd", "1234"): "etc-passwd-1234",
}


@pytest.mark.parametrize(("given_", "expected"), GOLDEN.items())
def test_ids_are_as_they_were(given_: tuple[str, str], expected: str) -> None:
    assert item_id(*given_) == expected


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=80), st.text(alphabet=ALPHABET, min_size=4, max_size=4))
def test_an_id_is_a_name_on_every_system(title: str, letters: str) -> None:
    made = item_id(title, letters)

    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", made)
    assert made.endswith(f"-{letters}")
    assert len(made) <= 45


@pytest.mark.parametrize("letters", ["", "abc", "abcde", "ABCD", "ilou", "a-bc", "é123"])
def test_letters_that_are_not_of_the_alphabet_are_refused(letters: str) -> None:
    with pytest.raises(ValueError, match="is not 4 letters"):
        item_id("x", letters)


def test_the_alphabet_has_no_look_alikes() -> None:
    assert len(set(ALPHABET)) == 32
    assert not set(ALPHABET) & set("ilou")
