"""How sentences on what a role may do, and denials, are held against the roles' own files."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import yaml

from tests.claim_truth import Truth


def may(truth: Truth, found: re.Match[str]) -> bool:
    """What a role's own file of tools has, no more and no less."""
    acting = truth.role if found["subject"] == "The role" else str(truth.now.payload.get("agent_type"))
    if found["role"] != acting or not tools_of(truth.files, acting):
        return False
    own = found["subject"] == "The role" and truth.stage.get("role") == acting
    table = tools_of(truth.files, acting)
    return set(_clauses(found["may"])) == set(_rights(table, own)) and _never(found["never"] or "", table, own)


def _clauses(text: str) -> Iterator[str]:
    """Yield what a sentence allows, a verb and what it is for."""
    for each in re.split(r", (?=read|search|edit|run|change|use|call)", text):
        verb, _, what = each.partition(" ")
        for one in (
            ("read", "search")
            if what.startswith("and search ")
            else ("read", "change")
            if what.startswith("and change ")
            else (verb,)
        ):
            yield f"{one} {re.sub('^and (search|change) ', '', what)}"  # fmt: skip


def _rights(table: Mapping[str, Any], own: bool) -> Iterator[str]:
    artifacts = "the stage's artifacts"
    for verb in ("read", "search", "edit"):
        if verb in table:
            paths = table[verb].get("paths", ["**"])
            files = "all files" if "**" in paths else ", ".join(paths)
            files += " but vfcc's rules and records" if verb == "edit" and "**" in paths else ""
            yield f"{verb} {files}{f' and {artifacts}' if verb == 'edit' and own and '**' not in paths else ''}"
    if own and "edit" not in table:
        yield f"edit nothing but {artifacts}"
    if "run" in table:
        yield f"run {', '.join(table['run'].get('commands', [])) or 'commands'}"
    yield from (f"{verb} git" for verb, name in (("read", "git-read"), ("change", "git-write")) if name in table)
    if "vfcc" in table:
        yield f"use vfcc ({', '.join(table['vfcc'].get('classes', []))})"
    if "mcp" in table:
        yield "call MCP tools"


def _never(text: str, table: Mapping[str, Any], own: bool) -> bool:
    words = {"git-read": "read git", "git-write": "change git", "run": "run commands"}
    words |= {verb: f"{verb} files" for verb in ("read", "search", "edit")}
    missing = {phrase for name, phrase in words.items() if name not in table and not (own and name == "edit")}
    return set(text.split(", ")) - {""} == missing


def subagent_changes(truth: Truth, found: re.Match[str]) -> bool:
    edits = {"none": "no file outside of .memory/", "tests": "test files alone"}
    return truth.stage.get("id") == found[1] and edits.get(truth.stage["edits"]) == found[2]


def tools_of(files: Mapping[str, str], role: str) -> dict[str, Any]:
    """Return the tools that a role's file lists, by name."""
    found = yaml.safe_load(files.get(f".memory/agent/{role}/tools.yaml", "")) or {}
    return {each["name"]: each for each in map(_as_tool, found.get("tools", ()))}


def _as_tool(each: str | Mapping[str, Any]) -> Mapping[str, Any]:
    return {"name": each} if isinstance(each, str) else each


def denied(truth: Truth, found: re.Match[str]) -> bool:
    """A call that the acting role's table, or the stage, does not open."""
    verb = {"edit": "edit", "run": "run", "read": "read", "search": "search", "call": "mcp"}[found["verb"]]
    table = tools_of(truth.files, found["role"])
    if "'git-write'" in found["why"]:
        verb = "git-write"
    paths = table.get(verb, {}).get("paths")
    closed = verb not in table or (paths is not None and not any(fnmatchcase(found["what"], each) for each in paths))
    known = found["role"] in (truth.role, truth.now.payload.get("agent_type")) and found["stage"] == truth.stage["id"]
    return known and closed and found["what"].split("/")[-1] in str(truth.now.payload["tool_input"])


def closed_to_all(truth: Truth, found: re.Match[str]) -> bool:
    """A file of vfcc's or of the project's rules, which the call names."""
    ours = r"config\.yaml|workflow\.yaml|agent/[^/]+/tools\.yaml|sprint/|local/|stage/.*/evidence/|project/baselines/"
    protected = rf"\.memory/(?:{ours})|\.(?:claude|codex|git)/"
    return bool(re.match(protected, found[1])) and found[1] in str(truth.now.payload["tool_input"])
