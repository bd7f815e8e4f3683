"""Drive a run: ask what comes next, do it, and write it to the ledger, until it waits, ends or is stopped.

Each step can be repeated after a crash. The driver's moves are those of a program: it approves and waives nothing, and
advances only through an open gate.
"""

import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

from verifflowcc.base.errors import GateClosed, NotAllowed, UsageError, VfccError, WorkspaceError
from verifflowcc.base.files.lock import locked
from verifflowcc.base.model.events import EventType, Json
from verifflowcc.base.model.gate_values import CriterionKind, EvidenceTrust
from verifflowcc.base.model.people import PROGRAM
from verifflowcc.base.model.sprint_state import SprintState
from verifflowcc.base.records import replace
from verifflowcc.base.text.identifiers import is_ulid
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.use.evidence_listing import find_evidence
from verifflowcc.gates.use.evidence_making import add_evidence, run_evidence
from verifflowcc.gates.use.gates_now import StageGates, ask_stage
from verifflowcc.gates.use.owed import UnmetCriterion, owed_by
from verifflowcc.gates.use.sprints import close_sprint
from verifflowcc.prompt.use.stages import advance_stage
from verifflowcc.run.rules.agent_answers import REVIEWER
from verifflowcc.run.rules.run_fold import RunAttempt, RunBlocker, RunState, RunStatus
from verifflowcc.run.rules.run_moves import EVIDENCE, MoveKind, RunMove, SprintPlace, next_move
from verifflowcc.run.store.run_tree import INTEGRATION, commit_of, committed_changes, ensure_tree, undo_half_merge
from verifflowcc.run.use.attempt_end import merge_attempt, settle_attempts
from verifflowcc.run.use.attempt_start import prepare_tree, start_attempt
from verifflowcc.run.use.run_machinery import RunDriver, shown
from verifflowcc.run.use.run_reading import STOP, TAG, TO_DO, in_tree, lock_file, sprint_place
from verifflowcc.sprint.use.sprint_reading import show_sprint

MOST_MOVES = 10_000
"""More moves than any run needs: a driver that goes round in circles ends."""
_EVIDENCE = "vfcc evidence run"
_REVIEW = "vfcc trace review "
_LONGEST_REASON = 600
_MOST_FAILURES = 5


@contextmanager
def driving(driver: RunDriver) -> Iterator[None]:
    """Be the only driver of a run, and end it in order on a signal. Raises ConflictError where another drives it."""
    with locked(lock_file(driver.place), 0), terminable():
        (driver.place.folder / STOP).unlink(missing_ok=True)
        yield


@contextmanager
def terminable() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block for a signal that asks the process to end."""

    def ended(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    asked = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is not signal.SIG_IGN]
    try:
        before = {number: signal.signal(number, ended) for number in asked}
    except ValueError:  # not in the main thread, where no signal arrives
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def drive(driver: RunDriver) -> RunState:
    """Make moves until there is none, and return the run; `driving` is held."""
    try:
        ensure_tree(driver.place, INTEGRATION, "HEAD")
        undo_half_merge(driver.place.tree())
        for _ in range(MOST_MOVES):
            run, sprint = driver.state()
            driver.tools.on_state(run, sprint)
            if driver.stop_asked():
                return _stopped(driver, run, RunStatus.STOPPED, "asked for")
            move = next_move(run, sprint_place(sprint))
            if move.kind is MoveKind.NOTHING:
                break
            if _make(driver, run, sprint, move):
                break
    except (KeyboardInterrupt, SystemExit):  # the second from a signal while a command runs
        driver.tools.sweep(driver.place.marker)
        run, _ = driver.state()
        return _stopped(driver, run, RunStatus.STOPPED, "interrupted")
    driver.save("ledger")
    return driver.state()[0]


def _make(driver: RunDriver, run: RunState, sprint: SprintState, move: RunMove) -> bool:
    """Make a move; return whether it was the last."""
    place = sprint_place(sprint)
    match move.kind:
        case MoveKind.START:
            start_attempt(driver, run, sprint, place, move)
        case MoveKind.SETTLE:
            assert move.attempt is not None
            attempts = [move.attempt, *([move.beside] if move.beside else [])]
            for each in attempts:
                driver.tools.say(f"{each.stage}: {each.id} works ({each.client})")
            settle_attempts(driver, run, attempts)
        case MoveKind.MERGE:
            assert move.attempt is not None
            merge_attempt(driver, move.attempt, place.stay if move.attempt.ahead else move.attempt.stay)
        case MoveKind.JUDGE:
            _judge(driver, run, place, move)
        case MoveKind.ADVANCE:
            _advance(driver, place)
        case MoveKind.ASK:
            _ask(driver, place, move)
        case MoveKind.END_SPRINT:
            return _end_sprint(driver)
        case MoveKind.CLOSE:
            if not place.closed:
                driver.note(EventType.RUN_CLOSED, {})
            return True
        case _:
            _stopped(driver, run, _STATUS[move.kind], move.detail)
    return False


_STATUS = {MoveKind.BLOCK: RunStatus.BLOCKED, MoveKind.FAIL: RunStatus.FAILED, MoveKind.LIMIT: RunStatus.LIMIT}


def _stopped(driver: RunDriver, run: RunState, status: RunStatus, detail: str) -> RunState:
    if run.status is RunStatus.WORKING:
        driver.note(EventType.RUN_STOPPED, {"why": str(status), "detail": shown(detail)})
    driver.save(f"{status}")
    return driver.state()[0]


def _judge(driver: RunDriver, run: RunState, place: SprintPlace, move: RunMove) -> None:
    """Make evidence for the stage in the integration worktree, ask its gate, and write down what it lacks."""
    workspace, stage = driver.workspace, str(place.stage)
    driver.saved = False
    prepare_tree(workspace, workspace.root, driver.place.marker, driver.tools.say)
    asked = _make_evidence(driver, workspace, stage)
    if move.attempt is not None and move.attempt.review:
        record_review(driver, stage, move.attempt)
        asked = ask_stage(workspace, driver.sprint, stage)
    driver.tools.reached(f"evidence {stage}")
    blockers = with_findings(blockers_in(workspace, asked), run, place.stay)
    listed: list[Json] = [
        {"criterion": each.criterion, "reason": each.reason, "person": each.person} for each in blockers
    ]
    judged: dict[str, Json] = {"stage": stage, "stay": place.stay, "open": not blockers, "blockers": listed}
    driver.note(EventType.RUN_GATE, {**judged, "attempt": move.attempt.id if move.attempt else None})
    verdict = f"closed: {', '.join(each.criterion for each in blockers)}" if blockers else "open"
    driver.save(f"gate of {stage} {verdict}")
    driver.tools.say(f"{stage}: gate {verdict}")


def _make_evidence(driver: RunDriver, workspace: Workspace, stage: str) -> StageGates:
    """Make the evidence that the gates on the way out of a stage lack, and no other: each costs a run of a command.

    What is made can show that more is lacking: of the earlier stages a gate names the first thing to do alone. Returns
    the gates as they are then.
    """
    made: set[tuple[str, str]] = set()
    while True:
        asked = ask_stage(workspace, driver.sprint, stage)
        wanted = [each for each in _evidence_wanted(asked) if each not in made]
        if not wanted:
            return asked
        made.update(wanted)
        for name in dict.fromkeys(each for each, _ in wanted):
            criteria = tuple(criterion for each, criterion in wanted if each == name)
            try:
                run_evidence(workspace, driver.sprint, criteria, stage=name, actor=PROGRAM, progress=driver.tools.say)
            except NotAllowed:
                raise
            except (WorkspaceError, UsageError) as error:  # the gate says what else it lacks
                driver.tools.say(f"{name}: {error.message.splitlines()[0]}")


def _evidence_wanted(asked: StageGates) -> list[tuple[str, str]]:
    """Return the stage and the criterion of each piece of evidence that is to be made.

    They are those of the command that a gate names: a criterion over the trace wants the evidence of another one.
    """
    found = []
    for each in owed_by(asked):
        if _is_tag(each):
            found.append((each.stage, each.criterion))
        elif each.command.startswith(_EVIDENCE):
            name, *options = each.command.removeprefix(_EVIDENCE).split("#")[0].split()
            found.append((options[1] if options[:1] == ["--stage"] else each.stage, name))
    return list(dict.fromkeys(found))


def blockers_of(workspace: Workspace, sprint_id: str, stage: str) -> tuple[RunBlocker, ...]:
    """Return what the gate of the active stage lacks, with the first failures of its evidence."""
    return blockers_in(workspace, ask_stage(workspace, sprint_id, stage))


def blockers_in(workspace: Workspace, asked: StageGates) -> tuple[RunBlocker, ...]:
    """Return what gates that were asked lack, with the first failures of their evidence."""
    used = {(gate.stage, each.criterion.id): each.used for gate in asked.gates for each in gate.assessments}
    found = []
    for each in owed_by(asked):
        evidence = used.get((each.stage, each.criterion), ())
        person = each.person or _is_tag(each)
        found.append(RunBlocker(each.criterion, _reason(workspace, asked.sprint.id, each, evidence), person))
    return tuple(found)


def _is_tag(owed: UnmetCriterion) -> bool:
    """Whether a criterion wants a tag: no role may set one, and the driver sets none, so a person does."""
    return owed.command.startswith(TAG)


def _reason(workspace: Workspace, sprint_id: str, owed: UnmetCriterion, used: tuple[str, ...]) -> str:
    parts = [owed.line.partition(": ")[2] if not owed.entering else owed.line]
    if owed.person:
        parts.append(f"to do: {owed.todo}")
    elif _is_tag(owed):
        parts.append(f"to do: {TAG} NAME")
    elif owed.file:
        parts.append(f"file: {owed.file}")
    for evidence_id in used:
        parts += _failures(workspace, sprint_id, evidence_id)
    return shown("\n".join(parts), _LONGEST_REASON)


def _failures(workspace: Workspace, sprint_id: str, evidence_id: str) -> list[str]:
    """Return the first failures in a piece of evidence, with its id; nothing where it is no evidence."""
    if not is_ulid(evidence_id):
        return []
    try:
        _, found = find_evidence(workspace, show_sprint(workspace, sprint_id), evidence_id)
    except VfccError:
        return []
    lines = [found.problem, *found.examples] if found.problem else list(found.examples)
    return [*lines[:_MOST_FAILURES], f"{EVIDENCE}{evidence_id})"] if lines else []


def _advance(driver: RunDriver, place: SprintPlace) -> None:
    """Leave the stay that was judged, once; where the gate has closed since, write that down."""
    driver.saved = False
    try:
        advance_stage(driver.workspace, driver.sprint, actor=PROGRAM, stay=f"{place.stage}@{place.stay}")
    except GateClosed as error:
        _note_closed(driver, place, error)
        return
    driver.tools.reached(f"advance {place.stage}")
    driver.save(f"{place.stage} passed")
    driver.tools.say(f"{place.stage}: passed")


def _note_closed(driver: RunDriver, place: SprintPlace, error: GateClosed) -> None:
    listed: list[Json] = [
        {"criterion": each.criterion, "reason": shown(each.reason, _LONGEST_REASON), "person": each.person}
        for each in error.blockers
        if isinstance(each, UnmetCriterion)
    ]
    payload: dict[str, Json] = {"stage": str(place.stage), "stay": place.stay, "attempt": None, "open": False}
    driver.note(EventType.RUN_GATE, {**payload, "blockers": listed or _unnamed(error)})


def _unnamed(error: GateClosed) -> list[Json]:
    return [{"criterion": "gate", "reason": shown(error.message, _LONGEST_REASON), "person": True}]


def _ask(driver: RunDriver, place: SprintPlace, move: RunMove) -> None:
    workspace = driver.workspace
    asks = [_asked(workspace, driver.sprint, each) for each in move.blockers]
    driver.note(EventType.RUN_ASKED, {"stage": str(place.stage), "stay": place.stay, "asks": asks})
    driver.save("a person is asked")


def _asked(workspace: Workspace, sprint_id: str, blocker: RunBlocker) -> str:
    reason, _, step = blocker.reason.partition("\nto do: ")
    command = step.partition(" (a person")[0] or "vfcc next"
    if command.startswith(_REVIEW) and "--to" not in command:
        command = f"{_REVIEW}--all"  # a gate names one item at a time, and each answer costs a start of the driver
    return f"{blocker.criterion}: {reason}{TO_DO}{in_tree(workspace, sprint_id, command)}"


def _end_sprint(driver: RunDriver) -> bool:
    """Close the sprint, which has passed all its stages; a close that only a person may make is asked for."""
    workspace = driver.workspace
    try:
        close_sprint(workspace, driver.sprint, actor=PROGRAM)
    except (GateClosed, NotAllowed) as error:
        command = in_tree(workspace, driver.sprint, f"vfcc sprint close {driver.sprint}")
        _, sprint = driver.state()
        last = sprint.stages[-1]
        asks = [f"close: {shown(error.message, _LONGEST_REASON)}{TO_DO}{command}"]
        stay = last.entered_by or sprint.heads[0]
        driver.note(EventType.RUN_ASKED, {"stage": last.stage.id, "stay": stay, "asks": asks})
        return False
    driver.tools.reached("close")
    driver.save("sprint closed")
    return False


_MOST_LINES = 5
_RECORDS = (".memory/sprint/", ".memory/stage/")


def require_reviewable(state: SprintState, criteria: Iterable[str]) -> None:
    """Raise UsageError for a criterion that no review by an agent can be about.

    It is a metric that takes a stated value, so that a review counts as itself, and never in the place of a test or of
    a person's approval.
    """
    stages = state.workflow.stages if state.workflow else ()
    known = {each.id: each for stage in stages for each in stage.exit}
    for name in criteria:
        found = known.get(name)
        if found is None:
            raise UsageError(f"{name} is no exit criterion of the workflow", hint="vfcc workflow show")
        if found.kind is not CriterionKind.METRIC or found.trust is not EvidenceTrust.ASSERTED:
            raise UsageError(
                f"an agent reviews a criterion of the kind metric with trust: asserted; {name} is of the kind"
                f" {found.kind}",
                hint="vfcc help --topic workflows",
            )


def record_review(driver: RunDriver, stage: str, review: RunAttempt) -> None:
    """Put the number of a review's findings on record, unless what it read has changed since.

    It is the word of the reviewing agent, so that a criterion which asks for more trust does not count it.
    """
    top = driver.place.tree()
    head = commit_of(top, "HEAD")
    moved = [each.path for each in committed_changes(top, review.base, str(head)) if not _is_record(driver, each.path)]
    if moved:
        driver.tools.say(f"{stage}: {moved[0]} changed during {review.id}, whose answer does not count")
        return
    value = str(len(review.findings))
    try:
        add_evidence(
            driver.workspace, driver.sprint, review.review, value=value, stage=stage, actor=f"agent:{REVIEWER}"
        )
    except VfccError as error:  # the gate says what it lacks
        driver.tools.say(f"{stage}: {error.message.splitlines()[0]}")


def _is_record(driver: RunDriver, path: str) -> bool:
    below = f"{driver.place.below}/" if driver.place.below else ""
    return path.startswith(tuple(f"{below}{each}" for each in _RECORDS))


def with_findings(blockers: Sequence[RunBlocker], run: RunState, stay: str) -> tuple[RunBlocker, ...]:
    """Return blockers with what the last review of each found, for the next attempt to mend."""
    last: Mapping[str, RunAttempt] = {each.review: each for each in run.all_in_stay(stay) if each.review}
    return tuple(_with(each, last.get(each.criterion)) for each in blockers)


def _with(blocker: RunBlocker, review: RunAttempt | None) -> RunBlocker:
    if review is None or not review.findings:
        return blocker
    more = len(review.findings) - _MOST_LINES
    lines = [blocker.reason, *review.findings[:_MOST_LINES], *([f"and {more} more"] if more > 0 else [])]
    return replace(blocker, reason="\n".join(lines))
