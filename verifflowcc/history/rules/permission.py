"""Whether an agent may make a call of a tool in the active stage, and whether a hook needs the whole program.

Some calls are closed to every agent: `episodes/closed_files.py`. The others are judged by the role's `tools.yaml`:
which of reading, searching, editing, running, git and vfcc it may do, and where. The role of the stage may always edit
the stage's artifacts. A subagent needs the permission of its own role, too, and edits no more of the product than the
stage does. What a shell command does is judged by its words, so this raises the cost of a lie and rules none out.
It runs inside of hooks, so it imports next to nothing.
"""

from verifflowcc.base.model.protected_paths import INSIDE, closed, in_project
from verifflowcc.history.rules.briefed import conversation_of, needs_brief
from verifflowcc.history.rules.read_only import only_looks, only_reads
from verifflowcc.history.rules.shell_commands import acts
from verifflowcc.history.rules.touches import placed, touches

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any

    from verifflowcc.history.rules.shell_programs import Program

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
_CHANGES = ("edit", "write")
_OWN = frozenset(("vfcc", "git"))
_PLAIN_SETTINGS = (
    *("LC_", "LANG", "TZ=", "TERM=", "COLUMNS=", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "PAGER=cat", "GIT_PAGER=cat"),
    *("GIT_TERMINAL_PROMPT=", "GIT_OPTIONAL_LOCKS=", "VFCC_SPRINT="),
)
"""Settings with which a program that only looks does nothing more."""
_AS_OTHERS = ("sudo", "doas", "flock")
"""Wrappers that do something of their own, whatever they run."""
_LONGEST_PATH = 1_000
_UNQUOTED = {ord(each): None for each in "'\"\\\n"}


class CheckedCall:
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
        self.agent_type = kind.rpartition(":")[2].lower().removeprefix("vfcc-") if isinstance(kind, str) else ""
        self.commands: list[tuple[str, list[Program]]] = []
        for command in self._commands():
            if not any(each in command.translate(_UNQUOTED) for each in ("=", "git", "vfcc")) and only_reads(command):
                self.commands.append((command, []))  # the usual case, while an agent looks around: it costs no more
                continue
            from verifflowcc.history.rules.shell_programs import programs

            self.commands.append((command, programs(command)))

    def _commands(self) -> "list[str]":
        if self.tool == "Bash":
            command = self.given.get("command")
            return [command] if isinstance(command, str) and "*** Begin Patch" not in command else []
        if not self.tool or self.tool in CLASSES:
            return []

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
    `others` are the tables of the other roles; `closed` are patterns that are closed besides the usual ones; `opened`
    is the folder of another stage's artifacts, open in place of `artifacts`, which makes no role that of the stage. A
    list has such rules for each of several open sprints, and all of them must allow the call. `real` resolves the links
    of an absolute path; without it only names count.
    """
    if isinstance(rules, list):
        return _by_each(payload, [each for each in rules if isinstance(each, dict)], root, real)
    call = CheckedCall(payload, root, rules, real)
    if why := _closed_to_all(call):
        return why
    if not isinstance(rules, dict) or not call.tool or not isinstance(rules.get("tools"), dict):
        return ""

    return by_rules(call, list(_wishes(call)), rules)


def _closed_to_all(call: CheckedCall) -> str:
    """Return why no agent may make a call."""
    if not call.tool:
        return ""
    for path in _edited(call):
        if call.closed(path) == INSIDE:
            from verifflowcc.history.rules.closed_files import whose

            return whose(path).replace(", which", "", 1)
    for command, found in call.commands:
        from verifflowcc.history.rules.closed_files import refused

        if why := refused(command, found, call):
            return why
    if call.unknown:
        from verifflowcc.history.rules.closed_files import whose

        if not only_reads_by_name(call.tool):
            for text in texts_in(call.given):
                if text and call.closed(text):
                    return f"{call.tool} may change {whose(call.path(text))}"
    return ""


def _by_each(payload: "Mapping[str, Json]", rules: "list[Json]", root: str, real: "Callable[[str], str] | None") -> str:
    """Return why one of several rules forbids a call. The artifacts that one of them opens are open under each."""
    folders = [each["artifacts"] for each in rules if each.get("artifacts")]
    for rule in rules:
        why = denied(payload, rule, root, real)
        if why and all(denied(payload, {**rule, "opened": folder}, root, real) for folder in folders):
            return why
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
        return bool(paths) and not set(paths) <= set(known(conversation_of(payload)))
    if needs_brief(payload, known, settings.get("sprint") or settings.get("several"), settings.get("stage")):
        return True
    wants = settings.get("events")
    return isinstance(wants, list) and event in wants


def edited_files(payload: "Mapping[str, Json]", root: str) -> "list[str]":
    """Return the files that a call of an edit tool is about to change, as they are recorded."""
    call = CheckedCall(payload, root)
    return _edited(call) if CLASSES.get(call.tool) == "edit" else []


def _edited(call: CheckedCall) -> "list[str]":
    """Return the files that a call of an edit tool or a patch names."""
    if CLASSES.get(call.tool) == "edit" or (call.tool == "Bash" and not call.commands):
        return [str(each["path"]) for each in touches(call.tool, call.given, None, call.cwd, call.root)]
    return []


def _wishes(call: CheckedCall) -> "Iterator[Wish]":
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


def _of_unknown(call: CheckedCall) -> "Iterator[Wish]":
    """Yield what a tool of a server, or one that is new, wants by its name and input."""

    if own := own_command(call.tool):
        yield "vfcc", own  # it names files, and edits none of them
        return
    if call.tool.startswith("mcp__"):
        yield "mcp", call.tool
    for command, found in call.commands:
        yield from _of_command(call, command, found)
    if not only_reads_by_name(call.tool):
        yield from (("edit", call.path(path)) for path in paths_in(call.given))


def _of_command(call: CheckedCall, command: str, found: "list[Program]") -> "Iterator[Wish]":
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
            from verifflowcc.history.rules.git_verbs import judged

            sort, _, any_program = judged(program.given, lambda word: call.path(word or ".") == ".", call.path)
            yield sort, " ".join(["git", *program.given[:2]])[:60]
            if any_program or (
                "/" in program.plain[0] and not only_looks([], [program.plain[0].replace("/git", "/cat")])
            ):
                yield "run", _shown(program)
        elif program.name == "vfcc":
            # A word with a space in it is one word to vfcc, and none of its parts is an option or a command.
            yield "vfcc", " ".join("_".join(word.split()) or "_" for word in program.given)
        elif not only_looks([], program.plain):
            yield "run", _shown(program)
            yield from (
                ("edit", place) for word in _changed(program) if in_project(place := call.path(program.path(word)))
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


# Whether the tables of roles and the stage allow what a call wants to do. It runs inside of hooks.

MCP = "mcp__"
_VERBS = {"read": "read", "search": "search", "edit": "edit", "run": "run commands in"}
_MOST_SHOWN = 4


def by_rules(call: "CheckedCall", wishes: "list[Wish]", rules: "Mapping[str, Json]") -> str:
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
        from verifflowcc.base.model.command_classes import class_or_strictest

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
    """Return why a stage does not change a file of the product, in any role."""
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
    from verifflowcc.base.text.glob import matches

    return any(isinstance(each, str) and matches(path, each) for each in patterns)


# What the input of an unknown tool names: paths and commands, wherever they are in it. It runs inside of hooks.

_COMMANDS = frozenset(("command", "cmd", "script", "shell_command", "commandline", "command_line"))
_PATHS = (
    "path",
    "file",
    "uri",
    "url",
    "dir",
    "folder",
    "source",
    "destination",
    "dest",
    "target",
    "root",
    "from",
    "to",
)
_READS = frozenset(
    (
        *(
            "read",
            "get",
            "list",
            "search",
            "find",
            "view",
            "show",
            "fetch",
            "query",
            "lookup",
            "describe",
            "stat",
            "count",
        ),
        *(
            "grep",
            "glob",
            "cat",
            "head",
            "tail",
            "tree",
            "status",
            "diff",
            "log",
            "info",
            "check",
            "web",
            "lsp",
            "hover",
        ),
    )
)
_TOOL_INPUT_CHANGES = frozenset(
    (
        *("write", "edit", "update", "create", "delete", "move", "rename", "set", "put", "save", "append", "insert"),
        *("replace", "remove", "patch", "apply", "copy", "upload", "modify", "truncate", "run", "exec", "execute"),
    )
)
_DEEPEST, _MOST, _LONGEST = 12, 2_000, 4_096


def only_reads_by_name(tool: str) -> bool:
    """Say whether a tool's name is that of one that reads.

    >>> [only_reads_by_name(each) for each in ("mcp__fs__read_file", "mcp__fs__get_or_create", "FileEditor")]
    [True, False, False]
    """
    words = _words(tool.rpartition("__")[2])
    return bool(words) and words[0] in _READS and not any(word in _TOOL_INPUT_CHANGES for word in words)


def commands_in(given: "Json") -> "list[str]":
    """Return the texts that are commands by the name of their field; a list of words is one command."""
    if not isinstance(given, dict):
        return []
    found = []
    for key, value in given.items():
        if str(key).lower() in _COMMANDS:
            if isinstance(value, str):
                found.append(value)
            elif isinstance(value, list):
                found.append(
                    " ".join("'" + each.replace("'", "'\\''") + "'" for each in value if isinstance(each, str))
                )
    return found


def paths_in(given: "Json") -> "list[str]":
    """Return the texts that name a file: by the name of their field, or by how they begin.

    >>> paths_in({"edits": [{"path": "a.py", "text": "x y"}], "uri": "file:///p/b", "note": "~/c", "url": "https://d"})
    ['/p/b', '~/c', 'a.py']
    """
    found = []
    for key, text in _texts(given):
        plain = text.removeprefix("file://")
        if "://" in plain or "\n" in plain or not plain or len(plain) > _LONGEST:
            continue
        named = any(part in key.lower() for part in _PATHS[:5]) or key.lower() in _PATHS
        if named or plain.startswith(("/", "./", "../", "~/")):
            found.append(plain)
    return found


def texts_in(given: "Json") -> "list[str]":
    """Return all texts of one line, which may name a file under any field."""
    return [text.removeprefix("file://") for _, text in _texts(given) if "\n" not in text and len(text) <= _LONGEST]


def _texts(value: "Json") -> "Iterator[tuple[str, str]]":
    waiting: list[tuple[str, Json, int]] = [("", value, 0)]
    seen = 0
    while waiting and seen < _MOST:
        key, each, depth = waiting.pop(0)
        seen += 1
        if isinstance(each, str):
            yield key, each
        elif depth < _DEEPEST and isinstance(each, dict):
            waiting += [(str(name), one, depth + 1) for name, one in each.items()]
        elif depth < _DEEPEST and isinstance(each, list):
            waiting += [(key, one, depth + 1) for one in each]


def _words(name: str) -> "list[str]":
    """Return the words of a name, `readFile` and `read_file` alike."""
    spaced = "".join(
        f" {letter}" if letter.isupper() and place and not name[place - 1].isupper() else letter
        for place, letter in enumerate(name)
    )
    return spaced.lower().replace("_", " ").replace("-", " ").replace(".", " ").split()


_OWN_SERVERS = ("mcp__vfcc__", "mcp__plugin_vfcc_vfcc__")
_OWN_COMMANDS = {
    "next": "next",
    "brief": "context show",
    "recall": "memory search",
    "known": "history show",
    "code": "code context",
    "remember": "memory add",
    "put": "stage put",
    "check": "evidence run",
    "advance": "stage advance",
}


def own_command(tool: str) -> str:
    """Return the command of vfcc that does the same as a tool of its server; empty for any other tool.

    >>> own_command("mcp__vfcc__put"), own_command("mcp__vfcc__write"), own_command("mcp__other__put")
    ('stage put', '', '')
    """
    start = next((each for each in _OWN_SERVERS if tool.startswith(each)), None)
    return _OWN_COMMANDS.get(tool[len(start) :], "") if start else ""
