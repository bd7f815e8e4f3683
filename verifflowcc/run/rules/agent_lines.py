"""Parts that the decoders of all clients share: a line as JSON, a text cut short, an API's error as an outcome."""

import re
from collections.abc import Iterable, Mapping, Sequence

from verifflowcc.base.model.events import Json
from verifflowcc.base.text.quick_json import read
from verifflowcc.run.rules.agent_port import AgentOutcome, AgentStep, StepKind

LONGEST_TEXT = 4_000
"""Characters of a message that a step keeps; a result keeps sixteen times as many."""
LONGEST_RESULT = 16 * LONGEST_TEXT
STDERR = "stderr"
"""The reason of the step that `run_agent` adds with the end of what a client wrote to stderr."""
SIGTERM_CODES = (-15, 143)
_BAD_REQUEST, _RATE = 400, 429
_AUTH = (400, 401, 403, 404, 405, 413, 422)
_QUOTA_WORDS = re.compile(r"quota|credit balance|billing|usage limit|insufficient funds", re.IGNORECASE)
_AUTH_WORDS = re.compile(
    r"authenticat|invalid_request|api key|not logged in|/login|unauthorized|permission_error|not_found_error|"
    r"model .{0,80}(?:not exist|not found|not supported)",
    re.IGNORECASE,
)
_REFUSAL_WORDS = re.compile(
    r"content_filter|(?<!connection )(?<!econn)refus|safety|flagged|policy violation|usage policy", re.IGNORECASE
)
_STATUS = re.compile(r"(?:status:?|API Error:|error:?|code:?)\s*\(?([45]\d\d)\b")
_NO_SESSION = re.compile(
    r"no conversation found|no rollout found|session .{0,60}not found|thread not found", re.IGNORECASE
)


def as_object(line: str) -> Mapping[str, Json]:
    """Return the JSON object in a line; an empty one for all else."""
    text = line.strip()
    if not text.startswith("{"):
        return {}
    try:
        value = read(text)
    except (ValueError, RecursionError, OverflowError, MemoryError):
        return {}
    return value if isinstance(value, dict) else {}


def inner(value: Mapping[str, Json], *keys: str) -> Mapping[str, Json]:
    """Return an object within an object; an empty one where it is none."""
    for key in keys:
        found = value.get(key)
        value = found if isinstance(found, Mapping) else {}
    return value


def objects(value: Json) -> Iterable[Mapping[str, Json]]:
    """Return the objects of a list; none of what is no list."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        yield from (each for each in value if isinstance(each, Mapping))


def text_of(value: Json, longest: int = LONGEST_TEXT) -> str:
    """Return a text, cut at `longest` characters; empty for all else."""
    return value[:longest] if isinstance(value, str) else ""


def count_of(value: object) -> int:
    """Return a number of things that is none below zero."""
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0


def micro_of(value: object) -> int | None:
    """Return dollars as millionths; None for what is no amount."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        return None
    return round(value * 1_000_000)


def status_in(text: str) -> int | None:
    """Return the HTTP status that an error names.

    >>> status_in("unexpected status 529 <unknown status code>: overloaded")
    529
    """
    found = _STATUS.search(text)
    return int(found.group(1)) if found else None


def api_outcome(status: int | None, text: str) -> AgentOutcome:
    """Return the outcome of an API's error: by its words first, since one status has several causes.

    >>> api_outcome(429, "rate limit"), api_outcome(429, "You exceeded your current quota")
    (<AgentOutcome.API_TRANSIENT: 'api_transient'>, <AgentOutcome.API_QUOTA: 'api_quota'>)
    >>> api_outcome(None, "Connection refused (ECONNREFUSED)"), api_outcome(None, "the model refused")
    (<AgentOutcome.API_TRANSIENT: 'api_transient'>, <AgentOutcome.REFUSED: 'refused'>)
    """
    if status == 402 or _QUOTA_WORDS.search(text):
        return AgentOutcome.API_QUOTA
    if status in _AUTH or (status is None and _AUTH_WORDS.search(text)):
        return AgentOutcome.API_AUTH
    if status is None and _REFUSAL_WORDS.search(text):
        return AgentOutcome.REFUSED
    return AgentOutcome.API_TRANSIENT


def last_words(stderr: str) -> str:
    """Return the line of stderr that says what went wrong: the first that begins with `error`, else the last.

    >>> last_words("error: unexpected argument '--x' found\\n\\nFor more information, try '--help'.\\n")
    "error: unexpected argument '--x' found"
    >>> last_words("loading\\nno space left\\n")
    'no space left'
    """
    lines = stderr.strip().split("\n")
    return next((line.strip() for line in lines if line.lower().startswith("error")), lines[-1])


def last_result(steps: Sequence[AgentStep]) -> AgentStep | None:
    """Return the last result that a client reported."""
    return next((step for step in reversed(steps) if step.kind is StepKind.RESULT), None)


def without_result(exit_code: int | None, steps: Sequence[AgentStep]) -> AgentOutcome:
    """Return the outcome of a call that ended without a result: an API's last word, a signal, or nothing."""
    if exit_code in SIGTERM_CODES:
        return AgentOutcome.INTERRUPTED
    if exit_code == 0:
        return AgentOutcome.SILENT
    error = next((step for step in reversed(steps) if step.kind in (StepKind.ERROR, StepKind.RETRY)), None)
    if error is not None and error.status is not None:
        return api_outcome(error.status, error.text)
    if error is not None and _AUTH_WORDS.search(error.text):
        return AgentOutcome.API_AUTH
    return AgentOutcome.CRASHED


def lacks_session(steps: Sequence[AgentStep]) -> bool:
    """Whether a client did not find the session that it was to resume."""
    last = [step for step in steps if step.kind in (StepKind.ERROR, StepKind.RESULT)]
    return any(_NO_SESSION.search(f"{step.text} {step.reason}") for step in last)
