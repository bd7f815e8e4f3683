"""The shapes of the JSON of the commands about gates, in a project where people are asked and a test is run.

As in `test_json.py`, the shapes are in `golden/`, and the schemas in docs/reference/schemas say what the keys mean.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.at_terminal import project, typed
from tests.cli.process import CI, Ran, vfcc
from tests.cli.shapes import promised, shape
from tests.trees import write_tree

pytestmark = pytest.mark.vfcc("REQ-JSON")
WORKFLOW = """\
name: people
title: People are asked, and a test is run
stages:
  - id: plan
    title: Plan
    leg: left
    pair: check
    role: planner
    artifacts: ["plan.*"]
    enter:
      - {id: comments, kind: feedback, title: comments are dealt with}
    exit:
      - {id: tests, kind: junit, title: the tests pass, command: test, at_most: {skipped: 0}}
      - {id: reviewed, kind: review, title: somebody else approved the plan}
  - {id: build, title: Build, leg: apex, role: coder, artifacts: ["changes.*"]}
  - {id: check, title: Check, leg: right, pair: plan, role: tester, artifacts: ["results.*"]}
"""
REPORT = '<testsuite name="form"><testcase classname="tests.form" name="test_form"/></testsuite>'
SUITE = f"""\
import sys

def test_form(): ...

open(sys.argv[1], "w").write('{REPORT}')
print("the suite has run")
"""
CONFIG = {"format": 1, "gates": {"commands": {"test": {"run": [sys.executable, "-B", "tests/form.py", "{junit}"]}}}}
TREE = {"tests/form.py": SUITE, "report.xml": REPORT, ".memory/config.yaml": json.dumps(CONFIG)}
ALLOW = ("allow --yes",)
RUN = (*ALLOW, "evidence run tests")
COMMENT = "feedback add Why? --stage plan"


@dataclass(frozen=True)
class Asked:
    """A command, those before it (LAST is the latest id that they told), how it ends, and whether a person is there."""

    line: str
    before: tuple[str, ...] = ()
    code: int = 0
    person: bool = False


ASKED = {
    "allow": Asked("allow --yes"),
    "next": Asked("next"),
    "check_gate": Asked("check gate", (*RUN, COMMENT), code=4),
    "approve": Asked("approve plan --yes", person=True),
    "waive": Asked("waive tests --reason later --yes", person=True),
    "stage_skip": Asked("stage skip --reason small --yes", person=True),
    "feedback_add": Asked(COMMENT),
    "feedback_list": Asked("feedback list", (COMMENT,)),
    "feedback_triage": Asked("feedback triage LAST --done", (COMMENT,)),
    "evidence_run": Asked("evidence run tests", ALLOW),
    "evidence_add": Asked("evidence add report.xml --criterion tests", code=1),
    "evidence_list": Asked("evidence list", RUN),
    "evidence_show": Asked("evidence show LAST", RUN),
    "check_rerun": Asked("check --rerun", RUN),
    "evidence_stale": Asked("evidence stale --why", (*RUN, "EDIT"), code=1),
}


def answer(root: Path, asked: Asked) -> str:
    """Return what the command prints with `--json` in the project at `root`."""
    last = ""
    for line in asked.before:
        if line == "EDIT":
            (root / "report.xml").write_text("other\n", encoding="utf-8")
        else:
            assert vfcc(root, *line.split(), env=CI if line in ALLOW else None).code in {0, 1}
    if "LAST" in asked.line:
        last = max(path.stem for path in root.glob(".memory/s*/**/[0-9A-Z]*.json") if _named(asked, path))
    done = _asked(root, asked, last)
    assert done.code == asked.code, done
    return done.out


def _named(asked: Asked, path: Path) -> bool:
    return path.parent.name == ("evidence" if asked.line.startswith("evidence") else "events")


def _asked(root: Path, asked: Asked, last: str) -> Ran:
    words = [*asked.line.replace("LAST", last).split(), "--json"]
    return typed(root, *words) if asked.person else vfcc(root, *words, env=CI if asked.line in ALLOW else None)


@pytest.mark.points(2)
@pytest.mark.parametrize("name", ASKED)
def test_the_shape_is_the_one_that_is_promised(tmp_path: Path, name: str) -> None:
    root = write_tree(project(tmp_path, WORKFLOW).root, TREE)
    value = json.loads(answer(root, ASKED[name]))["data"]

    assert shape(value) == promised(name)
