"""A sprint with something to measure: tests and coverage, a review, a waiver, a stage skipped and one done again."""

from datetime import timedelta
from pathlib import Path

from tests.event_samples import START
from tests.trees import write_memory
from verifflowcc.base.files.ledger import Ledger
from verifflowcc.base.formats import event_payloads as fields
from verifflowcc.base.formats.event_bytes import encode_event, events_digest, make_event, moment
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_values import CriterionKind, EvidenceTrust
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.evidence_making import open_ledger, write_evidence
from verifflowcc.gates.use.gates_now import gather_facts
from verifflowcc.gates.use.sprints import close_sprint, start_sprint
from verifflowcc.prompt.use.stages import advance_stage, reopen_stage
from verifflowcc.sprint.rules.evidence_files import inputs_digest, make_evidence
from verifflowcc.sprint.rules.sprint_fold import arrange
from verifflowcc.sprint.use.people_acting import record
from verifflowcc.sprint.use.sprint_reading import load_movable, load_sprint

ID = "log-in"
YOU, OTHER, CODER = "human:You", "human:Other", "agent:coder"
NONE = {"errors": 0, "skipped": 0, "flaky": 0, "unknown": 0}
WORKFLOW = """\
name: measured
title: Measured
gates: soft
stages:
  - {id: plan, title: Plan, leg: left, pair: check, role: planner, artifacts: ["plan.*"]}
  - id: build
    title: Build
    leg: apex
    role: coder
    artifacts: ["changes.*"]
    exit:
      - {id: tests, kind: junit, title: tests pass, command: test, trust: asserted}
      - {id: covered, kind: coverage, title: enough is covered, command: test, trust: asserted, at_least: {line: 80}}
  - id: check
    title: Check
    leg: right
    pair: plan
    role: tester
    artifacts: ["results.*"]
    enter:
      - {id: comments, kind: feedback, title: comments are dealt with}
"""


def at(here: Workspace, hours: int) -> Workspace:
    """The same project so many hours after the sprint began."""
    return Workspace(here.root, FixedClock(START + timedelta(hours=hours)))


def started(folder: Path, sprint: str = "Log in", hours: int = 0) -> Workspace:
    """A project with a sprint in its first stage."""
    if not (folder / ".memory").exists():
        write_memory(folder, {".gitignore": "local/\nprogress.json\n", "workflow.yaml": WORKFLOW})
    (folder / "form.py").write_text("x = 1\n")
    here = Workspace(folder, FixedClock(START + timedelta(hours=hours)))
    start_sprint(here, sprint, goals=["one form"], workflow="measured", actor=YOU)
    return here


def write(here: Workspace, stage: str, name: str, text: str, sprint: str = ID) -> None:
    """Write an artifact."""
    path = here.memory / "stage" / sprint / stage / "artifacts" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def measure(here: Workspace, criterion: str, kind: CriterionKind, measures: dict[str, int]) -> Evidence:
    """Put evidence for the stage in work on record, as somebody asserts it."""
    state = load_sprint(here, ID)[1]
    evidence = make_evidence(
        sprint=ID,
        stage=state.current or "",
        criterion=criterion,
        kind=kind,
        trust=EvidenceTrust.ASSERTED,
        producer="tests",
        at=here.clock.now(),
        inputs=inputs_digest(gather_facts(here, state).content, ()),
        measures=measures,
        outcome=digest_text(str(measures)),
    )
    write_evidence(here, open_ledger(here, ID), evidence, actor=CODER)
    return evidence


def say(here: Workspace, kind: EventType, payload: dict[str, Json], actor: str = OTHER) -> str:
    """Put an event on record; return its id."""
    seen, state = load_movable(here, ID)
    return record(here, seen, state, (kind, payload), actor=actor).event.id


def as_in_0_1(here: Workspace) -> Workspace:
    """Write the closed sprint's ledger as version 0.1 did: a file for each event, no numbers in any."""
    folder = here.memory / "sprint" / ID / "events"
    events = arrange(Ledger(here.memory).load(ID).events).ordered
    renamed: dict[str, str] = {}
    for path in folder.iterdir():
        path.unlink()
    for each in events:
        payload: dict[str, Json] = {
            name: value for name, value in each.payload.items() if name not in {"metrics", "handover"}
        }
        if each.type is EventType.SPRINT_CLOSED:
            digest = events_digest(renamed.values())
            payload["ledger"] = {"events": len(renamed), "digest": digest}
            payload["stages"] = [
                {name: value for name, value in stage.items() if name != "metrics"}
                for stage in fields.records(payload, "stages")
            ]
        parents = [renamed[name] for name in each.parents]
        made = make_event(each.type, payload, parents=parents, actor=each.actor, at=moment(each.time))
        renamed[each.id] = made.id
        (folder / f"{made.id}.json").write_bytes(encode_event(made))
    return here


def whole(folder: Path) -> Workspace:
    """A sprint that was closed after 9 hours: planned in 1, built twice (2 and 3 hours), its check skipped."""
    here = started(folder)
    write(here, "plan", "plan.md", "# Plan\n\nOne form.\n")
    review: dict[str, Json] = {"stage": "plan", "criterion": "plan", "verdict": "approved", "digest": digest_text("")}
    say(here, EventType.REVIEW_RECORDED, {**review, "reason": "good", "expires": "2026-11-21", "signed": None})
    advance_stage(at(here, 1), ID, actor=YOU)
    write(here, "build", "changes.md", "# Changes\n\nThe form.\n")
    measure(at(here, 2), "tests", CriterionKind.JUNIT, {"tests": 4, "passed": 3, "failed": 1, **NONE})
    advance_stage(at(here, 3), ID, actor=YOU)
    say(at(here, 3), EventType.FEEDBACK_ADDED, {"stage": "check", "text": "a test fails"})
    reopen_stage(at(here, 4), ID, "build", "a test fails", actor=OTHER)
    measure(at(here, 5), "tests", CriterionKind.JUNIT, {"tests": 5, "passed": 5, "failed": 0, **NONE})
    measure(at(here, 6), "covered", CriterionKind.COVERAGE, {"files": 1, "lines": 8, "lines_hit": 7})
    advance_stage(at(here, 7), ID, actor=YOU)
    waiver: dict[str, Json] = {"stage": "check", "criterion": "results", "digest": digest_text("")}
    say(at(here, 7), EventType.WAIVED, {**waiver, "reason": "no host", "expires": "2026-12-31"})
    skip: dict[str, Json] = {"stage": "check", "entered": None, "reason": "no host", "expires": "2026-12-31"}
    say(at(here, 8), EventType.STAGE_SKIPPED, skip)
    close_sprint(at(here, 9), ID, actor=YOU)
    return at(here, 48)
