"""What a run of tests left behind, before it is read, and the words of its failures."""

from collections.abc import Sequence

from verifflowcc.records import dataclass

_LONGEST = 160


@dataclass(frozen=True, slots=True)
class RunText:
    """A run's report and output, its exit code (None where it did not end) and why it did not end.

    A framework that writes its results to the terminal has its whole output as the report.
    """

    report: str
    output: str
    exit_code: int | None
    failure: str
    duration_ms: int = 0


def clipped(words: str) -> str:
    """Return a message on one line, at most 160 characters long."""
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def first_error(text: str) -> str:
    """Return the line that pytest marks as the error, else the first that names one, else the last with words."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    marked = next((line[1:].strip() for line in lines if line.startswith("E  ")), "")
    if marked:
        return marked
    return next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")


def has_words(argv: Sequence[str], *words: str) -> bool:
    """Say whether these words follow one another in a command, a path counting by its last part.

    >>> has_words(["/usr/bin/go", "test", "./..."], "go", "test"), has_words(["go", "vet"], "go", "test")
    (True, False)
    """
    names = [word.rpartition("/")[2] for word in argv]
    count = len(words)
    return any(tuple(names[start : start + count]) == words for start in range(len(names) - count + 1))
