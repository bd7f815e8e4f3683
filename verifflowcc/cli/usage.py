"""A command line that does not parse, as one sentence with the nearest name, and where its help is."""

import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from verifflowcc.cli.terminal import visible, wants_color, with_marks
from verifflowcc.errors import UsageError
from verifflowcc.text.near import nearest

if TYPE_CHECKING:
    from typer import TyperException

_NO_COMMAND = re.compile(r"No such command '(.*?)'\.(?: Did you mean .*)?", re.DOTALL)
_NO_CHOICE = re.compile(r"'(.*)' is not one of .*", re.DOTALL)
_EXTRA = re.compile(r"Got unexpected extra argument\(s\) \((.*)\)", re.DOTALL)


def usage_error(error: "TyperException", arguments: list[str]) -> UsageError:
    """Return what is wrong with a command line as an error of ours, whose hint is the help of the command."""
    command, names, hidden = _command(arguments)
    return UsageError(_sentence(error, command, names, hidden), hint=f"{command} --help")


def help_instead(error: "TyperException") -> str:
    """Return the help that a command group alone gets; empty for all other errors."""
    if type(error).__name__ != "NoArgsIsHelpError":
        return ""
    shown = with_marks(error.format_message())
    return shown if wants_color(sys.stderr) else visible(shown)


def _command(arguments: list[str]) -> tuple[str, tuple[str, ...], frozenset[str]]:
    """Return the command that `arguments` begin with, and the names of its commands (a group) or of its options.

    Beside them, those of the commands that its help does not list.
    """
    from typer.main import get_command

    from verifflowcc.cli.app import app

    path, here = ["vfcc"], get_command(app)
    for word in arguments:
        below = getattr(here, "commands", {}).get(word)
        if below is None:
            break
        path.append(word)
        here = below
    options = [name for each in here.params for name in each.opts if name.startswith("--")]
    commands = getattr(here, "commands", {})
    hidden = frozenset(name for name, each in commands.items() if each.hidden)
    return " ".join(path), (*commands, *options, "--help"), hidden


def _sentence(error: "TyperException", command: str, names: tuple[str, ...], hidden: frozenset[str]) -> str:
    said = error.format_message()
    option, parameter = getattr(error, "option_name", None), getattr(error, "param", None)
    if type(error).__name__ == "NoSuchOption":
        return f"{command} has no option {option}; {_instead(str(option), (name for name in names if name[0] == '-'))}"
    if type(error).__name__ == "BadOptionUsage":
        return f"{option} {'takes no value' if 'does not take' in said else 'needs a value'}"
    if found := _NO_COMMAND.fullmatch(said):
        commands = [name for name in names if name[0] != "-"]
        return f"{command} has no command {found[1] or repr('')}; {_instead(found[1], commands, hidden)}"
    if found := _EXTRA.fullmatch(said):
        return f"{command} takes no further argument: {found[1]}"
    if parameter is None:
        return said
    label = " ".join(name for name in (_long(parameter.opts), parameter.metavar) if name)
    if type(error).__name__ == "MissingParameter":
        return f"{command} needs {label}"
    told = getattr(error, "message", said)
    if found := _NO_CHOICE.fullmatch(told):
        return f"{label} knows no {found[1]}; {_instead(found[1], parameter.type.choices)}"
    return f"{label}: {told}"


def _long(options: list[str]) -> str:
    """The long form of an option; nothing for an argument, which its metavar names."""
    return next((name for name in options if name.startswith("--")), "")


def _instead(name: str, known: Iterable[str], hidden: frozenset[str] = frozenset()) -> str:
    """Return the nearest of the known names; where none is near, all that are not hidden."""
    names = {full.lstrip("-"): full for full in known}
    near = nearest(name.lstrip("-"), names)
    listed = ", ".join(full for full in names.values() if full not in hidden)
    return f"did you mean {names[near]}?" if near else f"there is {listed}"
