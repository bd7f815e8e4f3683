"""What there is, what it shows now, and what went stale: asked without running anything."""

from pathlib import Path

import pytest

from tests.evidence_project import SPRINT, YOU, project, recorded, run
from tests.ledger_samples import snapshot
from verifflowcc.base.errors import UsageError, WorkspaceError
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.evidence_listing import find_stale, list_evidence, output_of, show_evidence
from verifflowcc.gates.use.evidence_making import add_evidence
from verifflowcc.sprint.use.allow_use import withdraw_commands


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))
    found = project(tmp_path / "project")
    run(found, "test", "built")
    return found


def test_the_latest_of_each_criterion_is_listed_and_all_if_asked(here: Workspace) -> None:
    run(here, "tests")

    assert [line.criterion for line in list_evidence(here, SPRINT)] == ["skips", "built", "tests"]
    lines = list_evidence(here, SPRINT, every=True)
    assert [(line.criterion, line.latest) for line in lines] == [
        ("tests", False),
        ("skips", True),
        ("built", True),
        ("tests", True),
    ]
    assert [line.criterion for line in list_evidence(here, SPRINT, stage="build")] == ["built"]


def test_a_list_says_what_the_gate_says_now(here: Workspace) -> None:
    (here.root / "src/calc.py").write_text("")

    line = list_evidence(here, SPRINT)[0]

    assert (line.verdict, line.reason) == (Verdict.NOT_EVALUABLE, "its evidence is stale: src/calc.py changed")


def test_files_that_are_no_evidence_are_listed_with_the_reason(here: Workspace) -> None:
    (here.memory / f"stage/{SPRINT}/check/evidence/mine.json").write_text("{}\n")

    stray = list_evidence(here, SPRINT)[-1]

    assert (stray.id, stray.stage, stray.verdict) == ("mine", "check", Verdict.NOT_EVALUABLE)
    assert stray.reason.startswith("no event names mine.json")


def test_a_piece_is_shown_by_the_end_of_its_id(here: Workspace) -> None:
    one = recorded(here)[0].evidence
    assert one

    view = show_evidence(here, SPRINT, one.id[-6:].lower())

    assert view.evidence == one
    assert show_evidence(here, SPRINT, one.id[:-1].lower()) == view
    assert view.assessment
    assert (view.actor, view.latest, view.assessment.reason) == (YOU, True, "1 test passed")


def test_an_ambiguous_id_is_answered_with_the_pieces_that_it_can_be(here: Workspace) -> None:
    ids = [one.evidence.id for one in recorded(here) if one.evidence]

    with pytest.raises(UsageError, match=r"^01 can be any of") as caught:
        show_evidence(here, SPRINT, "01")
    assert len(ids) > 1
    assert any(each.endswith(caught.value.message.rpartition(", ")[2]) for each in ids)


def test_an_id_that_is_too_short_or_unknown_is_told(here: Workspace) -> None:
    with pytest.raises(UsageError, match="too short"):
        show_evidence(here, SPRINT, "A")
    with pytest.raises(UsageError, match="has no evidence ZZZZ"):
        show_evidence(here, SPRINT, "ZZZZ")


def test_imported_evidence_has_no_output(here: Workspace) -> None:
    done = add_evidence(here, SPRINT, "speed", value="1", actor=YOU)

    with pytest.raises(WorkspaceError, match="not made by a command"):
        output_of(here, done.evidence)


def test_fresh_evidence_is_counted(here: Workspace) -> None:
    found = find_stale(here, SPRINT)

    assert ([line.criterion for line in found.lines], found.stale) == (["built", "tests", "skips"], ())


def test_every_file_that_changed_is_told(here: Workspace) -> None:
    for number in range(9):
        (here.root / f"src/n{number}.py").write_text("x = 1\n")

    found = find_stale(here, SPRINT, stage="build")

    assert found.stale[0].reasons == tuple(f"src/n{number}.py is new" for number in range(9))


def test_no_evidence_at_all_is_not_fresh(tmp_path: Path, here: Workspace) -> None:
    other = project(tmp_path / "other")

    with pytest.raises(WorkspaceError, match="there is no evidence in log-in yet"):
        find_stale(other, SPRINT)
    with pytest.raises(WorkspaceError, match="there is no evidence in log-in/plan yet"):
        find_stale(here, SPRINT, stage="plan")


def test_reading_runs_and_writes_nothing(here: Workspace) -> None:
    withdraw_commands(here)
    before = snapshot(here.root)
    one = recorded(here)[0].evidence
    assert one

    list_evidence(here, SPRINT, every=True)
    show_evidence(here, SPRINT, one.id)
    find_stale(here, SPRINT)

    assert snapshot(here.root) == before
