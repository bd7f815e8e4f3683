"""Whether an agent may make a call of a tool in the active stage, and whether a hook needs the whole program.

Some calls are closed to every agent: `episodes/closed_files.py`. The others are judged by the role's `tools.yaml`:
which of reading, searching, editing, running, git and vfcc it may do, and where. The role of the stage may always edit
the stage's artifacts. A subagent needs the permission of its own role, too, and edits no more of the product than the
stage does. What a shell command does is judged by its words, so this raises the cost of a lie and rules none out.
It runs inside of hooks, so it imports next to nothing.
"""

from verifflowcc.domain.protected import INSIDE, closed
from verifflowcc.episodes.briefed import needs_brief
from verifflowcc.episodes.commands import acts, only_looks, only_reads
from verifflowcc.episodes.touches import placed, touches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any

    from verifflowcc.episodes.programs import Program

    Json = Any
    Wish = tuple[str, str]

CLASSES = {
    "Read": "read",
    "NotebookRead": "read",
    "LSP": "read",
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
"""What sort of thing each known tool does; others are judged by what their input names."""
MCP = "mcp__"
_CHANGES = ("edit", "write")
_OWN = frozenset(("vfcc", "git"))
_VERBS = {"read": "read", "search": "search", "edit": "edit", "run": "run commands in"}
_PLAIN_SETTINGS = (
    *("LC_", "LANG", "TZ=", "TERM=", "COLUMNS=", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "PAGER=cat", "GIT_PAGER=cat"),
    *("GIT_TERMINAL_PROMPT=", "GIT_OPTIONAL_LOCKS=", "VFCC_SPRINT="),
)
"""Settings with which a program that only looks does nothing more."""
_AS_OTHERS = ("sudo", "doas", "flock")
"""Wrappers that do something of their own, whatever they run."""
_MOST_SHOWN = 4
_LONGEST_PATH = 1_000
_UNQUOTED = {ord(each): None for each in "'\"\\\n"}


class Call:
    """A call as it is judged: its tool and input, the folder that it is made in, and the programs that it runs."""

    __slots__ = ("agent", "agent_type", "commands", "cwd", "given", "more", "real", "root", "tool")

    def __init__(
        self, payload: "Mapping[str, Json]", root: str, rules: "Json" = None, real: "Callable[[str], str] | None" = None
    ) -> None:
        tool, given = payload.get("tool_name"), payload.get("tool_input")
        self.tool = tool if isinstance(tool, str) and isinstance(given, dict) else ""
        self.given: Mapping[str, Json] = given if isinstance(given, dict) else {}
        self.cwd, self.root, self.real = str(payload.get("cwd") or root), root, real
        more = rules.get("closed") if isinstance(rules, dict) else ()
        self.more = tuple(map(str, more)) if isinstance(more, (list, tuple)) else ()
        self.agent = bool(payload.get("agent_id"))
        kind = payload.get("agent_type")
        self.agent_type = kind.rpartition(":")[2].lower() if isinstance(kind, str) else ""
        self.commands: list[tuple[str, list[Program]]] = []
        for command in self._commands():
            if not any(each in command.translate(_UNQUOTED) for each in ("=", "git", "vfcc")) and only_reads(command):
                self.commands.append((command, []))  # the usual case, while an agent looks around: it costs no more
                continue
            from verifflowcc.episodes.programs import programs

            self.commands.append((command, programs(command)))

    def _commands(self) -> "list[str]":
        if self.tool == "Bash":
            command = self.given.get("command")
            return [command] if isinstance(command, str) and "*** Begin Patch" not in command else []
        if not self.tool or self.tool in CLASSES:
            return []
        from verifflowcc.episodes.tool_input import commands_in

        return commands_in(self.given)

    @property
    def unknown(self) -> bool:
        """Whether nothing but its input shows what the tool does."""
        return bool(self.tool) and self.tool not in CLASSES

    def path(self, word: str) -> str:
        """Return a path as rules are written, from the project's root."""
        return placed(word, self.cwd, self.root)

    def closed(self, word: str) -> str:
        """Return how a path is closed, by its own name or by where links on the disk lead."""
        path = self.path(word)
        found = closed(path, self.more)
        if found == INSIDE or self.real is None or not word or len(word) > _LONGEST_PATH:
            return found
        whole = path if path.startswith("/") else f"{self.root}/{path}"
        return closed(placed(self.real(whole), self.cwd, self.root), self.more) or found


def denied(payload: "Mapping[str, Json]", rules: "Json", root: str, real: "Callable[[str], str] | None" = None) -> str:
    """Return why a call may not be made, as a sentence; empty where it may.

    `rules` is `{role, stage, tools: {class: {paths, never, …}}, artifacts, owed, edits, tests, others, closed}`, or
    None where no rules hold. `artifacts` is the folder of the stage's artifacts, absent for another role than the
    stage's; `owed` are the names that its gates ask for; `edits` and `tests` bound the files that the stage changes;
    `others` are the tables of the other roles; `closed` are patterns that are closed besides the usual ones. `real`
    resolves the links of an absolute path; without it only names count.
    """
    call = Call(payload, root, rules, real)
    if why := _closed_to_all(call):
        return why
    return _by_rules(call, rules) if isinstance(rules, dict) and call.tool else ""


def _closed_to_all(call: Call) -> str:
    """Return why no agent may make a call."""
    if not call.tool:
        return ""
    for path in _edited(call):
        if call.closed(path) == INSIDE:
            from verifflowcc.episodes.closed_files import whose

            return whose(path).replace(", which", "", 1)
    for command, found in call.commands:
        from verifflowcc.episodes.closed_files import refused

        if why := refused(command, found, call):
            return why
    if call.unknown:
        from verifflowcc.episodes.closed_files import whose
        from verifflowcc.episodes.tool_input import only_reads_by_name, texts_in

        if not only_reads_by_name(call.tool):
            for text in texts_in(call.given):
                if text and call.closed(text):
                    return f"{call.tool} may change {whose(call.path(text))}"
    return ""


def wants_the_program(
    payload: "Mapping[str, Json]",
    settings: "Mapping[str, Json]",
    root: str,
    known: "Callable[[str], Collection[str]]",
    real: "Callable[[str], str] | None" = None,
) -> bool:
    """Return whether a hook must be answered by the whole program, by what that left in `hook.json`.

    `known` returns what a session has seen, a line each: files, and the stages that it was briefed on.
    """
    event = payload.get("hook_event_name")
    if event == "PreToolUse":
        if denied(payload, settings.get("rules"), root, real):
            return True
        paths = edited_files(payload, root) if settings.get("files") is True else []
        return bool(paths) and not set(paths) <= set(known(str(payload.get("session_id") or "")))
    if needs_brief(payload, known, settings.get("sprint"), settings.get("stage")):
        return True
    wants = settings.get("events")
    return isinstance(wants, list) and event in wants


def edited_files(payload: "Mapping[str, Json]", root: str) -> "list[str]":
    """Return the files that a call of an edit tool is about to change, as they are recorded."""
    call = Call(payload, root)
    return _edited(call) if CLASSES.get(call.tool) == "edit" else []


def _edited(call: Call) -> "list[str]":
    """Return the files that a call of an edit tool or a patch names."""
    if CLASSES.get(call.tool) == "edit" or (call.tool == "Bash" and not call.commands):
        return [str(each["path"]) for each in touches(call.tool, call.given, None, call.cwd, call.root)]
    return []


def _wishes(call: Call) -> "Iterator[Wish]":
    """Yield what a call wants to do, and where; a command runs nowhere, unless all that it does is reading."""
    if call.unknown:
        yield from _of_unknown(call)
        return
    sort = CLASSES[call.tool]
    if call.tool != "Bash":
        touched = touches(call.tool, call.given, None, call.cwd, call.root)
        yield from ((sort, str(each["path"])) for each in touched)
        if not touched:
            yield sort, ""
        return
    yield from (("edit", path) for path in _edited(call))
    for command, found in call.commands:
        yield from _of_command(call, command, found)


def _of_unknown(call: Call) -> "Iterator[Wish]":
    """Yield what a tool of a server, or one that is new, wants by its name and input."""
    from verifflowcc.episodes.tool_input import only_reads_by_name, paths_in

    if call.tool.startswith(MCP):
        yield "mcp", call.tool
    for command, found in call.commands:
        yield from _of_command(call, command, found)
    if not only_reads_by_name(call.tool):
        yield from (("edit", call.path(path)) for path in paths_in(call.given))


def _of_command(call: Call, command: str, found: "list[Program]") -> "Iterator[Wish]":
    changed = any(not each.startswith(_PLAIN_SETTINGS) for one in found for each in one.settings)
    changed = changed or any(each in _AS_OTHERS for one in found for each in one.wrappers)
    harmless = not changed and only_reads(command, _OWN)
    for act, path, _ in acts(command):
        place = call.path(path)
        if act in _CHANGES:
            yield "edit", place
        elif harmless:
            yield "search" if act in ("search", "list") else "read", place
    runs = not harmless and bool(command.strip())
    for program in found:
        if program.name == "git":
            from verifflowcc.episodes.git_verbs import judged

            sort, _, any_program = judged(program.given, lambda word: call.path(word or ".") == ".", call.path)
            yield sort, " ".join(["git", *program.given[:2]])[:60]
            if any_program or (
                "/" in program.plain[0] and not only_looks([], [program.plain[0].replace("/git", "/cat")])
            ):
                yield "run", _shown(program)
        elif program.name == "vfcc":
            yield "vfcc", " ".join(program.given)
        elif not only_looks([], program.plain):
            yield "run", _shown(program)
            yield from (
                ("edit", place) for word in _changed(program) if _in_project(place := call.path(program.path(word)))
            )
            runs = False
    if runs and (changed or not all(program.name in _OWN for program in found)):
        yield "run", ""


def _shown(program: "Program") -> str:
    return " ".join(program.plain)


def _changed(program: "Program") -> "list[str]":
    """Return the files that a program changes whose purpose is to change those that it is given."""
    operands = [word for word in program.given if not word.startswith("-")]
    if program.name in ("rm", "rmdir", "unlink", "shred", "mv"):
        return operands
    if program.name in ("cp", "install", "ln", "rsync") and len(operands) > 1:
        return operands[-1:]
    return [word.partition("=")[2] for word in operands if program.name == "dd" and word.startswith("of=")]


def _in_project(path: str) -> bool:
    return not path.startswith(("/", "~")) and "$" not in path


def _by_rules(call: Call, rules: "Mapping[str, Json]") -> str:
    """Return why the role of the stage, that of a subagent, or the stage itself forbids a call."""
    tools = rules.get("tools")
    if not isinstance(tools, dict):
        return ""
    wishes = list(_wishes(call))
    role, stage = str(rules.get("role")), rules.get("stage")
    artifacts = str(rules.get("artifacts") or "")
    advice = _instead(artifacts, rules.get("owed"))
    if why := _by_table(wishes, tools, _Whose(role, f"the role {role} (stage {stage})", artifacts, advice)):
        return why
    others = rules.get("others")
    own = others.get(call.agent_type) if call.agent and isinstance(others, dict) and call.agent_type != role else None
    if isinstance(own, dict):
        subagent = _Whose(call.agent_type, f"the subagent {call.agent_type} (stage {stage})", "", "")
        if why := _by_table(wishes, own, subagent):
            return why
    return _by_stage(wishes, rules, advice) if call.agent or not artifacts else ""


class _Whose:
    """Whose table decides: the role, its name in a sentence, its artifacts, and the advice of a denial."""

    __slots__ = ("advice", "artifacts", "role", "text")

    def __init__(self, role: str, text: str, artifacts: str, advice: str) -> None:
        self.role, self.text, self.artifacts, self.advice = role, text, artifacts, advice

    @property
    def file(self) -> str:
        """The file with the role's table."""
        return f".memory/agent/{self.role}/tools.yaml"


def _by_table(wishes: "list[Wish]", tools: "Mapping[str, Json]", whose: _Whose) -> str:
    for sort, detail in wishes:
        rule = tools.get(sort)
        if sort in ("git-read", "git-write", "mcp", "vfcc") or (sort == "run" and isinstance(rule, dict)):
            if why := _by_class(sort, detail, rule, whose):
                return why
        elif why := _by_paths(sort, "" if sort == "run" else detail, rule, whose):
            return why
    return ""


def _by_paths(sort: str, path: str, rule: "Json", whose: _Whose) -> str:
    if sort == "edit" and whose.artifacts and path.startswith(f"{whose.artifacts}/"):
        return ""
    instead = whose.advice if sort in ("edit", "run") else ""
    if not isinstance(rule, dict):
        target = path or "the project"
        return f"{whose.text} may not {_VERBS[sort]} {target}: {whose.file} lists no tool {sort!r}{instead}"
    if path and not path.startswith(("/", "~")):
        if _fits(path, rule.get("never") or ()):
            return f"{whose.text} may never {_VERBS[sort]} {path}, says {whose.file}{instead}"
        paths = rule.get("paths")
        if paths and path != "." and not _fits(path, paths):
            return f"{whose.text} may not {_VERBS[sort]} {path}: {whose.file} allows {_few(paths)}{instead}"
    return ""


def _by_class(sort: str, detail: str, rule: "Json", whose: _Whose) -> str:
    """Return why a call of git, vfcc, a server or a program is none that the table lists."""
    if sort == "vfcc":
        from verifflowcc.episodes.closed_files import vfcc_class

        allowed = rule.get("classes") if isinstance(rule, dict) else ()
        words = detail.split()
        wanted = vfcc_class(words)
        if isinstance(allowed, list) and wanted in allowed:
            return ""
        return (
            f"{whose.text} may not run vfcc {' '.join(words[:2])}: {whose.file} does not list vfcc's class {wanted!r}"
        )
    if not isinstance(rule, dict):
        act = "call" if sort == "mcp" else "run"
        advice = whose.advice if sort == "git-write" else ""
        return f"{whose.text} may not {act} {detail}: {whose.file} lists no tool {sort!r}{advice}"
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
        if sort != "edit" or not _in_project(path) or path.startswith(".memory/"):
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
