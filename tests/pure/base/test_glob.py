"""Patterns of paths: what they name, and that no pattern takes long."""

from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from verifflowcc.base.text.glob import matches, select

NAMES = st.text("ab.", min_size=1, max_size=4)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from(["a", "b", ".", "*", "?", "[a]", "[!a]", "[a-b]", "["])
PATTERN_NAMES = st.one_of(st.just("**"), st.lists(PIECES, min_size=1, max_size=5).map("".join))
PATTERNS = st.lists(PATTERN_NAMES, min_size=1, max_size=5).map("/".join)


@pytest.mark.parametrize(
    ("pattern", "named", "others"),
    [
        ("*.py", ["a.py", ".py", ".hidden.py"], ["a/b.py", "a.pyc", "a.PY", ""]),
        ("src/*", ["src/a", "src/.a"], ["src", "src/a/b", "lib/src/a"]),
        ("src/**", ["src/a", "src/a/b.py"], ["src", "srcs/a", "lib/src/a"]),
        ("src/", ["src/a", "src/a/b.py"], ["src"]),
        ("**", ["a", "a/b/c"], [""]),
        ("**/*", ["a", "a/b/c"], [""]),
        ("**/a.py", ["a.py", "x/a.py", "x/y/a.py"], ["ba.py", "x/ba.py", "a.py/x"]),
        ("src/**/a/*.py", ["src/a/x.py", "src/p/a/x.py", "src/a/a/x.py"], ["src/a.py", "src/a/b/x.py"]),
        ("**/a/**/b", ["a/b", "x/a/y/b", "a/a/b/b"], ["b/a", "a/x/b/c"]),
        ("**/t/**", ["t/x", "a/t/x/y"], ["t", "a/t", "at/x"]),
        ("a**b", ["ab", "axxb"], ["a/b", "a/x/b"]),
        ("a?c", ["abc", "a\nc"], ["ac", "a/c"]),
        ("[ab-d].x", ["a.x", "c.x"], ["e.x", "-.x", "b-d.x"]),
        ("[!a].x", ["b.x", "!.x"], ["a.x", "/.x"]),
        ("[]a]", ["]", "a"], ["[]a]"]),
        ("[!]a]", ["b"], ["]", "a"]),
        ("[^a]", ["^", "a"], ["b"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[z-a]", [], ["z", "a", "-"]),
        ("[a-z-9]", ["b", "-", "9"], ["0"]),
        ("[*]", ["*"], ["a"]),
        ("a[+-9]b", ["a.b", "a0b"], ["a/b"]),
        ("x/**", ["x/a\nb"], ["x"]),
        ("[+--]", [",", "-", "+"], ["/", "."]),
        ("a[b/c]", ["a[b/c]"], ["ab", "ac"]),
        ("[ab", ["[ab"], ["a"]),
        ("[]", ["[]"], []),
        ("a.b+c(d)$", ["a.b+c(d)$"], ["aXb+c(d)$"]),
        ("", [], ["a", "a/b"]),
        ("/", [], ["a", "a/b"]),
        ("é*", ["été"], ["e"]),
    ],
)
def test_what_a_pattern_names(pattern: str, named: list[str], others: list[str]) -> None:
    assert [path for path in named + others if matches(path, pattern)] == named


def test_a_selection_is_sorted_and_each_path_once() -> None:
    assert select(["b", "a", "b"], []) == ("a", "b")
    assert select(["b.py", "a.py", "c.md"], ["*.py", "a*"]) == ("a.py", "b.py")


def test_a_pattern_with_a_mark_takes_out_wherever_it_stands() -> None:
    paths = ["src/a.py", "src/gen/b.py", "docs/x.md"]

    assert select(paths, ["!src/gen/**", "src/**"]) == select(paths, ["src/**", "!src/gen/**"]) == ("src/a.py",)
    assert select(paths, ["!src/**"]) == ("docs/x.md",)
    assert select(paths, ["nothing/**"]) == ()


def plain_match(names: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """The definition, word for word, and as slow as it likes."""
    if not pattern:
        return not names
    if pattern[0] == "**":
        if len(pattern) == 1:
            return bool(names)
        return any(plain_match(names[skip:], pattern[1:]) for skip in range(len(names) + 1))
    return bool(names) and plain_name(names[0], pattern[0]) and plain_match(names[1:], pattern[1:])


@cache
def plain_name(name: str, pattern: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(plain_name(name[skip:], pattern.lstrip("*")) for skip in range(len(name) + 1))
    for text, letters in {"?": "ab.", "[a]": "a", "[!a]": "b.", "[a-b]": "ab"}.items():
        if pattern.startswith(text):
            return bool(name) and name[0] in letters and plain_name(name[1:], pattern[len(text) :])
    return bool(name) and name[0] == pattern[0] and plain_name(name[1:], pattern[1:])


def odd_brackets(pattern: str) -> bool:
    """Whether a `[` opens what the plain definition does not know, as in `[.[a]`."""
    for known in ("[a]", "[!a]", "[a-b]"):
        pattern = pattern.replace(known, "_")
    return "[" in pattern and any("[" in name for name in pattern.split("/"))


@given(PATHS, PATTERNS)
@example("a/b/a/b/b", "**/a/**/b/b")
@example("ab.a.b", "*a*.b")
@settings(deadline=None, max_examples=400)
def test_a_match_is_what_the_plain_definition_says(path: str, pattern: str) -> None:
    if odd_brackets(pattern):
        return
    names = tuple(path.split("/"))
    assert matches(path, pattern) == plain_match(names, tuple(pattern.split("/")))


@given(st.text(max_size=20), st.text("ab*?[]!-/^\\.\n", max_size=20))
@settings(deadline=None, max_examples=300)
def test_no_pattern_is_an_error(path: str, pattern: str) -> None:
    assert matches(path, pattern) in {True, False}


def test_hostile_patterns_end() -> None:
    assert not matches("a" * 5000, "*a" * 200 + "b")
    assert not matches("a/" * 2000 + "a", "**/a/" * 100 + "b")
    assert not matches("a/" * 2000 + "a", "**/*/" * 100 + "b")
    assert matches("a" * 5000 + "b", "*a" * 200 + "*b")
