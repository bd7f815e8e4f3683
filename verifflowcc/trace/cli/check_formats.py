"""The formats of a check's findings, and the options that every check has."""

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from verifflowcc.base.model.findings import Catalogue
    from verifflowcc.base.model.trace_values import TraceReport
    from verifflowcc.base.use.envelope import Problem


FINDINGS = 1


class FindingsFormat(StrEnum):
    """What the findings are written as."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


def chosen(given: FindingsFormat | None, *, as_json: bool) -> FindingsFormat:
    """Return the format that was asked for, text by default.

    Raises TyperException where two were.
    """
    if as_json and given not in {None, FindingsFormat.JSON}:
        raise typer.TyperException(f"--json and --format {given} are two formats; give one")
    return FindingsFormat.JSON if as_json else given or FindingsFormat.TEXT


def report_text(form: str, report: "TraceReport", prefix: str, of: "Catalogue") -> str:
    """Return a report as `sarif`, `junit` or `github` annotations.

    `prefix` is the folder of the project in its repository. `of` has the codes of the check.
    """
    if form == "sarif":
        from verifflowcc import __version__
        from verifflowcc.trace.rules.sarif_write import sarif_text

        return sarif_text(report, __version__, prefix, of)
    if form == "junit":
        from verifflowcc.trace.rules.findings_formats import junit_text

        return junit_text(report, of)
    from verifflowcc.trace.rules.findings_formats import annotations

    return annotations(report.findings, prefix, of)


def problem_in(report: "TraceReport", exit_code: int) -> "Problem":
    """Return the problem to report, for a check with an exit code other than 0."""
    from verifflowcc.base.model.trace_values import Severity
    from verifflowcc.base.use.envelope import Problem, problem_with

    if exit_code != FINDINGS:
        return problem_with(exit_code)
    found = Counter(each.severity for each in report.findings)
    errors, warnings = found[Severity.ERROR], found[Severity.WARNING]
    return Problem("findings", f"errors: {errors}, warnings: {warnings}")
