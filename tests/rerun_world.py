"""What a second run is tried on: sprints with evidence, honest or forged, and what became of it."""

from collections.abc import Mapping
from dataclasses import fields

from tests.evidence_project import SPRINT, YOU, recorded, run
from tests.trees import write_tree
from verifflowcc.base.formats.event_bytes import encode_event, make_event
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.evidence_values import Evidence
from verifflowcc.base.model.gate_values import Verdict
from verifflowcc.base.text.canonical import digest_bytes
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.gates_now import ask_stage
from verifflowcc.gates.use.rerun import Reproduction, RerunResult
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.sprint.rules.evidence_files import encode_evidence, make_evidence
from verifflowcc.sprint.use.sprint_reading import show_sprint

EVENTS = f".memory/sprint/{SPRINT}/events"
PLAN = f".memory/stage/{SPRINT}/plan/artifacts/plan.md"
CHANGES = f".memory/stage/{SPRINT}/build/artifacts/changes.md"
GREEN = {"tests": 9, "passed": 9, "failed": 0, "errors": 0, "skipped": 0, "flaky": 0, "unknown": 0}


def found(done: Reproduction) -> dict[str, tuple[RerunResult, str]]:
    """What became of each criterion, and why."""
    return {f"{row.stage}/{row.criterion}": (row.result, row.reason) for row in done.rows}


def reds(done: Reproduction) -> set[str]:
    """The criteria with anything red."""
    return {
        f"{row.stage}/{row.criterion}" for row in done.rows if row.result not in {"reproduced", "on trust", "waiting"}
    }


def plant(here: Workspace, kind: EventType, payload: Mapping[str, Json]) -> None:
    """Write an event as vfcc would, with its right id and parents."""
    heads = show_sprint(here, SPRINT).heads
    event = make_event(kind, payload, parents=heads, actor=YOU, at=here.clock.now())
    write_tree(here.root, {f"{EVENTS}/{event.id}.json": encode_event(event)})


def like(here: Workspace, honest: Evidence, **changes: object) -> Evidence:
    """Evidence like `honest` but for `changes`, of now."""
    given = {each.name: getattr(honest, each.name) for each in fields(honest) if each.name not in {"id", "time"}}
    return make_evidence(at=here.clock.now(), **{**given, **changes})


def forge(here: Workspace, honest: Evidence, **changes: object) -> Evidence:
    """Write evidence like `honest` but for `changes`, and the event that names it, all with their right ids."""
    made = like(here, honest, **changes)
    data = encode_evidence(made)
    write_tree(here.root, {f".memory/stage/{SPRINT}/{made.stage}/evidence/{made.id}.json": data})
    names = {"stage": made.stage, "kind": str(made.kind), "criterion": made.criterion}
    plant(here, EventType.EVIDENCE_ADDED, {**names, "evidence": made.id, "digest": digest_bytes(data)})
    return made


def latest(here: Workspace, criterion: str) -> Evidence:
    """The evidence that counts for a criterion."""
    return next(one.evidence for one in recorded(here) if one.criterion == criterion and one.latest and one.evidence)


def verdict(here: Workspace, stage: str, criterion: str) -> Verdict:
    """What the gate says."""
    asked = ask_stage(here, SPRINT, stage).exit.assessments
    return next(one.verdict for one in asked if one.criterion.id == criterion)


def advanced(here: Workspace) -> Workspace:
    """The same project with two stages passed on what they need."""
    write_tree(here.root, {PLAN: "Add two numbers.\n", CHANGES: "add, in src/calc.py.\n"})
    run(here, "built")
    for _ in range(2):
        advance_stage(here, SPRINT, actor=YOU)
    return here
