"""The part of the matrix that a person asks for, with the words that were meant."""

from collections.abc import Sequence

from verifflowcc.errors import UsageError
from verifflowcc.services.finding import one_of
from verifflowcc.services.trace_finding import find_item
from verifflowcc.services.trace_seeing import TraceSeen
from verifflowcc.text.glob import matches
from verifflowcc.trace.matrix import Matrix, matrix, narrowed
from verifflowcc.trace.state import State

HINT = "vfcc trace matrix --{option} …"
_WILD = frozenset("*?[")


def narrow_matrix(seen: TraceSeen, types: Sequence[str], states: Sequence[str], items: Sequence[str]) -> Matrix:
    """Return the matrix, or the part of it of these types, states and items (ids, or patterns of ids).

    Raises UsageError for a type, a state or an id that there is not, with the nearest, and for a pattern of nothing.
    """
    whole = matrix(seen.view, seen.report)
    return narrowed(
        whole,
        types=[one_of(each, tuple(seen.view.policy.types), "type", HINT.format(option="type")) for each in types],
        states=[
            one_of(each.replace("-", " "), tuple(map(str, State)), "state", HINT.format(option="state"))
            for each in states
        ],
        items=[_meant(seen, whole, each) for each in items],
    )


def _meant(seen: TraceSeen, whole: Matrix, name: str) -> str:
    if _WILD.isdisjoint(name):
        return find_item(seen.view, name).id
    if not any(matches(row.id, name) for row in whole.rows):
        raise UsageError(f"no item has an id like {name}", hint="vfcc trace list")
    return name
