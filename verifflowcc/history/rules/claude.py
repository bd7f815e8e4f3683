"""Claude Code's hooks, whose form all other clients are brought to. It runs inside of hooks."""

from verifflowcc.base.model.agent_clients import FILES, LOCAL_FILE, SERVER_FILES
from verifflowcc.history.rules.client import AGAIN, Client

TYPE_CHECKING = False

if TYPE_CHECKING:
    from verifflowcc.history.rules.client_doors import Door, DoorTexts, RoleAgent


class Claude(Client):
    """Claude Code.

    At a stop it takes a context for a wish to go on. Its entries are one line, though it takes arguments apart: other
    clients read its file too, and one that ignored them would run `vfcc` alone, whose exit code for a command that is
    none keeps their agents from every tool.
    """

    name = "claude"
    events = {  # noqa: RUF012
        each: each
        for each in (
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
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
        "PreToolUse": ("context", "deny", "ask"),
        "PostToolUse": ("context", "block"),
        "PostToolUseFailure": ("context",),
        "SubagentStart": ("context",),
        "SubagentStop": ("block",),
        "PreCompact": ("block",),
        "Stop": ("block",),
    }
    steps = (f"Claude Code: {AGAIN}; /hooks lists them",)
    first_steps = ("trust the folder when Claude Code asks: permissions of a project hold from then on",)
    grouped = True
    misplaced = (".claude/hooks.json", ".claude/hooks/hooks.json")
    switches = (FILES["claude"], LOCAL_FILE)

    def doors(self, texts: "DoorTexts") -> "list[Door]":
        """Return its instructions, links to the skills, the MCP server, role agents, permissions and status line."""
        from verifflowcc.history.rules.client_doors import Door, DoorKind, Member, server_door

        settings = (
            Member(("permissions", "allow"), "", "mcp__vfcc__*"),
            Member((), "statusLine", {"type": "command", "command": "vfcc status --line"}, optional=True),
        )
        return [
            Door("CLAUDE.md", DoorKind.BLOCK, "@AGENTS.md\n", beside=True),
            *(Door(f".claude/skills/{each}", DoorKind.LINK, f"../../.agents/skills/{each}") for each in texts.skills),
            server_door(SERVER_FILES["claude"]),
            *(Door(f".claude/agents/{each.name}.md", DoorKind.FILE, _agent(each)) for each in texts.roles),
            Door(FILES["claude"], DoorKind.MEMBERS, members=settings),
        ]


CLAUDE_TOOLS = {
    "read": ("Read",),
    "search": ("Grep", "Glob"),
    "edit": ("Edit", "Write"),
    "run": ("Bash",),
    "git-read": ("Bash",),
    "git-write": ("Bash",),
    "vfcc": ("Bash",),
}
"""A tool that is listed here may be called at all; what it may do is for the hook to judge, call by call."""


def _agent(agent: "RoleAgent") -> str:
    from verifflowcc.history.rules.client_doors import manual_of

    tools = [name for tool in agent.tools for name in CLAUDE_TOOLS.get(tool, ())]
    listed = ", ".join(dict.fromkeys((*tools, "mcp__vfcc__*")))
    return f"---\nname: {agent.name}\ndescription: {agent.description}\ntools: {listed}\n---\n{manual_of(agent)}"


CLIENT = Claude()
