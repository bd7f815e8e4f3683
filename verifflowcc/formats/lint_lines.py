"""Findings of linters, compilers and type checkers, one a line: `path:line: text`, `path:line:col: text` or
`path(line,col): text`.

Measures: `findings`, and `notes`, lines of that form whose text begins with `note:` and which only explain another.
"""

import re
from collections.abc import Iterator

from verifflowcc.domain.evidence import Measured
from verifflowcc.text.digest import digest_bytes

MOST_EXAMPLES = 20
_LONGEST = 1000
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,40}[A-Za-z]")
_PATH = r"(?:[A-Za-z]:(?=[\\/]))?(?=[^:\n]*[^\W\d])[^\s:(][^:\n]*"
_COLONS = re.compile(rf"{_PATH}:\d+(?::\d+)?(?:-\d+(?::\d+)?)?:\s+(\S.*)")
_BRACKETS = re.compile(r"[^\s(][^(\n]*\(\d+(?:,\s?\d+)*\)\s?:\s+(\S.*)")


def measure_lint(text: str) -> Measured:
    """Return how many lines tell of a finding; other lines (summaries, source, progress) are passed over.

    There is never a `problem`: that the linter ran at all is for its exit code to say.
    """
    found = list(_findings(text))
    findings = [line for line, note in found if not note]
    lines = "".join(f"{line}\n" for line in sorted(findings))
    measures = {"findings": len(findings), "notes": len(found) - len(findings)}
    return Measured(measures, digest_bytes(lines.encode("utf-8", "surrogatepass")), tuple(findings[:MOST_EXAMPLES]))


def _findings(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each finding's line, and whether it is a mere note."""
    for raw in re.split(r"[\r\n]+", text):
        line = _COLOUR.sub("", raw)[:_LONGEST].rstrip()
        match = _COLONS.fullmatch(line) or _BRACKETS.fullmatch(line)
        if match:
            yield line, match[1].lower().startswith("note:")
