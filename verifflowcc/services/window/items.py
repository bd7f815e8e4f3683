"""Items of a window out of what a caller says, without secrets, and counted."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TypedDict

from verifflowcc.domain.episodes import Operation
from verifflowcc.domain.ports import Count
from verifflowcc.domain.window import FULL, ItemType, Touched, WindowItem
from verifflowcc.errors import UsageError
from verifflowcc.formats.events import stamp
from verifflowcc.records import dataclass
from verifflowcc.services.finding import one_of
from verifflowcc.services.window.keeping import drawn_id
from verifflowcc.text.secrets import withhold


@dataclass(frozen=True, slots=True)
class Given:
    """What is to be in a window, as `WindowItem` has it; `type` is the name of one."""

    content: str
    type: str = ItemType.USER_MESSAGE.value
    task: str | None = None
    relevance: int = FULL
    dependencies: Sequence[str] = ()
    sticky: bool = False
    tool: str | None = None
    path: str | None = None
    lines: tuple[int, int] | None = None
    tool_calls: bool = False
    failed: bool = False


class Said(TypedDict, total=False):
    """What may be said of an item beside its content and type.

    `task` is the window's current one where it is left out; `relevance` is in thousandths, `dependencies` are ids of
    the items that it needs. `path` and `lines` tell where code, or a tool's result, is from, `tool` and `failed` what a
    tool's result is, `tool_calls` that a response calls tools.
    """

    task: str
    relevance: int
    dependencies: Sequence[str]
    sticky: bool
    tool: str
    path: str
    lines: tuple[int, int]
    tool_calls: bool
    failed: bool


def item_of(given: Given, task: str | None, now: datetime, count: Count) -> WindowItem:
    """Return a new item; `task` is whose it is where nothing is said. A word stands in the place of each secret.

    Raises UsageError for what no item can be.
    """
    kind = ItemType(one_of(given.type, tuple(ItemType), "type of a window's items", "--type user_message"))
    _check(given, kind)
    content = withhold(given.content)
    return WindowItem(
        id=drawn_id(now),
        content=content,
        type=kind,
        time=stamp(now),
        tokens=count(content),
        relevance=given.relevance,
        task=_withheld(given.task) if given.task is not None else task,
        dependencies=tuple(dict.fromkeys(given.dependencies)),
        sticky=given.sticky,
        tool=_withheld(given.tool),
        files=() if given.path is None else (Touched(withhold(given.path), Operation.READ, given.lines),),
        tool_calls=given.tool_calls,
        failed=given.failed,
    )


def _check(given: Given, kind: ItemType) -> None:
    if not given.content.strip():
        raise UsageError("the text of a window item is empty", hint='vfcc window add "The text"')
    if not 0 <= given.relevance <= FULL:
        raise UsageError("relevance is from 0 to 1", hint="--relevance 0.8")
    if kind is ItemType.CODE_SNIPPET and not given.path:
        raise UsageError("a code_snippet is from a file", hint="--file PATH --lines 10-20")
    if given.lines and not given.path:
        raise UsageError("lines are those of a file", hint="--file PATH --lines 10-20")
    if given.lines and not 1 <= given.lines[0] <= given.lines[1]:
        raise UsageError(f"there are no lines {given.lines[0]}-{given.lines[1]}", hint="--lines 10-20")
    wrong = _misplaced(given, kind)
    if wrong:
        raise UsageError(f"{wrong[0]} goes with {wrong[1]}, and this is {kind}", hint=f"--type {wrong[1]}")


def _misplaced(given: Given, kind: ItemType) -> tuple[str, ItemType] | None:
    """What is said that an item of this type does not have, and the type that has it."""
    said: Iterable[tuple[bool, str, tuple[ItemType, ...]]] = (
        (given.path is not None, "a file", (ItemType.CODE_SNIPPET, ItemType.TOOL_RESULT)),
        (given.tool is not None, "a tool", (ItemType.TOOL_RESULT,)),
        (given.failed, "a failure", (ItemType.TOOL_RESULT,)),
        (given.tool_calls, "a call of tools", (ItemType.ASSISTANT_RESPONSE,)),
    )
    return next(((what, kinds[0]) for is_said, what, kinds in said if is_said and kind not in kinds), None)


def _withheld(text: str | None) -> str | None:
    return None if text is None else withhold(text)
