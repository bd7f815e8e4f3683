"""Findings in SARIF 2.1.0, as analysers write them.

Measures: `runs`; `error`, `warning` and `note`, results of that level that are not suppressed (level `none` is no
finding); `suppressed`, those that are; and `new_error`, `new_warning` and `new_note`, where there is something to
compare with: those that the baseline, an earlier log, does not hold (as often), and that the log itself does not call
`unchanged` or `updated`.
"""

from collections import Counter
from collections.abc import Iterable

from verifflowcc.domain.evidence import Measured
from verifflowcc.errors import FormatError
from verifflowcc.formats.report_paths import ProjectPaths
from verifflowcc.formats.sarif_read import LEVELS, Finding, read_log
from verifflowcc.text.digest import digest_bytes

MOST_EXAMPLES = 20
_LONGEST = 300
_OLD = frozenset({"unchanged", "updated"})


def measure_sarif(data: bytes, *, baseline: bytes | None, paths: frozenset[str] = frozenset()) -> Measured:
    """Return what a log says, compared with an earlier log where `baseline` has one.

    `paths` are the project's files: with them, a log that names files as they are on one machine (`file:///home/…`) has
    the outcome of a log made elsewhere, and can be compared with it.

    `problem` says why there are no measures: no SARIF 2.1.0, no run, a run that failed or did not look for results, or
    any of these of the baseline.
    """
    try:
        project = ProjectPaths(paths)
        log = read_log(data, project)
        before = None if baseline is None else _baseline(baseline, project)
    except FormatError as error:
        return Measured({}, "", problem=str(error))
    counted = [each for each in log.findings if not each.suppressed and each.level in LEVELS]
    levels = Counter(each.level for each in counted)
    measures = {"runs": log.runs} | {level: levels[level] for level in LEVELS}
    measures["suppressed"] = sum(each.suppressed for each in log.findings)
    compared = before is not None or any(each.state for each in log.findings)
    fresh = _fresh(counted, before or Counter()) if compared else []
    if compared:
        new = Counter(each.level for each in fresh)
        measures |= {f"new_{level}": new[level] for level in LEVELS}
    lines = sorted(f"{each.key}\0{each.level}\0{int(each.suppressed)}\n" for each in log.findings)
    return Measured(measures, digest_bytes("".join(lines).encode("ascii")), _examples(counted, fresh))


def _baseline(data: bytes, project: ProjectPaths) -> Counter[str]:
    try:
        return Counter(each.key for each in read_log(data, project).findings)
    except FormatError as error:
        raise FormatError(f"the baseline: {error}") from error


def _fresh(counted: Iterable[Finding], before: Counter[str]) -> list[Finding]:
    """Return the findings that are more than there were before."""
    left = Counter(before)
    found = []
    for each in counted:
        if left[each.key] > 0:
            left[each.key] -= 1
        elif each.state not in _OLD:
            found.append(each)
    return found


def _examples(counted: Iterable[Finding], fresh: Iterable[Finding]) -> tuple[str, ...]:
    """Return what is new first, and the graver level first."""
    new = {id(each) for each in fresh}
    order = sorted(counted, key=lambda each: (id(each) not in new, LEVELS.index(each.level)))
    return tuple(
        f"{'new ' if id(each) in new else ''}{each.level}: {' '.join(each.line[:_LONGEST].split())}"
        for each in order[:MOST_EXAMPLES]
    )
