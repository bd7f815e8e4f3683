"""Where a command writes its reports."""

from verifflowcc.domain.evidence import Command
from verifflowcc.domain.gates import REPORTS
from verifflowcc.text.placeholders import fill, placeholders

REPORT_FOLDER = ".memory/local/reports"


def report_path(command: Command, kind: str) -> str | None:
    """Return where the command writes the report of that kind, relative to the project's root.

    None where it neither names a path for it nor has its placeholder in a word.

    >>> report_path(Command("test", ("pytest", "--junitxml={junit}"), 600, {}), "junit")
    '.memory/local/reports/test.junit.xml'
    """
    given = command.reports.get(kind)
    if given is not None or not any(kind in placeholders(word) for word in command.argv):
        return given
    return f"{REPORT_FOLDER}/{command.name}.{kind}.{REPORTS[kind].ending}"


def report_paths(command: Command) -> dict[str, str]:
    """Return the path of each report that the command writes, by kind."""
    return {kind: path for kind in REPORTS if (path := report_path(command, kind)) is not None}


def filled(command: Command) -> tuple[str, ...]:
    """Return the words of the command as they run: with the paths of its reports in place."""
    paths = report_paths(command)
    return tuple(fill(word, paths) for word in command.argv)
