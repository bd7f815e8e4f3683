"""`vfcc trace matrix|impact|coverage|why` as real processes, on a small project of which one test fails."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import on_terminal, vfcc
from tests.trace_project import AUDIT, LOCK, NEED, TIMEOUT, UNIT, report, traced
from tests.trees import write_memory

VIEWS = (("matrix",), ("impact", "NEED"), ("coverage",), ("why", "NEED"))


@pytest.fixture
def project(young: Path) -> Path:
    return traced(young)


def told(project: Path, *words: str) -> Any:
    ran = vfcc(project, "trace", *words, "--junit", str(report(project)), "--json", "--full")
    assert (ran.code, ran.err) == (0, ""), ran
    return ran.data


@pytest.mark.sweep
@pytest.mark.vfcc("REQ-TRACE-MATRIX")
def test_the_matrix_says_where_each_item_stands(project: Path) -> None:
    shown = told(project, "matrix")

    assert {row["id"]: row["state"] for row in shown["rows"]} == {
        NEED: "failed below",
        TIMEOUT: "passed",
        LOCK: "failed",
        AUDIT: "planned",
        UNIT: "passed",
    }
    assert [(each["test"]["test"], [end["id"] for end in each["needs"]]) for each in shown["tests"]] == [
        ("tests/test_session.py::test_ends", [NEED]),
        ("tests/test_session.py::test_locks", [NEED]),
    ]


@pytest.mark.sweep
def test_results_of_other_content_show_nothing(project: Path) -> None:
    file = report(project)
    (project / "src" / "session.py").write_text("changed = True\n", encoding="utf-8")
    ran = vfcc(project, "trace", "matrix", "--junit", str(file), "--item", TIMEOUT)

    assert ran.code == 0
    assert "stale" in ran.out
    assert "1 passed (stale)" in ran.out


def test_the_matrix_is_filtered_by_type_state_and_item(project: Path) -> None:
    assert [row["id"] for row in told(project, "matrix", "--type", "Unit")["rows"]] == [UNIT]
    assert [row["id"] for row in told(project, "matrix", "--state", "failed-below")["rows"]] == [NEED]
    assert [row["id"] for row in told(project, "matrix", "--item", "REQ-*", "--state", "failed")["rows"]] == [LOCK]
    assert [row["id"] for row in told(project, "matrix", "--item", "req-time")["rows"]] == [TIMEOUT]


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("matrix", "--type", "unitt"), "there is no type unitt; did you mean unit?"),
        (("matrix", "--state", "faild"), "there is no state faild; did you mean failed?"),
        (("matrix", "--item", "REQ-x*"), "no item has an id like REQ-x*"),
        (("matrix", "--item", "UNIT-sesion-r8s9"), f"did you mean {UNIT}?"),
        (("why", "UNIT-sesion-r8s9"), f"did you mean {UNIT}?"),
        (("impact", "REQ"), "REQ can be any of 3 items"),
        (("coverage", "--type", "neeed"), "did you mean need?"),
        (("matrix", "--json", "--full", "--format", "csv"), "--json and --format csv are two formats; give one"),
    ],
)
def test_a_word_that_is_not_known_is_refused_with_the_nearest(project: Path, words: tuple[str, ...], said: str) -> None:
    vfcc(project, "trace", *words).refused(2, said)


@pytest.mark.points(1)
@pytest.mark.parametrize("words", VIEWS, ids=" ".join)
def test_without_any_item_there_is_nothing_to_evaluate(young: Path, words: tuple[str, ...]) -> None:
    vfcc(young, "trace", *words).refused(3, "there is no trace item to look at", "hint: vfcc trace add need")


@pytest.mark.points(2)
@pytest.mark.parametrize("words", VIEWS, ids=" ".join)
def test_a_file_that_cannot_be_read_is_told_and_not_counted(project: Path, words: tuple[str, ...]) -> None:
    write_memory(project, {"project/items/requirement/REQ-broken.md": b"---\nid: [\n---\n\xff\n"})
    ran = vfcc(project, "trace", *words)

    assert ran.code == 0
    assert "warning: .memory/project/items/requirement/REQ-broken.md:" in ran.err
    assert "REQ-broken" not in ran.out


@pytest.mark.vfcc("REQ-TRACE-MATRIX")
@pytest.mark.parametrize("words", VIEWS, ids=" ".join)
def test_a_report_that_cannot_be_read_is_told(project: Path, words: tuple[str, ...]) -> None:
    ran = vfcc(project, "trace", *words, "--junit", "none.xml")

    assert ran.code == 0
    assert "warning: none.xml cannot be read as a report of results: there is no such file\n" in ran.err


@pytest.mark.vfcc("REQ-TRACE-MATRIX")
def test_csv_goes_to_a_file_that_is_named_so(project: Path) -> None:
    ran = vfcc(project, "trace", "matrix", "-o", "matrix.csv")
    rows = list(csv.DictReader(io.StringIO((project / "matrix.csv").read_bytes().decode("utf-8"), newline="")))

    assert (ran.code, ran.out, ran.err) == (0, "", "written: matrix.csv\n")
    assert [row["id"] for row in rows] == [NEED, AUDIT, LOCK, TIMEOUT, UNIT]
    assert vfcc(project, "trace", "matrix", "--tests", "--format", "csv").out.startswith("test,outcome,")


@pytest.mark.vfcc("REQ-TRACE-MATRIX")
def test_the_page_is_the_same_for_the_same_project(project: Path) -> None:
    first = vfcc(project, "trace", "matrix", "--format", "html")

    assert (first.code, first.err) == (0, "")
    assert first.out.startswith("<!doctype html>")
    assert vfcc(project, "trace", "matrix", "--format", "html") == first


@pytest.mark.vfcc("REQ-TRACE-COVERAGE")
def test_coverage_has_denominators_and_no_number_for_nothing(project: Path) -> None:
    found = told(project, "coverage")

    requirement = next(each for each in found["types"] if each["name"] == "requirement")
    assert (requirement["items"], requirement["planned"]) == (2, 1)
    assert requirement["verified"] == {"met": 1, "total": 2}
    text = vfcc(project, "trace", "coverage", "--type", "need").out
    assert "need      1  1/1 100 %  0/1   0 %         –  0/1   0 %" in text


@pytest.mark.vfcc("REQ-TRACE-IMPACT")
def test_impact_goes_down_to_code_and_tests(project: Path) -> None:
    found = told(project, "impact", TIMEOUT)

    assert [each["route"] for each in found["below"]] == [[TIMEOUT, UNIT]]
    assert [each["place"]["path"] for each in found["code"]] == ["src/session.py"]
    assert [each["test"]["outcome"] for each in found["tests"]] == ["passed"]
    assert [each["id"] for each in found["above"]] == [NEED]


@pytest.mark.vfcc("REQ-TRACE-WHY")
def test_why_tells_the_way_up_the_tests_and_the_next_command(project: Path) -> None:
    ran = vfcc(project, "trace", "why", "req-lock", "--junit", str(report(project)))

    assert (ran.code, ran.err) == (0, "")
    assert f"{NEED} People sign in safely → {LOCK}" in ran.out
    assert "tests/test_session.py::test_locks: failed" in ran.out
    assert "failed-result" in ran.out
    assert "\nnext\n" in ran.out
    assert "\u202e" not in ran.out


@pytest.mark.points(3)
@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("words", VIEWS, ids=" ".join)
def test_a_view_keeps_to_the_terminal(project: Path, words: tuple[str, ...], columns: int) -> None:
    ran = on_terminal(project, "trace", *words, columns=columns)

    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= columns
    assert "\x1b" not in ran.out
