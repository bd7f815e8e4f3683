"""The entries that make each client run vfcc at its hooks: into which file they go, and how they look."""

import re
from collections.abc import Iterator, Mapping

from verifflowcc.base.model.agent_clients import CLIENTS, FILES, LOCAL_FILE
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.json_edit import Json
from verifflowcc.history.rules.client import client_of

EVENTS = {name: client_of(name).events for name in CLIENTS}
"""The events that each client's entries are for, in its own words, and Claude Code's name of each."""
VERSION = 1


@dataclass(frozen=True, slots=True)
class Target:
    """A client, and its file in the project; `local` is a file that is for one person alone."""

    client: str
    path: str
    local: bool = False


def target_of(client: str, *, local: bool = False) -> Target:
    """Return where a client's entries go; Claude Code alone has a file that is for one person."""
    return Target(client, LOCAL_FILE if local and client == "claude" else FILES[client], local)


def entries(client: str) -> dict[str, Mapping[str, Json]]:
    """Return the entry for each event of a client, in its own words."""
    return {event: client_of(client).entry(event) for event in EVENTS[client]}


def is_ours(client: str, entry: object) -> bool:
    """Say whether an entry, or a hook in it, runs `vfcc hook` for a client, whatever else somebody made of it."""
    if not isinstance(entry, Mapping):
        return False
    if _runs(client, entry):
        return True
    inner = entry.get("hooks")
    return isinstance(inner, list) and any(isinstance(each, Mapping) and _runs(client, each) for each in inner)


def command_lines(hook: Mapping[str, object]) -> Iterator[str]:
    """Yield what a hook runs, on each system."""
    arguments = hook.get("args")
    words = [each for each in arguments if isinstance(each, str)] if isinstance(arguments, list) else []
    for key in ("command", "exec", "bash", "powershell"):
        if isinstance(line := hook.get(key), str):
            yield " ".join((line, *words))


def _runs(client: str, hook: Mapping[str, object]) -> bool:
    ours = re.compile(rf"(?:^|[\s/'\"])vfcc(?:\.exe)?['\"]?\s+hook\s+{client}(?!\w)")
    return any(ours.search(line) for line in command_lines(hook))


def next_steps(client: str, path: str) -> tuple[str, ...]:
    """Return what is left to do after a client's file was written, a sentence each."""
    return tuple(step.replace("{path}", path) for step in client_of(client).steps)
