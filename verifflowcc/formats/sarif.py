"""Findings in SARIF 2.1.0, as analysers write them.

Measures: `runs`; `error`, `warning` and `note`, results of that level that are not suppressed (level `none` is no
finding); `suppressed`, those that are; and, with a baseline, each of these with `listed_` before its name: how many of
them the baseline lists. A log's own comparison with an earlier run (`baselineState`) makes no finding an old one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from verifflowcc.domain.evidence import Measured
from verifflowcc.errors import FormatError
from verifflowcc.formats.report_paths import ProjectPaths
from verifflowcc.formats.sarif_read import LEVELS, Finding, read_log
from verifflowcc.text.canonical import digest_bytes
from verifflowcc.text.secrets import withhold

MOST_EXAMPLES = 20
_LONGEST = 300
_LONGEST_READ = 4_000


def measure_sarif(
    data: bytes, *, baseline: Counter[str] | None = None, paths: frozenset[str] = frozenset()
) -> Measured:
    """Return what a log says; `baseline` has the keys of findings that a person accepted, and how often.

    `paths` are the project's files: with them, a log that names files as they are on one machine (`file:///home/…`) has
    the outcome of a log made elsewhere, and can be compared with it.

    `problem` says why there are no measures: no SARIF 2.1.0, no run, a run that failed or did not look for results.
    """
    try:
        log = read_log(data, ProjectPaths(paths))
    except FormatError as error:
        return Measured({}, "", problem=str(error))
    counted = [each for each in log.findings if not each.suppressed and each.level in LEVELS]
    listed = _listed(counted, baseline or Counter())
    measures = {"runs": log.runs, **_by_level(counted, "")}
    measures["suppressed"] = sum(each.suppressed for each in log.findings)
    if baseline:
        measures |= _by_level([each for each, known in zip(counted, listed, strict=True) if known], "listed_")
    lines = sorted(f"{each.key}\0{each.level}\0{int(each.suppressed)}\n" for each in log.findings)
    outcome = digest_bytes("".join(lines).encode("ascii"))
    return Measured(measures, outcome, tuple(_examples(counted, listed)))


def scan_findings(data: bytes, paths: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield key and line of each finding that counts, as a baseline lists them. Raises FormatError as `read_log`."""
    for each in read_log(data, ProjectPaths(paths)).findings:
        if not each.suppressed and each.level in LEVELS:
            yield each.key, _text(each)


def _by_level(findings: Sequence[Finding], prefix: str) -> dict[str, int]:
    levels = Counter(each.level for each in findings)
    return {f"{prefix}{level}": levels[level] for level in LEVELS}


def _listed(counted: Sequence[Finding], baseline: Counter[str]) -> list[bool]:
    """Say of each finding whether the baseline lists it; of one that occurs more often than there, the first do."""
    left = Counter(baseline)
    found = []
    for each in counted:
        found.append(left[each.key] > 0)
        left[each.key] -= 1
    return found


def _examples(counted: Sequence[Finding], listed: Sequence[bool]) -> Iterator[str]:
    """Yield what no baseline lists first, and the graver level first."""
    order = sorted(range(len(counted)), key=lambda at: (listed[at], LEVELS.index(counted[at].level)))
    for at in order[:MOST_EXAMPLES]:
        old = "baseline " if listed[at] else ""
        yield f"{old}{counted[at].level}: {_text(counted[at])}"


def _text(finding: Finding) -> str:
    return withhold(" ".join(finding.line[:_LONGEST_READ].split()))[:_LONGEST]
