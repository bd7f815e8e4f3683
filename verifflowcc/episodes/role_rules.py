"""Whether the tables of roles and the stage allow what a call wants to do. It runs inside of hooks."""

from verifflowcc.domain.protected import in_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from verifflowcc.episodes.permission import Call, Wish

    Json = Any

MCP = "mcp__"
_VERBS = {"read": "read", "search": "search", "edit": "edit", "run": "run commands in"}
_MOST_SHOWN = 4


def by_rules(call: "Call", wishes: "list[Wish]", rules: "Mapping[str, Json]") -> str:
    """Return why the role of the stage, that of a subagent, or the stage itself forbids a call."""
    tools = rules.get("tools")
    if not isinstance(tools, dict):
        return ""
    role, stage = str(rules.get("role")), rules.get("stage")
    artifacts = str(rules.get("artifacts") or "")
    advice = _instead(artifacts, rules.get("owed"))
    opened = str(rules.get("opened") or artifacts)
    whose = RoleTable(role, f"the role {role} (stage {stage})", opened, advice)
    whose.missing = rules.get("missing") is True
    if why := _by_table(wishes, tools, whose):
        return why
    others = rules.get("others")
    own = others.get(call.agent_type) if call.agent and isinstance(others, dict) and call.agent_type != role else None
    if isinstance(own, dict):
        subagent = RoleTable(call.agent_type, f"the subagent {call.agent_type} (stage {stage})", "", "")
        if why := _by_table(wishes, own, subagent):
            return why
    return _by_stage(wishes, rules, advice) if call.agent or not artifacts else ""


class RoleTable:
    """RoleTable table decides: the role, its name in a sentence, its artifacts, and the advice of a denial."""

    __slots__ = ("advice", "artifacts", "missing", "role", "text")

    def __init__(self, role: str, text: str, artifacts: str, advice: str) -> None:
        self.role, self.text, self.artifacts, self.advice = role, text, artifacts, advice
        self.missing = False

    @property
    def file(self) -> str:
        """The file with the role's table."""
        return f".memory/agent/{self.role}/tools.yaml"

    def lacks(self, tool: str) -> str:
        """Return why a tool is closed."""
        if self.missing:
            return f"there is no {self.file}, so that it only reads (a person mends that: vfcc doctor)"
        return f"{self.file} lists {tool}"


def _by_table(wishes: "list[Wish]", tools: "Mapping[str, Json]", whose: RoleTable) -> str:
    for sort, detail in wishes:
        rule = tools.get(sort)
        if sort in ("git-read", "git-write", "mcp", "vfcc") or (sort == "run" and isinstance(rule, dict)):
            if why := _by_class(sort, detail, rule, whose):
                return why
        elif why := _by_paths(sort, "" if sort == "run" else detail, rule, whose):
            return why
    return ""


def _by_paths(sort: str, path: str, rule: "Json", whose: RoleTable) -> str:
    if sort == "edit" and whose.artifacts and path.startswith(f"{whose.artifacts}/"):
        return ""
    instead = whose.advice if sort in ("edit", "run") else ""
    if not isinstance(rule, dict):
        target, lacks = path or "the project", whose.lacks(f"no tool {sort!r}")
        return f"{whose.text} may not {_VERBS[sort]} {target}: {lacks}{instead}"
    if path and not path.startswith(("/", "~")):
        if _fits(path, rule.get("never") or ()):
            return f"{whose.text} may never {_VERBS[sort]} {path}, says {whose.file}{instead}"
        paths = rule.get("paths")
        if paths and path != "." and not _fits(path, paths):
            return f"{whose.text} may not {_VERBS[sort]} {path}: {whose.file} allows {_few(paths)}{instead}"
    return ""


def _by_class(sort: str, detail: str, rule: "Json", whose: RoleTable) -> str:
    """Return why a call of git, vfcc, a server or a program is none that the table lists."""
    if sort == "vfcc":
        from verifflowcc.domain.command_classes import class_or_strictest

        allowed = rule.get("classes") if isinstance(rule, dict) else ()
        words = detail.split()
        wanted = class_or_strictest(words)
        lacks = whose.lacks(f"no class {wanted!r} of vfcc")
        if isinstance(allowed, list) and wanted in allowed:
            return ""
        return f"{whose.text} may not run vfcc {' '.join(words[:2])}: {lacks}"
    if not isinstance(rule, dict):
        act, lacks = "call" if sort == "mcp" else "run", whose.lacks(f"no tool {sort!r}")
        advice = whose.advice if sort == "git-write" else ""
        return f"{whose.text} may not {act} {detail}: {lacks}{advice}"
    if sort == "run":
        allowed = rule.get("commands")
        if not allowed or any(_begins(detail, str(each)) for each in allowed):
            return ""
        what = detail[:60] or "this command"
        return f"{whose.text} may not run {what}: {whose.file} allows {_few(allowed)}{whose.advice}"
    if sort == "mcp":
        server = detail.removeprefix(MCP).partition("__")[0]
        for key, name in (("servers", server), ("tools", detail)):
            if rule.get(key) and not _fits(name, rule[key]):
                return f"{whose.text} may not call {detail}: {whose.file} allows the {key} {_few(rule[key])}"
    return ""


def _begins(command: str, words: str) -> bool:
    return f"{command} ".startswith(f"{' '.join(words.split())} ")


def _by_stage(wishes: "list[Wish]", rules: "Mapping[str, Json]", advice: str) -> str:
    """Return why a stage does not change a file of the product, whoever would."""
    edits, stage = rules.get("edits"), rules.get("stage")
    if edits not in ("none", "tests"):
        return ""
    for sort, path in wishes:
        if sort != "edit" or not in_project(path) or path.startswith(".memory/"):
            continue
        if edits == "none" or not _fits(path, rules.get("tests") or ()):
            what = "no file outside .memory/" if edits == "none" else "tests alone"
            return f"{path} may not be edited in stage {stage}: its workflow opens {what}{advice}"
    return ""


def _few(patterns: "Json") -> str:
    shown = [str(each) for each in patterns]
    return ", ".join(shown[:_MOST_SHOWN]) + (f" and {len(shown) - _MOST_SHOWN} more" if shown[_MOST_SHOWN:] else "")


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
