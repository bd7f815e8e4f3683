"""Criteria that people meet: a review, an acceptance, comments that are dealt with; and waivers, for all criteria."""

from collections.abc import Sequence
from typing import TypeVar

from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import PEOPLE, Assessment, Criterion, CriterionKind, Verdict
from verifflowcc.base.model.people import NAMELESS, Decision, Opinion, Review, Waiver, one_each
from verifflowcc.base.model.sprint_state import SprintState, artifacts_folder
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.canonical import digest_text
from verifflowcc.base.text.identifiers import short_ids
from verifflowcc.gates.rules.artifact_criteria import Authorship, authorship, objection_to, subject_files, subject_of
from verifflowcc.sprint.rules.sprint_people import concerning, expired, latest_words

_Statement = TypeVar("_Statement", Review, Waiver)
_UNIT = 1_000_000
_SHOWN = 3
_STRICT_WAIVERS = 2


def assess_review(criterion: Criterion, stage_id: str, facts: Facts) -> Assessment:
    """Return whether enough people other than the author approved the content as it is now."""
    subject = subject_of(criterion, stage_id, facts)
    return _judged(_PeopleCriterion(criterion, stage_id, facts, subject, "approved", "approve"))


def assess_attestation(criterion: Criterion, stage_id: str, facts: Facts) -> Assessment:
    """Return whether enough people other than the author accepted it in words of their own. Else as `assess_review`."""
    subject = subject_of(criterion, stage_id, facts)
    return _judged(_PeopleCriterion(criterion, stage_id, facts, subject, "accepted", "accept"))


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
    short = short_ids(one.event for one in facts.feedback)[first.event]
    return Assessment(
        criterion,
        Verdict.FAIL,
        f"{count}: {shortened(first.text)} ({first.actor}){doubt}",
        f"vfcc feedback triage {short} --done",
        tuple(one.event for one in waiting),
        subject,
    )


def approve_command(criterion: Criterion, stage_id: str, sprint: SprintState) -> str:
    """Return the command that approves; it names the criterion where the stage has several that people meet."""
    stage = sprint.stage(stage_id)
    alike = [one for one in (*stage.stage.enter, *stage.stage.exit) if one.kind in PEOPLE] if stage else []
    which = f" --criterion {criterion.id}" if len(alike) > 1 else ""
    words = ' --statement "…"' if criterion.kind is CriterionKind.ATTESTATION else ""
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
    faults = {one.event: waiver_fault(one, assessment, stage_id, facts) for one in given}
    good = by_person([one for one in given if not faults[one.event]])
    strict = bool(facts.sprint.workflow and facts.sprint.workflow.strict)
    needed = _STRICT_WAIVERS if strict else 1
    if len(good) < needed:
        notes = [f"waived by {one.actor}, {place} of {needed}" for place, one in enumerate(good, 1)]
        notes += [fault for one in given if (fault := faults[one.event])]
        return _noted(assessment, notes)
    last = max(good, key=lambda one: (one.expires is None, one.expires or ""))
    who = " and ".join(one.actor for one in good)
    ends = min((one.expires for one in good if one.expires), default=None) if strict else last.expires
    note = f"waived by {who}{f' until {ends}' if ends else ''}: {last.reason}"
    used = (*assessment.used, *(one.event for one in good))
    waived = replace(assessment, verdict=Verdict.WAIVED, step="", file="", used=used, waiver=last.event)
    return _noted(waived, [note])


def waiver_fault(waiver: Waiver, assessment: Assessment, stage_id: str, facts: Facts) -> str:
    """Return why a waiver does not hold; empty where it does."""
    if not waiver.actor.startswith("human:"):
        return f"the waiver by {waiver.actor} counts for nothing: only people waive"
    if waiver.subject != waived_subject(assessment):
        return f"the waiver by {waiver.actor} was for other content than lies there now"
    if expired(waiver.expires, facts.today):
        return f"the waiver by {waiver.actor} expired on {waiver.expires}"
    objection = objection_to(waiver.by, assessment.criterion, stage_id, facts)
    return f"the waiver by {waiver.actor} counts for nothing: {objection}" if objection else ""


def waived_subject(assessment: Assessment) -> str:
    """Return the digest that a waiver of this assessment names: its subject, else a digest of what is wrong."""
    if assessment.subject.startswith("sha256:"):
        return assessment.subject
    return digest_text(assessment.subject or f"{assessment.criterion.id}: {assessment.reason}")


def shortened(text: str, longest: int = 60) -> str:
    """Return a comment as a reason quotes it.

    >>> shortened("a b c d", 4)
    "'a b…'"
    """
    return f"'{text}'" if len(text) <= longest else f"'{text[: longest - 1].rstrip()}…'"


@dataclass(frozen=True, slots=True)
class _PeopleCriterion:
    """A criterion that people meet; `done` and `verb` are the words for it."""

    criterion: Criterion
    stage: str
    facts: Facts
    subject: str
    done: str
    verb: str

    @property
    def needed(self) -> int:
        counted = "acceptances" if self.criterion.kind is CriterionKind.ATTESTATION else "approvals"
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


def _judged(asked: _PeopleCriterion) -> Assessment:
    facts, stage = asked.facts, asked.stage
    if not subject_files(asked.criterion, stage, facts):
        folder = artifacts_folder(facts.sprint.id, stage)
        return asked.becomes(Verdict.NOT_EVALUABLE, f"there is nothing to {asked.verb}", step=f"write into {folder}/")
    on_record = [one for one in facts.reviews if (one.stage, one.criterion) == (stage, asked.criterion.id)]
    current = latest_words(on_record)
    rejected = [one for one in current if one.opinion is Opinion.REJECTED]
    if rejected:
        return asked.becomes(Verdict.FAIL, _rejection(rejected, asked), rejected)
    approved = [one for one in current if one.opinion is Opinion.APPROVED and _speaks(one, asked.criterion)]
    found = authorship(asked.criterion, stage, facts)
    if not found.is_known:
        return _without_author(asked, approved, found)
    return _counted(asked, approved, found, [one for one in on_record if one.opinion is Opinion.REQUESTED])


def _counted(
    asked: _PeopleCriterion, approved: Sequence[Review], found: Authorship, requests: Sequence[Review]
) -> Assessment:
    faults = {one.event: _fault(one, asked, found) for one in approved}
    good = by_person([one for one in approved if not faults[one.event]])
    who = _listed([f"{one.actor}{f' until {one.expires}' if one.expires else ''}" for one in good])
    if len(good) >= asked.needed:
        return asked.becomes(Verdict.PASS, f"{asked.done} by {who}", good)
    clauses = [f"{len(good)} of {asked.needed} approvals, by {who}"] if good else []
    clauses += [fault for one in reversed(approved) if (fault := faults[one.event])]
    if clauses:
        return asked.becomes(Verdict.FAIL, "; ".join(clauses[:_SHOWN]), approved)
    now = [one for one in requests if one.subject == asked.subject]
    wish = f"; {now[-1].actor} asks for it" if now else ""
    return asked.becomes(Verdict.NOT_EVALUABLE, f"not {asked.done} yet{wish}", now)


def _without_author(asked: _PeopleCriterion, approved: Sequence[Review], found: Authorship) -> Assessment:
    """An approver cannot be compared with an unknown author; the faults that are certain come first."""
    step = author_step(asked.criterion, asked.stage, asked.facts, found)
    faults = [fault for one in reversed(approved) if (fault := _fault(one, asked, Authorship(found.authors)))]
    if faults and len(faults) == len(approved):
        return asked.becomes(Verdict.FAIL, "; ".join(faults[:_SHOWN]), approved, step)
    already = f"{asked.done} by {approved[-1].actor}, but vfcc " if approved else ""
    return asked.becomes(Verdict.NOT_EVALUABLE, f"{already}{found.doubt}", approved, step)


def author_step(criterion: Criterion, stage_id: str, facts: Facts, found: Authorship) -> str:
    """Return the command by which the author of a file without one puts their name on record."""
    path = next(iter(found.unknown), "")
    if facts.history and path in facts.history.unsaved:
        import shlex  # few gates name a path

        place = shlex.quote(path)
        return f'git add {place} && git commit -m "{facts.sprint.id}: {stage_id}" -- {place}  # by its author'
    command = approve_command(criterion, stage_id, facts.sprint).partition(" --statement")[0]
    return f"{command} --request  # by the person who wrote {path or 'it'}"


def _fault(review: Review, asked: _PeopleCriterion, found: Authorship) -> str:
    """Return why an approval does not count; empty where it does. That an author is not known is no fault of it."""
    by = f"{asked.done} by {review.actor}"
    if not review.actor.startswith("human:"):
        return f"{by}, whose word opens no gate"
    if review.subject != asked.subject:
        return f"{by}, but {_changed(review, asked)} changed since"
    if expired(review.expires, asked.facts.today):
        return f"{by}, but that expired on {review.expires}"
    if review.actor == NAMELESS:
        return f"{by}, whom git has no name for: it may be the author"
    if any(review.by.is_same(author) for author in found.authors):
        return f"{by}, who is its author"
    return ""


def _rejection(rejected: Sequence[Review], asked: _PeopleCriterion) -> str:
    last = rejected[-1]
    since = "" if last.subject == asked.subject else f" ({_changed(last, asked)} changed since)"
    others = f", and by {_listed([one.actor for one in rejected[:-1]])}" if len(rejected) > 1 else ""
    return f"rejected by {last.actor}: {shortened(last.reason)}{since}{others}; who rejects takes it back by approving"


def _changed(review: Review, asked: _PeopleCriterion) -> str:
    """Name the files that differ from what the reviewer saw, as far as that is on record."""
    now = dict(subject_files(asked.criterion, asked.stage, asked.facts))
    folder = f"{artifacts_folder(asked.facts.sprint.id, asked.stage)}/"
    differ = sorted(path for path in {*review.file_digests, *now} if review.file_digests.get(path) != now.get(path))
    if not review.file_digests or not differ:
        return "what it covers"
    names = [path.removeprefix(folder) for path in differ]
    return _listed(names if len(names) <= _SHOWN else [*names[: _SHOWN - 1], f"{len(names) - _SHOWN + 1} more"])


def _speaks(review: Review, criterion: Criterion) -> bool:
    """An acceptance is one in words; a review needs none."""
    return bool(review.statement.strip()) == (criterion.kind is CriterionKind.ATTESTATION)


def by_person(statements: Sequence[_Statement]) -> list[_Statement]:
    """Return one for each person, the latest."""
    return one_each(statements, lambda one: one.by)


def _noted(assessment: Assessment, notes: Sequence[str]) -> Assessment:
    return replace(assessment, notes=(*assessment.notes, *notes))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "no one"
