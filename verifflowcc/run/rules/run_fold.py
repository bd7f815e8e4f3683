"""The state of a run of agents from the events of its sprint, and that state as lines for a person.

The ledger is the truth: the same events give the same state. An event that does not fit (a merge of an attempt that
never ended, a second merge) changes nothing, so that a step which is repeated after a crash does no harm.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from verifflowcc.base.formats import event_payloads as fields
from verifflowcc.base.model.events import OF_RUNS, Event, EventType, Json
from verifflowcc.base.model.sprint_state import SprintState, StageStatus
from verifflowcc.base.records import dataclass, field, replace
from verifflowcc.run.rules.agent_port import AgentStep, AgentUsage, StepKind


class RunStatus(StrEnum):
    """Whether a run works, waits for a person, or ended, and how.

    A run that crashed is `working` on the ledger; whether a driver is alive is asked of its lock.
    """

    WORKING = "working"
    WAITING = "waiting"
    BLOCKED = "blocked"
    LIMIT = "limit"
    STOPPED = "stopped"
    FAILED = "failed"
    DONE = "done"


OUT_OF_BOUNDS = "out_of_bounds"
CONFLICT = "conflict"
NO_CHANGE = "no_change"
DONE = "done"
UNCOUNTED = frozenset(("api_transient", "api_auth", "api_quota"))
"""Outcomes that are no attempt of the agent: the service behind the client failed."""
_MERGED = frozenset((DONE,))
_JUDGED = frozenset((DONE, NO_CHANGE))


@dataclass(frozen=True, slots=True)
class RunBlocker:
    """A criterion that keeps a gate closed, and whether only a person can meet it."""

    criterion: str
    reason: str
    person: bool = False


@dataclass(frozen=True, slots=True)
class RunAttempt:
    """One attempt of an agent; `outcome` is empty until it ended, `merged` the commit that merged it.

    `tree` is the name of its worktree and of the last part of its branch. `seconds` and `usage` are of this attempt
    alone.
    """

    id: str
    stage: str
    stay: str
    role: str
    base: str
    client: str
    model: str
    session: str
    tree: str
    fresh: bool
    started: str
    """When it started, as in the ledger."""
    outcome: str = ""
    commit: str | None = None
    usage: AgentUsage | None = None
    seconds: int = 0
    paths: tuple[str, ...] = ()
    """Files that it changed and may not change."""
    left_out: tuple[str, ...] = ()
    """Files of vfcc that it wrote, which are not merged."""
    review: str = ""
    """The criterion that it reviews; empty for the work of a stage's role."""
    findings: tuple[str, ...] = ()
    """What a review found."""
    message: str = ""
    ended: str = ""
    merged: str | None = None
    ahead: bool = False
    """Whether it began during the stage before its own, beside the role of that one, and is no part of its own yet.

    Its `stay` is that of the stage before until then.
    """

    @property
    def counts(self) -> bool:
        """Whether it is one of the attempts that a limit is about."""
        return self.outcome not in UNCOUNTED

    @property
    def to_merge(self) -> bool:
        """Whether it ended well and is not merged yet; a review is never merged."""
        return not self.review and self.outcome in _MERGED and self.commit is not None and self.merged is None

    @property
    def to_judge(self) -> bool:
        """Whether a gate is to be asked after it."""
        return self.outcome in _JUDGED and not self.to_merge


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """What the gate of a stage was after an attempt; `current` until a person answered."""

    stage: str
    stay: str
    attempt: str | None
    open: bool
    blockers: tuple[RunBlocker, ...]
    current: bool = True


@dataclass(frozen=True, slots=True)
class RunAsk:
    """What a person is asked: the event, the stage, and a line for each act."""

    event: str
    stage: str
    stay: str
    asks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunState:
    """A run as its events add up to it.

    `clients` maps a role, or `*`, to its clients in the order in which they are tried. `retried` counts, by stay, the
    attempts that a person set aside with `vfcc run retry`.
    """

    id: str
    sprint: str
    base: str
    branch: str | None
    until: str | None
    clients: Mapping[str, tuple[str, ...]]
    limits: Mapping[str, int | None]
    opened: str
    """When it was opened, as in the ledger."""
    attempts: tuple[RunAttempt, ...] = ()
    verdicts: tuple[RunVerdict, ...] = ()
    asked: RunAsk | None = None
    status: RunStatus = RunStatus.WORKING
    detail: str = ""
    """Why it does not work."""
    retried: Mapping[str, int] = field(default_factory=dict)
    reviews: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Criterion that an agent reviews → the client that does."""
    parallel: bool = False
    """Whether the role that writes the tests begins while another one writes the code."""
    fleet: str = ""
    """The fleet whose workers take its attempts; empty where this machine makes them."""
    last: str = ""
    """The id of its latest event."""

    @property
    def open_attempts(self) -> tuple[RunAttempt, ...]:
        """The attempts that started and did not end: one, or with another stage's beside it two."""
        return tuple(each for each in self.attempts if not each.outcome)

    @property
    def usage(self) -> AgentUsage:
        """What all attempts used, as far as it is known."""
        total = AgentUsage()
        for each in self.attempts:
            total = total.plus(each.usage) if each.usage else total
        return total

    @property
    def seconds(self) -> int:
        """For how long agents worked."""
        return sum(each.seconds for each in self.attempts)

    def attempt(self, attempt_id: str) -> RunAttempt | None:
        """Return the attempt of that id, or None."""
        return next((each for each in self.attempts if each.id == attempt_id), None)

    def in_stay(self, stay: str) -> tuple[RunAttempt, ...]:
        """Return the attempts of the role in one stay in a stage that are not set aside."""
        return tuple(each for each in self.all_in_stay(stay) if not each.review)

    def all_in_stay(self, stay: str) -> tuple[RunAttempt, ...]:
        """Return the attempts and reviews in one stay in a stage that are not set aside."""
        found = tuple(each for each in self.attempts if each.stay == stay and not each.ahead)
        return found[self.retried.get(stay, 0) :]

    def ahead_in(self, stay: str) -> RunAttempt | None:
        """Return the attempt of the next stage that began in a stay and is no part of that stage yet, or None."""
        return next((each for each in self.attempts if each.ahead and each.stay == stay), None)

    def verdict(self, stay: str) -> RunVerdict | None:
        """Return the latest verdict in a stay, or None."""
        return next((each for each in reversed(self.verdicts) if each.stay == stay), None)


def run_events(events: Iterable[Event], run: str | None = None) -> tuple[Event, ...]:
    """Return the events of runs, or of one of them, in their order."""
    return tuple(each for each in events if each.type in OF_RUNS and run in (None, each.payload.get("run")))


def fold_runs(sprint: str, events: Iterable[Event], *, closed: bool = False) -> Mapping[str, RunState]:
    """Return the runs of a sprint by id; `events` are in the ledger's order.

    With the sprint `closed` they are done: nothing is written to a closed sprint for that.
    """
    runs: dict[str, RunState] = {}
    seen: set[str] = set()
    for event in run_events(events):
        if event.id in seen:
            continue
        seen.add(event.id)
        name = fields.text(event.payload, "run")
        state = runs.get(name)
        if state is None:
            if event.type is EventType.RUN_OPENED:
                runs[name] = _opened(sprint, name, event)
            continue
        runs[name] = replace(_apply(state, event), last=event.id)
    if closed:
        return {name: replace(each, status=RunStatus.DONE, detail="", asked=None) for name, each in runs.items()}
    return runs


def _opened(sprint: str, name: str, event: Event) -> RunState:
    payload = event.payload
    return RunState(
        name,
        sprint,
        fields.text(payload, "base"),
        fields.optional_text(payload, "branch"),
        fields.optional_text(payload, "until"),
        _clients(payload["clients"]),
        _counts(payload.get("limits")),
        event.time,
        reviews=_clients(payload.get("reviews") or {}),
        parallel=payload.get("parallel") is True,
        fleet=str(payload.get("fleet") or ""),
        last=event.id,
    )


def _clients(value: Json) -> dict[str, tuple[str, ...]]:
    named = fields.record(value)
    return {name: fields.texts(named, name) for name in named}


def _apply(state: RunState, event: Event) -> RunState:
    if state.status is RunStatus.DONE:
        return state
    change = _CHANGES.get(event.type)
    return change(state, event) if change else state


def _started(state: RunState, event: Event) -> RunState:
    payload = event.payload
    ahead = payload.get("ahead") is True
    is_taken = any(each.ahead is ahead for each in state.open_attempts)
    if is_taken or state.attempt(fields.text(payload, "attempt")):
        return state
    attempt = RunAttempt(
        id=fields.text(payload, "attempt"),
        stage=fields.text(payload, "stage"),
        stay=fields.text(payload, "stay"),
        role=fields.text(payload, "role"),
        base=fields.text(payload, "base"),
        client=fields.text(payload, "client"),
        model=str(payload.get("model") or ""),
        session=fields.text(payload, "session"),
        tree=fields.text(payload, "tree"),
        fresh=payload.get("fresh") is not False,
        review=str(payload.get("review") or ""),
        started=event.time,
        ahead=ahead,
    )
    return replace(state, attempts=(*state.attempts, attempt), status=RunStatus.WORKING, detail="")


def _ended(state: RunState, event: Event) -> RunState:
    payload, was = event.payload, state.attempt(fields.text(event.payload, "attempt"))
    if was is None or was.outcome:
        return state
    usage = payload.get("usage")
    now = replace(
        was,
        outcome=fields.text(payload, "outcome"),
        commit=fields.optional_text(payload, "commit"),
        usage=usage_of(usage) if isinstance(usage, Mapping) else None,
        seconds=fields.number(payload, "seconds"),
        paths=fields.texts(payload, "paths"),
        left_out=fields.texts(payload, "left_out") if "left_out" in payload else (),
        findings=fields.texts(payload, "findings") if "findings" in payload else (),
        message=str(payload.get("message") or ""),
        session=str(payload.get("session") or was.session),
        ended=event.time,
    )
    return replace(state, attempts=_with(state.attempts, now))


def _merged(state: RunState, event: Event) -> RunState:
    was = state.attempt(fields.text(event.payload, "attempt"))
    if was is None or not was.to_merge:
        return state
    now = replace(was, merged=fields.text(event.payload, "commit"))
    return replace(state, attempts=_with(state.attempts, _arrived(now, event.payload.get("stay"))))


def _arrived(attempt: RunAttempt, stay: Json) -> RunAttempt:
    """Return an attempt that began ahead as part of the stay in which it is merged, or found to conflict."""
    return replace(attempt, stay=stay, ahead=False) if attempt.ahead and isinstance(stay, str) else attempt


def _judged(state: RunState, event: Event) -> RunState:
    payload = event.payload
    blockers = tuple(
        RunBlocker(fields.text(each, "criterion"), fields.text(each, "reason"), each.get("person") is True)
        for each in fields.records(payload, "blockers")
    )
    verdict = RunVerdict(
        fields.text(payload, "stage"),
        fields.text(payload, "stay"),
        fields.optional_text(payload, "attempt"),
        payload["open"] is True,
        blockers,
    )
    was = state.attempt(verdict.attempt) if verdict.attempt else None
    attempts = state.attempts
    if was is not None and was.to_merge:  # judged before a merge, which was not possible
        attempts = _with(attempts, _arrived(replace(was, outcome=CONFLICT), verdict.stay))
    return replace(state, attempts=attempts, verdicts=(*state.verdicts, verdict))


def _asked(state: RunState, event: Event) -> RunState:
    payload = event.payload
    asks = fields.texts(payload, "asks")
    ask = RunAsk(event.id, fields.text(payload, "stage"), fields.text(payload, "stay"), asks)
    return replace(state, asked=ask, status=RunStatus.WAITING, detail="; ".join(asks))


def _answered(state: RunState, event: Event) -> RunState:
    retried = dict(state.retried)
    stage = event.payload.get("retry")
    if isinstance(stage, str):
        for stay in {each.stay for each in state.attempts if each.stage == stage and not each.ahead}:
            retried[stay] = sum(each.stay == stay and not each.ahead for each in state.attempts)
    return replace(
        state,
        asked=None,
        status=RunStatus.WORKING,
        detail="",
        retried=retried,
        limits={**state.limits, **_counts(event.payload.get("limits"))},
        verdicts=tuple(replace(each, current=False) for each in state.verdicts),
    )


def _stopped(state: RunState, event: Event) -> RunState:
    why = fields.text(event.payload, "why")
    status = RunStatus(why) if why in list(RunStatus) else RunStatus.STOPPED
    return replace(state, status=status, detail=fields.text(event.payload, "detail"))


def _closed(state: RunState, _event: Event) -> RunState:
    return replace(state, status=RunStatus.DONE, detail="", asked=None)


_CHANGES = {
    EventType.ATTEMPT_STARTED: _started,
    EventType.ATTEMPT_ENDED: _ended,
    EventType.ATTEMPT_MERGED: _merged,
    EventType.RUN_GATE: _judged,
    EventType.RUN_ASKED: _asked,
    EventType.RUN_ANSWERED: _answered,
    EventType.RUN_STOPPED: _stopped,
    EventType.RUN_CLOSED: _closed,
}


def _with(attempts: Sequence[RunAttempt], changed: RunAttempt) -> tuple[RunAttempt, ...]:
    return tuple(changed if each.id == changed.id else each for each in attempts)


def _counts(value: Json) -> dict[str, int | None]:
    if not isinstance(value, Mapping):
        return {}
    return {name: each if isinstance(each, int) else None for name, each in value.items()}


def usage_payload(usage: AgentUsage | None) -> Json:
    """Return a usage as an event holds it."""
    if usage is None:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "micro_usd": usage.micro_usd,
    }


def usage_of(value: Mapping[str, Json]) -> AgentUsage:
    """Return the usage in an event."""

    def count(name: str) -> int:
        found = value.get(name)
        return found if isinstance(found, int) else 0

    money = value.get("micro_usd")
    return AgentUsage(
        count("input_tokens"), count("output_tokens"), count("cached_tokens"), money if isinstance(money, int) else None
    )


# A run as lines: its stages, what their agents do, and what blocks them.

MOST_BLOCKERS = 3
_MICRO = 1_000_000


@dataclass(slots=True)
class AgentActivity:
    """What the agent of an attempt does now; `since` is a moment of the caller's clock, in seconds."""

    since: float
    calls: int = 0
    last: str = ""

    def take(self, step: AgentStep) -> None:
        """Note a step of the agent."""
        if step.kind is StepKind.TOOL:
            self.calls += 1
            self.last = f"{step.tool} {step.text}".strip()
        elif step.kind is StepKind.DENIED:
            self.last = f"{step.tool} was denied"
        elif step.kind is StepKind.RETRY:
            self.last = f"the service answered {step.status or step.text}; trying again"


@dataclass(frozen=True, slots=True)
class PictureLine:
    """A line: a status word, which chooses its symbol and colour ("" for none), and its text."""

    status: str
    text: str


Activities = Mapping[str, AgentActivity]
"""Attempt → what its agent does."""


def picture(run: RunState, sprint: SprintState, activities: Activities, now: float) -> tuple[PictureLine, ...]:
    """Return the lines of a run; `now` is on the clock of the activities."""
    return tuple(_lines(run, sprint, activities, now))


def cost_text(used: AgentUsage) -> str:
    """Return tokens and dollars; without an amount where no client reports one.

    >>> cost_text(AgentUsage(4_000, 2_000, 0, 28_000)), cost_text(AgentUsage(5, 2))
    ('6,000 tokens, $0.03', '7 tokens')
    """
    money = "" if used.micro_usd is None else f", ${used.micro_usd / _MICRO:.2f}"
    return f"{used.tokens:,} tokens{money}"


def _lines(run: RunState, sprint: SprintState, activities: Activities, now: float) -> Iterator[PictureLine]:
    yield PictureLine("", f"{run.id}: {run.status}, {cost_text(run.usage)}")
    for each in sprint.stages:
        attempts = [attempt for attempt in run.attempts if attempt.stage == each.stage.id]
        yield PictureLine(str(each.status), f"{each.stage.id}{_attempts(attempts)}")
        if each.status is StageStatus.ACTIVE:
            yield from _blockers(run, attempts)
        working = attempts[-1] if attempts and not attempts[-1].outcome else None
        if working and (activity := activities.get(working.id)):
            calls = f"{activity.calls} call{'' if activity.calls == 1 else 's'}"
            last = f": {activity.last}" if activity.last else ""
            yield PictureLine("", f"    {int(now - activity.since)} s, {calls}{last}")


def _attempts(attempts: Sequence[RunAttempt]) -> str:
    if not attempts:
        return ""
    last = attempts[-1]
    count = f"attempt {len(attempts)}, " if len(attempts) > 1 else ""
    return f": {count}{last.id} ({client_name(last.client)}) {last.outcome or 'works'}"


def client_name(client: str) -> str:
    """Return a client's name; of a command line, the name of its program."""
    program, _, more = client.partition(" ")
    return f"{program.rpartition('/')[2]} …" if more else program.rpartition("/")[2]


def _blockers(run: RunState, attempts: Sequence[RunAttempt]) -> Iterator[PictureLine]:
    verdict = run.verdict(attempts[-1].stay) if attempts else None
    for each in verdict.blockers[:MOST_BLOCKERS] if verdict else ():
        yield PictureLine("failed", f"  {each.criterion}: {each.reason.partition(chr(10))[0]}")
    if verdict and len(verdict.blockers) > MOST_BLOCKERS:
        yield PictureLine("", f"    and {len(verdict.blockers) - MOST_BLOCKERS} more")
