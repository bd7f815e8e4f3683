"""`vfcc sprint report` as a process."""

import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest

from tests.cli.process import Ran, by_person, vfcc
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


def test_without_a_name_the_last_closed_sprint_is_reported(measured: Path) -> None:
    named = vfcc(measured, "sprint", "report", ID)

    assert vfcc(measured, "sprint", "report") == named
    assert vfcc(measured, "sprint", "report", "--sprint", ID) == named
    assert vfcc(measured, "sprint", "report", "--json").data["id"] == ID


def test_a_project_without_a_sprint_has_no_report(young: Path) -> None:
    vfcc(young, "sprint", "report").refused(3, "no sprint is open")


def test_html_has_the_content_of_the_markdown_and_needs_no_other_file(measured: Path) -> None:
    assert vfcc(measured, "sprint", "report", "-o", "report.html") == Ran(0, "", "")
    page = (measured / "report.html").read_text(encoding="utf-8")
    found = vfcc(measured, "sprint", "report", "--json", "--full").data

    shown = unescape(re.sub("<[^>]*>", "", page))
    for stage in found["stages"]:
        for each in stage["verdicts"]:
            assert each["criterion"] in shown
            assert each["reason"] in shown
    for each in (*found["reviews"], *found["waivers"], *found["deviations"], *found["moves"]):
        assert (each if isinstance(each, str) else each["reason"]) in shown
    assert [
        name for name in ("Approvals", "Waivers", "Out of order", "Comments", "Deviations") if name not in shown
    ] == []
    assert not re.search(r"src=|url\(|@import|href=\"(?!#)", page)
    style = re.findall(r"<style>(.*)</style>", page, re.DOTALL)[0]
    assert f"sha256-{b64encode(sha256(style.encode()).digest()).decode()}" in page


def test_what_is_in_a_sprint_is_text_in_its_page(young: Path) -> None:
    words = "<script>alert(1)</script> \"' & `x` {{ 7 * 7 }}"
    assert by_person(young, "sprint", "start", "Log in", "--goal", words).code == 0
    assert vfcc(young, "sprint", "report", "-o", "report.html").code == 0
    page = (young / "report.html").read_text(encoding="utf-8")

    assert "&lt;script&gt;alert(1)&lt;/script&gt; &#34;&#39; &amp; <code>x</code> {{ 7 * 7 }}" in page
    assert page.count("<script") == 1


@pytest.mark.parametrize("name", ["report.pdf", "report.docx", "report.json", "report.MD5"])
def test_a_format_that_a_report_does_not_have_is_refused(measured: Path, name: str) -> None:
    suffix = Path(name).suffix.lower()
    refused = vfcc(measured, "sprint", "report", "-o", name)

    refused.refused(2, f"error: a report is Markdown (.md) or HTML (.html), and not {suffix}\nhint: vfcc sprint report")
    assert not (measured / name).exists()


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
