"""Forks: a person's choice between two or more moves that were made apart from each other."""

from verifflowcc.base.errors import LedgerError, UsageError
from verifflowcc.base.formats.event_bytes import make_event
from verifflowcc.base.model.events import Event, EventType, Json, LedgerRead
from verifflowcc.base.model.sprint_state import Fork, Move, SprintState
from verifflowcc.base.text.identifiers import ambiguous, fitting_ids, short_id
from verifflowcc.base.use.guarding import refuse_secrets
from verifflowcc.base.use.stage_words import one_line
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.sprint_fold import fold
from verifflowcc.sprint.use.people_acting import Transition, refresh_progress, settle
from verifflowcc.sprint.use.sprint_reading import ledger_of, load_sprint, unsound


def forked_sprint(workspace: Workspace, sprint_id: str) -> SprintState:
    """Return a sprint that waits for a choice.

    Raises UsageError where it is not forked, LedgerError where an event file is not sound.
    """
    return _forked(workspace, sprint_id)[1]


def resolve_fork(
    workspace: Workspace, sprint_id: str, keep: str, *, actor: str, reason: str | None = None, commit: bool = False
) -> Transition:
    """Keep the side of the fork whose first move is the event `keep`; the others stay on record and count no more.

    The state returned may be forked again, where the side that was kept has a fork within. Raises UsageError where the
    sprint is not forked or `keep` begins none of its sides.
    """
    seen, state, fork = _forked(workspace, sprint_id)
    side = _side(fork, sprint_id, keep)
    why = one_line(reason or "", "the reason") or None
    refuse_secrets(("the reason", why))
    aside = sorted(move.event for move in fork.moves if move is not side)
    payload: dict[str, Json] = {"keep": side.event, "aside": aside, "reason": why}
    event = make_event(EventType.FORK_RESOLVED, payload, parents=state.heads, actor=actor, at=workspace.clock.now())
    done = _written(workspace, seen, state, event)
    return settle(workspace, done, f"{sprint_id}: fork resolved", commit=commit)


def _forked(workspace: Workspace, sprint_id: str) -> tuple[LedgerRead, SprintState, Fork]:
    seen, state = load_sprint(workspace, sprint_id)
    if state.problems:
        raise unsound(state)
    if state.fork is None:
        raise UsageError(
            f"{sprint_id} is not forked: there is nothing to resolve", hint=f"vfcc sprint show {sprint_id}"
        )
    return seen, state, state.fork


def _side(fork: Fork, sprint_id: str, keep: str) -> Move:
    sides = {move.event: move for move in fork.moves}
    found = fitting_ids(keep, sides)
    if len(found) == 1:
        return sides[found[0]]
    hint = f"vfcc sprint resolve {sprint_id}"
    if found:
        raise UsageError(ambiguous(keep, [short_id(one, sides) for one in found], "sides of the fork"), hint=hint)
    listed = " or ".join(f"{move.event} ({move.actor} {move.does})" for move in fork.moves)
    raise UsageError(f"{keep} begins no side of the fork: it is {listed}", hint=hint)


def _written(workspace: Workspace, seen: LedgerRead, state: SprintState, event: Event) -> Transition:
    after = fold(seen.sprint, (*seen.events, event))
    if after.problems:
        raise LedgerError(f"this choice does not follow on the ledger: {after.problems[0]}")
    with ledger_of(workspace).moving(seen.sprint, seen) as writer:
        doubt = writer.append(event)
        warnings = tuple(filter(None, (doubt, refresh_progress(writer, after))))
    return Transition(
        state=after,
        event=event,
        before=state.current,
        after=after.current,
        written=(f".memory/sprint/{seen.sprint}/events/{event.id}.json",),
        warnings=warnings,
    )
