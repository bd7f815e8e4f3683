"""`quick_json` is `json` without its imports."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.text.quick_json import read, write

ANY_TEXT = st.text(st.characters(), max_size=20)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(VALUES)
def test_every_value_is_written_as_json_writes_it_and_comes_back(value: Any) -> None:
    text = write(value)

    assert text == json.dumps(value, separators=(",", ":"))
    assert text.isascii()
    assert "\n" not in text
    assert read(text) == value


@settings(deadline=None)
@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_however_json_writes_a_value_it_is_read(value: Any, indent: int | None, ascii_only: bool) -> None:
    assert read(f" \r\n{json.dumps(value, indent=indent, ensure_ascii=ascii_only)}\t ") == value


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(max_size=30), st.text('{}[]",:0123456789.eE+-truefalsn \\u\n', max_size=12)))
def test_what_json_refuses_is_refused(text: str) -> None:
    try:
        expected = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        with pytest.raises(ValueError, match=r"."):
            read(text)
    else:
        found = read(text)
        assert found == expected or math.isnan(expected)


@pytest.mark.parametrize("text", ["", " ", "{", "[" * 100_000, "1 2", "{}{}", "\ufeff{}", '{"a":}', "9" * 5000, "'a'"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read(text)


def deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize("value", [math.nan, math.inf, [-math.inf], {1, 2}, b"x", object(), {"a": {(1,): 2}}, deep()],
                         ids=range(8))  # fmt: skip
def test_what_has_no_json_is_not_written(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        write(value)
