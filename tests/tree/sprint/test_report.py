"""The report of a whole sprint, from its ledger and its evidence."""

import re
from pathlib import Path

import pytest

from tests.measured_world import ID, OTHER, YOU, at, measure, say, started, whole, write
from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.events import EventType
from verifflowcc.base.model.gate_values import CriterionKind, Verdict
from verifflowcc.base.model.sprint_state import StageStatus
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.markdown import sections
from verifflowcc.gates.rules.report_page import SprintReport, report_page
from verifflowcc.gates.use.sprint_metrics import report_sprint
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage

pytestmark = pytest.mark.vfcc("REQ-REPORT")

WAIVER = {"stage": "plan", "criterion": "plan", "digest": digest_text(""), "expires": None}


def under(report: SprintReport, title: str) -> str:
    page = report_page(report)
    part = next(part for part in sections(page) if part.title == title)
    return page[part.start : part.end].split("\n", 1)[1].strip("\n")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> SprintReport:
    return report_sprint(whole(tmp_path_factory.mktemp("whole")), ID)


def test_the_page_has_all_its_parts_and_only_what_cannot_be_trusted_is_left_out_when_all_can(
    report: SprintReport,
) -> None:
    assert [part.title for part in sections(report_page(report))] == [
        "Log in: report of the sprint log-in",
        "Goals",
        "The V",
        "plan: verdicts",
        "build: verdicts",
        "Evidence",
        "Approvals",
        "Waivers",
        "Out of order",
        "Comments",
        "Deviations",
        "Metrics",
    ]


def test_the_page_says_of_when_it_speaks(report: SprintReport) -> None:
    opening = re.search(r"^Status: .*$", report_page(report), re.MULTILINE)

    assert opening
    assert opening[0].startswith(
        "Status: closed with 1 gap. Workflow: measured. Started on 2026-11-21 by human:You. As of event "
    )
    assert opening[0].endswith("; what expires is judged on 2026-11-23.")
    assert report.as_of[0] in opening[0]


def test_the_v_tells_each_stage_with_its_last_pass(report: SprintReport) -> None:
    assert under(report, "The V").splitlines()[2:] == [
        "| plan | left | check | planner | passed | 2026-11-21 by human:You | 1 | 0 |",
        "| build | apex | – | coder | passed with 1 gap | 2026-11-21 by human:You | 2 | 1 |",
        "| check | right | plan | tester | skipped | – | 0 | 0 |",
    ]


def test_each_stage_tells_its_verdicts_with_their_evidence(report: SprintReport) -> None:
    build = report.stages[1]
    verdicts = {one.criterion: one for one in build.verdicts}
    used = next(one for one in report.evidence if one.measures.get("tests") == 5)

    assert verdicts["tests"].verdict is Verdict.PASS
    assert verdicts["tests"].used == (used.id,)
    assert f"- pass, soft: `tests`: 5 tests passed ({used.id})" in under(report, "build: verdicts")
    assert "- pass, soft: `changes`: changes.md (21 bytes)" in under(report, "build: verdicts").splitlines()


def test_what_the_next_stages_gate_asked_is_told_as_such(report: SprintReport) -> None:
    assert "- fail, soft: `comments` (to enter check): a comment is open: 'a test fails'" in under(
        report, "build: verdicts"
    )
    assert "to enter" not in under(report, "plan: verdicts")


def test_every_piece_of_evidence_is_told_the_failed_one_too(report: SprintReport) -> None:
    lines = under(report, "Evidence").splitlines()

    assert len(lines) == len(report.evidence) == 3
    assert lines[0].startswith("- build: `tests`: ")
    assert lines[0].endswith("junit, asserted, by agent:coder on 2026-11-21, 1 input: failed 1, passed 3, tests 4")


def test_approvals_and_waivers_are_told_the_expired_marked(report: SprintReport) -> None:
    said = "by human:Other on 2026-11-21, until"
    assert under(report, "Approvals") == f"- plan: `plan` approved {said} 2026-11-21: good (expired)"
    assert under(report, "Waivers") == f"- check: `results` waived {said} 2026-12-31: no host"
    assert report.expired == (report.reviews[0].event,)


def test_what_was_reopened_and_skipped_is_told_with_its_reason(report: SprintReport) -> None:
    assert under(report, "Out of order").splitlines() == [
        "- 2026-11-21: human:Other reopened build: a test fails",
        "- 2026-11-21: human:Other skipped check until 2026-12-31: no host",
    ]
    assert under(report, "Comments") == "- check: a test fails (human:Other) – open"
    assert under(report, "Deviations").splitlines() == [
        "- build was reopened once",
        "- check was skipped by human:Other, until 2026-12-31: no host",
        "- build passed with comments not met: a comment is open: 'a test fails' (human:Other)",
    ]


def test_the_metrics_are_those_of_vfcc_metrics(report: SprintReport) -> None:
    assert under(report, "Metrics").splitlines()[2:] == [
        "| plan | 1h 0m | 0 | 0 | 0 | 0 | – | – |",
        "| build | 3h 0m | 0 | 1 | 0 | 0 | 5 | line 87.50 % |",
        "| check | skipped | – | – | – | – | – | – |",
        "| total | 4h 0m | 0 | 1 | 0 | 0 | 5 | line 87.50 % |",
    ]


def test_the_report_is_the_same_whenever_it_is_made_on_one_day(tmp_path: Path) -> None:
    whole(tmp_path)
    here = started(tmp_path, "Other sprint", hours=49)

    assert report_page(report_sprint(at(here, 48), ID)) == report_page(report_sprint(at(here, 50), ID))


def test_an_open_sprint_is_told_as_far_as_it_is(tmp_path: Path) -> None:
    here = started(tmp_path)
    advance_stage(at(here, 1), ID, actor=YOU)

    report = report_sprint(at(here, 2), ID)

    assert report_page(report).splitlines()[2].startswith("Status: open with 1 gap, in build. ")
    assert under(report, "Deviations").startswith("- plan passed with plan not met: nothing matches ")
    assert "| build | 1h 0m so far | 0 | 0 | – | – | – | – |" in under(report, "Metrics")
    assert [each.status for each in report.stages] == [StageStatus.PASSED, StageStatus.ACTIVE, StageStatus.PENDING]
    assert "build: verdicts" not in report_page(report)


def test_a_stage_that_is_done_again_tells_the_verdicts_of_its_last_pass_as_such(tmp_path: Path) -> None:
    here = started(tmp_path)
    write(here, "plan", "plan.md", "One form.\n")
    advance_stage(at(here, 1), ID, actor=YOU)
    write(here, "build", "changes.md", "The form.\n")
    advance_stage(at(here, 2), ID, actor=YOU)
    reopen_stage(at(here, 3), ID, "build", "again", actor=OTHER)

    write(here, "build", "changes.md", "Another form.\n")

    report = report_sprint(at(here, 4), ID)

    assert under(report, "build: verdicts").startswith("It is not passed now;")
    assert "changes.md" not in under(report, "Deviations")


def test_artifacts_that_changed_after_their_pass_deviate(tmp_path: Path) -> None:
    here = whole(tmp_path)
    write(here, "plan", "plan.md", "Two forms.\n")

    assert "- plan/plan.md changed after plan passed" in under(report_sprint(here, ID), "Deviations")


def test_evidence_that_was_changed_by_hand_is_not_to_be_trusted(tmp_path: Path) -> None:
    here = started(tmp_path)
    advance_stage(at(here, 1), ID, actor=YOU)
    made = measure(at(here, 2), "tests", CriterionKind.JUNIT, {"tests": 4, "failed": 4})
    path = here.memory / "stage" / ID / "build" / "evidence" / f"{made.id}.json"
    path.write_text(path.read_text().replace('"failed":4', '"failed":0'))

    report = report_sprint(at(here, 3), ID)

    assert len(report.problems) == 1
    assert f"- {path.relative_to(here.root)}:1: its content is not that which the event" in under(
        report, "Not to be trusted"
    )
    assert f"{made.id}: none: its content is not that which the event" in under(report, "Evidence")


def test_a_broken_ledger_is_told_first_and_the_rest_as_far_as_it_goes(tmp_path: Path) -> None:
    here = whole(tmp_path)
    (here.memory / "sprint" / ID / "events" / "00000000000000000000000000.json").write_text("{}")

    report = report_sprint(here, ID)

    assert "events/00000000000000000000000000.json" in under(report, "Not to be trusted")
    assert "| plan | left | check | planner | passed |" in under(report, "The V")


def test_words_of_people_stay_on_their_line(tmp_path: Path) -> None:
    here = started(tmp_path)
    say(here, EventType.FEEDBACK_ADDED, {"stage": None, "text": "one\n## Waivers\n- all of them\n" + "x" * 2000})
    say(here, EventType.WAIVED, {**WAIVER, "reason": "a\n# b"})

    report = report_sprint(here, ID)

    assert [part.title for part in sections(report_page(report))].count("Waivers") == 1
    assert under(report, "Comments").startswith("- the sprint: one ## Waivers - all of them xxx")
    assert len(under(report, "Comments").splitlines()) == 1
    assert under(report, "Waivers").endswith("without end: a # b")


def test_an_unknown_sprint_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean log-in"):
        report_sprint(started(tmp_path), "login")
