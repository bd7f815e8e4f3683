"""Events of a small sprint to test with: a workflow of three stages, and every kind of event."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from verifflowcc.base.formats.event_bytes import make_event
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.sprint_state import Leg, SprintState, Stage, Workflow
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.identifiers import ulid
from verifflowcc.sprint.rules import stage_moves as payloads

START = datetime(2026, 11, 21, 3, 31, 0, 123000, tzinfo=UTC)
DIGEST = "sha256:" + "0" * 64
ANN = "human:Ann"
THREE = Workflow(
    "three",
    "Three stages",
    (
        Stage("plan", "Plan", Leg.LEFT, "check", "planner", ("plan.*",)),
        Stage("build", "Build", Leg.APEX, None, "coder", (), uses=("plan",)),
        Stage("check", "Check", Leg.RIGHT, "plan", "tester", ("results.*",), uses=("build", "plan")),
    ),
    DIGEST,
)


def event(kind: EventType, payload: Mapping[str, Json], *parents: Event, second: int = 0, actor: str = ANN) -> Event:
    at = START + timedelta(seconds=second)
    return make_event(kind, payload, parents=[parent.id for parent in parents], actor=actor, at=at)


def root(title: str = "Log in", sprint: str = "login", second: int = 0) -> Event:
    return event(EventType.SPRINT_STARTED, payloads.started(sprint, title, ["one form"], THREE), second=second)


def passed(stage: str, entered: str | None, *parents: Event, second: int = 0, actor: str = ANN) -> Event:
    payload = payloads.passed(stage, entered, (), DIGEST)
    return event(EventType.STAGE_PASSED, payload, *parents, second=second, actor=actor)


def reopened(stage: str, reason: str, *parents: Event, second: int = 0, actor: str = ANN) -> Event:
    return event(EventType.STAGE_REOPENED, payloads.reopened(stage, reason), *parents, second=second, actor=actor)


def skipped(stage: str, entered: str | None, reason: str, *parents: Event, second: int = 0, actor: str = ANN) -> Event:
    payload: dict[str, Json] = {"stage": stage, "entered": entered, "reason": reason, "expires": None}
    return event(EventType.STAGE_SKIPPED, payload, *parents, second=second, actor=actor)


def closed(state: SprintState, events: int, *parents: Event, second: int = 0, actor: str = ANN) -> Event:
    ledger: dict[str, Json] = {"events": events, "digest": DIGEST}
    payload = payloads.closed(state, None, None if state.complete else "enough", ledger)
    return event(EventType.SPRINT_CLOSED, payload, *parents, second=second, actor=actor)


def choice(
    keep: Event, aside: Iterable[Event], *parents: Event, reason: str | None = None, second: int = 0, actor: str = ANN
) -> Event:
    payload: dict[str, Json] = {"keep": keep.id, "aside": sorted(one.id for one in aside), "reason": reason}
    return event(EventType.FORK_RESOLVED, payload, *parents, second=second, actor=actor)


def feedback(words: str, *parents: Event, second: int = 0) -> Event:
    return event(EventType.FEEDBACK_ADDED, {"stage": None, "text": words}, *parents, second=second)


def evidence(number: int, *parents: Event, stage: str = "check", second: int = 0, actor: str = "tool:vfcc") -> Event:
    payload = {
        "stage": stage,
        "kind": "junit",
        "criterion": "tests",
        "evidence": ulid(number, number.to_bytes(10, "big")),
        "digest": DIGEST,
    }
    return event(EventType.EVIDENCE_ADDED, payload, *parents, second=second, actor=actor)


def redacted(reason: str, *parents: Event, second: int = 0, actor: str = ANN) -> Event:
    names: dict[str, Json] = {"stage": "check", "criterion": "tests", "evidence": ulid(1, bytes(10)), "reason": reason}
    payload = {**names, "was": DIGEST, "digest": digest_text(reason)}
    return event(EventType.EVIDENCE_REDACTED, payload, *parents, second=second, actor=actor)


def review(reason: str, *parents: Event, stage: str = "plan", second: int = 0, actor: str = ANN) -> Event:
    payload: dict[str, Json] = {
        "stage": stage,
        "criterion": "review",
        "verdict": "approved",
        "digest": DIGEST,
        "reason": reason,
        "expires": None,
        "signed": None,
    }
    return event(EventType.REVIEW_RECORDED, payload, *parents, second=second, actor=actor)


def artifact_put(words: str, *parents: Event, stage: str = "plan", second: int = 0, actor: str = ANN) -> Event:
    payload: dict[str, Json] = {"stage": stage, "path": "plan.md", "digest": digest_text(words), "bytes": len(words)}
    return event(EventType.ARTIFACT_PUT, payload, *parents, second=second, actor=actor)


def baseline_set(digest: str, *parents: Event, base: str = "ab" * 20, second: int = 0, actor: str = ANN) -> Event:
    payload: dict[str, Json] = {
        "of": "tests",
        "path": ".memory/project/baselines/accepted/tests.json",
        "digest": digest,
        "base": base,
        "entries": 2,
        "reason": "ticket 12",
        "expires": "2026-12-31",
    }
    return event(EventType.BASELINE_SET, payload, *parents, second=second, actor=actor)


def waiver(reason: str, *parents: Event, stage: str = "check", second: int = 0, actor: str = ANN) -> Event:
    payload: dict[str, Json] = {
        "stage": stage,
        "criterion": "tests",
        "reason": reason,
        "digest": DIGEST,
        "expires": "2026-12-31",
    }
    return event(EventType.WAIVED, payload, *parents, second=second, actor=actor)
