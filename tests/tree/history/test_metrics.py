"""Metrics over stages and sprints, from the files and ledgers of real trees."""

import shutil
from pathlib import Path

import pytest

from tests.measured_world import ID, OTHER, YOU, as_in_0_1, at, measure, started, whole, write
from verifflowcc.base.errors import UsageError, VfccError
from verifflowcc.base.model.gate_values import CriterionKind
from verifflowcc.base.model.sprint_state import SprintStatus, StageStatus
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.sprint_metrics import gather_metrics
from verifflowcc.gates.use.sprints import close_sprint
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.rules.stage_numbers import SprintMetrics, StageMetrics, unknown

pytestmark = pytest.mark.vfcc("REQ-STAGE-NUMBERS")


def only(here: Workspace) -> SprintMetrics:
    found = gather_metrics(here, ID)
    assert len(found.sprints) == 1
    return found.sprints[0]


def stages(sprint: SprintMetrics) -> dict[str, StageMetrics]:
    return {each.stage: each for each in sprint.stages}


def test_a_closed_sprint_has_its_stages_numbers_and_their_totals(tmp_path: Path) -> None:
    sprint = only(whole(tmp_path))

    assert (sprint.status, sprint.problems) == (SprintStatus.CLOSED, ())
    build = stages(sprint)["build"].numbers
    assert (build["tests"], build["tests_failed"], build["coverage_line_bp"]) == (5, 0, 8750)
    assert (build["duration_s"], build["rework"], build["reopened"], build["passes"]) == (3 * 3600, 1, 1, 2)
    assert stages(sprint)["check"] == StageMetrics("check", StageStatus.SKIPPED, unknown())
    assert (sprint.totals["duration_s"], sprint.totals["tests"], sprint.totals["rework"]) == (4 * 3600, 5, 1)


def pack_of(here: Workspace) -> Path:
    (pack,) = (here.memory / "sprint" / ID / "events").glob("*.jsonl")
    return pack


def test_a_closed_sprint_costs_its_last_event_and_no_other_file(tmp_path: Path) -> None:
    here = whole(tmp_path)
    before = gather_metrics(here)
    *others, last = pack_of(here).read_bytes().splitlines(keepends=True)
    pack_of(here).write_bytes(b"".join([line[:100] + b"unread\n" for line in others] + [last]))
    shutil.rmtree(here.memory / "stage")

    assert gather_metrics(here) == before


def test_a_closed_sprint_whose_last_event_is_not_the_whole_truth_is_read_from_all(tmp_path: Path) -> None:
    here = whole(tmp_path)
    lines = pack_of(here).read_bytes().splitlines(keepends=True)
    pack_of(here).write_bytes(b"".join(lines[:1] + lines[2:]))

    assert gather_metrics(here).problems


def test_an_open_sprints_numbers_are_those_of_its_events(tmp_path: Path) -> None:
    here = started(tmp_path)
    advance_stage(at(here, 1), ID, actor=YOU)
    before = stages(only(at(here, 2)))["plan"]
    (here.memory / "stage" / ID / "plan" / "metrics.json").write_text("{")

    assert before.numbers["duration_s"] == 3600
    assert stages(only(at(here, 2)))["plan"] == before


def test_a_stage_in_work_is_told_as_far_as_the_ledger_goes(tmp_path: Path) -> None:
    here = started(tmp_path)
    advance_stage(at(here, 1), ID, actor=YOU)
    measure(at(here, 2), "tests", CriterionKind.JUNIT, {"tests": 4, "passed": 0, "failed": 4})
    advance_stage(at(here, 3), ID, actor=YOU)
    reopen_stage(at(here, 4), ID, "build", "again", actor=OTHER)
    measure(at(here, 5), "tests", CriterionKind.JUNIT, {"tests": 0})

    sprint = only(at(here, 6))

    build = stages(sprint)["build"]
    assert build.status is StageStatus.ACTIVE
    known = {name: number for name, number in build.numbers.items() if number is not None}
    assert known == {"duration_s": 2 * 3600, "failures": 1, "passes": 1, "reopened": 1, "rework": 1}
    assert list(stages(sprint)) == ["plan", "build"]
    assert sprint.totals["duration_s"] == 3 * 3600


def test_clocks_that_disagree_leave_the_time_unknown(tmp_path: Path) -> None:
    here = started(tmp_path, hours=5)

    assert stages(only(at(here, 1)))["plan"].numbers["duration_s"] is None
    advance_stage(at(here, 1), ID, actor=YOU)
    assert stages(only(at(here, 2)))["plan"].numbers["duration_s"] is None
    assert only(at(here, 2)).totals["duration_s"] is None


@pytest.mark.points(2)
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "metrics.json: it is missing or empty"),
        ("", "metrics.json: it is missing or empty"),
        ("{\n", "metrics.json:2: this is not JSON"),
        ('{"sprint": "other", "stage": "build"}', "metrics.json:1: sprint is 'other', and not 'log-in'"),
    ],
)
def test_a_metrics_file_that_is_missing_or_damaged_is_told_and_nothing_is_guessed(
    tmp_path: Path, text: str | None, problem: str
) -> None:
    here = as_in_0_1(whole(tmp_path))
    path = here.memory / "stage" / ID / "build" / "metrics.json"
    path.unlink() if text is None else path.write_text(text)

    found = gather_metrics(here)

    (told,) = found.problems
    assert told.startswith(f".memory/stage/{ID}/build/{problem}")
    build = stages(found.sprints[0])["build"]
    assert (build.problem, build.numbers) == (told, unknown())
    assert found.sprints[0].totals["duration_s"] is None


def test_a_metrics_file_that_is_a_link_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    here = as_in_0_1(whole(tmp_path / "project"))
    folder = here.memory / "stage" / ID / "build"
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")

    (told,) = gather_metrics(here).problems
    assert told.startswith(f".memory/stage/{ID}/build/metrics.json")


def test_sprints_come_in_the_order_of_their_starts(tmp_path: Path) -> None:
    started(tmp_path, "Zebra", hours=0)
    started(tmp_path, "Apple", hours=2)
    here = started(tmp_path, "Mango", hours=1)
    close_sprint(here, "mango", actor=YOU, unfinished_reason="enough")

    found = gather_metrics(at(here, 3))

    assert [each.id for each in found.sprints] == ["zebra", "mango", "apple"]
    mango = found.sprints[1]
    assert (mango.status, [each.status for each in mango.stages]) == (SprintStatus.CLOSED, [StageStatus.ACTIVE])


def test_a_sprint_that_was_closed_in_the_middle_of_a_stage_has_no_numbers_for_it(tmp_path: Path) -> None:
    here = started(tmp_path)
    write(here, "plan", "plan.md", "One form.\n")
    close_sprint(at(here, 1), ID, actor=YOU, unfinished_reason="enough")

    assert gather_metrics(at(here, 2)).problems == ()


def test_no_sprint_is_nothing_to_evaluate(tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()

    with pytest.raises(VfccError, match="there is no sprint to measure") as caught:
        gather_metrics(Workspace(tmp_path))
    assert caught.value.exit_code == 3


def test_an_unknown_sprint_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean log-in"):
        gather_metrics(started(tmp_path), "login")


def test_a_broken_ledger_is_told(tmp_path: Path) -> None:
    here = started(tmp_path)
    advance_stage(at(here, 1), ID, actor=YOU)
    (here.memory / "sprint" / ID / "events" / "00000000000000000000000000.json").write_text("{}")

    assert any("events/00000000000000000000000000.json" in told for told in gather_metrics(at(here, 2)).problems)
