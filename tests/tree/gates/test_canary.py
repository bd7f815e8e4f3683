"""Canaries in a real project: what cannot fail is told, by criterion and by command, and nothing is written."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.evidence_project import BUILD, PYTHON, SPRINT, TEST, Ticking, allow, config, project
from tests.trees import repository, write_tree
from verifflowcc.base.errors import CommandsNotAllowed
from verifflowcc.base.model.gate_values import BaselineKind, Mode
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.baseline_making import propose_baseline, record_baseline
from verifflowcc.gates.use.canary import Canaries, CanaryProof, Trial, prove_gate
from verifflowcc.gates.use.sprints import start_sprint
from verifflowcc.sprint.use.allow_use import withdraw_commands

pytestmark = pytest.mark.vfcc("REQ-CANARIES")


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))


def proof(proved: Canaries, criterion: str) -> CanaryProof:
    """What was planted for a criterion."""
    return next(one for one in proved.proofs if one.criterion == criterion)


def trial(proved: Canaries, command: str) -> Trial:
    """What a command did in a copy."""
    return next(one for one in proved.trials if one.command == command)


def started(
    root: Path, *criteria: Mapping[str, object], files: Mapping[str, str] | None = None, **commands: object
) -> Workspace:
    """A project with a sprint whose first stage has these exit criteria; its commands are allowed.

    With `files` these are in it, and all is committed first.
    """
    plan = {"id": "plan", "title": "Plan", "leg": "left", "pair": "check", "role": "planner", "exit": list(criteria)}
    build = {"id": "build", "title": "Build", "leg": "apex", "role": "coder"}
    check = {"id": "check", "title": "Check", "leg": "right", "pair": "plan", "role": "tester"}
    workflow = f"name: own\ntitle: Own\nstages: {json.dumps([plan, build, check])}\n"
    tree = {
        "src/calc.py": "def add(a, b): return a + b\n",
        ".memory/workflow.yaml": workflow,
        ".memory/config.yaml": config(commands),
        ".memory/.gitignore": "local/\nprogress.json\n",
    }
    here = Workspace(write_tree(root, tree | dict(files or {})), Ticking())
    if files is not None:
        repository(root)
    start_sprint(here, "Log in", workflow="own", actor="human:You")
    if commands:
        allow(here)
    return here


def everything(root: Path) -> dict[str, tuple[int, bytes]]:
    """All files of the project but those of this machine alone, with the time of their last change."""
    files = (path for path in root.rglob("*") if path.is_file() and ".memory/local/" not in path.as_posix())
    return {path.as_posix(): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def test_all_criteria_of_a_good_gate_close_it_and_its_command_can_fail(tmp_path: Path) -> None:
    here = project(tmp_path / "project")

    proved = prove_gate(here, SPRINT, "check")

    assert proved.sound
    assert [one.criterion for one in proved.proofs if one.planted] == [
        "results",
        "tests",
        "skips",
        "imported",
        "speed",
        "frozen",
        "rules",
    ]
    assert trial(proved, "test") == Trial("test", 0, 1, ("check/tests", "check/skips"))


def test_a_command_that_looks_at_nothing_is_a_defect(tmp_path: Path) -> None:
    here = started(
        tmp_path / "project", {"id": "built", "kind": "command", "command": "build"}, build={"run": ["true"]}
    )

    proved = prove_gate(here, SPRINT)

    assert not proved.sound
    assert proof(proved, "built").sound, "the criterion is a good one: its command is not"
    assert trial(proved, "build") == Trial("build", 0, 0, ("plan/built",), ("plan/built",))


def test_a_report_that_is_always_the_same_is_no_result_of_other_content(tmp_path: Path) -> None:
    canned = "import sys; open(sys.argv[1], 'w').write('<testsuite name=\"s\"><testcase name=\"add\"/></testsuite>')"
    here = started(
        tmp_path / "project",
        {"id": "tests", "kind": "junit", "command": "test"},
        test={"run": [*PYTHON, "-c", canned, "{junit}"]},
    )

    proved = prove_gate(here, SPRINT)

    assert trial(proved, "test").still_met == (), "no such test is in a tree that holds nothing"


def test_a_command_that_does_not_work_in_a_copy_proves_nothing(tmp_path: Path) -> None:
    here = project(tmp_path / "project", test={"run": [*PYTHON, "-c", "import nowhere", "{junit}"]})

    proved = prove_gate(here, SPRINT, "check")

    assert trial(proved, "test").doubt == (
        "in a copy of the project as it is, it meets nothing (it ended with exit code 1)"
    )
    assert trial(proved, "test").still_met == ()


def test_a_command_with_nothing_to_spoil_proves_nothing(tmp_path: Path) -> None:
    build = {"run": ["true"], "inputs": ["nothing/**"]}
    here = started(tmp_path / "project", {"id": "built", "kind": "command", "command": "build"}, build=build)

    assert trial(prove_gate(here, SPRINT), "build").doubt == "it has no input that could be spoilt"


def test_a_criterion_that_cannot_fail_is_a_defect_of_the_workflow(tmp_path: Path) -> None:
    anything = {"id": "commits", "kind": "commit", "pattern": "."}
    here = started(tmp_path / "project", anything, {"id": "approved", "kind": "review"})

    proved = prove_gate(here, SPRINT)

    assert not proved.sound
    assert not proof(proved, "commits").sound
    assert [one.violation for one in proof(proved, "commits").planted if not one.closed] == [
        "a commit that names nothing"
    ]
    assert proof(proved, "approved").sound


def test_soft_and_off_criteria_are_told_as_such(tmp_path: Path) -> None:
    here = started(
        tmp_path / "project",
        {"id": "notes", "kind": "artifact", "files": ["notes.*"], "mode": "soft"},
        {"id": "traced", "kind": "trace", "mode": "off"},
        {"id": "approved", "kind": "review"},
    )

    proved = prove_gate(here, SPRINT)

    assert proof(proved, "notes").mode is Mode.SOFT
    assert proved.off == ("traced",)
    assert "traced" not in {one.criterion for one in proved.proofs}


def test_where_no_stage_came_before_nothing_upstream_can_be_taken_away(tmp_path: Path) -> None:
    here = project(tmp_path / "project")

    assert proof(prove_gate(here, SPRINT, "build"), "upstream").planted == ()


def test_nothing_in_the_project_is_written(tmp_path: Path) -> None:
    """Not even where a command writes into folders that git ignores, and removes its reports first."""
    writes = "from pathlib import Path; [Path(p).write_text('x') for p in ('build/j.xml', 'cache/c')]"
    here = started(
        tmp_path / "project",
        {"id": "tests", "kind": "junit", "command": "test"},
        test={"run": [*PYTHON, "-c", writes], "reports": {"junit": "build/j.xml"}},
    )
    write_tree(here.root, {".gitignore": "build/\ncache/\n", "build/j.xml": "kept", "cache/c": "kept"})
    repository(here.root)
    before = everything(here.root)

    proved = prove_gate(here, SPRINT)

    assert everything(here.root) == before
    assert trial(proved, "test").doubt


def test_an_environment_is_linked_into_the_copy(tmp_path: Path) -> None:
    """Installed packages are too many to copy, and without them no command would run."""
    looks = "import ast, pathlib; assert pathlib.Path('env/pyvenv.cfg').is_file(); "
    looks += "ast.parse(pathlib.Path('src/calc.py').read_text())"
    build = {"run": [*PYTHON, "-c", looks], "inputs": ["src/**"]}
    here = started(tmp_path / "project", {"id": "built", "kind": "command", "command": "build"}, build=build)
    write_tree(here.root, {"env/pyvenv.cfg": "home = here\n"})

    assert trial(prove_gate(here, SPRINT), "build") == Trial("build", 0, 1, ("plan/built",))


def test_commands_that_are_not_allowed_are_not_tried(tmp_path: Path) -> None:
    here = project(tmp_path / "project")
    withdraw_commands(here)

    with pytest.raises(CommandsNotAllowed):
        prove_gate(here, SPRINT, "check")


def test_a_gate_with_no_command_needs_no_leave(tmp_path: Path) -> None:
    here = project(tmp_path / "project", test=TEST, build=BUILD)
    withdraw_commands(here)

    assert prove_gate(here, SPRINT, "plan").sound


def test_findings_that_were_known_are_known_in_the_copy(tmp_path: Path) -> None:
    """Else a scan would meet nothing there, and nothing could be shown."""
    log = """{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "s"}}, "results": [{"ruleId": "R1", "level":
      "error", "message": {"text": "m"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri":
      "src/calc.py"}, "region": {"startLine": 1, "snippet": {"text": "x"}}}}]}]}]}"""
    scan = "import ast, pathlib, sys; ast.parse(pathlib.Path('src/calc.py').read_text()); "
    scan += "pathlib.Path(sys.argv[1]).write_text(pathlib.Path('scan.sarif').read_text())"
    limits = {"new_error": 0}
    here = started(
        tmp_path / "project",
        {"id": "scan", "kind": "sarif", "command": "lint", "at_most": limits},
        files={"scan.sarif": log},
        lint={"run": [*PYTHON, "-c", scan, "{sarif}"], "inputs": ["src/**"]},
    )
    found = propose_baseline(
        here,
        SPRINT,
        BaselineKind.LINT,
        reason="old code",
        expires="2999-12-31",
        actor="human:You",
        progress=lambda _: None,
    )
    record_baseline(here, found, actor="human:You")

    assert trial(prove_gate(here, SPRINT), "lint") == Trial("lint", 0, 1, ("plan/scan",))


def test_files_that_say_how_a_command_works_are_spared(tmp_path: Path) -> None:
    """With these spoilt a command fails, and shows nothing of the code."""
    reads = "import pathlib; assert 'canary' not in pathlib.Path('pyproject.toml').read_text()"
    build = {"run": [*PYTHON, "-c", reads]}
    here = started(tmp_path / "project", {"id": "built", "kind": "command", "command": "build"}, build=build)
    write_tree(here.root, {"pyproject.toml": "[project]\n"})

    assert trial(prove_gate(here, SPRINT), "build").still_met == ("plan/built",)
