"""What people said in a sprint, for a status: the words that stand on record, and how many comments are open."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from verifflowcc.domain.actors import Decision, Opinion
from verifflowcc.domain.sprints import SprintState
from verifflowcc.records import dataclass
from verifflowcc.services.feedback import sprint_feedback
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.people import expired, latest_words, reviews, waivers


@dataclass(frozen=True, slots=True)
class Word:
    """A word on a stage: `approved`, `accepted`, `rejected`, `waived` or `skipped` (then with no criterion).

    `expires` is its last day, `expired` says whether that is over. Whether it is on what lies there now, only a gate
    can say.
    """

    word: str
    """`approved`, `accepted`, `rejected`, `waived` or `skipped`."""
    stage: str
    criterion: str | None
    actor: str
    reason: str
    expires: str | None
    """The last day, or null."""
    expired: bool


@dataclass(frozen=True, slots=True)
class PeopleSaid:
    """The words on record, in the order of stages, and the number of open comments."""

    words: tuple[Word, ...]
    comments: int


def people_said(workspace: Workspace, state: SprintState, today: str) -> PeopleSaid:
    """Return what people said in a sprint, as of `today` (a day)."""
    order = {each.stage.id: place for place, each in enumerate(state.stages)}
    words = sorted(_words(state, today), key=lambda one: order.get(one.stage, len(order)))
    waiting = [one for one in sprint_feedback(workspace, state) if one.decision is Decision.OPEN]
    return PeopleSaid(tuple(words), len(waiting))


def lines(said: PeopleSaid, sprint_id: str) -> list[str]:
    """Return it as lines for a person; nothing where nothing was said."""
    told = [_line(one) for one in said.words]
    if told:
        told.append(f"whether these are on what lies there now, the gates say: vfcc check gate --sprint {sprint_id}")
    if said.comments:
        many = "comments are" if said.comments > 1 else "comment is"
        told.append(f"{said.comments} {many} open: vfcc feedback list --sprint {sprint_id}")
    return told


def valid_until_ms(said: PeopleSaid) -> int | None:
    """Return the moment (ms since 1970, UTC) at which a word that still holds expires, or None."""
    days = [one.expires for one in said.words if one.expires and not one.expired]
    if not days:
        return None
    over = datetime.fromisoformat(min(days)).replace(tzinfo=UTC) + timedelta(days=1)
    return int(over.timestamp() * 1000)


def _words(state: SprintState, today: str) -> Iterator[Word]:
    for review in latest_words(reviews(state.notes)):
        word = "accepted" if review.statement and review.opinion is Opinion.APPROVED else str(review.opinion)
        yield Word(
            word=word,
            stage=review.stage,
            criterion=review.criterion,
            actor=review.actor,
            reason=review.statement or review.reason,
            expires=review.expires,
            expired=expired(review.expires, today),
        )
    for one in waivers(state.notes):
        over = expired(one.expires, today)
        yield Word("waived", one.stage, one.criterion, one.actor, one.reason, one.expires, over)
    for each in state.stages:
        if skip := each.skip:
            over = expired(skip.expires, today)
            yield Word("skipped", each.stage.id, None, skip.actor, skip.reason, skip.expires, over)


def _line(one: Word) -> str:
    where = f"{one.stage}/{one.criterion}" if one.criterion else one.stage
    ends = f" until {one.expires}" if one.expires else ""
    over = " (expired)" if one.expired else ""
    why = f": {one.reason}" if one.reason else ""
    return f"{one.word}: {where} by {one.actor}{ends}{over}{why}"
