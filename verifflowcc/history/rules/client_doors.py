"""What clients read of a project besides their hooks: instructions, skills, role agents, the MCP server.

Each client's module lists its own doors; this one holds their parts. `AGENTS.md`, `.agents/skills` and `.mcp.json`
serve most clients. A text is written once, and the other places link to it or name it, since some clients load every
instructions file that they find.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text.json_edit import Json

BEGIN, END = "vfcc:begin", "vfcc:end"
AGENTS_TEXT = (
    "This repository works in sprints. Start with the MCP tool `next`, or with `vfcc next` in a shell."
    " Below `.memory/`, write nothing but the artifacts of your stage."
)
COMMAND, ARGUMENTS = "vfcc", ("mcp",)
SERVER: Mapping[str, Json] = {"command": COMMAND, "args": list(ARGUMENTS)}
SHELL_TOOLS = ("run", "git-read", "git-write", "vfcc")
"""Tools of a role that a client's shell carries."""


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


def git_door() -> Door:
    """Return how git merges the files that only grow."""
    return Door(".gitattributes", DoorKind.BLOCK, MERGED, comment="# {}")


def common_doors(texts: DoorTexts) -> list[Door]:
    """Return what all clients read: the block in `AGENTS.md`, and the skills."""
    skills = [Door(f".agents/skills/{name}/SKILL.md", DoorKind.FILE, text) for name, text in texts.skills.items()]
    return [Door("AGENTS.md", DoorKind.BLOCK, f"{AGENTS_TEXT}\n"), *skills]


def server_door(path: str) -> Door:
    """Return a file that names the MCP server in the form that most clients read."""
    return Door(path, DoorKind.MEMBERS, members=(Member(("mcpServers",), "vfcc", SERVER),))


def manual_of(agent: RoleAgent) -> str:
    """Return the text of a role's agent."""
    return f"You are the {agent.role}. Ask `next` for the stage and what it owes.\n\n{agent.manual.strip()}\n"
