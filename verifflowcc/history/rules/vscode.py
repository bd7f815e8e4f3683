"""VS Code, which reads the hooks of Copilot."""

from verifflowcc.base.model.agent_clients import SERVER_FILES
from verifflowcc.history.rules.client import Client

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from verifflowcc.history.rules.client_doors import Door, DoorTexts

    Json = Any


_CHECK_TASK: "Mapping[str, Json]" = {
    "label": "vfcc check",
    "type": "shell",
    "command": "vfcc check --all",
    "problemMatcher": {
        "owner": "vfcc",
        "fileLocation": ["relative", "${workspaceFolder}"],
        "pattern": {
            "regexp": "^(.+?):(\\d+): (error|warning|note) (.*)$",
            "file": 1,
            "line": 2,
            "severity": 3,
            "message": 4,
        },
    },
}
"""It puts what `vfcc check` finds into the list of problems."""


class VSCode(Client):
    """VS Code."""

    name = "vscode"
    first_steps = ("VS Code: start the server vfcc from .vscode/mcp.json, and trust it",)

    def doors(self, _texts: "DoorTexts") -> "list[Door]":
        """Return the MCP server, and the task that checks."""
        from verifflowcc.history.rules.client_doors import SERVER, Door, DoorKind, Member

        server = Member(("servers",), "vfcc", {"type": "stdio", **SERVER})
        version = Member((), "version", "2.0.0", optional=True)
        task = Member(("tasks",), "", _CHECK_TASK)
        return [
            Door(SERVER_FILES["vscode"], DoorKind.MEMBERS, members=(server,)),
            Door(".vscode/tasks.json", DoorKind.MEMBERS, members=(version, task)),
        ]


CLIENT = VSCode()
