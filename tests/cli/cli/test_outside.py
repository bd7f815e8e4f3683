"""The tests themselves run outside the process tree of the client that a developer started them in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[3]
ONE = "tests/cli/cli/test_who_may.py::test_a_person_at_a_terminal_whose_output_is_piped_is_a_person"


@pytest.mark.sweep
@pytest.mark.parametrize(("wanted", "code"), [(ONE, 0), (f"{ONE}_not", 4)], ids=["passes", "fails"])
def test_a_person_is_one_though_a_client_started_the_tests(tmp_path: Path, wanted: str, code: int) -> None:
    client = tmp_path / "claude"
    client.write_text('#!/bin/sh\n"$@"\nexit $?\n', encoding="utf-8")
    client.chmod(0o755)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "VFCC_TEST_"))}

    done = subprocess.run(
        [client, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", wanted],
        cwd=HERE,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == code, done
