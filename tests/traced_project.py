"""A small traced project as files: one need, two requirements, a test of each, and ways to change it."""

from collections.abc import Mapping
from pathlib import Path

from tests.trees import write_tree
from verifflowcc.base.use.workspace import Workspace

ITEMS = ".memory/project/items"
NEED = f"{ITEMS}/need/NEED-tide.md"
HIGH = f"{ITEMS}/requirement/REQ-high.md"
LOW = f"{ITEMS}/requirement/REQ-low.md"
CONFIG = ".memory/config.yaml"
TESTS = """\
def test_high():
    \"\"\"vfcc: REQ-high\"\"\"


def test_low():
    \"\"\"vfcc: REQ-low\"\"\"
"""


def item(name: str, kind: str, *links: str, text: str = "The gauge shall say so.", **fields: str) -> str:
    """The text of an item's file; a link is written as `refines NEED-tide`."""
    keys = {"id": name, "type": kind, "title": f"Title of {name}", "status": "active", **fields}
    lines = [f"{key}: {value}" for key, value in keys.items()]
    if links:
        lines += ["links:", *(f"  - {{to: {to}, relation: {relation}}}" for relation, to in map(str.split, links))]
    return "\n".join(["---", *lines, "---", "", text, ""])


FILES: Mapping[str, str] = {
    CONFIG: "format: 1\n",
    ".memory/.gitignore": "local/\n",
    NEED: item("NEED-tide", "need"),
    HIGH: item("REQ-high", "requirement", "refines NEED-tide", verification="test"),
    LOW: item("REQ-low", "requirement", "refines NEED-tide", verification="test"),
    "src/gauge.py": "# vfcc: REQ-high, REQ-low\n",
    "tests/test_gauge.py": TESTS,
}


def traced(root: Path, **more: str) -> Workspace:
    """Write the project, with further files by path, and return it."""
    write_tree(root, {**FILES, **more})
    return Workspace(root)


def junit(*cases: str) -> str:
    """A report with these test cases, and no word on which content it ran."""
    return f'<testsuite name="suite" tests="{len(cases)}">{"".join(cases)}</testsuite>\n'


def case(name: str, inside: str = "") -> str:
    """A test case of `tests/test_gauge.py`."""
    return f'<testcase classname="tests.test_gauge" name="{name}">{inside}</testcase>'
