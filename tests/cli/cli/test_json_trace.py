"""The shapes of the JSON of `vfcc trace …` and of `vfcc check`, in a project with items, code, tests and a report.

As in `test_json.py`, the shapes are in `golden/`, and the schemas in docs/reference/schemas say what the keys mean.
"""

import json
from pathlib import Path

import pytest

from tests.cli.at_terminal import person, typed
from tests.cli.cli.test_json_gates import Asked
from tests.cli.process import Ran, git, permitted
from tests.cli.shapes import promised, shape
from tests.trace_project import AUDIT, NEED, TIMEOUT, UNIT, report, traced
from tests.trees import write_tree

pytestmark = pytest.mark.vfcc("REQ-JSON")
TABLE = "id,type,title,text,parent\nN-1,need,Doors,People walk in.,\nR 1,requirement,Open,It shall open.,N-1\n,,,x,\n"
LINK = f"{{to: {AUDIT}, relation: implements}}"
LOG = f"---\nid: UNIT-log\ntype: unit\ntitle: Log\nlinks: [{LINK}]\n---\nIt writes.\n"
TREE = {
    "items.csv": TABLE,
    "src/audit.py": f"# vfcc: {AUDIT}, REQ-none\n",
    "tests/test_audit.py": f"def test_audit():\n    # vfcc: {AUDIT}\n    ...\n",
    ".memory/project/items/unit/UNIT-log.md": LOG,
}
REVIEWED = (f"trace review {NEED} {TIMEOUT} {AUDIT} {UNIT} UNIT-log --yes",)
VERIFIED = f"trace verify {AUDIT} --saw it --yes"

TRACED = {
    "trace_add": Asked(f"trace add requirement Title --parent {NEED} --relation refines --tag door"),
    "trace_list": Asked("trace list", REVIEWED, person=True),
    "trace_show": Asked(f"trace show {AUDIT}", (*REVIEWED, VERIFIED), person=True),
    "trace_link": Asked(f"trace link {UNIT} {AUDIT} --relation implements"),
    "trace_unlink": Asked(f"trace unlink {TIMEOUT} {NEED}"),
    "trace_retire": Asked(f"trace retire {TIMEOUT} --reason gone"),
    "trace_review": Asked("trace review --all --yes", (*REVIEWED, "EDIT"), code=1, person=True),
    "trace_review_to": Asked(
        f"trace review {TIMEOUT} --to {NEED} --reason holds --yes", (*REVIEWED, "EDIT"), person=True
    ),
    "trace_verify": Asked(VERIFIED, person=True),
    "trace_baseline_create": Asked("trace baseline create one --note first"),
    "trace_baseline_list": Asked("trace baseline list", ("trace baseline create one",)),
    "trace_baseline_diff": Asked("trace baseline diff one", ("trace baseline create one", "EDIT")),
    "trace_matrix": Asked("trace matrix --junit JUNIT"),
    "trace_impact": Asked(f"trace impact {NEED} --junit JUNIT"),
    "trace_coverage": Asked("trace coverage --junit JUNIT"),
    "trace_why": Asked(f"trace why {AUDIT} --junit JUNIT", (*REVIEWED, VERIFIED), person=True),
    "trace_import": Asked("trace import items.csv --update", ("trace import items.csv", "EDIT")),
    "trace_export": Asked("trace export --format json"),
    "check": Asked("check", code=1),
}


@pytest.fixture
def project(young: Path) -> Path:
    """Items that `You` committed, with `Other` at the terminal."""
    write_tree(traced(young), TREE)
    git(young, "init", "-q")
    git(young, "add", ".")
    git(young, "commit", "-qm", "first")
    return person(young, "Other")


def answer(root: Path, asked: Asked) -> str:
    """Return what the command prints with `--json` in the project at `root`."""
    for line in asked.before:
        if line == "EDIT":
            _edit(root)
        else:
            assert _ran(root, line.split(), person=asked.person).code == 0
    file = str(report(root)) if "JUNIT" in asked.line else ""
    words = asked.line.replace("JUNIT", file).split()
    done = _ran(root, words if "--format" in words else [*words, "--json"], person=asked.person)
    assert done.code == asked.code, done
    return done.out


def _ran(root: Path, words: list[str], *, person: bool) -> Ran:
    return typed(root, *words) if person else permitted(root, *words)


def _edit(root: Path) -> None:
    """Change a need and a requirement here, and a requirement in the other tool."""
    items = root / ".memory/project/items"
    _replace(items / "need" / f"{NEED}.md", "Nobody", "No one")
    _replace(items / "requirement" / f"{AUDIT}.md", "record each", "record all")
    _replace(root / "items.csv", "shall open", "shall open at once")


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.points(2)
@pytest.mark.parametrize("name", TRACED)
def test_the_shape_is_the_one_that_is_promised(project: Path, name: str) -> None:
    value = json.loads(answer(project, TRACED[name]))
    value = value if name == "trace_export" else value["data"]

    assert shape(value) == promised(name)
