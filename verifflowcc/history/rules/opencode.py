"""OpenCode, which has no hooks that vfcc writes."""

from verifflowcc.base.model.agent_clients import SERVER_FILES
from verifflowcc.history.rules.client import Client

TYPE_CHECKING = False

if TYPE_CHECKING:
    from verifflowcc.history.rules.client_doors import Door, DoorTexts, RoleAgent


class OpenCode(Client):
    """OpenCode."""

    name = "opencode"

    def doors(self, texts: "DoorTexts") -> "list[Door]":
        """Return the MCP server and role agents."""
        from verifflowcc.history.rules.client_doors import ARGUMENTS, COMMAND, Door, DoorKind, Member

        # OpenCode adds this line itself where it is missing, and a gate would ask who changed the file.
        schema = Member((), "$schema", "https://opencode.ai/config.json", optional=True)
        server = Member(("mcp",), "vfcc", {"type": "local", "command": [COMMAND, *ARGUMENTS], "enabled": True})
        return [
            Door(SERVER_FILES["opencode"], DoorKind.MEMBERS, members=(schema, server)),
            *(Door(f".opencode/agent/{each.name}.md", DoorKind.FILE, _agent(each)) for each in texts.roles),
        ]


def _agent(agent: "RoleAgent") -> str:
    from verifflowcc.history.rules.client_doors import SHELL_TOOLS, manual_of

    needs = {"edit": ("edit",), "write": ("edit",), "bash": SHELL_TOOLS}
    tools = "".join(f"  {name}: false\n" for name, some in needs.items() if not {*some} & {*agent.tools})
    listed = f"tools:\n{tools}" if tools else ""
    return f"---\ndescription: {agent.description}\nmode: subagent\n{listed}---\n{manual_of(agent)}"


CLIENT = OpenCode()
