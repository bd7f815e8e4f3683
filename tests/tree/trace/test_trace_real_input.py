"""Requirements that other projects keep, imported and checked; the committed tables say what was found."""

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("VFCC_DATA", ROOT.parent / "shared" / "data"))
DOORSTOP, STRICTDOC = DATA / "doorstop-reqs", DATA / "strictdoc-docs" / "docs"
PYTHON = os.environ.get("VFCC_DOORSTOP_PYTHON", sys.executable)
HAS_DOORSTOP = subprocess.run([PYTHON, "-c", "import doorstop"], capture_output=True, check=False).returncode == 0
_needs_doorstop = pytest.mark.skipif(
    not HAS_DOORSTOP, reason="doorstop is not installed here; VFCC_DOORSTOP_PYTHON may name a Python that has it"
)
_needs_its_data = pytest.mark.skipif(not DOORSTOP.is_dir(), reason="the data set doorstop-reqs is not here")
_needs_documents = pytest.mark.skipif(not STRICTDOC.is_dir(), reason="the data set strictdoc-docs is not here")


def benchmark(name: str, *arguments: str) -> str:
    """Run a script of `benchmarks/` and return what it prints; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@_needs_its_data
@_needs_doorstop
@pytest.mark.parametrize("planted", [(), ("--plant",)], ids=["as it is", "with faults planted"])
def test_every_suspect_and_unreviewed_item_that_doorstop_knows_is_found(planted: tuple[str, ...]) -> None:
    table = benchmark("doorstop_compare", *planted)
    assert table in (ROOT / "docs/compare/doorstop.md").read_text(encoding="utf-8")


@pytest.mark.sweep
@_needs_documents
def test_every_finding_on_strictdocs_documents_has_a_class_and_nearly_all_are_true() -> None:
    table = benchmark("strictdoc_table")
    assert table == (ROOT / "docs/compare/strictdoc.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert sum(row["true of the documents"] == "false" for row in rows) <= 10
