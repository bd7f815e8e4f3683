"""How things reach the terminal: data to stdout, everything else to stderr.

Data that is piped is UTF-8 whatever the locale; a console that cannot show a character gets a `?` for it. Whatever a
command prints passes here, so that no secret that lies in a file gets out.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from verifflowcc.cli.terminal import around_marks, colored, has_unicode, revealed
from verifflowcc.errors import WorkspaceError


def emit(text: str, *, withheld: bool = False) -> None:
    """Write data to stdout, ending with one newline, with a word in the place of each secret.

    A terminal gets nothing that could steer it, a pipe what there is. `withheld` says that the text was made without
    secrets. Raises BrokenPipeError where the reader has gone, WorkspaceError where stdout cannot take it.
    """
    shown = text if withheld else without_secrets(text)
    if sys.stdout.isatty():
        shown = revealed(_printable(shown if withheld else colored(shown, sys.stdout)))
    try:
        write(sys.stdout, shown if shown.endswith("\n") else shown + "\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon(sys.stdout)
        raise WorkspaceError(f"cannot write to stdout: {error.strerror or error}") from error


def emit_lines(lines: Sequence[str]) -> None:
    """Write lines to stdout, without what a word in an item could do to a terminal."""
    emit(_printable("\n".join(lines)))


def emit_json(value: object, output: Path | None = None) -> None:
    """Keep a value as the data of the command's document, which is written once the exit code is known.

    With `output`, the document goes into that file, and stdout names it.
    """
    from verifflowcc.cli import document

    document.keep(value, output)


def without_secrets(text: str) -> str:
    """Return a text with a word in the place of each secret, for what is written to a file as to stdout."""
    from verifflowcc.text.secrets import withhold

    return withhold(text)


def say(text: str) -> None:
    """Write a message for the person to stderr; what a name in it could do to a terminal is written out."""
    shown = revealed(_printable(colored(without_secrets(text), sys.stderr)))
    try:
        write(sys.stderr, shown if shown.endswith("\n") else shown + "\n")
    except OSError:
        abandon(sys.stderr)  # there is nowhere left to tell it; the exit code still does


def plain(text: str) -> str:
    """Return a text without secrets and without what could steer a terminal."""
    return _printable(without_secrets(text))


def warn(text: str) -> None:
    """Write a warning for the person to stderr."""
    say(f"warning: {text}")


def write(stream: TextIO, text: str) -> None:
    """Write `text` so that no console and no pipe can fail on a character, and at once, so that streams keep order."""
    encoding = stream.encoding or "ascii"
    buffer = getattr(stream, "buffer", None)
    if has_unicode(stream) or buffer is None:
        stream.write(text.encode("utf-8", "replace").decode("utf-8"))
    elif stream.isatty():
        stream.write(text.encode(encoding, "replace").decode(encoding))
    else:
        stream.flush()
        buffer.write(text.encode("utf-8", "replace"))
    stream.flush()


def abandon(stream: TextIO) -> None:
    """Point a stream that takes nothing any more elsewhere, so that Python does not complain about it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _printable(text: str) -> str:
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    from verifflowcc.text.invisible import printable

    return around_marks(text, printable)


def person_is_looking() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr.isatty()
