"""A call of a tool, as far as something can be learnt from it."""

import json

from verifflowcc.records import dataclass

_LONGEST_COMMAND = 120


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool, as far as something can be learnt from it. `changed` are the files that it edited or wrote,
    `touched` all that it did anything with, where that was asked for.
    """

    session: str
    task: str | None
    at_ms: int
    time: str
    tool: str
    parameters: str
    success: bool | None
    signature: str
    error: str
    changed: tuple[str, ...]
    touched: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """What it ran, on one line; empty for a tool that runs nothing."""
        return " ".join(self.given("command").split())[:_LONGEST_COMMAND] if self.tool == "Bash" else ""

    def given(self, name: str) -> str:
        """Return a text among its parameters."""
        try:
            value = json.loads(self.parameters)
        except ValueError:
            return ""
        found = value.get(name) if isinstance(value, dict) else None
        return found if isinstance(found, str) else ""
