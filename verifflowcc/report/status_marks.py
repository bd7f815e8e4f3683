"""How a status looks on a page: a symbol and a tone beside its word, so that colour never speaks alone."""

from verifflowcc.records import dataclass
from verifflowcc.trace.state import State

GOOD, BAD, OPEN, CALM, BUSY = "good", "bad", "open", "calm", "busy"


@dataclass(frozen=True, slots=True)
class StatusMark:
    """A word as people read it, its symbol, and its tone: `good`, `bad`, `open`, `calm` or `busy`."""

    word: str
    symbol: str
    tone: str


_SYMBOLS = {GOOD: "✓", BAD: "✗", OPEN: "!", CALM: "·", BUSY: "▶"}
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
    "missing": ("missing", "!", OPEN),
    "trimmed": ("trimmed", "~", OPEN),
    "expired": ("expired", "~", OPEN),
    "not_evaluable": ("nothing to evaluate", "!", OPEN),
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
_STATES = {str(state): state.tone for state in State}


def mark_of(word: object) -> StatusMark:
    """Return how a status looks; a word that no table knows is calm.

    >>> mark_of("fail")
    StatusMark(word='failed', symbol='✗', tone='bad')
    """
    name = str(word)
    if name in _MARKS:
        return StatusMark(*_MARKS[name])
    tone = _STATES.get(name, CALM)
    return StatusMark(name, _SYMBOLS[tone], tone)


def mark_of_test(word: str, *, passed: bool, broke: bool) -> StatusMark:
    """Return how the outcome of a test looks: good only where it passed on this content."""
    tone = GOOD if passed else BAD if broke else OPEN
    return StatusMark(word, _SYMBOLS[tone], tone)
