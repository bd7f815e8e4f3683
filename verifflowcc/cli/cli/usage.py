"""A command line that does not parse, as one sentence with the nearest name, and where its help is."""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from verifflowcc.base.errors import UsageError
from verifflowcc.base.terminal.terminal import visible, wants_color, with_marks
from verifflowcc.base.text.plain_words import nearest

if TYPE_CHECKING:
    from typer import TyperException
    from typer._click import Command, Parameter


# A mistyped command gets a hint with the command that was probably meant.

SYNONYMS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("new", "create"), ("start", "add", "create")),
    **dict.fromkeys(("begin", "open"), ("start",)),
    **dict.fromkeys(("end", "stop", "done", "complete"), ("close", "finish")),
    **dict.fromkeys(("ls", "all"), ("list", "sprint list")),
    **dict.fromkeys(("rm", "remove", "delete", "del", "drop"), ("forget", "retire", "prune")),
    **dict.fromkeys(("purge", "clear", "clean"), ("forget", "prune", "review")),
    **dict.fromkeys(("cat", "view", "get", "display", "info"), ("show",)),
    **dict.fromkeys(("find", "grep", "query", "ask"), ("search", "find", "memory search")),
    **dict.fromkeys(("update", "set", "change", "modify"), ("edit", "use", "put")),
    **dict.fromkeys(("accept", "confirm"), ("promote", "approve")),
    **dict.fromkeys(("decline", "deny", "discard"), ("reject",)),
    **dict.fromkeys(("undo", "revert"), ("restore", "reopen")),
    **dict.fromkeys(("forward", "continue"), ("advance", "next")),
    **dict.fromkeys(("back", "return"), ("reopen",)),
    **dict.fromkeys(("exec", "execute", "test"), ("evidence run",)),
    **dict.fromkeys(("validate", "verify", "lint"), ("check",)),
    **dict.fromkeys(("prompt", "compile", "build"), ("context show",)),
    **dict.fromkeys(("setup", "install", "hooks"), ("integrate",)),
    **dict.fromkeys(("st", "board"), ("status",)),
    "log": ("history show",),
}
"""Words of other tools, each with the commands that it may mean, the likeliest first."""


def meant(group: str, typed: str, commands: Mapping[str, Any]) -> str:
    """Return the command that somebody meant who typed `typed` after `group`; empty where none is near.

    `group` is empty behind `vfcc` itself; `commands` are all commands, by the words behind `vfcc`.

    >>> meant("sprint", "new", {"sprint": 0, "sprint start": 0}), meant("", "advance", {"stage advance": 0})
    ('sprint start', 'stage advance')
    """
    if typed == "help":
        return f"{group} --help"
    if group and f"{typed} {group}" in commands:
        return f"{typed} {group}"
    here = {name.rpartition(" ")[2]: name for name in commands if name.rpartition(" ")[0] == group}
    for word in SYNONYMS.get(typed, ()):
        if word in here or (word in commands and not group):
            return here.get(word, word)
    if group and typed in commands:
        return typed
    if not group and (found := _elsewhere((typed, *SYNONYMS.get(typed, ())), commands)):
        return found
    near = nearest(typed, here)
    return here[near] if near else ""


def _elsewhere(words: Sequence[str], commands: Mapping[str, Any]) -> str:
    """Return the first command, in a group, that is called by one of the words."""
    named = (name for word in words for name in commands if name.endswith(f" {word}"))
    return next(named, "")


_NO_COMMAND = re.compile(r"No such command '(.*?)'\.(?: Did you mean .*)?", re.DOTALL)
_NO_CHOICE = re.compile(r"'(.*)' is not one of .*", re.DOTALL)
_EXTRA = re.compile(r"Got unexpected extra argument\(s\) \((.*)\)", re.DOTALL)


def usage_error(root: "Command", error: "TyperException", arguments: list[str]) -> UsageError:
    """Return what is wrong with a command line as an error of ours, whose hint is the help of the command."""
    command, found = _command(root, arguments)
    return UsageError(_sentence(root, error, command, found.params), hint=f"{command} --help")


def no_command(root: "Command", command: str, typed: str) -> UsageError:
    """Return the error for a word behind `command` that names no command of it."""
    return UsageError(_no_command(root, command, typed), hint=f"{command} --help")


def help_instead(error: "TyperException") -> str:
    """Return the help that a command group alone gets; empty for all other errors."""
    if type(error).__name__ != "NoArgsIsHelpError":
        return ""
    shown = with_marks(error.format_message())
    return shown if wants_color(sys.stderr) else visible(shown)


def _command(root: "Command", arguments: list[str]) -> tuple[str, "Command"]:
    """Return the command that `arguments` begin with, by its words and itself."""
    path, here = ["vfcc"], root
    for word in arguments:
        below = getattr(here, "commands", {}).get(word)
        if below is None:
            break
        path.append(word)
        here = below
    return " ".join(path), here


def _sentence(root: "Command", error: "TyperException", command: str, parameters: "Sequence[Parameter]") -> str:
    text = error.format_message()
    option, parameter = getattr(error, "option_name", None), getattr(error, "param", None)
    if type(error).__name__ == "NoSuchOption":
        return f"{command} has no option {option}; {_no_option(str(option), command, parameters)}"
    if type(error).__name__ == "BadOptionUsage":
        return f"{option} {'takes no value' if 'does not take' in text else 'needs a value'}"
    if found := _NO_COMMAND.fullmatch(text):
        return _no_command(root, command, found[1])
    if found := _EXTRA.fullmatch(text):
        return f"{command} takes no further argument: {found[1]}"
    if parameter is None:
        return text
    label = " ".join(name for name in (_long(parameter.opts), parameter.metavar) if name)
    if type(error).__name__ == "MissingParameter":
        return f"{command} needs {label}"
    message = getattr(error, "message", text)
    if found := _NO_CHOICE.fullmatch(message):
        return f"{label} knows no {found[1]}; {_instead(found[1], parameter.type.choices)}"
    return f"{label}: {message}"


def _no_option(option: str, command: str, parameters: "Sequence[Parameter]") -> str:
    """Return what was meant by an option that there is not: an argument of that name, or the nearest option."""
    arguments = [str(each.metavar or each.name).upper() for each in parameters if each.param_type_name == "argument"]
    if option.lstrip("-").upper() in arguments:
        return f"it is given without a name: {' '.join((command, *arguments))}"
    options = [name for each in parameters for name in each.opts if name.startswith("--")]
    return _instead(option, (*options, "--help"))


def _long(options: list[str]) -> str:
    """The long form of an option, or its only one; nothing for an argument, which its metavar names."""
    return next((name for name in sorted(options) if name.startswith("-")), "")


def _no_command(root: "Command", command: str, typed: str) -> str:
    """Return that a group has no such command, and the one that is meant; else those that its help lists."""

    group = command.partition(" ")[2]
    commands = dict(_all_commands(root, ()))
    if found := meant(group, typed, commands):
        return f"no such command `{typed}`; did you mean `vfcc {found}`?"
    here = {name.rpartition(" ")[2]: hidden for name, hidden in commands.items() if name.rpartition(" ")[0] == group}
    listed = [name for name, hidden in here.items() if not hidden] or [*here]
    return f"no such command `{typed}`; {command} has {', '.join(listed)}"


def _all_commands(group: "Command", path: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """Yield each command and group, the listed ones of a group first, with whether help leaves it out."""
    below = getattr(group, "commands", {})
    for name in sorted(below, key=lambda each: below[each].hidden):
        yield " ".join((*path, name)), below[name].hidden
    for name, each in below.items():
        yield from _all_commands(each, (*path, name))


def _instead(name: str, known: Iterable[str]) -> str:
    """Return the nearest of the known names; where none is near, all of them."""
    names = {full.lstrip("-"): full for full in known}
    near = nearest(name.lstrip("-"), names)
    return f"did you mean {names[near]}?" if near else f"there is {', '.join(names.values())}"
