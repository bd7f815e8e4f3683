"""The report of the worked example in `docs/report` is what `vfcc report` makes of it now."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"


def test_the_report_in_the_documentation_is_current(tmp_path: Path) -> None:
    made = runpy.run_path(str(DOCS / "example_report.py"))
    made["write"](tmp_path / "report")

    old, new = (
        {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}
        for folder in (DOCS / "report", tmp_path / "report")
    )

    assert sorted(old) == sorted(new)
    assert [name for name in new if old[name] != new[name]] == [], "run: make reference"
