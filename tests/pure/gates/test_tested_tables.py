"""The pages have the rows of their tables, each table in one place."""

import re
from pathlib import Path

import pytest

from tests.tested_tables import PART, TABLES, page_of, parts_in_order, parts_of, rows_of, with_rows

TESTS = Path(__file__).parents[2]
README = Path(__file__).parents[3] / "README.md"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_a_page_has_the_rows_of_its_tables(table: Path) -> None:
    page = page_of(table).read_text(encoding="utf-8")

    assert page == with_rows(page, table), "python -m tests.tested_tables writes it again"
    assert [found["of"] for found in PART.finditer(page)] == list(
        dict.fromkeys(re.findall(r"<!-- rows: (.+) -->", page))
    )
    assert {found["of"] for found in PART.finditer(page)} == parts_of(table)


def test_each_line_about_security_names_tests_that_exist() -> None:
    security = TABLES[0].with_name("security.yaml")
    page = page_of(security).read_text(encoding="utf-8")
    named = {"open ways": ["roles/test_not_closable.py"]}
    for part, rows in zip(parts_in_order(security), rows_of(security), strict=True):
        for row in rows:
            for each in row.get("tests") or named[part]:
                path, _, function = each.partition("::")
                source = (TESTS / path).read_text(encoding="utf-8")
                assert f"\ndef {function or 'test_'}" in source, each

    by_hand = PART.sub("", page)
    assert "\n| " not in by_hand
    assert "\n- " not in by_hand


def test_the_comparison_in_the_readme_has_the_cells_that_the_sources_are_for() -> None:
    rows = re.findall(r"^\| (?:\*\*vfcc|\[|its \[|Claude Code \[).*$", README.read_text(encoding="utf-8"), re.MULTILINE)
    cells = [[cell.strip() for cell in row.strip("|").split("|")[1:]] for row in rows]

    assert cells == [[str(row["cell"]) for row in each] for each in rows_of(TABLES[0].with_name("comparison.yaml"))]
