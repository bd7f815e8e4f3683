"""Services and adapters report how far long work is, to an observer where there is one."""

import os
import sys
from pathlib import Path

import pytest

from tests.evidence_project import project
from tests.observed import Recorder
from tests.trees import repository, write_tree
from verifflowcc.base.git.git_command import commit_with_git
from verifflowcc.base.process.clock import observed, observed_by, step
from verifflowcc.base.process.command_run import run_command
from verifflowcc.base.process.pager import edited_text, page
from verifflowcc.cli.use.checking import check_everything
from verifflowcc.cli.use.doctor import diagnose
from verifflowcc.code.use.indexing import index_code


def test_a_loop_reports_what_is_done_and_without_an_observer_costs_nothing() -> None:
    things = [1, 2, 3]
    assert observed("counting", things) is things
    recorder = Recorder()
    with observed_by(recorder):
        with step("all", 1):
            assert list(observed("counting", things)) == things
        with pytest.raises(ZeroDivisionError), step("failing"):
            raise ZeroDivisionError
    assert recorder.steps == {"all": (0, 1), "counting": (3, 3), "failing": (0, None)}
    assert recorder.open == []


def test_an_editor_a_pager_and_a_commit_have_the_terminal_to_themselves(tmp_path: Path) -> None:
    write_tree(tmp_path / "p", {"a.py": "A = 1\n"})
    repository(tmp_path / "p")
    recorder = Recorder()
    with observed_by(recorder):
        assert edited_text("as it was", "a.md", {"EDITOR": "true"}) == "as it was"
        assert page("", tmp_path / "p", {**os.environ, "PAGER": "true"})
        assert commit_with_git(tmp_path / "p", "commit", "--allow-empty", "--message", "nothing").code == 0
    assert recorder.pauses == 3


def test_every_program_that_runs_is_reported_with_its_output(tmp_path: Path) -> None:
    words = (sys.executable, "-c", "print('seen')")
    recorder = Recorder()
    with observed_by(recorder):
        ran = run_command(tmp_path, words, 60)
    assert (recorder.programs, recorder.output) == ([words], ran.output)


def test_services_report_how_far_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))
    here = project(tmp_path / "project")
    recorder = Recorder()
    with observed_by(recorder):
        index_code(here)
        check_everything(here)
        diagnose(here.root)
    assert recorder.steps["reading code"] == (2, 3)
    assert {"checking the trace", "checking the memory", "checking the gates of log-in"} <= recorder.steps.keys()
    done, total = recorder.steps["looking at the project"]
    assert done == total
