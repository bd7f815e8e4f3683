"""Secrets in texts: found by kind and place, put away, and not seen where there are none."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.planted_secrets import planted
from tests.secret_samples import PASSWORD, PLACEHOLDERS, SAMPLES, TOKEN
from verifflowcc.base.text.secrets import (
    AROUND,
    ASSIGNED,
    SPOKEN,
    TOKENS,
    WIDE,
    SecretMatch,
    find_secrets,
    place_of,
    withhold,
)
from verifflowcc.base.use.guarding import safe_text, text_warnings

TEXTS = st.lists(
    st.sampled_from(
        [*SAMPLES.values(), *PLACEHOLDERS, PASSWORD, "\n", " ", "password: ", "token=", '"', "'", "é", "İ", "\t", "key"]
    )
    | st.text(max_size=12),
    max_size=12,
).map("".join)


def test_there_are_more_kinds_than_people_can_name() -> None:
    names = {each.name for each in (*WIDE, *TOKENS, *AROUND)} | {ASSIGNED, SPOKEN}

    assert len(names) >= 70


@pytest.mark.parametrize("kind", SAMPLES)
def test_each_kind_is_found_in_a_sentence_of_its_own(kind: str) -> None:
    text = (
        f"Use this: DB_PASSWORD={SAMPLES[kind]}\nfor now." if kind == "password" else f"Use:\n{SAMPLES[kind]}\nfor now."
    )

    found = find_secrets(text)

    assert len(found) == 1
    assert SAMPLES[kind] not in withhold(text)


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_what_holds_the_place_of_a_secret_is_none(text: str) -> None:
    assert find_secrets(text) == ()
    assert withhold(text) == text


@given(TEXTS, st.text(st.sampled_from("\r\n\t\u200b\u202e\x1b\ufe0fa"), max_size=4))
def test_a_text_of_which_a_prompt_warns_is_not_shown_as_it_is(text: str, more: str) -> None:
    for each in (text, text + more, withhold(text) + more, safe_text(text + more)):
        assert not list(text_warnings("key", each)) or safe_text(each) != each


def test_a_secret_is_named_in_a_sentence_that_can_be_read() -> None:
    (warning,) = text_warnings("notes.md", "AKIA" + "Q7" * 8)
    assert warning == "notes.md holds what looks like a secret, an AWS access key at 1:1: withheld"


def test_nearly_all_planted_secrets_are_refused_whatever_the_seed() -> None:
    texts = [each for seed in (1, 2, 3) for each in planted(seed)]

    assert len(texts) == 900
    assert sum(each.refused for each in texts) >= 0.95 * len(texts)


def test_the_place_is_line_and_column() -> None:
    text = f"First\n  then {TOKEN}."

    (found,) = find_secrets(text)

    assert found == SecretMatch("GitHub token", text.index(TOKEN), text.index(TOKEN) + len(TOKEN))
    assert place_of(text, found.start) == "2:8"
    assert withhold(text) == "First\n  then [secret withheld: GitHub token]."


def test_overlapping_secrets_are_one_and_all_of_both_is_put_away() -> None:
    text = f"token = https://bot:{TOKEN}@git.corp.net/x.git"

    assert TOKEN not in withhold(text)
    assert len(find_secrets(text)) == 1


def test_a_key_block_that_was_cut_off_is_one_still() -> None:
    block = SAMPLES["RSA private key"]

    cut = block[: len(block) // 2]

    assert cut[-200:] not in withhold(f"Before.\n{cut}")


@settings(deadline=None, max_examples=300)
@given(TEXTS)
def test_what_is_put_away_is_gone_and_nothing_else_is(text: str) -> None:
    found = find_secrets(text)
    shown = withhold(text)

    assert [each.start for each in found] == sorted(each.start for each in found)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    for each in found:
        assert f"[secret withheld: {each.kind}]" in shown
    kept = [
        text[a:b] for a, b in zip((0, *(e.end for e in found)), (*(e.start for e in found), len(text)), strict=True)
    ]
    assert all(part in shown for part in kept)


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(sorted(SAMPLES)), st.text(alphabet="ab \n.", max_size=40), st.text(alphabet="ab \n.", max_size=40)
)
def test_ordinary_words_around_a_secret_hide_it_from_nobody(kind: str, before: str, after: str) -> None:
    secret = f"password={SAMPLES[kind]}" if kind == "password" else SAMPLES[kind]

    assert SAMPLES[kind] not in withhold(f"{before}\n{secret}\n{after}")
