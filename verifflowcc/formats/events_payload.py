"""What the payload of each type of event must say.

Fields that are not listed are allowed and kept: a later version may say more without a new `v`. Fields that are listed
never change their meaning.
"""

import re
from collections.abc import Callable, Mapping

from verifflowcc.domain.events import EventType, Json
from verifflowcc.errors import LedgerError
from verifflowcc.text.slug import is_slug

_STAGE = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
Check = Callable[[Json], bool]


def check_payload(event_type: EventType, payload: Mapping[str, Json]) -> None:
    """Raise LedgerError with the first field that is missing or wrong."""
    _check_fields(REQUIRED[event_type], payload, str(event_type))


def is_stage_id(name: str) -> bool:
    """Say whether `name` can be a stage's id: lower-case letters, digits, `_` and `-`, at most 40."""
    return _STAGE.fullmatch(name) is not None


def _check_fields(fields: Mapping[str, tuple[Check, str]], record: Mapping[str, Json], where: str) -> None:
    for name, (fits, what) in fields.items():
        if name not in record:
            raise LedgerError(f"{where}: {name} is missing")
        if not fits(record[name]):
            raise LedgerError(f"{where}: {name} must be {what}")


def _text(value: Json) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _stage(value: Json) -> bool:
    return isinstance(value, str) and is_stage_id(value)


def _digest(value: Json) -> bool:
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def _count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _slug(value: Json) -> bool:
    return isinstance(value, str) and is_slug(value)


def _optional(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _list_of(check: Check, least: int = 0) -> Check:
    return lambda value: isinstance(value, list | tuple) and len(value) >= least and all(check(part) for part in value)


def _record(fields: Mapping[str, tuple[Check, str]]) -> Check:
    def fits(value: Json) -> bool:
        return isinstance(value, Mapping) and all(
            name in value and check(value[name]) for name, (check, _) in fields.items()
        )

    return fits


def _counts(value: Json) -> bool:
    return isinstance(value, Mapping) and all(_count(number) for number in value.values())


TEXT = (_text, "text that is not empty")
STAGE = (_stage, "a stage's id")
NEXT = (_optional(_stage), "a stage's id or null")
DIGEST = (_digest, "a digest (sha256: and 64 hexadecimal digits)")
OPTIONAL_TEXT = (_optional(_text), "text or null")
OPTIONAL_DIGEST = (_optional(_digest), "a digest or null")
SLUG = (_slug, "a sprint's id")
TEXTS = (_list_of(_text), "a list of texts")
ARTIFACTS = (
    _list_of(_record({"path": TEXT, "digest": DIGEST, "bytes": (_count, "a count")})),
    "a list of {path, digest, bytes}",
)
PINNED_STAGE = {
    "id": STAGE,
    "pair": NEXT,
    "leg": (lambda value: value in ("left", "apex", "right"), "left, apex or right"),
    "role": TEXT,
    "artifacts": TEXTS,
}
WORKFLOW = (
    _record({"name": TEXT, "digest": DIGEST, "stages": (_list_of(_record(PINNED_STAGE), least=1), "stages")}),
    "{name, digest, stages: [{id, pair, leg, role, artifacts}]}",
)
CLOSED_STAGES = (
    _list_of(_record({"id": STAGE, "status": TEXT, "passes": (_count, ""), "reopened": (_count, "")})),
    "a list of {id, status, passes, reopened}",
)
LEDGER = (_record({"events": (_count, "a count"), "digest": DIGEST}), "{events, digest}")

REQUIRED: Mapping[EventType, Mapping[str, tuple[Check, str]]] = {
    EventType.SPRINT_STARTED: {"sprint": SLUG, "title": TEXT, "goals": TEXTS, "workflow": WORKFLOW, "entered": STAGE},
    EventType.STAGE_ENTERED: {"stage": STAGE},
    EventType.STAGE_PASSED: {"stage": STAGE, "entered": NEXT, "artifacts": ARTIFACTS, "summary": DIGEST},
    EventType.STAGE_REOPENED: {"stage": STAGE, "reason": TEXT},
    EventType.STAGE_SKIPPED: {"stage": STAGE, "entered": NEXT, "reason": TEXT},
    EventType.EVIDENCE_ADDED: {"stage": STAGE, "kind": TEXT, "digest": DIGEST},
    EventType.REVIEW_RECORDED: {"stage": STAGE, "verdict": TEXT, "digest": DIGEST},
    EventType.ATTESTED: {"stage": STAGE, "statement": TEXT, "digest": DIGEST},
    EventType.WAIVED: {"stage": STAGE, "criterion": TEXT, "reason": TEXT, "digest": DIGEST, "expires": OPTIONAL_TEXT},
    EventType.FEEDBACK_ADDED: {"stage": NEXT, "text": TEXT},
    EventType.SPRINT_CLOSED: {
        "title": TEXT,
        "learnings": OPTIONAL_DIGEST,
        "unfinished": OPTIONAL_TEXT,
        "counts": (_counts, "numbers by event type"),
        "stages": CLOSED_STAGES,
        "ledger": LEDGER,
    },
}
