"""The place of an event: the role, sprint and stage that it belongs to, where its own line does not have them yet.

A hook records an event before it knows the sprint, as `unplaced`. A hook that has had the time to find out adds a line
of the kind `place`: the active stage, and `since` when it is active.
"""

from collections.abc import Mapping, Sequence

from verifflowcc.base.model.events import Json

_NAMES = ("role", "sprint", "stage")
Line = Mapping[str, Json]


def with_place(event: Line, places: Sequence[Line]) -> dict[str, Json]:
    """Return an event with its role, sprint and stage, as far as they are known.

    An unplaced event belongs to the next place in time of its worktree, if its stage had been entered by then. What the
    event itself has, such as the role that its agent names, stays.
    """
    at = str(event.get("time"))
    here = [each for each in places if each.get("worktree") == event.get("worktree")]
    following = min((each for each in here if _time(each) >= at), key=_order, default=None)
    if event.get("unplaced") is not True or following is None or str(following.get("since")) > at:
        return dict(event)
    own = {name: value for name, value in event.items() if name != "unplaced"}
    return {name: following[name] for name in _NAMES if name in following} | own


def _time(place: Line) -> str:
    return str(place.get("time"))


def _order(place: Line) -> tuple[str, str]:
    return _time(place), str(place.get("id"))
