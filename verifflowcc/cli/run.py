"""Run the command line: the one place where an error becomes a message, a document and an exit code."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress

from verifflowcc.errors import VfccError
from verifflowcc.services.documents.envelope import Problem, problem_of

CRASH = 1
USAGE = 2
ERROR = 3
INTERRUPTED = 130
NARROW = 52


def run(words: list[str], typed: list[str]) -> int:
    """Run `vfcc` with `words`, the command line that was `typed` without the options before its command.

    Returns the exit code.
    """
    from verifflowcc.cli import options as verbosity
    from verifflowcc.cli import output as document
    from verifflowcc.domain.command_words import spelled_today

    arguments, old = spelled_today(words)
    before = typed[: len(typed) - len(words)]
    document.begin(arguments)
    if old:
        _note_rename(old)
    started = time.monotonic()
    try:
        code, problem = _outcome(lambda: _with_progress(arguments, before))
    except Exception as error:
        with suppress(Exception):
            document.finish(CRASH, Problem("crash", f"{type(error).__name__}: {error}"), _emit_document)
        raise
    written, _ = _outcome(lambda: document.finish(code, problem, _emit_document))
    if verbosity.is_verbose():
        _note_end(written or code, time.monotonic() - started)
    return written or code


def _emit_document(text: str) -> None:
    from verifflowcc.cli.output import emit

    emit(text, withheld=True)


def _note_rename(old: str) -> None:
    from verifflowcc.cli.output import note
    from verifflowcc.domain.command_words import LAST, RENAMED

    first, second = old.split()
    today, needed = RENAMED[first, second]
    words = " ".join(filter(None, (*today, needed)))
    note(f"`vfcc {old}` is now `vfcc {words}`; the old spelling will be removed in {LAST}")


def _note_end(code: int, seconds: float) -> None:
    """With --verbose: which version ran, on which project, how it ended and how long it took."""
    from verifflowcc import __version__
    from verifflowcc.cli.output import note
    from verifflowcc.services.workspace import find_workspace

    with suppress(VfccError, OSError):
        workspace = find_workspace()
        where = f"project {workspace.root}" if workspace else "no project"
        note(f"vfcc {__version__}, {where}: exit {code} after {seconds:.1f} s")


def _outcome(step: Callable[[], int | None]) -> tuple[int, Problem | None]:
    """Take a step and return its exit code; an error becomes a message on stderr, and what a program reads of it."""
    from verifflowcc.cli.output import abandon, say

    try:
        return step() or 0, None
    except VfccError as error:
        from verifflowcc.cli.error_views import error_text

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
        return ERROR, Problem("system", reason)


def _with_progress(arguments: list[str], before: list[str]) -> int:
    """Run the command; at a terminal, show how far it is."""
    from verifflowcc.cli.output import person_is_looking

    if not person_is_looking():
        return _invoke(arguments, before)
    from verifflowcc.cli.progress import shown

    with shown(arguments):
        return _invoke(arguments, before)


def _invoke(arguments: list[str], before: list[str]) -> int:
    from verifflowcc.cli.at_once import answered

    if answered(arguments):
        return 0
    import typer

    from verifflowcc.cli import output as document
    from verifflowcc.cli.app import app
    from verifflowcc.cli.output import say

    try:
        width = _help_width()
        result = app(
            arguments, prog_name="vfcc", standalone_mode=False, terminal_width=width, obj=(*before, *arguments)
        )
    except typer.Abort:
        say("aborted")
        document.explain(Problem("aborted", "the question was not answered with yes"))
        return INTERRUPTED
    except SystemExit as stop:
        # typer leaves so after printing a completion script, and with 1 where its own output meets a closed pipe
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        raise
    except typer.TyperException as error:
        from verifflowcc.cli.usage import help_instead, usage_error

        if shown := help_instead(error):
            say(shown)
            return USAGE
        raise usage_error(typer.main.get_command(app), error, arguments) from None
    if result == INTERRUPTED:
        say("interrupted")
    return result if isinstance(result, int) else 0


def _help_width() -> int | None:
    """A narrow terminal's width, since typer wraps help at 50 columns even there; None leaves it to typer."""
    from shutil import get_terminal_size

    columns = get_terminal_size().columns
    return max(columns - 2, 20) if columns < NARROW else None
