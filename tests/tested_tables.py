"""The tables of pages whose rows are tests: attempts and what shows them, and differences after an upgrade.

    python -m tests.tested_tables          # writes the tables of the pages again

The rows are in `tests/tables/`, one file for each page. The tests read them from the page. The text around a table is
written by hand, and kept.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

DOCS = Path(__file__).parents[1] / "docs"
TABLES = sorted((Path(__file__).parent / "tables").glob("*.yaml"))
PART = re.compile(r"<!-- rows: (?P<of>[a-z ]+) -->\n.*?<!-- end of rows -->\n", re.DOTALL)
Table = Mapping[str, Any]


def page_of(table: Path) -> Path:
    """Return the page whose rows a file holds."""
    return DOCS / str(_read(table)["page"])


def with_rows(page: str, table: Path) -> str:
    """Return a page with its tables written again. Raises KeyError for the name of an unknown table."""
    known = _read(table)

    def part(found: re.Match[str]) -> str:
        lines = "\n".join(_lines(known, found["of"]))
        return f"<!-- rows: {found['of']} -->\n\n{lines}\n\n<!-- end of rows -->\n"

    return PART.sub(part, page)


def parts_of(table: Path) -> set[str]:
    """Return the names of the tables in a file."""
    return set(_read(table)["parts"])


def parts_in_order(table: Path) -> list[str]:
    """Return the names of the tables in a file, in their order there."""
    return list(_read(table)["parts"])


def rows_of(table: Path) -> list[list[Mapping[str, Any]]]:
    """Return the rows of each table in a file."""
    return list(_read(table)["parts"].values())


def _read(table: Path) -> Table:
    read: Table = yaml.safe_load(table.read_text(encoding="utf-8"))
    return read


def _lines(table: Table, name: str) -> Iterator[str]:
    """Yield the lines of a table, which may have columns of its own.

    A column of `code` is in backticks, each of several texts by itself.
    """
    columns: Mapping[str, str] = table.get("columns_of", {}).get(name, table["columns"])
    yield f"| {' | '.join(columns.values())} |\n|{'---|' * len(columns)}"
    for row in table["parts"][name]:
        cells = [_code(row[key]) if key in table["code"] else str(row[key]) for key in columns]
        anchor = f'<a id="{row["id"]}"></a>' if "id" in row else ""
        yield f"| {anchor}{' | '.join(cells)} |"


def _code(value: str | list[str]) -> str:
    return " ".join(f"`{each}`" for each in (value if isinstance(value, list) else [value]))


if __name__ == "__main__":
    for each in TABLES:
        page = page_of(each)
        page.write_text(with_rows(page.read_text(encoding="utf-8"), each), encoding="utf-8")
