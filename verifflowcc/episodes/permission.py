"""Whether an agent may make a call of a tool in the stage that is in work, and whether a hook needs the whole program.

The rules are those of the role's `tools.yaml`: which of reading, searching, editing and running it may do, and where.
The role of the stage may always edit the stage's artifacts. What vfcc records itself, events and evidence, is closed
to every agent. What a shell command does is judged by its words, so this raises the cost of a lie and rules none out.
It runs inside of hooks, so it imports next to nothing.
"""

from verifflowcc.episodes.briefed import needs_brief
from verifflowcc.episodes.commands import acts, only_reads
from verifflowcc.episodes.touches import placed, touches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any

    Json = Any

CLASSES = {
    "Read": "read",
    "NotebookRead": "read",
    "Grep": "search",
    "Glob": "search",
    "LS": "search",
    "Edit": "edit",
    "MultiEdit": "edit",
    "Write": "edit",
    "NotebookEdit": "edit",
    "apply_patch": "edit",
    "Bash": "run",
}
"""What sort of thing each tool does; other tools are nobody's business here."""
CLOSED = (".memory/sprint/*/events/**", ".memory/stage/*/*/evidence/**")
_CHANGES = ("edit", "write")
_OWN = frozenset(("vfcc", "git"))
_VERBS = {"read": "read", "search": "search", "edit": "edit", "run": "run commands in"}


def denied(said: "Mapping[str, Json]", rules: "Json", root: str) -> str:
    """Return why a call may not be made, as a sentence; empty where it may.

    `rules` is `{role, stage, tools: {class: {paths, never}}, artifacts, owed}`, or None where no rules hold.
    `artifacts` is the folder of the stage's artifacts, absent for another role than the stage's; `owed` are the names
    that its gates ask for. A list has such rules for each of several open sprints, and all of them must allow the call.
    """
    if isinstance(rules, list):
        return _by_each(said, [each for each in rules if isinstance(each, dict)], root)
    tool = said.get("tool_name")
    given = said.get("tool_input")
    if not isinstance(tool, str) or not isinstance(given, dict) or tool not in CLASSES:
        return ""
    cwd = str(said.get("cwd") or root)
    asked = list(_asked(tool, given, cwd, root))
    for act, path in asked:
        if act == "edit" and _is_closed(path):
            return f"{path} is part of vfcc's own record: only vfcc writes there"
    command = given.get("command")
    if tool == "Bash" and isinstance(command, str) and _reaches_record(command, cwd):
        return "the command may change vfcc's own record of events and evidence: only vfcc writes there"
    return _by_role(asked, rules) if isinstance(rules, dict) else ""


def _by_each(call: "Mapping[str, Json]", rules: "list[Json]", root: str) -> str:
    """Return why one of several rules forbids a call. The artifacts that one of them opens are open under each."""
    folders = [each["artifacts"] for each in rules if each.get("artifacts")]
    for rule in rules:
        why = denied(call, rule, root)
        if why and all(denied(call, {**rule, "artifacts": folder}, root) for folder in folders):
            return why
    return ""


def wants_the_program(
    said: "Mapping[str, Json]", settings: "Mapping[str, Json]", root: str, told: "Callable[[str], Collection[str]]"
) -> bool:
    """Say whether a hook must be answered by the whole program, by what that left in `hook.json`.

    `told` returns what a session has seen, a line each: files, and the stages that it was briefed on.
    """
    event = said.get("hook_event_name")
    if event == "PreToolUse":
        if denied(said, settings.get("rules"), root):
            return True
        paths = edited_files(said, root) if settings.get("files") is True else []
        return bool(paths) and not set(paths) <= set(told(str(said.get("session_id") or "")))
    if needs_brief(said, told, settings.get("sprint") or settings.get("several"), settings.get("stage")):
        return True
    wants = settings.get("events")
    return isinstance(wants, list) and event in wants


def edited_files(said: "Mapping[str, Json]", root: str) -> "list[str]":
    """Return the files that a call is about to change, as they are recorded."""
    tool, given = said.get("tool_name"), said.get("tool_input")
    if not isinstance(tool, str) or CLASSES.get(tool) != "edit" or not isinstance(given, dict):
        return []
    return [path for act, path in _asked(tool, given, str(said.get("cwd") or root), root) if act == "edit" and path]


def _asked(tool: str, given: "Mapping[str, Json]", cwd: str, root: str) -> "Iterator[tuple[str, str]]":
    """Yield what a call wants to do, and where; a command runs nowhere, unless all that it does is reading."""
    sort = CLASSES[tool]
    if tool != "Bash":
        found = touches(tool, given, None, cwd, root)
        yield from ((sort, str(each["path"])) for each in found)
        if not found:
            yield sort, ""
        return
    command = given.get("command")
    command = command if isinstance(command, str) else ""
    if "*** Begin Patch" in command:
        yield from (("edit", str(each["path"])) for each in touches(tool, given, None, cwd, root))
        return
    harmless = only_reads(command, _OWN)
    for act, path, _ in acts(command):
        place = placed(path, cwd, root)
        if act in _CHANGES:
            yield "edit", place
        elif harmless:
            yield "search" if act in ("search", "list") else "read", place
    if not harmless and command.strip():
        yield "run", ""


def _by_role(asked: "list[tuple[str, str]]", rules: "Mapping[str, Json]") -> str:
    tools = rules.get("tools")
    if not isinstance(tools, dict):
        return ""
    whose = f"the role {rules.get('role')} (stage {rules.get('stage')})"
    where = f".memory/agent/{rules.get('role')}/tools.yaml"
    artifacts = str(rules.get("artifacts") or "")
    for sort, path in asked:
        if sort == "edit" and artifacts and path.startswith(f"{artifacts}/"):
            continue
        instead = _instead(artifacts, rules.get("owed")) if sort in ("edit", "run") else ""
        rule = tools.get(sort)
        if not isinstance(rule, dict):
            return f"{whose} may not {_VERBS[sort]} {path or 'the project'}: {where} lists no tool {sort!r}{instead}"
        if path and not path.startswith(("/", "~")):
            if _fits(path, rule.get("never") or ()):
                return f"{whose} may never {_VERBS[sort]} {path}, says {where}{instead}"
            paths = rule.get("paths")
            if paths and path != "." and not _fits(path, paths):
                return f"{whose} may not {_VERBS[sort]} {path}: {where} allows {', '.join(map(str, paths))}{instead}"
    return ""


def _instead(artifacts: str, owed: "Json") -> str:
    """Return how the role can hand over its work: the stage's artifacts are open to it."""
    if not artifacts:
        return ""
    names = [str(each) for each in owed] if isinstance(owed, list) and owed else ["NAME"]
    more = f" (also {', '.join(names[1:])})" if names[1:] else ""
    return (
        f"; the stage's artifacts are open to it: write {artifacts}/{names[0]} or run: vfcc stage put {names[0]}{more}"
    )


def _fits(path: str, patterns: "Json") -> bool:
    if "**" in patterns:
        return True
    from verifflowcc.text.glob import matches

    return any(isinstance(each, str) and matches(path, each) for each in patterns)


def _is_closed(path: str) -> bool:
    """Say whether events or evidence lie there: in whichever project, as a link or `~` may lead from one to itself."""
    place = path.casefold()
    at = place.rfind(".memory/")
    return at >= 0 and _fits(place[at:], CLOSED)


def _reaches_record(command: str, cwd: str) -> bool:
    """Say whether a command names where events or evidence lie, and is neither a reader's nor git's nor our own."""
    place = f"{cwd}/{command}".casefold()
    if ".memory" not in place or not ("events" in place or "evidence" in place):
        return False
    return not only_reads(command, _OWN)
