"""What agents did: touches of files, tasks, snapshots of windows, and what was learnt from them.

The fields are those of the decision record on episodic memory. Times are ISO date-times in UTC with milliseconds; a
`session` is the client's own id of a conversation.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import groupby
from math import isqrt

from verifflowcc.base.records import dataclass, field
from verifflowcc.memory.rules.tasks import TaskStatus

# Which past tasks are most like a text: BM25 over their words, in whole numbers, so that every machine ranks alike.

K1_TENTHS = 12
"""k1 is 1.2, and b a half."""


@dataclass(frozen=True, slots=True)
class Posting:
    """How often a term is in a task."""

    task: str
    count: int


def ranked(
    postings: Mapping[str, Sequence[Posting]], lengths: Mapping[str, int], tasks: int, limit: int
) -> tuple[tuple[str, int], ...]:
    """Return the tasks that share words with a text, best first, with their scores; ties by id.

    `postings` are those of the text's terms, `lengths` the terms in each task, `tasks` how many there are in all.
    """
    mean = max(sum(lengths.values()) // max(len(lengths), 1), 1)
    scores: dict[str, int] = {}
    for found in postings.values():
        weight = _rarity(len(found), tasks)
        for each in found:
            length = lengths.get(each.task, mean)
            damping = K1_TENTHS * (mean + length) // (2 * mean)
            scores[each.task] = scores.get(each.task, 0) + weight * each.count * 1000 // (each.count * 10 + damping)
    best = sorted(scores.items(), key=lambda each: (-each[1], each[0]))
    return tuple(best[:limit])


def _rarity(holding: int, tasks: int) -> int:
    """How much a term says: the square root of how many times more tasks there are than hold it, in tenths.

    As the usual logarithm it falls with each task that holds the term, and needs no floating point.
    """
    return isqrt(100 * (tasks + 1) // (holding + 1))


# Which files are edited together: in one task, within five minutes of each other, at least three times.
#
# The record counts every pair of edits; here each edit counts once for a pair, so that a file which is saved three
# times while another one is saved once was edited together with it once.

WITHIN_MS = 300_000
LEAST = 3
_MOST_FILES = 200
"""A task with more edited files ran a tool over all of them: its pairs mean nothing."""


@dataclass(frozen=True, slots=True)
class FileEdit:
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


def co_edits(edits: Iterable[FileEdit], least: int = LEAST) -> tuple[CoEdit, ...]:
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


def _of_task(edits: list[FileEdit]) -> Iterator[tuple[tuple[str, str], int, str, str]]:
    by_path: dict[str, list[FileEdit]] = defaultdict(list)
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


def _near(some: list[FileEdit], others: list[FileEdit]) -> list[FileEdit]:
    """Return those of `some` that have one of `others` within five minutes; both are in order of time."""
    found, place = [], 0
    for each in some:
        while place < len(others) and others[place].at_ms < each.at_ms - WITHIN_MS:
            place += 1
        if place < len(others) and others[place].at_ms <= each.at_ms + WITHIN_MS:
            found.append(each)
    return found


class Operation(StrEnum):
    """What was done with a file."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    SEARCH = "search"
    ANALYZE = "analyze"


class Intent(StrEnum):
    """What a task is for, by its words."""

    CODE_READING = "code_reading"
    CODE_WRITING = "code_writing"
    PROJECT_FIXING = "project_fixing"
    PROJECT_EXPLORATION = "project_exploration"


class SnapshotReason(StrEnum):
    """Why a window's state was kept."""

    PRUNING = "pruning"
    TASK_SWITCH = "task_switch"
    MANUAL = "manual"


class PatternType(StrEnum):
    """What kind of regularity was seen."""

    CO_EDIT = "co_edit"
    ERROR_FIX = "error_fix"
    REFACTOR = "refactor"


class LearningType(StrEnum):
    """What kind of thing a session showed."""

    FILE_PURPOSE = "file_purpose"
    COMMON_ERROR = "common_error"
    WORKFLOW = "workflow"


@dataclass(frozen=True, slots=True)
class FileInteraction:
    """One touch of a file: `path` from the project's root where it lies below it; `lines` are first and last, from 1.

    `context` says why, in a few words; `changes` what changed, as `+3 -1`.
    """

    time: str
    session: str
    path: str
    """From the project's root if it is below it."""
    operation: Operation
    """`read`, `write`, `edit`, `search` or `analyze`."""
    task: str | None = None
    lines: tuple[int, int] | None = None
    """The first and the last line, or null."""
    success: bool = True
    """Null if unknown."""
    context: str = ""
    changes: str = ""
    """Lines added and removed, such as `+3 -1`, or empty."""


@dataclass(frozen=True, slots=True)
class TaskEpisode:
    """What somebody asked for, and what came of it. `files` in the order of their first touch, `tools` with counts."""

    id: str
    session: str
    description: str
    intent: Intent
    """`code_reading`, `code_writing`, `project_fixing` or `project_exploration`."""
    status: TaskStatus
    """`active`, `paused`, `completed` or `failed`."""
    started: str
    ended: str | None = None
    files: tuple[str, ...] = ()
    """By their first use."""
    tools: tuple[tuple[str, int], ...] = ()
    """Each tool with its number of calls."""
    outcome: str = ""
    """The agent's last words."""


@dataclass(frozen=True, slots=True)
class WindowPart:
    """An item of a window, without its content; `relevance` in thousandths."""

    id: str
    type: str
    tokens: int
    relevance: int


@dataclass(frozen=True, slots=True)
class WindowSnapshot:
    """A window's state at one moment, and what had just been taken out of it."""

    time: str
    session: str
    reason: SnapshotReason
    items: tuple[WindowPart, ...]
    total_tokens: int
    pruned: tuple[WindowPart, ...] = ()
    task: str | None = None


@dataclass(frozen=True, slots=True)
class LearnedPattern:
    """A regularity in what was done: its `key` is the same whenever it is seen again, `confidence` in thousandths.

    `sentence` says it to a person; `files` are those that it is about.
    """

    type: PatternType
    """`co_edit`, `error_fix` or `refactor`."""
    key: str
    """The part that is the same in each occurrence."""
    sentence: str
    files: tuple[str, ...]
    confidence: int
    count: int
    first_seen: str
    last_seen: str
    details: tuple[tuple[str, str], ...] = ()
    """Pairs such as `command`."""


@dataclass(frozen=True, slots=True)
class SessionLearning:
    """What one session showed: `subject` is a file, an error or a command, `sentence` what is known of it now."""

    session: str
    type: LearningType
    """`file_purpose`, `common_error` or `workflow`."""
    subject: str
    """The file, the error or the command."""
    sentence: str
    confidence: int
    details: tuple[tuple[str, str], ...] = field(default_factory=tuple)
