"""The clients that `vfcc run` can drive, by name: an entry for each, and one for any other command line."""

from collections.abc import Mapping

from verifflowcc.base.errors import UsageError
from verifflowcc.base.model.agent_clients import PROGRAMS
from verifflowcc.run.rules.agent_port import AgentClient
from verifflowcc.run.rules.claude_agent import ClaudeAgent
from verifflowcc.run.rules.codex_agent import CodexAgent
from verifflowcc.run.rules.command_agent import command_agent

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
