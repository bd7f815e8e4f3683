"""Who wrote the content of a review, so that no author approves it, waives its review, or skips it."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.actors import NAMELESS, Contributor, Opinion
from verifflowcc.domain.facts import Facts
from verifflowcc.domain.gates import PEOPLE, Criterion
from verifflowcc.domain.sprints import artifacts_folder
from verifflowcc.records import dataclass
from verifflowcc.workflow.subject import subject_digest, subject_files

"""The kinds of criteria that an author does not decide on their own work."""
_MEMORY = ".memory/"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Authorship:
    """The authors of a review's content, and the files whose author is not known.

    A person who asks for the review answers for those files; an agent's request names no author of what it may not have
    written.
    """

    authors: tuple[Contributor, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether a person can be compared with every author."""
        return bool(self.authors) and not self.unknown

    @property
    def doubt(self) -> str:
        """Why it is not known who wrote all of it."""
        names = [path.rpartition("/")[2] for path in self.unknown]
        shown = names if len(names) <= _SHOWN else [*names[: _SHOWN - 1], f"{len(names) - _SHOWN + 1} more files"]
        return f"cannot tell who wrote {' and '.join(shown) or 'it'}, so self-approval cannot be ruled out"

    def objection(self, who: Contributor) -> str:
        """Return why `who` may not decide on it, as a clause; empty where they may."""
        if who.actor == NAMELESS:
            return "git has no name for them, so they may be the author"
        if any(who.is_same(author) for author in self.authors):
            return "they are its author"
        return "" if self.is_known else self.doubt


def authorship(criterion: Criterion, stage_id: str, facts: Facts) -> Authorship:
    """Return who wrote the content that `criterion` asks a person about in that stage.

    Bytes that an actor stored with `stage put`, or that a hook recorded after an edit, are that actor's, whoever
    commits them. All other files are by the authors and committers of the commits since the sprint's base that touch
    them; of one that is not committed, git does not know. Who asks for the review is an author, too.
    """
    files = subject_files(criterion, stage_id, facts)
    records = _records(facts)
    by_git = facts.history.authors if facts.history else {}
    found = {author for file in files for author in records.get(file) or by_git.get(file[0], ())}
    requested = _requested(criterion, stage_id, facts, files)
    unrecorded = [path for path, digest in files if (path, digest) not in records]
    answered = any(one.actor.startswith("human:") for one in requested)
    unknown = () if answered else tuple(_unknown(unrecorded, facts))
    return Authorship(tuple(sorted(found | requested, key=str)), unknown)


def objection_to(who: Contributor, criterion: Criterion, stage_id: str, facts: Facts) -> str:
    """Return why `who` may not waive a criterion or skip its stage: as its author; empty where they may.

    Only what people decide has authors; where nothing changed in this sprint, they have written nothing of it.
    """
    if criterion.kind not in PEOPLE or not subject_files(criterion, stage_id, facts):
        return ""
    found = authorship(criterion, stage_id, facts)
    return found.objection(who) if found.authors or found.unknown else ""


def _records(facts: Facts) -> Mapping[tuple[str, str], set[Contributor]]:
    """Return who made each content that is on record, by (path below the root, digest).

    A person without a name could be the approver, and counts as unknown.
    """
    found: dict[tuple[str, str], set[Contributor]] = {}
    for put in facts.puts:
        if put.actor != NAMELESS:
            path = f"{artifacts_folder(facts.sprint.id, put.stage)}/{put.path}"
            found.setdefault((path, put.digest), set()).add(put.by)
    for edit in facts.edits:
        found.setdefault((edit.path, edit.digest), set()).add(edit.by)
    return found


def _requested(criterion: Criterion, stage_id: str, facts: Facts, files: Sequence[tuple[str, str]]) -> set[Contributor]:
    """Return who asked for a review of the present content."""
    subject = subject_digest(criterion, files)
    wanted = (stage_id, criterion.id, subject)
    return {
        Contributor(one.actor, one.email, "review request")
        for one in facts.reviews
        if one.opinion is Opinion.REQUESTED and (one.stage, one.criterion, one.subject) == wanted
    }


def _unknown(paths: Sequence[str], facts: Facts) -> list[str]:
    """Return those of the files without a record whose author git cannot name."""
    history = facts.history
    if history is None or history.problem:
        return list(paths)
    changed = {each.path for each in history.changes}
    unsaved = set(history.unsaved)
    return [
        path
        for path in paths
        if path in unsaved or (path not in history.authors and (path in changed or path.startswith(_MEMORY)))
    ]
