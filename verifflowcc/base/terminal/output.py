"""How things reach the terminal: data to stdout, everything else to stderr.

Data that is piped is UTF-8 whatever the locale; a console that cannot show a character gets a `?` for it. Whatever a
command prints passes here, so that no secret that lies in a file gets out.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from verifflowcc.base.errors import UsageError, VfccError, WorkspaceError
from verifflowcc.base.records import dataclass
from verifflowcc.base.terminal.terminal import (
    UNBOUNDED,
    around_marks,
    colored,
    has_unicode,
    is_quiet,
    revealed,
    visible,
    wants_color,
    width_of,
)
from verifflowcc.base.text.hidden_text import printable
from verifflowcc.base.text.secrets import withhold

if TYPE_CHECKING:
    from verifflowcc.base.use.document_form import Problem

# The document of the command that runs: whether one is asked for, its data, and how it is written at the end.
#
# Data is kept and not printed at once, since whether the document is `ok` follows from the exit code. What is kept
# here lasts as long as one command: `begin` forgets what was before.

WRITTEN_AS_JSON = (("check",), ("trace", "matrix"))
"""Commands whose `--format json` is the document; that of other commands is a format of its own."""


@dataclass(slots=True)
class _Command:
    """What is known of the command's document so far."""

    wanted: bool = False
    full: bool = False
    has_data: bool = False
    data: object = None
    problem: "Problem | None" = None
    output: Path | None = None


_COMMAND = _Command()


def begin(arguments: Sequence[str]) -> None:
    """Forget what was kept, and read from the command line whether a document is asked for, and how much of it.

    Read here, since a command line that does not parse gets a document too.
    """
    words = tuple(takewhile(lambda word: word != "--", arguments))
    by_format = any(words[: len(names)] == names for names in WRITTEN_AS_JSON) and _asks_format(words)
    _COMMAND.wanted = words[:1] != ("hook",) and ("--json" in words or by_format)
    _COMMAND.full = "--full" in words
    _COMMAND.has_data, _COMMAND.data, _COMMAND.problem, _COMMAND.output = False, None, None, None


def _asks_format(words: tuple[str, ...]) -> bool:
    return "--format=json" in words or ("--format", "json") in pairwise(words)


def keep(data: object, output: Path | None) -> None:
    """Keep the data of the document, and the file that it goes into."""
    _COMMAND.has_data, _COMMAND.data, _COMMAND.output = True, data, output


def explain(problem: "Problem") -> None:
    """Keep why the command is going to end with an exit code of its own, for the document."""
    _COMMAND.problem = problem


def wanted() -> bool:
    """Whether the command ends with a document."""
    return _COMMAND.wanted or _COMMAND.has_data


def finish(exit_code: int, problem: "Problem | None", write: Callable[[str], None]) -> None:
    """Pass the document of a command that ended to `write`, if one is asked for; `problem` is the error that ended it.

    Raises VfccError where the file cannot take it, and what `write` raises.
    """
    if not wanted():
        return
    # What forms a document has a table of all classes; most commands end without one.
    from verifflowcc.base.use.document_form import NOTHING, problem_with

    found = problem or _COMMAND.problem or (problem_with(exit_code) if exit_code else None)
    data = _COMMAND.data if _COMMAND.has_data else NOTHING
    if _COMMAND.output is not None:
        _write_file(_COMMAND.output, data, found, write)
        data = {"output": _COMMAND.output.as_posix()}
    write(_text(data, found))


def _write_file(path: Path, data: object, problem: "Problem | None", write: Callable[[str], None]) -> None:
    from verifflowcc.base.files.text_files import write_given
    from verifflowcc.base.use.document_form import NOTHING, document, document_text, problem_of

    try:
        write_given(path, document_text(document(data, problem, full=_COMMAND.full)) + "\n")
    except VfccError as error:
        write(_text(NOTHING, problem_of(error)))
        raise


def _text(data: object, problem: "Problem | None") -> str:
    from verifflowcc.base.use.document_form import document, document_text

    return document_text(document(data, problem, full=_COMMAND.full), indent=sys.stdout.isatty())


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

    keep(value, output)


def without_secrets(text: str) -> str:
    """Return a text with a word in the place of each secret, for what is written to a file as to stdout."""

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
    if not is_quiet():
        say(f"note: {text}")


def progress(text: str) -> None:
    """Write to stderr what begins now, unless --quiet is given."""
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

    return around_marks(text, printable)


def person_is_looking() -> bool:
    """Whether stderr is a terminal, and shows more than errors and warnings: --quiet is not given."""
    return sys.stderr.isatty() and not is_quiet()


def read_stdin() -> str:
    """Return the text on stdin. Raises UsageError where it is not UTF-8."""

    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"stdin is not UTF-8 at byte {error.start}") from error


# Lines folded between words to the terminal's width, and how many fit; in a pipe they stay as they are.

SCREEN = 40
"""The most lines of a page that is to be read at one glance; a terminal with fewer rows gets fewer."""
LONGEST = 150
"""Characters of a sentence on such a page; the whole list has all of it."""
_LEAST = 23
_PROMPT = 1


def screen_lines() -> int:
    """Return how many lines of stdout a person sees at once, above the next prompt; `SCREEN` in a pipe."""
    if not sys.stdout.isatty():
        return SCREEN
    try:
        rows = os.get_terminal_size(sys.stdout.fileno()).lines
    except OSError:
        return SCREEN
    return min(SCREEN, max(_LEAST, rows - _PROMPT)) if rows else SCREEN


def height(text: str) -> int:
    """Return how many rows of stdout a text takes: a terminal breaks a line with a word that is too long."""
    width = width_of(sys.stdout)
    return sum(max(1, -(-len(line) // width)) for line in visible(text).split("\n"))


def shortened(sentence: str) -> str:
    """Return a sentence of at most `LONGEST` characters, cut between words."""
    if len(sentence) <= LONGEST:
        return sentence
    return f"{sentence[: LONGEST - 2].rpartition(' ')[0].rstrip(',;:')} …"


def cut(line: str) -> str:
    """Return `line` cut to the width of stdout, with a mark where something is missing."""
    width = width_of(sys.stdout)
    return line if len(line) <= width else f"{without_secrets(line)[: width - 1].rstrip()}…"


def folded(line: str, hang: int) -> str:
    """Return `line` folded to the width of stdout, further lines indented by `hang` columns; no word is cut."""
    width = width_of(sys.stdout)
    if width >= UNBOUNDED or len(line) <= width:
        return line
    import textwrap

    return textwrap.fill(
        without_secrets(line),
        width,
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )


def part(heading: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield an empty line, a heading and folded lines below it; nothing where there are no lines."""
    if lines:
        yield ""
        yield heading
        yield from (folded(f"  {line}", 4) for line in lines)
