"""`vfcc metrics` as a process: the table, the CSV, the JSON, and how it ends."""

import csv
from pathlib import Path

import pytest

from tests.cli.process import by_person, on_terminal, vfcc
from tests.measured_world import ID, as_in_0_1, whole
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.stage_numbers import COLUMNS, NAMES

pytestmark = pytest.mark.vfcc("REQ-STAGE-NUMBERS")


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    whole(tmp_path / "project")
    return tmp_path / "project"


def test_the_table_shows_each_stage_and_the_total(measured: Path) -> None:
    shown = vfcc(measured, "metrics")

    assert (shown.code, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert lines[0] == "log-in: Log in (closed)"
    assert lines[2].split() == ["stage", "time", "failures", "rework", "findings", "waived", "tests", "coverage"]
    assert [line.split()[0] for line in lines[3:]] == ["plan", "build", "check", "total"]
    assert lines[4].split() == ["build", "3h", "0m", "0", "1", "0", "0", "5", "line", "87.50", "%"]


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fits_the_terminal(measured: Path, columns: int) -> None:
    shown = on_terminal(measured, "metrics", columns=columns)

    assert shown.code == 0
    assert max(map(len, shown.out.splitlines())) <= columns
    assert shown.out.splitlines()[2].startswith("stage ")


def test_the_csv_is_one_table_over_all_sprints(measured: Path) -> None:
    assert by_person(measured, "sprint", "start", "Log out", "--workflow", "measured").code == 0

    shown = vfcc(measured, "metrics", "--csv")

    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines()[0] == ",".join(COLUMNS)
    rows = list(csv.DictReader(shown.out.splitlines()))
    assert [(row["sprint"], row["stage"]) for row in rows] == [
        (ID, "plan"),
        (ID, "build"),
        (ID, "check"),
        ("log-out", "plan"),
    ]
    assert (rows[1]["tests"], rows[1]["coverage_line_bp"]) == ("5", "8750")


def test_the_json_has_every_number_of_every_stage(measured: Path) -> None:
    (sprint,) = vfcc(measured, "metrics", "--json", "--full", "--sprint", ID).data["sprints"]

    names = {name.removesuffix("_bp") for name in NAMES}
    assert all(set(each["numbers"]) == names for each in sprint["stages"])
    assert set(sprint["totals"]) == names


def test_a_damaged_file_is_a_finding(measured: Path) -> None:
    as_in_0_1(Workspace(measured))
    (measured / ".memory/stage" / ID / "build/metrics.json").write_text("{", encoding="utf-8")

    for arguments in (
        (),
        ("--csv",),
        (
            "--json",
            "--full",
        ),
    ):
        shown = vfcc(measured, "metrics", *arguments)
        assert shown.code == 1
        assert "build" in shown.out
        assert shown.err.startswith(f"warning: .memory/stage/{ID}/build/metrics.json:1: this is not JSON")


def test_no_sprint_is_nothing_to_evaluate(young: Path) -> None:
    vfcc(young, "metrics").refused(3, "there is no sprint to measure", "vfcc sprint start")


def test_an_unknown_sprint_and_two_formats_are_slips(measured: Path) -> None:
    vfcc(measured, "metrics", "--sprint", "nope").refused(2, "there is no sprint nope")
    vfcc(measured, "metrics", "--csv", "--json", "--full").refused(2, "give --csv or --json, not both")


@pytest.mark.sweep
def test_reading_writes_nothing(measured: Path) -> None:
    before = {path: path.read_bytes() for path in measured.rglob("*") if path.is_file()}

    vfcc(measured, "metrics")
    vfcc(measured, "sprint", "report", ID)

    assert {path: path.read_bytes() for path in measured.rglob("*") if path.is_file()} == before
