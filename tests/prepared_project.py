"""One project in which each example of the help runs: a sprint in its second stage, and something of each kind."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from tests.cli.at_terminal import typed
from tests.cli.process import git, vfcc
from tests.forked import forks_at_once
from tests.trace_project import traced
from tests.trees import write_memory, write_tree

SPRINT = "login"
WORKFLOW = """\
name: shop
title: Three stages
gates: soft
stages:
  - {id: planning, title: Planning, leg: left, pair: testing, role: planner, artifacts: ["plan.*"]}
  - id: coding
    title: Coding
    leg: apex
    role: coder
    artifacts: ["changes.*"]
    exit:
      - {id: reviewed, kind: review, title: a person reviewed it}
      - {id: tests, kind: junit, title: the tests pass, command: test}
      - {id: device-tests, kind: junit, title: the tests pass on a device, command: test, trust: asserted}
  - id: testing
    title: Testing
    leg: right
    pair: planning
    role: tester
    artifacts: ["results.*"]
    exit:
      - {id: tests, kind: junit, title: the tests pass, command: test}
"""
CONFIG = f"""\
format: 2
workflow: shop
gates:
  commands:
    test:
      run: [{json.dumps(sys.executable)}, -B, tests/suite.py, "{{junit}}"]
"""
SUITE = """\
import sys
from collections.abc import Callable
from pathlib import Path

CASE = '<testcase classname="tests.suite" name="test_ends"/>'
Path(sys.argv[1]).write_text(f'<testsuite name="suite">{CASE}</testsuite>')
"""
FAILING = SUITE.replace("/>'\n", "><failure/></testcase>'\n", 1)
LINT = """\
      - {id: tidy, kind: lint, title: no finding, command: lint}
"""
LINTER = f"""\
    lint:
      run: [{json.dumps(sys.executable)}, -c, "print('notes.md:1:1: error: old')"]
"""
OLD = "---\nid: REQ-old-a2b3\ntype: requirement\ntitle: Old\nverification: test\n---\nIt shall print.\n"
_ITEM = "---\nid: {0}\ntype: fact\ntitle: {1}\nstatus: {2}\n---\n{1}.\n"
_REPORT = '<testsuite name="suite"><testcase classname="tests.suite" name="test_ends"/></testsuite>\n'
FILES = {
    "tests/suite.py": SUITE,
    "notes.md": "The form checks the password.\n",
    "talk.md": "# Session 1 (2026-11-02)\n\nYou: From now on, always write tests first.\n",
    "report.xml": _REPORT,
    "needs.csv": "id,title,text\nNEED-speed-x1y2,Pages are fast,A page takes less than a second.\n",
    "items.jsonl": '{"content": "The office closes at six."}\n',
    "questions.yaml": "- question: when does a session end\n  expect: [use-sessions]\n",
    "event.json": '{"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}\n',
}


def prepared_project(folder: Path) -> Path:
    """Make the project in `folder` and return it."""
    root = folder / "shop"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    _run(root, "init", "--yes")
    traced(root)
    write_tree(root, FILES)
    write_memory(
        root,
        {
            "workflow.yaml": WORKFLOW,
            "config.yaml": CONFIG,
            "project/items/fact/tokens-are-short.md": _ITEM.format("tokens-are-short", "Tokens are short", "pending"),
            "project/items/fact/old-tokens.md": _ITEM.format("old-tokens", "Old tokens are long", "archived"),
        },
    )
    _run(root, "memory", "add", "decision", "Use sessions that end after 15 minutes", "--id", "use-sessions")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first", "--author", "Ann <ann@example.org>")
    _run(root, "trace", "baseline", "create", "release-1")
    _run(root, "trace", "review", "--all", "--yes")
    write_tree(root, {"CHANGES.md": "Nothing yet.\n"})
    git(root, "add", ".")
    git(root, "commit", "-qm", "second")
    _run(root, "allow", "--yes")
    _run(root, "sprint", "start", "Log in", "--id", SPRINT)
    for line in (
        ["stage", "put", "plan.md", "--file", "notes.md"],
        ["stage", "advance"],
        ["stage", "put", "changes.md", "--file", "notes.md"],
        ["feedback", "add", "slow at noon"],
        ["task", "start", "Fix the session"],
        ["window", "add", "A first thought", "--session", "s1"],
        ["context", "show", "--agent", "coder"],
        ["code", "index"],
    ):
        forks_at_once(line)
        ran = vfcc(root, *line)
        assert ran.code == 0, (line, ran)
    _run(root, "evidence", "run")
    _run(root, "window", "prune", "--force")
    return root


def old_faults(root: Path) -> None:
    """Begin a sprint whose base has a failing test, a finding of a linter and an item without a parent."""
    _run(root, "sprint", "close", "--unfinished", "Later")
    write_tree(root, {"tests/suite.py": FAILING})
    write_memory(
        root,
        {
            "workflow.yaml": WORKFLOW + LINT,
            "config.yaml": CONFIG + LINTER,
            "project/items/requirement/REQ-old-a2b3.md": OLD,
        },
    )
    git(root, "add", ".")
    git(root, "commit", "-qm", "old faults")
    _run(root, "allow", "--yes")
    _run(root, "sprint", "start", "Tidy up")


def fork_sprint(root: Path) -> None:
    """Make the sprint one that was moved on two sides."""
    other = shutil.copytree(root, root.with_name("other"))
    events = other / ".memory/sprint" / SPRINT / "events"
    _run(other, "stage", "advance")
    _run(root, "stage", "reopen", "planning", "--reason", "again")
    for path in events.iterdir():
        target = root / ".memory/sprint" / SPRINT / "events" / path.name
        if not target.exists():
            shutil.copyfile(path, target)


def preparation(name: str, example: str) -> Callable[[Path], object] | None:
    """Return what brings about the things that a command's example needs beyond the project."""
    if "--to NEED" in example:
        return _changed_need
    if example == "allow":
        return _unallowed
    return old_faults if name.startswith("baseline") else _PREPARATIONS.get(name)


def _changed_need(root: Path) -> None:
    path = next(root.glob(".memory/project/items/need/*.md"))
    path.write_text(path.read_text("utf-8") + "More words.\n", encoding="utf-8")


def _new_report(root: Path) -> None:
    (root / "report.xml").touch()


def _unallowed(root: Path) -> None:
    (root.parent / ".local/share/vfcc/allowed.json").unlink()


def _ingested(root: Path) -> None:
    _run(root, "memory", "ingest", "talk.md", "--yes")


def _committed(root: Path) -> None:
    for line in (("add", "--all"), ("commit", "--quiet", "--message", "all")):
        git(root, *line)


def _blocked_run(root: Path) -> None:
    _committed(root)
    typed(root, "run", "--agent", "false", "--max-attempts", "1")


_PREPARATIONS: dict[str, Callable[[Path], object]] = {
    "run": _committed,
    **dict.fromkeys(("run stop", "run resume", "run retry", "run clean"), _blocked_run),
    "sprint resolve": fork_sprint,
    "memory forget": _ingested,
    "evidence add": _new_report,
}


def _run(root: Path, *line: str) -> None:
    forks_at_once(line)
    ran = typed(root, *line, keys="y\n")
    assert ran.code == 0, (line, ran)
