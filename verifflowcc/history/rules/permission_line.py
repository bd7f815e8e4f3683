"""What a role may do with its tools, in one sentence: the same rules by which hooks judge its calls."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Json = Any
_MOST = 5
_CHANGES_NOTHING = {"none": "no file outside of .memory/", "tests": "test files alone"}


def permission_line(rules: Json) -> str:
    """Return what the acting role may do, by the rules that `denied` takes; empty where no table holds.

    >>> permission_line({"role": "tester", "tools": {"read": {}, "edit": {"paths": ["tests/**"]}, "run": {}}})
    'The role tester may read all files, edit tests/**, run commands. It may not search files, read git, change git.'
    """
    if not isinstance(rules, Mapping) or not isinstance(rules.get("tools"), Mapping):
        return ""
    artifacts = "the stage's artifacts" if rules.get("artifacts") else ""
    return _sentence(f"The role {rules.get('role')}", rules["tools"], artifacts)


def subagent_permission_line(rules: Json, kind: str) -> str:
    """Return what limits a subagent beside the acting role's table: its own table, and what the stage changes."""
    if not isinstance(rules, Mapping) or not isinstance(rules.get("tools"), Mapping):
        return ""
    others = rules.get("others")
    own = others.get(kind) if isinstance(others, Mapping) else None
    lines = [_sentence(f"The subagent's own role {kind}", own, "")] if isinstance(own, Mapping) else []
    if changes := _CHANGES_NOTHING.get(str(rules.get("edits"))):
        lines.append(f"In the stage {rules.get('stage')} a subagent changes {changes}.")
    return " ".join(lines)


def _sentence(subject: str, tools: Mapping[str, Json], artifacts: str) -> str:
    may = [*_reads(tools), *_edits(tools, artifacts), *_others(tools)]
    wanted = {
        "read": "read files",
        "search": "search files",
        "edit": "" if artifacts else "edit files",
        "run": "run commands",
        "git-read": "read git",
        "git-write": "change git",
    }
    never = [words for tool, words in wanted.items() if words and not isinstance(tools.get(tool), Mapping)]
    closed = f" It may not {', '.join(never)}." if never else ""
    return f"{subject} may {', '.join(may) or 'do nothing'}.{closed}"


def _reads(tools: Mapping[str, Json]) -> Iterator[str]:
    read, search = tools.get("read"), tools.get("search")
    if isinstance(read, Mapping) and read == search:
        yield f"read and search {_files(read)}"
        return
    for verb, rule in (("read", read), ("search", search)):
        if isinstance(rule, Mapping):
            yield f"{verb} {_files(rule)}"


def _edits(tools: Mapping[str, Json], artifacts: str) -> Iterator[str]:
    rule = tools.get("edit")
    if isinstance(rule, Mapping):
        # No table opens the files that are closed to every agent: a role that edits all others learns of them here.
        closed = " but vfcc's rules and records" if _is_open(rule) else ""
        yield f"edit {_files(rule)}{closed}{f' and {artifacts}' if artifacts and not _is_open(rule) else ''}"
    elif artifacts:
        yield f"edit nothing but {artifacts}"


def _others(tools: Mapping[str, Json]) -> Iterator[str]:
    run, vfcc, mcp = (tools.get(name) for name in ("run", "vfcc", "mcp"))
    if isinstance(run, Mapping):
        yield f"run {_few(run['commands'])}" if run.get("commands") else "run commands"
    verbs = [
        verb for verb, name in (("read", "git-read"), ("change", "git-write")) if isinstance(tools.get(name), Mapping)
    ]
    if verbs:
        yield f"{' and '.join(verbs)} git"
    if isinstance(vfcc, Mapping):
        yield f"use vfcc ({_few(vfcc.get('classes') or ())})"
    if isinstance(mcp, Mapping):
        named = [*(mcp.get("servers") or ()), *(mcp.get("tools") or ())]
        yield f"call MCP tools{f' ({_few(named)})' if named else ''}"


def _is_open(rule: Mapping[str, Json]) -> bool:
    paths = rule.get("paths")
    return not paths or "**" in paths


def _files(rule: Mapping[str, Json]) -> str:
    where = "all files" if _is_open(rule) else _few(rule["paths"])
    return f"{where} (never {_few(rule['never'])})" if rule.get("never") else where


def _few(names: Sequence[Json]) -> str:
    found = list(map(str, names))
    return ", ".join(found[:_MOST]) + (f" and {len(found) - _MOST} more" if found[_MOST:] else "")
