"""Criteria that people meet: a review, an acceptance, comments that are dealt with; and waivers, for all criteria."""

from collections.abc import Sequence
from typing import TypeVar

from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import Assessment, Criterion, Kind, Verdict
from verifflowcc.domain.people import Decision, Feedback, Opinion, Review, Waiver
from verifflowcc.domain.sprints import SprintState
from verifflowcc.records import dataclass, replace
from verifflowcc.text.digest import digest_text
from verifflowcc.workflow.artifacts import artifacts_folder
from verifflowcc.workflow.people import latest_words, short_id
from verifflowcc.workflow.subject import subject_files

NAMELESS = "human:unknown"
"""A person whom git has no name for: nobody can say whether it is the author."""

_Said = TypeVar("_Said", Review, Waiver)
_UNIT = 1_000_000
_PEOPLE = frozenset({Kind.REVIEW, Kind.ATTESTATION})
_SHOWN = 3
_STRICT_WAIVERS = 2
_MEMORY = ".memory/"


def assess_review(criterion: Criterion, stage_id: str, facts: Facts, subject: str) -> Assessment:
    """Return whether enough people other than the author approved what lies there now (its digest is `subject`)."""
    return _judged(_Asked(criterion, stage_id, facts, subject, "approved", "approve"))


def assess_attestation(criterion: Criterion, stage_id: str, facts: Facts, subject: str) -> Assessment:
    """Return whether enough people other than the author accepted it in words of their own. Else as `assess_review`."""
    return _judged(_Asked(criterion, stage_id, facts, subject, "accepted", "accept"))


def assess_feedback(criterion: Criterion, stage_id: str, facts: Facts) -> Assessment:
    """Return whether each comment that concerns the stage was dealt with; to have none is a pass.

    The first stage answers for the comments of earlier sprints too, and for those on no stage.
    """
    waiting = [one for one in concerning(stage_id, facts.sprint, facts.feedback) if one.decision is Decision.OPEN]
    subject = digest_text("".join(f"{one.event}\n" for one in waiting))
    if not waiting:
        return Assessment(criterion, Verdict.PASS, "no comment is open", subject=subject)
    first = waiting[0]
    count = f"{len(waiting)} comments are open, the first" if len(waiting) > 1 else "a comment is open"
    doubt = f"; it was {first.reason}" if first.reason else ""
    short = short_id(first.event, [one.event for one in facts.feedback])
    return Assessment(
        criterion,
        Verdict.FAIL,
        f"{count}: {shortened(first.text)} ({first.actor}){doubt}",
        f"vfcc feedback triage {short} --done",
        tuple(one.event for one in waiting),
        subject,
    )


def concerning(stage_id: str, sprint: SprintState, comments: Sequence[Feedback]) -> tuple[Feedback, ...]:
    """Return the comments, dealt with or not, that concern a stage."""
    first = bool(sprint.stages) and sprint.stages[0].stage.id == stage_id
    return tuple(
        one
        for one in comments
        if (one.sprint == sprint.id and one.stage == stage_id) or (first and (one.sprint != sprint.id or not one.stage))
    )


def authors_of(criterion: Criterion, stage_id: str, facts: Facts, subject: str) -> tuple[str, ...]:
    """Return who made what is to be approved, as actors, sorted; empty where that is unknown.

    An artifact's author is the actor who stored these bytes with `stage put`. The other files are by those who asked
    for a review of this subject, by default by git's authors since the base.
    """
    asked = {
        one.actor
        for one in facts.reviews
        if one.opinion is Opinion.REQUESTED
        and (one.stage, one.criterion, one.subject) == (stage_id, criterion.id, subject)
    }
    putters = _putters(stage_id, facts)
    paths = [path for path, digest in subject_files(criterion, stage_id, facts) if (path, digest) not in putters]
    put = {actor for actors in putters.values() for actor in actors}
    if asked:
        return tuple(sorted(put | asked))
    if put and _anonymous(paths, facts):
        return ()
    by_git = facts.history.authors if facts.history else {}
    return tuple(sorted(put | {f"human:{name}" for path in paths for name in by_git.get(path, ())}))


def _putters(stage_id: str, facts: Facts) -> dict[tuple[str, str], set[str]]:
    """Return who stored each artifact that is still as it was stored, by (path below the root, digest).

    A person without a name could be the approver, and counts as unknown.
    """
    folder = artifacts_folder(facts.sprint.id, stage_id)
    present = {(one.artifact.path, one.artifact.digest) for one in facts.artifacts.get(stage_id, ())}
    found: dict[tuple[str, str], set[str]] = {}
    for put in facts.puts:
        if put.stage == stage_id and (put.path, put.digest) in present and put.actor != NAMELESS:
            found.setdefault((f"{folder}/{put.path}", put.digest), set()).add(put.actor)
    return found


def _anonymous(paths: Sequence[str], facts: Facts) -> bool:
    """Whether one of the files was changed in this sprint by somebody whom neither git nor `stage put` names.

    Without this, one artifact that an agent stored would lend its author to a person's own files beside it.
    """
    if facts.history is None or facts.history.problem:
        return bool(paths)
    changed = {each.path for each in facts.history.changes}
    return any(path not in facts.history.authors and (path in changed or path.startswith(_MEMORY)) for path in paths)


def same_person(one: str, other: str) -> bool:
    """Whether two actors are one person, however their name is spaced and capitalised.

    >>> same_person("human:Jo Doe", "human:jo  doe"), same_person("human:Jo", "agent:Jo")
    (True, False)
    """
    return _name(one) == _name(other)


def approve_command(criterion: Criterion, stage_id: str, sprint: SprintState) -> str:
    """Return the command that approves; it names the criterion where the stage has several that people meet."""
    stage = sprint.stage(stage_id)
    alike = [one for one in (*stage.stage.enter, *stage.stage.exit) if one.kind in _PEOPLE] if stage else []
    which = f" --criterion {criterion.id}" if len(alike) > 1 else ""
    words = ' --statement "…"' if criterion.kind is Kind.ATTESTATION else ""
    return f"vfcc approve {stage_id}{which}{words}"


def apply_waiver(assessment: Assessment, stage_id: str, facts: Facts) -> Assessment:
    """Return the assessment as waived where a waiver holds for exactly what was looked at, today.

    Strict workflows need two people's. A waiver that does not hold changes no verdict and is told in the notes. What
    cannot be waived stays as it is, whatever the ledger holds.
    """
    if assessment.met:
        return assessment
    criterion = assessment.criterion
    given = [one for one in facts.waivers if (one.stage, one.criterion) == (stage_id, criterion.id)]
    if not given:
        return assessment
    if not criterion.waivable:
        return _noted(assessment, [f"the waiver by {given[-1].actor} counts for nothing: this cannot be waived"])
    good = by_person([one for one in given if not waiver_fault(one, assessment, facts.today)])
    strict = bool(facts.sprint.workflow and facts.sprint.workflow.strict)
    needed = _STRICT_WAIVERS if strict else 1
    if len(good) < needed:
        told = [f"waived by {one.actor}, {place} of {needed}" for place, one in enumerate(good, 1)]
        told += [fault for one in given if (fault := waiver_fault(one, assessment, facts.today))]
        return _noted(assessment, told)
    last = max(good, key=lambda one: (one.expires is None, one.expires or ""))
    who = " and ".join(one.actor for one in good)
    ends = min((one.expires for one in good if one.expires), default=None) if strict else last.expires
    note = f"waived by {who}{f' until {ends}' if ends else ''}: {last.reason}"
    used = (*assessment.used, *(one.event for one in good))
    waived = replace(assessment, verdict=Verdict.WAIVED, step="", file="", used=used, waiver=last.event)
    return _noted(waived, [note])


def waiver_fault(waiver: Waiver, assessment: Assessment, today: str) -> str:
    """Return why a waiver does not hold; empty where it does."""
    if not waiver.actor.startswith("human:"):
        return f"the waiver by {waiver.actor} counts for nothing: only people waive"
    if waiver.subject != waived_subject(assessment):
        return f"the waiver by {waiver.actor} was for other content than lies there now"
    if expired(waiver.expires, today):
        return f"the waiver by {waiver.actor} expired on {waiver.expires}"
    return ""


def waived_subject(assessment: Assessment) -> str:
    """Return the digest that a waiver of this assessment names: its subject, else a digest of what is wrong."""
    if assessment.subject.startswith("sha256:"):
        return assessment.subject
    return digest_text(assessment.subject or f"{assessment.criterion.id}: {assessment.reason}")


def expired(expires: str | None, today: str) -> bool:
    """Whether a last day is over; both are days (`2026-12-31`), the last one still counts.

    >>> expired("2026-12-31", "2026-12-31"), expired("2026-12-30", "2026-12-31"), expired(None, "2026-12-31")
    (False, True, False)
    """
    return expires is not None and expires < today


def shortened(text: str, longest: int = 60) -> str:
    """Return a comment as a reason quotes it.

    >>> shortened("a b c d", 4)
    "'a b…'"
    """
    return f"'{text}'" if len(text) <= longest else f"'{text[: longest - 1].rstrip()}…'"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A criterion that people meet; `done` and `verb` are the words for it."""

    criterion: Criterion
    stage: str
    facts: Facts
    subject: str
    done: str
    verb: str

    @property
    def needed(self) -> int:
        counted = "acceptances" if self.criterion.kind is Kind.ATTESTATION else "approvals"
        return max(1, -(-self.criterion.at_least.get(counted, _UNIT) // _UNIT))

    @property
    def step(self) -> str:
        return approve_command(self.criterion, self.stage, self.facts.sprint)

    def becomes(
        self, verdict: Verdict, reason: str, used: Sequence[Review] = (), step: str | None = None
    ) -> Assessment:
        following = "" if verdict is Verdict.PASS else self.step if step is None else step
        return Assessment(
            self.criterion, verdict, reason, following, tuple(one.event for one in used), subject=self.subject
        )


def _judged(asked: _Asked) -> Assessment:
    facts, stage = asked.facts, asked.stage
    if not subject_files(asked.criterion, stage, facts):
        folder = artifacts_folder(facts.sprint.id, stage)
        return asked.becomes(Verdict.NOT_EVALUABLE, f"there is nothing to {asked.verb}", step=f"write into {folder}/")
    said = [one for one in facts.reviews if (one.stage, one.criterion) == (stage, asked.criterion.id)]
    standing = latest_words(said)
    rejected = [one for one in standing if one.opinion is Opinion.REJECTED]
    if rejected:
        return asked.becomes(Verdict.FAIL, _rejection(rejected, asked), rejected)
    approved = [one for one in standing if one.opinion is Opinion.APPROVED and _speaks(one, asked.criterion)]
    authors = authors_of(asked.criterion, stage, facts, asked.subject)
    if not authors:
        return _without_author(asked, approved)
    return _counted(asked, approved, authors, [one for one in said if one.opinion is Opinion.REQUESTED])


def _counted(
    asked: _Asked, approved: Sequence[Review], authors: tuple[str, ...], requests: Sequence[Review]
) -> Assessment:
    faults = {one.event: _fault(one, asked, authors) for one in approved}
    good = by_person([one for one in approved if not faults[one.event]])
    who = _listed([f"{one.actor}{f' until {one.expires}' if one.expires else ''}" for one in good])
    if len(good) >= asked.needed:
        return asked.becomes(Verdict.PASS, f"{asked.done} by {who}", good)
    told = [f"{len(good)} of {asked.needed} approvals, by {who}"] if good else []
    told += [fault for one in reversed(approved) if (fault := faults[one.event])]
    if told:
        return asked.becomes(Verdict.FAIL, "; ".join(told[:_SHOWN]), approved)
    now = [one for one in requests if one.subject == asked.subject]
    wish = f"; {now[-1].actor} asks for it" if now else ""
    return asked.becomes(Verdict.NOT_EVALUABLE, f"nobody has {asked.done} it yet{wish}", now)


def _without_author(asked: _Asked, approved: Sequence[Review]) -> Assessment:
    """Nobody can be told apart from an author who is not known; what is wrong without that is told first."""
    command = approve_command(asked.criterion, asked.stage, asked.facts.sprint).partition(" --statement")[0]
    step = f"{command} --request  # by its author"
    told = [fault for one in reversed(approved) if (fault := _fault(one, asked, ()))]
    if told and len(told) == len(approved):
        return asked.becomes(Verdict.FAIL, "; ".join(told[:_SHOWN]), approved, step)
    already = f"{asked.done} by {approved[-1].actor}, but " if approved else ""
    return asked.becomes(Verdict.NOT_EVALUABLE, f"{already}nobody is known as its author", approved, step)


def _fault(review: Review, asked: _Asked, authors: Sequence[str]) -> str:
    """Return why an approval does not count; empty where it does."""
    by = f"{asked.done} by {review.actor}"
    if not review.actor.startswith("human:"):
        return f"{by}, whose word opens no gate"
    if review.subject != asked.subject:
        return f"{by}, but {_changed(review, asked)} changed since"
    if expired(review.expires, asked.facts.today):
        return f"{by}, but that expired on {review.expires}"
    if review.actor == NAMELESS:
        return f"{by}, whom git has no name for: it may be the author"
    if any(same_person(review.actor, author) for author in authors):
        return f"{by}, who is its author"
    return ""


def _rejection(rejected: Sequence[Review], asked: _Asked) -> str:
    last = rejected[-1]
    since = "" if last.subject == asked.subject else f" ({_changed(last, asked)} changed since)"
    others = f", and by {_listed([one.actor for one in rejected[:-1]])}" if len(rejected) > 1 else ""
    return f"rejected by {last.actor}: {shortened(last.reason)}{since}{others}; who rejects takes it back by approving"


def _changed(review: Review, asked: _Asked) -> str:
    """Name the files that differ from what the reviewer saw, as far as that is on record."""
    now = dict(subject_files(asked.criterion, asked.stage, asked.facts))
    folder = f"{artifacts_folder(asked.facts.sprint.id, asked.stage)}/"
    differ = sorted(path for path in {*review.seen, *now} if review.seen.get(path) != now.get(path))
    if not review.seen or not differ:
        return "what it covers"
    names = [path.removeprefix(folder) for path in differ]
    return _listed(names if len(names) <= _SHOWN else [*names[: _SHOWN - 1], f"{len(names) - _SHOWN + 1} more"])


def _speaks(review: Review, criterion: Criterion) -> bool:
    """An acceptance is one in words; a review needs none."""
    return bool(review.statement.strip()) == (criterion.kind is Kind.ATTESTATION)


def by_person(said: Sequence[_Said]) -> list[_Said]:
    """Return one for each person, the latest."""
    return list({_name(one.actor): one for one in said}.values())


def _noted(assessment: Assessment, notes: Sequence[str]) -> Assessment:
    return replace(assessment, notes=(*assessment.notes, *notes))


def _name(actor: str) -> str:
    return " ".join(actor.casefold().split())


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "nobody"
