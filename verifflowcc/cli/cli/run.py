"""Run the command line: the one place where an error becomes a message, a document and an exit code."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from verifflowcc import __version__
from verifflowcc.base.errors import GateClosed, VfccError
from verifflowcc.base.terminal.terminal import is_verbose, wants_color

if TYPE_CHECKING:
    from verifflowcc.base.use.document_form import Problem

# Command lines that are answered without typer, which takes longer to build its commands than they take to answer.
#
# Only plain ones: full names of options, each value behind its name. All others, and all that could be wrong, go to
# typer, which reads these in the same way and says what is wrong with those.

SEARCH = {
    "": "question",
    "--all": True,
    "--explain": True,
    "--no-model": True,
    "--json": True,
    "--scope": "once",
    "--as-of": "once",
    "--limit": "number",
    "--type": "repeated",
    "--file": "repeated",
}
"""What a command takes: its one argument under the empty name, and its options, each with the form of its value."""

CODE: Mapping[str, Mapping[str, object]] = {
    "find": {"": "symbol", "--kind": "once", "--limit": "number", "--json": True},
    "file": {"": "path", "--json": True},
    "refs": {"": "symbol", "--kind": "once", "--all": True, "--json": True},
    "map": {"--budget": "number", "--json": True},
    "context": {"": "task", "--budget": "number", "--tests": True, "--explain": True, "--json": True},
    "impact": {"": "symbol", "--diff": True, "--format": "once", "--json": True},
    "index": {"--json": True},
    "status": {"--json": True},
}
_NAMES = {"--all": "everything", "--json": "as_json", "--type": "types", "--file": "files"}
"""What an option is called where it is not called as it is written."""
_LONGEST_NUMBER = 9


def answered(arguments: list[str]) -> bool:
    """Answer a plain command line; return False where it is for typer. Raises as the command does."""
    if arguments == ["status"]:
        return _drawn()
    plain = [word for word in arguments if word != "--full"]  # `cli/document.py` reads it
    if "_VFCC_COMPLETE" in os.environ or len(plain) < 2:
        return False
    group, command, *words = plain
    if (group, command) == ("memory", "search"):
        return _searched(words)
    return group == "code" and command in CODE and _asked(command, words)


def called(arguments: list[str]) -> int | None:
    """Run the command of a plain command line that anyone may run, and return its exit code.

    None for all others, of which nothing was run.
    """
    from verifflowcc.cli.cli.command_places import COMMANDS

    if "_VFCC_COMPLETE" in os.environ or not arguments or arguments[0] not in COMMANDS or arguments[0] == "help":
        return None
    from verifflowcc.base.model.command_classes import CI_TOO, PERSON, class_with
    from verifflowcc.base.model.lazy import load
    from verifflowcc.base.terminal import declared

    function, below, words = declared.find(load(COMMANDS[arguments[0]]), arguments[1:])
    read = declared.plain_values(function, words) if function else None
    if not function or not read:
        return None
    values, options = read
    if class_with(f"{arguments[0]} {below}".strip(), set(options)) in (CI_TOO, PERSON):
        return None
    result = function(**values)
    return result if isinstance(result, int) else 0


def _drawn() -> bool:
    """Draw the board, where a person looks; the text is for `fast/`, and for the full command."""

    if "_VFCC_COMPLETE" in os.environ or not wants_color():
        return False
    from verifflowcc.cli.cli.board import show_board

    show_board()
    return True


def _searched(words: list[str]) -> bool:
    given = given_words(SEARCH, words)
    if given is None:
        return False
    from verifflowcc.memory.cli.memory_searching import answer

    answer(**given)  # type: ignore[arg-type]
    return True


def _asked(command: str, words: list[str]) -> bool:
    given = given_words(CODE[command], words)
    if given is None:
        return False
    from verifflowcc.cli.cli import code_answers

    getattr(code_answers, f"answer_{command}")(**given)
    return True


def given_words(takes: Mapping[str, object], words: list[str]) -> Mapping[str, object] | None:
    """Return the argument and the options of a command by name; None where they are not plain.

    >>> given_words(SEARCH, ["why sqlite", "--type", "decision", "--json"])
    {'question': 'why sqlite', 'types': ['decision'], 'as_json': True}
    """
    given: dict[str, object] = {}
    left = iter(words)
    for word in left:
        option = word if word.startswith("-") else ""
        form = takes.get(option)
        if form is None:
            return None
        name = str(form) if not option else _NAMES.get(option) or option[2:].replace("-", "_")
        if form is True:
            given[name] = True
            continue
        value = next(left, "-") if option else word
        if value.startswith("-") or (form != "repeated" and name in given):
            return None
        if form == "repeated":
            known = given.setdefault(name, [])
            assert isinstance(known, list)
            known.append(value)
        elif form == "number":
            if not _is_number(value):
                return None
            given[name] = int(value)
        else:
            given[name] = value
    return given if "" not in takes or str(takes[""]) in given else None


def _is_number(text: str) -> bool:
    """Return whether a text is a whole number from 1 up; typer reports others."""
    return text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER and int(text) > 0


# How an error is shown: the fault, then `hint:` with a command; at a terminal, a closed gate is a panel.


def error_text(error: VfccError) -> str:
    """Return an error as it is written to stderr."""
    head, *rest = error.message.split("\n")
    if isinstance(error, GateClosed) and rest and wants_color(sys.stderr):
        from verifflowcc.base.terminal.gate_panels import refusal_panel

        text = refusal_panel(head, [line.removeprefix("- ") for line in rest], sys.stderr)
    else:
        text = "\n".join(f"  {line}" if line.startswith("- ") else f"error: {line}" for line in (head, *rest))
    return f"{text}\nhint: {error.hint}" if error.hint else text


CRASH = 1
USAGE = 2
ERROR = 3
INTERRUPTED = 130
NARROW = 52


def run(words: list[str], typed: list[str]) -> int:
    """Run `vfcc` with `words`, the command line that was `typed` without the options before its command.

    Returns the exit code.
    """
    from verifflowcc.base.model.command_words import spelled_today
    from verifflowcc.base.terminal import output as out

    arguments, old = spelled_today(words)
    before = typed[: len(typed) - len(words)]
    out.begin(arguments)
    if old:
        _note_rename(old)
    started = time.monotonic()
    try:
        code, problem = _outcome(lambda: _with_progress(arguments, before))
    except Exception as error:
        with suppress(Exception):
            out.finish(CRASH, _problem("crash", f"{type(error).__name__}: {error}"), _emit_document)
        raise
    written, _ = _outcome(lambda: out.finish(code, problem, _emit_document))
    if is_verbose():
        _note_end(written or code, time.monotonic() - started)
    return written or code


def _problem(code: str, message: str) -> "Problem":
    from verifflowcc.base.use.document_form import Problem

    return Problem(code, message)


def _emit_document(text: str) -> None:
    from verifflowcc.base.terminal.output import emit

    emit(text, withheld=True)


def _note_rename(old: str) -> None:
    from verifflowcc.base.model.command_words import LAST, RENAMED
    from verifflowcc.base.terminal.output import note

    first, second = old.split()
    today, needed = RENAMED[first, second]
    words = " ".join(filter(None, (*today, needed)))
    note(f"`vfcc {old}` is now `vfcc {words}`; the old spelling will be removed in {LAST}")


def _note_end(code: int, seconds: float) -> None:
    """With --verbose: which version ran, on which project, how it ended and how long it took."""
    from verifflowcc.base.terminal.output import note
    from verifflowcc.base.use.workspace import find_workspace

    with suppress(VfccError, OSError):
        workspace = find_workspace()
        where = f"project {workspace.root}" if workspace else "no project"
        note(f"vfcc {__version__}, {where}: exit {code} after {seconds:.1f} s")


def _outcome(step: Callable[[], int | None]) -> "tuple[int, Problem | None]":
    """Take a step and return its exit code; an error becomes a message on stderr, and what a program reads of it."""
    from verifflowcc.base.terminal.output import abandon, say

    try:
        return step() or 0, None
    except VfccError as error:
        from verifflowcc.base.use.document_form import problem_of

        say(error_text(error))
        return error.exit_code, problem_of(error)
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED, None
    except BrokenPipeError:
        abandon(sys.stdout)
        return 0, None
    except OSError as error:
        if error.filename is None:
            abandon(sys.stdout)
        reason = f"{error.filename or 'the system'}: {error.strerror or error}"
        say(f"error: {reason}")
        return ERROR, _problem("system", reason)


def _with_progress(arguments: list[str], before: list[str]) -> int:
    """Run the command; at a terminal, show how far it is."""
    from verifflowcc.base.terminal.output import person_is_looking

    if not person_is_looking():
        return _invoke(arguments, before)
    from verifflowcc.cli.cli.progress import shown

    with shown(arguments):
        return _invoke(arguments, before)


def _invoke(arguments: list[str], before: list[str]) -> int:
    try:
        if answered(arguments):
            return 0
        code = called(arguments)
        return _parsed(arguments, before) if code is None else code
    except (VfccError, OSError):
        raise
    except Exception as error:
        from verifflowcc.base.terminal.declared import Exit

        if isinstance(error, Exit):
            return error.exit_code
        code = _typer_fault(error, arguments)
        if code is None:
            raise
        return code


def _typer_fault(error: Exception, arguments: list[str]) -> int | None:
    """Return the exit code of a fault that typer knows, or raise it as one of ours; None for any other."""
    from verifflowcc.base.terminal import output as document
    from verifflowcc.base.terminal.output import say

    if isinstance(error, EOFError):
        say("")
    elif "typer" not in sys.modules:
        return None
    import typer

    if isinstance(error, (typer.Abort, EOFError)):
        say("aborted")
        document.explain(_problem("aborted", "the question was not answered with yes"))
        return INTERRUPTED
    if not isinstance(error, typer.TyperException):
        return None
    from verifflowcc.cli.cli.app import whole_app
    from verifflowcc.cli.cli.usage import help_instead, usage_error

    if shown := help_instead(error):
        say(shown)
        return USAGE
    raise usage_error(typer.main.get_command(whole_app()), error, arguments) from None


def _parsed(arguments: list[str], before: list[str]) -> int:
    """Run a command line as typer reads it."""
    from verifflowcc.base.terminal.output import say
    from verifflowcc.cli.cli.app import app_for

    try:
        width = _help_width()
        result = app_for(arguments)(
            arguments, prog_name="vfcc", standalone_mode=False, terminal_width=width, obj=(*before, *arguments)
        )
    except SystemExit as stop:
        # typer leaves so after printing a completion script, and with 1 where its own output meets a closed pipe
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        raise
    if result == INTERRUPTED:
        say("interrupted")
    return result if isinstance(result, int) else 0


def _help_width() -> int | None:
    """A narrow terminal's width, since typer wraps help at 50 columns even there; None leaves it to typer."""
    from shutil import get_terminal_size

    columns = get_terminal_size().columns
    return max(columns - 2, 20) if columns < NARROW else None
