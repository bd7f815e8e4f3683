"""`vfcc check trace`: exit codes, formats that other programs read again, and a tree that stays as it was."""

import json
import os
import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.process import by_person, git, on_terminal, vfcc
from tests.cli.shapes import promised, shape
from tests.cli.trees import everything
from tests.trace_checks_page import PAGE, with_checks
from tests.traced_project import CONFIG, HIGH, ITEMS, LOW, NEED, TESTS, case, item, junit, traced
from verifflowcc.base.model.gate_values import BaselineKind
from verifflowcc.base.model.trace_codes import CHECKS

pytestmark = pytest.mark.vfcc("REQ-CHECK-TRACE")

BROKEN = item("REQ-low", "requirement", "refines NEED-none", verification="review")
NOTED = item("NEED-tide", "need", colour="blue")
FORMATS = ("text", "json", "sarif", "junit", "github")


@pytest.fixture
def red(tmp_path: Path) -> Path:
    """A project with a dangling link."""
    return traced(tmp_path / "red", **{LOW: BROKEN, NEED: NOTED}).root


@pytest.fixture
def green(tmp_path: Path) -> Path:
    """A project in which nothing is red, by a workflow that asks for nothing of results."""
    root = traced(tmp_path / "green").root
    for name in (HIGH, LOW, "tests/test_gauge.py", "src/gauge.py"):
        (root / name).unlink()
    return root


def codes(out: str) -> set[str]:
    return {each["code"] for each in json.loads(out)["data"]["report"]["findings"]}


def test_findings_are_exit_1_each_with_its_place_and_the_next_step(red: Path) -> None:
    done = vfcc(red, "check", "trace")

    assert done.code == 1
    lines = done.out.splitlines()
    (number,) = [each for each, line in enumerate(lines) if " error dangling-link: " in line]
    assert lines[number].startswith(f"{LOW}:8: error dangling-link: ")
    assert lines[number + 1] == "  → vfcc trace unlink REQ-low NEED-none"
    assert lines[-1] == "trace: RED: 4 errors in 3 items (2 for missing test results), 1 note"


def test_a_project_with_no_item_is_exit_3_in_every_format(tmp_path: Path) -> None:
    root = tmp_path / "none"
    (root / ".memory").mkdir(parents=True)
    (root / CONFIG).write_text("format: 1\n")

    for form in FORMATS:
        done = vfcc(root, "check", "trace", "--format", form)
        assert done.code == 3, form
    assert "trace: NOTHING to evaluate" in vfcc(root, "check", "trace").out
    assert vfcc(root, "check").code == 0


def test_a_project_that_cannot_be_read_is_exit_3_with_one_error(red: Path) -> None:
    (red / CONFIG).write_text("trace: 3\n")

    vfcc(red, "check", "trace").refused(3, "config.yaml:1: trace must be a mapping")


def test_items_that_cannot_be_read_are_findings_and_hide_none_of_the_others(red: Path) -> None:
    (red / ITEMS / "need" / "latin.md").write_bytes(b"caf\xe9\n")
    os.mkfifo(red / ITEMS / "need" / "pipe.md")
    done = vfcc(red, "check", "trace", "--json", "--full")

    assert done.code == 1
    assert {"unreadable-item", "dangling-link"} <= codes(done.out)


@pytest.mark.points(4)
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_exit_1_too_and_says_the_verdict(red: Path, form: str) -> None:
    done = vfcc(red, "check", "trace", "--format", form)

    assert done.code == 1
    assert "trace: RED" in (done.out if form == "text" else done.err) or form == "json"


def test_sarif_and_junit_and_annotations_hold_every_finding(red: Path) -> None:
    found = vfcc(red, "check", "trace", "--json", "--full").data["report"]["findings"]
    log = json.loads(vfcc(red, "check", "trace", "--format", "sarif").out)
    suite = ET.fromstring(vfcc(red, "check", "trace", "--format", "junit").out)
    lines = vfcc(red, "check", "trace", "--format", "github").out.splitlines()

    assert [each["ruleId"] for each in log["runs"][0]["results"]] == [each["code"] for each in found]
    failed = {each.get("name") for each in suite.iter("testcase") if each.find("failure") is not None}
    assert failed == {each["code"] for each in found if each["severity"] != "note"}
    words = {"error": "error", "warning": "warning", "note": "notice"}
    assert [line.split(" ")[0] for line in lines] == [f"::{words[each['severity']]}" for each in found]


@pytest.mark.sweep
def test_the_same_formats_go_into_a_file_and_the_verdict_to_stderr(red: Path) -> None:
    for form in FORMATS:
        direct = vfcc(red, "check", "trace", "--format", form)
        written = vfcc(red, "check", "trace", "--format", form, "--output", f"../out/{form}")

        assert written.code == 1, form
        if form == "json":
            assert written.data == {"output": f"../out/{form}"}
        else:
            assert written.out == "", form
        assert "trace: RED" in written.err
        assert (red.parent / "out" / form).read_text(encoding="utf-8") == direct.out


def test_a_place_that_cannot_be_written_is_an_error(red: Path) -> None:
    git(red, "init", "-q")
    git(red, "add", ".")
    git(red, "commit", "-qm", "first")
    vfcc(red, "check", "trace", "--output", f"{CONFIG}/x").refused(2, f"{CONFIG} is a file, not a folder")
    if Path("/dev/full").exists():
        vfcc(red, "check", "trace", "--output", "/dev/full").refused(3, "cannot write")


@pytest.mark.vfcc("REQ-TRACE-KNOWN")
def test_a_baseline_makes_an_old_project_green_until_something_new_comes(red: Path) -> None:
    git(red, "init", "-q", "-b", "main")
    git(red, "add", ".")
    git(red, "commit", "-qm", "first")
    (red / HIGH).write_text(item("REQ-high", "requirement", "refines NEED-gone", verification="review"))
    assert by_person(red, "sprint", "start", "Old").code == 0
    accept = ("baseline", "trace", "--reason", "older than the rules", "--expires", "2999-12-31", "--yes")

    accepted = by_person(red, *accept)

    assert accepted.code == 0, accepted
    assert "REQ-low" in accepted.err
    assert "NEED-gone" not in accepted.err  # it is not on the base
    done = vfcc(red, "check", "trace")
    assert done.code == 1, done
    assert f"left out ({BaselineKind.TRACE.path}); --all shows them" in " ".join(done.out.split())
    assert "dangling-link: REQ-low" not in done.out
    assert "NEED-gone" in done.out
    assert "dangling-link: REQ-low" in vfcc(red, "check", "trace", "--all").out

    (red / LOW).write_text(item("REQ-low", "requirement", "refines NEED-tide", verification="review"))
    assert "of the baseline found no more: vfcc baseline trace" in vfcc(red, "check", "trace").out
    file = red / BaselineKind.TRACE.path
    file.write_text(file.read_text("utf-8").replace("2999", "2998"), "utf-8")
    changed = vfcc(red, "check", "trace")
    assert "does not count: its file is not as a person made it" in changed.err

    old = red / ".memory/project/baselines/trace-findings.json"
    old.write_text('{"format": 1, "kind": "trace-findings", "findings": []}')
    assert "trace-findings.json is no longer read; see vfcc baseline trace" in vfcc(red, "check", "trace").err


def test_only_what_changed_since_a_commit_is_told(red: Path) -> None:
    git(red, "init", "-q", "-b", "main")
    git(red, "add", ".")
    git(red, "commit", "-qm", "first")
    assert "dangling-link" not in vfcc(red, "check", "trace", "--changed-since", "main").out

    (red / ITEMS / "need" / "NEED-x.md").write_text(item("NEED-x", "need", "refines NEED-none"))
    done = vfcc(red, "check", "trace", "--changed-since", "main")
    assert done.code == 1
    assert "NEED-x" in done.out
    assert "REQ-low" not in done.out.split("family")[0]

    vfcc(red, "check", "trace", "--changed-since", "nowhere").refused(2, "git has no commit nowhere")


def test_reports_may_be_given_more_than_once_relative_to_where_one_stands(green: Path) -> None:
    traced(green, **{"tests/test_gauge.py": TESTS, "out/a.xml": junit(case("test_high")), "out/b.xml": "<"})

    done = vfcc(green / "out", "check", "trace", "--junit", "a.xml", "--junit", "b.xml", "--json", "--full")

    assert done.code == 1
    assert {"stale-result", "unreadable-report"} <= codes(done.out)
    assert done.data["examined"]["tests"] == 1


def test_a_report_that_is_not_there_is_a_finding_and_not_passed_over(red: Path) -> None:
    done = vfcc(red, "check", "trace", "--junit", "none.xml", "--json", "--full")

    assert "unreadable-report" in codes(done.out)


def test_two_formats_at_once_are_refused(red: Path) -> None:
    assert vfcc(red, "check", "trace", "--json", "--full", "--format", "json").code == 1
    vfcc(red, "check", "trace", "--json", "--full", "--format", "sarif").refused(2, "--json and --format sarif")
    vfcc(red, "check", "trace", "--format", "xml").refused(2, "xml")


@pytest.mark.sweep
def test_it_writes_nothing_but_caches(red: Path) -> None:
    before = everything(red)

    for form in FORMATS:
        vfcc(red, "check", "trace", "--format", form, "--all")
    vfcc(red, "check")

    assert everything(red) == before


def test_the_second_answer_is_the_first(red: Path) -> None:
    first = vfcc(red, "check", "trace", "--json", "--full")

    assert vfcc(red, "check", "trace", "--json", "--full") == first
    (red / ".memory" / "local" / "index.db").write_bytes(b"rubbish" * 5000)
    assert vfcc(red, "check", "trace", "--json", "--full") == first


def test_the_shape_of_its_json_stays(red: Path) -> None:
    value = vfcc(red, "check", "trace", "--json", "--full").data

    assert shape(value) == promised("check_trace")


def test_a_bare_check_tells_of_the_trace_where_there_are_items(red: Path) -> None:
    done = vfcc(red, "check")

    assert done.code == 1
    assert "dangling-link: REQ-low" in done.out
    assert vfcc(red, "check", "--json", "--full").code == 1


@pytest.mark.parametrize("columns", [80, 120])
def test_lines_are_folded_between_words_to_the_width_of_the_terminal(red: Path, columns: int) -> None:
    shown = on_terminal(red, "check", "trace", "--all", columns=columns)

    assert shown.code == 1
    assert all(len(line) <= columns for line in shown.out.splitlines())
    assert "dangling-link" in shown.out


def test_a_step_that_several_findings_share_stands_there_once(tmp_path: Path) -> None:
    kinds = {f"src/{name}.py": "x = 1\n" for name in "abc"}
    root = traced(tmp_path / "p", **{CONFIG: 'trace: {code: ["src/**"]}\n', **kinds}).root
    lines = vfcc(root, "check", "trace").out.splitlines()
    steps = [line for line in lines if line.startswith("  → ")]

    assert all(one != other for one, other in pairwise(steps))


def test_two_branches_that_both_add_items_merge_clean_and_each_keeps_its_finding(red: Path) -> None:
    git(red, "init", "-q", "-b", "main")
    git(red, "add", ".")
    git(red, "commit", "-qm", "first")
    for name in ("one", "two"):
        git(red, "checkout", "-q", "-b", name, "main")
        (red / ITEMS / "need" / f"NEED-{name}.md").write_text(item(f"NEED-{name}", "need", "refines NEED-none"))
        git(red, "add", ".")
        git(red, "commit", "-qm", name)
    git(red, "merge", "-q", "--no-edit", "one")
    found = vfcc(red, "check", "trace", "--json", "--full").data["report"]

    assert found["counts"] == {"need": 3, "requirement": 2}
    dangling = {each["item"] for each in found["findings"] if each["code"] == "dangling-link"}
    assert dangling == {"NEED-one", "NEED-two", "REQ-low"}


def test_a_merge_that_both_sides_edited_one_item_surfaces(red: Path) -> None:
    git(red, "init", "-q", "-b", "main")
    git(red, "add", ".")
    git(red, "commit", "-qm", "first")
    for name in ("one", "two"):
        git(red, "checkout", "-q", "-b", name, "main")
        (red / NEED).write_text(item("NEED-tide", "need", text=f"It shall be {name}."))
        git(red, "commit", "-qam", name)
    with pytest.raises(AssertionError):
        git(red, "merge", "-q", "--no-edit", "one")

    assert f"{NEED}:8: error unreadable-item: " in vfcc(red, "check", "trace").out


def test_the_reference_explains_every_check_with_a_line_that_it_prints() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page == with_checks(page), "python -m tests.trace_checks_page"
    assert re.findall(r"(?m)^### `([a-z-]+)`$", page) == list(CHECKS)
