"""A small project with commands of its own, which write their reports themselves: no test framework is needed."""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.trees import write_tree
from verifflowcc.base.model.gate_input import RecordedEvidence
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.evidence_making import EvidenceRun, run_evidence
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.sprint.use.allow_use import allow_commands, show_commands
from verifflowcc.sprint.use.evidence_reading import read_recorded
from verifflowcc.sprint.use.sprint_reading import show_sprint

YOU = "human:You"
SPRINT = "log-in"
UP_TO_BUILD = """\
name: own
title: Three stages that ask for evidence
gates: hard
stages:
  - {id: plan, title: Plan, leg: left, pair: check, role: planner, artifacts: ["plan.*"]}
  - id: build
    title: Build
    leg: apex
    role: coder
    artifacts: ["changes.*"]
    exit:
      - {id: built, kind: command, title: it builds, command: build}
"""
WORKFLOW = (
    UP_TO_BUILD
    + """\
  - id: check
    title: Check
    leg: right
    pair: plan
    role: tester
    artifacts: ["results.*"]
    exit:
      - {id: tests, kind: junit, title: the tests pass, command: test}
      - {id: skips, kind: junit, title: no test is skipped, command: test, at_most: {skipped: 0}}
      - {id: imported, kind: junit, title: the tests of another machine pass, command: elsewhere, trust: asserted}
      - {id: speed, kind: metric, title: it is fast, trust: asserted, metric: p95_ms, at_most: {value: 200}}
      - {id: frozen, kind: baseline, title: the sources are frozen, files: ["src/**"]}
"""
)
SUITE = """\
import sys
from pathlib import Path

def test_add(): ...
def test_sub(): ...

cases = Path("tests/cases.xml").read_text()
Path(sys.argv[1]).write_text(f'<testsuite name="suite">{cases}</testsuite>')
print("the suite has run")
sys.exit(int(Path("tests/exit").read_text()))
"""
ADD = '<testcase classname="tests.suite" name="test_add"/>'
SUB_FAILED = '<testcase classname="tests.suite" name="test_sub"><failure message="2 is not 1"/></testcase>'
TREE = {
    "src/calc.py": "def add(a, b): return a + b\n",
    "tests/suite.py": SUITE,
    "tests/cases.xml": ADD,
    "tests/exit": "0",
    ".memory/workflow.yaml": WORKFLOW,
    ".memory/.gitignore": "local/\nprogress.json\n",
}
PYTHON = [sys.executable, "-B"]
TEST = {"run": [*PYTHON, "tests/suite.py", "{junit}"]}
BUILD = {"run": [*PYTHON, "-c", "print('built')"]}


@dataclass
class Ticking:
    """A clock that goes one second further each time it is asked."""

    at: datetime = field(default=datetime(2026, 11, 21, 3, 31, tzinfo=UTC))

    def now(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at


def config(commands: Mapping[str, object]) -> str:
    """The text of a `config.yaml` with these commands; JSON is YAML."""
    return json.dumps({"format": 1, "workflow": "own", "gates": {"commands": commands}})


def project(root: Path, files: Mapping[str, str] = {}, **commands: object) -> Workspace:
    """A project with a sprint `log-in` in its first stage; its commands are allowed on this machine.

    The caller has pointed `XDG_DATA_HOME` at a folder of the test's own.
    """
    assert "XDG_DATA_HOME" in os.environ
    table = {"test": TEST, "build": BUILD} | commands
    write_tree(root, TREE | dict(files) | {".memory/config.yaml": config(table)})
    here = Workspace(root, Ticking())
    start_sprint(here, "Log in", workflow="own", actor=YOU)
    allow(here)
    return here


def allow(here: Workspace) -> None:
    """Allow the commands of the project as they are now."""
    allow_commands(here, show_commands(here))


def run(here: Workspace, *names: str, stage: str | None = None, every: bool = False) -> EvidenceRun:
    """Make evidence as a person does."""
    return run_evidence(here, SPRINT, names, stage=stage, every=every, actor=YOU, progress=lambda _: None)


def said(done: EvidenceRun) -> dict[str, tuple[str, str]]:
    """The verdict and the reason of each criterion after a run."""
    return {row.criterion: (str(row.verdict), row.reason) for row in done.rows}


def recorded(here: Workspace, *, whole: bool = True) -> tuple[RecordedEvidence, ...]:
    """The evidence as the ledger has it."""
    return read_recorded(here, show_sprint(here, SPRINT), whole=whole)
