"""What a role may do with its tools, in a sentence or two, from the table of its `tools.yaml`."""

from collections.abc import Mapping, Sequence

from verifflowcc.domain.command_classes import MOVE
from verifflowcc.domain.events import Json
from verifflowcc.domain.sprints import Edits

_ALL = "**"


def permission_text(tools: Mapping[str, Json]) -> str:
    """Return what the role may read, change and run, as far as its table says; what is not listed is closed.

    >>> every = dict.fromkeys(["read", "search", "run", "git-read", "git-write", "mcp"], {"paths": ["**"]})
    >>> permission_text({**every, "edit": {"paths": ["src/**"], "never": ["src/old/**"]}})
    'You may edit `src/**`, but not `src/old/**`; run any command. You may not use vfcc.'
    >>> permission_text({"read": {}, "vfcc": {}})
    'You may not edit files, search, run commands other than `vfcc`, use git, change git, use MCP or move the sprint.'
    """
    may, closed = _may(tools), _closed(tools)
    sentences = [f"You may {'; '.join(may)}."] if may else []
    if closed:
        sentences.append(f"You may not {' or '.join(filter(None, [', '.join(closed[:-1]), closed[-1]]))}.")
    return " ".join(sentences)


def edits_everything(tools: Mapping[str, Json]) -> bool:
    """Return whether a table lets a role change every file."""
    rule = tools.get("edit")
    return rule is not None and not _patterns(rule, "never") and set(_patterns(rule, "paths")) <= {_ALL}


def stage_text(title: str, edits: Edits, tests: Sequence[str]) -> str:
    """Return what a stage allows to change of the product; empty where it allows everything.

    >>> stage_text("Design", Edits.NONE, ())
    'In the stage Design no file of the product may change.'
    """
    if edits is Edits.ALL:
        return ""
    if edits is Edits.NONE:
        return f"In the stage {title} no file of the product may change."
    return f"In the stage {title} only tests may change: {_quoted(tests)}."


def _may(tools: Mapping[str, Json]) -> list[str]:
    found = []
    for name in ("edit", "read", "search"):
        rule = tools.get(name)
        if rule is None:
            continue
        paths, never = _patterns(rule, "paths"), _patterns(rule, "never")
        everything = not paths or _ALL in paths
        if name != "edit" and everything and not never:
            continue
        what = "every file" if everything else _quoted(paths)
        found.append(f"{name} {what}{f', but not {_quoted(never)}' if never else ''}")
    commands = _patterns(tools.get("run"), "commands")
    if "run" in tools:
        found.append(f"run {_quoted(commands)}" if commands else "run any command")
    servers = [*_patterns(tools.get("mcp"), "servers"), *_patterns(tools.get("mcp"), "tools")]
    return [*found, *([f"use the MCP servers and tools {_quoted(servers)}"] if servers else [])]


def _closed(tools: Mapping[str, Json]) -> list[str]:
    words = {
        "edit": "edit files",
        "read": "read files",
        "search": "search",
        "run": "run commands other than `vfcc`" if "vfcc" in tools else "run commands",
        "git-read": "use git",
        "git-write": "change git",
        "vfcc": "use vfcc",
        "mcp": "use MCP",
    }
    closed = [word for name, word in words.items() if name not in tools]
    if "vfcc" in tools and MOVE not in _patterns(tools["vfcc"], "classes"):
        closed.append("move the sprint")
    return closed


def _patterns(rule: Json, key: str) -> tuple[str, ...]:
    found = rule.get(key) if isinstance(rule, Mapping) else None
    return tuple(each for each in found if isinstance(each, str)) if isinstance(found, (list, tuple)) else ()


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"`{' '.join(word.split())}`" for word in words)
