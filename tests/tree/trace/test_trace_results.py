"""Results of tests, from recorded evidence and from reports that are given, as the trace sees them."""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evidence_project import SPRINT, YOU, Ticking, project, recorded, run
from tests.rerun_world import forge, found, latest
from tests.trees import write_tree
from verifflowcc.base.files.project_content import project_content
from verifflowcc.base.formats.result_lines import encode_results, parse_results
from verifflowcc.base.model.trace_codes import DEFAULT_POLICY
from verifflowcc.base.model.trace_values import Outcome, ResultReport, Results, TraceItem
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.cli.use.gate_exceptions import waive, what_to_waive
from verifflowcc.gates.use.evidence_making import add_evidence
from verifflowcc.gates.use.gates_now import results_path
from verifflowcc.gates.use.rerun import RerunResult, reproduce
from verifflowcc.gates.use.trace_results import OTHER, UNBOUND, read_results
from verifflowcc.sprint.rules.evidence_files import inputs_digest
from verifflowcc.trace.use.trace_code import read_code

pytestmark = pytest.mark.vfcc("REQ-TRACE-RESULTS")

ITEM = "---\nid: {id}\ntype: requirement\ntitle: It adds\nverification: test\n---\nIt adds.\n"
REQ = {f".memory/project/items/requirement/{name}.md": ITEM.format(id=name) for name in ("REQ-add", "REQ-sub")}
TESTS = '''\
import sys
from pathlib import Path


def test_add():
    """vfcc: REQ-add"""


class TestSub:
    # vfcc: REQ-sub
    def test_sub(self): ...

    def test_other(self): ...


cases = Path("tests/cases.xml").read_text()
Path(sys.argv[1]).write_text(f'<testsuite name="suite">{cases}</testsuite>')
'''
NAMED = {
    "passed": '<testcase classname="tests.test_calc" name="test_add"/>',
    "failed": '<testcase classname="tests.test_calc" name="test_add"><failure message="1 is 2"/></testcase>',
    "skipped": '<testcase classname="tests.test_calc" name="test_add"><skipped message="slow"/></testcase>',
    "error": '<testcase classname="tests.test_calc" name="test_add"><error message="boom"/></testcase>',
}
OTHERS = '<testcase classname="tests.test_calc.TestSub" name="test_other"/>'
COMMAND = {"run": [sys.executable, "-B", "tests/test_calc.py", "{junit}"]}


@pytest.fixture(autouse=True)
def own_data(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))


def calculator(root: Path, cases: str, items: Mapping[str, str] = REQ) -> Workspace:
    files = {"tests/test_calc.py": TESTS, "tests/cases.xml": cases} | dict(items)
    return project(root, files, test=COMMAND)


def results(here: Workspace, *junit: Path, items: Sequence[TraceItem] = ()) -> Results:
    content = project_content(here.root, here.local)
    code = read_code(here, content, DEFAULT_POLICY, items)
    return read_results(here, items, code, content, junit)


def by_test(seen: Results) -> dict[str, tuple[Outcome, tuple[str, ...]]]:
    return {each.test: (each.outcome, each.items) for each in seen.tests}


def result_files(here: Workspace) -> list[Path]:
    return sorted(here.memory.glob(f"stage/{SPRINT}/*/results/*.jsonl"))


@pytest.mark.parametrize("outcome", list(NAMED))
def test_what_became_of_a_marked_test_is_read_from_evidence(tmp_path: Path, outcome: str) -> None:
    here = calculator(tmp_path, NAMED[outcome] + OTHERS)
    run(here, "tests")

    seen = results(here)

    assert by_test(seen) == {"tests/test_calc.py::test_add": (Outcome(outcome), ("REQ-add",))}
    (report,) = seen.reports
    assert (report.tests, report.stale, report.problem) == (2, "", "")
    assert (report.stage, report.criterion, str(report.trust)) == ("check", "tests", "ran_by_vfcc")
    assert {each.report for each in seen.tests} == {report.name}


def test_cases_with_arguments_are_one_test_and_the_worst_counts(tmp_path: Path) -> None:
    cases = [NAMED[each].replace("test_add", f"test_add[{number}]") for number, each in enumerate(("passed", "failed"))]
    here = calculator(tmp_path, "".join(cases))
    run(here, "tests")

    (only,) = results(here).tests

    assert (only.test, only.outcome, only.cases, only.message) == (
        "tests/test_calc.py::test_add",
        Outcome.FAILED,
        2,
        "1 is 2",
    )


def test_a_test_that_failed_and_passed_in_one_report_is_flaky(tmp_path: Path) -> None:
    here = calculator(tmp_path, NAMED["failed"] + NAMED["passed"])
    run(here, "tests")

    (only,) = results(here).tests

    assert (only.outcome, only.cases) == (Outcome.FLAKY, 2)


@pytest.mark.vfcc("REQ-TRACE-FRESH")
def test_results_are_stale_once_a_file_is_edited(tmp_path: Path) -> None:
    here = calculator(tmp_path, NAMED["passed"])
    run(here, "tests")
    write_tree(tmp_path, {"src/calc.py": "def add(a, b): return a - b\n"})

    (report,) = results(here).reports

    assert report.stale == "src/calc.py changed"
    assert results(here).tests


def test_a_clone_without_local_files_has_the_results(tmp_path: Path) -> None:
    here = calculator(tmp_path / "one", NAMED["failed"])
    run(here, "tests")
    before = results(here)
    shutil.copytree(here.root, tmp_path / "two", ignore=shutil.ignore_patterns("local"))

    after = results(Workspace(tmp_path / "two", Ticking()))

    assert after == before
    assert after.tests


@pytest.mark.parametrize("how", ["changed", "gone", "of another"])
def test_a_results_file_that_is_not_what_the_evidence_names_is_no_result_and_is_told(tmp_path: Path, how: str) -> None:
    here = calculator(tmp_path, NAMED["failed"])
    run(here, "tests")
    (file,) = result_files(here)
    if how == "gone":
        file.unlink()
    elif how == "changed":
        file.write_text(file.read_text().replace('"failed"', '"passed"'))
    else:
        file.write_text('{"tests":1,"v":1}\n')

    seen = results(here)

    assert not seen.tests
    (report,) = seen.reports
    assert "missing" in report.problem if how == "gone" else "changed by hand" in report.problem


def test_a_results_file_with_crlf_reads_as_any_other(tmp_path: Path) -> None:
    here = calculator(tmp_path, NAMED["failed"])
    run(here, "tests")
    before = results(here)
    (file,) = result_files(here)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))

    assert results(here) == before


def test_results_are_named_by_their_content_and_by_the_evidence(tmp_path: Path) -> None:
    here = calculator(tmp_path, NAMED["passed"] + OTHERS)
    run(here, "tests")
    (file,) = result_files(here)
    (one,) = [each.evidence for each in recorded(here) if each.evidence]

    assert one.results is not None
    assert file.name == f"{one.results.removeprefix('sha256:')[:16]}.jsonl"
    assert [json.loads(line).get("test") for line in file.read_text().splitlines()] == [
        None,
        "tests/test_calc.py::test_add",
    ]


def test_a_project_without_trace_items_has_no_results_beside_its_evidence(tmp_path: Path) -> None:
    here = calculator(tmp_path, NAMED["failed"], items={})
    run(here, "tests")

    assert not result_files(here)
    assert [each.evidence.results for each in recorded(here) if each.evidence] == [None]
    (report,) = results(here).reports
    assert (report.tests, report.problem) == (1, "")


def test_an_imported_report_leaves_results_too(tmp_path: Path) -> None:
    here = calculator(tmp_path / "project", NAMED["passed"])
    report = write_tree(tmp_path, {"ci.xml": f"<testsuite>{NAMED['failed']}</testsuite>"}) / "ci.xml"
    add_evidence(here, SPRINT, "imported", report, actor=YOU)

    seen = results(here)

    assert by_test(seen) == {"tests/test_calc.py::test_add": (Outcome.FAILED, ("REQ-add",))}
    assert [str(each.trust) for each in seen.reports] == ["asserted"]


def given(here: Workspace, name: str, cases: str, content: str | None = None) -> Path:
    says = f'<properties><property name="vfcc.content" value="{content}"/></properties>' if content else ""
    return write_tree(here.root, {name: f"<testsuite>{says}{cases}</testsuite>"}) / name


def content_of(here: Workspace) -> str:
    return inputs_digest(project_content(here.root, here.local), ()).digest


def reports(seen: Results) -> dict[str, tuple[str, str]]:
    return {each.name: (each.stale, each.problem) for each in seen.reports}


@pytest.mark.vfcc("REQ-TRACE-FRESH")
def test_a_given_report_counts_only_on_the_content_it_ran_on(tmp_path: Path) -> None:
    here = calculator(tmp_path, "")
    mine = given(here, "report.xml", NAMED["passed"], content_of(here))
    unbound = given(here, "unbound.xml", NAMED["passed"])
    unbound.rename(tmp_path.parent / f"{tmp_path.name}.xml")
    elsewhere = tmp_path.parent / f"{tmp_path.name}.xml"

    assert reports(results(here, mine)) == {"report.xml": ("", "")}
    assert reports(results(here, elsewhere)) == {str(elsewhere): (UNBOUND, "")}
    (remedy,) = (each.remedy for each in results(here, elsewhere).reports)
    assert remedy.startswith("install verifflowcc where the tests run: its pytest plugin writes vfcc.content")
    assert by_test(results(here, mine)) == {"tests/test_calc.py::test_add": (Outcome.PASSED, ("REQ-add",))}

    write_tree(tmp_path, {"src/calc.py": "def add(a, b): return 0\n"})
    assert reports(results(here, mine)) == {"report.xml": (OTHER, "")}


def test_reports_in_the_project_do_not_make_each_other_stale(tmp_path: Path) -> None:
    here = calculator(tmp_path, "")
    content = content_of(here)
    first = given(here, "a.xml", NAMED["passed"], content)
    second = given(here, "b.xml", NAMED["failed"], content)

    seen = results(here, first, second)

    assert reports(seen) == {"a.xml": ("", ""), "b.xml": ("", "")}
    assert [(each.report, each.outcome) for each in seen.tests] == [
        ("a.xml", Outcome.PASSED),
        ("b.xml", Outcome.FAILED),
    ]


def test_ids_in_properties_count_without_any_mark(tmp_path: Path) -> None:
    here = calculator(tmp_path, "")
    cases = (
        '<testcase classname="tests.test_calc.TestSub" name="test_other"><properties>'
        '<property name="vfcc" value="REQ-x"/><property name="vfcc" value="REQ-y"/></properties></testcase>'
    )

    seen = results(here, given(here, "r.xml", cases, content_of(here)))

    assert by_test(seen) == {"tests/test_calc.py::TestSub.test_other": (Outcome.PASSED, ("REQ-x", "REQ-y"))}


def test_a_test_of_another_tree_is_not_known(tmp_path: Path) -> None:
    here = calculator(tmp_path, "")
    cases = '<testcase classname="tests.test_gone" name="test_gone"/>' + NAMED["passed"]

    seen = results(here, given(here, "r.xml", cases, content_of(here)))

    assert {each.test: each.known for each in seen.tests} == {
        "tests.test_gone::test_gone": False,
        "tests/test_calc.py::test_add": True,
    }


@pytest.mark.parametrize("content", [b"no xml", b"", None])
def test_a_report_that_cannot_be_read_is_told(tmp_path: Path, content: bytes | None) -> None:
    here = calculator(tmp_path, "")
    if content is not None:
        write_tree(tmp_path, {"r.xml": content})

    (report,) = results(here, tmp_path / "r.xml").reports

    assert report.problem


def test_criteria_are_asked_only_where_an_item_names_one(tmp_path: Path) -> None:
    here = calculator(tmp_path, NAMED["passed"])
    run(here, "tests", "frozen")
    item = TraceItem("REQ-add", "requirement", "It adds", "x", "It adds.", "0" * 20, evidence=("check/frozen", "speed"))

    assert results(here).criteria == ()
    shown = {each.name: each for each in results(here, items=[item]).criteria}

    assert set(shown) == {"check/frozen", "check/speed"}
    assert shown["check/frozen"].met
    assert str(shown["check/frozen"].trust) == "ran_by_vfcc"
    assert not shown["check/speed"].met
    assert shown["check/speed"].trust is None


def test_a_sprint_whose_ledger_is_broken_is_told_as_a_report_that_cannot_be_read(tmp_path: Path) -> None:
    here = calculator(tmp_path, NAMED["passed"])
    run(here, "tests")
    events = sorted((here.memory / f"sprint/{SPRINT}/events").glob("*.json"))
    events[-1].write_text(events[-1].read_text().replace("evidence", "evidenze"))

    seen = results(Workspace(here.root, Ticking()))

    assert not seen.tests
    assert [isinstance(each, ResultReport) and bool(each.problem) for each in seen.reports] == [True]


def test_without_a_sprint_there_is_no_result(tmp_path: Path) -> None:
    write_tree(tmp_path, {".memory/config.yaml": "format: 1\n", "tests/test_a.py": "def test_a(): ...\n"})

    assert results(Workspace(tmp_path, Ticking())) == Results()


def test_a_second_run_finds_the_same_results_and_writes_none(tmp_path: Path) -> None:
    here = calculator(tmp_path, NAMED["passed"] + OTHERS)
    run(here, "tests")
    files = {path: path.read_bytes() for path in result_files(here)}

    assert found(reproduce(here, SPRINT))["check/tests"][0] is RerunResult.REPRODUCED
    assert {path: path.read_bytes() for path in result_files(here)} == files


@pytest.mark.parametrize(
    ("honest", "claimed"),
    [
        ("failed", {"outcome": Outcome.PASSED}),
        ("passed", {"items": ("REQ-add", "REQ-sub")}),
        ("passed", {"test": "tests/test_calc.py::TestSub.test_sub"}),
        ("failed", None),
    ],
)
def test_results_made_up_under_honest_evidence_are_red_in_a_second_run(
    tmp_path: Path, honest: str, claimed: Mapping[str, object] | None
) -> None:
    here = calculator(tmp_path, NAMED[honest] + OTHERS)
    run(here, "tests")
    (file,) = result_files(here)
    one = latest(here, "tests")
    assert one.results is not None
    lines = parse_results(file.read_bytes(), one.results, "").results
    data = encode_results(2, [replace(each, **claimed) for each in lines] if claimed else [])  # type: ignore[arg-type]
    write_tree(here.memory, {results_path(SPRINT, "check", digest_bytes(data)): data})
    forge(here, one, results=digest_bytes(data))

    assert results(here).reports[0].problem == ""
    outcome, reason = found(reproduce(here, SPRINT))["check/tests"]

    assert outcome is RerunResult.DIFFERS
    assert "on record" in reason


def test_items_that_come_and_go_leave_a_second_run_green(tmp_path: Path) -> None:
    here = calculator(tmp_path, NAMED["passed"] + OTHERS)
    run(here, "tests")
    naming = ITEM.format(id="REQ-new").replace("verification", 'tests: ["tests/**"]\nverification')
    write_tree(tmp_path, {".memory/project/items/requirement/REQ-new.md": naming})

    assert found(reproduce(here, SPRINT))["check/tests"][0] is RerunResult.REPRODUCED


def test_skips_are_waived_with_their_criterion_and_while_that_holds(tmp_path: Path) -> None:
    here = calculator(tmp_path, NAMED["skipped"])
    run(here, "skips")
    assert results(here).waived_skips == frozenset()

    waive(here, what_to_waive(here, SPRINT, "skips", "check"), "it is slow", actor=YOU)
    assert results(here).waived_skips == {"tests/test_calc.py::test_add"}

    write_tree(tmp_path, {"src/calc.py": "def add(a, b): return 0\n"})
    assert results(here).waived_skips == frozenset()


def test_a_criterion_that_is_waived_shows_nothing(tmp_path: Path) -> None:
    here = calculator(tmp_path, NAMED["skipped"])
    run(here, "skips")
    waive(here, what_to_waive(here, SPRINT, "skips", "check"), "it is slow", actor=YOU)
    item = TraceItem("REQ-add", "requirement", "It adds", "x", "It adds.", "0" * 20, evidence=("skips",))

    (shown,) = results(here, items=[item]).criteria

    assert not shown.met
    assert shown.reason.endswith("(waived)")
