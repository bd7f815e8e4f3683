"""What every agent client has, and a hook's input in Claude Code's form. It runs inside of hooks.

A client is a line in `base/model/agent_clients.py` and a module of its name here, whose `CLIENT` describes it.
"""

from verifflowcc.base.model.agent_clients import CLIENTS, SERVER_FILES

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from verifflowcc.history.rules.client_doors import Door, DoorTexts

    Json = Any


AGAIN = "hooks are read when a session starts: begin a new one"
TIMEOUT_S = 10
_LONGEST_MS = 1e15


class Client:
    """An agent client. What a client leaves out is as Claude Code has it, or absent."""

    name = ""
    events: "dict[str, str]" = {}  # noqa: RUF012 - never changed
    """The events that its entries are for, in its own words, and Claude Code's name of each."""
    carries: "dict[str, tuple[str, ...]]" = {}  # noqa: RUF012
    """The answers that it takes at each event, by Claude Code's name; at a missing event it is only heard."""
    steps: "tuple[str, ...]" = ()
    """What a person has to do before it runs its hooks; `{path}` is its file."""
    first_steps: "tuple[str, ...]" = ()
    """What a person has to do before it reads the files of `doors`."""
    grouped = False
    """Whether its entries are groups of hooks, each of which a matcher may narrow down."""
    versioned = False
    """Whether its file names a version."""
    ignores_args = False
    """Whether it ignores the key `args` of a hook."""
    misplaced: "tuple[str, ...]" = ()
    """Files that look right and from which it reads no hooks."""
    switches: "tuple[str, ...]" = ()
    """Files in which `disableAllHooks` turns its hooks off."""

    def as_claude(self, _event: str, payload: "Mapping[str, Json]") -> "dict[str, Json]":
        """Return a hook's input in Claude Code's form; `_event` is the one named on the command line, if any.

        What is missing stays missing, and no type is relied on.
        """
        return dict(payload)

    def answer(self, event: str, context: str, decision: str, reason: str) -> "dict[str, object]":
        """Return an answer as the client reads it; `event` is in Claude Code's words."""
        output: dict[str, object] = {"decision": "block", "reason": reason} if decision == "block" else {}
        own: dict[str, object] = {"hookEventName": event}
        if context:
            own["additionalContext"] = context
        if decision in ("deny", "ask"):
            own |= {"permissionDecision": decision, "permissionDecisionReason": reason}
        if len(own) > 1:
            output["hookSpecificOutput"] = own
        return output

    def entry(self, event: str) -> "dict[str, Json]":
        """Return the entry of its file that runs vfcc at an event, in its own words."""
        hook = {"type": "command", "command": f"vfcc hook {self.name}", "timeout": self.timeout(event)}
        return {"hooks": [hook]}

    def timeout(self, _event: str) -> int:
        """Return how long its hooks may take, in the unit of its file."""
        return TIMEOUT_S

    def faults(self, _value: "Mapping[str, object]") -> "Iterator[str]":
        """Yield what in its file, beside the entries, makes it ignore them."""
        return iter(())

    def doors(self, _texts: "DoorTexts") -> "list[Door]":
        """Return what it reads of a project besides its hooks, `AGENTS.md` and the skills."""
        from verifflowcc.history.rules.client_doors import server_door

        return [server_door(SERVER_FILES[self.name])]


def client_of(name: str) -> Client:
    """Return a client; only its own module is imported. One that is not listed has no events."""
    if name not in CLIENTS:
        return Client()
    found: Client = __import__(f"{__package__}.{name}", fromlist=("CLIENT",)).CLIENT
    return found


def normal_form(client: str, event: str, payload: "Mapping[str, Json]") -> "dict[str, Json]":
    """Return a hook's input in Claude Code's form; `event` is from the command line.

    Unknown fields are kept as they are; what is missing stays missing.
    """
    plain = dict(payload) if client == "claude" else client_of(client).as_claude(event, payload)
    duration = plain.get("duration_ms")
    if isinstance(duration, float) and not abs(duration) <= _LONGEST_MS:
        del plain["duration_ms"]  # 1e400 is read as a number that is none
    if not isinstance(plain.get("hook_event_name"), str):
        plain["hook_event_name"] = event
    return plain


def speaking_client(named: str, payload: "Mapping[str, Json]") -> str:
    """Return the client that speaks, where the command line names Claude Code: others run the hooks of its plugins.

    >>> speaking_client("claude", {"transcript_path": "/home/a/.codex/sessions/2026/rollout-1.jsonl"})
    'codex'
    >>> speaking_client("claude", {"sessionId": "s"}), speaking_client("claude", {"session_id": "s", "timestamp": "t"})
    ('copilot', 'copilot')
    >>> speaking_client("claude", {"session_id": "s", "transcript_path": "/home/a/.claude/projects/p/s.jsonl"})
    'claude'
    """
    if named != "claude":
        return named
    path = payload.get("transcript_path")
    if isinstance(path, str) and path.rpartition("/")[2].startswith("rollout-"):
        return "codex"
    if "sessionId" in payload and "session_id" not in payload:
        return "copilot"
    if "timestamp" in payload:  # Copilot runs the hooks of a project that are written for Claude Code, which gives none
        return "copilot"
    return named


# Read fields of a hook's input, whatever their type.


def text(fields: "Mapping[str, Json]", *names: str) -> str:
    """Return the first text that is not empty under one of the names; empty where there is none."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def unpacked(value: "Json") -> "Json":
    """Return what a text spells that is JSON; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip(" \t\r\n").startswith(("{", "[")):
        return value
    from verifflowcc.base.text.quick_json import read

    try:
        return read(value)
    except ValueError:
        return value


def moved(fields: "Mapping[str, Json]", names: "Mapping[str, str]") -> "dict[str, Json]":
    """Return a copy with fields under their new names; a field that has the new name already wins.

    >>> moved({"sessionId": "1", "cwd": "/p"}, {"sessionId": "session_id"})
    {'cwd': '/p', 'session_id': '1'}
    """
    plain = {name: value for name, value in fields.items() if name not in names}
    for old, new in names.items():
        if old in fields:
            plain.setdefault(new, fields[old])
    return plain


def number(value: "Json") -> int | None:
    """Return a whole number; None for what is none, such as True."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
