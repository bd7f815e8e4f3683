"""Run a client for one attempt: its own session, an environment of its own, limits that vfcc counts, no orphans."""

from collections.abc import Callable

from verifflowcc.run.rules.agent_port import (
    NO_USAGE,
    AgentClient,
    AgentCommand,
    AgentEnding,
    AgentLimits,
    AgentStep,
    AgentUsage,
)

RUN_VARIABLE = "VFCC_RUN"
"""The variable that marks all processes of an attempt: the run's id, a slash, the attempt's id."""


def run_agent(
    client: AgentClient,
    command: AgentCommand,
    limits: AgentLimits,
    marker: str,
    on_step: Callable[[AgentStep], None],
    stop: Callable[[], bool],
    *,
    before: AgentUsage = NO_USAGE,
) -> AgentEnding:
    """Run a client's command to its end and return how it ended; no process with the marker is left.

    `marker` is `<run>/<attempt>`. `on_step` gets each step when it was written; `stop` is asked several times a second,
    and True ends the client. `before` is what the session had used before. The raw output is kept as `stdout.ndjson`
    and `stderr.txt` in the command's `scratch`. An exception, also SystemExit of a signal, ends the client first.
    """
    raise NotImplementedError


def sweep(run: str) -> tuple[int, ...]:
    """End all processes that a run has left, or one attempt of it (`<run>/<attempt>`); return their ids.

    They are found by the marker in their environment, so that also those with a session of their own are.
    """
    raise NotImplementedError
