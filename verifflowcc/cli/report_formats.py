"""In which format a check writes its findings, and those of the formats that every check has."""

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from verifflowcc.domain.catalogue import Catalogue
    from verifflowcc.domain.trace import TraceReport
    from verifflowcc.services.documents.envelope import Problem

FINDINGS = 1


class Format(StrEnum):
    """What the findings are written as."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"


def chosen(given: Format | None, *, as_json: bool) -> Format:
    """Return the format that was asked for, text where none was. Raises TyperException where two were."""
    if as_json and given not in {None, Format.JSON}:
        raise typer.TyperException(f"--json and --format {given} are two formats; give one")
    return Format.JSON if as_json else given or Format.TEXT


def report_text(form: str, report: "TraceReport", prefix: str, of: "Catalogue") -> str:
    """Return a report as `sarif`, `junit` or `github` annotations; `prefix` is the folder of the project in its
    repository.

    `of` has the codes of the check.
    """
    if form == "sarif":
        from verifflowcc import __version__
        from verifflowcc.formats.sarif_write import sarif_text

        return sarif_text(report, __version__, prefix, of)
    if form == "junit":
        from verifflowcc.formats.junit_write import junit_text

        return junit_text(report, of)
    from verifflowcc.formats.github_annotations import annotations

    return annotations(report.findings, prefix, of)


def problem_in(report: "TraceReport", exit_code: int) -> "Problem":
    """Return what a program reads of a check that ended with an exit code other than 0."""
    from verifflowcc.domain.trace import Severity
    from verifflowcc.services.documents.envelope import Problem, problem_with

    if exit_code != FINDINGS:
        return problem_with(exit_code)
    found = Counter(each.severity for each in report.findings)
    errors, warnings = found[Severity.ERROR], found[Severity.WARNING]
    return Problem("findings", f"errors: {errors}, warnings: {warnings}")
