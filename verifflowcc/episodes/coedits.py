"""Which files are edited together: in one task, within five minutes of each other, at least three times.

The record counts every pair of edits; here each edit counts once for a pair, so that a file which is saved three times
while another one is saved once was edited together with it once.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby

from verifflowcc.records import dataclass

WITHIN_MS = 300_000
LEAST = 3
_MOST_FILES = 200
"""What edits more files than these at a time is a tool that goes through all of them, and tells of no pair."""


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of a file in a task, at a time in milliseconds since 1970, and the same as text."""

    task: str | None
    path: str
    at_ms: int
    time: str


@dataclass(frozen=True, slots=True)
class CoEdit:
    """Two files that are edited together, by name; how often, in how many tasks, first and last when."""

    files: tuple[str, str]
    count: int
    tasks: int
    first: str
    last: str


def co_edits(edits: Iterable[Edit], least: int = LEAST) -> tuple[CoEdit, ...]:
    """Return the pairs of files that are edited together, the most frequent first; ties by name.

    `edits` come in order of their tasks, those of one task by time. Those without a task tell nothing.
    """
    counts: dict[tuple[str, str], int] = defaultdict(int)
    tasks: dict[tuple[str, str], int] = defaultdict(int)
    times: dict[tuple[str, str], list[str]] = {}
    for task, found in groupby(edits, key=lambda each: each.task):
        if task is None:
            continue
        for pair, count, first, last in _of_task(list(found)):
            counts[pair] += count
            tasks[pair] += 1
            seen = times.setdefault(pair, [first, last])
            seen[:] = min(seen[0], first), max(seen[1], last)
    frequent = (CoEdit(pair, count, tasks[pair], *times[pair]) for pair, count in counts.items() if count >= least)
    return tuple(sorted(frequent, key=lambda each: (-each.count, each.files)))


def _of_task(edits: list[Edit]) -> Iterator[tuple[tuple[str, str], int, str, str]]:
    by_path: dict[str, list[Edit]] = defaultdict(list)
    for each in edits:
        by_path[each.path].append(each)
    names = sorted(by_path)
    if len(names) > _MOST_FILES:
        return
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            near, far = _near(by_path[one], by_path[other]), _near(by_path[other], by_path[one])
            if near:
                both = [each.time for each in (*near, *far)]
                yield (one, other), min(len(near), len(far)), min(both), max(both)


def _near(some: list[Edit], others: list[Edit]) -> list[Edit]:
    """Return those of `some` that have one of `others` within five minutes; both are in order of time."""
    found, place = [], 0
    for each in some:
        while place < len(others) and others[place].at_ms < each.at_ms - WITHIN_MS:
            place += 1
        if place < len(others) and others[place].at_ms <= each.at_ms + WITHIN_MS:
            found.append(each)
    return found
