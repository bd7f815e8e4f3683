"""The port to agent clients: the task that an agent gets, the command line for it, what it writes, and how it ends.

A client turns a task into a command and lines of output into steps. It starts nothing and reads no file, so that all of
it can be tested with text. `run/store/agent_process.py` runs the command; `run/rules/client_choice.py` lists the
clients. Money is counted in whole millionths of a US dollar, because the ledger holds whole numbers only.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from verifflowcc.base.model.events import Json
from verifflowcc.base.records import dataclass, field


class AgentOutcome(StrEnum):
    """How an attempt of an agent ended, by its client's word and its process alone; evidence decides what it is worth.

    `SCHEMA` is an answer that does not have the form that was asked for, `SILENT` an end without a result, and
    `INTERRUPTED` one that vfcc or a person asked for. Of the API's failures, `API_TRANSIENT` may pass by itself,
    `API_AUTH` is a key, model or request that is refused, and `API_QUOTA` an account that is used up.
    """

    DONE = "done"
    REFUSED = "refused"
    SCHEMA = "schema"
    LIMIT_TURNS = "limit_turns"
    LIMIT_MONEY = "limit_money"
    LIMIT_TIME = "limit_time"
    LIMIT_TOKENS = "limit_tokens"
    API_TRANSIENT = "api_transient"
    API_AUTH = "api_auth"
    API_QUOTA = "api_quota"
    INTERRUPTED = "interrupted"
    CRASHED = "crashed"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class AgentUsage:
    """What a session has used since it began; None is unknown.

    `input_tokens` are all that the model read, the cached ones included. `micro_usd` is the client's own figure.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    micro_usd: int | None = None

    @property
    def tokens(self) -> int:
        """Input and output together: the number that a limit of tokens is about."""
        return self.input_tokens + self.output_tokens

    def since(self, before: "AgentUsage") -> "AgentUsage":
        """Return what was used after `before`: clients report the sum of a session, also when it was resumed.

        >>> AgentUsage(50, 20, 5, 900).since(AgentUsage(30, 10, 5, 400))
        AgentUsage(input_tokens=20, output_tokens=10, cached_tokens=0, micro_usd=500)
        """
        return AgentUsage(
            max(self.input_tokens - before.input_tokens, 0),
            max(self.output_tokens - before.output_tokens, 0),
            max(self.cached_tokens - before.cached_tokens, 0),
            None if self.micro_usd is None else max(self.micro_usd - (before.micro_usd or 0), 0),
        )

    def plus(self, more: "AgentUsage") -> "AgentUsage":
        """Return the sum; money is unknown only where neither side knows it."""
        known = [each for each in (self.micro_usd, more.micro_usd) if each is not None]
        return AgentUsage(
            self.input_tokens + more.input_tokens,
            self.output_tokens + more.output_tokens,
            self.cached_tokens + more.cached_tokens,
            sum(known) if known else None,
        )


NO_USAGE = AgentUsage()


class UsageTally:
    """The use of a session, from the steps of one call: each answer counts once, and a total replaces their sum."""

    def __init__(self, before: AgentUsage) -> None:
        self._before, self._sum = before, NO_USAGE
        self._turns: dict[str, AgentUsage] = {}
        self._total: AgentUsage | None = None

    def add(self, step: "AgentStep") -> None:
        """Count a step; a later one of the same answer replaces the earlier."""
        if step.usage is None:
            return
        if step.total:
            self._total = step.usage
            return
        former = self._turns.get(step.turn, NO_USAGE)
        self._turns[step.turn] = step.usage
        self._sum = self._sum.plus(step.usage.since(former))

    def now(self) -> AgentUsage | None:
        """Return what the session has used; None where the client reported nothing yet."""
        if self._total is not None:
            return self._total
        return self._before.plus(self._sum) if self._turns else None


def usage_of(steps: "Sequence[AgentStep]", before: AgentUsage) -> AgentUsage | None:
    """Return what a session has used after the steps of a call; `before` is what it had used before."""
    tally = UsageTally(before)
    for step in steps:
        tally.add(step)
    return tally.now()


@dataclass(frozen=True, slots=True)
class AgentLimits:
    """The ceilings of one attempt, counted by vfcc; None is no ceiling. Time always has one.

    `grace_s` is how long a client that is asked to end may take, and `after_result_s` one that gave its result.
    """

    seconds: int = 1_800
    turns: int | None = 100
    micro_usd: int | None = None
    tokens: int | None = None
    grace_s: int = 5
    after_result_s: int = 10


@dataclass(frozen=True, slots=True)
class AgentTask:
    """All that a client is started with.

    `prompt` goes to stdin and `role_text` is the role's own instruction, which a client may keep apart. `session` is
    fixed before the start where the client allows it; for `resume` it is the one that the client reported. `tools` is
    the table of the role's `tools.yaml`, as `read_tools` returns it; `closed` are patterns of paths that it may not
    edit whatever that table allows, and `opened` those of its stage's artifacts, which it always may. `folder` is the
    worktree, `scratch` a folder outside of it for the client's own files. `schema` is the JSON schema of the answer, as
    text; empty where none is asked for. `environment` is added to what `run_agent` passes on. `checkout` is the
    project in the person's checkout, of which a command's own files are.
    """

    folder: str
    scratch: str
    role: str
    prompt: str
    role_text: str
    session: str
    tools: Mapping[str, Json]
    closed: Sequence[str] = ()
    opened: Sequence[str] = ()
    model: str = ""
    limits: AgentLimits = field(default_factory=AgentLimits)
    schema: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    checkout: str = ""


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """A command to run in `folder`; `files` are written below `scratch` first, by name.

    `environment` is set, and `passes` are the names of variables that it also gets of vfcc's own; a `*` at the end
    matches any rest. `schema` is the form that the last message is checked against; empty for none.
    """

    argv: tuple[str, ...]
    stdin: bytes
    folder: str
    scratch: str
    role: str
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    passes: tuple[str, ...] = ()
    schema: str = ""


class StepKind(StrEnum):
    """The kinds of things that a client reports."""

    STARTED = "started"
    MESSAGE = "message"
    TOOL = "tool"
    TOOL_ENDED = "tool_ended"
    DENIED = "denied"
    RETRY = "retry"
    USAGE = "usage"
    ERROR = "error"
    RESULT = "result"


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One thing that a client reported; the fields that its kind does not need are empty.

    `turn` is the id of the model's answer that it belongs to. `usage` is of that answer, or with `total` of the session
    so far. `reason` is the client's own word for an error or an end, `status` the HTTP status of an API that failed.
    `structured` is the JSON text of an answer in the form that was asked for. `failed` marks an error, a tool call that
    failed, and a result that is none.
    """

    kind: StepKind
    text: str = ""
    tool: str = ""
    session: str = ""
    model: str = ""
    turn: str = ""
    usage: AgentUsage | None = None
    total: bool = False
    reason: str = ""
    status: int | None = None
    structured: str = ""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class AgentEnding:
    """The end of one call of a client.

    `usage` is of the whole session and `spent` of this call; None is unknown. `exit_code` is negative for a signal, and
    None where the client did not start; `failure` then says why. `no_session` says that the session to resume does not
    exist: begin it again. `orphans` are the processes that it left running and that were ended, and `log` is the folder
    of its raw output.
    """

    outcome: AgentOutcome
    session: str = ""
    usage: AgentUsage | None = None
    spent: AgentUsage | None = None
    message: str = ""
    structured: str = ""
    denied: tuple[str, ...] = ()
    turns: int = 0
    exit_code: int | None = None
    failure: str = ""
    no_session: bool = False
    orphans: tuple[int, ...] = ()
    log: str = ""
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class AgentAbilities:
    """What a client can do: fix the id of its session, go on with one, count money, answer in a form, limit files."""

    fixes_session: bool = False
    resumes: bool = False
    counts_money: bool = False
    counts_tokens: bool = False
    takes_schema: bool = False
    limits_paths: bool = False


class AgentClient(Protocol):
    """A program that runs agents without a person: Claude Code, Codex, or any command."""

    @property
    def name(self) -> str:
        """Its name in the configuration and in events."""

    @property
    def program(self) -> str:
        """The program that is started: a name to look for on the PATH, or a path."""

    @property
    def abilities(self) -> AgentAbilities:
        """What it can do."""

    def start(self, task: AgentTask) -> AgentCommand:
        """Return the command that begins a session."""

    def resume(self, task: AgentTask, text: str) -> AgentCommand:
        """Return the command that gives a session, `task.session`, one more message."""

    def decode(self, line: str) -> Sequence[AgentStep]:
        """Return the steps in one line of its output; none where it holds nothing of use."""

    def classify(self, exit_code: int | None, steps: Sequence[AgentStep], killed: AgentOutcome | None) -> AgentOutcome:
        """Return how a call ended; `killed` is the reason for which vfcc ended it. An exit code of 0 proves nothing."""

    def usage(self, steps: Sequence[AgentStep], before: AgentUsage) -> AgentUsage | None:
        """Return what the session used so far; `before` is what it had used before this call. None is unknown."""
