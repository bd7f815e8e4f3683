"""What all that people say in a sprint has in common: who may say it, until when it holds, how it is recorded."""

from collections.abc import Callable, Mapping
from datetime import date

from verifflowcc.domain.actors import NAMELESS, needs_person
from verifflowcc.domain.events import EventType, Json
from verifflowcc.domain.sprints import SprintState, SprintStatus
from verifflowcc.errors import ConflictError, NotAllowed, UsageError
from verifflowcc.services.sprint_reading import ledger_of, load_movable
from verifflowcc.services.transitions import Prepare, Transition, record
from verifflowcc.services.workspace import Workspace

WAIT_S = 60.0
"""A note moves nothing, so it waits for many writers rather than be refused."""


def require_person(actor: str, what: str, *, hint: str) -> None:
    """Raise NotAllowed unless `actor` is a person with a name; `what` is what they do (`approving`)."""
    if not actor.startswith("human:"):
        raise NotAllowed(needs_person(what, actor), hint=hint)
    if actor == NAMELESS:
        raise NotAllowed(
            f"{what} needs a person whom git has a name for", hint='git config --global user.name "Your Name"'
        )


def address(email: str) -> dict[str, Json]:
    """Return the part of a payload that holds the e-mail address of who acts, where git has one."""
    return {"email": email} if email else {}


def last_day(given: str | None, today: str) -> str | None:
    """Return the day until which something holds, as it was given.

    Raises UsageError where it is no day as in `2026-12-31`, or over already.
    """
    if given is None:
        return None
    try:
        day = date.fromisoformat(given).isoformat()
    except ValueError:
        day = ""
    if day != given:
        raise UsageError(f"the last day {given!r} is no day", hint=f"--expires {today}")
    if day < today:
        raise UsageError(f"the last day {given} is over: today is {today} (UTC)", hint=f"--expires {today}")
    return day


def require_open(state: SprintState) -> None:
    """Raise UsageError where the sprint is closed: what is said after that would be said to nobody."""
    if state.status is SprintStatus.CLOSED:
        raise UsageError(f"{state.id} is closed", hint='vfcc sprint start "Title"')


def add_note(
    workspace: Workspace,
    sprint_id: str,
    kind: EventType,
    payload_on: Callable[[SprintState], Mapping[str, Json]],
    *,
    actor: str,
    prepare: Prepare | None = None,
    closed: bool = False,
) -> Transition:
    """Add an event that moves nothing; where somebody else writes at the same time, it is added after theirs.

    The first attempt reads without the lock, as all moves do; the second holds it, so that nobody can come first again.
    `payload_on` makes its payload from the sprint as it is then; `prepare` is that of `record`. Raises as `record`
    does, and UsageError where the sprint is closed, unless `closed` allows that.
    """

    def add(*, held: bool) -> Transition:
        seen, state = load_movable(workspace, sprint_id)
        if not closed:
            require_open(state)
        move = (kind, payload_on(state))
        return record(workspace, seen, state, move, actor=actor, prepare=prepare, held=held)

    try:
        return add(held=False)
    except ConflictError:
        with ledger_of(workspace).held(WAIT_S):
            return add(held=True)
