"""Numbers of stages in words, the same on a terminal and on a page."""

from collections.abc import Callable

from verifflowcc.domain.sprints import StageStatus
from verifflowcc.workflow.metrics_table import Numbers, StageMetrics

UNKNOWN = "–"
_COVERAGE = ("line", "branch", "changed")


def shown(number: int | None, words: Callable[[int], str] = str) -> str:
    """Return a number in words, or a dash where it is not known."""
    return UNKNOWN if number is None else words(number)


def stage_time(stage: StageMetrics) -> str:
    """Return how long a stage took, or has taken so far."""
    if stage.status is StageStatus.SKIPPED:
        return "skipped"
    told = shown(stage.numbers["duration_s"], lasting)
    if stage.status is StageStatus.ACTIVE:
        return f"{told} so far"
    return f"{told} stale" if stage.status is StageStatus.STALE else told


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
