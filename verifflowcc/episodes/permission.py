"""Whether an agent may make a call of a tool in the active stage, and whether a hook needs the whole program.

Some calls are closed to every agent: `episodes/closed_files.py`. The others are judged by the role's `tools.yaml`:
which of reading, searching, editing, running, git and vfcc it may do, and where. The role of the stage may always edit
the stage's artifacts. A subagent needs the permission of its own role, too, and edits no more of the product than the
stage does. What a shell command does is judged by its words, so this raises the cost of a lie and rules none out.
It runs inside of hooks, so it imports next to nothing.
"""

from verifflowcc.domain.protected import INSIDE, closed, in_project
from verifflowcc.episodes.briefed import conversation_of, needs_brief
from verifflowcc.episodes.commands import acts
from verifflowcc.episodes.read_only import only_looks, only_reads
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
        self.agent_type = kind.rpartition(":")[2].lower().removeprefix("vfcc-") if isinstance(kind, str) else ""
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
    `others` are the tables of the other roles; `closed` are patterns that are closed besides the usual ones; `opened`
    is the folder of another stage's artifacts, open in place of `artifacts`, which makes no role that of the stage. A
    list has such rules for each of several open sprints, and all of them must allow the call. `real` resolves the links
    of an absolute path; without it only names count.
    """
    if isinstance(rules, list):
        return _by_each(payload, [each for each in rules if isinstance(each, dict)], root, real)
    call = Call(payload, root, rules, real)
    if why := _closed_to_all(call):
        return why
    if not isinstance(rules, dict) or not call.tool or not isinstance(rules.get("tools"), dict):
        return ""
    from verifflowcc.episodes.role_rules import by_rules

    return by_rules(call, list(_wishes(call)), rules)


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
    from verifflowcc.episodes.tool_input import only_reads_by_name, own_command, paths_in

    if own := own_command(call.tool):
        yield "vfcc", own  # it names files, and edits none of them
        return
    if call.tool.startswith("mcp__"):
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
