"""What each client reads of a project besides its hooks: instructions, skills, role agents, the MCP server.

One table for all clients. `AGENTS.md`, `.agents/skills` and `.mcp.json` serve most of them; a text is written once, and
the other places link to it or name it, since some clients load every instructions file that they find.
"""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum

from verifflowcc.base.records import dataclass, field
from verifflowcc.base.text import json_edit
from verifflowcc.base.text.json_edit import Json, Part, Record, Span
from verifflowcc.history.rules.client_files import THE_FILE, FileOutcome, digest_of, text_before

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


# Plan how a door goes into a file and out of it again; everything else in the file keeps its bytes.


@dataclass(frozen=True, slots=True)
class DoorPlan:
    """What is to be done with a file: the text that it gets, None for no file, and what is remembered of it."""

    outcome: FileOutcome
    text: str | None
    record: Record | None


def door_installed(text: str | None, door: Door, record: Record | None, clients: str, *, force: bool) -> DoorPlan:
    """Plan a file with a door in it. Raises ValueError for a file that should be JSON and is not.

    `text` is what is in the file, or where the link leads; `clients` are those that the door is for.
    """
    if text is None:
        if door.beside:
            return DoorPlan(FileOutcome.NOTHING, None, None)
        new = _fresh(door)
        return DoorPlan(FileOutcome.WRITTEN, new, Record(clients, digest_of(new), "", (), (THE_FILE,)))
    before = text_before(text, record) if record else None
    if before is not None and record:
        again = door_installed(before or None, door, None, clients, force=force)
        if again.text != text and again.outcome is FileOutcome.WRITTEN:
            return again
        return DoorPlan(FileOutcome.NOTHING, text, _for(record, clients))
    state = _state(text, door)
    if state is True:
        return DoorPlan(FileOutcome.NOTHING, text, _for(record, clients) or Record(clients, digest_of(text)))
    if state is False and not force:
        return DoorPlan(FileOutcome.EDITED, text, record)
    base = _without(text, door) if state is False else text
    after, spans = _with(base, door)
    known = digest_of(base) if base == text else None
    return DoorPlan(FileOutcome.WRITTEN, after, Record(clients, digest_of(after), known, spans if known else ()))


def door_removed(text: str | None, door: Door, record: Record | None, *, force: bool) -> DoorPlan:
    """Plan a file without its door. Raises ValueError for a file that should be JSON and is not."""
    if text is None:
        return DoorPlan(FileOutcome.NOTHING, None, None)
    before = text_before(text, record) if record else None
    if before is not None:
        return DoorPlan(FileOutcome.REMOVED, before or None, None)
    state = _state(text, door)
    if state is None:
        return DoorPlan(FileOutcome.NOTHING, text, None)
    if state is False and not force:
        return DoorPlan(FileOutcome.EDITED, text, record)
    left = _without(text, door)
    made = record is not None and THE_FILE in record.made
    empty = left.strip() in ("", "{}")
    whole = door.kind in (DoorKind.FILE, DoorKind.LINK)
    return DoorPlan(FileOutcome.REMOVED, None if whole or (made and empty) else left, None)


def _for(record: Record | None, clients: str) -> Record | None:
    if record is None or record.client == clients:
        return record
    return Record(clients, record.written, record.before, record.spans, record.made, record.folders)


def _fresh(door: Door) -> str:
    if door.kind is DoorKind.BLOCK:
        return _block(door)
    if door.kind is DoorKind.MEMBERS:
        value: dict[str, object] = {}
        for each in door.members:
            _put(value, each)
        return json_edit.fresh(value)  # type: ignore[arg-type]
    return door.text


def _put(value: dict[str, object], member: Member) -> None:
    place = member.place if member.key else member.place[:-1]
    here: dict[str, object] = value
    for key in place:
        inner = here.setdefault(key, {})
        if isinstance(inner, dict):
            here = inner
    if member.key:
        here[member.key] = member.value
    else:
        here.setdefault(member.place[-1], [member.value])


def _state(text: str, door: Door) -> bool | None:
    """Return whether the door is there as it is written; None where nothing of it is there."""
    if door.kind in (DoorKind.FILE, DoorKind.LINK):
        return text == door.text
    if door.kind is DoorKind.BLOCK:
        if door.beside and door.text.strip() in text.splitlines():
            return True
        place = _block_place(text, door)
        return None if place is None else text[place[0] : place[1]] == _block(door)
    found = [_found(text, each) for each in door.members]
    wanted = [each for each, member in zip(found, door.members, strict=True) if not (member.optional and each is False)]
    if False in wanted:
        return False
    return True if wanted and all(wanted) else None


def _found(text: str, member: Member) -> bool | None:
    """Return whether a member is there with its value; False with another one, None where it is not there."""
    value: object = json_edit.checked(text)
    for key in member.place:
        if not isinstance(value, Mapping):
            raise ValueError(f'"{key}" is in no object')  # noqa: TRY004 - it is what was read that is wrong
        if key not in value:
            return None
        value = value[key]
    if not member.key:
        if not isinstance(value, list):
            raise ValueError(f'"{member.place[-1]}" is no list')
        return True if member.value in value else None
    if not isinstance(value, Mapping):
        raise ValueError(f'"{member.place[-1] if member.place else member.key}" is no object')  # noqa: TRY004
    return value[member.key] == member.value if member.key in value else None


def _with(text: str, door: Door) -> tuple[str, tuple[Span, ...]]:
    """Return a text with the door in it, and what was inserted."""
    if door.kind is DoorKind.BLOCK:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        added = f"{gap}{_block(door)}"
        return text + added, ((len(text), len(text) + len(added)),)
    if door.kind is not DoorKind.MEMBERS:
        return door.text, ()
    spans: list[Span] = []
    for member in door.members:
        if _found(text, member) is None:
            place, more = _insertion(text, member)
            text = text[:place] + more + text[place:]
            spans = _shifted(spans, place, len(more))
    return text, tuple(spans)


def _insertion(text: str, member: Member) -> tuple[int, str]:
    """Return where to insert what, so that a text has a member; the holders that are missing are made."""
    here, depth = json_edit.whole(text), 0
    path = [*member.place, *([member.key] if member.key else [])]
    for key in path:
        inner = json_edit.member(text, here, key)
        if inner is None:
            break
        here, depth = inner, depth + 1
    missing = path[depth:]
    if not missing:
        return json_edit.added(text, here, [("", member.value)], depth)
    value: Json = member.value if member.key else [member.value]
    for key in reversed(missing[1:]):
        value = {key: value}
    return json_edit.added(text, here, [(missing[0], value)], depth)


def _shifted(spans: Sequence[Span], place: int, length: int) -> list[Span]:
    """Return spans in a text that grew at a place; one that lies around the place grows with it."""
    moved: list[Span] = []
    inside = False
    for start, end in spans:
        if start < place < end or place == end:
            moved.append((start, end + length))
            inside = True
        else:
            moved.append((start + length, end + length) if start >= place else (start, end))
    return moved if inside else [*moved, (place, place + length)]


def _without(text: str, door: Door) -> str:
    if door.kind is DoorKind.BLOCK:
        place = _block_place(text, door)
        if place is None:
            return text
        start, end = place
        return text[: start - 1] + text[end:] if text[:start].endswith("\n\n") else text[:start] + text[end:]
    if door.kind is not DoorKind.MEMBERS:
        return ""
    for member in door.members:
        found = _found(text, member)
        if found is None or (found is False and member.optional):
            continue
        text = _without_member(text, member)
    return text


def _without_member(text: str, member: Member) -> str:
    holders: list[Part] = [json_edit.whole(text)]
    for key in member.place:
        inner = json_edit.member(text, holders[-1], key)
        if inner is None:
            return text
        holders.append(inner)
    unwanted = [
        each
        for each in json_edit.parts(text, holders[-1])
        if (each.key == member.key if member.key else json.loads(text[each.start : each.end]) == member.value)
    ]
    text = json_edit.cut(text, json_edit.removed(text, holders[-1], unwanted))
    for depth in range(len(member.place), 0, -1):
        text = _without_empty(text, member.place[:depth])
    return text


def _without_empty(text: str, place: tuple[str, ...]) -> str:
    """Return a text without a holder that holds nothing any more."""
    here = json_edit.whole(text)
    for key in place[:-1]:
        inner = json_edit.member(text, here, key)
        if inner is None:
            return text
        here = inner
    part = json_edit.member(text, here, place[-1])
    if part is None or "".join(text[part.start : part.end].split()) not in ("{}", "[]"):
        return text
    return json_edit.cut(text, json_edit.removed(text, here, [part]))


def _block(door: Door) -> str:
    return f"{door.comment.format(BEGIN)}\n{door.text}{door.comment.format(END)}\n"


def _block_place(text: str, door: Door) -> Span | None:
    begin, end = door.comment.format(BEGIN), door.comment.format(END)
    start = text.find(begin)
    stop = text.find(end, start + 1) if start >= 0 else -1
    if stop < 0:
        return None
    stop += len(end)
    return start, stop + 1 if text[stop : stop + 1] == "\n" else stop
