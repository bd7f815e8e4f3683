"""Reviews, waivers, comments and their triage, from the events of a sprint's ledger.

These events are additive: none moves the sprint. Two opposite opinions that were made on two branches and then merged
are both kept: a rejection stays until the one who made it takes it back, a comment stays open until somebody decides
again.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.people import Decision, Feedback, Opinion, Review, Waiver, same_person
from verifflowcc.base.model.sprint_state import SPRINT_VARIABLE, SprintState, StageState
from verifflowcc.base.records import dataclass, replace
from verifflowcc.sprint.rules.sprint_fold import arrange, chain, event_file

if TYPE_CHECKING:
    from verifflowcc.base.model.gate_input import ArtifactPut, History

# What a sprint has learned that may be worth more than the sprint.


@dataclass(frozen=True, slots=True)
class Learning:
    """An item that is worth keeping, and why; `command` keeps it, and nothing is done without that."""

    id: str
    scope: str
    type: str
    title: str
    why: str
    command: str


# Name the sprint in a command that acts on the current one.

_TAKES_OPTION = lazy_pattern(
    r"vfcc (?:next|evidence (?:run|add|stale)|approve|waive|feedback (?:add|list|triage)"
    r"|stage (?:show|list|advance|reopen|skip|put|draft)|check gate)\b"
)
_AT_END = lazy_pattern(r"vfcc (?:next|stage advance|sprint close)$")
"""Commands that also end a comment or a sentence."""


def in_sprint(step: str, sprint: str) -> str:
    """Return `step` so that it means `sprint`, whatever other sprints are open; words stay words.

    >>> in_sprint("vfcc evidence run tests", "login")
    'vfcc evidence run tests --sprint login'
    >>> in_sprint("write plan.md, then: vfcc stage advance", "login")
    'write plan.md, then: vfcc stage advance --sprint login'
    """
    if last := _AT_END.search(step):
        step = f"{step} {sprint}" if last[0].endswith("close") else f"{step} --sprint {sprint}"
    command, mark, comment = step.partition("  #")
    if _TAKES_OPTION.match(command) and " --sprint" not in command:
        return f"{command} --sprint {sprint}{mark}{comment}"
    return step


# `progress.json`: the sprint's state for people and prompts. A projection; never read as truth.


def progress_document(state: SprintState, results: Mapping[str, object] | None = None) -> str:
    """Return the JSON text of a sprint's progress: equal states give equal bytes, and no clock is asked.

    `results` are what `update_sprint` was told, if anything.
    """
    document: dict[str, object] = {
        "id": state.id,
        "title": state.title,
        "status": str(state.status),
        "workflow": state.workflow.name if state.workflow else None,
        "stage": state.current,
        "stages": [_stage(each) for each in state.stages],
        "goals": list(state.goals),
        "counts": dict(state.counts),
    }
    if state.fork:
        document["fork"] = [f"{move.actor} {move.action}" for move in state.fork.moves]
    if state.unfinished:
        document["unfinished"] = state.unfinished
    if results:
        document["results"] = dict(results)
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _stage(each: StageState) -> dict[str, Json]:
    artifacts: list[Json] = [artifact.path for artifact in each.artifacts]
    return {"id": each.stage.id, "status": str(each.status), "passes": each.passes, "artifacts": artifacts}


# Choose the current one of several open sprints, from what the environment, git and the worktree say.

Choice = tuple[str | None, str]
"""The id of the current sprint, or None, and what chose it, in words; empty where there was nothing to choose."""


def choose_sprint(
    branches: Mapping[str, str | None],
    *,
    variable: str = "",
    branch: str | None = None,
    started_here: Collection[str] = (),
) -> Choice:
    """Return the current sprint: by the variable, else by the branch, else by the worktree, else the only open one.

    `branches` maps each open sprint to the branch on which it was started (None: not known). A rule decides only where
    it names exactly one open sprint. A `variable` that names none of them decides that none is chosen.

    >>> choose_sprint({"log-in": "main", "pay": "feature/pay"}, branch="feature/pay")
    ('pay', 'by branch feature/pay')
    >>> choose_sprint({"log-in": "main", "pay": "main"}, branch="main")
    (None, '')
    """
    if variable:
        return (variable, f"by {SPRINT_VARIABLE}") if variable in branches else (None, "")
    if len(branches) == 1:
        return next(iter(branches)), ""
    on_branch = [sprint for sprint, started_on in branches.items() if branch and started_on == branch]
    if len(on_branch) == 1:
        return on_branch[0], f"by branch {branch}"
    in_worktree = [sprint for sprint in branches if sprint in started_here]
    return (in_worktree[0], "by worktree") if len(in_worktree) == 1 else (None, "")


# The stays of a sprint in one of its stages: the event that entered it, and the move that ended it.


@dataclass(frozen=True, slots=True)
class Stay:
    """One stay in a stage: the event that began it, and the move that ended it (None: the sprint is in it)."""

    entered_by: Event
    ended_by: Event | None

    @property
    def advanced(self) -> bool:
        """Whether an advance ended it, and neither a skip, a return to an earlier stage nor the sprint's close."""
        return self.ended_by is not None and self.ended_by.type is EventType.STAGE_PASSED


def stays_in(stage: str, events: Iterable[Event]) -> tuple[Stay, ...]:
    """Return the stays in `stage`, in order; moves that a resolved fork set aside began and ended none."""
    moves = chain(arrange(events).ordered).agreed
    return tuple(
        Stay(move, after) for move, after in zip(moves, (*moves[1:], None), strict=True) if _enters(move) == stage
    )


def _enters(move: Event) -> object:
    """Return the stage that a move enters; None where it enters none."""
    named = "stage" if move.type in {EventType.STAGE_ENTERED, EventType.STAGE_REOPENED} else "entered"
    return move.payload.get(named)


_T = TypeVar("_T", Review, Waiver, "ArtifactPut")
_REVIEWS = frozenset({EventType.REVIEW_RECORDED, EventType.ATTESTED})


def reviews(notes: Sequence[Event]) -> tuple[Review, ...]:
    """Return the reviews and acceptances among `notes`, in their order; a verdict that this version does not know is
    left out, since it can speak neither for nor against."""
    return tuple(review for event in notes if event.type in _REVIEWS and (review := _review(event)))


def waivers(notes: Sequence[Event]) -> tuple[Waiver, ...]:
    """Return the waivers among `notes`, in their order."""
    return tuple(
        Waiver(
            event=event.id,
            stage=_text(event, "stage"),
            criterion=_text(event, "criterion"),
            reason=_text(event, "reason"),
            actor=event.actor,
            time=event.time,
            subject=_text(event, "digest"),
            expires=_optional(event, "expires"),
            email=_text(event, "email"),
        )
        for event in notes
        if event.type is EventType.WAIVED
    )


def with_addresses(found: Sequence[_T], sprint: str, history: "History | None") -> tuple[_T, ...]:
    """Return reviews, waivers or puts with the e-mail address of the commit that brought each, where it has none.

    Only a commit in the very name of the actor tells their address.
    """
    if history is None or not history.authors:
        return tuple(found)
    return tuple(replace(one, email=one.email or _address(one, sprint, history)) for one in found)


def _address(one: "Review | Waiver | ArtifactPut", sprint: str, history: "History") -> str:
    contributors = history.authors.get(event_file(sprint, one.event), ())
    return next((each.email for each in contributors if each.email and same_person(each.actor, one.actor)), "")


def latest_words(on_record: Sequence[Review]) -> tuple[Review, ...]:
    """Return the opinions that are not replaced, in their order.

    A review that names what it replaces replaces that alone, so that opinions made on two branches both count; one that
    names nothing replaces all earlier ones of the same reviewer. Requests for a review are no opinions. A signed
    commit, which anybody can hand in later, takes no rejection back.
    """
    opinions = [one for one in on_record if one.opinion is not Opinion.REQUESTED]
    return tuple(
        one for place, one in enumerate(opinions) if not any(_replaces(later, one) for later in opinions[place + 1 :])
    )


def feedback(sprint: str, notes: Sequence[Event], carried: Sequence[Feedback] = ()) -> tuple[Feedback, ...]:
    """Return the comments: first `carried`, those of earlier sprints, then those among `notes`, each in its order.

    What became of each is what `notes`, the events of `sprint`, say: a comment that is carried over is open again.
    Triages that contradict each other, of which neither knew the other, leave it open, and its `reason` says so.
    """
    mine = [
        _comment(sprint, event) for event in notes if event.type is EventType.FEEDBACK_ADDED and not _triages(event)
    ]
    triages: dict[str, list[Event]] = {}
    for event in notes:
        if event.type is EventType.FEEDBACK_ADDED and (triaged := _triages(event)):
            triages.setdefault(triaged, []).append(event)
    fresh = [replace(one, decision=Decision.OPEN, decided_by="", reason="") for one in carried]
    return tuple(_decided(one, triages.get(one.event, [])) for one in (*fresh, *mine))


def concerning(stage_id: str, sprint: SprintState, comments: Sequence[Feedback]) -> tuple[Feedback, ...]:
    """Return the comments, dealt with or not, that concern a stage."""
    first = bool(sprint.stages) and sprint.stages[0].stage.id == stage_id
    return tuple(
        one
        for one in comments
        if (one.sprint == sprint.id and one.stage == stage_id) or (first and (one.sprint != sprint.id or not one.stage))
    )


def current_triages(notes: Sequence[Event], comment: str) -> tuple[str, ...]:
    """Return the ids of the triages of a comment that no later one replaces: what the next one is to replace."""
    triages = [event for event in notes if event.type is EventType.FEEDBACK_ADDED and _triages(event) == comment]
    return tuple(event.id for event in _not_replaced(triages))


def _review(event: Event) -> Review | None:
    opinion = Opinion.APPROVED if event.type is EventType.ATTESTED else _opinion(_text(event, "verdict"))
    if opinion is None:
        return None
    return Review(
        event=event.id,
        stage=_text(event, "stage"),
        criterion=_text(event, "criterion"),
        opinion=opinion,
        actor=event.actor,
        time=event.time,
        subject=_text(event, "digest"),
        reason=_text(event, "reason"),
        statement=_text(event, "statement"),
        expires=_optional(event, "expires"),
        signed=_optional(event, "signed"),
        replaces=_replaced(event),
        file_digests=_seen(event.payload.get("seen")),
        email=_text(event, "email"),
    )


def _opinion(verdict: str) -> Opinion | None:
    return Opinion(verdict) if verdict in list(Opinion) else None


def _replaces(later: Review, one: Review) -> bool:
    if (later.actor, later.stage, later.criterion) != (one.actor, one.stage, one.criterion):
        return False
    if later.signed and one.opinion is Opinion.REJECTED:
        return False
    return later.replaces is None or one.event in later.replaces


def _comment(sprint: str, event: Event) -> Feedback:
    return Feedback(event.id, sprint, _optional(event, "stage"), _text(event, "text"), event.actor, event.time)


def _decided(comment: Feedback, triages: Sequence[Event]) -> Feedback:
    current = _not_replaced(triages)
    decisions = {_decision(event) for event in current}
    if not current or None in decisions:
        return comment
    if len(decisions) > 1:
        words = "; ".join(f"{_text(event, 'decision')} by {event.actor}" for event in current)
        return replace(comment, reason=f"decided twice, apart from each other: {words}")
    last = current[-1]
    decision = _decision(last) or Decision.OPEN
    return replace(comment, decision=decision, decided_by=last.actor, reason=_text(last, "reason"))


def _not_replaced(triages: Sequence[Event]) -> tuple[Event, ...]:
    return tuple(
        event
        for place, event in enumerate(triages)
        if not any((named := _replaced(later)) is None or event.id in named for later in triages[place + 1 :])
    )


def _decision(event: Event) -> Decision | None:
    """What a triage decides; None for a word that this version does not know, which so decides nothing."""
    word = _text(event, "decision")
    return Decision(word) if word in list(Decision) else None


def _triages(event: Event) -> str:
    return _text(event, "triages")


def _replaced(event: Event) -> tuple[str, ...] | None:
    named = event.payload.get("replaces")
    return tuple(_words(named)) if isinstance(named, Sequence) and not isinstance(named, str) else None


def _seen(value: Json) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {path: digest for path, digest in value.items() if isinstance(digest, str)}


def _words(values: Sequence[Json]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))


def _text(event: Event, field: str) -> str:
    value = event.payload.get(field)
    return value if isinstance(value, str) else ""


def _optional(event: Event, field: str) -> str | None:
    return _text(event, field) or None


def expired(expires: str | None, today: str) -> bool:
    """Whether a last day is over; both are days (`2026-12-31`), the last one still counts.

    >>> expired("2026-12-31", "2026-12-31"), expired("2026-12-30", "2026-12-31"), expired(None, "2026-12-31")
    (False, True, False)
    """
    return expires is not None and expires < today
