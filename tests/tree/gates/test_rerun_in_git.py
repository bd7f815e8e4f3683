"""What a second run finds of what git has a part in: tags, changed lines, comments on what was passed."""

from pathlib import Path

import pytest

from tests.evidence_project import (
    PYTHON,
    SPRINT,
    YOU,
    Ticking,
    allow,
    config,
    run,
)
from tests.rerun_world import forge, found, latest, verdict
from tests.trees import commit, git, repository, write_tree
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.rerun import RerunResult, reproduce
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.use.feedback import add_feedback

pytestmark = pytest.mark.vfcc("REQ-RERUN")

STANDS_ALONE = """\
name: own
title: One stage that looks at git
stages:
  - id: check
    title: Check
    leg: apex
    role: coder
    enter:
      - {id: comments, kind: feedback}
    exit:
      - {id: covered, kind: coverage, command: cover, inputs: ["src/**", "c.xml"], at_least: {changed: 90}}
      - {id: frozen, kind: baseline, files: ["src/**"]}
      - {id: tagged, kind: baseline, files: ["src/**"], tagged: true}
"""
COVERED = """\
<coverage><packages><package><classes><class filename="src/calc.py"><lines>
<line number="1" hits="1"/><line number="2" hits="{hits}"/>
</lines></class></classes></package></packages></coverage>
"""
COPIES = "import shutil, sys; shutil.copy('c.xml', sys.argv[1])"


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))


@pytest.fixture
def tracked(tmp_path: Path) -> Workspace:
    """A project in git, with one line of code changed and tagged since its sprint began."""
    tree = {
        "src/calc.py": "a = 1\n",
        "c.xml": COVERED.format(hits=1),
        ".memory/workflow.yaml": STANDS_ALONE,
        ".memory/config.yaml": config({"cover": {"run": [*PYTHON, "-c", COPIES, "{coverage}"]}}),
        ".memory/.gitignore": "local/\nprogress.json\n",
    }
    here = Workspace(write_tree(tmp_path / "project", tree), Ticking())
    repository(here.root)
    start_sprint(here, "Log in", workflow="own", actor=YOU)
    allow(here)
    write_tree(here.root, {"src/calc.py": "a = 1\nb = 2\n"})
    commit(here.root, "log-in: b")
    git(here.root, "tag", "v1")
    return here


@pytest.mark.sweep
def test_a_tag_must_come_out_again_where_one_is_asked_for(tracked: Workspace) -> None:
    git(tracked.root, "tag", "--delete", "v1")
    run(tracked, "frozen")
    git(tracked.root, "tag", "v1")
    run(tracked, "tagged")
    commit(tracked.root, "log-in: on record")
    assert found(reproduce(tracked, SPRINT)) == {
        "check/frozen": (RerunResult.REPRODUCED, "1 file"),
        "check/tagged": (RerunResult.REPRODUCED, "1 file, tags 1"),
    }, "what is put on record after the tag takes nothing away, and a tag that came later gives nothing"

    git(tracked.root, "tag", "--delete", "v1")
    assert found(reproduce(tracked, SPRINT))["check/tagged"] == (
        RerunResult.DIFFERS,
        "recorded 1 file, tags 1; now 1 file",
    )


@pytest.mark.sweep
def test_coverage_comes_out_again_though_other_files_changed_since(tracked: Workspace) -> None:
    run(tracked, "covered")
    write_tree(tracked.root, {"tools/old.py": "", "tools/notes.txt": "later\n"})

    assert latest(tracked, "covered").measures["missing_files"] == 0
    assert found(reproduce(tracked, SPRINT))["check/covered"][0] is RerunResult.REPRODUCED


@pytest.mark.sweep
def test_changed_lines_that_are_said_to_be_covered_are_red(tracked: Workspace) -> None:
    write_tree(tracked.root, {"c.xml": COVERED.format(hits=0)})
    run(tracked, "covered")
    honest = latest(tracked, "covered")
    assert (honest.measures["changed"], honest.measures["changed_hit"]) == (1, 0)
    forge(tracked, honest, measures={**honest.measures, "changed_hit": 1})

    assert verdict(tracked, "check", "covered") is Verdict.PASS
    assert found(reproduce(tracked, SPRINT))["check/covered"][0] is RerunResult.DIFFERS


@pytest.mark.sweep
def test_a_comment_on_a_stage_that_was_passed_is_not_red(tracked: Workspace) -> None:
    write_tree(tracked.root, {f".memory/stage/{SPRINT}/check/artifacts/notes.md": "All of it is covered.\n"})
    run(tracked, every=True)
    advance_stage(tracked, SPRINT, actor=YOU)
    add_feedback(tracked, SPRINT, "Why?", stage_id="check", actor=YOU)

    assert reproduce(tracked, SPRINT).sound
