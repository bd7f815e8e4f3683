"""Data files of vfcc as a prompt shows them: known keys as sentences, all other keys as they are written.

The files themselves stay as they are, and so does what commands print. A key whose value has another shape than vfcc
writes is no known key.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import cast

from verifflowcc.base.model.command_classes import MOVE
from verifflowcc.base.model.events import Json
from verifflowcc.base.model.item_values import Item, Relation
from verifflowcc.base.model.lazy import lazy_pattern
from verifflowcc.base.model.sprint_state import Edits

# Valid items contradict each other if two have one key, or one has a link that says so.


def conflicts(items: Iterable[Item]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of paths, each once and in order, whatever the order of the items.

    A key is that of a scope and type: what a person and a project say under one key is no conflict. A link is followed
    to an id among these items.
    """
    ordered = sorted(items, key=lambda item: item.path)
    found = {*_of_one_key(ordered), *_by_links(ordered)}
    return tuple(sorted(found))


def _of_one_key(items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    groups: dict[tuple[str, str, str], list[str]] = {}
    for item in items:
        if item.key:
            groups.setdefault((item.scope, item.type, item.key), []).append(item.path)
    for paths in groups.values():
        yield from combinations(paths, 2)


def _by_links(items: Sequence[Item]) -> Iterator[tuple[str, str]]:
    paths = {item.id: item.path for item in items}
    for item in items:
        for link in item.links:
            if link.relation == Relation.CONTRADICTS and paths.get(link.to, item.path) != item.path:
                first, second = sorted((item.path, paths[link.to]))
                yield first, second


# What a role may do with its tools, in a sentence or two, from the table of its `tools.yaml`.

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


VERSION = 2
"""Raised with every change of the sentences: token counts are kept by it."""
_KEY_LINE = lazy_pattern(r"^([A-Za-z_][\w-]*):", re.MULTILINE)
_BLANK = " \t\r\n"
_OF_STAGE = {"id": str, "status": str, "passes": int, "artifacts": list}
_OF_PATHS = ("read", "search", "edit")
_WHOLE = ("git-read", "git-write")


def progress_text(text: str) -> str:
    """Return a sprint's `progress.json` for a prompt.

    >>> progress_text('{"id": "login", "stage": "design", "status": "open", "deadline": "Friday"}')
    'Sprint login is open, in design.\\n{"deadline": "Friday"}\\n'

    How many events its ledger has is left out.
    """
    members = _members(text)
    if members is None:
        return text
    known = _known(members)
    rest = [written for key, written, _ in members if key not in known]
    return _joined(_progress_sentences(known), "{" + ", ".join(rest) + "}\n" if rest else "", text)


def sprint_text(text: str) -> str:
    """Return what a `progress.json` says of its sprint and the stages, in a line: all but the goals.

    >>> sprint_text('{"id": "login", "status": "open", "goals": ["Users sign in"], "stage": "design"}')
    'Sprint login is open, in design.'
    """
    known = _known(_members(text) or [])
    return " ".join(_progress_sentences({key: value for key, value in known.items() if key != "goals"}))


def context_text(text: str) -> str:
    """Return a role's `context.json` for a prompt: nothing where it has no keys, else as it is written.

    >>> context_text("{}\\n"), context_text('{"python": "3.11"}')
    ('', '{"python": "3.11"}')
    """
    return "" if _members(text) == [] else text


def listed_tools(value: object) -> dict[str, Mapping[str, Sequence[str]]] | None:
    """Return the tools that the YAML of a `tools.yaml` lists, by name; None where any of it is not of the known shape.

    >>> listed_tools({"tools": ["git-read", {"name": "run", "commands": ["make"]}]})
    {'git-read': {}, 'run': {'commands': ['make']}}
    """
    listed = value.get("tools") if isinstance(value, dict) else None
    if not isinstance(listed, list):
        return None
    found: dict[str, Mapping[str, Sequence[str]]] = {}
    for each in listed:
        tool = each if isinstance(each, dict) else {"name": each}
        name, rule = str(tool.get("name")), {key: given for key, given in tool.items() if key != "name"}
        known = all(key in _KEYS_OF.get(name, ()) and _is_words(given) for key, given in rule.items())
        if name not in _KEYS_OF or name in found or not known:
            return None
        found[name] = cast("Mapping[str, Sequence[str]]", rule)
    return found


def tools_text(text: str, value: object, sentences: str) -> str:
    """Return a role's `tools.yaml` for a prompt: what `sentences` say of its tools, and below them all other keys.

    `value` is what the YAML of `text` means.

    >>> tools_text("tools:\\n  - name: run\\nnetwork: false\\n", {"tools": [{"name": "run"}], "network": False}, "Run.")
    'Run.\\nnetwork: false\\n'
    """
    if not isinstance(value, dict):
        return text
    starts = [(found.group(1), found.start()) for found in _KEY_LINE.finditer(text)]
    ends = [*(start for _, start in starts), len(text)][1:]
    written = {key: text[start:end] for (key, start), end in zip(starts, ends, strict=True)}
    if listed_tools(value) is None or len(written) < len(starts) or set(written) != set(value):
        return text
    strict = value.get("version") == 2 and not isinstance(value["version"], bool)
    known = {"tools", "version"} if strict or "version" not in value else {"tools"}
    rest = "".join(block for key, block in written.items() if key not in known)
    return _joined([sentences] if sentences else [], rest, text)


_KEYS_OF: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_OF_PATHS, ("paths", "never")),
    **dict.fromkeys(_WHOLE, ()),
    "run": ("commands",),
    "vfcc": ("classes",),
    "mcp": ("servers", "tools"),
}


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_stages(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, dict)
        and each.keys() == _OF_STAGE.keys()
        and all(isinstance(each[key], kind) and not isinstance(each[key], bool) for key, kind in _OF_STAGE.items())
        and _is_words(each["artifacts"])
        for each in value
    )


def _is_counts(value: object) -> bool:
    return isinstance(value, dict) and all(type(each) is int for each in value.values())


_PROGRESS: Mapping[str, Callable[[object], bool]] = {
    **dict.fromkeys(("id", "title", "status"), _is_text),
    **dict.fromkeys(("workflow", "stage"), _is_text_or_none),
    "stages": _is_stages,
    "goals": _is_words,
    "counts": _is_counts,
}


def _known(members: Sequence[tuple[str, str, object]]) -> dict[str, object]:
    return {key: value for key, _, value in members if key in _PROGRESS and _PROGRESS[key](value)}


def _progress_sentences(known: Mapping[str, object]) -> list[str]:
    words = {key: _line(value) for key, value in known.items() if isinstance(value, str)}
    name, title = words.get("id", ""), words.get("title", "")
    named = f"{name} ({title})" if name and title not in ("", name) else name or title
    state = [f"is {words['status']}"] if words.get("status") else []
    state += [f"in {words['stage']}"] if words.get("stage") else []
    state += [f"workflow {words['workflow']}"] if words.get("workflow") else []
    about = [f"Sprint {named} {', '.join(state)}".replace("  ", " ").rstrip() + "."] if named or state else []
    goals = [_line(each) for each in cast("list[str]", known.get("goals", []))]
    return [
        *about,
        *_stage_sentences(cast("list[dict[str, object]]", known.get("stages", []))),
        *([f"Goals: {'; '.join(goals)}."] if goals else []),
    ]


def _stage_sentences(stages: Sequence[Mapping[str, object]]) -> list[str]:
    by_status: dict[str, list[str]] = {}
    for each in stages:
        marks = [_line(name) for name in cast("list[str]", each["artifacts"])]
        marks += [f"{each['passes']} passes"] if cast("int", each["passes"]) > 1 else []
        shown = _line(str(each["id"])) + (f" ({', '.join(marks)})" if marks else "")
        by_status.setdefault(_line(str(each["status"])), []).append(shown)
    return [f"{status[:1].upper()}{status[1:]}: {', '.join(names)}." for status, names in by_status.items()]


def _members(text: str) -> list[tuple[str, str, object]] | None:
    """Return the members of a JSON object: key, `"key": value` as written, value; None where it is no plain object."""
    decoder = json.JSONDecoder()
    found: list[tuple[str, str, object]] = []
    try:
        at = _skip(text, 0)
        if text[at] != "{":
            return None
        at = _skip(text, at + 1)
        while text[at] != "}":
            start = at
            key, at = decoder.raw_decode(text, start)
            at = _skip(text, at)
            if not isinstance(key, str) or text[at] != ":":
                return None
            value, at = decoder.raw_decode(text, _skip(text, at + 1))
            found.append((key, text[start:at], value))
            at = _skip(text, at)
            if text[at] == ",":
                at = _skip(text, at + 1)
                if text[at] == "}":
                    return None
            elif text[at] != "}":
                return None
    except (ValueError, IndexError, RecursionError):
        return None
    unique = len({key for key, _, _ in found}) == len(found)
    return found if unique and not text[at + 1 :].strip(_BLANK) else None


def _skip(text: str, at: int) -> int:
    while text[at] in _BLANK:
        at += 1
    return at


def _joined(sentences: Sequence[str], rest: str, text: str) -> str:
    """Return the sentences and below them the rest; the text as it is where there are no sentences."""
    if not sentences:
        return text if rest else ""
    return " ".join(sentences) + "\n" + rest


def _line(words: str) -> str:
    return " ".join(words.split())
