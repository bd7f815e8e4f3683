"""How things reach the terminal: data to stdout, everything else to stderr.

Data that is piped is UTF-8 whatever the locale; a console that cannot show a character gets a `?` for it. Whatever a
command prints passes here, so that no secret that lies in a file gets out.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TextIO

from verifflowcc.cli.terminal import around_marks, colored, has_unicode, revealed, wants_color
from verifflowcc.errors import WorkspaceError

Paint = Callable[[str], str]
"""Adds colour to a text, and changes nothing else."""


class Drawing(Protocol):
    """What is drawn at the terminal below the output."""

    def hide(self, *, mid_line: bool = False) -> None:
        """Take it away for some output; keep it away while that ends in the middle of a line, as a question does."""


_DRAWINGS: list[Drawing] = []


@contextmanager
def below(drawing: Drawing) -> Iterator[None]:
    """Have a drawing give way to all output inside."""
    _DRAWINGS.append(drawing)
    try:
        yield
    finally:
        _DRAWINGS.remove(drawing)


def emit(text: str, *, withheld: bool = False, raw: bool = False, paint: Paint | None = None) -> None:
    """Write data to stdout, ending with one newline, with a word in the place of each secret.

    It holds nothing that could steer a terminal: names of files can, and what is piped is looked at later. `withheld`
    says that the text was made without secrets, and `raw` that it is what a program wrote; a pipe gets both as they
    are. `paint` adds colour for a person. Raises BrokenPipeError where the reader has gone, WorkspaceError where
    stdout cannot take it.
    """
    shown = text if withheld else without_secrets(text)
    if sys.stdout.isatty():
        shown = _for_terminal(shown, sys.stdout, paint, labels=not withheld)
    elif not (withheld or raw):
        shown = _printable(shown)
    try:
        write(sys.stdout, shown if shown.endswith("\n") else shown + "\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon(sys.stdout)
        raise WorkspaceError(f"cannot write to stdout: {error.strerror or error}") from error


def emit_lines(lines: Sequence[str]) -> None:
    """Write lines to stdout."""
    emit("\n".join(lines))


def emit_json(value: object, output: Path | None = None) -> None:
    """Keep a value as the data of the command's document, which is written once the exit code is known.

    With `output`, the document goes into that file, and stdout names it.
    """
    from verifflowcc.cli.document import keep

    keep(value, output)


def without_secrets(text: str) -> str:
    """Return a text with a word in the place of each secret, for what is written to a file as to stdout."""
    from verifflowcc.text.secrets import withhold

    return withhold(text)


def say(text: str, *, paint: Paint | None = None) -> None:
    """Write a message for the person to stderr; what a name in it could do to a terminal is written out."""
    shown = _for_terminal(without_secrets(text), sys.stderr, paint)
    try:
        write(sys.stderr, shown if shown.endswith("\n") else shown + "\n")
    except OSError:
        abandon(sys.stderr)  # there is nowhere left to tell it; the exit code still does


def with_paint(text: str, stream: TextIO, paint: Paint | None) -> str:
    """Return a text in colour, where the stream takes it."""
    return paint(text) if paint and wants_color(stream) else text


def plain(text: str) -> str:
    """Return a text without secrets and without what could steer a terminal."""
    return _printable(without_secrets(text))


def warn(text: str) -> None:
    """Write a warning for the person to stderr."""
    say(f"warning: {text}")


def note(text: str) -> None:
    """Write a note for the person to stderr, unless --quiet is given."""
    from verifflowcc.cli.verbosity import is_quiet

    if not is_quiet():
        say(f"note: {text}")


def progress(text: str) -> None:
    """Write to stderr what begins now, unless --quiet is given."""
    from verifflowcc.cli.verbosity import is_quiet

    if not is_quiet():
        say(text)


def write(stream: TextIO, text: str) -> None:
    """Write `text` so that no console and no pipe can fail on a character, and at once, so that streams keep order."""
    if _DRAWINGS and stream.isatty():
        _DRAWINGS[-1].hide(mid_line=not text.endswith("\n"))
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


def _for_terminal(text: str, stream: TextIO, paint: Paint | None, *, labels: bool = True) -> str:
    """Return a text without what could steer a terminal, then with its colours: by `paint`, or of its own labels."""
    if paint:
        return with_paint(_printable(text), stream, paint)
    return revealed(_printable(colored(text, stream) if labels else text))


def _printable(text: str) -> str:
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    from verifflowcc.text.invisible import printable

    return around_marks(text, printable)


def person_is_looking() -> bool:
    """Whether stderr is a terminal, and shows more than errors and warnings: --quiet is not given."""
    from verifflowcc.cli.verbosity import is_quiet

    return sys.stderr.isatty() and not is_quiet()


def read_stdin() -> str:
    """Return the text on stdin. Raises UsageError where it is not UTF-8."""
    from verifflowcc.errors import UsageError

    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"stdin is not UTF-8 at byte {error.start}") from error
