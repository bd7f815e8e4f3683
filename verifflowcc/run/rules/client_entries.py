"""The clients that `vfcc run` can drive, by name: an entry for each, and one for any other command line."""

from verifflowcc.run.rules.agent_port import AgentClient


def agent_client(words: str) -> AgentClient:
    """Return the client that `--agent` names: `claude`, `codex`, or the command line of any program.

    Raises UsageError where the command line is empty or has an open quote.
    """
    raise NotImplementedError


def client_and_model(words: str) -> tuple[str, str]:
    """Return the client and the model of `codex:MODEL`; only a known client may be followed by a model.

    Raises UsageError where the model is missing.
    """
    raise NotImplementedError
