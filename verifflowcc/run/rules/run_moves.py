"""What a driver does next: a pure decision over the state of a run and the place of its sprint.

Every move ends in an event or in a move of the sprint, so that asking again after a crash gives the same move until it
is done.
"""

from collections.abc import Sequence
from enum import StrEnum

from verifflowcc.base.records import dataclass
from verifflowcc.run.rules.run_fold import (
    CONFLICT,
    DONE,
    NO_CHANGE,
    OUT_OF_BOUNDS,
    RunAttempt,
    RunBlocker,
    RunState,
    RunStatus,
    RunVerdict,
)

MAX_ATTEMPTS = 3
MAX_MINUTES = 240
MAX_TOKENS = 20_000_000
ATTEMPT_MINUTES = 30
MOST_TRANSIENT = 6
"""So many failures of a service in a row end a run."""
LARGEST_BLOCKERS_BYTES = 2_048
EVIDENCE = "(evidence "
"""How the line of a blocker begins that names its evidence."""
_FIRST_WAIT_S, _LONGEST_WAIT_S = 5, 300


class MoveKind(StrEnum):
    """The kinds of moves of a driver."""

    SETTLE = "settle"
    MERGE = "merge"
    JUDGE = "judge"
    ADVANCE = "advance"
    START = "start"
    ASK = "ask"
    WAIT = "wait"
    BLOCK = "block"
    FAIL = "fail"
    LIMIT = "limit"
    END_SPRINT = "end_sprint"
    CLOSE = "close"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class SprintPlace:
    """Where a sprint is: the active stage, the event that began the stay in it, and its role."""

    stage: str | None
    stay: str = ""
    role: str = ""
    closed: bool = False
    passed: tuple[str, ...] = ()
    """The stages that are passed or skipped."""
    before: str = ""
    """The event that began the stay in the stage before."""
    next: str = ""
    """The next stage, where it changes tests alone while the active one may change all; else empty."""
    next_role: str = ""


@dataclass(frozen=True, slots=True)
class RunMove:
    """The next move; the fields that its kind does not need are empty.

    For a start, `resumes` is the attempt whose session and worktree it continues (None: a fresh session in a
    worktree of its own), `client` the one to take, `blockers` what the gate lacked, and `wait_s` how long to wait
    since the last attempt ended.
    """

    kind: MoveKind
    attempt: RunAttempt | None = None
    resumes: RunAttempt | None = None
    client: str = ""
    blockers: tuple[RunBlocker, ...] = ()
    detail: str = ""
    wait_s: int = 0
    review: str = ""
    """The criterion to review; empty for the stage's role."""
    ahead: bool = False
    """Whether a start is that of the next stage's role, beside the open attempt."""
    beside: RunAttempt | None = None
    """For a settlement, the attempt that is open beside the first."""


def next_move(run: RunState, place: SprintPlace) -> RunMove:
    """Return what to do next; NOTHING where the run does not work."""
    if run.status is not RunStatus.WORKING:
        return RunMove(MoveKind.NOTHING)
    if opened := run.open_attempts:
        if _may_begin_ahead(run, place, opened):
            return RunMove(MoveKind.START, client=clients_of(run, place.next_role)[0], ahead=True)
        return RunMove(MoveKind.SETTLE, opened[0], beside=opened[1] if len(opened) > 1 else None)
    unmerged = next((each for each in run.attempts if each.to_merge and not each.ahead), None)
    if unmerged:
        return RunMove(MoveKind.MERGE, unmerged)
    if place.closed or (run.until and run.until in place.passed):
        return RunMove(MoveKind.CLOSE)
    if place.stage is None:
        return RunMove(MoveKind.END_SPRINT)
    return _in_stage(run, place)


def _may_begin_ahead(run: RunState, place: SprintPlace, opened: Sequence[RunAttempt]) -> bool:
    """Whether the next stage's role begins now: beside the first attempt in a stay, before that one works."""
    if not run.parallel or not place.next or run.until == place.stage or len(opened) > 1:
        return False
    is_first = opened == run.in_stay(place.stay)
    return is_first and run.ahead_in(place.stay) is None and not limit_reached(run)


def _in_stage(run: RunState, place: SprintPlace) -> RunMove:
    attempts, verdict = run.in_stay(place.stay), run.verdict(place.stay)
    ahead = run.ahead_in(place.before)
    if ahead is not None and ahead.stage == place.stage and ahead.to_merge and verdict is None:
        return RunMove(MoveKind.MERGE, ahead)
    last = attempts[-1] if attempts else None
    latest = next(reversed(run.all_in_stay(place.stay)), None)
    if last is None and verdict is None:
        is_lost = ahead is not None and ahead.stage == place.stage and ahead.outcome == OUT_OF_BOUNDS
        return _start(run, place, None, blockers_after(run, ahead) if ahead and is_lost else ())
    if verdict is not None and not verdict.current:
        return RunMove(MoveKind.JUDGE, last)
    if latest is not None and latest.to_judge and (verdict is None or verdict.attempt != latest.id):
        return RunMove(MoveKind.JUDGE, latest)
    if verdict and verdict.open:
        return RunMove(MoveKind.ADVANCE)
    if verdict and (review := _review(run, place, verdict)):
        return review
    if verdict and verdict.blockers and all(each.person for each in verdict.blockers):
        return RunMove(MoveKind.ASK, blockers=verdict.blockers)
    if last is None:
        return _start(run, place, None, verdict.blockers if verdict else ())
    return _again(run, place, attempts)


def _review(run: RunState, place: SprintPlace, verdict: RunVerdict) -> RunMove | None:
    """Return the review that is next where only reviews by agents and acts of people are left; None where it is not.

    A review that found something gives the turn to the stage's role.
    """
    left = [each.criterion for each in verdict.blockers if not each.person]
    if not left or any(each not in run.reviews for each in left):
        return None
    criterion, everything = left[0], run.all_in_stay(place.stay)
    before = next((each for each in reversed(everything) if not each.review), None)
    if before is not None and not before.to_judge:
        return None
    since = everything[everything.index(before) + 1 :] if before else everything
    tried = [each for each in since if each.review == criterion]
    clients = run.reviews[criterion]
    last = tried[-1] if tried else None
    if last is None and before is not None and before.outcome == NO_CHANGE and _reviewed_before(everything, criterion):
        return None
    if last is not None and last.outcome == DONE:
        if last.findings:
            return None
        return RunMove(MoveKind.BLOCK, last, detail=f"{criterion}: {last.id} found nothing, and it is not met")
    if last is not None and last.outcome in ("api_auth", "api_quota"):
        return RunMove(MoveKind.FAIL, last, detail=f"{last.client}: {last.message or last.outcome}")
    if len(tried) >= (run.limits.get("attempts") or MAX_ATTEMPTS):
        return RunMove(MoveKind.BLOCK, last, detail=f"{criterion}: {len(tried)} reviews brought no answer")
    if reached := limit_reached(run):
        return RunMove(MoveKind.LIMIT, detail=reached)
    wait = _FIRST_WAIT_S if last is not None and last.outcome == "api_transient" else 0
    return RunMove(MoveKind.START, client=clients[0], review=criterion, wait_s=wait)


def _reviewed_before(attempts: Sequence[RunAttempt], criterion: str) -> bool:
    return any(each.review == criterion and each.outcome == DONE for each in attempts)


def _again(run: RunState, place: SprintPlace, attempts: Sequence[RunAttempt]) -> RunMove:
    """Return the next attempt after one that brought no open gate, or why there is none."""
    last = attempts[-1]
    if last.outcome in ("api_auth", "api_quota"):
        return RunMove(MoveKind.FAIL, last, detail=f"{last.client}: {last.message or last.outcome}")
    if last.outcome == "api_transient":
        return _after_transient(run, place, attempts)
    blockers = blockers_after(run, last)
    counted = [each for each in attempts if each.counts]
    most = run.limits.get("attempts") or MAX_ATTEMPTS
    if len(counted) >= most * len(clients_of(run, place.role)):
        return RunMove(MoveKind.BLOCK, last, blockers=blockers, detail=what_was_tried(run, counted))
    turned = len(counted) % most == 0
    resumes = None if turned or wants_fresh(run, counted) else last
    return _start(run, place, resumes, blockers)


def _after_transient(run: RunState, place: SprintPlace, attempts: Sequence[RunAttempt]) -> RunMove:
    last = attempts[-1]
    row = 0
    for each in reversed(attempts):
        if each.outcome != "api_transient":
            break
        row += 1
    if row >= MOST_TRANSIENT:
        return RunMove(MoveKind.FAIL, last, detail=f"{last.client} failed {row} times in a row: {last.message}")
    wait = min(_FIRST_WAIT_S * 2 ** (row - 1), _LONGEST_WAIT_S)
    before = next((each for each in reversed(attempts) if each.counts), None)
    blockers = blockers_after(run, before) if before else ()
    start = _start(run, place, None, blockers)
    return (
        start
        if start.kind is not MoveKind.START
        else RunMove(MoveKind.START, client=last.client, blockers=blockers, wait_s=wait)
    )


def _start(run: RunState, place: SprintPlace, resumes: RunAttempt | None, blockers: tuple[RunBlocker, ...]) -> RunMove:
    if reached := limit_reached(run):
        return RunMove(MoveKind.LIMIT, detail=reached)
    counted = sum(each.counts for each in run.in_stay(place.stay))
    clients = clients_of(run, place.role)
    most = run.limits.get("attempts") or MAX_ATTEMPTS
    client = clients[min(counted // most, len(clients) - 1)]
    return RunMove(MoveKind.START, resumes=resumes, client=client, blockers=blockers)


def clients_of(run: RunState, role: str) -> tuple[str, ...]:
    """Return the clients of a role in the order in which they are tried."""
    return run.clients.get(role) or run.clients.get("*") or ("claude",)


def limit_reached(run: RunState) -> str:
    """Return which ceiling of the run is reached, in words; empty where none is."""
    used = run.usage
    minutes, tokens, money = (run.limits.get(name) for name in ("minutes", "tokens", "micro_usd"))
    if minutes is not None and run.seconds >= minutes * 60:
        return f"{run.seconds // 60} of {minutes} minutes"
    if tokens is not None and used.tokens >= tokens:
        return f"{used.tokens:,} of {tokens:,} tokens"
    if money is not None and used.micro_usd is not None and used.micro_usd >= money:
        return f"${used.micro_usd / 1e6:.2f} of ${money / 1e6:.2f}"
    return ""


def wants_fresh(run: RunState, counted: Sequence[RunAttempt]) -> bool:
    """Whether the next attempt gets a fresh session: the last one did not end well, or brought nothing new.

    Nothing new is an unchanged diff, or the same blockers as after the attempt before it in the same session.
    """
    last = counted[-1]
    verdict = _verdict_on(run, last)
    before = next((each for each in reversed(counted[:-1]) if each.tree == last.tree), None)
    if last.outcome.startswith("limit_"):
        return before is not None and before.outcome.startswith("limit_")
    if verdict is None or last.outcome in (NO_CHANGE, CONFLICT):
        return True
    earlier = _verdict_on(run, before) if before else None
    return earlier is not None and _compared(earlier) == _compared(verdict)


def _compared(verdict: RunVerdict) -> list[tuple[str, list[str]]]:
    """Return what is the same in two verdicts for the same reasons: the ids of evidence differ each time."""
    return [
        (each.criterion, [line for line in each.reason.splitlines() if not line.startswith(EVIDENCE)])
        for each in verdict.blockers
        if not each.person
    ]


def _verdict_on(run: RunState, attempt: RunAttempt) -> RunVerdict | None:
    """Return the last verdict on an attempt, also one after a review of it."""
    ids = {attempt.id}
    for each in run.attempts[run.attempts.index(attempt) + 1 :]:
        if each.stay != attempt.stay or each.ahead:
            continue
        if not each.review:
            break
        ids.add(each.id)
    return next((each for each in reversed(run.verdicts) if each.attempt in ids), None)


def blockers_after(run: RunState, attempt: RunAttempt) -> tuple[RunBlocker, ...]:
    """Return what the next attempt is to mend."""
    if attempt.outcome == OUT_OF_BOUNDS:
        reason = f"the role {attempt.role} may not change it, so that nothing was merged"
        return tuple(RunBlocker(path, reason) for path in attempt.paths)
    verdict = _verdict_on(run, attempt)
    if verdict:
        return verdict.blockers
    earlier = run.verdict(attempt.stay)
    return earlier.blockers if earlier else ()


def what_was_tried(run: RunState, counted: Sequence[RunAttempt]) -> str:
    """Return one line on the attempts in a stay and what the last one lacked; the attempts are events of their own."""
    last = counted[-1]
    reasons = [f"{each.criterion}: {each.reason.partition(chr(10))[0]}" for each in blockers_after(run, last)]
    lacks = "; ".join(reasons) or f"{last.id} ({last.client}) ended as {last.outcome}"
    return f"{len(counted)} {'attempt' if len(counted) == 1 else 'attempts'} in {last.stage}; {lacks}"


def blockers_text(blockers: Sequence[RunBlocker]) -> str:
    """Return what a session is sent after a closed gate: the blockers alone, at most 2,048 bytes of UTF-8.

    >>> print(blockers_text([RunBlocker("plan", "plan.md is missing")]), end="")
    The gate of this stage is still closed. Mend only this, then end:
    - plan: plan.md is missing
    """
    lines = ["The gate of this stage is still closed. Mend only this, then end:"]
    room = LARGEST_BLOCKERS_BYTES - len(lines[0]) - 40
    for number, each in enumerate(blockers):
        rest = "\n  ".join(each.reason.splitlines())
        line = f"- {each.criterion}: {rest}"
        size = len(line.encode()) + 1
        if size > room:
            cut = line.encode()[: max(room - 4, 0)].decode("utf-8", "ignore")
            more = len(blockers) - number - 1
            lines += [f"{cut}…"] if len(cut) > len(each.criterion) + 4 else []
            lines += [f"- and {more} more"] if more else []
            break
        lines.append(line)
        room -= size
    return "\n".join(lines) + "\n"
