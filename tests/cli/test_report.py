"""`vfcc sprint report` as a process."""

from pathlib import Path

import pytest

from tests.cli.process import by_person, vfcc
from tests.measured_world import ID, whole

pytestmark = pytest.mark.vfcc("REQ-REPORT")


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    whole(tmp_path / "project")
    return tmp_path / "project"


def test_the_page_goes_to_stdout_or_to_a_file(measured: Path) -> None:
    shown = vfcc(measured, "sprint", "report", ID)
    written = vfcc(measured, "sprint", "report", ID, "--output", "report.md")

    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("# Log in: report of the sprint log-in\n\nStatus: closed with 1 gap. ")
    assert (written.code, written.out, written.err) == (0, "", "")
    assert (measured / "report.md").read_text(encoding="utf-8") == shown.out


def test_the_open_sprint_is_the_one_that_is_meant(measured: Path) -> None:
    assert by_person(measured, "sprint", "start", "Log out", "--workflow", "measured").code == 0

    assert vfcc(measured, "sprint", "report").out.startswith("# Log out: ")


def test_the_json_is_the_same_report(measured: Path) -> None:
    report = vfcc(measured, "sprint", "report", ID, "--json", "--full").data

    assert (report["id"], report["status"], report["problems"]) == (ID, "closed", [])
    assert [each["status"] for each in report["stages"]] == ["passed", "passed", "skipped"]
    said = (*report["reviews"], *report["waivers"])
    assert report["expired"] == [each["event"] for each in said if each["expires"] < report["today"]]
    assert report["metrics"]["totals"]["tests"] == 5


def test_what_cannot_be_trusted_is_a_finding_and_still_a_report(measured: Path) -> None:
    (evidence, *_) = sorted((measured / ".memory/stage" / ID / "build/evidence").iterdir())
    evidence.unlink()

    shown = vfcc(measured, "sprint", "report", ID)

    assert shown.code == 1
    assert "## Not to be trusted\n\n- .memory/stage/log-in/build/evidence/" in shown.out


def test_an_unknown_sprint_is_a_slip(measured: Path) -> None:
    vfcc(measured, "sprint", "report", "login").refused(2, "did you mean log-in")


def test_a_place_that_cannot_be_written_is_an_error(measured: Path) -> None:
    refused = vfcc(measured, "sprint", "report", ID, "--output", "nowhere/report.md")

    refused.refused(2, "there is no folder nowhere")
