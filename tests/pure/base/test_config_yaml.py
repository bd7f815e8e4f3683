"""YAML bytes → values with lines: what is read, what is refused, and that nothing can exhaust the reader."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.config.yaml_values import AmbiguousScalar, Limits, load_yaml, read_yaml
from verifflowcc.base.errors import ConfigError

FRAGMENTS = ["a", ": ", "- ", "\n", "  ", "&x ", "*x", "[", "]", "{", "}", ",", "'", "#", "|", "---\n", "!!t "]


def refused(data: bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        load_yaml(data, "tools.yaml")
    assert caught.value.message == "\n".join(caught.value.problems)
    return caught.value.message


def test_every_place_has_its_line() -> None:
    value, lines = load_yaml(b"# a comment\na: 1\nb:\n  - x\n  - c: y\n", "tools.yaml")

    assert value == {"a": 1, "b": ["x", {"c": "y"}]}
    assert lines == {(): 2, ("a",): 2, ("b",): 3, ("b", 0): 4, ("b", 1): 5, ("b", 1, "c"): 5}


def test_lines_count_from_where_the_yaml_begins_in_its_file() -> None:
    assert load_yaml(b"a: 1\n", "x.md", first_line=2)[1]["a",] == 2


def test_an_empty_file_is_nothing() -> None:
    assert load_yaml(b"", "x") == load_yaml(b"# only a comment\n", "x") == (None, {})


def test_a_byte_order_mark_and_windows_newlines_change_nothing() -> None:
    assert load_yaml(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", "x") == load_yaml(b"a: 1\nb: 2\n", "x")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-3", -3),
        ("0.3", 0.3),
        ("true", True),
        ("False", False),
        ("~", None),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("no", "no"),
        ("010", "010"),
        ("1:30", "1:30"),
        ("2026-01-02", "2026-01-02"),
        ("a text: no", None),
    ],
)
def test_lenient_reading_keeps_what_is_ambiguous_as_written(text: str, value: object) -> None:
    if value is None and text != "~":
        assert load_yaml(text.encode(), "x")[0] == {"a text": "no"}
    else:
        assert load_yaml(text.encode(), "x")[0] == value


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("no", "false"),
        ("Yes", "true"),
        ("on", "true"),
        ("OFF", "false"),
        ("010", "the number 8, in octal"),
        ("-010", "the number -8, in octal"),
        ("08", "a number or a text, by its version"),
        ("0x1F", "a number in another base"),
        ("0o17", "a number in another base"),
        ("1:30", "a number in base 60"),
        ("1:30.5", "a number in base 60"),
        ("2026-01-02", "a date"),
        ("2026-01-02T03:04:05Z", "a date"),
        ("1_000", "a number or a text, by its version"),
        ("1e3", "a number or a text, by its version"),
        ("1.0e+99999999", "a number or a text, by its version"),
        (".inf", "infinity or not a number"),
        (".nan", "infinity or not a number"),
        ("9" * 5000, "a number of too many digits"),
        ("0." + "3" * 5000, "a number of too many digits"),
    ],
)
def test_exact_reading_says_what_yaml_takes_a_scalar_for(text: str, reading: str) -> None:
    value = read_yaml(text, "x", exact=True).value

    assert isinstance(value, AmbiguousScalar)
    assert value.reading == reading


def test_exact_reading_keeps_decimals_exact() -> None:
    assert read_yaml("0.1", "x", exact=True).value == Decimal("0.1")


def test_quotes_make_text_of_anything() -> None:
    assert read_yaml("['no', '010', \"1:30\", '0.3']", "x", exact=True).value == ["no", "010", "1:30", "0.3"]


def test_an_alias_is_its_value() -> None:
    assert load_yaml(b"a: &x [1]\nb: *x\n", "x")[0] == {"a": [1], "b": [1]}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"a: b: c", "tools.yaml:1: this is not YAML: mapping values are not allowed"),
        (b"a: 1\nb: 'x\n", "tools.yaml:3: this is not YAML: found unexpected end of stream"),
        (b"a:\n\t- x\n", "tools.yaml:2: YAML does not allow tabs for indentation"),
        (b"- *.md\n", "tools.yaml:1: *.md begins with *, which YAML takes for an alias; put it in quotes"),
        (b"- x\n- @recall\n", "tools.yaml:2: a value cannot begin with @ unless it is in quotes"),
        (b"a: *x\n", "tools.yaml:1: *x is an alias of nothing in this file"),
        (b"a: &x [*x]\n", "tools.yaml:1: the alias *x is inside the value that it names"),
        (b"&x a: {b: &y {c: *y}}\n", "tools.yaml:1: the alias *y is inside the value"),
        (b"a: 1\na: 2\n", "tools.yaml:2: the key a is given twice (first on line 1); keep one"),
        (b"a: 1\n'a': 2\n", "tools.yaml:2: the key a is given twice (first on line 1); keep one"),
        (b"b: &x {c: 1}\na:\n  <<: *x\n", "tools.yaml:3: the merge key << is not supported"),
        (b"? [x]\n: y\n", "tools.yaml:1: a list or a mapping cannot be a key"),
        (b"a: !thing x\n", "tools.yaml:1: the tag !thing is not allowed"),
        (b"a: !!python/object/apply:os.system [ls]\n", "the tag !!python/object/apply:os.system is not allowed"),
        (b"a: 1\n---\nb: 2\n", "tools.yaml:2: a second document begins here"),
        (b"a: 1\nb: \x07\n", "tools.yaml:2: the control character U+0007 is not allowed"),
        (b"a: \x00", "tools.yaml:1: the control character U+0000 is not allowed"),
        (b"a: 1\nb: \xff\n", "tools.yaml:2: byte 0xff at offset 8 is not UTF-8"),
        ("a: 1\n".encode("utf-16"), "tools.yaml:1: the file is UTF-16; save it as UTF-8"),
        (b"[" * 500_000, "tools.yaml:1: the nesting is deeper than 32 levels"),
        (b"- " * 500_000, "tools.yaml:1: the nesting is deeper than 32 levels"),
        (b"x" * (1 << 20) + b"x", "tools.yaml:1: the file has 1,048,577 bytes; vfcc reads at most 1,048,576 here"),
        (b"- x\n" * 30_000, "the file holds more than 20,000 values once its aliases are expanded"),
    ],
    ids=lambda part: part[:30] if isinstance(part, str) else "",
)
def test_what_cannot_be_read_is_one_sentence_with_its_line(data: bytes, sentence: str) -> None:
    assert sentence in refused(data)


def test_a_billion_laughs_are_counted_before_they_are_built() -> None:
    bomb = b"a0: &a0 [lol, lol]\n" + b"".join(
        b"a%d: &a%d [%s]\n" % (n, n, b"*a%d," % (n - 1) * 9) for n in range(1, 40)
    )

    assert "more than 20,000 values" in refused(bomb)


def test_aliases_cannot_nest_what_brackets_may_not() -> None:
    chain = b"a0: &a0 [x]\n" + b"".join(b"a%d: &a%d [*a%d]\n" % (n, n, n - 1) for n in range(1, 100))

    assert "the nesting is deeper than 32 levels" in refused(chain)


def test_all_duplicates_are_told_at_once() -> None:
    assert refused(b"a: 1\na: 2\nb: {c: 1, c: 2}\n").count("is given twice") == 2


def test_limits_are_the_callers_to_set() -> None:
    with pytest.raises(ConfigError, match="more than 3 values"):
        load_yaml(b"[1, 2, 3]", "x", Limits(values=3))


@settings(deadline=None, max_examples=150)
@given(
    st.one_of(st.binary(), st.text().map(str.encode), st.lists(st.sampled_from(FRAGMENTS)).map("".join).map(str.encode))
)
def test_junk_is_read_or_refused_and_nothing_else(data: bytes) -> None:
    for exact in (True, False):
        told: tuple[str, ...] = ()
        try:
            plain = read_yaml(data, "x", exact=exact)
        except ConfigError as error:
            told = error.problems or ("",)
        else:
            assert plain.value is None or () in plain.lines
        assert all(problem.startswith("x:") for problem in told)
