"""A report that was made elsewhere is the word of who brings it, and cannot be older than what it speaks of."""

import os
from pathlib import Path

import pytest

from tests.evidence_project import ADD, SPRINT, SUB_FAILED, YOU, project, recorded
from verifflowcc.base.errors import FormatError, UsageError
from verifflowcc.base.model.gate_values import EvidenceTrust, Verdict
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.evidence_listing import find_stale
from verifflowcc.gates.use.evidence_making import EvidenceAddition, add_evidence

pytestmark = pytest.mark.vfcc("REQ-EVIDENCE")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))
    return project(tmp_path / "project")


def report(folder: Path, cases: str = ADD, name: str = "from-ci.xml") -> Path:
    path = folder / name
    path.write_text(f"<testsuite>{cases}</testsuite>")
    return path


def add(here: Workspace, file: Path | None, criterion: str = "imported", actor: str = YOU) -> EvidenceAddition:
    return add_evidence(here, SPRINT, criterion, file, actor=actor)


def test_a_report_is_taken_in_as_the_word_of_who_brings_it(here: Workspace, tmp_path: Path) -> None:
    done = add(here, report(tmp_path))

    assert (done.evidence.trust, done.assessment.verdict, done.assessment.reason) == (
        EvidenceTrust.ASSERTED,
        Verdict.PASS,
        "1 test passed",
    )
    assert (done.evidence.run, done.evidence.report) == (None, "…/from-ci.xml")
    assert [one.problem for one in recorded(here)] == [""]


def test_a_ci_job_is_trusted_more_than_a_person(here: Workspace, tmp_path: Path) -> None:
    assert add(here, report(tmp_path), actor="ci").evidence.trust is EvidenceTrust.IMPORTED_CI


def test_where_vfcc_must_have_run_it_a_report_is_not_enough(here: Workspace, tmp_path: Path) -> None:
    done = add(here, report(tmp_path), "tests")

    assert done.assessment.verdict is Verdict.FAIL
    assert done.assessment.reason == "asserted by human:You, ran_by_vfcc is needed"
    assert done.assessment.step == "vfcc evidence run tests --stage check"


def test_a_report_inside_the_project_is_none_of_its_own_inputs(here: Workspace) -> None:
    done = add(here, report(here.root))

    assert done.evidence.report == "from-ci.xml"
    assert "from-ci.xml" not in done.evidence.inputs.digests
    assert find_stale(here, SPRINT).stale == ()


def test_a_report_older_than_the_code_is_refused_and_the_file_named(here: Workspace, tmp_path: Path) -> None:
    old = report(tmp_path)
    os.utime(old, (1_000_000_000, 1_000_000_000))
    (here.root / "src/calc.py").touch()

    with pytest.raises(FormatError, match=r"from-ci\.xml is older than src/calc\.py, of which it is to speak"):
        add(here, old)

    assert recorded(here) == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "is empty"), (" \n", "is empty"), ("<testsuite", "not XML"), ("<html/>", "no JUnit report")],
)
def test_a_report_that_cannot_be_read_is_refused(here: Workspace, tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "j.xml"
    path.write_text(text)

    with pytest.raises(FormatError, match=words):
        add(here, path)

    assert recorded(here) == ()


def test_what_a_report_says_counts(here: Workspace, tmp_path: Path) -> None:
    assert add(here, report(tmp_path, SUB_FAILED)).assessment.reason.startswith("1 of 1 test failed")
    assert add(here, report(tmp_path, "")).assessment.reason == "no test ran"


def test_a_report_of_another_tree_fails(here: Workspace, tmp_path: Path) -> None:
    foreign = '<testcase classname="other.place" name="test_of_theirs"/>'

    done = add(here, report(tmp_path, ADD + foreign))

    assert done.evidence.measures["unknown"] == 1
    assert done.assessment.reason == "1 of 2 tests not in the tree: other.place::test_of_theirs"


def test_a_file_that_is_not_there_and_a_folder_are_told(here: Workspace, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        add(here, tmp_path / "none.xml")
    with pytest.raises(UsageError, match="no ordinary file"):
        add(here, tmp_path)


@pytest.mark.parametrize(
    ("value", "millionths", "verdict"),
    [("12.5", 12_500_000, Verdict.PASS), ("200", 200_000_000, Verdict.PASS), ("200.000001", 200_000_001, Verdict.FAIL)],
)
def test_the_value_of_a_metric_can_be_stated(here: Workspace, value: str, millionths: int, verdict: Verdict) -> None:
    done = add_evidence(here, SPRINT, "speed", value=value, actor=YOU)

    assert done.evidence.measures == {"p95_ms": millionths}
    assert done.assessment.verdict is verdict


@pytest.mark.parametrize("value", ["fast", "", "1e3", "1.0000001", "9999999999", "١٢"])
def test_what_is_no_number_is_refused(here: Workspace, value: str) -> None:
    with pytest.raises(UsageError, match="is no number"):
        add_evidence(here, SPRINT, "speed", value=value, actor=YOU)


def test_a_file_of_metrics_is_read(here: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text('{"p95_ms": 99.5}')

    assert add(here, path, "speed").assessment.reason == "p95_ms is 99.5"


def test_what_is_made_here_is_not_imported(here: Workspace, tmp_path: Path) -> None:
    for criterion in ("built", "frozen"):
        with pytest.raises(UsageError, match="is not imported, it is made"):
            add(here, report(tmp_path), criterion)
    with pytest.raises(UsageError, match="--value is for a metric"):
        add_evidence(here, SPRINT, "imported", value="1", actor=YOU)
    with pytest.raises(UsageError, match="did you mean imported"):
        add(here, report(tmp_path), "importd")
