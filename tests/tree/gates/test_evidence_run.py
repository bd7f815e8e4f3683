"""Evidence is made by running real commands: what they show, and when what they show is no evidence."""

from pathlib import Path

import pytest

from tests.evidence_project import (
    ADD,
    BUILD,
    PYTHON,
    SPRINT,
    SUB_FAILED,
    TEST,
    YOU,
    allow,
    config,
    project,
    recorded,
    run,
    said,
)
from tests.ledger_samples import snapshot
from tests.trees import commit, git, repository
from verifflowcc.base.errors import CommandsNotAllowed, UsageError, WorkspaceError
from verifflowcc.base.model.gate_values import EvidenceTrust
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.evidence_listing import find_stale, output_of, show_evidence
from verifflowcc.gates.use.evidence_making import run_evidence
from verifflowcc.sprint.use.allow_use import withdraw_commands

pytestmark = pytest.mark.vfcc("REQ-EVIDENCE")

REPORT = ".memory/local/reports/test.junit.xml"


@pytest.fixture(autouse=True)
def _machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))


@pytest.fixture
def here(tmp_path: Path) -> Workspace:
    return project(tmp_path / "project")


def script(text: str) -> dict[str, object]:
    return {"run": [*PYTHON, "-c", text, "{junit}"]}


def test_a_green_run_is_evidence_that_counts(here: Workspace) -> None:
    done = run(here, "tests")

    assert said(done) == {"tests": ("pass", "1 test passed")}
    assert done.all_met
    (one,) = recorded(here)
    assert one.evidence
    assert not one.problem
    assert (one.stage, one.criterion, one.actor, one.evidence.trust) == (
        "check",
        "tests",
        YOU,
        EvidenceTrust.RAN_BY_VFCC,
    )
    assert set(one.evidence.inputs.digests) == {"src/calc.py", "tests/suite.py", "tests/cases.xml", "tests/exit"}
    assert one.evidence.run
    assert (one.evidence.run.argv[-1], one.evidence.run.exit_code) == ("{junit}", 0)
    assert one.evidence.report == REPORT
    assert one.path == f".memory/stage/{SPRINT}/check/evidence/{one.evidence.id}.json"
    assert (here.root / one.path).is_file()
    assert output_of(here, one.evidence) == b"the suite has run\n"


@pytest.mark.points(8)
@pytest.mark.parametrize(
    ("cases", "exit_code", "verdict", "reason"),
    [
        (ADD + SUB_FAILED, "1", "fail", "1 of 2 tests failed: tests.suite::test_sub: 2 is not 1"),
        (ADD + SUB_FAILED, "0", "fail", "1 of 2 tests failed: tests.suite::test_sub: 2 is not 1"),
        ("", "0", "not_evaluable", "no test ran"),
        (ADD.replace("/>", '><error message="no such module"/></testcase>'), "0", "fail", None),
        (ADD.replace("/>", '><rerunFailure message="once"/></testcase>'), "0", "fail", None),
        (ADD + ADD.replace("/>", '><failure message="once"/></testcase>'), "0", "fail", None),
        (ADD.replace("/>", "><skipped/></testcase>"), "0", "not_evaluable", "the one test was skipped"),
        (
            ADD.replace("test_add", "t_of_another_tree"),
            "0",
            "fail",
            "1 of 1 test not in the tree: tests.suite::t_of_another_tree",
        ),
        (ADD, "3", "fail", "1 test and none of them failed, but the command test ended with exit code 3"),
        ("<testcase", "0", "not_evaluable", None),
    ],
)
def test_what_is_not_whole_and_green_is_not_met(
    tmp_path: Path, cases: str, exit_code: str, verdict: str, reason: str | None
) -> None:
    here = project(tmp_path / "project", {"tests/cases.xml": cases, "tests/exit": exit_code})

    found = said(run(here, "tests"))["tests"]

    assert found[0] == verdict
    assert reason in {None, found[1]}


def test_a_test_that_is_not_in_the_tree_fails(tmp_path: Path) -> None:
    wrote = "import sys; open(sys.argv[1], 'w').write('<testsuite>' + bytes.fromhex('{}').decode() + '</testsuite>')"
    case = ADD.replace("tests.suite", "elsewhere").replace("test_add", "elsewhere_too").encode().hex()
    here = project(tmp_path / "project", test=script(wrote.replace("{}", case)))

    assert said(run(here, "tests"))["tests"][1].startswith("1 of 1 test not in the tree")


def test_a_command_runs_once_for_all_criteria_that_it_shows(tmp_path: Path) -> None:
    counts = "open('.memory/local/count', 'a').write('x')"
    here = project(tmp_path / "project", build={"run": [*PYTHON, "-c", counts]})

    done = run(here, "test")
    assert [row.criterion for row in done.rows] == ["tests", "skips"]
    assert len(done.commands) == 1

    run(here, "built", "build")
    assert (here.local / "count").read_text() == "x"


@pytest.mark.sweep
def test_a_command_that_does_not_end_in_time_fails(tmp_path: Path) -> None:
    slow = script("import sys, time; open(sys.argv[1], 'w').write('<testsuite/>'); time.sleep(60)") | {"timeout": 1}
    here = project(tmp_path / "project", test=slow)

    assert said(run(here, "tests"))["tests"] == (
        "fail",
        "the command test did not end by itself: did not end within 1 s and was killed; it wrote nothing",
    )


def test_a_program_that_is_not_there_fails(tmp_path: Path) -> None:
    here = project(tmp_path / "project", build={"run": ["no-such-program-here"]})

    assert said(run(here, "built"))["built"][1].endswith("no-such-program-here: no such program")


def test_an_old_report_does_not_count_for_a_run_that_writes_none(tmp_path: Path) -> None:
    here = project(tmp_path / "project")
    run(here, "tests")
    (here.memory / "config.yaml").write_text(config({"test": script("print('nothing')"), "build": BUILD}))
    allow(here)

    assert said(run(here, "tests"))["tests"] == ("not_evaluable", f"it left no report at {REPORT}")


def test_a_command_that_promises_no_report_is_told(tmp_path: Path) -> None:
    here = project(tmp_path / "project", test={"run": [*PYTHON, "-c", "pass"]})

    assert said(run(here, "tests"))["tests"][1] == (
        "the command test writes no junit report: put {junit} into its words, "
        "or its path into gates.commands.test.reports"
    )


def test_a_report_at_a_path_of_its_own_is_read_and_is_no_input(tmp_path: Path) -> None:
    own = {"run": [*PYTHON, "tests/suite.py", "build/j.xml"], "reports": {"junit": "build/j.xml"}}
    here = project(tmp_path / "project", test=own)

    assert run(here, "tests").all_met
    assert run(here, "tests").all_met


def test_a_run_that_writes_into_its_inputs_is_no_evidence(tmp_path: Path) -> None:
    writes = script("open('src/calc.py', 'a').write('#'); open('src/made.py', 'w').write('#')")
    here = project(tmp_path / "project", test=writes)

    done = run(here, "tests")

    assert said(done)["tests"][0] == "not_evaluable"
    assert said(done)["tests"][1] == (
        "while test ran, its inputs changed (src/calc.py changed, src/made.py is new): "
        "ignore what it writes in .gitignore, or narrow its inputs"
    )
    assert not done.all_met
    assert recorded(here) == ()


def test_what_git_ignores_or_the_inputs_leave_out_may_be_written(tmp_path: Path) -> None:
    suite = "import runpy; open('out/log.txt', 'a').write('x'); runpy.run_path('tests/suite.py')"
    here = project(tmp_path / "project", {"out/log.txt": ""}, test=script(suite) | {"inputs": ["src/**", "tests/**"]})
    assert run(here, "tests").all_met

    other = project(tmp_path / "ignored", {"out/log.txt": "", ".gitignore": "out/\n"}, test=script(suite))
    repository(other.root)
    assert run(other, "tests").all_met


def test_nothing_runs_and_nothing_is_written_until_it_is_allowed(here: Workspace) -> None:
    withdraw_commands(here)
    before = snapshot(here.root)

    with pytest.raises(CommandsNotAllowed, match="not allowed on this machine"):
        run(here)

    assert snapshot(here.root) == before
    assert not (here.local / "reports").exists()


def test_a_changed_command_needs_allowing_again(here: Workspace) -> None:
    (here.memory / "config.yaml").write_text(config({"test": TEST | {"timeout": 7}, "build": BUILD}))

    with pytest.raises(CommandsNotAllowed, match="test has another timeout"):
        run(here, "tests")

    assert recorded(here) == ()


def test_a_file_that_git_keeps_is_not_overwritten_as_a_report(tmp_path: Path) -> None:
    typo = {"run": [*PYTHON, "tests/suite.py", "{junit}"], "reports": {"junit": "src/calc.py"}}
    here = project(tmp_path / "project", test=typo)
    repository(here.root)

    with pytest.raises(WorkspaceError, match=r"src/calc\.py is a file that git keeps"):
        run(here, "tests")

    assert (here.root / "src/calc.py").read_text().startswith("def add")


def test_the_code_moves_on_and_the_evidence_is_stale(here: Workspace) -> None:
    run(here, "tests")
    (here.root / "src/calc.py").write_text("def add(a, b): return a - b\n")

    (line,) = find_stale(here, SPRINT).stale
    assert (line.criterion, line.reasons) == ("tests", ("src/calc.py changed",))
    assert line.step == "vfcc evidence run tests --stage check"

    run(here, "tests")
    assert find_stale(here, SPRINT).stale == ()


def test_a_later_failure_counts_and_an_earlier_one_is_told(here: Workspace) -> None:
    (here.root / "tests/exit").write_text("1")
    run(here, "tests")
    assert said(run(here, "tests"))["tests"][0] == "fail"
    done = run(here, "tests")
    assert done.rows[0].notes == ("failed 2 times before on the same content",)


def test_a_baseline_is_taken_without_a_command(here: Workspace) -> None:
    assert said(run(here, "frozen")) == {"frozen": ("pass", "1 file as they were")}

    (here.root / "src/more.py").write_text("x = 1\n")
    (one,) = recorded(here)
    asked = show_evidence(here, SPRINT, str(one.evidence and one.evidence.id)).assessment
    assert asked
    assert asked.reason == "its evidence is stale: src/more.py is new"


def test_the_commit_is_noted(here: Workspace) -> None:
    repository(here.root)
    run(here, "tests")
    (one,) = recorded(here)
    assert one.evidence
    assert one.evidence.tree == git(here.root, "rev-parse", "HEAD").strip()


def test_the_outcome_is_that_of_a_second_run_and_not_of_another(here: Workspace) -> None:
    def outcome() -> str:
        run(here, "tests")
        one = recorded(here)[-1].evidence
        assert one
        return one.outcome

    first = outcome()
    assert outcome() == first
    (here.root / "tests/exit").write_text("1")
    ended = outcome()
    (here.root / "tests/exit").write_text("0")
    (here.root / "tests/cases.xml").write_text(SUB_FAILED)
    assert len({first, ended, outcome()}) == 3


# what is chosen


def test_without_names_the_stage_in_work_is_meant_else_the_next_that_asks(here: Workspace) -> None:
    assert [f"{row.stage}/{row.criterion}" for row in run(here).rows] == ["build/built"]


def test_a_name_means_a_criterion_or_a_command(here: Workspace) -> None:
    assert list(said(run(here, "skips"))) == ["skips"]
    assert list(said(run(here, "build", "tests"))) == ["built", "tests"]


def test_a_stage_and_all_stages(here: Workspace) -> None:
    assert list(said(run(here, stage="check"))) == ["tests", "skips", "imported", "speed", "frozen"]
    assert list(said(run(here, every=True))) == ["built", "tests", "skips", "imported", "speed", "frozen"]


def test_a_name_that_means_nothing_is_told_with_the_nearest(here: Workspace) -> None:
    with pytest.raises(UsageError, match="no criterion and no command testss; did you mean test"):
        run(here, "testss")
    with pytest.raises(UsageError, match="plan is of the kind artifact, for which nothing is run"):
        run(here, "plan")


def test_what_is_not_configured_is_told_beside_what_ran(here: Workspace) -> None:
    (here.memory / "config.yaml").write_text(config({"test": TEST}))
    allow(here)

    done = run(here, every=True)

    row = done.rows[0]
    assert (row.criterion, row.ran, row.met) == ("built", False, False)
    assert row.reason == "gates.commands.build is not in .memory/config.yaml"
    assert not done.all_met
    assert said(done)["tests"][0] == "pass"


def test_where_nothing_can_run_that_is_an_error(here: Workspace) -> None:
    (here.memory / "config.yaml").write_text(config({"test": TEST}))

    with pytest.raises(WorkspaceError, match=r"build/built: gates\.commands\.build is not in") as error:
        run(here, "built")

    assert error.value.hint == "vfcc allow  # says what to write there"


def test_progress_is_told_before_each_command(here: Workspace) -> None:
    told: list[str] = []

    run_evidence(here, SPRINT, ["build"], actor=YOU, progress=told.append)

    assert told == [f"build: {' '.join(map(str, BUILD['run']))} (log: .memory/local/logs/build.log)"]


def test_a_clone_has_the_evidence_and_not_the_output(here: Workspace, tmp_path: Path) -> None:
    repository(here.root)
    run(here, "tests")
    commit(here.root, "evidence")
    git(tmp_path, "clone", "--quiet", str(here.root), "clone")

    clone = Workspace(tmp_path / "clone", here.clock)
    (one,) = recorded(clone)
    assert one.evidence
    shown = show_evidence(clone, SPRINT, one.evidence.id)
    assert shown.assessment
    assert shown.assessment.met
    with pytest.raises(WorkspaceError, match="is not on this machine"):
        output_of(clone, one.evidence)
