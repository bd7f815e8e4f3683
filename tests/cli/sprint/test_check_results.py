"""`vfcc check` and missing test results: one sentence and what else is wrong, with every finding still to be had."""

import json
from pathlib import Path

import pytest

from tests.cli.process import by_person, on_terminal, vfcc
from tests.traced_project import CONFIG, HIGH, ITEMS, case, item, traced
from tests.trees import write_tree
from verifflowcc.base.files.project_content import project_content
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.evidence_files import inputs_digest

pytestmark = pytest.mark.vfcc("REQ-CHECK-TRACE")

MANY = 120
REPORTS = ".memory/local/reports"
SETTINGS = "format: 1\ntrace:\n  results_from: make test\n  reports: [{reports}]\n"
EVIDENCE = 'format: 1\nworkflow: light\ngates: {commands: {test: {run: [python3, run.py, "{junit}"]}}}\n'
SCREEN = 24


def names() -> list[str]:
    return [f"{number:03}" for number in range(MANY)]


def project(root: Path, *reports: str, config: str = "", **more: str) -> Path:
    """A project of many requirements with one test each; none of them ran."""
    files = {
        f"{ITEMS}/requirement/REQ-{each}.md": item(f"REQ-{each}", "requirement", "refines NEED-tide")
        for each in names()
    }
    tests = "".join(f'def test_{each}():\n    """vfcc: REQ-{each}"""\n\n\n' for each in names())
    settings = config or SETTINGS.format(reports=", ".join(f"{REPORTS}/{name}" for name in reports))
    traced(root, **(files | {"tests/test_many.py": tests, CONFIG: settings} | more))
    (root / HIGH).unlink()
    (root / f"{ITEMS}/requirement/REQ-low.md").unlink()
    (root / "tests/test_gauge.py").unlink()
    (root / "src/gauge.py").unlink()
    return root


def report(root: Path, name: str, ids: list[str], content: str | None = None, inside: str = "") -> None:
    """Write a report of results that ran on what the project holds now, or on other content."""
    ran_on = content or inputs_digest(project_content(root, Workspace(root).local), ()).digest
    says = f'<properties><property name="vfcc.content" value="{ran_on}"/></properties>'
    cases = "".join(case(f"test_{each}", inside) for each in ids).replace("test_gauge", "test_many")
    write_tree(root, {f"{REPORTS}/{name}": f"<testsuite>{says}{cases}</testsuite>"})


def findings(root: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = vfcc(root, "check", "trace", "--json", "--full").data["report"]["findings"]
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("words", [("check",), ("check", "trace")])
def test_a_project_without_results_gets_one_sentence_with_its_own_command(tmp_path: Path, words: tuple[str]) -> None:
    root = project(tmp_path / "fresh", "all.xml")

    done = vfcc(root, *words)

    assert done.code == 1
    assert "no test results for this content here; run `make test`\n  120 tests of 120 items have none\n" in done.out
    assert "no-result" not in done.out
    assert "unreadable-report" not in done.out
    assert "trace: RED: 121 errors in 121 items (all for missing test results)" in done.out


def test_bare_check_without_results_fits_one_screen_of_80_columns(tmp_path: Path) -> None:
    root = project(tmp_path / "fresh", "all.xml")
    assert by_person(root, "sprint", "start", "Gauge", "--workflow", "light").code == 0

    done = on_terminal(root, "check")

    lines = done.out.splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= 80
    assert "no test results for this content here; run `make test`" in lines


@pytest.mark.sweep
def test_every_finding_is_still_in_json_sarif_and_the_whole_list(tmp_path: Path) -> None:
    root = project(tmp_path / "fresh", "all.xml")

    codes = [each["code"] for each in findings(root)]
    whole = vfcc(root, "check", "trace", "--all")
    log = json.loads(vfcc(root, "check", "trace", "--format", "sarif").out)

    assert (codes.count("no-result"), codes.count("unreadable-report")) == (MANY, 1)
    assert whole.out.count(" error no-result: ") == MANY
    assert [each["ruleId"] for each in log["runs"][0]["results"]] == codes


def test_a_fault_that_has_another_cause_is_listed_beside_missing_results(tmp_path: Path) -> None:
    broken = item("REQ-x", "requirement", "refines NEED-none", verification="review")
    root = project(tmp_path / "fresh", "all.xml", **{f"{ITEMS}/requirement/REQ-x.md": broken})

    done = vfcc(root, "check")

    assert " error dangling-link: " in done.out
    assert "(121 for missing test results)" in done.out


def test_an_item_that_no_test_names_is_counted_while_nothing_ran_and_listed_once_something_did(tmp_path: Path) -> None:
    lonely = item("REQ-x", "requirement", "refines NEED-tide", verification="test")
    root = project(tmp_path / "lonely", "all.xml", **{f"{ITEMS}/requirement/REQ-x.md": lonely})

    assert "  no test in the source names 1 more item: REQ-x\n" in vfcc(root, "check").out

    report(root, "all.xml", names())
    assert "error not-verified: REQ-x" in vfcc(root, "check").out


def test_tests_that_some_runs_left_out_are_counted_in_one_line(tmp_path: Path) -> None:
    root = project(tmp_path / "partly", "all.xml")
    report(root, "all.xml", names()[:20])

    done = vfcc(root, "check")

    assert done.code == 1
    assert "100 tests of 100 items have no result for this content; run `make test`\n" in done.out
    assert "no-result" not in done.out


def test_results_for_other_content_are_counted_in_one_line_with_their_report(tmp_path: Path) -> None:
    root = project(tmp_path / "stale", "old.xml", "new.xml")
    report(root, "new.xml", names()[20:])
    report(root, "old.xml", names()[:20], content="sha256:" + "0" * 64)

    done = vfcc(root, "check")

    assert done.code == 1
    assert "1 test has results" not in done.out
    assert "20 tests have results for other content; run `make test`\n" in done.out
    assert f"error stale-result: {REPORTS}/old.xml is of other content (" in done.out


def test_results_that_all_are_for_other_content_count_as_none(tmp_path: Path) -> None:
    root = project(tmp_path / "stale", "old.xml")
    report(root, "old.xml", names(), content="sha256:" + "0" * 64)

    done = vfcc(root, "check")

    assert done.code == 1
    assert "no test results for this content here; run `make test`\n" in done.out
    assert f"error stale-result: {REPORTS}/old.xml is of other content (" in done.out
    assert "same commit with the same uncommitted files as here (git status)" in " ".join(done.out.split())


def test_a_test_that_failed_is_never_counted_as_missing(tmp_path: Path) -> None:
    root = project(tmp_path / "failed", "all.xml")
    report(root, "all.xml", names()[:1], inside='<failure message="1 is 2"/>')

    done = vfcc(root, "check")

    assert "error failed-result: tests/test_many.py::test_000" in done.out
    assert "119 tests of 119 items have no result for this content" in done.out


def test_with_all_results_nothing_is_red(tmp_path: Path) -> None:
    root = project(tmp_path / "green", "all.xml")
    report(root, "all.xml", names())

    done = vfcc(root, "check")

    assert done.code == 0
    assert "no test results" not in done.out


@pytest.mark.sweep
def test_without_the_setting_the_hint_is_the_evidence_of_the_open_sprint(tmp_path: Path) -> None:
    root = project(tmp_path / "fresh", config=EVIDENCE)
    fallback = "no test results for this content here; run the tests and name their JUnit report in trace.reports"
    assert fallback in vfcc(root, "check").out

    assert vfcc(root, "sprint", "start", "Gauge").code == 0
    assert "no test results for this content here; run `vfcc evidence run tests`" in vfcc(root, "check").out

    assert by_person(root, "sprint", "start", "Other").code == 0
    assert "run `vfcc evidence run tests --sprint gauge`" in vfcc(root, "check").out


def test_a_gate_without_results_says_so_in_one_short_sentence(tmp_path: Path) -> None:
    root = project(tmp_path / "fresh", "all.xml")
    assert by_person(root, "sprint", "start", "Gauge", "--workflow", "light").code == 0

    lines = vfcc(root, "check", "gate", "testing").out.splitlines()

    (number,) = [each for each, line in enumerate(lines) if "requirements-tested" in line]
    assert lines[number] == "  FAIL     requirements-tested (soft): no test results for this content here"
    assert lines[number + 1].strip() == "→ make test"


@pytest.mark.sweep
def test_many_findings_are_groups_with_a_count_and_an_example_each(tmp_path: Path) -> None:
    two = "The gauge shall show the tide. The gauge shall show the wind."
    more = {
        f"{ITEMS}/requirement/REQ-{each}.md": item(f"REQ-{each}", "requirement", "refines NEED-tide", text=two)
        for each in names()
    }
    root = project(tmp_path / "weak", "all.xml", **more)
    report(root, "all.xml", names())

    done = vfcc(root, "check")

    lines = done.out.splitlines()
    (number,) = [each for each, line in enumerate(lines) if "non-atomic" in line]
    assert lines[number] == f"note non-atomic: {MANY} in {ITEMS}/requirement"
    assert lines[number + 1].startswith("  REQ-000.md:")
    assert done.out.count(": vfcc check --all\n") == 1
    assert vfcc(root, "check", "trace", "--all").out.count(" note non-atomic: ") == MANY
