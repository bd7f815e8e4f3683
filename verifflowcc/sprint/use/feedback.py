"""Comments on a sprint: add, list, triage; open ones move to the next sprint."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from verifflowcc.base.errors import LedgerError, UsageError
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.people import Decision, Feedback
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.identifiers import is_ulid, only_fitting, short_ids
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.sprint.rules.sprint_fold import event_file
from verifflowcc.sprint.rules.sprint_people import current_triages, feedback
from verifflowcc.sprint.use.sprint_reading import ledger_of, load_sprint

if TYPE_CHECKING:
    from verifflowcc.sprint.use.people_acting import Transition


WAITING = frozenset({Decision.OPEN, Decision.LATER})


@dataclass(frozen=True, slots=True)
class RecordedComment:
    """A comment that was recorded or triaged; `short` is an unambiguous part of its id."""

    comment: Feedback
    short: str
    move: "Transition"


def add_feedback(
    workspace: Workspace, sprint_id: str, text: str, stage_id: str | None = None, *, actor: str, commit: bool = False
) -> RecordedComment:
    """Record a comment on a stage, or on the sprint. Raises UsageError for no words and for an unknown stage."""
    from verifflowcc.base.use.stage_words import find_stage, one_line

    words = one_line(text, "the comment")
    if not words:
        raise UsageError("a comment needs words", hint='vfcc feedback add "what should change"')
    if stage_id is not None:
        find_stage(load_sprint(workspace, sprint_id)[1], stage_id)
    payload: dict[str, Json] = {"stage": stage_id, "text": words}
    done = _recorded(workspace, sprint_id, lambda _: payload, "comment added", actor=actor, commit=commit)
    return _recorded_comment(workspace, done, done.event.id)


def triage_feedback(
    workspace: Workspace,
    sprint_id: str,
    which: str,
    decision: Decision,
    reason: str = "",
    *,
    actor: str,
    commit: bool = False,
) -> RecordedComment:
    """Record what became of a comment of this sprint, or of one that it carries; `which` is its id, or an end of it.

    Raises UsageError where no comment or several have that id, and where one is rejected for no reason.
    """
    from verifflowcc.base.use.stage_words import one_line

    why = one_line(reason, "the reason")
    if decision is Decision.REJECTED and not why:
        raise UsageError(
            "rejecting a comment needs a reason", hint=f'vfcc feedback triage {which} --reject --reason "…"'
        )
    found = find_comment(sprint_feedback(workspace, load_sprint(workspace, sprint_id)[1]), which)

    def payload(state: SprintState) -> Mapping[str, Json]:
        return {
            "stage": found.stage if state.stage(found.stage or "") else None,
            "text": why or str(decision),
            "triages": found.event,
            "decision": str(decision),
            "reason": why or None,
            "replaces": list(current_triages(state.notes, found.event)),
        }

    done = _recorded(workspace, sprint_id, payload, "comment triaged", actor=actor, commit=commit)
    return _recorded_comment(workspace, done, found.event)


def sprint_feedback(workspace: Workspace, state: SprintState) -> tuple[Feedback, ...]:
    """Return all comments that a sprint answers for: those it carries from earlier ones, then its own.

    One whose event is not there any more, or was changed, is not lost: its text then says so.
    """
    carried = [_carried(workspace, name) for name in state.carried_comments]
    return feedback(state.id, state.notes, carried)


def list_feedback(
    workspace: Workspace, sprint_id: str, stage_id: str | None = None, *, everything: bool = False
) -> tuple[Feedback, ...]:
    """Return the comments that a sprint answers for, open ones alone unless `everything` is asked for.

    With a stage, only those on it. Raises UsageError for an unknown stage.
    """
    from verifflowcc.base.use.stage_words import find_stage

    state = load_sprint(workspace, sprint_id)[1]
    if stage_id is not None:
        find_stage(state, stage_id)
    return tuple(
        one
        for one in sprint_feedback(workspace, state)
        if (everything or one.decision is Decision.OPEN) and stage_id in {None, one.stage}
    )


def open_feedback_of_earlier_sprints(workspace: Workspace) -> tuple[Feedback, ...]:
    """Return the comments of closed sprints that are open or put off, and that no other sprint has taken on or decided.

    A closed sprint without comments costs the reading of two events.
    """
    ledger = ledger_of(workspace)
    waiting: dict[str, Feedback] = {}
    settled: set[str] = set()
    for sprint_id in ledger.sprint_ids():
        if _silent(workspace, sprint_id):
            continue
        state = load_sprint(workspace, sprint_id)[1]
        closed = state.status is SprintStatus.CLOSED
        for one in sprint_feedback(workspace, state):
            if one.decision in WAITING and closed:
                waiting.setdefault(one.event, one)
            else:
                settled.add(one.event)
    return tuple(waiting[name] for name in sorted(waiting) if name not in settled)


def find_comment(comments: Iterable[Feedback], which: str) -> Feedback:
    """Return the comment whose id is `which`, begins with it, or ends with it (four characters or more)."""
    known = {one.event: one for one in comments}
    hint = "vfcc feedback list --all"
    found = only_fitting(which.rpartition("/")[2], known, "comments", hint=hint)
    if found is None:
        raise UsageError(f"there is no comment {which}", hint=hint)
    return known[found]


def _recorded(
    workspace: Workspace,
    sprint_id: str,
    payload: Callable[[SprintState], Mapping[str, Json]],
    message: str,
    *,
    actor: str,
    commit: bool,
) -> "Transition":
    # A prompt reads comments, and a gate does; neither needs what moves a sprint.
    from verifflowcc.sprint.use.people_acting import add_note, settle

    done = add_note(workspace, sprint_id, EventType.FEEDBACK_ADDED, payload, actor=actor)
    return settle(workspace, done, f"{sprint_id}: {message}", commit=commit)


def _recorded_comment(workspace: Workspace, done: "Transition", event: str) -> RecordedComment:
    known = sprint_feedback(workspace, done.state)
    comment = next(one for one in known if one.event == event)
    return RecordedComment(comment, short_ids([event, *(one.event for one in known)])[event], done)


def _carried(workspace: Workspace, name: str) -> Feedback:
    """Return a comment of another sprint as it was made, from its one event."""
    sprint_id, _, event_id = name.partition("/")
    try:
        return _comment(sprint_id, _read(workspace, sprint_id, event_id))
    except (LedgerError, UsageError) as error:
        return Feedback(event_id or name, sprint_id, None, f"{event_file(sprint_id, event_id)}: {error}", "", "")


def _read(workspace: Workspace, sprint_id: str, event_id: str) -> Event:
    if not is_ulid(event_id):
        raise LedgerError("no event has such an id")
    event = ledger_of(workspace).files(sprint_id).event(event_id)
    if event.type is not EventType.FEEDBACK_ADDED:
        raise LedgerError("this event is no comment")
    return event


def _comment(sprint_id: str, event: Event) -> Feedback:
    return feedback(sprint_id, [event])[0]


def _silent(workspace: Workspace, sprint_id: str) -> bool:
    """Whether the first and the last event of a sprint say that it is closed, had no comment and carried none."""
    files = ledger_of(workspace).files(sprint_id)
    try:
        ids = files.ids() or ("",)
        first, last = files.event(ids[0]), files.event(ids[-1])
    except LedgerError:
        return False
    counts = last.payload.get("counts")
    return (
        first.type is EventType.SPRINT_STARTED
        and last.type is EventType.SPRINT_CLOSED
        and not first.payload.get("carried")
        and isinstance(counts, Mapping)
        and not counts.get(str(EventType.FEEDBACK_ADDED))
    )
