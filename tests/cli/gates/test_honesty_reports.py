"""Artifacts that say nothing, and reports that say too much: what lies there opens no gate by being there."""

import os
from pathlib import Path

import pytest

from tests.cli.honest_world import (
    ADD,
    COVERED,
    ID,
    JUNIT,
    PLAN,
    PYTHON,
    SUB,
    SUB_FAILED,
    TEST,
    TESTS,
    cobertura,
    done,
    edited,
    project,
    refused,
    tried,
    workflow,
)
from tests.cli.process import CI, vfcc
from tests.trees import write_tree

pytestmark = pytest.mark.vfcc("REQ-EVIDENCE")

OLD = (1_000_000_000, 1_000_000_000)
IMPORTED = "{id: imported, kind: junit, title: tests elsewhere, command: elsewhere, trust: asserted}"
BRANCHES = "{id: covered, kind: coverage, title: enough is covered, command: test, at_least: {branch: 70}}"
ALL_FILES = '{id: covered, kind: coverage, title: all, command: test, files: ["src/**"], at_least: {line: 80}}'


def measured(folder: Path, criterion: str = TESTS, *, exit_code: int = 0, **reports: str) -> Path:
    """A project whose command left these reports and ended so, with what came of it on record."""
    files = {f"tests/{name}.xml": text for name, text in reports.items()}
    root = project(folder, criterion, files={**files, "tests/exit": str(exit_code)})
    tried(root, "evidence", "run")
    return root


def suite(*cases: str, attributes: str = "") -> str:
    return f'<testsuite name="suite" {attributes}>{"".join(cases)}</testsuite>'


@pytest.mark.points(1)
@pytest.mark.parametrize("criterion", [TESTS, COVERED])
def test_what_is_honest_is_let_through(tmp_path: Path, criterion: str) -> None:
    root = measured(tmp_path, criterion)

    done(root, "check", "gate")
    done(root, "check", "--rerun")
    assert done(root, "stage", "advance").startswith("log-in: plan → build")


@pytest.mark.points(2)
@pytest.mark.parametrize("text", ["", "  \n\t\n", "\ufeff"])
def test_empty_artifact(tmp_path: Path, text: str) -> None:
    refused("empty-artifact", project(tmp_path, files={PLAN: text}))


@pytest.mark.points(2)
@pytest.mark.parametrize("text", ["TODO\n", "# Plan\n\nLorem ipsum dolor sit amet.\n", "- [ ] TBD\n", "<fill in>\n"])
def test_placeholder_artifact(tmp_path: Path, text: str) -> None:
    refused("placeholder-artifact", project(tmp_path, files={PLAN: text}))


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "text"), [("plan.md", "# Plan\n\n## Goals\n\n## Scope\n"), ("plan.json", "{}\n")])
def test_hollow_artifact(tmp_path: Path, name: str, text: str) -> None:
    root = project(tmp_path)
    (root / PLAN).unlink()
    write_tree(root, {PLAN.replace("plan.md", name): text})

    refused("hollow-artifact", root)


def test_artifact_outside(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / PLAN).rename(tmp_path / "plan.md")
    (root / PLAN).symlink_to(tmp_path / "plan.md")

    refused("artifact-outside", root)


def test_typed_report(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    (tmp_path / "typed.xml").write_text(JUNIT)
    assert vfcc(root, "evidence", "add", str(tmp_path / "typed.xml"), "--criterion", "tests").code == 1

    refused("typed-report", root)


def test_no_tests(tmp_path: Path) -> None:
    refused("no-tests", measured(tmp_path, junit=suite(attributes='tests="0"')))


def test_skipped_tests(tmp_path: Path) -> None:
    refused("skipped-tests", measured(tmp_path, junit=suite(ADD.replace("/>", "><skipped/></testcase>"))))


def test_report_with_error(tmp_path: Path) -> None:
    broken = SUB_FAILED.replace("failure", "error")

    refused("report-with-error", measured(tmp_path, junit=suite(ADD, broken, attributes='tests="2" failures="0"')))


@pytest.mark.parametrize("cases", [(SUB_FAILED, SUB), (SUB.replace("/>", '><rerunFailure message="x"/></testcase>'),)])
def test_hidden_failure(tmp_path: Path, cases: tuple[str, ...]) -> None:
    refused("hidden-failure", measured(tmp_path, junit=suite(ADD, *cases)))


def test_report_of_another_tree(tmp_path: Path) -> None:
    theirs = '<testcase classname="elsewhere.test_other" name="test_something_else"/>'

    refused("report-of-another-tree", measured(tmp_path, junit=suite(ADD, theirs)))


def test_contradicting_counts(tmp_path: Path) -> None:
    refused("contradicting-counts", measured(tmp_path, junit=suite(ADD, SUB, attributes='tests="40" failures="1"')))


def test_failed_command(tmp_path: Path) -> None:
    refused("failed-command", measured(tmp_path, exit_code=1))


def test_empty_report(tmp_path: Path) -> None:
    refused("empty-report", measured(tmp_path, junit=""))


def test_left_over_report(tmp_path: Path) -> None:
    root = project(
        tmp_path, TESTS, test={"run": [*PYTHON, "-c", "print('nothing')"], "reports": {"junit": "out/j.xml"}}
    )
    write_tree(root, {"out/j.xml": JUNIT})
    tried(root, "evidence", "run")

    assert not (root / "out/j.xml").exists()
    refused("left-over-report", root)


def test_report_outside(tmp_path: Path) -> None:
    (tmp_path / "mine.xml").write_text(JUNIT)
    link = f"import os, sys; os.symlink({str(tmp_path / 'mine.xml')!r}, sys.argv[1])"
    root = project(tmp_path, TESTS, test={"run": [*PYTHON, "-c", link, "{junit}"]})
    tried(root, "evidence", "run")

    refused("report-outside", root)


def test_old_report(tmp_path: Path) -> None:
    root = project(tmp_path, IMPORTED)
    report = tmp_path / "old.xml"
    report.write_text(JUNIT)
    os.utime(report, OLD)

    refused("old-report", root, add=("evidence", "add", str(report), "--criterion", "imported"))


def test_coverage_of_other_files(tmp_path: Path) -> None:
    refused("coverage-of-other-files", measured(tmp_path, COVERED, coverage=cobertura("elsewhere/other.py")))


def test_coverage_without_branches(tmp_path: Path) -> None:
    refused("coverage-without-branches", measured(tmp_path, BRANCHES))


def test_coverage_of_nothing(tmp_path: Path) -> None:
    refused("coverage-of-nothing", measured(tmp_path, COVERED, coverage=cobertura(lines="")))


def test_coverage_that_leaves_out(tmp_path: Path) -> None:
    root = project(tmp_path, ALL_FILES, files={"src/untested.py": "x = 1\n"})
    tried(root, "evidence", "run")

    refused("coverage-that-leaves-out", root)


def test_no_inputs(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS, test={**TEST, "inputs": ["product/**"]})
    tried(root, "evidence", "run")

    refused("no-inputs", root)


def test_changed_inputs(tmp_path: Path) -> None:
    root = measured(tmp_path)
    edited(root / "src/calc.py", "a + b", "a - b")

    refused("changed-inputs", root)


def test_changed_inputs_with_an_old_time(tmp_path: Path) -> None:
    """The time of a file is anybody's to set."""
    root = measured(tmp_path)
    before = (root / "src/calc.py").stat()
    edited(root / "src/calc.py", "a + b", "a - b")
    os.utime(root / "src/calc.py", ns=(before.st_atime_ns, before.st_mtime_ns))

    refused("changed-inputs-with-an-old-time", root)


def test_changed_command(tmp_path: Path) -> None:
    root = measured(tmp_path)
    edited(root / ".memory/config.yaml", '"tests/suite.py"', '"tests/suite.py", "--fast"')
    done(root, "allow", "--yes", env=CI)

    refused("changed-command", root)


def test_run_that_edits(tmp_path: Path) -> None:
    meddles = "from pathlib import Path; p = Path('src/calc.py'); p.write_text(p.read_text() + '#')"
    root = project(
        tmp_path,
        "{id: built, kind: command, title: it builds, command: build}",
        build={"run": [*PYTHON, "-c", meddles]},
    )
    ran = tried(root, "evidence", "run")

    assert "while build ran, its inputs changed (src/calc.py changed)" in ran.out
    assert ran.code == 1
    refused("run-that-edits", root)


def test_unconfigured_command(tmp_path: Path) -> None:
    refused("unconfigured-command", project(tmp_path, TESTS, test=None))


def test_trace_criterion(tmp_path: Path) -> None:
    refused("trace-criterion", project(tmp_path, "{id: traced, kind: trace, title: it is traced, checks: [coverage]}"))


def test_walking_through_soft_gates(tmp_path: Path) -> None:
    root = project(tmp_path, flow=workflow(gates="soft"))
    (root / PLAN).unlink()
    for _ in range(3):
        refused("walking-through-soft-gates", root)
    assert ">  plan" in done(root, "sprint", "show")


def test_five_gates(tmp_path: Path) -> None:
    stages = "".join(
        f"  - {{id: s{n}, title: S{n}, leg: {leg}, role: r, artifacts: [a.*, b.*]{pair}}}\n"
        for n, leg, pair in (
            (1, "left", ", pair: s5"),
            (2, "left", ", pair: s4"),
            (3, "apex", ""),
            (4, "right", ", pair: s2"),
            (5, "right", ", pair: s1"),
        )
    )
    root = project(tmp_path, flow=f"name: own\ntitle: Own\ngates: hard\nstages:\n{stages}")
    for _ in range(5):
        refused("five-gates", root)
    for number in range(1, 6):
        ran = vfcc(root, "check", "gate", f"s{number}")
        assert ran.code == 4
        assert ran.out.count(f"nothing matches .memory/stage/{ID}/s{number}/artifacts/") == 2, ran
    assert ">  s1" in done(root, "sprint", "show")
