"""What is going on: the open sprints and the next step; and the snapshot from which `fast/` says it again.

The snapshot carries the text and the JSON as they are printed, and stamps of every folder and file that they depend on.
"""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from verifflowcc.base.errors import WorkspaceError
from verifflowcc.base.files.layout import Stamps, settled
from verifflowcc.base.files.write import write_atomic
from verifflowcc.base.model.people import Decision, Opinion
from verifflowcc.base.model.sprint_state import DONE, SPRINT_VARIABLE, SprintLine, SprintState, SprintStatus, with_gaps
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.text.secrets import withhold
from verifflowcc.base.use.document_form import data_text
from verifflowcc.base.use.workspace import MEMORY, Workspace, provider
from verifflowcc.sprint.rules.sprint_people import expired, latest_words, reviews, waivers
from verifflowcc.sprint.use.feedback import sprint_feedback
from verifflowcc.sprint.use.sprint_reading import (
    choice_files,
    ledger_of,
    list_sprints,
    resolve_sprint,
    show_sprint,
    watch_ledgers,
)

# What people said in a sprint, for a status: the words that stand on record, and how many comments are open.


@dataclass(frozen=True, slots=True)
class StageOpinion:
    """A word on a stage: `approved`, `accepted`, `rejected`, `waived` or `skipped` (then with no criterion).

    `expires` is its last day, `expired` says whether that is over. Whether it is on what lies there now, only a gate
    can say.
    """

    opinion: str
    """`approved`, `accepted`, `rejected`, `waived` or `skipped`."""
    stage: str
    criterion: str | None
    actor: str
    reason: str
    expires: str | None
    """The last day, or null."""
    expired: bool


@dataclass(frozen=True, slots=True)
class PeopleOpinions:
    """The words on record, in the order of stages, and the number of open comments."""

    words: tuple[StageOpinion, ...]
    comments: int


def people_opinions(workspace: Workspace, state: SprintState, today: str) -> PeopleOpinions:
    """Return people's opinions in a sprint, as of `today` (a day)."""
    order = {each.stage.id: place for place, each in enumerate(state.stages)}
    words = sorted(_words(state, today), key=lambda one: order.get(one.stage, len(order)))
    waiting = [one for one in sprint_feedback(workspace, state) if one.decision is Decision.OPEN]
    return PeopleOpinions(tuple(words), len(waiting))


def people_lines(opinions: PeopleOpinions, sprint_id: str) -> list[str]:
    """Return opinions as lines for a person; none where there are no opinions."""
    lines = [_line(one) for one in opinions.words]
    if lines:
        lines.append(f"whether these are on what lies there now, the gates say: vfcc check gate --sprint {sprint_id}")
    if opinions.comments:
        many = "comments are" if opinions.comments > 1 else "comment is"
        lines.append(f"{opinions.comments} {many} open: vfcc feedback list --sprint {sprint_id}")
    return lines


def valid_until_ms(opinions: PeopleOpinions) -> int | None:
    """Return the moment (ms since 1970, UTC) at which a word that still holds expires, or None."""
    days = [one.expires for one in opinions.words if one.expires and not one.expired]
    if not days:
        return None
    over = datetime.fromisoformat(min(days)).replace(tzinfo=UTC) + timedelta(days=1)
    return int(over.timestamp() * 1000)


def _words(state: SprintState, today: str) -> Iterator[StageOpinion]:
    for review in latest_words(reviews(state.notes)):
        word = "accepted" if review.statement and review.opinion is Opinion.APPROVED else str(review.opinion)
        yield StageOpinion(
            opinion=word,
            stage=review.stage,
            criterion=review.criterion,
            actor=review.actor,
            reason=review.statement or review.reason,
            expires=review.expires,
            expired=expired(review.expires, today),
        )
    for one in waivers(state.notes):
        over = expired(one.expires, today)
        yield StageOpinion("waived", one.stage, one.criterion, one.actor, one.reason, one.expires, over)
    for each in state.stages:
        if skip := each.skip:
            over = expired(skip.expires, today)
            yield StageOpinion("skipped", each.stage.id, None, skip.actor, skip.reason, skip.expires, over)


def _line(one: StageOpinion) -> str:
    where = f"{one.stage}/{one.criterion}" if one.criterion else one.stage
    ends = f" until {one.expires}" if one.expires else ""
    over = " (expired)" if one.expired else ""
    why = f": {one.reason}" if one.reason else ""
    return f"{one.opinion}: {where} by {one.actor}{ends}{over}{why}"


SNAPSHOT_FORMAT = 5


@dataclass(frozen=True, slots=True)
class OpenSprint:
    """An open sprint: its place in its V, the last event included, and the next command.

    `opinions` are the opinions of people, `comments` is the number of comments that are open, `gaps` that of the
    criteria which its stages were passed without.
    """

    id: str
    title: str
    status: str
    stage: str | None
    passed: int
    """How many stages are passed."""
    stages: int
    problems: int
    """Event files that cannot be trusted."""
    opinions: tuple[StageOpinion, ...]
    """Statements of people in the sprint."""
    comments: int
    """How many comments are open."""
    as_of: str
    """The last event included."""
    next: str
    gaps: int = 0
    """Criteria that were open when their stages were passed."""


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    """The open sprints, how many are closed, and the next command.

    `without_events` are sprints that have a `goals.md` and no ledger: their start was cut short, or their events are
    lost. `current` is the sprint that commands act on, `chosen_by` what chose it of several; `problem` says why none is
    chosen, `hint` how to choose one.
    """

    open: tuple[OpenSprint, ...]
    closed: int
    """How many sprints are closed."""
    next: str
    without_events: tuple[str, ...] = ()
    """Sprints with a `goals.md` and no ledger."""
    current: str | None = None
    """The current sprint, or null."""
    chosen_by: str = ""
    """What selected it among several, or empty."""
    problem: str = ""
    """Why none of several is selected, or empty."""
    hint: str = ""
    """How to select one, or empty."""

    @property
    def damaged(self) -> tuple[str, ...]:
        """The open sprints that have event files which cannot be trusted."""
        return tuple(sprint.id for sprint in self.open if sprint.problems)


@dataclass(frozen=True, slots=True)
class ShownStatus:
    """A status as it is printed: `json` is the lean document."""

    text: str
    json: str
    status: ProjectStatus


def current_status(workspace: Workspace) -> ProjectStatus:
    """Return the status, from the ledgers."""
    lines = list_sprints(workspace)
    open_ones = tuple(_open(workspace, line) for line in lines if line.status is not SprintStatus.CLOSED)
    found = resolve_sprint(workspace)
    following = [one.next for one in open_ones if found.id in (None, one.id)] or ['vfcc sprint start "Title"']
    return ProjectStatus(
        open=open_ones,
        closed=len(lines) - len(open_ones),
        next=following[0],
        without_events=ledger_of(workspace).without_events(),
        current=found.id,
        chosen_by=found.by if found.label else "",
        problem=found.problem,
        hint=found.hint if found.problem else "",
    )


def leave_status(workspace: Workspace) -> None:
    """Leave the status after a write, and renew what hooks go by, so that neither is read from the ledgers again.

    Of many processes that write at once, one does it; it looks once more where others have written since it began.
    """
    import fcntl  # not on Windows, where vfcc is untested

    try:
        handle = os.open(workspace.local, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return  # nothing can be left in it either
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return  # what another process leaves, as a rule, is used only as long as it is true
        if not _left(workspace).hold():
            _left(workspace)
    finally:
        os.close(handle)


def _left(workspace: Workspace) -> Stamps:
    before = Stamps(workspace.root)
    remember_status(workspace, before)
    if next(workspace.local.glob("hook*.json"), None):
        provider("hook snapshots")(workspace, before)
    return before


def remember_status(workspace: Workspace, before: Stamps | None = None) -> ShownStatus:
    """Return the status as it is printed, and leave it where `fast/` finds it, unless that cannot be written.

    `before` gets the stamps of what it depends on.
    """
    before = before or Stamps(workspace.root)
    before.take((f"{MEMORY}/config.yaml",))
    watch_ledgers(workspace, before, edits=True)
    before.take(choice_files(workspace))
    status = current_status(workspace)
    shown = ShownStatus(printable(withhold(_text(status))), data_text(status), status)
    if status.damaged or not settled(before.touched_ns) or os.environ.get(SPRINT_VARIABLE):
        return shown  # `fast/` exits with 0, so a damaged ledger is left to the full command
    snapshot = {
        "format": SNAPSHOT_FORMAT,
        "text": shown.text,
        "json": shown.json,
        "until": min(filter(None, (valid_until_ms(one) for one in _all_opinions(status))), default=None),
        "stamps": before.by_path,
    }
    try:
        write_atomic(workspace.local / "snapshot.json", json.dumps(snapshot, ensure_ascii=False, indent=1) + "\n")
    except WorkspaceError:
        return shown  # a read-only tree has no snapshot, and needs none to be told truly
    return shown


def _open(workspace: Workspace, line: SprintLine) -> OpenSprint:
    state = show_sprint(workspace, line.id)
    opinions = people_opinions(workspace, state, workspace.today())
    return OpenSprint(
        id=line.id,
        title=state.title,
        status=str(state.status),
        stage=state.current,
        passed=sum(each.status in DONE for each in state.stages),
        stages=len(state.stages),
        problems=len(state.problems),
        opinions=opinions.words,
        comments=opinions.comments,
        as_of=", ".join(state.heads) or "no event",
        next=_next(state),
        gaps=state.gaps,
    )


def _next(state: SprintState) -> str:
    """Return the next command as far as the ledger decides it.

    The rest depends on every file of the project, which no stamp of the snapshot covers: `vfcc next` asks the gates.
    """
    if state.problems:
        return f"vfcc sprint show {state.id}"
    if state.fork:
        return f"vfcc sprint resolve {state.id}"
    return f"vfcc next --sprint {state.id}"


def _all_opinions(status: ProjectStatus) -> Iterator[PeopleOpinions]:
    return (PeopleOpinions(sprint.opinions, sprint.comments) for sprint in status.open)


def _text(status: ProjectStatus) -> str:
    lines = []
    for sprint in status.open:
        chosen = f" ({status.chosen_by})" if status.chosen_by and sprint.id == status.current else ""
        state = "" if sprint.status == "open" else f" ({sprint.status})"
        where = f"in {sprint.stage}, " if sprint.stage else ""
        lines.append(f"{sprint.id}{chosen}: {sprint.title}{state}")
        passed = f"{sprint.passed} of {sprint.stages} stages passed{with_gaps(sprint.gaps)}"
        lines.append(f"  {where}{passed}, as of event {sprint.as_of}")
        if sprint.problems:
            lines.append(f"  {sprint.problems} of its event files cannot be trusted and are left out here")
        lines += [f"  {line}" for line in people_lines(PeopleOpinions(sprint.opinions, sprint.comments), sprint.id)]
        lines.append(f"  next: {sprint.next}")
    if not status.open:
        lines += ["no sprint is open", f"  next: {status.next}"]
    if status.problem:
        lines += [status.problem, f"  choose: {status.hint}"]
    for name in status.without_events:
        lines.append(f"{name}: has goals.md and no event; its start was cut short, or its events are lost")
        lines.append("  next: vfcc doctor")
    if status.closed:
        lines.append(f"{status.closed} closed: vfcc sprint list")
    return "\n".join(lines) + "\n"
