"""What agents did: touches of files, tasks, snapshots of windows, and what was learnt from them.

The fields are those of the decision record on episodic memory. Times are ISO date-times in UTC with milliseconds; a
`session` is the client's own id of a conversation.
"""

from enum import StrEnum

from verifflowcc.domain.tasks import TaskStatus
from verifflowcc.records import dataclass, field


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
    """An item of a window as a snapshot tells of it; `relevance` in thousandths."""

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
