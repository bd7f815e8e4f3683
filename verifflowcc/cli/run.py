"""Run the command line: the one place where an error becomes a message and an exit code."""

import sys

from verifflowcc.errors import VfccError

USAGE = 2
ERROR = 3
INTERRUPTED = 130
NARROW = 52


def run(arguments: list[str]) -> int:
    """Run `vfcc` with `arguments` and return the exit code."""
    from verifflowcc.cli.output import say

    try:
        code = _invoke(arguments)
        sys.stdout.flush()
    except VfccError as error:
        say(_sentence(error))
        return error.exit_code
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _leave_pipe()
        return 0
    except OSError as error:
        say(f"error: {error.filename or 'the system'}: {error.strerror or error}")
        return ERROR
    return code


def _invoke(arguments: list[str]) -> int:
    import typer

    from verifflowcc.cli.app import app
    from verifflowcc.cli.output import say

    try:
        result = app(arguments, prog_name="vfcc", standalone_mode=False, terminal_width=_help_width())
    except typer.Abort:
        say("aborted")
        return INTERRUPTED
    except typer.Exit as stop:
        return stop.exit_code
    except typer.TyperException as error:
        from verifflowcc.cli.usage import told

        say(told(error, arguments))
        return USAGE
    return result if isinstance(result, int) else 0


def _help_width() -> int | None:
    """A narrow terminal's width, since typer wraps help at 50 columns even there; None leaves it to typer."""
    from shutil import get_terminal_size

    columns = get_terminal_size().columns
    return max(columns - 2, 20) if columns < NARROW else None


def _sentence(error: VfccError) -> str:
    lines = error.message.split("\n")
    text = "\n".join(f"  {line}" if line.startswith("-") else f"error: {line}" for line in lines)
    return f"{text}\nhint: {error.hint}" if error.hint else text


def _leave_pipe() -> None:
    """Whoever read our output has gone; point stdout elsewhere, so that Python does not complain at exit."""
    import os

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
