"""The quick reader of front matter says what the YAML library says, or says nothing."""

import itertools
import random

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.errors import FormatError
from verifflowcc.base.formats.front_matter_values import FieldList, FieldScalar, FieldTable, read_simple
from verifflowcc.items.store.front_matter_yaml import read_yaml

EXAMPLE = """\
id: index-with-fts5-k3f9
type: decision              # a type
title: "Index: FTS5"
importance: 0.9
links: [{to: drop-grep-7q2m, relation: supersedes, fingerprint: sha256:ab}, {to: x, relation: refines}]
source: {kind: explicit, actor: 'human: it''s', session: null}
# a comment
tags:
  - two words
  - 'no'

  # another
  - [nested, {a: b}]
refs:
- path/only.py
created: 2026-11-21
expires:
"""
ATOMS = [
    *(
        "a",
        "title",
        "no",
        "null",
        "~",
        "1",
        "0.9",
        "'",
        '"',
        "''",
        "[",
        "]",
        "{",
        "}",
        ", ",
        ",",
        ": ",
        ":",
        " #",
        "#",
        "- ",
    ),
    *(
        "-",
        "\n",
        "  ",
        "\n  ",
        "\n- ",
        "\n  - ",
        " ",
        "é",
        "&",
        "*",
        "!",
        "|",
        ">",
        "%",
        "@",
        "`",
        "?",
        "? ",
        "<<",
        "=",
        "\\",
    ),
    *(
        "/",
        "$",
        "(",
        "+",
        "^",
        "key: ",
        "\nb: ",
        "x: [",
        "{to: a, relation: b}",
        "2026-11-21",
        "sha256:ab",
        "...",
        "\xa0",
        "日",
    ),
    *("\t", "\x85", "\u2028", "\ufeff", "\x07"),
]
STARTS = ["", "a: ", "t: [x, ", "t: [{to: a, ", "- a: {b: [", "t: {", "t:\n  - "]
ENDS = ["", "]", "}", "}]"]


def agree(block: str) -> bool:
    """Say whether the quick reader read the block; fail where it read anything else than YAML does."""
    quick = read_simple(block)
    if quick is not None:
        assert quick == read_yaml(block)
        yaml.compose(block, Loader=yaml.SafeLoader)  # the library's own reader takes it too, not only libyaml
    return quick is not None


def test_the_example_of_the_design_is_read_quickly_and_rightly() -> None:
    assert agree(EXAMPLE)


@settings(deadline=None, max_examples=700)
@given(st.sampled_from(STARTS), st.lists(st.sampled_from(ATOMS), max_size=10), st.sampled_from(ENDS))
def test_what_the_quick_reader_reads_is_what_yaml_reads(start: str, atoms: list[str], end: str) -> None:
    agree(f"{start}{''.join(atoms)}{end}\n")


def test_every_short_value_agrees() -> None:
    parts = ("", "-", "a", " ", ":", "#", "'", '"', "[", "]", "{", "}", ",", "é", "0", "\n- ")
    values = {"".join(each) for each in itertools.product(parts, repeat=3)}
    read = [agree(f"{start}{value}\n") for start in ("a: ", "a: [", "a:\n  - ") for value in sorted(values)]
    assert sum(read) > 500


@pytest.mark.sweep
def test_thousands_of_mutations_of_the_example_agree() -> None:
    chance, read = random.Random(5), 0
    for _ in range(1_500):
        at = chance.randrange(len(EXAMPLE))
        read += agree(EXAMPLE[:at] + chance.choice(ATOMS) + EXAMPLE[at + chance.randint(0, 3) :])
    assert read > 250


@pytest.mark.parametrize(
    "block", ["a: |\n  x\n", "a: &x 1\n", 'a: "\\n"\n', "a: x\n  y\n", "a:\n  b: 1\n", "a: [1,\n 2]\n", "- a\n", ""]
)
def test_the_rest_of_yaml_is_left_to_the_library(block: str) -> None:
    assert read_simple(block) is None


def test_scalars_stay_the_text_that_was_written() -> None:
    for block in ("a: no\nb: 010\nc: 2026-11-21\nd: 'no'\n", "{a: no, b: 010, c: 2026-11-21, d: 'no'}\n"):
        pairs = dict((read_simple(block) or read_yaml(block)).pairs)
        texts = [value.text for value in pairs.values() if isinstance(value, FieldScalar)]
        assert texts == ["no", "010", "2026-11-21", "no"]
        assert isinstance(pairs["d"], FieldScalar)
        assert not pairs["d"].plain


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("a: 1\nb: [\n", r"^\d+: "),
        ("a: 1\n b: 2\n", "^2: "),
        ("- a\n", "^1: it is no mapping"),
        ("a: &x [*x]\n", "^1: a value holds itself"),
        ("[a]: 1\n", "^1: a key is no plain text"),
        ("a: \x07\n", "^1: it holds a character"),
        ("a: " + "[" * 100_000 + "]" * 100_000 + "\n", "^1: it is nested more than 100 levels deep"),
        ("".join(f"{' ' * n}a:\n" for n in range(300)), "^101: it is nested more than 100 levels deep"),
        ("a:\n" + "- " * 50_000 + "x\n", "^2: it is nested more than 100 levels deep"),
    ],
)
def test_what_is_no_mapping_of_texts_is_told_with_its_line(block: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_yaml(block)


def test_aliases_that_multiply_do_not_grow_the_value() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]

    table = read_yaml("\n".join(lines) + "\n")

    last = table.pairs[-1][1]
    assert isinstance(last, FieldList)
    assert last.values[0] is last.values[1]


def test_an_empty_block_is_an_empty_table() -> None:
    assert read_yaml("") == FieldTable((), 1)
    assert read_yaml("# only this\n") == FieldTable((), 1)
