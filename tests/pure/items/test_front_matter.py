"""Front matter: taken apart without loss, edited by lines, refused where an edit could do damage."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.base.errors import FormatError
from verifflowcc.items.rules.front_matter import edit, inline_value, split

pytestmark = pytest.mark.vfcc("REQ-ITEM-LOSSLESS")

PIECES = (
    "---",
    "...",
    "\n",
    "\r\n",
    "\ufeff",
    "a: 1",
    "b:",
    "  - x",
    "# t",
    " ",
    "\t",
    "'",
    '"',
    "[",
    "|",
    "\x85",
    "é",
)


def with_block(block: str) -> str:
    return f"---\n{block}---\n# Body\n"


def block_after(block: str, **changes: str | None) -> str:
    after = edit(with_block(block), changes)
    assert after.startswith("---\n")
    assert after.endswith("---\n# Body\n")
    return after.removeprefix("---\n").removesuffix("---\n# Body\n")


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_a_split_text_joins_to_itself(text: str) -> None:
    assert split(text).join() == text


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("---\na: 1\n---\nb", "a: 1\n"),
        ("\ufeff---\r\na: 1\r\n...\r\nb", "a: 1\r\n"),
        ("---  \na: 1\n---", "a: 1\n"),
        ("---\n---\n", ""),
        ("----\na: 1\n---\n", None),
        ("\n---\na: 1\n---\n", None),
        ("--- a\n---\n", None),
        ("---\na: 1\n", None),
        ("", None),
    ],
)
def test_front_matter_begins_in_the_first_line_and_is_closed(text: str, block: str | None) -> None:
    assert split(text).block == block


def test_a_block_that_is_never_closed_is_body_and_is_not_edited() -> None:
    assert split("---\na: 1\n").unclosed

    with pytest.raises(FormatError, match=r"x\.md:1: front matter is opened by --- and never closed"):
        edit("---\na: 1\n", {"a": "2"}, path="x.md")


@pytest.mark.parametrize(
    ("block", "after"),
    [
        ("a: 1\nb: 2\n", "a: new\nb: 2\n"),
        ("a:   1   # why\n", "a:   new   # why\n"),
        ("'a' : 1\n", "'a' : new\n"),
        ('"a": "x: # y"  # z\n', '"a": new  # z\n'),
        ("a:\nb: 2\n", "a: new\nb: 2\n"),
        ("a: # none\nb: 2\n", "a: new # none\nb: 2\n"),
        ("a: |  # head\n  text\n  # inside\n\n# outside\nb: 2\n", "a: new  # head\n\n# outside\nb: 2\n"),
        ("a: >2-\n    text\n  more\nb: 2\n", "a: new\nb: 2\n"),
        ("a:\n- x\n# inside\n- y\n# outside\nb: 2\n", "a: new\n# outside\nb: 2\n"),
        ("a:\n  - |\n    text\n    # inside\n  # outside\nb: 2\n", "a: new\n  # outside\nb: 2\n"),
        ("a:\n  x: 'two\nlines: y'\n  z: 1\nb: 2\n", "a: new\nb: 2\n"),
        ("a: [x,\n 'y # z',\n]  # tail\nb: 2\n", "a: new  # tail\nb: 2\n"),
        ("a: {x: don't, y: [1]}\nb: 2\n", "a: new\nb: 2\n"),
        ("a: plain\n  goes 'on\n\n  here\nb: 2\n", "a: new\nb: 2\n"),
        ("a: !!str 1\nb: 2\n", "a: new\nb: 2\n"),
        ("  a: 1\n  b: 2\n", "  a: new\n  b: 2\n"),
        ("b: 2\n", "b: 2\na: new\n"),
        ("b: |+\n  x\n\n", "b: |+\n  x\n\na: new\n"),
        ("# only a comment\n", "# only a comment\na: new\n"),
    ],
)
def test_only_the_lines_of_the_edited_key_change(block: str, after: str) -> None:
    assert block_after(block, a="new") == after
    expected = {**(yaml.safe_load(block) or {}), "a": "new"}
    assert yaml.safe_load(after) == expected


def test_a_key_is_removed_with_its_lines() -> None:
    assert block_after("a:\n- x\n# c\nb: 2\n", a=None) == "# c\nb: 2\n"
    assert block_after("b: 2\n", a=None) == "b: 2\n"


def test_several_keys_are_edited_at_once() -> None:
    assert block_after("a: 1\nb: [\n]\nc: 3\n", c="30", a="10", d="[4]", b=None) == "a: 10\nc: 30\nd: [4]\n"


def test_a_text_without_front_matter_gets_one_in_its_own_newlines() -> None:
    assert edit("\ufeff# T\r\nx", {"a": "1"}) == "\ufeff---\r\na: 1\r\n---\r\n# T\r\nx"
    assert edit("", {"a": "1"}) == "---\na: 1\n---\n"
    assert edit("# T\n", {"a": None}) == "# T\n"


@pytest.mark.parametrize(
    ("block", "why"),
    [
        ("- a\n", "no key with a value"),
        ("text\n", "no key with a value"),
        ("{a: 1}\n", "no key with a value"),
        ("? a\n: 1\n", "no key with a value"),
        ("&x a: 1\n", "no key with a value"),
        ("a: 1\na: 2\n", "appears twice in it"),
        ("b: 1\n  a: 2\n", "colon that YAML takes"),
        ("b:\n  - 1\n c: 2\na: 1\n  # x\n    d\n", "fits no key"),
        ("a: &x 1\nb: *x\n", "anchor &x, which is used elsewhere"),
        ('"\\u0061": 1\n', "written with escapes"),
        ("b: 'open\n", "opened and never closed"),
        ("b: [1, 2\n", "opened and never closed"),
        ("b: [1, 2}\n", "brackets do not match"),
        ("b: 'x' y\n", "a value is followed by more text"),
        ("b: @x\n", "keeps for itself"),
        ("b: |x\n  y\n", "header that is unknown"),
        ("b:\n\t- x\n", "indented with a tab"),
        ("b: 1\u2028a: 2\n", "neither LF nor CRLF"),
        ("b: 1\ra: 2\n", "neither LF nor CRLF"),
    ],
)
def test_what_could_be_damaged_is_refused_with_its_line(block: str, why: str) -> None:
    with pytest.raises(FormatError, match=rf"^x\.md:\d+: front matter cannot be edited: .*{why}"):
        edit(with_block(block), {"a": "new"}, path="x.md")


def test_a_refusal_names_the_line_of_the_file() -> None:
    with pytest.raises(FormatError, match=r"^x\.md:4: "):
        edit("---\nb: 1\n\n- c\n---\n", {"a": "new"}, path="x.md")


def test_toml_front_matter_is_not_given_a_second_one() -> None:
    with pytest.raises(FormatError, match="is TOML"):
        edit("+++\na = 1\n+++\n", {"a": "2"})


@pytest.mark.parametrize(
    "value", ["a: b", "a #b", " a", "a ", "", "a\nb", "|", "[1", "'x", "# c", "- a", "&x a", "a\x85b"]
)
def test_a_value_that_is_not_one_line_of_yaml_is_a_fault_of_the_caller(value: str) -> None:
    assert not inline_value(value)
    with pytest.raises(ValueError, match="is not one line of YAML"):
        edit("---\na: 1\n---\n", {"a": value})


@pytest.mark.parametrize("key", ["a b", "", "a:", "'a'", "é", "a" * 101])
def test_a_key_that_is_not_plain_is_a_fault_of_the_caller(key: str) -> None:
    with pytest.raises(ValueError, match="is not a plain key"):
        edit("", {key: "1"})


ODD_PIECES = [
    *(
        "a: ",
        "b: ",
        "c:\n",
        "\n",
        "  ",
        "- ",
        "'",
        '"',
        "x",
        "y z",
        "[",
        "]",
        "{",
        "}",
        ", ",
        ": ",
        " #n",
        "#",
        "|\n",
        ">-\n",
    ),
    *(
        "\n  ",
        "\n    ",
        "\n- ",
        "é",
        "*q",
        "&q ",
        "!!str ",
        "''",
        "\\",
        "a: 1\n",
        "b:\n  - 1\n",
        "\r\n",
        "\t",
        "? ",
        "<<: ",
    ),
]
ODD = st.lists(st.sampled_from(ODD_PIECES), max_size=14).map(lambda parts: "".join(parts) + "\n")


@settings(deadline=None, max_examples=700)
@given(ODD, st.sampled_from(["a", "b", "n"]))
def test_whatever_yaml_reads_is_edited_without_damage_or_refused(block: str, key: str) -> None:
    try:
        before = yaml.safe_load(block) or {}
        root = yaml.compose(block, Loader=yaml.SafeLoader)
        nodes = [node.value for node, _ in root.value] if isinstance(root, yaml.MappingNode) else []
    except (yaml.YAMLError, ValueError, TypeError, AttributeError):
        return
    if not isinstance(before, dict) or split(with_block(block)).block != block:
        return
    try:
        after = block_after(block, **{key: "new"})
    except FormatError:
        return
    assert nodes.count(key) <= 1
    assert yaml.safe_load(after) == {**before, key: "new"}
