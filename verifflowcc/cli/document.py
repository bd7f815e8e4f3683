"""The document of the command that runs: whether one is asked for, its data, and how it is written at the end.

Data is kept and not printed at once, since whether the document is `ok` follows from the exit code. What is kept here
lasts as long as one command: `begin` forgets what was before.
"""

import sys
from collections.abc import Sequence
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


def finish(exit_code: int, problem: Problem | None = None) -> None:
    """Write the document of a command that ended, where one is asked for; `problem` is the error that ended it.

    Raises BrokenPipeError, and VfccError where stdout or the file cannot take it.
    """
    if not wanted():
        return
    found = problem or _COMMAND.problem or (problem_with(exit_code) if exit_code else None)
    data = _COMMAND.data
    if _COMMAND.output is not None:
        _write_file(_COMMAND.output, found)
        data = {"output": _COMMAND.output.as_posix()}
    _print(data, found)


def _write_file(path: Path, problem: Problem | None) -> None:
    from verifflowcc.adapters.files.text_file import write_given

    try:
        write_given(path, document_text(document(_COMMAND.data, problem, full=_COMMAND.full)) + "\n")
    except VfccError as error:
        _print(NOTHING, problem_of(error))
        raise


def _print(data: object, problem: Problem | None) -> None:
    from verifflowcc.cli.output import emit

    shown = document(data, problem, full=_COMMAND.full)
    emit(document_text(shown, indent=sys.stdout.isatty()), withheld=True)
