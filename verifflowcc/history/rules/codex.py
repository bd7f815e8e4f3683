"""Codex's hooks, which have Claude Code's form. It runs inside of hooks.

A hook of a command that ended has no exit code: the rollout that Codex writes has it.
"""

from verifflowcc.base.model.agent_clients import SERVER_FILES
from verifflowcc.base.text.quick_json import read
from verifflowcc.history.rules.client import TIMEOUT_S, Client

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from verifflowcc.base.text.quick_json import Json
    from verifflowcc.history.rules.client_doors import Door, DoorTexts, RoleAgent


TAIL_BYTES = 262_144
"""What has just ended is at the end of a rollout."""
_END_S = 3
"""Codex gives the end of a session no more, and warns where an entry asks for it."""
_KEYS = ("description", "hooks")
_TRUST = "start codex in this folder, trust the folder, and accept the hooks under /hooks"


class Codex(Client):
    """Codex. It refuses a context at a stop, and cannot ask: a call is denied instead."""

    name = "codex"
    events = {  # noqa: RUF012
        each: each
        for each in (
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "PostCompact",
            "Stop",
            "SessionEnd",
        )
    }
    carries = {  # noqa: RUF012
        "SessionStart": ("context",),
        "UserPromptSubmit": ("context", "block"),
        "PreToolUse": ("context", "deny"),
        "PostToolUse": ("context", "block"),
        "SubagentStart": ("context",),
        "SubagentStop": ("block",),
        "Stop": ("block",),
    }
    steps = (
        f"Codex runs a project's hooks only once you trust them, and says nothing until then: {_TRUST}",
        "codex exec takes them without that with --dangerously-bypass-hook-trust",
    )
    first_steps = ("Codex reads .codex/config.toml once the folder is trusted",)
    grouped = True
    ignores_args = True
    misplaced = (".codex/settings.json",)

    def timeout(self, event: str) -> int:
        """Return fewer seconds for the end of a session."""
        return _END_S if event == "SessionEnd" else TIMEOUT_S

    def faults(self, value: "Mapping[str, object]") -> "Iterator[str]":
        """Yield each key for which Codex refuses the whole file."""
        yield from (f'Codex refuses the whole file for its key "{key}"' for key in value if key not in _KEYS)

    def doors(self, texts: "DoorTexts") -> "list[Door]":
        """Return the MCP server and role agents."""
        from verifflowcc.history.rules.client_doors import ARGUMENTS, COMMAND, Door, DoorKind

        # `required` makes Codex wait for the server, so that its tools are in the first request.
        table = f'[mcp_servers.vfcc]\ncommand = "{COMMAND}"\nargs = ["{ARGUMENTS[0]}"]\nrequired = true\n'
        return [
            Door(SERVER_FILES["codex"], DoorKind.BLOCK, table, comment="# {}"),
            *(Door(f".codex/agents/{each.name}.toml", DoorKind.FILE, _agent(each)) for each in texts.roles),
        ]


def _agent(agent: "RoleAgent") -> str:
    from verifflowcc.history.rules.client_doors import manual_of

    body = manual_of(agent).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    about = agent.description.replace("\\", "\\\\").replace('"', '\\"')
    return f'name = "{agent.name}"\ndescription = "{about}"\ndeveloper_instructions = """\n{body}"""\n'


CLIENT = Codex()


def wants_outcome(payload: "Mapping[str, Json]") -> bool:
    """Whether a hook reports the end of a command without its outcome."""
    return (
        payload.get("hook_event_name") == "PostToolUse"
        and payload.get("tool_name") == "Bash"
        and isinstance(payload.get("tool_response"), str)
        and isinstance(payload.get("tool_use_id"), str)
    )


def with_outcome(payload: "dict[str, Json]", tail: bytes) -> "dict[str, Json]":
    """Add the exit code and duration of a call, if the end of the rollout has them."""
    needle = f'"id":"{payload["tool_use_id"]}"'.encode("utf-8", "replace")
    for line in reversed(tail.split(b"\n")):
        if needle in line and b"CommandExecution" in line:
            item = _item(line)
            code, took = item.get("exit_code"), item.get("duration")
            if item.get("id") != payload["tool_use_id"] or not isinstance(code, int):
                continue
            more: dict[str, Json] = {"tool_response": {"output": payload["tool_response"], "exit_code": code}}
            if isinstance(took, dict):
                more["duration_ms"] = _whole(took.get("secs")) * 1000 + _whole(took.get("nanos")) // 1_000_000
            return payload | more
    return payload


def outcome_in(payload: "dict[str, Json]", ends: "Iterable[bytes]") -> "dict[str, Json]":
    """Add the outcome of a call from the first end of the rollout that has it.

    Codex writes its rollout beside its hooks: on a busy machine, the line may come after the hook.
    """
    for end in ends:
        found = with_outcome(payload, end)
        if found is not payload or not _may_come(end):
            return found
    return payload


def _may_come(end: bytes) -> bool:
    """Whether this Codex writes how commands end: older ones write their output alone."""
    return b"CommandExecution" in end or b'_call_output"' not in end


def _item(line: bytes) -> "Mapping[str, Json]":
    try:
        value = read(line.decode("utf-8", "replace"))
    except ValueError:
        return {}
    payload = value.get("payload") if isinstance(value, dict) else None
    item = payload.get("item") if isinstance(payload, dict) else None
    return item if isinstance(item, dict) else {}


def _whole(value: "Json") -> int:
    return value if isinstance(value, int) else 0
