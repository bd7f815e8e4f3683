"""What an agent tries to get around its role: each with where it is tried, and what stops it or shows it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.roles.roles_world import coding, planning


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call of a tool, where it is tried, and each answer that it gets.

    `hook` are words of the hook's refusal; `program` those of vfcc's own, where the command is run for real below the
    client; `gate` those of `vfcc check gate` once it has happened; `listed` is the row of
    `docs/explanation/security.md` that owns up to it. `before` is a shell command that makes what lies there first,
    and `@ROOT@` in an input the project's folder.
    """

    name: str
    world: Callable[[Path], Path]
    tool: str
    given: Mapping[str, object]
    hook: str = ""
    program: str = ""
    gate: str = ""
    listed: str = ""
    before: str = ""
    agent_type: str = ""
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """The shell command that is tried; empty for another tool."""
        return str(self.given.get("command", "")) if self.tool == "Bash" else ""


def shell(name: str, world: Callable[[Path], Path], command: str, **answers: Any) -> Attempt:
    """A shell command."""
    return Attempt(name, world, "Bash", {"command": command}, **answers)


def as_planner(name: str, command: str, **answers: Any) -> Attempt:
    """A shell command in planning, where the role only reads."""
    return shell(name, planning, command, **answers)


def as_coder(name: str, command: str, **answers: Any) -> Attempt:
    """A shell command in coding, where the role may edit the product and run commands."""
    return shell(name, coding, command, **answers)


def edit(name: str, world: Callable[[Path], Path], path: str, **more: Any) -> Attempt:
    """A file written with the client's own tool."""
    return Attempt(name, world, "Write", {"file_path": path, "content": "x\n"}, **more)


def mcp(name: str, world: Callable[[Path], Path], tool: str, given: Mapping[str, object], **answers: Any) -> Attempt:
    """A call of a tool that an MCP server offers."""
    return Attempt(name, world, f"mcp__{tool}", given, **answers)
