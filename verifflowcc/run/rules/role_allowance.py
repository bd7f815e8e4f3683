"""What a role's `tools.yaml` lets an agent do: the tools of its client, and which files an attempt may change.

What the allow list of a client cannot express is left to the hooks and to the check of the changed files after the
attempt. A role that may run `vfcc trace add` may also leave new items, as that command writes them: by an agent,
reviewed by no person, and in memory as proposals. What vfcc itself writes while an agent works in its worktree
(evidence, notes on the ledger, caches) is left out of the merge: the driver makes its own. A change of such a file, a
move of the sprint and a person's act are out of bounds.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from verifflowcc.base.model.command_classes import WORK
from verifflowcc.base.model.events import Event, EventType, Json
from verifflowcc.base.model.item_values import Item, awaits_promotion, is_trace_type
from verifflowcc.base.model.protected_paths import INSIDE, closed
from verifflowcc.base.records import dataclass
from verifflowcc.base.text.glob import matches
from verifflowcc.base.text.quick_json import write
from verifflowcc.history.rules.claude import CLAUDE_TOOLS
from verifflowcc.history.rules.client_doors import SERVER
from verifflowcc.history.rules.git_verbs import READING
from verifflowcc.history.rules.permission import denied

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


EVENTS = ".memory/sprint/*/events/*.json"
_BY_VFCC = (
    EVENTS,
    ".memory/stage/*/*/evidence/**",
    ".memory/stage/*/*/results/**",
    ".memory/sprint/*/progress.json",
    ".memory/stage/*/*/summary.md",
    ".memory/stage/*/*/metrics.json",
)
_ITEMS = (".memory/project/items/**/*.md", ".memory/sprint/*/items/**/*.md")
_HARMLESS = frozenset((EventType.ARTIFACT_PUT, EventType.EVIDENCE_ADDED, EventType.FEEDBACK_ADDED))


@dataclass(frozen=True, slots=True)
class AttemptBounds:
    """The files of an attempt that are out of bounds, each as `path (reason)`, and those that are left out."""

    outside: tuple[str, ...]
    left_out: tuple[str, ...]


def bounds_of(
    changes: Iterable[tuple[str, str]],
    rules: Mapping[str, Json],
    root: str,
    event_at: Callable[[str], Event | None],
    item_at: Callable[[str], Item | None],
) -> AttemptBounds:
    """Return what is out of bounds and what is left out; `changes` are (path below the project, how it changed).

    `rules` are those of `rules_of`, with `apart`, the patterns of what another role changes now. `event_at` reads a new
    event file, None where it is not sound; `item_at` an item, None where it is not sound or speaks of a review.
    """
    outside, left_out = [], []
    listed = rules.get("apart")
    apart = tuple(map(str, listed)) if isinstance(listed, list | tuple) else ()
    for path, how in changes:
        if path.startswith("../"):
            outside.append(f"{path} (outside of the project)")
        elif how == "A" and any(matches(path, each) for each in _BY_VFCC):
            if matches(path, EVENTS) and not _is_harmless(event_at(path)):
                outside.append(f"{path} (a move or a person's act)")
            else:
                left_out.append(path)
        elif how == "A" and _may_add_item(path, rules) and _is_proposal(item_at(path)):
            continue
        elif any(matches(path, each) for each in apart):
            outside.append(f"{path} (another role writes the tests at the same time)")
        elif why := _forbidden(path, rules, root):
            outside.append(f"{path} ({why})")
    return AttemptBounds(tuple(outside), tuple(left_out))


def _is_harmless(event: Event | None) -> bool:
    return event is not None and event.type in _HARMLESS and event.actor.startswith("agent:")


def _may_add_item(path: str, rules: Mapping[str, Json]) -> bool:
    """Whether a new file is where `vfcc trace add` and `vfcc memory add` write items, and the role may run them.

    Only new ones: a role changes the items of others where its table opens them for its editor.
    """
    if not any(matches(path, each) for each in _ITEMS) or closed(path):
        return False
    table = rules.get("tools")
    vfcc = table.get("vfcc") if isinstance(table, Mapping) else None
    classes = vfcc.get("classes") if isinstance(vfcc, Mapping) else None
    return vfcc is not None and (not isinstance(classes, list | tuple) or WORK in classes)


def _is_proposal(item: Item | None) -> bool:
    """Whether an item is no more than what an agent may add: a hand-written file could claim a person's word."""
    if item is None or not item.source.actor.startswith("agent:"):
        return False
    return is_trace_type(item.type) or awaits_promotion(item)


def _forbidden(path: str, rules: Mapping[str, Json], root: str) -> str:
    """Return why a role may not change a file; empty where it may."""
    more = rules.get("closed")
    if closed(path, tuple(map(str, more)) if isinstance(more, list | tuple) else ()) == INSIDE:
        return "no agent changes it"
    # As a subagent of its own role: then the stage bounds the role of the stage, too.
    call = {
        "tool_name": "Write",
        "tool_input": {"file_path": f"{root}/{path}"},
        "cwd": root,
        "agent_id": "attempt",
        "agent_type": str(rules.get("role")),
    }
    why = denied(call, dict(rules), root)
    return why.partition("; ")[0] if why else ""
