"""The document of the command that runs: whether one is asked for, its data, and how it is written at the end.

Data is kept and not printed at once, since whether the document is `ok` follows from the exit code. What is kept here
lasts as long as one command: `begin` forgets what was before.
"""

import sys
from collections.abc import Callable, Sequence
from itertools import pairwise, takewhile
from pathlib import Path

from verifflowcc.errors import VfccError
from verifflowcc.records import dataclass
from verifflowcc.services.documents.envelope import NOTHING, Problem, document, document_text, problem_of, problem_with

WRITTEN_AS_JSON = (("check",), ("trace", "matrix"))
"""Commands whose `--format json` is the document; that of other commands is a format of its own."""


@dataclass(slots=True)
class _Command:
    """What is known of the command's document so far."""

    wanted: bool = False
    full: bool = False
    data: object = NOTHING
    problem: Problem | None = None
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
    _COMMAND.data, _COMMAND.problem, _COMMAND.output = NOTHING, None, None


def _asks_format(words: tuple[str, ...]) -> bool:
    return "--format=json" in words or ("--format", "json") in pairwise(words)


def keep(data: object, output: Path | None) -> None:
    """Keep the data of the document, and the file that it goes into."""
    _COMMAND.data, _COMMAND.output = data, output


def explain(problem: Problem) -> None:
    """Keep why the command is going to end with an exit code of its own, for the document."""
    _COMMAND.problem = problem


def wanted() -> bool:
    """Whether the command ends with a document."""
    return _COMMAND.wanted or _COMMAND.data is not NOTHING


def finish(exit_code: int, problem: Problem | None, write: Callable[[str], None]) -> None:
    """Pass the document of a command that ended to `write`, if one is asked for; `problem` is the error that ended it.

    Raises VfccError where the file cannot take it, and what `write` raises.
    """
    if not wanted():
        return
    found = problem or _COMMAND.problem or (problem_with(exit_code) if exit_code else None)
    data = _COMMAND.data
    if _COMMAND.output is not None:
        _write_file(_COMMAND.output, found, write)
        data = {"output": _COMMAND.output.as_posix()}
    write(_text(data, found))


def _write_file(path: Path, problem: Problem | None, write: Callable[[str], None]) -> None:
    from verifflowcc.adapters.files.text_file import write_given

    try:
        write_given(path, document_text(document(_COMMAND.data, problem, full=_COMMAND.full)) + "\n")
    except VfccError as error:
        write(_text(NOTHING, problem_of(error)))
        raise


def _text(data: object, problem: Problem | None) -> str:
    return document_text(document(data, problem, full=_COMMAND.full), indent=sys.stdout.isatty())
