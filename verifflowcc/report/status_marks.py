"""How a status looks on a page: a symbol and a tone beside its word, so that colour never speaks alone."""

from verifflowcc.records import dataclass
from verifflowcc.trace.item_line import State

GOOD, BAD, OPEN, GAP, CALM, BUSY = "good", "bad", "open", "gap", "calm", "busy"
TONES = {
    GOOD: "shown",
    BUSY: "in part",
    OPEN: "outdated",
    GAP: "without proof",
    BAD: "failed",
    CALM: "not due",
}
"""The tones of trace items, the best first, each with its meaning."""


@dataclass(frozen=True, slots=True)
class StatusMark:
    """A word as people read it, its symbol, and its tone: a key of `TONES`."""

    word: str
    symbol: str
    tone: str


_SYMBOLS = {GOOD: "✓", BAD: "✗", OPEN: "~", GAP: "!", CALM: "·", BUSY: "◐"}
_MARKS = {
    "passed": ("passed", "✓", GOOD),
    "pass": ("passed", "✓", GOOD),
    "failed": ("failed", "✗", BAD),
    "fail": ("failed", "✗", BAD),
    "error": ("error", "✗", BAD),
    "blocked": ("blocked", "■", BAD),
    "broken": ("broken", "✗", BAD),
    "forked": ("forked", "✗", BAD),
    "rejected": ("rejected", "✗", BAD),
    "dropped": ("dropped", "✗", OPEN),
    "stale": ("stale", "~", OPEN),
    "warning": ("warning", "!", OPEN),
    "missing": ("missing", "!", GAP),
    "trimmed": ("trimmed", "~", OPEN),
    "expired": ("expired", "~", OPEN),
    "not_evaluable": ("nothing to evaluate", "!", GAP),
    "waived": ("waived", "◇", OPEN),
    "pending": ("pending", "·", CALM),
    "skipped": ("skipped", "×", CALM),
    "closed": ("closed", "●", CALM),
    "archived": ("archived", "●", CALM),
    "superseded": ("superseded", "●", CALM),
    "note": ("note", "·", CALM),
    "requested": ("requested", "○", BUSY),
    "open": ("open", "○", BUSY),
    "active": ("active", "▶", BUSY),
    "approved": ("approved", "✓", GOOD),
    "kept": ("kept", "✓", GOOD),
}
_STATES = {
    State.FAILED: BAD,
    State.FAILED_BELOW: BAD,
    State.SUSPECT: OPEN,
    State.FLAKY: OPEN,
    State.STALE: OPEN,
    State.SKIPPED: OPEN,
    State.NOT_RUN: OPEN,
    State.UNTESTED: GAP,
    State.UNSHOWN: GAP,
    State.UNANSWERED: GAP,
    State.INCOMPLETE: BUSY,
    State.DRAFT: CALM,
    State.PLANNED: CALM,
    State.RETIRED: CALM,
    State.PASSED: GOOD,
    State.PASSED_BELOW: GOOD,
}
_STATE_TONES = {str(state): tone for state, tone in _STATES.items()}


def mark_of(word: object) -> StatusMark:
    """Return how a status looks; a word that no table knows is calm.

    >>> mark_of("fail")
    StatusMark(word='failed', symbol='✗', tone='bad')
    """
    name = str(word)
    if name in _MARKS and not isinstance(word, State):
        return StatusMark(*_MARKS[name])
    tone = _STATE_TONES.get(name, CALM)
    return StatusMark(name, _SYMBOLS[tone], tone)


def mark_of_test(word: str, *, passed: bool, broke: bool) -> StatusMark:
    """Return how the outcome of a test looks: good only where it passed on this content."""
    tone = GOOD if passed else BAD if broke else OPEN
    return StatusMark(word, _SYMBOLS[tone], tone)
