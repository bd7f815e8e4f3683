"""What people said in a sprint, from the additive events of its ledger: reviews, waivers, comments and their triage.

Of two words that stand against each other and of which neither knew the other (made on two branches, then merged), both
are kept: a rejection stays until the one who made it takes it back, a comment stays open until somebody decides again.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from verifflowcc.domain.actors import Decision, Feedback, Opinion, Review, Waiver, same_person
from verifflowcc.domain.events import Event, EventType, Json
from verifflowcc.domain.facts import ArtifactPut, History
from verifflowcc.records import replace
from verifflowcc.workflow.fold import event_file

_T = TypeVar("_T", Review, Waiver, ArtifactPut)
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


def with_addresses(found: Sequence[_T], sprint: str, history: History | None) -> tuple[_T, ...]:
    """Return reviews, waivers or puts with the e-mail address of the commit that brought each, where it has none.

    Only a commit in the very name of the actor tells their address.
    """
    if history is None or not history.authors:
        return tuple(found)
    return tuple(replace(one, email=one.email or _address(one, sprint, history)) for one in found)


def _address(one: Review | Waiver | ArtifactPut, sprint: str, history: History) -> str:
    contributors = history.authors.get(event_file(sprint, one.event), ())
    return next((each.email for each in contributors if each.email and same_person(each.actor, one.actor)), "")


def latest_words(said: Sequence[Review]) -> tuple[Review, ...]:
    """Return the opinions that stand, in their order: each reviewer's own, without those that he has replaced since.

    A review that names what it replaces replaces that alone, so that words said on two branches both stand; one that
    names nothing at all replaces all that the same reviewer said before it. Wishes to be reviewed are no opinions. A
    signed commit, which anybody can hand in later, takes no rejection back.
    """
    opinions = [one for one in said if one.opinion is not Opinion.REQUESTED]
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
    triages = [event for event in notes if event.type is EventType.FEEDBACK_ADDED and _triages(event)]
    fresh = [replace(one, decision=Decision.OPEN, decided_by="", reason="") for one in carried]
    return tuple(_decided(one, [event for event in triages if _triages(event) == one.event]) for one in (*fresh, *mine))


def standing_triages(notes: Sequence[Event], comment: str) -> tuple[str, ...]:
    """Return the ids of the triages of a comment that no later one replaces: what the next one is to replace."""
    triages = [event for event in notes if event.type is EventType.FEEDBACK_ADDED and _triages(event) == comment]
    return tuple(event.id for event in _standing(triages))


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
        seen=_seen(event.payload.get("seen")),
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
    standing = _standing(triages)
    said = {_decision(event) for event in standing}
    if not standing or None in said:
        return comment
    if len(said) > 1:
        words = "; ".join(f"{_text(event, 'decision')} by {event.actor}" for event in standing)
        return replace(comment, reason=f"decided twice, apart from each other: {words}")
    last = standing[-1]
    decision = _decision(last) or Decision.OPEN
    return replace(comment, decision=decision, decided_by=last.actor, reason=_text(last, "reason"))


def _standing(triages: Sequence[Event]) -> tuple[Event, ...]:
    return tuple(
        event
        for place, event in enumerate(triages)
        if not any((named := _replaced(later)) is None or event.id in named for later in triages[place + 1 :])
    )


def _decision(event: Event) -> Decision | None:
    """What a triage decides; None for a word that this version does not know, which so decides nothing."""
    said = _text(event, "decision")
    return Decision(said) if said in list(Decision) else None


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
