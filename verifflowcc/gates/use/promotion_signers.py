"""Find the commits that vouch for approvals and waivers, and who signed them.

No command can reproduce a person's word. What can be seen is whether it was committed by the one whose word it is, and
whether that commit is signed. An event that was planted is uncommitted, or was committed by somebody else.
"""

from collections.abc import Iterator, Sequence

from verifflowcc.base.errors import VfccError
from verifflowcc.base.git.git_place import in_repository
from verifflowcc.base.git.git_signatures import VerifiedCommit, added_by, authors_of, verified_commit
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import PEOPLE, Mode
from verifflowcc.base.model.people import Contributor, Opinion, Review, fold_name
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.artifact_criteria import authorship, subject_of
from verifflowcc.sprint.rules.measured_verdict import reason_of_refactoring
from verifflowcc.sprint.rules.sprint_fold import event_file
from verifflowcc.sprint.rules.stage_moves import approves

# Whether a signed commit names somebody else than the person whose key signed it.
#
# A key proves what the machine's file of trusted signers has for it: an address as a rule, or a bare name. The
# commit's author writes the other half freely, so that a holder of a trusted key could sign as `Boss
# <own@example.org>`.

_PERSON = "human:"


def name_of_another(workspace: Workspace, state: SprintState, commit: VerifiedCommit, before: str = "") -> str:
    """Return why the author of a commit with a good signature is another person than its signer, else an empty text.

    The half that the key does not prove is another person's where the commits before it, or the sprint's events before
    the event `before`, have it with another half. A pair that was in the history when the sprint started is left
    alone: people have several addresses.
    """
    own = _pair(commit.author, commit.email)
    proven = _proven(commit)
    if len(proven) == len(own):
        return ""
    known = [*authors_of(workspace.root, commit.sha, skip=1), *_on_record(state, before)]
    place = 0 if own[1] in proven else 1
    other = next((each for each in known if _pair(*each)[place] == own[place] and _pair(*each) != own), None)
    if other is None or any(_pair(*each) == own for each in _at_start(workspace, state)):
        return ""
    return (
        f"its key proves {commit.signer} alone, and the commit names {commit.author} <{commit.email}>,"
        f" who is known as {other[0]} <{other[1]}>"
    )


def _proven(commit: VerifiedCommit) -> set[str]:
    """Return which half of the author the signer's key proves, folded; both, where a gpg key has the same name."""
    name, _, address = commit.signer.rpartition("<")
    bare = address.removesuffix(">")
    return {each for each in _pair(name or bare, bare) if each in _pair(commit.author, commit.email)}


def _on_record(state: SprintState, before: str) -> Iterator[tuple[str, str]]:
    for event in state.notes:
        if event.id == before:
            return
        email = event.payload.get("email")
        if event.actor.startswith(_PERSON) and isinstance(email, str) and email:
            yield event.actor.removeprefix(_PERSON), email


def _at_start(workspace: Workspace, state: SprintState) -> tuple[tuple[str, str], ...]:
    return authors_of(workspace.root, state.base) if state.base else ()


def _pair(name: str, email: str) -> tuple[str, str]:
    return fold_name(name), email.strip().casefold()


@dataclass(frozen=True, slots=True)
class VouchedDecision:
    """An approval, acceptance, waiver, skip or refactoring, and the commit that vouches for it.

    `authors` are the authors of what is approved, or left without a review; empty where that has changed since.
    `vouched` is false where no commit vouches for it, and where it is by an author.
    """

    event: str
    decision: str
    actor: str
    vouched: bool
    """Whether a commit vouches for it and nothing is wrong."""
    reason: str
    step: str = ""
    authors: tuple[str, ...] = ()
    """Authors of the content; empty if it changed since."""


def vouched(workspace: Workspace, state: SprintState, facts: Facts) -> tuple[VouchedDecision, ...]:
    """Return people's decisions that gates rely on, each with its vouching commit."""
    return tuple(_vouched(workspace, state, word) for word in _words(state, facts))


@dataclass(frozen=True, slots=True)
class _DecisionEvent:
    """A person's decision: the event, what it does in words, and, for an approval, its record.

    `written` are the authors of the content that it is about, each of which needs another person.
    """

    event: str
    what: str
    by: Contributor
    written: tuple[Contributor, ...]
    review: Review | None = None

    @property
    def actor(self) -> str:
        return self.by.actor


def _words(state: SprintState, facts: Facts) -> Iterator[_DecisionEvent]:
    for one in facts.reviews:
        if one.opinion is Opinion.APPROVED:
            done = "accepted" if one.statement else "approved"
            written = _written(state, facts, one.stage, [one.criterion], one.subject)
            yield _DecisionEvent(one.event, f"{done} {one.stage}/{one.criterion}", one.by, written, one)
    for leave in facts.waivers:
        written = _written(state, facts, leave.stage, [leave.criterion], leave.subject)
        yield _DecisionEvent(leave.event, f"waived {leave.stage}/{leave.criterion}", leave.by, written)
    for each in facts.recorded:
        if each.latest and each.evidence and reason_of_refactoring(each.evidence):
            what = f"stated a refactoring for {each.stage}/{each.criterion}"
            yield _DecisionEvent(each.event, what, Contributor(each.actor), ())
    for stage in state.stages:
        if stage.skip:
            left_out = [one.id for one in stage.stage.exit if one.mode is Mode.HARD]
            written = _written(state, facts, stage.stage.id, left_out)
            yield _DecisionEvent(stage.skip.event, f"skipped {stage.stage.id}", stage.skip.by, written)


def _written(
    state: SprintState, facts: Facts, stage_id: str, names: Sequence[str], subject: str = ""
) -> tuple[Contributor, ...]:
    """Return the authors of what people are asked in a stage by the criteria `names`, while it is as it was."""
    stage = state.stage(stage_id)
    asked = [one for one in (*stage.stage.enter, *stage.stage.exit) if one.id in names] if stage else []
    people = [one for one in asked if one.kind in PEOPLE and subject in ("", subject_of(one, stage_id, facts))]
    found = {author for one in people for author in authorship(one, stage_id, facts).authors}
    return tuple(sorted(found, key=str))


def _vouched(workspace: Workspace, state: SprintState, word: _DecisionEvent) -> VouchedDecision:
    own = next((each for each in word.written if word.by.is_same(each)), None)
    if own:
        step = f"vfcc check gate {word.what.rpartition(' ')[2].partition('/')[0]}"
        return _of(word, f"{word.actor} wrote it (as {own})", step)
    if word.review and word.review.signed:
        return _signed(workspace, state, word, word.review, word.review.signed)
    if not in_repository(workspace.root):
        return _of(word, "outside of a git repository no commit vouches for it", "git init")
    path = event_file(state.id, word.event, state.packed)
    added = _added_by(workspace, state, word.event)
    if added is None:
        step = f"git add {path} && git commit -m 'approval' -- {path}  # by {word.actor}, in person"
        return _of(word, f"it is not committed, so no commit vouches for {word.actor}", step)
    sha, author, email = added
    if word.actor != f"human:{author}":
        return _of(word, f"the commit {sha[:12]} that brought it is by {author}", f"git show {sha[:12]}")
    if any(Contributor(word.actor, email).is_same(each) for each in word.written):
        return _of(word, f"the commit {sha[:12]} that brought it is by <{email}>, an author", f"git show {sha[:12]}")
    commit = verified_commit(workspace.root, sha)
    if commit.signed and not commit.good:  # the author's name is all there is, as in an unsigned commit
        return _of(word, f"by the commit {sha[:12]} of {author}; {commit.reason}")
    if commit.signed:
        return _of(word, f"by the signed commit {sha[:12]} of {author}, key {commit.key}")
    return _of(word, f"by the unsigned commit {sha[:12]} of {author}")


def _added_by(workspace: Workspace, state: SprintState, event: str) -> tuple[str, str, str] | None:
    """Return the commit that brought an event: in a file of its own, else in the pack of its closed sprint.

    Both names are made of what the file holds. So the commit of the file of its own counts after that was packed, too:
    who closed the sprint says nothing in the name of those who approved.
    """
    own, pack = event_file(state.id, event), state.packed.get(event)
    if pack is None:
        return added_by(workspace.root, own)
    return added_by(workspace.root, own, or_removed=True) or added_by(workspace.root, pack)


def _signed(
    workspace: Workspace, state: SprintState, word: _DecisionEvent, review: Review, sha: str
) -> VouchedDecision:
    try:
        commit = verified_commit(workspace.root, sha)
    except VfccError as error:  # it may name anything, and what others said is looked at all the same
        return _of(word, error.message, error.hint or "git log --oneline")
    if not commit.good:
        return _of(word, f"the commit {sha[:12]}: {commit.reason}", commit.step or f"git verify-commit {sha[:12]}")
    if word.actor != f"human:{commit.author}":
        return _of(word, f"the signed commit {sha[:12]} is by {commit.author}", f"git show {sha[:12]}")
    if another := name_of_another(workspace, state, commit, word.event):
        return _of(word, f"the signed commit {sha[:12]}: {another}", f"git show {sha[:12]}")
    if not approves(commit.message, state.id, review.stage, review.subject):
        return _of(word, f"the signed commit {sha[:12]} approves something else", f"git show {sha[:12]}")
    if review.statement and review.statement not in " ".join(commit.message.split()):
        return _of(word, f"the signed commit {sha[:12]} does not hold the statement", f"git show {sha[:12]}")
    return _of(word, f"by the signed commit {sha[:12]} of {commit.author}, key {commit.key}")


def _of(word: _DecisionEvent, reason: str, step: str = "") -> VouchedDecision:
    return VouchedDecision(
        word.event, word.what, word.actor, not step, reason, step, tuple(str(each) for each in word.written)
    )
