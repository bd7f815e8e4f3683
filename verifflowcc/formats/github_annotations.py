"""Findings as commands of a GitHub workflow's log, each of which GitHub shows at its line of a change.

The escapes are those of the runner: `%`, CR and LF everywhere, and `:` and `,` in a property too.
"""

from collections.abc import Iterable
from posixpath import join

from verifflowcc.domain.catalogue import TRACE, Catalogue
from verifflowcc.domain.trace import Finding, Severity

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_CONTROL = dict.fromkeys(range(0x20), "\N{REPLACEMENT CHARACTER}") | {ord("\t"): " "}


def annotations(findings: Iterable[Finding], prefix: str = "", of: Catalogue = TRACE) -> str:
    """Return one line for each finding; `prefix` is the folder of the project in its repository, "" at the top.

    A finding that is about no file has no place in its annotation.
    """
    return "".join(f"{_annotation(each, prefix, of)}\n" for each in findings)


def _annotation(finding: Finding, prefix: str, of: Catalogue) -> str:
    title = f"{finding.code}: {of.checks[finding.code].title}" if finding.code in of.checks else finding.code
    properties = {"title": title}
    if finding.path:
        properties = {"file": join(prefix, finding.path), "line": str(max(finding.line, 1)), **properties}
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    message = f"{finding.message}\n→ {finding.step}" if finding.step else finding.message
    return f"::{_LEVELS[finding.severity]} {told}::{_data(message)}"


def _data(text: str) -> str:
    """Escape what would end the line; other control characters could steer a terminal, and are shown as none.

    >>> _data("100 %\\nof it")
    '100 %25%0Aof it'
    """
    parts = text.replace("\r\n", "\n").replace("%", "%25").replace("\r", "%0D").split("\n")
    return "%0A".join(part.translate(_CONTROL) for part in parts)


def _property(text: str) -> str:
    """Escape what would end a property.

    >>> _property("a: b, c")
    'a%3A b%2C c'
    """
    return _data(text).replace(":", "%3A").replace(",", "%2C")
