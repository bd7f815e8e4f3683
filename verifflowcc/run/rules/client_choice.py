"""The client that `--agent` names: one with an adapter, or any other command.

A command is an agent, too: it has the prompt on stdin, its exit code is its word, and it may write JSON lines. These
are objects with a `type`: `started`, `message`, `tool`, `denied`, `error`, `usage`, `result`. All other output is kept
in the log and ignored. docs/how-to/run-agents.md lists their keys.
"""

import shlex
from collections.abc import Mapping, Sequence

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.agent_clients import PROGRAMS
from verifflowcc.base.model.events import Json
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.quick_json import write
from verifflowcc.run.rules.agent_lines import (
    LONGEST_RESULT,
    as_object,
    count_of,
    inner,
    last_result,
    micro_of,
    text_of,
    without_result,
)
from verifflowcc.run.rules.agent_port import (
    AgentAbilities,
    AgentClient,
    AgentCommand,
    AgentOutcome,
    AgentStep,
    AgentTask,
    AgentUsage,
    StepKind,
    usage_of,
)
from verifflowcc.run.rules.claude_agent import ClaudeAgent
from verifflowcc.run.rules.codex_agent import CodexAgent

EXIT_CODES = {75: AgentOutcome.API_TRANSIENT, 77: AgentOutcome.API_AUTH}
"""Exit codes of `sysexits.h` that say more than that it failed: try again later, and not permitted."""
_KINDS = {each.value: each for each in StepKind}
_OUTCOMES = {each.value: each for each in AgentOutcome}


@dataclass(frozen=True, slots=True)
class CommandAgent:
    """A program of the user's own. Without a session of its own it gets the whole prompt again, and what is new."""

    argv: tuple[str, ...]

    @property
    def name(self) -> str:
        """The command line, as the user writes it."""
        return shlex.join(self.argv)

    @property
    def program(self) -> str:
        """The first word of the command."""
        return self.argv[0]

    @property
    def abilities(self) -> AgentAbilities:
        """It gets the id of its session as `VFCC_SESSION`; nothing else is expected of it."""
        return AgentAbilities(fixes_session=True)

    def start(self, task: AgentTask) -> AgentCommand:
        """Return the command with the role's text and the prompt on stdin."""
        return self._command(task, task.prompt)

    def resume(self, task: AgentTask, text: str) -> AgentCommand:
        """Return the command with all of the prompt again, and one more message after it."""
        return self._command(task, f"{task.prompt}\n\n{text}")

    def _command(self, task: AgentTask, text: str) -> AgentCommand:
        whole = f"{task.role_text}\n\n{text}" if task.role_text else text
        more = (
            {"VFCC_SESSION": task.session, "VFCC_MODEL": task.model} if task.model else {"VFCC_SESSION": task.session}
        )
        return AgentCommand(
            tuple(of_checkout(each, task.checkout) for each in self.argv),
            whole.encode("utf-8", "replace"),
            task.folder,
            task.scratch,
            task.role,
            environment={**more, **task.environment},
            schema=task.schema,
        )

    def decode(self, line: str) -> Sequence[AgentStep]:
        """Return the step in one line of its output; none for all that is no such JSON."""
        value = as_object(line)
        kind = _KINDS.get(text_of(value.get("type")))
        if kind is None:
            return ()
        structured = value.get("structured")
        return (
            AgentStep(
                kind,
                text_of(value.get("text"), LONGEST_RESULT),
                tool=text_of(value.get("tool"), 200),
                session=text_of(value.get("session"), 200),
                model=text_of(value.get("model"), 200),
                turn=text_of(value.get("turn"), 200),
                usage=_usage(value if kind is StepKind.USAGE else inner(value, "usage")),
                total=True,
                reason=text_of(value.get("outcome"), 200),
                status=count_of(value.get("status")) or None,
                structured="" if structured is None else write(structured)[:LONGEST_RESULT],
                failed=value.get("failed") is True,
            ),
        )

    def classify(self, exit_code: int | None, steps: Sequence[AgentStep], killed: AgentOutcome | None) -> AgentOutcome:
        """Return how it ended: its exit code, and the outcome of its last `result` where it is 0."""
        if killed is not None:
            return killed
        if exit_code in EXIT_CODES:
            return EXIT_CODES[exit_code]
        result = last_result(steps)
        named = _OUTCOMES.get(result.reason) if result else None
        if exit_code == 0:
            return named or (AgentOutcome.CRASHED if result and result.failed else AgentOutcome.DONE)
        if named not in (None, AgentOutcome.DONE):
            return named
        return without_result(exit_code, steps)

    def usage(self, steps: Sequence[AgentStep], before: AgentUsage) -> AgentUsage | None:
        """Return what its last `usage` line says, which is of the whole session."""
        return usage_of(steps, before)


def of_checkout(word: str, checkout: str) -> str:
    """Return a word of a command, with a path from `./` or `../` as one in the person's checkout.

    In the worktree of an attempt it would be a file that the agent can change.

    >>> of_checkout("./agent.sh", "/home/you/shop"), of_checkout("--fast", "/home/you/shop")
    ('/home/you/shop/agent.sh', '--fast')
    """
    if not checkout or not word.startswith(("./", "../")):
        return word
    return f"{checkout}/{word.removeprefix('./')}"


def command_agent(words: str) -> CommandAgent:
    """Return the agent of a command line. Raises UsageError where it is empty or has an open quote."""
    try:
        argv = tuple(shlex.split(words))
    except ValueError as error:
        raise UsageError(f"cannot read the command of the agent: {error}", hint="close its quotes") from error
    if not argv:
        raise UsageError("the command of the agent is empty", hint="vfcc run --agent claude")
    return CommandAgent(argv)


def _usage(value: Mapping[str, Json]) -> AgentUsage | None:
    names = ("input_tokens", "output_tokens", "cached_tokens")
    if not any(name in value for name in (*names, "usd")):
        return None
    given, made, cached = (count_of(value.get(name)) for name in names)
    return AgentUsage(given, made, cached, micro_of(value.get("usd")))


DRIVEN: Mapping[str, AgentClient] = {
    "claude": ClaudeAgent(PROGRAMS["claude"]),
    "codex": CodexAgent(PROGRAMS["codex"]),
}
"""The clients with an adapter; their programs are looked for on the PATH."""


def agent_client(words: str) -> AgentClient:
    """Return the client that `--agent` names: `claude`, `codex:MODEL`, or the command line of any program.

    Raises UsageError where the command line is empty or has an open quote.
    """
    name, _ = client_and_model(words)
    return DRIVEN.get(name) or command_agent(words)


def client_and_model(words: str) -> tuple[str, str]:
    """Return the client and the model of `codex:MODEL`; of a command line, all of it and no model.

    Raises UsageError where the model is missing.

    >>> client_and_model("codex:large"), client_and_model("./agent.sh --fast:yes")
    (('codex', 'large'), ('./agent.sh --fast:yes', ''))
    """
    name, colon, model = words.partition(":")
    if name.strip() not in DRIVEN:
        return words, ""
    if colon and not model.strip():
        raise UsageError(f"{words} names no model after the colon", hint=f"vfcc run --agent {name.strip()}:MODEL")
    return name.strip(), model.strip()
