"""Who vouches for what people said: the commit that brought an approval or a waiver into the history.

No command can reproduce a person's word. What can be seen is whether it was committed by the one whose word it is, and
whether that commit is signed. An event that was planted is uncommitted, or was committed by somebody else.
"""

from collections.abc import Iterator

from verifflowcc.adapters.git.place import in_repository
from verifflowcc.adapters.git.signatures import added_by, verified_commit
from verifflowcc.domain.people import Opinion, Review
from verifflowcc.domain.sprints import SprintState
from verifflowcc.errors import VfccError
from verifflowcc.records import dataclass
from verifflowcc.services.workspace import Workspace
from verifflowcc.workflow.approval_line import approves
from verifflowcc.workflow.fold import event_file
from verifflowcc.workflow.people import reviews, waivers


@dataclass(frozen=True, slots=True)
class Vouched:
    """An approval, acceptance, waiver or skip, and who stands behind it; `good` is false where nobody does."""

    event: str
    what: str
    actor: str
    good: bool
    reason: str
    step: str = ""


def vouched(workspace: Workspace, state: SprintState) -> tuple[Vouched, ...]:
    """Return what people said in a sprint that a gate may rest on, each with the commit that vouches for it."""
    return tuple(_vouched(workspace, state, word) for word in _words(state))


@dataclass(frozen=True, slots=True)
class _Word:
    """What somebody said: the event, what it does in words, and, for an approval, its record."""

    event: str
    what: str
    actor: str
    review: Review | None = None


def _words(state: SprintState) -> Iterator[_Word]:
    for one in reviews(state.notes):
        if one.opinion is Opinion.APPROVED:
            done = "accepted" if one.statement else "approved"
            yield _Word(one.event, f"{done} {one.stage}/{one.criterion}", one.actor, one)
    for leave in waivers(state.notes):
        yield _Word(leave.event, f"waived {leave.stage}/{leave.criterion}", leave.actor)
    for stage in state.stages:
        if stage.skip:
            yield _Word(stage.skip.event, f"skipped {stage.stage.id}", stage.skip.actor)


def _vouched(workspace: Workspace, state: SprintState, word: _Word) -> Vouched:
    if word.review and word.review.signed:
        return _signed(workspace, state.id, word, word.review, word.review.signed)
    if not in_repository(workspace.root):
        return _of(word, "outside of git nobody vouches for it", "git init")
    path = event_file(state.id, word.event, state.packed)
    added = _added_by(workspace, state, word.event)
    if added is None:
        step = f"git add {path} && git commit -m 'approval' -- {path}  # by {word.actor}, in person"
        return _of(word, f"it is in no commit, so nobody vouches for {word.actor}", step)
    sha, author = added
    if word.actor != f"human:{author}":
        return _of(word, f"the commit {sha[:12]} that brought it is by {author}", f"git show {sha[:12]}")
    commit = verified_commit(workspace.root, sha)
    if commit.signed and not commit.good:  # the author's name is all there is, as in an unsigned commit
        return _of(word, f"by the commit {sha[:12]} of {author}; {commit.reason}")
    if commit.signed:
        return _of(word, f"by the signed commit {sha[:12]} of {author}, key {commit.key}")
    return _of(word, f"by the unsigned commit {sha[:12]} of {author}")


def _added_by(workspace: Workspace, state: SprintState, event: str) -> tuple[str, str] | None:
    """Return the commit that brought an event: in a file of its own, else in the pack of its closed sprint.

    Both names are made of what the file holds. So the commit of the file of its own counts after that was packed, too:
    who closed the sprint says nothing in the name of those who approved.
    """
    own, pack = event_file(state.id, event), state.packed.get(event)
    if pack is None:
        return added_by(workspace.root, own)
    return added_by(workspace.root, own, or_removed=True) or added_by(workspace.root, pack)


def _signed(workspace: Workspace, sprint: str, word: _Word, review: Review, sha: str) -> Vouched:
    try:
        commit = verified_commit(workspace.root, sha)
    except VfccError as error:  # it may name anything, and what others said is looked at all the same
        return _of(word, error.message, error.hint or "git log --oneline")
    if not commit.good:
        return _of(word, f"the commit {sha[:12]}: {commit.reason}", commit.step or f"git verify-commit {sha[:12]}")
    if word.actor != f"human:{commit.author}":
        return _of(word, f"the signed commit {sha[:12]} is by {commit.author}", f"git show {sha[:12]}")
    if not approves(commit.message, sprint, review.stage, review.subject):
        return _of(word, f"the signed commit {sha[:12]} approves something else", f"git show {sha[:12]}")
    if review.statement and review.statement not in " ".join(commit.message.split()):
        return _of(word, f"the signed commit {sha[:12]} does not hold the statement", f"git show {sha[:12]}")
    return _of(word, f"by the signed commit {sha[:12]} of {commit.author}, key {commit.key}")


def _of(word: _Word, reason: str, step: str = "") -> Vouched:
    return Vouched(word.event, word.what, word.actor, not step, reason, step)
