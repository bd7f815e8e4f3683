"""Whose turn it is to take from what the shares of the layers leave over."""

from enum import IntEnum

from verifflowcc.domain.entries import Candidate
from verifflowcc.domain.layers import CODE, TRACE


class Turn(IntEnum):
    """The turns, first to last; within each, layers follow one another in the order of PRIORITY.

    `RULES` are always-loaded files that a person wrote as rules, and no `max_tokens` caps them. `ALWAYS` are other
    always-loaded entries. `IN_FORCE` are decisions, conventions, guidelines and constraints in force, and requirements.
    `REST` is all else, but for artifacts of earlier stages (`EARLIER`) and `CODE`, which fills what nothing else needs.
    """

    RULES = 0
    ALWAYS = 1
    IN_FORCE = 2
    REST = 3
    EARLIER = 4
    CODE = 5


def turn_of(candidate: Candidate) -> Turn:
    """Return the turn at which a candidate takes from what is left over."""
    if candidate.origin == CODE:
        return Turn.CODE
    if candidate.always:
        return Turn.RULES if candidate.rule and not candidate.origin else Turn.ALWAYS
    if candidate.rule or candidate.origin == TRACE:
        return Turn.IN_FORCE
    return Turn.EARLIER if candidate.short_form else Turn.REST
