"""What each client reads of a project besides its hooks: instructions, skills, role agents, the MCP server.

One table for all clients. `AGENTS.md`, `.agents/skills` and `.mcp.json` serve most of them; a text is written once, and
the other places link to it or name it, since some clients load every instructions file that they find.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from verifflowcc.records import dataclass, field
from verifflowcc.text.json_edit import Json

BEGIN, END = "vfcc:begin", "vfcc:end"
AGENTS_TEXT = (
    "This repository works in sprints. Start with the MCP tool `next`, or with `vfcc next` in a shell."
    " Below `.memory/`, write nothing but the artifacts of your stage."
)
COMMAND, ARGUMENTS = "vfcc", ("mcp",)
SERVER: Mapping[str, Json] = {"command": COMMAND, "args": list(ARGUMENTS)}
CODEX_TABLE = f"""\
[mcp_servers.vfcc]
command = "{COMMAND}"
args = ["{ARGUMENTS[0]}"]
required = true
"""
"""`required` makes Codex wait for the server, so that its tools are in the first request."""


class DoorKind(StrEnum):
    """How a door is written: a whole file, a marked block, members of a JSON file, or a link to another file."""

    FILE = "file"
    BLOCK = "block"
    MEMBERS = "members"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Member:
    """A value in a JSON file: the keys that lead to its holder, and its own; with no key, an element of a list.

    An `optional` one gives way to another value that is there.
    """

    place: tuple[str, ...]
    key: str
    value: Json
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Door:
    """A file, or a part of one, that a client reads.

    `text` is that of the file or block, or where a link leads. `comment` is how a line of the file is a comment. With
    `beside`, the file is only written where it exists already.
    """

    path: str
    kind: DoorKind
    text: str = ""
    members: tuple[Member, ...] = ()
    comment: str = "<!-- {} -->"
    beside: bool = False


@dataclass(frozen=True, slots=True)
class RoleAgent:
    """A role as a client's own agent: `tools` are the names of its `tools.yaml`."""

    role: str
    description: str
    manual: str
    tools: tuple[str, ...]

    @property
    def name(self) -> str:
        """The agent's name in every client."""
        return f"vfcc-{self.role}"


@dataclass(frozen=True, slots=True)
class DoorTexts:
    """What the doors are made of: the skills by name, and the roles."""

    skills: Mapping[str, str] = field(default_factory=dict)
    roles: Sequence[RoleAgent] = ()


GIT = "git"
"""Not a client: how git merges the files that only grow."""
MERGED = """\
.memory/**/*.jsonl merge=union
.memory/sprint/*/knowledge.md merge=union
"""
CLIENTS = ("claude", "codex", "copilot", "cursor", "gemini", "opencode", "vscode", GIT)
FIRST_STEPS = {
    "claude": ("trust the folder when Claude Code asks: permissions of a project hold from then on",),
    "codex": ("Codex reads .codex/config.toml once the folder is trusted",),
    "copilot": ("Copilot CLI: trust the folder when it asks",),
    "gemini": ("Gemini CLI: trust the folder when it asks",),
    "cursor": ("Cursor: switch the server vfcc on under Settings > MCP",),
    "opencode": (),
    GIT: (),
    "vscode": ("VS Code: start the server vfcc from .vscode/mcp.json, and trust it",),
}
"""What is left for a person once a client's doors are written."""


def doors_of(client: str, texts: DoorTexts) -> tuple[Door, ...]:
    """Return the doors of a client."""
    if client == GIT:
        return (Door(".gitattributes", DoorKind.BLOCK, MERGED, comment="# {}"),)
    common = [_agents_file(), *(Door(_skill(name), DoorKind.FILE, text) for name, text in texts.skills.items())]
    return (*common, *_OF_CLIENT[client](texts))


def _claude(texts: DoorTexts) -> list[Door]:
    links = [Door(f".claude/skills/{name}", DoorKind.LINK, f"../../.agents/skills/{name}") for name in texts.skills]
    settings = (
        Member(("permissions", "allow"), "", "mcp__vfcc__*"),
        Member((), "statusLine", {"type": "command", "command": "vfcc status --line"}, optional=True),
    )
    return [
        Door("CLAUDE.md", DoorKind.BLOCK, "@AGENTS.md\n", beside=True),
        *links,
        _servers(".mcp.json"),
        *(Door(f".claude/agents/{each.name}.md", DoorKind.FILE, _claude_agent(each)) for each in texts.roles),
        Door(".claude/settings.json", DoorKind.MEMBERS, members=settings),
    ]


def _codex(texts: DoorTexts) -> list[Door]:
    return [
        Door(".codex/config.toml", DoorKind.BLOCK, CODEX_TABLE, comment="# {}"),
        *(Door(f".codex/agents/{each.name}.toml", DoorKind.FILE, _codex_agent(each)) for each in texts.roles),
    ]


def _copilot(texts: DoorTexts) -> list[Door]:
    return [_servers(".mcp.json")]


def _cursor(texts: DoorTexts) -> list[Door]:
    return [_servers(".cursor/mcp.json")]


def _gemini(texts: DoorTexts) -> list[Door]:
    names = Member(("context",), "fileName", ["AGENTS.md", "GEMINI.md"], optional=True)
    server = Member(("mcpServers",), "vfcc", SERVER)
    return [Door(".gemini/settings.json", DoorKind.MEMBERS, members=(server, names))]


def _opencode(texts: DoorTexts) -> list[Door]:
    # OpenCode adds this line itself where it is missing, and a gate would ask who changed the file.
    schema = Member((), "$schema", "https://opencode.ai/config.json", optional=True)
    server = Member(("mcp",), "vfcc", {"type": "local", "command": [COMMAND, *ARGUMENTS], "enabled": True})
    return [
        Door("opencode.json", DoorKind.MEMBERS, members=(schema, server)),
        *(Door(f".opencode/agent/{each.name}.md", DoorKind.FILE, _opencode_agent(each)) for each in texts.roles),
    ]


def _vscode(texts: DoorTexts) -> list[Door]:
    server = Member(("servers",), "vfcc", {"type": "stdio", **SERVER})
    version = Member((), "version", "2.0.0", optional=True)
    task = Member(("tasks",), "", _CHECK_TASK)
    return [
        Door(".vscode/mcp.json", DoorKind.MEMBERS, members=(server,)),
        Door(".vscode/tasks.json", DoorKind.MEMBERS, members=(version, task)),
    ]


_CHECK_TASK: Mapping[str, Json] = {
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


_OF_CLIENT = {
    "claude": _claude,
    "codex": _codex,
    "copilot": _copilot,
    "cursor": _cursor,
    "gemini": _gemini,
    "opencode": _opencode,
    "vscode": _vscode,
}


def _agents_file() -> Door:
    return Door("AGENTS.md", DoorKind.BLOCK, f"{AGENTS_TEXT}\n")


def _skill(name: str) -> str:
    return f".agents/skills/{name}/SKILL.md"


def _servers(path: str) -> Door:
    return Door(path, DoorKind.MEMBERS, members=(Member(("mcpServers",), "vfcc", SERVER),))


_CLAUDE_TOOLS = {
    "read": ("Read",),
    "search": ("Grep", "Glob"),
    "edit": ("Edit", "Write"),
    "run": ("Bash",),
    "git-read": ("Bash",),
    "git-write": ("Bash",),
    "vfcc": ("Bash",),
}
"""A tool that is listed here may be called at all; what it may do is for the hook to judge, call by call."""


def _claude_agent(agent: RoleAgent) -> str:
    tools = [name for tool in agent.tools for name in _CLAUDE_TOOLS.get(tool, ())]
    listed = ", ".join(dict.fromkeys((*tools, "mcp__vfcc__*")))
    return f"---\nname: {agent.name}\ndescription: {agent.description}\ntools: {listed}\n---\n{_manual(agent)}"


def _codex_agent(agent: RoleAgent) -> str:
    body = _manual(agent).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return (
        f'name = "{agent.name}"\ndescription = "{_in_quotes(agent.description)}"\n'
        f'developer_instructions = """\n{body}"""\n'
    )


def _opencode_agent(agent: RoleAgent) -> str:
    closed = [
        name
        for name, tools in (("edit", ("edit",)), ("write", ("edit",)), ("bash", _SHELL))
        if not {*tools} & {*agent.tools}
    ]
    tools = "".join(f"  {name}: false\n" for name in closed)
    listed = f"tools:\n{tools}" if tools else ""
    return f"---\ndescription: {agent.description}\nmode: subagent\n{listed}---\n{_manual(agent)}"


_SHELL = ("run", "git-read", "git-write", "vfcc")


def _manual(agent: RoleAgent) -> str:
    return f"You are the {agent.role}. Ask `next` for the stage and what it owes.\n\n{agent.manual.strip()}\n"


def _in_quotes(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
