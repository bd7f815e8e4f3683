"""`vfcc evidence`, as a person and a CI job use it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.process import CI, VFCC, by_person, environment, vfcc
from tests.cli.prompt.test_killed import STOPPER
from tests.cli.trees import half_written
from tests.evidence_project import ADD, PYTHON, SUB_FAILED, TEST, TREE, config
from tests.made_once import copied
from tests.trees import write_tree

SLOW = {"run": [*PYTHON, "-c", "import time; time.sleep(0.2)"]}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A project whose commands are allowed; `log-in` is in its first stage."""
    return copied(tmp_path, _begun)


def _begun(folder: Path) -> Path:
    root = write_tree(folder / "project", TREE | {".memory/config.yaml": config({"test": TEST, "build": SLOW})})
    assert vfcc(root, "sprint", "start", "Log in").code == 0
    assert vfcc(root, "allow", "--yes", env=CI).code == 0
    return root


def evidence(root: Path) -> list[str]:
    return sorted(path.name for path in root.glob(".memory/stage/*/*/evidence/*.json"))


def test_a_green_run_exits_with_0_and_says_what_shows_it(here: Path) -> None:
    ran = vfcc(here, "evidence", "run", "tests")

    assert ran.code == 0
    assert "check/tests  pass     1 test passed" in ran.out
    assert ran.out.endswith("all 1 met\n")
    assert ran.err.startswith("running test: ")
    assert "(log: .memory/local/logs/test.log)" in ran.err
    assert "\x1b[K" not in ran.err


def test_a_red_run_exits_with_1_and_shows_the_end_of_the_output(here: Path) -> None:
    lines = "print(*range(40), sep='\\n'); import runpy; runpy.run_path('tests/suite.py')"
    table = {"test": {"run": [*PYTHON, "-c", lines, "{junit}"]}, "build": SLOW}
    write_tree(here, {".memory/config.yaml": config(table), "tests/cases.xml": SUB_FAILED, "tests/exit": "1"})
    assert vfcc(here, "allow", "--yes", env=CI).code == 0

    ran = vfcc(here, "evidence", "run", "tests")

    assert ran.code == 1
    assert "1 of 1 test failed: tests.suite::test_sub: 2 is not 1" in ran.out
    assert ran.out.endswith("1 of 1 not met\n")
    shown = ran.err.splitlines()
    assert "test ended with exit code 1; the last lines of its output:" in shown
    assert [line for line in shown if line.startswith("  ")] == [f"  {n}" for n in range(26, 40)] + [
        "  the suite has run"
    ]
    name = evidence(here)[0].removesuffix(".json")
    assert shown[-1].endswith(f"(vfcc evidence show {name} --output)")
    whole = here / shown[-1].split()[3]
    assert vfcc(here, "evidence", "show", name, "--output").out == whole.read_text()

    looked_at = by_person(here, "evidence", "run", "tests").err.splitlines()
    assert [line for line in looked_at if line.startswith("  ")][:-1] == [f"  {n}" for n in range(21, 40)]


def test_nothing_runs_before_it_is_allowed(here: Path) -> None:
    vfcc(here, "allow", "--withdraw")

    ran = vfcc(here, "evidence", "run")

    ran.refused(3, "the project's commands are not allowed on this machine", "hint: vfcc allow")
    assert evidence(here) == []


def test_a_command_that_changed_after_it_was_allowed_does_not_run(here: Path) -> None:
    trap = {"run": [*PYTHON, "-c", "open('trap', 'w')"]}
    write_tree(here, {".memory/config.yaml": config({"test": TEST, "build": trap})})

    ran = vfcc(here, "evidence", "run", "built")

    ran.refused(3, "build has other words", "hint: vfcc allow")
    assert not (here / "trap").exists()


def test_a_command_that_is_not_configured_is_one_actionable_line(here: Path) -> None:
    write_tree(here, {".memory/config.yaml": config({"test": TEST})})

    ran = vfcc(here, "evidence", "run")

    ran.refused(3, "build/built: gates.commands.build is not in .memory/config.yaml", "hint: vfcc allow  # says what")


@pytest.mark.sweep
def test_two_at_once_both_leave_whole_evidence_or_one_says_why(here: Path) -> None:
    started = [
        subprocess.Popen(
            [VFCC, "evidence", "run", "test", "build"],
            cwd=here,
            env=environment(here.parent),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    told = [process.communicate(timeout=60)[1].decode() for process in started]
    codes = sorted(process.returncode for process in started)

    assert codes in ([0, 0], [0, 5]), told
    assert len(evidence(here)) == 3 * codes.count(0)
    listed = vfcc(here, "evidence", "list", "--all", "--json", "--full").data
    assert {line["verdict"] for line in listed} == {"pass"}


def test_a_run_that_is_killed_leaves_a_sound_sprint(here: Path) -> None:
    waits = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"
    table = {"test": TEST, "build": {"run": [*PYTHON, "-c", waits]}}
    write_tree(here, {".memory/config.yaml": config(table)})
    assert vfcc(here, "allow", "--yes", env=CI).code == 0

    assert vfcc(here, "evidence", "run", "built").code == -9

    assert evidence(here) == []
    assert vfcc(here, "evidence", "run", "tests").code == 0


def test_a_report_of_a_ci_job_is_told_apart(here: Path, tmp_path: Path) -> None:
    report = tmp_path / "j.xml"
    report.write_text(f"<testsuite>{ADD}</testsuite>")

    done = vfcc(here, "evidence", "add", str(report), "--criterion", "imported", env={"CI": "true"})
    assert done.code == 0
    assert "check/imported: recorded as imported_ci" in done.out
    assert done.out.endswith("pass: 1 test passed\n")

    typed = vfcc(here, "evidence", "add", str(report), "--criterion", "tests")
    assert typed.code == 1
    assert "fail: asserted by agent:program, ran_by_vfcc is needed\nto do: vfcc evidence run tests" in typed.out


def test_a_report_older_than_the_code_is_one_actionable_line(here: Path, tmp_path: Path) -> None:
    report = tmp_path / "j.xml"
    report.write_text(f"<testsuite>{ADD}</testsuite>")
    os.utime(report, (1_000_000_000, 1_000_000_000))

    ran = vfcc(here, "evidence", "add", str(report), "--criterion", "imported")

    ran.refused(3, "is older than", "hint: make the report again")


def test_a_report_or_a_value_is_needed_and_not_both(here: Path) -> None:
    vfcc(here, "evidence", "add", "--criterion", "speed").refused(2, "give either a file or --value")
    vfcc(here, "evidence", "add", "x", "--criterion", "speed", "--value", "1").refused(2, "give either")
    assert vfcc(here, "evidence", "add", "--criterion", "speed", "--value", "12.5").code == 0


def test_stale_evidence_is_told_with_why_and_exit_code_1(here: Path) -> None:
    vfcc(here, "evidence", "stale").refused(3, "there is no evidence in log-in yet", "hint: vfcc evidence run")
    assert vfcc(here, "evidence", "run", "tests").code == 0
    fresh = vfcc(here, "evidence", "stale")
    assert (fresh.code, fresh.out) == (0, "1 of 1 fresh\n")

    (here / "src/calc.py").unlink()
    (here / "src/new.py").write_text("x = 1\n")

    short = vfcc(here, "evidence", "stale")
    assert (short.code, short.out.splitlines()[0]) == (1, "check/tests is stale: src/calc.py is gone, and 1 more")
    why = vfcc(here, "evidence", "stale", "--why")
    assert why.out == (
        "check/tests is stale\n- src/calc.py is gone\n- src/new.py is new\n"
        "  vfcc evidence run tests --stage check\n0 of 1 fresh\n"
    )


@pytest.mark.sweep
def test_a_list_and_a_piece_are_shown(here: Path) -> None:
    assert vfcc(here, "evidence", "list").out == "no evidence yet\n"
    vfcc(here, "evidence", "run", "tests")
    name = evidence(here)[0].removesuffix(".json")

    assert f"{name[-4:]}  check/tests  pass     1 test passed  ran_by_vfcc" in vfcc(here, "evidence", "list").out
    shown = vfcc(here, "evidence", "show", name[-5:]).out
    for line in (
        f"{name}: junit for log-in/check/tests",
        "pass: 1 test passed",
        f"file: .memory/stage/log-in/check/evidence/{name}.json",
        "report: .memory/local/reports/test.junit.xml",
        "inputs: 4 (all files of the project)",
        "passed: 1",
    ):
        assert line in shown


def test_json_says_the_same(here: Path) -> None:
    done = vfcc(here, "evidence", "run", "tests", "--json", "--full").data
    assert [(row["criterion"], row["verdict"], row["ran"]) for row in done["rows"]] == [("tests", "pass", True)]

    found = vfcc(here, "evidence", "stale", "--json", "--full").data
    assert [line["reasons"] for line in found["lines"]] == [[]]
    view = vfcc(here, "evidence", "show", done["rows"][0]["evidence"], "--json", "--full").data
    assert view["evidence"]["measures"]["passed"] == 1


def test_names_that_mean_nothing_are_told(here: Path) -> None:
    vfcc(here, "evidence", "run", "test-suite").refused(2, "has no criterion and no command test-suite")
    vfcc(here, "evidence", "run", "--stage", "chekc").refused(2, "did you mean check?")
    vfcc(here, "evidence", "run", "--all", "tests").refused(2, "everything is meant by --all")
    vfcc(here, "evidence", "show", "01ZZZZ").refused(2, "has no evidence 01ZZZZ")


@pytest.mark.points(2)
@pytest.mark.parametrize("point", range(1, 61, 4))
def test_a_run_that_is_killed_while_it_writes_has_left_evidence_or_has_not(here: Path, point: int) -> None:
    killer = (sys.executable, "-B", "-c", STOPPER, str(point), "SIGKILL")

    code = vfcc(here, "evidence", "run", "test", program=killer).code

    assert code in (0, -signal.SIGKILL)
    listed = vfcc(here, "evidence", "list", "--all", "--json", "--full")
    assert listed.code == 0
    assert {line["verdict"] for line in listed.data} <= {"pass"}
    again = vfcc(here, "evidence", "run", "test")
    assert (again.code, half_written(here)) == (0, [])
    assert vfcc(here, "evidence", "stale").out == "2 of 2 fresh\n"
