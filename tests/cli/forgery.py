"""What somebody who knows the format can plant in a ledger: events and evidence with the ids that belong to them."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.cli.honest_world import EVENTS, ID, TEST, YOU
from verifflowcc.base.formats.event_bytes import encode_event, make_event
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.evidence_values import Evidence, Run
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import Assessment, CriterionKind, EvidenceTrust, Gate
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.process.clock import FixedClock
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.evidence_wanted import everything
from verifflowcc.gates.rules.gate_check import exit_gate
from verifflowcc.gates.rules.staleness import inputs_now
from verifflowcc.gates.use.gates_now import gather_facts
from verifflowcc.sprint.rules.evidence_files import encode_evidence, make_evidence
from verifflowcc.sprint.use.sprint_reading import load_sprint

GREEN = {"tests": 900, "passed": 900, "failed": 0, "errors": 0, "skipped": 0, "flaky": 0, "unknown": 0}
NOWHERE = "sha256:" + "0" * 64
"""The digest of a file that lies on no machine."""


def here(root: Path) -> Workspace:
    """The project as it is now, on a clock that stands."""
    return Workspace(root, FixedClock(datetime.now(UTC)))


def state_of(root: Path) -> SprintState:
    """The sprint as its ledger has it."""
    return load_sprint(here(root), ID)[1]


def facts_of(root: Path) -> Facts:
    """What a gate would look at."""
    return gather_facts(here(root), state_of(root))


def plant(
    root: Path,
    kind: EventType,
    payload: Mapping[str, Json],
    *,
    actor: str = YOU,
    at: datetime | None = None,
    parents: tuple[str, ...] | None = None,
) -> Event:
    """Write an event with the right id on top of the ledger, as vfcc would have."""
    heads = state_of(root).heads if parents is None else parents
    event = make_event(kind, payload, parents=heads, actor=actor, at=at or datetime.now(UTC))
    (root / EVENTS / f"{event.id}.json").write_bytes(encode_event(event))
    return event


def forged_evidence(root: Path, criterion: str = "tests", **changes: object) -> Evidence:
    """Evidence that vfcc is said to have made just now, of what lies here: 900 tests, all of them passed."""
    facts = facts_of(root)
    wanted = next(one for one in everything(facts.sprint) if one.criterion.id == criterion)
    fields: dict[str, object] = {
        "sprint": ID,
        "stage": wanted.stage,
        "criterion": criterion,
        "kind": CriterionKind.JUNIT,
        "trust": EvidenceTrust.RAN_BY_VFCC,
        "producer": "vfcc 0.1.0",
        "at": datetime.now(UTC),
        "inputs": inputs_now(wanted.criterion, wanted.stage, facts),
        "measures": GREEN,
        "outcome": digest_text("all is well"),
        "run": Run("test", tuple(map(str, _words())), 600, 0, "", NOWHERE, 10, 100),
        "report": ".memory/local/reports/test.junit.xml",
        "report_digest": NOWHERE,
    }
    return make_evidence(**{**fields, **changes})  # type: ignore[arg-type]


def _words() -> list[object]:
    run = TEST["run"]
    assert isinstance(run, list)
    return run


def put_file(root: Path, one: Evidence, stage: str | None = None) -> Path:
    """Put an evidence file where it belongs, or into another stage's folder."""
    path = root / f".memory/stage/{ID}/{stage or one.stage}/evidence/{one.id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_evidence(one))
    return path


def plant_evidence(root: Path, one: Evidence, *, actor: str = YOU) -> Path:
    """Put the file there, and the event that names it."""
    path = put_file(root, one)
    payload: dict[str, Json] = {
        "stage": one.stage,
        "kind": str(one.kind),
        "criterion": one.criterion,
        "evidence": one.id,
        "digest": digest_text(encode_evidence(one)),
    }
    plant(root, EventType.EVIDENCE_ADDED, payload, actor=actor)
    return path


def asked(root: Path, criterion: str, stage: str = "plan") -> Assessment:
    """What becomes of a criterion now: a forger needs the digest of what it looks at."""
    gate: Gate = exit_gate(stage, facts_of(root))
    return next(one for one in gate.assessments if one.criterion.id == criterion)


def plant_approval(
    root: Path, actor: str, *, expires: str | None = None, subject: str = "", stage: str = "plan"
) -> Event:
    """Write somebody's approval of what lies there."""
    payload: dict[str, Json] = {
        "stage": stage,
        "criterion": "reviewed",
        "verdict": "approved",
        "digest": subject or asked(root, "reviewed", stage).subject,
        "reason": None,
        "expires": expires,
        "signed": None,
    }
    return plant(root, EventType.REVIEW_RECORDED, payload, actor=actor)


def plant_waiver(
    root: Path, criterion: str, *, actor: str = YOU, expires: str | None = None, subject: str = ""
) -> Event:
    """Write somebody's waiver of what lies there."""
    payload: dict[str, Json] = {
        "stage": "plan",
        "criterion": criterion,
        "reason": "it is only a small thing",
        "digest": subject or asked(root, criterion).subject,
        "expires": expires,
    }
    return plant(root, EventType.WAIVED, payload, actor=actor)


def pass_stage(
    root: Path, stage: str, entered: str | None, *, gate: list[Json] | None = None, files: list[Json] | None = None
) -> Event:
    """Write that a stage was passed, with what its gate is said to have said."""
    payload: dict[str, Json] = {
        "stage": stage,
        "entered": entered,
        "artifacts": files or [],
        "summary": NOWHERE,
        "gate": gate or [],
    }
    return plant(root, EventType.STAGE_PASSED, payload)


def said(criterion: str, verdict: str = "pass") -> Json:
    """What a gate is said to have said of a criterion."""
    return {
        "criterion": criterion,
        "mode": "hard",
        "verdict": verdict,
        "reason": "all is well",
        "evidence": [],
        "subject": NOWHERE,
    }


def began_with(root: Path, change: Callable[[dict[str, Json]], None]) -> Event:
    """Replace the sprint's ledger by one event that started it under another workflow."""
    first = state_of(root)
    assert first.workflow
    (old,) = (root / EVENTS).glob("*.json")
    event = load_sprint(here(root), ID)[0].events[0]
    payload = json.loads(json.dumps(event.payload))
    change(payload)
    old.unlink()
    return plant(root, EventType.SPRINT_STARTED, payload, actor=event.actor, parents=())


def yesterday(days: int = 1) -> str:
    """A day that is over, UTC."""
    return f"{datetime.now(UTC) - timedelta(days=days):%Y-%m-%d}"


def tomorrow() -> str:
    """The next day, UTC."""
    return yesterday(-1)
