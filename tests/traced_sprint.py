"""A sprint whose gates look at the trace: requirements, code, tests; a project with a suite that writes its report."""

from pathlib import Path

from tests.evidence_project import PYTHON, SPRINT, Ticking, allow, config
from tests.trees import write_tree
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.trace.rules.fingerprint import stamp_of_item
from verifflowcc.trace.store.trace_cache import parse_trace_item

WORKFLOW = """\
name: own
title: Requirements, code and tests
trace:
  needs:
    - {id: specified, of: [requirement], by: [verifies], from: [test_spec], title: how it is tested is written down}
  severity: {no-parent: off, orphan-test: off}
stages:
  - id: requirements
    title: Requirements
    leg: left
    pair: testing
    role: analyst
    exit:
      - {id: plan, kind: artifact, title: there is a plan, files: ["plan.*"]}
      - {id: specified, kind: trace, title: its tests are specified, checks: [specified], items: [requirement]}
  - id: coding
    title: Coding
    leg: apex
    role: coder
    artifacts: ["changes.*"]
  - id: testing
    title: Testing
    leg: right
    pair: requirements
    role: tester
    artifacts: ["results.*"]
    enter:
      - id: none-suspect
        kind: trace
        title: nothing is suspect or unreviewed
        checks: [change]
        items: [requirement]
    exit:
      - {id: tests, kind: junit, title: the tests pass, command: test}
      - {id: tested, kind: trace, title: each has a test that passes, checks: [results], items: [requirement]}
  - {id: release, title: Release, leg: right, role: tester, artifacts: ["notes.*"]}
"""
SUITE = """\
import sys
from pathlib import Path

def test_add():
    # vfcc: REQ-add
    ...

outcome = Path("tests/outcome.xml").read_text()
Path(sys.argv[1]).write_text(
    f'<testsuite name="suite"><testcase classname="tests.test_calc" name="test_add">{outcome}</testcase></testsuite>'
)
sys.exit(1 if outcome.strip() else 0)
"""
REQUIREMENT = ".memory/project/items/requirement/REQ-add.md"
SPEC = ".memory/project/items/test_spec/TEST-add.md"
TREE = {
    "src/calc.py": "def add(a, b): return a + b  # vfcc: REQ-add\n",
    "tests/test_calc.py": SUITE,
    "tests/outcome.xml": "",
    REQUIREMENT: (
        "---\nid: REQ-add\ntype: requirement\ntitle: Add\nverification: test\n"
        "source: {kind: explicit, actor: human:You}\n---\n\nIt shall add two numbers.\n"
    ),
    SPEC: (
        "---\nid: TEST-add\ntype: test_spec\ntitle: Test adding\n"
        "links: [{to: REQ-add, relation: verifies}]\nsource: {kind: explicit, actor: human:You}\n---\n\n"
        "1 and 2 give 3.\n"
    ),
    ".memory/workflow.yaml": WORKFLOW,
    ".memory/.gitignore": "local/\nprogress.json\n",
    f".memory/stage/{SPRINT}/requirements/artifacts/plan.md": "# Plan\n\nA calculator.\n",
    f".memory/stage/{SPRINT}/coding/artifacts/changes.md": "# Changes\n\nadd.\n",
    f".memory/stage/{SPRINT}/testing/artifacts/results.md": "# Results\n\nAll passed.\n",
    f".memory/stage/{SPRINT}/release/artifacts/notes.md": "# Notes\n\nIt adds.\n",
}


def traced(root: Path, without: tuple[str, ...] = ()) -> Workspace:
    """The project with a sprint `log-in` in its first stage; `without` are paths that are left out."""
    files = {path: text for path, text in TREE.items() if path not in without}
    files[".memory/config.yaml"] = config({"test": {"run": [*PYTHON, "tests/test_calc.py", "{junit}"]}})
    here = Workspace(write_tree(root, files), Ticking())
    start_sprint(here, "Log in", workflow="own", actor="human:You")
    allow(here)
    return here


def review(here: Workspace, path: str = REQUIREMENT, by: str = "human:Other") -> None:
    """Stamp an item as reviewed as it is, as somebody would by hand."""
    file = here.root / path
    text = file.read_text(encoding="utf-8")
    item = parse_trace_item(path, text.encode())
    assert item is not None
    head, _, rest = text.partition("source:")
    stamp = f"{{fingerprint: {stamp_of_item(item.digest)}, by: '{by}', on: 2026-11-21}}"
    kept = "".join(line for line in head.splitlines(keepends=True) if not line.startswith("reviewed:"))
    file.write_text(f"{kept}reviewed: {stamp}\nsource:{rest}", encoding="utf-8")


def edit(here: Workspace, path: str, old: str, new: str) -> None:
    """Change a file of the project."""
    file = here.root / path
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
