"""How metrics are shown to a person."""

from collections.abc import Iterable

from verifflowcc.base.terminal.table import table
from verifflowcc.sprint.rules.stage_numbers import (
    Numbers,
    SprintMetrics,
    lasting,
    shown,
    stage_time,
    words_of_coverage,
    words_of_tests,
)

_COUNTS = ("failures", "rework", "findings", "waived")


def all_metrics(sprints: Iterable[SprintMetrics]) -> str:
    """Return a table for each sprint, with its totals."""
    return "\n\n".join(f"{each.id}: {each.title} ({each.status})\n\n{_stages(each)}" for each in sprints)


def _stages(sprint: SprintMetrics) -> str:
    rows = [(each.stage, stage_time(each), *_numbers(each.numbers)) for each in sprint.stages]
    rows.append(("total", shown(sprint.totals["duration_s"], lasting), *_numbers(sprint.totals)))
    headings = ("stage", "time", *_COUNTS, "tests", "coverage")
    return table(headings, rows, right=range(2, 2 + len(_COUNTS)))


def _numbers(numbers: Numbers) -> tuple[str, ...]:
    return (*(shown(numbers[name]) for name in _COUNTS), words_of_tests(numbers), words_of_coverage(numbers))
