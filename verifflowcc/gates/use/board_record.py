"""The record behind `vfcc status` at a terminal: the V, what blocks, evidence, memory to review, recent agents.

It costs little in a large repository: no command runs, git's history is not read, and the trace is not checked. The
criteria that would need these are named as not asked; `vfcc check gate` asks all.
"""

from collections.abc import Iterator

from verifflowcc.base.errors import VfccError
from verifflowcc.base.model.gate_input import Facts
from verifflowcc.base.model.gate_values import KINDS, Assessment, Criterion, Mode
from verifflowcc.base.model.sprint_state import SprintState, SprintStatus, StageState
from verifflowcc.base.records import dataclass
from verifflowcc.base.use.workspace import Workspace
from verifflowcc.gates.rules.evidence_wanted import everything, idle
from verifflowcc.gates.rules.gate_check import assess
from verifflowcc.gates.rules.staleness import chosen, stale_reasons
from verifflowcc.gates.use.evidence_listing import find_stale
from verifflowcc.gates.use.gates_now import ask_stage, gather_facts
from verifflowcc.gates.use.owed import owed_by
from verifflowcc.sprint.rules.stage_moves import next_in_order
from verifflowcc.sprint.use.sprint_reading import resolve_sprint, show_sprint
from verifflowcc.sprint.use.sprint_status import OpenSprint, ProjectStatus, current_status

QUICK = frozenset(kind for kind, rule in KINDS.items() if not rule.asks)
"""Kinds that are asked from the files of the project and the ledger alone."""
RULES = "protected files"
"""What every gate asks besides its criteria."""
AGENTS = 20
"""Calls of tools among which the latest of each agent is looked for."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How much evidence a sprint's gates would use is fresh, and which criteria have stale evidence, or none yet.

    Criteria of stages to come count as `missing` only where they are asked for now.
    """

    fresh: int = 0
    stale: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardCheck:
    """A criterion of the active stage, and its status word: passed, failed, stale, missing or waived."""

    asked: Assessment
    status: str


@dataclass(frozen=True, slots=True)
class SprintBoard:
    """The sprint that commands act on: its stages, the checks to leave the active one, and its evidence.

    `unasked` names what a gate asks besides: it needs git's history or the trace. `problem` says why
    nothing could be asked.
    """

    line: OpenSprint
    state: SprintState
    checks: tuple[BoardCheck, ...] = ()
    unasked: tuple[str, ...] = ()
    freshness: Freshness = Freshness()
    problem: str = ""

    @property
    def blocking(self) -> tuple[BoardCheck, ...]:
        """The checks that close the gate."""
        return tuple(each for each in self.checks if each.asked.blocks)


@dataclass(frozen=True, slots=True)
class AgentLine:
    """The latest call of a tool by one agent."""

    who: str
    time: str
    tool: str
    about: str
    success: bool | None


@dataclass(frozen=True, slots=True)
class Board:
    """Everything on the board; `waiting` counts the items of memory that wait for a person's review.

    `others` are the open sprints that commands do not act on.
    """

    project: str
    status: ProjectStatus
    sprint: SprintBoard | None
    others: tuple[SprintBoard, ...]
    waiting: int
    agents: tuple[AgentLine, ...]
    notices: tuple[str, ...] = ()


def read_board(workspace: Workspace) -> Board:
    """Return the board of a project. What cannot be read is left out, with a notice."""
    status = current_status(workspace)
    line = next((each for each in status.open if each.id == status.current), None)
    notices: list[str] = []
    return Board(
        project=workspace.root.name,
        status=status,
        sprint=_sprint(workspace, line) if line else None,
        others=tuple(SprintBoard(each, show_sprint(workspace, each.id)) for each in status.open if each is not line),
        waiting=_waiting(workspace, notices),
        agents=_agents(workspace, notices),
        notices=tuple(notices),
    )


def _sprint(workspace: Workspace, line: OpenSprint) -> SprintBoard:
    state = show_sprint(workspace, line.id)
    if state.problems or state.fork or state.status is not SprintStatus.OPEN:
        return SprintBoard(line, state)
    try:
        facts = gather_facts(workspace, state, with_history=False)
    except VfccError as error:
        return SprintBoard(line, state, problem=error.message.splitlines()[0])
    wrong = next((f"{one.path}:1: {one.problem}" for one in facts.recorded if one.problem), "")
    if wrong:
        return SprintBoard(line, state, problem=wrong)
    criteria = tuple(_asked_now(state, facts))
    quick = [each for each in criteria if each.kind in QUICK]
    unasked = (*(each.id for each in criteria if each.kind not in QUICK), *_to_enter(state), RULES)
    freshness = _freshness(state, facts, {each.id for each in quick})
    stage = state.current or ""
    asked = tuple(_check(assess(each, stage, facts), f"{stage}/{each.id}", freshness) for each in quick)
    return SprintBoard(line, state, asked, unasked if state.current else (), freshness=freshness)


def read_freshness(workspace: Workspace, state: SprintState) -> Freshness:
    """Return how much evidence of a sprint is fresh. Raises VfccError where the facts cannot be read."""
    facts = gather_facts(workspace, state, with_history=False)
    now = {each.id for each in _asked_now(state, facts) if each.kind in QUICK}
    return _freshness(state, facts, now)


def _asked_now(state: SprintState, facts: Facts) -> Iterator[Criterion]:
    """Yield the criteria that a gate asks to leave the active stage; those to enter the first come with it."""
    stage: StageState | None = state.stage(state.current) if state.current else None
    if stage is None:
        return
    first = state.stages[0] is stage
    for each in (*stage.stage.enter, *stage.stage.exit) if first else stage.stage.exit:
        if each.mode is not Mode.OFF and not idle(each, facts):
            yield each


def _to_enter(state: SprintState) -> Iterator[str]:
    """Yield the criteria to enter the next stage: which stage that is can depend on the trace."""
    following = next_in_order(state, state.current) if state.current else None
    stage = state.stage(following) if following else None
    yield from (each.id for each in (stage.stage.enter if stage else ()) if each.mode is not Mode.OFF)


def _freshness(state: SprintState, facts: Facts, now: set[str]) -> Freshness:
    fresh, stale, missing = 0, [], []
    for wanted in everything(state):
        found = chosen(wanted.criterion, wanted.stage, facts).latest
        if not found:
            if wanted.stage == state.current and wanted.criterion.id in now:
                missing.append(str(wanted))
        elif any(one.evidence and stale_reasons(one.evidence, facts, wanted.criterion, most=1) for one in found):
            stale.append(str(wanted))
        else:
            fresh += 1
    return Freshness(fresh, tuple(stale), tuple(missing))


def _check(asked: Assessment, name: str, freshness: Freshness) -> BoardCheck:
    if asked.waiver:
        return BoardCheck(asked, "waived")
    if asked.met:
        return BoardCheck(asked, "passed")
    if name in freshness.stale:
        return BoardCheck(asked, "stale")
    nothing = name in freshness.missing or asked.verdict.value == "not_evaluable"
    return BoardCheck(asked, "missing" if nothing else "failed")


def _waiting(workspace: Workspace, notices: list[str]) -> int:
    from verifflowcc.memory.use.inbox import count_waiting
    from verifflowcc.memory.use.scopes import scopes_listed

    try:
        return count_waiting(workspace, scopes_listed(workspace))
    except VfccError as error:
        notices.append(error.message.splitlines()[0])
        return 0


def _agents(workspace: Workspace, notices: list[str]) -> tuple[AgentLine, ...]:
    """Return the latest call of each agent, newest first."""
    from verifflowcc.history.use.history_offers import recent_actions

    try:
        actions = recent_actions(workspace, limit=AGENTS)
    except VfccError as error:
        notices.append(error.message.splitlines()[0])
        return ()
    found: dict[str, AgentLine] = {}
    for each in actions:
        who = each.role or each.client or each.session
        found.setdefault(who, AgentLine(who, each.time, each.tool, each.subject, each.success))
    return tuple(found.values())


def status_line(workspace: Workspace) -> str:
    """Return one line; what fails is left out, since a client draws the line again and again."""
    try:
        found = resolve_sprint(workspace)
        if found.id is None:
            return "vfcc: several sprints are open" if found.branches else "vfcc: no sprint"
        state = show_sprint(workspace, found.id)
    except VfccError:
        return "vfcc: vfcc doctor"
    parts = [state.id, state.current or str(state.status)]
    if state.current:
        parts += _gate(workspace, state.id)
    return " · ".join(parts)


def _gate(workspace: Workspace, sprint: str) -> list[str]:
    try:
        owed = owed_by(ask_stage(workspace, sprint))
    except VfccError:
        return ["gate unknown"]
    gate = f"owes {len(owed)}" if owed else "gate open"
    try:
        stale = find_stale(workspace, sprint).stale
    except VfccError:
        return [gate]
    return [gate, f"{len(stale)} stale" if stale else "evidence fresh"]
