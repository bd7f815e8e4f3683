"""A test run that hangs: its evidence names the test, and its log can be read while it runs."""

import sys
from pathlib import Path

import pytest

from tests.evidence_project import project, run
from verifflowcc.gates.use.evidence_running import log_path
from verifflowcc.sprint.use.configuration import effective_config

pytestmark = pytest.mark.vfcc("REQ-EVIDENCE")
HANGS = """\
import threading

def test_first():
    pass

def test_hang():
    threading.Event().wait()
"""


@pytest.mark.sweep
def test_a_run_out_of_time_names_the_test_that_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests/test_hang.py", "--junitxml={junit}"]
    here = project(tmp_path / "project", {"tests/test_hang.py": HANGS}, test={"run": words, "timeout": 5})

    done = run(here, "tests")

    (row,), (command,) = done.rows, done.commands
    assert row.reason.endswith("did not end within 5 s and was killed; it was at tests/test_hang.py:7 (test_hang)")
    assert not any("File " in line for line in command.lines)
    log = (here.root / log_path(effective_config(here).config.gates.commands["test"])).read_text("utf-8")
    assert "tests/test_hang.py ." in log
