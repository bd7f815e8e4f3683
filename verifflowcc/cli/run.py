"""Run the command line: the one place where an error becomes a message and an exit code."""

import sys

from verifflowcc.errors import VfccError

USAGE = 2
ERROR = 3
INTERRUPTED = 130
NARROW = 52


def run(arguments: list[str]) -> int:
    """Run `vfcc` with `arguments` and return the exit code."""
    from verifflowcc.cli.output import abandon, say

    try:
        return _invoke(arguments)
    except VfccError as error:
        say(_sentence(error))
        return error.exit_code
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        abandon(sys.stdout)
        return 0
    except OSError as error:
        if error.filename is None:
            abandon(sys.stdout)
        say(f"error: {error.filename or 'the system'}: {error.strerror or error}")
        return ERROR


def _invoke(arguments: list[str]) -> int:
    from verifflowcc.cli.at_once import answered

    if answered(arguments):
        return 0
    import typer

    from verifflowcc.cli.app import app
    from verifflowcc.cli.output import say

    try:
        width = _help_width()
        result = app(arguments, prog_name="vfcc", standalone_mode=False, terminal_width=width, obj=tuple(arguments))
    except typer.Abort:
        say("aborted")
        return INTERRUPTED
    except SystemExit as stop:
        # typer leaves so after printing a completion script, and with 1 where its own output meets a closed pipe
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        raise
    except typer.TyperException as error:
        from verifflowcc.cli.usage import told

        say(told(error, arguments))
        return USAGE
    if result == INTERRUPTED:
        say("interrupted")
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
