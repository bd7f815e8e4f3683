"""Numbers of stages in words, the same on a terminal and on a page."""

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from verifflowcc.base.errors import FormatError
from verifflowcc.base.model.sprint_state import SprintStatus, StageStatus
from verifflowcc.base.records import dataclass

# The numbers of stages and sprints side by side: as they were recorded, added up, and written as CSV.

Numbers = Mapping[str, int | None]

SUMMED: Mapping[str, str] = {
    "approvals": "reviews and acceptances that passed a criterion",
    "artifact_bytes": "size of the artifacts, with CRLF as LF",
    "artifacts": "files in `artifacts/`",
    "criteria": "exit criteria that are not off",
    "deviations": "lines under Deviations in the summary",
    "duration_s": "seconds since the stage was last entered; unknown if clocks disagree",
    "evidence": "pieces of evidence that the gate used",
    "failures": "runs since the stage was last entered that did not meet a criterion",
    "feedback_lines": "non-empty lines of `feedback.md`",
    "findings": "criteria not met and recorded (soft)",
    "passed": "criteria met",
    "passes": "how often the stage was passed, this pass included",
    "reopened": "how often this stage itself was reopened",
    "rework": "how often the stage was passed before",
    "waived": "criteria waived",
}
"""Numbers of which a sprint has as many as its stages together, each with its meaning."""

LAST: Mapping[str, str] = {
    "coverage_branch_bp": "covered branches in hundredths of a percent, cut; the lowest of several reports",
    "coverage_changed_bp": "covered changed lines, likewise",
    "coverage_line_bp": "covered lines, likewise",
    "tests": "tests in the JUnit reports, each report once",
    "tests_failed": "failures and errors among them",
}
"""Numbers of which a sprint has those of its last stage that measured them: stages run the same tests again."""

MEANINGS: Mapping[str, str] = dict(sorted({**SUMMED, **LAST}.items()))
NAMES = tuple(MEANINGS)
COLUMNS = ("sprint", "sprint_status", "stage", "status", *NAMES, "problem")
"""The header of the CSV. Later versions only add names, before `problem`."""


@dataclass(frozen=True, slots=True)
class StageMetrics:
    """The numbers of a stage, by name; None is for what is not known.

    Those of a stage that was passed are from its event, of older ones from its `metrics.json`; `problem` says why that
    has none. Those of an active stage are as far as its ledger goes. A skipped one has none.
    """

    stage: str
    status: StageStatus
    numbers: Numbers
    """Null for unknown ones."""
    problem: str = ""
    """Why nothing is known, or empty."""


@dataclass(frozen=True, slots=True)
class SprintMetrics:
    """A sprint's stages that were begun or skipped, in the order of its workflow, and their `totals`.

    `problems` tell of its ledger.
    """

    id: str
    title: str
    status: SprintStatus
    stages: tuple[StageMetrics, ...]
    totals: Numbers
    problems: tuple[str, ...] = ()


def read_numbers(text: str, sprint: str, stage: str) -> dict[str, int | None]:
    """Return the numbers in a `metrics.json`, each of `NAMES`; one that an older vfcc did not write is not known.

    Raises FormatError with `line: reason` where it is not what vfcc writes for that stage.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{getattr(error, 'lineno', 1)}: this is not JSON: {getattr(error, 'msg', error)}") from error
    if not isinstance(document, dict):
        raise FormatError("1: a JSON object is expected")
    for name, wanted in (("sprint", sprint), ("stage", stage)):
        if document.get(name) != wanted:
            raise FormatError(f"1: {name} is {document.get(name)!r}, and not {wanted!r}")
    return known_numbers(document)


def known_numbers(document: Mapping[str, object]) -> dict[str, int | None]:
    """Return each of `NAMES` from a mapping; one that an older vfcc did not write is not known.

    Raises FormatError where one is no count.
    """
    numbers = {name: _number(name, document.get(name)) for name in NAMES}
    passes = numbers["passes"]
    if numbers["rework"] is None and passes:
        numbers["rework"] = passes - 1  # what it is by definition, where an older vfcc did not write it
    return numbers


def totals(stages: Sequence[StageMetrics]) -> dict[str, int | None]:
    """Return the numbers of a sprint from those of its stages.

    A sum is known where that number is known of every stage that was passed; a stage in work adds what it has so far.
    """
    found = {name: _sum(name, stages) for name in SUMMED}
    for name in LAST:
        measured = [number for each in stages if (number := each.numbers.get(name)) is not None]
        found[name] = measured[-1] if measured else None
    return {name: found[name] for name in NAMES}


def unknown() -> dict[str, int | None]:
    """Return numbers of which none is known."""
    return dict.fromkeys(NAMES)


def csv_text(sprints: Iterable[SprintMetrics]) -> str:
    """Return a header and one row per stage; what is not known is an empty cell."""
    lines = _CsvLines([])
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for sprint in sprints:
        for each in sprint.stages:
            numbers = [each.numbers.get(name) for name in NAMES]
            writer.writerow([sprint.id, str(sprint.status), each.stage, str(each.status), *numbers, each.problem])
    return "".join(lines.written)


@dataclass(frozen=True, slots=True)
class _CsvLines:
    """What the CSV writer writes to."""

    written: list[str]

    def write(self, line: str) -> int:
        self.written.append(line)
        return len(line)


def _number(name: str, value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise FormatError(f"1: {name} is {value!r}, and no count")
    return value


def _sum(name: str, stages: Sequence[StageMetrics]) -> int | None:
    counted = [each for each in stages if each.status is not StageStatus.SKIPPED]
    known = [number for each in counted if (number := each.numbers.get(name)) is not None]
    left = sum(each.status is not StageStatus.ACTIVE or each.numbers.get(name) is not None for each in counted)
    return sum(known) if known and len(known) == left else None


UNKNOWN = "–"
_COVERAGE = ("line", "branch", "changed")


def shown(number: int | None, words: Callable[[int], str] = str) -> str:
    """Return a number in words, or a dash where it is not known."""
    return UNKNOWN if number is None else words(number)


def stage_time(stage: StageMetrics) -> str:
    """Return how long a stage took, or has taken so far."""
    if stage.status is StageStatus.SKIPPED:
        return "skipped"
    time = shown(stage.numbers["duration_s"], lasting)
    if stage.status is StageStatus.ACTIVE:
        return f"{time} so far"
    return f"{time} stale" if stage.status is StageStatus.STALE else time


def lasting(seconds: int) -> str:
    """Return a time in its two largest units.

    >>> lasting(45), lasting(125), lasting(3_900), lasting(350_400)
    ('45s', '2m', '1h 5m', '4d 1h')
    """
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86_400
    if days:
        return f"{days}d {hours % 24}h"
    if hours:
        return f"{hours}h {minutes % 60}m"
    return f"{minutes}m" if minutes else f"{seconds}s"


def percent(basis_points: int) -> str:
    """Return hundredths of a percent as a percentage.

    >>> percent(8734), percent(10000), percent(5)
    ('87.34 %', '100.00 %', '0.05 %')
    """
    return f"{basis_points // 100}.{basis_points % 100:02d} %"


def words_of_tests(numbers: Numbers) -> str:
    """Return how many tests there were, and how many of them failed, if any did."""
    failed = numbers["tests_failed"]
    return shown(numbers["tests"]) + (f", {failed} failed" if failed else "")


def words_of_coverage(numbers: Numbers) -> str:
    """Return the kinds of coverage that were measured."""
    shares = [(name, numbers[f"coverage_{name}_bp"]) for name in _COVERAGE]
    return ", ".join(f"{name} {percent(share)}" for name, share in shares if share is not None) or UNKNOWN
