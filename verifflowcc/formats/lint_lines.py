"""Findings of linters, compilers and type checkers, one a line: `path:line: text`, `path:line:col: text` or
`path(line,col): text`.

Measures: `findings`, and `notes`, lines of that form whose text begins with `note:` and which only explain another;
with a baseline `listed_findings`, those that it lists.
"""

import re
from collections import Counter
from collections.abc import Iterator

from verifflowcc.domain.evidence import Measured
from verifflowcc.text.canonical import digest_bytes

MOST_EXAMPLES = 20
_LONGEST = 1000
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,40}[A-Za-z]")
_PATH = r"(?:[A-Za-z]:(?=[\\/]))?(?=[^:\n]*[^\W\d])[^\s:(][^:\n]*"
_COLONS = re.compile(rf"{_PATH}:\d+(?::\d+)?(?:-\d+(?::\d+)?)?:\s+(\S.*)")
_PLACE = re.compile(rf"^({_PATH})(?::\d+(?::\d+)?(?:-\d+(?::\d+)?)?:|\(\d+(?:,\s?\d+)*\)\s?:)\s+")
_BRACKETS = re.compile(r"[^\s(][^(\n]*\(\d+(?:,\s?\d+)*\)\s?:\s+(\S.*)")


def measure_lint(text: str, baseline: Counter[str] | None = None) -> Measured:
    """Return how many lines report a finding; other lines (summaries, source, progress) are passed over.

    `baseline` has the keys of findings that a person accepted, and how often. There is never a `problem`: whether the
    linter ran at all is shown by its exit code.
    """
    found = list(_findings(text))
    findings = [line for line, note in found if not note]
    lines = "".join(f"{line}\n" for line in sorted(findings))
    measures = {"findings": len(findings), "notes": len(found) - len(findings)}
    left, new, listed = Counter(baseline or {}), list[str](), list[str]()
    for line in findings:
        key = lint_key(line)
        (listed if left[key] > 0 else new).append(line)
        left[key] -= 1
    if baseline:
        measures["listed_findings"] = len(listed)
    examples = (*new, *(f"baseline {line}" for line in listed))
    return Measured(measures, digest_bytes(lines.encode("utf-8", "surrogatepass")), examples[:MOST_EXAMPLES])


def lint_findings(text: str) -> list[tuple[str, str]]:
    """Return key and line of each finding, as a baseline lists them."""
    return [(lint_key(line), line) for line, note in _findings(text) if not note]


def lint_key(line: str) -> str:
    """Return a finding without its line and column, which move with every edit above it.

    >>> lint_key("src/a.py:3:7: E1 too long"), lint_key("src/a.cs(3,7): error")
    ('src/a.py: E1 too long', 'src/a.cs: error')
    """
    return _PLACE.sub(r"\1: ", line, count=1)


def _findings(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each finding's line, and whether it is a mere note."""
    for raw in re.split(r"[\r\n]+", text):
        line = _COLOUR.sub("", raw)[:_LONGEST].rstrip()
        match = _COLONS.fullmatch(line) or _BRACKETS.fullmatch(line)
        if match:
            yield line, match[1].lower().startswith("note:")
