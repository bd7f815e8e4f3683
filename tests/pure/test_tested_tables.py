"""The pages have the rows of their tables, each table in one place."""

import re
from pathlib import Path

import pytest

from tests.tested_tables import PART, TABLES, page_of, parts_of, with_rows


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_a_page_has_the_rows_of_its_tables(table: Path) -> None:
    page = page_of(table).read_text(encoding="utf-8")

    assert page == with_rows(page, table), "python -m tests.tested_tables writes it again"
    assert [found["of"] for found in PART.finditer(page)] == list(
        dict.fromkeys(re.findall(r"<!-- rows: (.+) -->", page))
    )
    assert {found["of"] for found in PART.finditer(page)} == parts_of(table)
