"""A ledger that somebody wrote into: edited, thinned out, doubled, and planted with what vfcc never did."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.forgery import (
    NOWHERE,
    asked,
    began_with,
    forged_evidence,
    pass_stage,
    plant,
    plant_evidence,
    plant_waiver,
    put_file,
    said,
    state_of,
    tomorrow,
)
from tests.cli.honest_world import (
    BUILT,
    CHANGES,
    ID,
    PLAN,
    PROSE,
    RESULTS,
    REVIEWED,
    TESTS,
    commit,
    done,
    edited,
    events,
    evidence,
    project,
    refused,
    rows,
    tried,
    unseen,
)
from tests.cli.process import by_person, git, vfcc
from tests.made_once import copied
from tests.trees import write_tree
from verifflowcc.base.formats.event_bytes import events_digest
from verifflowcc.base.model.events import EventType, Json

pytestmark = pytest.mark.vfcc("REQ-GATES", "REQ-LEDGER")

FAR = datetime(2199, 1, 1, tzinfo=UTC)
Change = Callable[[dict[str, Json]], None]


def walked(folder: Path, *criteria: str) -> Path:
    """A project whose sprint went on honestly to `check`, which needs its results."""
    return copied(folder, _walk, *(criteria or (TESTS,)))


def _walk(folder: Path, *criteria: str) -> Path:
    root = project(folder, *criteria)
    done(root, "evidence", "run")
    done(root, "stage", "advance")
    write_tree(root, {CHANGES: PROSE})
    done(root, "stage", "advance")
    write_tree(root, {RESULTS: PROSE})
    commit(root)
    return root


def of_type(root: Path, kind: str) -> Path:
    """The first event file of that type."""
    return next(path for path in events(root) if f'"type":"{kind}"' in path.read_text())


@pytest.mark.sweep
def test_what_went_on_honestly_is_let_through_to_its_end(tmp_path: Path) -> None:
    root = walked(tmp_path, TESTS, BUILT)

    done(root, "check", "--rerun")
    done(root, "stage", "advance")
    done(root, "sprint", "close")
    done(root, "doctor")


@pytest.mark.sweep
def test_edited_event(tmp_path: Path) -> None:
    root = walked(tmp_path)
    edited(of_type(root, "evidence_added"), '"criterion":"tests"', '"criterion":"built"')

    refused("edited-event", root)


@pytest.mark.parametrize("kind", ["sprint_started", "evidence_added"])
def test_removed_event(tmp_path: Path, kind: str) -> None:
    root = walked(tmp_path)
    of_type(root, kind).unlink()

    refused("removed-event", root)


def test_doubled_event(tmp_path: Path) -> None:
    root = walked(tmp_path)
    path = of_type(root, "evidence_added")
    path.with_name("01M7ZZZZZZZZZZZZZZZZZZZZZZ.json").write_bytes(path.read_bytes())

    refused("doubled-event", root)


def test_event_of_the_future(tmp_path: Path) -> None:
    root = project(tmp_path)
    payload: dict[str, Json] = {"stage": None, "text": "from the year after next"}
    plant(root, EventType.FEEDBACK_ADDED, payload, at=FAR)

    refused("event-of-the-future", root)
    unseen("event-of-the-future", root, "gate")


def test_event_of_the_future_that_ends_waivers(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    plant_waiver(root, "tests", expires=tomorrow())
    done(root, "check", "gate")
    plant(root, EventType.FEEDBACK_ADDED, {"stage": None, "text": "much later"}, at=FAR)

    refused("event-of-the-future-that-ends-waivers", root)
    done(root, "feedback", "add", "from a program")
    assert vfcc(root, "check", "gate").code == 4
    assert vfcc(root, "doctor").code == 1
    assert by_person(root, "feedback", "add", "that clock was wrong").code == 0
    done(root, "check", "gate")
    assert "so it ends no waiver" in done(root, "doctor")


def test_edited_evidence(tmp_path: Path) -> None:
    root = walked(tmp_path)
    edited(evidence(root)[0], '"passed":2', '"passed":9')

    refused("edited-evidence", root)


def test_removed_evidence(tmp_path: Path) -> None:
    root = walked(tmp_path)
    evidence(root)[0].unlink()

    refused("removed-evidence", root)


def test_moved_evidence(tmp_path: Path) -> None:
    root = walked(tmp_path)
    path = evidence(root)[0]
    other = root / f".memory/stage/{ID}/build/evidence"
    other.mkdir()
    path.rename(other / path.name)

    refused("moved-evidence", root)


def test_removed_failure(tmp_path: Path) -> None:
    """The newest evidence and its event, both gone, leave what was there before; if that was green, it is again."""
    root = project(tmp_path, TESTS)
    done(root, "evidence", "run")
    known = {*events(root), *evidence(root)}
    plant_evidence(root, forged_evidence(root, measures={"tests": 2, "failed": 1, "passed": 1}))
    commit(root)
    assert tried(root, "check", "gate").code == 4
    for path in {*events(root), *evidence(root)} - known:
        path.unlink()

    unseen("removed-failure", root, "gate", "rerun", "doctor")
    assert rows()["removed-failure"].said_in(git(root, "status", "--short"))


@pytest.mark.parametrize("text", ['{"verdict":"pass"}\n', '{"tests":900,"passed":900}\n'])
def test_scribbled_evidence(tmp_path: Path, text: str) -> None:
    root = project(tmp_path, TESTS)
    write_tree(root, {f".memory/stage/{ID}/plan/evidence/01M7ZZZZZZZZZZZZZZZZZZZZZZ.json": text})

    refused("scribbled-evidence", root)


def test_planted_evidence_file(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    put_file(root, forged_evidence(root))

    refused("planted-evidence-file", root)


def test_planted_event_of_evidence(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    plant_evidence(root, forged_evidence(root)).unlink()

    refused("planted-event-of-evidence", root)


def test_planted_evidence(tmp_path: Path) -> None:
    """Both files, with the right ids, for the content that lies there: only running it again tells."""
    root = project(tmp_path, TESTS)
    plant_evidence(root, forged_evidence(root))

    unseen("planted-evidence", root, "gate", "doctor")
    refused("planted-evidence", root)


def test_planted_evidence_of_another_command(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    honest = forged_evidence(root)
    assert honest.run
    from dataclasses import replace

    plant_evidence(root, forged_evidence(root, run=replace(honest.run, argv=("true",))))

    refused("planted-evidence-of-another-command", root)


def test_planted_evidence_of_no_command(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    plant_evidence(root, forged_evidence(root, run=None))

    refused("planted-evidence-of-no-command", root)


def test_planted_evidence_for_another_stage(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    plant_evidence(root, forged_evidence(root, stage="check"))

    refused("planted-evidence-for-another-stage", root)


def test_planted_pass(tmp_path: Path) -> None:
    """The stage is left in the ledger, and nothing was asked."""
    root = project(tmp_path, TESTS, REVIEWED)
    pass_stage(root, "plan", "build")
    write_tree(root, {CHANGES: PROSE})

    refused("planted-pass", root)


def test_planted_pass_of_a_green_gate(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    pass_stage(root, "plan", "build", gate=[said("plan"), said("tests")])
    write_tree(root, {CHANGES: PROSE})

    refused("planted-pass-of-a-green-gate", root)


def test_planted_pass_without_its_artifact(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / PLAN).unlink()
    pass_stage(root, "plan", "build", gate=[said("plan")])
    write_tree(root, {CHANGES: PROSE})

    refused("planted-pass-without-its-artifact", root)


@pytest.mark.parametrize("name", ["planning", "check"])
def test_planted_pass_of_another_stage(tmp_path: Path, name: str) -> None:
    root = project(tmp_path)
    pass_stage(root, name, None)

    refused("planted-pass-of-another-stage", root)


def test_planted_pass_over_a_stage(tmp_path: Path) -> None:
    root = project(tmp_path)
    pass_stage(root, "plan", "check")

    refused("planted-pass-over-a-stage", root)


def test_planted_closing(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    state = state_of(root)
    payload: dict[str, Json] = {
        "sprint": ID,
        "title": "Log in",
        "learnings": None,
        "unfinished": None,
        "counts": {},
        "stages": [{"id": each.stage.id, "status": "passed", "passes": 1, "reopened": 0} for each in state.stages],
        "ledger": {"events": 1, "digest": events_digest(path.stem for path in events(root))},
    }
    plant(root, EventType.SPRINT_CLOSED, payload)

    refused("planted-closing", root, gate=("check", "gate", "--sprint", ID))


def test_closing_what_no_longer_holds(tmp_path: Path) -> None:
    root = walked(tmp_path)
    done(root, "stage", "advance")
    edited(root / PLAN, "lets people in", "keeps people out")

    refused("closing-what-no-longer-holds", root)


def test_closing_on_stale_evidence(tmp_path: Path) -> None:
    root = walked(tmp_path)
    done(root, "stage", "advance")
    edited(root / "src/calc.py", "a + b", "a - b")

    refused("closing-on-stale-evidence", root)


def test_closing_with_stages_left(tmp_path: Path) -> None:
    refused("closing-with-stages-left", project(tmp_path, TESTS))


def stages_of(payload: dict[str, Json]) -> list[dict[str, Json]]:
    """The stages in a payload that was read from JSON."""
    found = json.loads(json.dumps(payload["workflow"]))["stages"]
    assert isinstance(found, list)
    return found


def with_stages(payload: dict[str, Json], stages: list[dict[str, Json]], **more: Json) -> None:
    """Put them back, into a workflow that is said to have been another file's, or this one's."""
    workflow = payload["workflow"]
    assert isinstance(workflow, dict)
    payload["workflow"] = {**workflow, "stages": stages, **more}


def no_criterion(payload: dict[str, Json]) -> None:
    stages = stages_of(payload)
    stages[0] |= {"exit": [], "enter": [], "artifacts": []}
    with_stages(payload, stages, digest=NOWHERE)


def all_off(payload: dict[str, Json]) -> None:
    stages = stages_of(payload)
    stages[0]["exit"] = [{**each, "mode": "off"} for each in stages[0]["exit"]]  # type: ignore[union-attr, dict-item]
    with_stages(payload, stages, digest=NOWHERE)


def no_tests(payload: dict[str, Json]) -> None:
    stages = stages_of(payload)
    stages[0]["exit"] = [each for each in stages[0]["exit"] if each["id"] != "tests"]  # type: ignore[union-attr, call-overload, index]
    with_stages(payload, stages)


def no_tests_then(payload: dict[str, Json]) -> None:
    no_tests(payload)
    with_stages(payload, stages_of(payload), digest=NOWHERE)


def no_approval(payload: dict[str, Json]) -> None:
    stages = stages_of(payload)
    stages[0]["exit"] = [each for each in stages[0]["exit"] if each["kind"] != "review"]  # type: ignore[union-attr, call-overload, index]
    with_stages(payload, stages)


@pytest.mark.parametrize("change", [no_criterion, all_off])
def test_gate_that_asks_nothing(tmp_path: Path, change: Change) -> None:
    root = project(tmp_path, TESTS)
    began_with(root, change)

    refused("gate-that-asks-nothing", root)


def test_workflow_weakened_in_the_ledger(tmp_path: Path) -> None:
    root = project(tmp_path, TESTS)
    began_with(root, no_tests)

    refused("workflow-weakened-in-the-ledger", root)


def test_shipped_workflow_weakened_in_the_ledger(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / ".memory/sprint").rename(tmp_path / "before")
    (root / f".memory/stage/{ID}").rename(tmp_path / "stages")
    assert by_person(root, "sprint", "start", "Log in", "--workflow", "standard").code == 0
    began_with(root, no_approval)

    refused("shipped-workflow-weakened-in-the-ledger", root)


def test_workflow_claimed_to_be_older(tmp_path: Path) -> None:
    """What another file once said, nothing here can tell: the notice is all there is, and git's history."""
    root = project(tmp_path, TESTS)
    began_with(root, no_tests_then)

    unseen("workflow-claimed-to-be-older", root, "gate", "doctor")
    assert "changed since log-in was started" in tried(root, "check", "gate").err
    assert rows()["workflow-claimed-to-be-older"].said_in(git(root, "status", "--short"))


def test_missing_workflow_file(tmp_path: Path) -> None:
    root = project(tmp_path)
    (root / ".memory/workflow.yaml").unlink()

    refused("missing-workflow-file", root)


def test_renamed_stage(tmp_path: Path) -> None:
    root = project(tmp_path)
    edited(root / ".memory/workflow.yaml", "id: plan\n", "id: planning\n")
    edited(root / ".memory/workflow.yaml", "pair: plan\n", "pair: planning\n")

    refused("renamed-stage", root)


def test_broken_workflow_file(tmp_path: Path) -> None:
    root = project(tmp_path)
    edited(root / ".memory/workflow.yaml", "pair: plan\n", "pair: nowhere\n")

    refused("broken-workflow-file", root)


def test_modes_that_turn_all_off(tmp_path: Path) -> None:
    root = project(tmp_path)
    config = json.loads((root / ".memory/config.yaml").read_text())
    config["gates"]["modes"] = {"artifact": "off"}
    (root / ".memory/config.yaml").write_text(json.dumps(config))

    refused("modes-that-turn-all-off", root)


def test_a_forger_knows_what_a_gate_looks_at(tmp_path: Path) -> None:
    """Else the waivers and approvals that are planted here would be refused for being for other content."""
    root = project(tmp_path, TESTS)

    assert asked(root, "tests").subject == asked(root, "tests").subject != ""
