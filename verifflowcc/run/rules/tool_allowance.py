"""A role's `tools.yaml` as the allow lists of clients: which tools there are, and what each may be used on.

What a list of a client cannot express is left to the hooks and to the check of the changed files after the attempt.
"""

from collections.abc import Iterator, Mapping, Sequence

from verifflowcc.base.model.events import Json
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.quick_json import write
from verifflowcc.history.rules.claude import CLAUDE_TOOLS
from verifflowcc.history.rules.client_doors import SERVER, SHELL_TOOLS
from verifflowcc.history.rules.git_verbs import READING

_EVERYTHING = ("**", "**/*")
_NEVER_IN_A_SHELL = ("git push", "git commit", "git worktree", "git config")
"""What vfcc does itself, or what reaches out of the worktree."""
_ABSENT = ("WebFetch", "WebSearch", "Task")


@dataclass(frozen=True, slots=True)
class ClaudeTools:
    """The tools that exist in a session of Claude Code, and the rules of those that are allowed and denied."""

    names: tuple[str, ...]
    allowed: tuple[str, ...]
    denied: tuple[str, ...]
    server: str
    """The configuration of the MCP server, as JSON; empty where the role has none."""


def claude_tools(tools: Mapping[str, Json], *, closed: Sequence[str] = (), opened: Sequence[str] = ()) -> ClaudeTools:
    """Return the allow list of Claude Code for the table of a `tools.yaml`.

    >>> claude_tools({"read": {"paths": ["**"]}, "edit": {"paths": ["tests/**"]}}).allowed
    ('Read', 'Edit(tests/**)')
    """
    edits = writes(tools, opened)
    classes = [*tools, *(["edit"] if edits and "edit" not in tools else [])]
    names = dict.fromkeys(name for each in classes for name in CLAUDE_TOOLS.get(each, ()))
    allowed = [
        *_path_rules(tools, "read", "Read"),
        *(name for name in ("Grep", "Glob") if name in names),
        *_path_rules(tools, "edit", "Edit"),
        *(f"Edit({each})" for each in opened if not _allows_all(tools, "edit")),
        *_shell_rules(tools),
    ]
    denied = [
        *(f"Read({each})" for each in _texts(tools, "read", "never")),
        *(f"Edit({each})" for each in (*_texts(tools, "edit", "never"), *closed)),
        *(f"Bash({each}:*)" for each in _NEVER_IN_A_SHELL if "Bash" in names),
        *_ABSENT,
    ]
    server = ""
    servers = _texts(tools, "mcp", "servers")
    if "mcp" in tools and (not servers or "vfcc" in servers):
        server = write({"mcpServers": {"vfcc": dict(SERVER)}})
        listed = _texts(tools, "mcp", "tools")
        allowed += [f"mcp__vfcc__{each}" for each in listed] or ["mcp__vfcc"]
    return ClaudeTools(tuple(names), tuple(dict.fromkeys(allowed)), tuple(dict.fromkeys(denied)), server)


def writes(tools: Mapping[str, Json], opened: Sequence[str] = ()) -> bool:
    """Whether a role may change any file, by a tool or in a shell: one that may not gets a sandbox that only reads."""
    return bool(opened) or any(each in tools for each in ("edit", "run", "git-write"))


def _path_rules(tools: Mapping[str, Json], kind: str, name: str) -> Iterator[str]:
    if kind not in tools:
        return
    if _allows_all(tools, kind):
        yield name
    else:
        yield from (f"{name}({each})" for each in _texts(tools, kind, "paths"))


def _allows_all(tools: Mapping[str, Json], kind: str) -> bool:
    paths = _texts(tools, kind, "paths")
    return kind in tools and (not paths or any(each in _EVERYTHING for each in paths))


def _shell_rules(tools: Mapping[str, Json]) -> Iterator[str]:
    commands = _texts(tools, "run", "commands")
    if "run" in tools and not commands:
        yield "Bash"
        return
    yield from (f"Bash({each}:*)" for each in commands)
    if "git-read" in tools:
        yield from (f"Bash(git {each}:*)" for each in sorted(READING) if not each.startswith("-"))
    if "git-write" in tools:
        yield "Bash(git:*)"
    if "vfcc" in tools:
        yield "Bash(vfcc:*)"


def _texts(tools: Mapping[str, Json], kind: str, key: str) -> tuple[str, ...]:
    rule = tools.get(kind)
    found = rule.get(key) if isinstance(rule, Mapping) else None
    if not isinstance(found, Sequence) or isinstance(found, str):
        return ()
    return tuple(each for each in found if isinstance(each, str))


def needs_shell(tools: Mapping[str, Json]) -> bool:
    """Whether a role has any use for a shell."""
    return any(each in tools for each in SHELL_TOOLS)
