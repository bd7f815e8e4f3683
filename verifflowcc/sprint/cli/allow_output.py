"""How the commands of a project and of its repository are shown to the person who is asked to allow them."""

import shlex
import sys

from verifflowcc.base.model.protected_paths import RepositoryCode
from verifflowcc.base.terminal import output as out
from verifflowcc.sprint.use.allow_use import CommandTable, ShownCommand

_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def table(commands: CommandTable) -> str:
    """Return every command as it would run, where, what git runs, and what is different from the last time."""
    head = [f"{_count(commands)} in {quoted(str(commands.folder))}"] if commands.commands else []
    git = ["git runs at a commit:", *map(_code, commands.git)] if commands.git else []
    changes = [f"changed: {plain(each)}" for each in commands.changes]
    pinned = [f"pinned: {', '.join(map(plain, sorted(commands.pinned)))}"] if commands.pinned else []
    may = [
        f"note: {plain(path)} says what {plain(name)} runs, and may change; to allow it as it is: "
        f"vfcc allow --pin {quoted(path)}"
        for path, name in sorted(commands.unpinned.items())
    ]
    return "\n".join((*head, *(_command(each) for each in commands.commands), *git, *pinned, *may, *changes))


def verdict(commands: CommandTable) -> str:
    """Return whether they may run, and where that is kept."""
    if commands.allowed:
        return f"allowed on this machine, in {plain(str(commands.file))}"
    return "not allowed on this machine"


def agreed(commands: CommandTable) -> bool:
    """Ask the person at the terminal; anything but yes is no."""
    number = len(commands.names)
    these = "this command" if number == 1 else f"these {number} commands"
    out.write(sys.stderr, f"Allow {these} on this machine? [y/N] ")
    answer = sys.stdin.readline()
    if not answer.endswith("\n"):
        out.say("")
    return answer.strip().lower() in {"y", "yes"}


def quoted(word: str) -> str:
    """Return a word as a shell would read it, with nothing in it that a terminal would obey or hide."""
    if word.isprintable():
        return shlex.quote(word)
    return f"$'{''.join(_escaped(letter) for letter in word)}'"


def plain(text: str) -> str:
    """Return a text with nothing in it that a terminal would obey or hide."""
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable():
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _code(code: RepositoryCode) -> str:
    if code.kind == "hook":
        return f"  hook {plain(code.name)}: {quoted(code.text)} ({code.digest[:19]}…)"
    return f"  {plain(code.name)}: {plain(code.text)}"


def _command(command: ShownCommand) -> str:
    lines = [f"  {plain(command.name)}: {' '.join(map(quoted, command.argv))}"]
    writes = ", ".join(f"{plain(path)} ({kind})" for kind, path in sorted(command.reports.items()))
    lines.append(f"    at most {command.timeout_s} s" + (f"; writes {writes}" if writes else ""))
    if command.inputs:
        lines.append(f"    depends on {', '.join(map(plain, command.inputs))}")
    return "\n".join(lines)


def _count(commands: CommandTable) -> str:
    number = len(commands.commands)
    return f"{number} command{'' if number == 1 else 's'}"
