"""Canonical JSON: one spelling for each value, and no other is read."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.events import Json
from verifflowcc.base.text.canonical import LARGEST, canonical, digest_bytes, parse_canonical

GOLDEN = Path(__file__).parents[2] / "golden" / "events"
CASES = json.loads((GOLDEN / "canonical.json").read_text(encoding="utf-8"))
TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-LARGEST, LARGEST) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
ODD = st.recursive(
    VALUES | st.integers() | st.floats() | st.sampled_from(("\ud800", 2**53, -(2**53), 10**15, "\ufb33", "😀")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT | st.sampled_from("\ufb33😀"), inner, max_size=3),
    max_leaves=8,
) | st.integers(30, 34).map(lambda depth: json.loads("[" * depth + "]" * depth))
SPELLED = st.builds(
    lambda value, order, plain, ends: json.dumps(value, sort_keys=order, ensure_ascii=plain, separators=ends).encode(
        "utf-8", "surrogatepass"
    ),
    *(ODD, st.booleans(), st.booleans(), st.sampled_from(((",", ":"), (",", ":"), (", ", ":")))),
)
"""JSON as different programs write it, canonical or nearly so."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["json"][:30])
def test_the_spelling_of_a_value_never_changes(case: dict[str, str]) -> None:
    spelled = canonical(json.loads(case["json"]))

    assert spelled.hex() == case["bytes"]
    assert digest_bytes(spelled) == "sha256:" + case["sha256"]


@given(VALUES)
@settings(deadline=None, max_examples=150)
def test_what_is_spelled_reads_back_the_same(value: Json) -> None:
    assert parse_canonical(canonical(value)) == value


@given(st.dictionaries(TEXT, st.integers(0, 9), max_size=6), st.randoms())
@settings(deadline=None, max_examples=100)
def test_the_order_in_which_keys_were_given_does_not_show(value: dict[str, int], random: Random) -> None:
    keys = list(value)
    random.shuffle(keys)

    assert canonical({key: value[key] for key in keys}) == canonical(value)


def test_keys_go_by_utf_16_so_that_an_astral_one_comes_before_a_late_basic_one() -> None:
    assert canonical({"\ufb33": 1, "😀": 2}) == '{"😀":2,"\ufb33":1}'.encode()


@pytest.mark.parametrize(
    "value",
    [1.5, float("nan"), LARGEST + 1, -LARGEST - 1, "\ud800", {"\udfff": 1}, {1: 2}, b"x", {1, 2}, object],
    ids=repr,
)
def test_what_has_no_spelling_is_refused(value: object) -> None:
    with pytest.raises(FormatError, match="canonical JSON"):
        canonical(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data",
    [
        b'{"b":1,"a":2}',
        b'{"a": 1}',
        b'{"a":1}\n',
        b'{"a":1,"a":1}',
        b'"\\u00e9"',
        b'"\\/"',
        b"1.0",
        b"1e2",
        b"-0",
        b"NaN",
        b"\xff",
        b"",
        b"\xef\xbb\xbf1",
        b'"\\ud800"',
        b"[" * 100_000,
        b"9" * 5000,
    ],
    ids=lambda data: repr(data[:12]),
)
def test_another_spelling_is_not_read(data: bytes) -> None:
    with pytest.raises(FormatError):
        parse_canonical(data)


def test_nesting_has_an_end() -> None:
    value: Json = 1
    for _ in range(33):
        value = [value]

    with pytest.raises(FormatError, match="deeper than 32"):
        canonical(value)


@given(SPELLED | st.binary(max_size=60))
@settings(deadline=None)
def test_text_is_canonical_exactly_where_it_is_what_canonical_makes(data: bytes) -> None:
    """The quick look at the order of keys accepts no text that the slow one refuses, and refuses none."""
    try:
        accepted = canonical(json.loads(data.decode("utf-8"), parse_float=str, parse_constant=str)) == data
    except (ValueError, RecursionError, FormatError):
        accepted = False
    try:
        parse_canonical(data)
    except FormatError:
        assert not accepted
    else:
        assert accepted
