"""A working window: what an agent's model is shown now, item by item, and its states that were kept.

Times are ISO date-times in UTC with milliseconds, as in the history; relevances are in thousandths.
"""

from enum import StrEnum

from verifflowcc.base.records import dataclass
from verifflowcc.history.rules.agent_history import Operation, SnapshotReason, WindowPart

FULL = 1_000
"""The relevance of an item of which nobody says that it matters less, in thousandths."""


class WindowItemType(StrEnum):
    """What an item of a window is."""

    SYSTEM_PROMPT = "system_prompt"
    USER_MESSAGE = "user_message"
    ASSISTANT_RESPONSE = "assistant_response"
    TOOL_RESULT = "tool_result"
    CODE_SNIPPET = "code_snippet"
    TASK_STATE = "task_state"
    GRAPH_QUERY = "graph_query"


@dataclass(frozen=True, slots=True)
class FileTouch:
    """A file of an item, what was done with it, and its first and last line, from 1."""

    path: str
    operation: Operation = Operation.READ
    lines: tuple[int, int] | None = None

    @property
    def place(self) -> str:
        """The path with its lines."""
        return f"{self.path}:{self.lines[0]}-{self.lines[1]}" if self.lines else self.path


@dataclass(frozen=True, slots=True)
class WindowItem:
    """An item of a window. `relevance` is what its maker says of it, `dependencies` are ids of items that it needs.

    A `sticky` item is never pruned; a system prompt is always sticky. `tool` is the one that a result is from, and
    `failed` says that it did not do what it should; `tool_calls` says of a response that it has such.
    """

    id: str
    content: str
    type: WindowItemType
    time: str
    tokens: int
    relevance: int = FULL
    """As its maker set it."""
    task: str | None = None
    dependencies: tuple[str, ...] = ()
    """Ids of the items that it needs."""
    sticky: bool = False
    """Whether it is never pruned."""
    tool: str | None = None
    """The tool of a result, or null."""
    files: tuple[FileTouch, ...] = ()
    tool_calls: bool = False
    """Whether a response calls tools."""
    failed: bool = False

    def __post_init__(self) -> None:
        if self.type is WindowItemType.SYSTEM_PROMPT:
            object.__setattr__(self, "sticky", True)

    @property
    def path(self) -> str | None:
        """The path of its first file."""
        return self.files[0].path if self.files else None

    @property
    def lines(self) -> tuple[int, int] | None:
        """The lines of its first file."""
        return self.files[0].lines if self.files else None


@dataclass(frozen=True, slots=True)
class Window:
    """A session's items in order, the task that is worked on, and how often items were pruned."""

    session: str
    items: tuple[WindowItem, ...] = ()
    task: str | None = None
    prunings: int = 0

    @property
    def tokens(self) -> int:
        """The tokens of all items."""
        return sum(item.tokens for item in self.items)


@dataclass(frozen=True, slots=True)
class KeptWindow:
    """A window as it was when it was kept, whole. Where that was a pruning, it is from before; `pruned` then went."""

    id: str
    time: str
    reason: SnapshotReason
    window: Window
    pruned: tuple[WindowPart, ...] = ()
