"""`make fresh`: it is skipped by name where a system cannot be built; the run itself is part of `.ci/run`."""

import os
import subprocess
from pathlib import Path

from tests.trees import path_with

FRESH = Path(__file__).parents[2] / ".ci" / "fresh"


def test_make_fresh_names_what_it_lacks_and_is_no_failure(tmp_path: Path) -> None:
    missing = "debootstrap" if os.getuid() == 0 else "root"
    done = subprocess.run(
        ["bash", str(FRESH)],
        env={"PATH": path_with(tmp_path / "bin", "bash", "dirname", "id"), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, f"fresh: skipped: it needs {missing}\n", "")
