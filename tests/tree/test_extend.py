"""The patches of the how-to page apply to the package, stay within few files, and do what the page says."""

import os
import subprocess
import sys
from pathlib import Path

from tests.extending import applied, changes, copied

MOST_FILES = {"An item field": 4}
"""The most files of a change; two for all others."""


def test_each_patch_of_the_page_adds_what_it_says_in_few_files(tmp_path: Path) -> None:
    found = list(changes())
    copied(tmp_path, [file for each in found for file in each.files])
    for each in found:
        applied(tmp_path, each.patch)
    program = "".join(f"exec(compile({each.program!r}, {each.title!r}, 'exec'), {{}})\n" for each in found)
    where = f"import sys, verifflowcc\nassert verifflowcc.__file__.startswith({str(tmp_path)!r})\n"
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}

    done = subprocess.run(
        [sys.executable, "-c", where + program], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )

    assert (done.stderr, done.stdout, done.returncode) == ("", "", 0)
    assert {each.title: len(each.files) for each in found if len(each.files) > MOST_FILES.get(each.title, 2)} == {}
    assert len(found) == 5
