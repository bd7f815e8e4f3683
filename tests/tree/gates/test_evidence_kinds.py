"""Coverage, scans, linters, metrics and tagged baselines, from reports that real commands write."""

from pathlib import Path

import pytest

from tests.evidence_project import PYTHON, SPRINT, TREE, YOU, Ticking, allow, config, run, said
from tests.trees import commit, git, repository, write_tree
from verifflowcc.base.model.gate_values import BaselineKind
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.baseline_making import propose_baseline, record_baseline
from verifflowcc.gates.use.evidence_listing import find_stale
from verifflowcc.gates.use.sprints import start_sprint

WORKFLOW = """\
name: own
title: One stage that asks for all kinds
gates: hard
stages:
  - id: check
    title: Check
    leg: apex
    role: coder
    exit:
      - {id: covered, kind: coverage, title: covered, command: cover, files: ["src/**"], at_least: {line: 50}}
      - {id: changed, kind: coverage, title: changes are covered, command: cover, at_least: {changed: 90}}
      - {id: scan, kind: sarif, title: nothing new, command: scan, at_most: {new_error: 0}}
      - {id: lint, kind: lint, title: no finding, command: lint}
      - {id: speed, kind: metric, title: fast, command: bench, metric: time.p95_ms, at_most: {value: 200}}
      - {id: frozen, kind: baseline, title: frozen, files: ["src/**"], tagged: true}
"""
COPIES = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
COVERED = """\
<coverage><packages><package><classes><class filename="src/calc.py"><lines>
<line number="1" hits="1"/><line number="2" hits="0"/>
</lines></class></classes></package></packages></coverage>
"""
SARIF = (
    '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": [{"ruleId": "R1", '
    '"level": "error", "message": {"text": "bad"}, "locations": [{"physicalLocation": {"artifactLocation": '
    '{"uri": "src/calc.py"}, "region": {"startLine": 1}}}]}]}]}'
)
LINT = "import sys; print('src/calc.py:1:1: E1 bad'); print('1 error'); sys.exit(1)"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))
    commands = {
        "cover": {"run": [*PYTHON, "-c", COPIES, "given/coverage.xml", "{coverage}"]},
        "scan": {"run": [*PYTHON, "-c", COPIES, "given/scan.sarif", "{sarif}"]},
        "lint": {"run": [*PYTHON, "given/lint.py"]},
        "bench": {"run": [*PYTHON, "-c", COPIES, "given/bench.json", "{metric}"]},
    }
    given = {
        "src/calc.py": "a = 1\nb = 2\n",
        "given/coverage.xml": COVERED,
        "given/scan.sarif": SARIF,
        "given/lint.py": LINT,
        "given/bench.json": '{"time": {"p95_ms": 199.5}}',
        ".memory/workflow.yaml": WORKFLOW,
        ".memory/config.yaml": config(commands),
    }
    root = write_tree(tmp_path / "project", TREE | given)
    repository(root)
    found = Workspace(root, Ticking())
    start_sprint(found, "Log in", workflow="own", actor=YOU)
    allow(found)
    return found


@pytest.mark.sweep
def test_coverage_is_that_of_the_projects_files(here: Workspace) -> None:
    assert said(run(here, "covered"))["covered"] == ("pass", "line coverage 50 %")

    (here.root / "src/other.py").write_text("c = 3\n")
    assert said(run(here, "covered"))["covered"] == ("fail", "the report lacks 1 file: src/other.py")

    write_tree(here.root, {"given/coverage.xml": COVERED.replace("src/calc.py", "lib/theirs.py")})
    assert said(run(here, "covered"))["covered"] == ("fail", "the report speaks of other files: lib/theirs.py")


@pytest.mark.sweep
def test_coverage_of_changed_lines_is_that_since_the_sprint_began(here: Workspace) -> None:
    nothing = "no line that was measured is known to have changed since the sprint began"
    assert said(run(here, "changed"))["changed"] == ("not_evaluable", nothing)

    (here.root / "src/calc.py").write_text("a = 1\nb = 3\n")
    assert said(run(here, "changed"))["changed"] == (
        "fail",
        "coverage of changed lines is 0 %, 90 % is needed: src/calc.py:2",
    )

    (here.root / "src/calc.py").write_text("a = 4\nb = 2\n")
    assert said(run(here, "changed"))["changed"] == (
        "pass",
        "coverage of changed lines 100 %; the report lacks 2 files",
    )


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-EVIDENCE")
def test_findings_on_the_base_are_accepted_and_others_are_not(here: Workspace) -> None:
    assert said(run(here, "scan"))["scan"][0] == "fail"

    found = propose_baseline(
        here,
        SPRINT,
        BaselineKind.LINT,
        reason="old code",
        expires="2999-12-31",
        actor=YOU,
        progress=lambda _: None,
    )
    record_baseline(here, found, actor=YOU)
    stale = {one.criterion: one.reasons for one in find_stale(here, SPRINT).stale}
    assert stale["scan"] == (f"{BaselineKind.LINT.path} is new",)
    accepted = "accepted until 2999-12-31 by You: old code"
    assert said(run(here, "scan"))["scan"] == ("pass", f"no other finding; 1 old fault {accepted}")
    assert said(run(here, "lint"))["lint"] == ("pass", f"no other finding; 1 old fault {accepted}")

    write_tree(here.root, {"given/lint.py": "print('src/calc.py:9:1: E1 bad')\nprint('src/calc.py:1:1: E2 bad')"})
    assert said(run(here, "lint"))["lint"][1].startswith("1 finding: src/calc.py:1:1: E2 bad; ")
    write_tree(here.root, {"given/scan.sarif": SARIF.replace("R1", "R2")})
    assert said(run(here, "scan"))["scan"][0] == "fail"


def test_a_linters_output_is_its_report(here: Workspace) -> None:
    assert said(run(here, "lint"))["lint"] == ("fail", "1 finding: src/calc.py:1:1: E1 bad")

    write_tree(here.root, {"given/lint.py": "import sys; sys.exit('usage: lint FILE')"})
    assert said(run(here, "lint"))["lint"] == (
        "fail",
        "there is no finding, but the command lint ended with exit code 1",
    )

    write_tree(here.root, {"given/lint.py": "print('all is well')"})
    assert said(run(here, "lint"))["lint"] == ("pass", "no finding")


def test_a_metric_is_read_from_its_report(here: Workspace) -> None:
    assert said(run(here, "speed"))["speed"] == ("pass", "time.p95_ms is 199.5")

    write_tree(here.root, {"given/bench.json": '{"time": {}}'})
    assert said(run(here, "speed"))["speed"] == ("not_evaluable", "no number in it")


def test_a_tagged_baseline_needs_a_tag_at_the_commit(here: Workspace) -> None:
    assert said(run(here, "frozen"))["frozen"][0] == "fail"

    git(here.root, "tag", "v1")
    assert said(run(here, "frozen"))["frozen"] == ("pass", "1 file as they were, tagged v1")

    commit(here.root, "the ledger")
    assert said(run(here, "frozen"))["frozen"][0] == "fail"


def test_a_tagged_baseline_is_not_met_by_what_the_tag_does_not_hold(here: Workspace) -> None:
    git(here.root, "tag", "v1")
    (source,) = (here.root / "src").glob("*.py")
    before = source.read_text(encoding="utf-8")
    source.write_text(before + "# later\n", encoding="utf-8")

    told = said(run(here, "frozen"))["frozen"]
    source.write_text(before, encoding="utf-8")

    assert told == ("fail", f"src/{source.name} is not in the tagged commit as it is now")
    assert said(run(here, "frozen"))["frozen"][0] == "pass"


def test_what_one_command_writes_the_baseline_sees(here: Workspace) -> None:
    write_tree(here.root, {"given/lint.py": "open('src/made.py', 'w').write('x = 1')"})

    done = run(here, "lint", "frozen")

    (frozen,) = [row for row in done.rows if row.criterion == "frozen"]
    assert "stale" not in frozen.reason
