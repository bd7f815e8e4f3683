"""Lines of linters: what is a finding, and what is only said beside it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifflowcc.sprint.rules.sarif import measure_lint


@pytest.mark.parametrize(
    "line",
    [
        "src/a.py:3:4: E501 line too long",
        "src/a.py:3: error: bad  [misc]",
        "./cart/cart.go:3:4: declared and not used",
        "/home/ci/src/a.py:3: DeprecationWarning: old",
        "C:\\src\\a.cs:3:4: bad",
        "C:/src/a.cs:3: bad",
        "src/a.ts(3,4): error TS2304: Cannot find name",
        "Program.cs(3,4) : error CS0103: no",
        "a.c(3): warning C4996: old",
        "Makefile:3: *** missing separator",
        "a b.py:3:4: bad",
        "src/main.rs:1:2: error: no",
        "a.yaml:3:4: [error] wrong",
        "src/prüfung.py:3:4-9: bad",
        "\x1b[1msrc/a.py\x1b[0m:3:4: \x1b[31mE501\x1b[0m bad",
    ],
)
def test_a_line_that_names_a_place_is_a_finding(line: str) -> None:
    assert measure_lint(f"{line}\n").measures == {"findings": 1, "notes": 0}
    assert measure_lint(f"{line}\r\n").measures == {"findings": 1, "notes": 0}


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Found 3 errors.",
        "Success: no issues found in 3 source files",
        "All checks passed!",
        "    3 | import os",
        "  --> src/a.py:3:4",
        "src/a.py:3:4:",
        "src/a.py",
        "12:30:45: started",
        "2026-11-21 12:30:45: started",
        "http://localhost:8080/x: refused",
        "************* Module a",
        "warning: 3 files ignored",
    ],
)
def test_other_lines_are_not(line: str) -> None:
    assert measure_lint(line).measures == {"findings": 0, "notes": 0}


def test_a_note_only_explains() -> None:
    found = measure_lint("a.py:3: error: bad\na.py:1: note: it began here\n")

    assert found.measures == {"findings": 1, "notes": 1}
    assert found.examples == ("a.py:3: error: bad",)


def test_equal_findings_are_as_many_as_they_are_and_their_order_is_no_matter() -> None:
    assert measure_lint("a.py:1: x\na.py:1: x\n").measures["findings"] == 2
    assert measure_lint("a.py:1: x\nb.py:1: x\n").outcome == measure_lint("b.py:1: x\ndone\na.py:1: x").outcome
    assert measure_lint("a.py:1: x\n").outcome != measure_lint("a.py:1: x\na.py:1: x\n").outcome


def test_colours_are_taken_off() -> None:
    assert measure_lint("\x1b[1ma.py\x1b[0m:3: \x1b[31mbad\x1b[0m").examples == ("a.py:3: bad",)


def test_hostile_lines_end() -> None:
    starts = ("a(", "a:1", " ", "a(1", "1:", "\x1b[", "C:/", "(1,1)")
    for line in ("a" * 10**6, "a(1" + ",1" * 10**6, *(start * 10**6 for start in starts)):
        assert measure_lint(line).measures["findings"] == 0


@given(st.text(st.characters(exclude_categories=()), max_size=100) | st.text("a:1(), \n\x1b[", max_size=100))
@settings(deadline=None, max_examples=200)
def test_there_are_no_more_findings_than_lines(text: str) -> None:
    found = measure_lint(text)

    assert sum(found.measures.values()) <= text.count("\n") + text.count("\r") + 1
    assert found.problem == ""
