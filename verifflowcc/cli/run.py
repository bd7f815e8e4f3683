"""Run the command line: the one place where an error becomes a message, a document and an exit code."""

import sys
from collections.abc import Callable
from contextlib import suppress

from verifflowcc.errors import VfccError
from verifflowcc.services.documents.envelope import Problem, problem_of

CRASH = 1
USAGE = 2
ERROR = 3
INTERRUPTED = 130
NARROW = 52


def run(arguments: list[str]) -> int:
    """Run `vfcc` with `arguments` and return the exit code."""
    from verifflowcc.cli import document

    document.begin(arguments)
    try:
        code, problem = _outcome(lambda: _invoke(arguments))
    except Exception as error:
        with suppress(Exception):
            document.finish(CRASH, Problem("crash", f"{type(error).__name__}: {error}"))
        raise
    written, _ = _outcome(lambda: document.finish(code, problem))
    return written or code


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


def _invoke(arguments: list[str]) -> int:
    from verifflowcc.cli.at_once import answered

    if answered(arguments):
        return 0
    import typer

    from verifflowcc.cli import document
    from verifflowcc.cli.app import app
    from verifflowcc.cli.output import say

    try:
        width = _help_width()
        result = app(arguments, prog_name="vfcc", standalone_mode=False, terminal_width=width, obj=tuple(arguments))
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
        raise usage_error(error, arguments) from None
    if result == INTERRUPTED:
        say("interrupted")
    return result if isinstance(result, int) else 0


def _help_width() -> int | None:
    """A narrow terminal's width, since typer wraps help at 50 columns even there; None leaves it to typer."""
    from shutil import get_terminal_size

    columns = get_terminal_size().columns
    return max(columns - 2, 20) if columns < NARROW else None
