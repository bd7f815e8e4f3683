"""The page on honesty has a row for each test, and each row its test."""

import ast
import re
from pathlib import Path

from tests.cli.honest_world import COMMANDS, PAGE, rows

HERE = Path(__file__).parents[1]
MEMORY = {"memory", "check", "show", "task"}
ALLOWED = {*COMMANDS, *MEMORY, "git", "add", "approve", "waive", "skip", "allow", "trace", "hook", "status"}
CONTROLS = {
    "what-is-honest-is-let-through",
    "what-is-traced-is-let-through",
    "what-another-person-approves-is-let-through",
    "what-went-on-honestly-is-let-through-to-its-end",
    "a-forger-knows-what-a-gate-looks-at",
    "reading-runs-nothing",
    "reading-memory-changes-nothing",
    "what-a-person-remembers-is-let-through",
    "a-redaction-that-was-cut-short-is-repeated",
}
"""Tests that show the other side: that the same world is green where nobody cheats."""


def found_tests() -> dict[str, str]:
    """The source of each test of honesty, by its name as an anchor."""
    found = {}
    for path in sorted(HERE.rglob("test_honesty_*.py")):
        source = path.read_text(encoding="utf-8")
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and path.name != Path(__file__).name:
                found[node.name.removeprefix("test_").replace("_", "-")] = ast.get_source_segment(source, node) or ""
    return found


def test_each_row_is_a_test_and_each_test_a_row() -> None:
    assert set(rows()) == set(found_tests()) - CONTROLS


def test_each_test_reads_its_own_row() -> None:
    for anchor, source in found_tests().items():
        if anchor not in CONTROLS:
            assert f'"{anchor}"' in source, anchor


def test_no_line_of_a_table_is_overlooked() -> None:
    text = PAGE.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = [line for line in lines if re.match(r"\| what is tried|\|---", line)]

    assert len(lines) - len(heads) == len(rows()) == text.count("<a id=")


def test_each_row_is_found_by_something_that_the_page_explains() -> None:
    for row in rows().values():
        assert row.found_by
        assert set(row.found_by) <= ALLOWED, row
        assert all(code or name in {"git", "hook", *MEMORY} for name, code in row.found_by.items()), row
