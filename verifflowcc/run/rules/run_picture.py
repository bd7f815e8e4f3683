"""A run as a few lines: its stages with their attempts, what the agent does now, what it cost, and what blocks it."""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.model.sprint_state import SprintState, StageStatus
from verifflowcc.base.records import dataclass
from verifflowcc.run.rules.agent_port import AgentStep, AgentUsage, StepKind
from verifflowcc.run.rules.run_fold import RunAttempt, RunState

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
