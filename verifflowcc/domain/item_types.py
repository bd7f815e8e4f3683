"""The table of item types: default scope, importance and time to live, and which types are trace items.

A type that is not in the table is not an error (a workflow adds types of its own); it has the values of `OTHER`.
"""

from collections.abc import Mapping
from enum import StrEnum

from verifflowcc.records import dataclass

DEFAULT_CONFIDENCE = 800
"""In thousandths."""


class ScopeKind(StrEnum):
    """Whose an item is, without the name behind it."""

    USER = "user"
    PROJECT = "project"
    SPRINT = "sprint"
    STAGE = "stage"
    AGENT = "agent"
    TASK = "task"


@dataclass(frozen=True, slots=True)
class ItemType:
    """A type's defaults.

    `importance` in thousandths. `ttl_days` is None for a type that never expires; `ends_with_stage` marks one whose
    items end with their stage, at the latest after `ttl_days` where that is set too.
    """

    name: str
    scope: ScopeKind
    importance: int
    ttl_days: int | None = None
    ends_with_stage: bool = False
    trace: bool = False
    folder: str | None = None
    """The folder of its own in a scope (default: one below `items/`)."""


NOTE = "note"
"""The type of a Markdown file that declares none and lies in no typed folder: neutral, and it never expires."""

TURN = "turn"
"""The type of a turn of a conversation, kept word for word: a search finds it, and no prompt holds it."""

_ABOUT_A_USER = ("business_fact", "work_pattern", "communication_style", "goal", "constraint", "relationship")
_TRACE = ("need", "requirement", "component", "interface", "unit", "test_spec", "hazard", "information")

_TYPES = (
    ItemType("preference", ScopeKind.USER, 900),
    *(ItemType(name, ScopeKind.USER, 500) for name in _ABOUT_A_USER),
    ItemType("pattern", ScopeKind.USER, 700),
    ItemType("decision", ScopeKind.PROJECT, 900, folder="decisions"),
    ItemType("failure", ScopeKind.PROJECT, 850, ttl_days=365),
    ItemType("convention", ScopeKind.PROJECT, 800, folder="conventions"),
    *(ItemType(name, ScopeKind.PROJECT, 800, trace=True) for name in _TRACE),
    ItemType("fact", ScopeKind.PROJECT, 500, ttl_days=365),
    ItemType("guideline", ScopeKind.PROJECT, 600, ttl_days=365),
    ItemType("insight", ScopeKind.PROJECT, 600, ttl_days=365),
    ItemType("summary", ScopeKind.PROJECT, 600, ttl_days=365),
    ItemType("question", ScopeKind.PROJECT, 600, ttl_days=90),
    ItemType("assumption", ScopeKind.PROJECT, 600, ttl_days=90),
    ItemType("fix", ScopeKind.PROJECT, 700, ttl_days=180),
    ItemType("task_state", ScopeKind.TASK, 600, ttl_days=14, ends_with_stage=True),
    ItemType("tool_output", ScopeKind.TASK, 700, ends_with_stage=True),
    ItemType("reasoning", ScopeKind.TASK, 500, ends_with_stage=True),
    ItemType(NOTE, ScopeKind.PROJECT, 500),
    ItemType(TURN, ScopeKind.PROJECT, 300, ttl_days=365),
)

TYPES: Mapping[str, ItemType] = {each.name: each for each in _TYPES}
USER_TYPES = tuple(each.name for each in _TYPES if each.scope is ScopeKind.USER)
"""The seven categories of what is known of a person, and learned patterns."""
RULE_TYPES = ("decision", "convention", "guideline", "constraint")
"""What agents are to follow, where it is in force."""
FOLDERS: Mapping[str, str] = {each.folder: each.name for each in _TYPES if each.folder}
"""Folder → type, for types with a folder of their own."""
OTHER = ItemType("", ScopeKind.PROJECT, 500)


def item_type(name: str) -> ItemType:
    """Return the defaults of a type; those of `OTHER` where the table does not have it."""
    return TYPES.get(name, OTHER)


def is_trace_type(name: str) -> bool:
    """Say whether items of this type stand in the trace from need to test.

    >>> is_trace_type("requirement"), is_trace_type("decision")
    (True, False)
    """
    return item_type(name).trace
