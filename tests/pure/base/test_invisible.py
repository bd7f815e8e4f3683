"""Characters that nobody sees: written out, and only they."""

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.text.hidden_text import count_invisible, escape_invisible, printable, show_invisible

UNSEEN = {
    "an override": "\u202e",
    "an isolate": "\u2066",
    "a mark of direction": "\u200f",
    "a zero-width space": "\u200b",
    "a word joiner": "\u2060",
    "a byte-order mark": "\ufeff",
    "a soft hyphen": "\u00ad",
    "a tag": "\U000e0041",
    "private use": "\ue000",
    "private use of a plane": "\U00100000",
    "a variation of nothing": "a\ufe0f"[1],
    "many variations": "\U000e0100",
    "an escape": "\x1b",
    "a bell": "\x07",
    "a control of the second kind": "\x9b",
    "a filler": "\u3164",
    "a line separator": "\u2028",
    "half of a pair": "\ud800",
    "a blank of Braille": "\u2800",
}
KEPT = (
    "Line one\nline two\twith a tab",
    "größe, naïve, 日本語, العربية, हिन्दी",
    "👩\u200d💻 and 🏳\ufe0f\u200d🌈 and ❤\ufe0f and 1\ufe0f\u20e3",
    "می\u200cخواهم",
    "葛\U000e0100",
)
TEXTS = st.text(max_size=60) | st.lists(
    st.sampled_from([*UNSEEN.values(), "a", " ", "\n", "👩", "\u200d", "\ufe0f", "字", "م", "क", "\t", "\r"]),
    max_size=30,
).map("".join)


@pytest.mark.parametrize("name", UNSEEN)
def test_what_nobody_sees_is_written_out(name: str) -> None:
    letter = UNSEEN[name]

    assert show_invisible(f"pay{letter} now") == f"pay<U+{ord(letter):04X}> now"
    assert count_invisible(f"pay{letter} now") == 1


@pytest.mark.parametrize("text", KEPT)
def test_what_belongs_to_a_letter_or_a_picture_stays(text: str) -> None:
    assert show_invisible(text) == text
    assert count_invisible(text) == 0


def test_a_second_variation_of_one_letter_says_something_hidden() -> None:
    assert show_invisible("❤\ufe0f\ufe0f\ufe01") == "❤\ufe0f<U+FE0F><U+FE01>"


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_showing_is_done_once_and_for_all(text: str) -> None:
    shown = show_invisible(text)

    assert show_invisible(shown) == shown
    assert count_invisible(shown) == 0
    assert (shown == text) is (count_invisible(text) == 0)


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_a_terminal_gets_nothing_that_steers_it(text: str) -> None:
    for letter in printable(text):
        category = unicodedata.category(letter)
        assert letter in "\n\u200c\u200d" or category[0] != "C"
        assert category not in ("Zl", "Zp")


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(TEXTS, TEXTS, max_size=3))
def test_escaped_json_says_the_same_and_shows_all(value: dict[str, str]) -> None:
    text = json.dumps(value, ensure_ascii=False)

    escaped = escape_invisible(text)

    assert json.loads(escaped) == value
    assert not any(unicodedata.category(letter) in ("Cf", "Co", "Cs", "Zl", "Zp") for letter in escaped)
