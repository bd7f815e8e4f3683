"""What the payload of each type of event must say.

Fields that are not listed are allowed and kept: a later version may say more without a new `v`. Fields that are listed
never change their meaning; those that older events lack are optional, and checked where they are present.
"""

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence

from verifflowcc.base.errors import LedgerError
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.gate_values import BaselineKind, Mode, Verdict
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.people import Opinion
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.text.identifiers import is_slug, is_ulid

# Fields of an event's payload, read as what they must be.

Payload = Mapping[str, Json]


def text(payload: Payload, field: str) -> str:
    """Return a field that is text. Raises LedgerError where it is not."""
    value = payload.get(field)
    if not isinstance(value, str):
        raise LedgerError(f"{field} must be text")
    return value


def optional_text(payload: Payload, field: str) -> str | None:
    """Return a field that is text or null."""
    return None if payload.get(field) is None else text(payload, field)


def texts(payload: Payload, field: str) -> tuple[str, ...]:
    """Return a field that is a list of texts."""
    return tuple(str(each) for each in _list(payload, field))


def number(payload: Payload, field: str) -> int:
    """Return a field that is a whole number."""
    value = payload.get(field)
    if not isinstance(value, int):
        raise LedgerError(f"{field} must be a whole number")
    return value


def records(payload: Payload, field: str) -> tuple[Payload, ...]:
    """Return a field that is a list of objects."""
    return tuple(record(each) for each in _list(payload, field))


def record(value: Json) -> Payload:
    """Return a value that is an object. Raises LedgerError where it is not."""
    if not isinstance(value, Mapping):
        raise LedgerError("an object is expected")
    return value


def _list(payload: Payload, field: str) -> Sequence[Json]:
    value = payload.get(field)
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise LedgerError(f"{field} must be a list")
    return value


_STAGE = lazy_pattern(r"[a-z][a-z0-9_-]{0,39}")
_DIGEST = lazy_pattern(r"sha256:[0-9a-f]{64}")
_COMMIT = lazy_pattern(r"[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = lazy_pattern(r"(?!-)[^\x00-\x20\x7f~^:?*\[\\]{1,244}")
"""What git takes in a branch's name; 244 bytes are the longest that a file of refs/heads/ can have."""
_DAY = lazy_pattern(r"\d{4}-\d\d-\d\d")
Check = Callable[[Json], bool]


def check_payload(event_type: EventType, payload: Mapping[str, Json]) -> None:
    """Raise LedgerError with the first field that is missing or wrong."""
    _check_fields(REQUIRED[event_type], payload, str(event_type))
    later = OPTIONAL.get(event_type, {})
    _check_fields({name: check for name, check in later.items() if name in payload}, payload, str(event_type))


def is_stage_id(name: str) -> bool:
    """Say whether `name` can be a stage's id: lower-case letters, digits, `_` and `-`, at most 40."""
    return _STAGE.fullmatch(name) is not None


def is_branch(name: str) -> bool:
    """Say whether `name` can be a git branch that is shown as it is: no white space, nothing invisible."""
    return _BRANCH.fullmatch(name) is not None and printable(name) == name


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


def _branch(value: Json) -> bool:
    return isinstance(value, str) and is_branch(value)


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


def _event(value: Json) -> bool:
    return isinstance(value, str) and is_ulid(value)


def _commit(value: Json) -> bool:
    return isinstance(value, str) and _COMMIT.fullmatch(value) is not None


def _day(value: Json) -> bool:
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return False
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _any_text(value: Json) -> bool:
    return isinstance(value, str)


def _flag(value: Json) -> bool:
    return isinstance(value, bool)


def _one_of(words: Iterable[str]) -> tuple[Check, str]:
    known = tuple(map(str, words))
    return lambda value: value in known, " or ".join(known)


def _map_of(check: Check) -> Check:
    return lambda value: isinstance(value, Mapping) and all(check(part) for part in value.values())


def _counts(value: Json) -> bool:
    return isinstance(value, Mapping) and all(_count(number) for number in value.values())


def _may_have_metrics(value: Json) -> bool:
    return isinstance(value, Mapping) and ("metrics" not in value or METRICS[0](value["metrics"]))


TEXT = (_text, "text that is not empty")
STAGE = (_stage, "a stage's id")
NEXT = (_optional(_stage), "a stage's id or null")
BRANCH = (_optional(_branch), "a git branch or null")
DIGEST = (_digest, "a digest (sha256: and 64 hexadecimal digits)")
OPTIONAL_TEXT = (_optional(_text), "text or null")
OPTIONAL_DIGEST = (_optional(_digest), "a digest or null")
DAY = (_optional(_day), "a day (2026-12-31) or null")
COMMIT = (_optional(_commit), "a commit's full id or null")
EVENT = (_event, "an event's id")
EVENTS = (_list_of(_event), "a list of event ids")
SLUG = (_slug, "a sprint's id")
RUN = (_slug, "a run's id")
FULL_COMMIT = (_commit, "a commit's full id")
ANY_TEXT = (_any_text, "text")
FLAG = (_flag, "true or false")
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
METRICS = (_map_of(_optional(_count)), "counts or null by name")
_CLOSED_STAGE = _record({"id": STAGE, "status": TEXT, "passes": (_count, ""), "reopened": (_count, "")})
CLOSED_STAGES = (
    _list_of(lambda value: _CLOSED_STAGE(value) and _may_have_metrics(value)),
    "a list of {id, status, passes, reopened, metrics}",
)
LEDGER = (_record({"events": (_count, "a count"), "digest": DIGEST}), "{events, digest}")

GATE = (
    _list_of(
        _record(
            {
                "criterion": TEXT,
                "mode": _one_of(Mode),
                "verdict": _one_of(Verdict),
                "reason": (_any_text, "text"),
                "evidence": TEXTS,
                "subject": (_any_text, "text"),
            }
        )
    ),
    "a list of {criterion, mode, verdict, reason, evidence, subject}",
)
BLOCKERS = (
    _list_of(_record({"criterion": TEXT, "reason": (_any_text, "text"), "person": (_flag, "")})),
    "a list of {criterion, reason, person}",
)
USAGE = (_optional(_map_of(_optional(_count))), "counts by name, or null")
CLIENTS = (_map_of(_list_of(_text, least=1)), "clients by role or criterion")
LIMITS = (_map_of(_optional(_count)), "counts or null by name")
DIGESTS = (_map_of(_digest), "digests by name")
CONTENTS = (_map_of(_optional(_digest)), "digests or null by path")

REQUIRED: Mapping[EventType, Mapping[str, tuple[Check, str]]] = {
    EventType.SPRINT_STARTED: {"sprint": SLUG, "title": TEXT, "goals": TEXTS, "workflow": WORKFLOW, "entered": STAGE},
    EventType.STAGE_ENTERED: {"stage": STAGE},
    EventType.STAGE_PASSED: {"stage": STAGE, "entered": NEXT, "artifacts": ARTIFACTS, "summary": DIGEST},
    EventType.STAGE_REOPENED: {"stage": STAGE, "reason": TEXT},
    EventType.STAGE_SKIPPED: {"stage": STAGE, "entered": NEXT, "reason": TEXT},
    EventType.EVIDENCE_ADDED: {
        "stage": STAGE,
        "kind": TEXT,
        "criterion": TEXT,
        "evidence": (_event, "a ULID"),
        "digest": DIGEST,
    },
    EventType.REVIEW_RECORDED: {
        "stage": STAGE,
        "criterion": TEXT,
        "verdict": _one_of(Opinion),
        "digest": DIGEST,
        "reason": OPTIONAL_TEXT,
        "expires": DAY,
        "signed": COMMIT,
    },
    EventType.ATTESTED: {
        "stage": STAGE,
        "criterion": TEXT,
        "statement": TEXT,
        "digest": DIGEST,
        "expires": DAY,
        "signed": COMMIT,
    },
    EventType.WAIVED: {"stage": STAGE, "criterion": TEXT, "reason": TEXT, "digest": DIGEST, "expires": DAY},
    EventType.FEEDBACK_ADDED: {"stage": NEXT, "text": TEXT},
    EventType.SPRINT_CLOSED: {
        "title": TEXT,
        "learnings": OPTIONAL_DIGEST,
        "unfinished": OPTIONAL_TEXT,
        "counts": (_counts, "numbers by event type"),
        "stages": CLOSED_STAGES,
        "ledger": LEDGER,
    },
    EventType.FORK_RESOLVED: {
        "keep": EVENT,
        "aside": (_list_of(_event, least=1), "a list of event ids that is not empty"),
        "reason": OPTIONAL_TEXT,
    },
    EventType.ARTIFACT_PUT: {"stage": STAGE, "path": TEXT, "digest": DIGEST, "bytes": (_count, "a count")},
    EventType.BASELINE_SET: {
        "of": _one_of(BaselineKind),
        "path": TEXT,
        "digest": DIGEST,
        "base": (_commit, "a commit's full id"),
        "entries": (_count, "a count"),
        "reason": TEXT,
        "expires": (_day, "a day (2026-12-31)"),
    },
    EventType.EVIDENCE_REDACTED: {
        "stage": STAGE,
        "criterion": TEXT,
        "evidence": (_event, "a ULID"),
        "was": DIGEST,
        "digest": DIGEST,
        "reason": TEXT,
    },
    EventType.RUN_OPENED: {
        "run": RUN,
        "base": FULL_COMMIT,
        "until": NEXT,
        "clients": CLIENTS,
        "limits": LIMITS,
    },
    EventType.ATTEMPT_STARTED: {
        "run": RUN,
        "attempt": TEXT,
        "stage": STAGE,
        "stay": EVENT,
        "role": TEXT,
        "base": FULL_COMMIT,
        "prompt": DIGEST,
        "client": TEXT,
        "session": ANY_TEXT,
        "tree": TEXT,
    },
    EventType.ATTEMPT_ENDED: {
        "run": RUN,
        "attempt": TEXT,
        "outcome": TEXT,
        "commit": COMMIT,
        "usage": USAGE,
        "seconds": (_count, "a count"),
        "paths": TEXTS,
    },
    EventType.ATTEMPT_MERGED: {"run": RUN, "attempt": TEXT, "commit": FULL_COMMIT},
    EventType.RUN_GATE: {"run": RUN, "stage": STAGE, "stay": EVENT, "open": FLAG, "blockers": BLOCKERS},
    EventType.RUN_ASKED: {"run": RUN, "stage": STAGE, "stay": EVENT, "asks": TEXTS},
    EventType.RUN_ANSWERED: {"run": RUN, "answers": (_optional(_event), "an event's id or null")},
    EventType.RUN_STOPPED: {"run": RUN, "why": TEXT, "detail": ANY_TEXT},
    EventType.RUN_CLOSED: {"run": RUN},
}
_REPLACES = {"replaces": EVENTS}
_EMAIL = {"email": OPTIONAL_TEXT}
_KEY = {"key": OPTIONAL_TEXT}
_ENTRY = {"head": COMMIT, "uncommitted": CONTENTS}
OPTIONAL: Mapping[EventType, Mapping[str, tuple[Check, str]]] = {
    EventType.SPRINT_STARTED: {"base": COMMIT, "carried": TEXTS, "branch": BRANCH, "rules": CONTENTS, **_ENTRY},
    EventType.STAGE_ENTERED: _ENTRY,
    EventType.STAGE_REOPENED: _ENTRY,
    EventType.STAGE_PASSED: {
        **_ENTRY,
        "gate": GATE,
        "uses": DIGESTS,
        "metrics": METRICS,
        "handover": (_any_text, "text"),
    },
    EventType.STAGE_SKIPPED: {**_ENTRY, "expires": DAY, **_EMAIL},
    EventType.REVIEW_RECORDED: {**_REPLACES, **_EMAIL, **_KEY, "seen": DIGESTS},
    EventType.ATTESTED: {**_REPLACES, **_EMAIL, **_KEY, "seen": DIGESTS, "reason": OPTIONAL_TEXT},
    EventType.WAIVED: _EMAIL,
    EventType.ARTIFACT_PUT: {**_EMAIL, "recorded": DIGESTS},
    EventType.BASELINE_SET: _EMAIL,
    EventType.EVIDENCE_REDACTED: _EMAIL,
    EventType.FEEDBACK_ADDED: {**_REPLACES, "triages": EVENT, "decision": TEXT, "reason": OPTIONAL_TEXT},
    EventType.RUN_OPENED: {"branch": BRANCH, "reviews": CLIENTS, "parallel": FLAG, "fleet": TEXT},
    EventType.ATTEMPT_STARTED: {"model": ANY_TEXT, "fresh": FLAG, "review": TEXT, "ahead": FLAG},
    EventType.ATTEMPT_ENDED: {"session": ANY_TEXT, "message": ANY_TEXT, "left_out": TEXTS, "findings": TEXTS},
    EventType.ATTEMPT_MERGED: {"stay": EVENT},
    EventType.RUN_GATE: {"attempt": OPTIONAL_TEXT},
    EventType.RUN_ANSWERED: {"limits": LIMITS, "retry": NEXT},
}
