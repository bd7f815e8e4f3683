"""CLAUDE.md describes the package as it is: its table of folders, in their order, and the files of the main job."""

import re
from pathlib import Path

from benchmarks.house import RANKS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "CLAUDE.md").read_text(encoding="utf-8")
FOLDERS = re.findall(r"^\| `(\w+)/` \|", PAGE, re.MULTILINE)


def test_the_table_names_each_folder_of_the_package() -> None:
    there = {path.parent.name for path in (ROOT / "verifflowcc").glob("*/__init__.py")}

    assert set(FOLDERS) == there


def test_the_table_is_in_the_order_of_the_imports() -> None:
    order = [name for name, _ in RANKS]
    known = [name for name in FOLDERS if name in order]

    assert known == [name for name in order if name in known]


def test_each_file_of_the_main_job_is_there() -> None:
    job = PAGE[PAGE.index("**How a prompt is made**") :].split("\n\n", 3)[1]
    lines = job.splitlines()
    assert len(lines) == 5
    for line in lines:
        folder = ""
        for name in re.findall(r"`([\w/]+\.py)`", line):
            folder = f"{Path(name).parent}/" if "/" in name else folder
            assert (ROOT / "verifflowcc" / folder / Path(name).name).is_file(), line
