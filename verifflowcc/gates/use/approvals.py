"""Approve, accept, reject, or ask for a review of what a stage made."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from verifflowcc.base.errors import ConflictError, LedgerError, NotAllowed, UsageError
from verifflowcc.base.formats.event_bytes import make_event
from verifflowcc.base.model.events import Event, EventType, Json, LedgerRead
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import PEOPLE, Assessment, Criterion, CriterionKind, Gate
from verifflowcc.base.model.people import Contributor, Opinion, Review
from verifflowcc.base.model.sprint_state import Artifact, Fork, Move, SprintState
from verifflowcc.base.records import dataclass, replace
from verifflowcc.base.text.identifiers import only_fitting
from verifflowcc.base.text.plain_words import nearest
from verifflowcc.base.use.guarding import refuse_secrets
from verifflowcc.base.use.stage_words import find_stage, one_line, stage_meant
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.artifact_criteria import Authorship, authorship, subject_files
from verifflowcc.gates.rules.gate_check import entry_gate, exit_gate
from verifflowcc.gates.rules.people_criteria import approve_command, author_step
from verifflowcc.gates.use.gates_now import gates_of, sound_facts
from verifflowcc.gates.use.recorded_edits import adopt_recorded_edits
from verifflowcc.sprint.rules.sprint_fold import fold
from verifflowcc.sprint.rules.sprint_people import latest_words, reviews
from verifflowcc.sprint.rules.stage_moves import approval_line, approves
from verifflowcc.sprint.use.people_acting import (
    Transition,
    add_note,
    address,
    last_day,
    refresh_progress,
    require_open,
    require_person,
    settle,
)
from verifflowcc.sprint.use.sprint_reading import ledger_of, load_movable, load_sprint, unsound

if TYPE_CHECKING:
    from verifflowcc.base.git.git_signatures import VerifiedCommit


# The gates in which people are asked something, and which criterion is meant.

Found = tuple[Gate, Assessment]


def chosen_gates(workspace: Workspace, state: SprintState, stage_id: str | None) -> tuple[Facts, tuple[Gate, ...]]:
    """Return the facts and both gates of the stage that is named.

    Where none is, the exit of the stage in work (else the last) and the entry of the one that follows: what is in
    the way now. Raises UsageError for an unknown stage, LedgerError where evidence is not what vfcc wrote.
    """
    if stage_id is not None:
        find_stage(state, stage_id)
    facts = sound_facts(workspace, state)
    if stage_id is not None:
        return facts, (exit_gate(stage_id, facts), entry_gate(stage_id, facts))
    return facts, gates_of(state, stage_meant(state, None).stage.id, facts).gates


def pick(found: Sequence[Found], criterion_id: str | None, command: str) -> Found:
    """Return the criterion of that id, not met before met; without an id the only one, or the only one not met.

    `command` is what the person types, without `--criterion`. Raises UsageError for an unknown id, with the nearest
    one, and where several are meant.
    """
    unmet = [pair for pair in found if not pair[1].met]
    if criterion_id is not None:
        named = [pair for pair in (*unmet, *found) if pair[1].criterion.id == criterion_id]
        if named:
            return named[0]
        known = [one.criterion.id for _, one in found]
        near = nearest(criterion_id, known)
        more = f"did you mean {near}?" if near else f"there is {', '.join(dict.fromkeys(known))}"
        raise UsageError(
            f"there is no criterion {criterion_id} here; {more}", hint=f"vfcc check gate {found[0][0].stage}"
        )
    if len(unmet) == 1 or len(found) == 1:
        return (unmet or found)[0]
    names = list(dict.fromkeys(one.criterion.id for _, one in (unmet or found)))
    raise UsageError(f"several criteria are meant: {', '.join(names)}", hint=f"{command} --criterion {names[0]}")


MOST_SEEN = 200
"""So many files are named in an approval, so that it can be told which changed; of more, their one digest is."""


@dataclass(frozen=True, slots=True)
class ApprovalSubject:
    """What there is to approve: the criterion, as it was asked, and the files that it speaks of.

    `line` is what the message of a signed commit says to approve it; `command` is what a person types. `author_step`
    is what an author who is not known yet types first.
    """

    sprint: str
    stage: str
    criterion: Criterion
    asked: Assessment
    files: tuple[Artifact, ...]
    written: Authorship
    line: str
    command: str
    author_step: str

    @property
    def in_words(self) -> bool:
        """Whether it is accepted in words of one's own."""
        return self.criterion.kind is CriterionKind.ATTESTATION


@dataclass(frozen=True, slots=True)
class Opinions:
    """What a reviewer says; `expires` is a day as it was typed."""

    opinion: Opinion
    reason: str = ""
    statement: str = ""
    expires: str | None = None


@dataclass(frozen=True, slots=True)
class Approval:
    """A word that is on record, what became of the criterion by it, and how it got there."""

    review: Review
    assessment: Assessment
    commit_line: str
    """The line for a signed commit."""
    move: Transition


def what_to_approve(
    workspace: Workspace, sprint_id: str, stage_id: str | None = None, criterion_id: str | None = None
) -> ApprovalSubject:
    """Return what a stage (default: the active one) has for people to approve.

    The only such criterion, or the only one that is not met. The ledger takes over recorded edits first, so that the
    authors are known. Raises UsageError where there is none, or several and none is named, or no file to approve.
    """
    adopt_recorded_edits(workspace, sprint_id)
    state = load_movable(workspace, sprint_id)[1]
    require_open(state)
    facts, gates = chosen_gates(workspace, state, stage_id)
    found = [
        (gate, one)
        for gate in gates
        for one in gate.assessments
        if one.criterion.kind in (*PEOPLE, CriterionKind.RULES)
    ]
    where = stage_id or gates[0].stage
    if not found:
        raise UsageError(f"{where} has nothing that people approve", hint=f"vfcc check gate {where}")
    gate, asked = pick(_meant(found, criterion_id), criterion_id, f"vfcc approve {where}")
    return _approvable(workspace, state, facts, gate, asked)


def _meant(found: Sequence[tuple[Gate, Assessment]], criterion_id: str | None) -> Sequence[tuple[Gate, Assessment]]:
    """Leave out the rules where none is named and people still owe something that the workflow asks."""
    asked = [pair for pair in found if pair[1].criterion.kind is not CriterionKind.RULES]
    return asked if criterion_id is None and any(not each.met for _, each in asked) else found


def check_word(workspace: Workspace, what: ApprovalSubject, opinions: Opinions, *, actor: str, email: str = "") -> None:
    """Raise what `approve` would raise, before anybody is asked whether they mean it."""
    require_person(actor, "approving", hint=f"{what.command} --request  # anybody may ask for a review")
    _checked(workspace, what, opinions)
    if opinions.opinion is Opinion.APPROVED:
        _require_another(what, Contributor(actor, email))


def approve(
    workspace: Workspace,
    what: ApprovalSubject,
    opinions: Opinions,
    *,
    actor: str,
    email: str = "",
    commit: bool = False,
) -> Approval:
    """Record a person's approval, acceptance or rejection of what was shown.

    Raises NotAllowed for anybody but a named person, and for the author's own approval; ConflictError where the files
    are no longer what was shown; UsageError for a rejection without a reason, an acceptance without a statement, and a
    last day that is none or over.
    """
    check_word(workspace, what, opinions, actor=actor, email=email)
    return _record(workspace, what, _checked(workspace, what, opinions), Contributor(actor, email), None, commit=commit)


def request_review(
    workspace: Workspace, what: ApprovalSubject, *, actor: str, email: str = "", commit: bool = False
) -> Approval:
    """Record that `actor` asks for a review, as one more of its authors; anybody may."""
    return _record(workspace, what, Opinions(Opinion.REQUESTED), Contributor(actor, email), None, commit=commit)


def approve_signed(
    workspace: Workspace, what: ApprovalSubject, opinions: Opinions, signed: str, *, commit: bool = False
) -> Approval:
    """Record the approval in a signed commit; the approver is the commit's author.

    Anybody may hand the commit in. Raises NotAllowed where the signature is not good, or the message does not approve
    this very content, where it names another person than its signer, and for the author's own work.
    """
    from verifflowcc.base.git.git_signatures import verified_commit
    from verifflowcc.gates.use.promotion_signers import name_of_another

    if opinions.opinion is not Opinion.APPROVED:
        raise UsageError("a signed commit approves; a rejection is made at a terminal")
    vouching = verified_commit(workspace.root, signed)
    if not vouching.good:
        raise NotAllowed(
            f"the commit {signed} vouches for nothing: {vouching.reason}",
            hint=vouching.step or f"git verify-commit {signed}",
        )
    actor = f"human:{vouching.author}"
    if not approves(vouching.message, what.sprint, what.stage, what.asked.subject):
        raise NotAllowed(f"the commit {vouching.sha[:12]} does not say {what.line!r}", hint=f"{what.command} --request")
    opinions = _checked(workspace, what, opinions)
    if opinions.statement and opinions.statement not in " ".join(vouching.message.split()):
        raise NotAllowed(f"the commit {vouching.sha[:12]} does not hold the statement; accept in its own words")
    require_person(actor, "approving", hint=what.command)
    if another := name_of_another(workspace, load_movable(workspace, what.sprint)[1], vouching):
        raise NotAllowed(f"the commit {vouching.sha[:12]}: {another}", hint=f"{what.command}  # at a terminal")
    by = Contributor(actor, vouching.email)
    _require_another(what, by)
    _require_no_rejection(workspace, what, actor, vouching.sha)
    made = _record(workspace, what, opinions, by, vouching, commit=commit)
    return replace(made, move=replace(made.move, notes=(*made.move.notes, vouching.reason)))


def _approvable(
    workspace: Workspace, state: SprintState, facts: Facts, gate: Gate, asked: Assessment
) -> ApprovalSubject:
    criterion, stage = asked.criterion, gate.stage
    rules = criterion.kind is CriterionKind.RULES
    files = tuple((each.path, each.digest) for each in facts.rules) if rules else subject_files(criterion, stage, facts)
    if not files:
        raise UsageError(f"there is nothing to approve in {stage}: {asked.reason}", hint=f"vfcc check gate {stage}")
    written = _who_changed(facts) if rules else authorship(criterion, stage, facts)
    return ApprovalSubject(
        sprint=state.id,
        stage=stage,
        criterion=criterion,
        asked=asked,
        files=tuple(Artifact(path, digest, _size(workspace, path)) for path, digest in files),
        written=written,
        line=approval_line(state.id, stage, asked.subject),
        command=approve_command(criterion, stage, state).partition(" --statement")[0],
        author_step=author_step(criterion, stage, facts, written),
    )


def _who_changed(facts: Facts) -> Authorship:
    """Return the authors of the changed rules, of whom any may approve them."""
    names = sorted({name for each in facts.rules for name in each.authors})
    return Authorship(tuple(Contributor(f"human:{name}") for name in names))


def _size(workspace: Workspace, path: str) -> int:
    try:
        return (workspace.root / path).stat().st_size
    except OSError:
        return 0


def _checked(workspace: Workspace, what: ApprovalSubject, opinions: Opinions) -> Opinions:
    reason, statement = one_line(opinions.reason, "the reason"), one_line(opinions.statement, "the statement")
    expires = last_day(opinions.expires, workspace.today())
    if opinions.opinion is Opinion.REJECTED:
        if not reason:
            raise UsageError("a rejection needs a reason", hint=f'{what.command} --reject --reason "what is missing"')
        return Opinions(Opinion.REJECTED, reason)
    if what.in_words and not statement:
        raise UsageError(
            f"{what.criterion.id} is accepted in words", hint=f'{what.command} --statement "what you saw it do"'
        )
    if statement and not what.in_words:
        raise UsageError(f"{what.criterion.id} is a review, which takes no --statement", hint=what.command)
    return Opinions(opinions.opinion, reason, statement, expires)


def _require_another(what: ApprovalSubject, who: Contributor) -> None:
    if what.criterion.kind is CriterionKind.RULES:
        return  # it needs a person who saw the change, and that may be its author
    author = next((each for each in what.written.authors if who.is_same(each)), None)
    if author:
        known_as = f" (recorded as {author})" if author.actor != who.actor else ""
        raise NotAllowed(
            f"{who.actor} is an author of {what.stage} and cannot approve it{known_as}",
            hint=f"{what.command}  # by somebody else",
        )
    if not what.written.is_known:
        raise NotAllowed(f"{what.stage}: {what.written.doubt}", hint=what.author_step)


def _require_no_rejection(workspace: Workspace, what: ApprovalSubject, actor: str, sha: str) -> None:
    """A signed commit can be handed in at any time, by anybody: it speaks once, and takes no rejection back."""
    own = _own(load_movable(workspace, what.sprint)[1], what, actor)
    if any(one.opinion is Opinion.REJECTED for one in latest_words(own)):
        raise NotAllowed(f"{actor} has rejected it, and takes that back at a terminal", hint=what.command)
    for one in own:
        if one.signed == sha and one.subject == what.asked.subject:
            raise UsageError(f"the approval of the commit {sha[:12]} is on record already", hint="vfcc status")


def _record(
    workspace: Workspace,
    what: ApprovalSubject,
    opinions: Opinions,
    by: Contributor,
    signed: "VerifiedCommit | None",
    *,
    commit: bool,
) -> Approval:
    now = what_to_approve(workspace, what.sprint, what.stage, what.criterion.id)
    if now.asked.subject != what.asked.subject:
        raise ConflictError("what was shown has changed since; nothing was recorded", hint=what.command)
    attested = what.in_words and opinions.opinion is Opinion.APPROVED
    kind = EventType.ATTESTED if attested else EventType.REVIEW_RECORDED

    def payload(state: SprintState) -> dict[str, Json]:
        own = [one.event for one in latest_words(_own(state, what, by.actor))]
        word: dict[str, Json] = {"statement": opinions.statement} if attested else {"verdict": str(opinions.opinion)}
        return {
            **word,
            "stage": what.stage,
            "criterion": what.criterion.id,
            "digest": what.asked.subject,
            "reason": opinions.reason or None,
            "expires": opinions.expires,
            "signed": signed.sha if signed else None,
            "replaces": list(own) if opinions.opinion is not Opinion.REQUESTED else [],
            "seen": dict(_seen(what)),
            **({"key": signed.key} if signed and signed.key else {}),
            **address(by.email),
        }

    done = add_note(workspace, what.sprint, kind, payload, actor=by.actor)
    done = settle(workspace, done, f"{what.sprint}: {what.stage} {opinions.opinion}", commit=commit)
    after = what_to_approve(workspace, what.sprint, what.stage, what.criterion.id)
    return Approval(reviews([done.event])[0], after.asked, what.line, done)


def _own(state: SprintState, what: ApprovalSubject, actor: str) -> list[Review]:
    """Return the reviews of this criterion by `actor`."""
    return [
        one
        for one in reviews(state.notes)
        if (one.stage, one.criterion, one.actor) == (what.stage, what.criterion.id, actor)
    ]


def _seen(what: ApprovalSubject) -> Iterator[tuple[str, str]]:
    there = [one for one in what.files if one.digest]
    return ((one.path, one.digest) for one in there) if len(there) <= MOST_SEEN else iter(())


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
    hint = f"vfcc sprint resolve {sprint_id}"
    found = only_fitting(keep, sides, "sides of the fork", hint=hint)
    if found:
        return sides[found]
    listed = " or ".join(f"{move.event} ({move.actor} {move.action})" for move in fork.moves)
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
