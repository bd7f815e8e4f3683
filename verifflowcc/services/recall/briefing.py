"""A checklist before planning: the constraints and decisions that bear on the task, a line each."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.entries import Candidate
from verifflowcc.domain.items import Trust
from verifflowcc.domain.layers import READING_ORDER, Layer
from verifflowcc.text.secrets import withhold

TYPES = ("constraint", "decision", "convention", "failure")
"""What limits a plan, in the order in which it is listed."""

MOST_LINES = 7
LEAST_RELEVANCE = 200
"""Thousandths of the relevance of the best entry of a layer; what has less does not bear on the task."""

_LONGEST_TITLE = 100


def brief_of(candidates: Mapping[Layer, Sequence[Candidate]]) -> tuple[str, ...]:
    """Return the lines of the checklist: the most relevant ones, those of one type together.

    What other clones do not have is not among them, nor what does not hold any more, nor what no person or tool vouches
    for: these lines stand outside of a fence.
    """
    found = [
        one
        for layer in READING_ORDER
        for one in candidates.get(layer, ())
        if one.type in TYPES and _is_sure(one) and one.relevance >= LEAST_RELEVANCE
    ]
    best = sorted(found, key=lambda one: (-one.relevance, one.path))[:MOST_LINES]
    best.sort(key=lambda one: (TYPES.index(one.type), -one.relevance, one.path))
    return tuple(_line(one) for one in best)


def _is_sure(one: Candidate) -> bool:
    """Whether an entry may stand outside of a fence: it holds, all clones have it, and people or tools vouch for it."""
    return not one.local and not one.standing and one.trust in (Trust.HUMAN, Trust.TOOL)


def _line(one: Candidate) -> str:
    title = withhold(one.title)
    shown = title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1].rstrip()}…"
    stale = f"; stale: {one.stale}" if one.stale else ""
    return f"{one.type} {one.item}: {shown}{stale}"
