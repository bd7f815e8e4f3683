"""A regular expression that a repository brings along cannot hang who reads it."""

import re

import pytest

from verifflowcc.base.text.glob import finds, pattern_fault


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+b",
        "(a|a)*b",
        "(a|aa){5,}b",
        r"((?:x))*",
        "a*a*a*a*b",
        ".*.*.*.*",
        r"(a)\1",
        "(?P<x>a)(?P=x)",
        "(",
        "[",
        "a{99999999999}",
    ],
)
def test_what_could_take_for_ever_is_refused(pattern: str) -> None:
    assert pattern_fault(pattern)


@pytest.mark.parametrize("pattern", ["(ab)?+c", "REQ(?:-a|-b)?+"])
def test_a_possessive_group_is_refused_since_some_pythons_match_it_wrongly(pattern: str) -> None:
    assert "possessive group" in str(pattern_fault(pattern))


@pytest.mark.parametrize(
    "pattern",
    [r"(ab)?c\)?+", "REQ-[0-9]+", "(REQ|NEED)-[a-z0-9-]+", r"^(feat|fix)(\(\w+\))?: ", r"\(a\)+ b*", "[)]+x", "[]*+]+"],
)
def test_what_people_write_is_taken(pattern: str) -> None:
    assert pattern_fault(pattern) is None


@pytest.mark.sweep
def test_the_worst_pattern_that_is_taken_ends_on_the_longest_line() -> None:
    worst = "a*a*a*b"
    assert pattern_fault(worst) is None
    assert not finds(re.compile(worst), "a" * 5000)


def test_each_line_of_a_message_is_searched() -> None:
    assert finds(re.compile("^REQ-1$"), "subject\n\nREQ-1\n")
    assert not finds(re.compile("REQ-1"), "x" * 300 + "REQ-1")
